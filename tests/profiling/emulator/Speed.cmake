# SPDX-License-Identifier: Apache-2.0
# Measurements of the emulator itself, which docs/explain/emulator.md runs on the released build.
find_package(benchmark REQUIRED)
add_executable(emulator_speed ${CMAKE_CURRENT_LIST_DIR}/speed/speed.cpp)
target_link_libraries(emulator_speed PRIVATE warpgauge_emulator benchmark::benchmark)
target_compile_options(emulator_speed PRIVATE -Wall -Wextra -Werror)
warpgauge_emulate_kernels(emulator_speed)

# What oclgrind/compare.sh compares Oclgrind with.
warpgauge_add_emulated_executable(emulator_yardstick SOURCES ${CMAKE_CURRENT_LIST_DIR}/oclgrind/yardstick.cu)
target_include_directories(emulator_yardstick PRIVATE ${PROJECT_SOURCE_DIR})
