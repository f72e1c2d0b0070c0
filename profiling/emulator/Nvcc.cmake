# SPDX-License-Identifier: Apache-2.0
# warpgauge-nvcc: nvcc's command line, for the emulator. What it compiles and links with it reads from
# warpgauge-nvcc.conf beside it, in which $ORIGIN is that file's folder, so that a build can be moved.
include(GNUInstallDirs)
set(_warpgauge_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/warpgauge)
file(RELATIVE_PATH package_from_bin /root/${CMAKE_INSTALL_BINDIR} /root/${_warpgauge_package_folder})

add_executable(warpgauge_nvcc compile/nvcc/nvcc_main.cpp)
target_link_libraries(warpgauge_nvcc PRIVATE warpgauge_kernel_compiler warpgauge_warnings)
target_compile_definitions(warpgauge_kernel_compiler PRIVATE
  WARPGAUGE_PACKAGE_FROM_BIN="${package_from_bin}")
# For programs that are linked by it.
add_dependencies(warpgauge_nvcc warpgauge_emulator)
set_target_properties(warpgauge_nvcc PROPERTIES OUTPUT_NAME warpgauge-nvcc)

# _warpgauge_nvcc_configuration(FILE INCLUDE OPTIONS LIBRARIES...)
function(_warpgauge_nvcc_configuration file include options)
  cmake_path(GET CMAKE_CXX_COMPILER FILENAME compiler)
  set(lines "# What warpgauge-nvcc compiles and links with." "compiler ${compiler}" "include ${include}"
            "options ${options}" "library -Wl,-u,warpgauge_emulator_reports_at_exit")
  foreach(library IN LISTS ARGN)
    list(APPEND lines "library ${library}")
  endforeach()
  list(JOIN lines "\n" text)
  file(GENERATE OUTPUT ${file} CONTENT "${text}\n")
endfunction()

set(system_libraries -lfmt -lboost_context -ldw -lelf -lpthread -ldl)
if(WARPGAUGE_SANITIZE)
  list(PREPEND system_libraries -fsanitize=address,undefined -no-pie)
endif()
file(RELATIVE_PATH source_from_bin ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${CMAKE_CURRENT_SOURCE_DIR})
file(RELATIVE_PATH build_from_bin ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${CMAKE_CURRENT_BINARY_DIR})
file(RELATIVE_PATH results_from_bin ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${PROJECT_BINARY_DIR}/profiling/results)
_warpgauge_nvcc_configuration(${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/warpgauge-nvcc.conf
  $ORIGIN/${source_from_bin}/include $ORIGIN/${source_from_bin}/compile/kernel_options.txt
  $ORIGIN/${build_from_bin}/$<TARGET_FILE_NAME:warpgauge_emulator>
  $ORIGIN/${results_from_bin}/$<TARGET_FILE_NAME:warpgauge_record> ${system_libraries})

# As installed: the libraries of Warpgauge lie two folders above the package.
_warpgauge_nvcc_configuration(${CMAKE_CURRENT_BINARY_DIR}/warpgauge-nvcc.conf
  $ORIGIN/include $ORIGIN/compile/kernel_options.txt
  $ORIGIN/../../$<TARGET_FILE_NAME:warpgauge_emulator>
  $ORIGIN/../../$<TARGET_FILE_NAME:warpgauge_record> ${system_libraries})
