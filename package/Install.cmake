# SPDX-License-Identifier: Apache-2.0
# cmake --install: the command line, and the package that find_package(warpgauge) finds.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/warpgauge)

if(WARPGAUGE_GATE)
  install(TARGETS warpgauge)
endif()
install(TARGETS ${warpgauge_libraries} EXPORT warpgauge)
install(EXPORT warpgauge NAMESPACE warpgauge:: DESTINATION ${package_folder} FILE libraries.cmake)
# Apart, since who uses it needs a CUDA toolkit and the others do not.
if(WARPGAUGE_CUDA)
  install(TARGETS warpgauge_doctor warpgauge_metrics)
  install(TARGETS warpgauge_cupti EXPORT warpgauge_profiler)
  install(EXPORT warpgauge_profiler NAMESPACE warpgauge:: DESTINATION ${package_folder}
          FILE profiler.cmake)
endif()

configure_file(config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/warpgauge-config.cmake @ONLY)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/warpgauge-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/warpgauge-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/warpgauge-config-version.cmake
  ${PROJECT_SOURCE_DIR}/profiling/AddBenchmark.cmake
  DESTINATION ${package_folder})

# Beside the CMake code that uses them: <cuda_runtime.h> of the emulator must not be found otherwise.
if(WARPGAUGE_EMULATOR)
  set(emulator ${PROJECT_SOURCE_DIR}/profiling/emulator)
  install(TARGETS warpgauge_compile_kernels RUNTIME DESTINATION ${package_folder})
  install(DIRECTORY ${emulator}/include DESTINATION ${package_folder})
  install(FILES ${emulator}/EmulateKernels.cmake ${emulator}/DefineSharedArrays.cmake
          DESTINATION ${package_folder})
endif()

# In here they include each other by the names that they have there.
foreach(header IN LISTS warpgauge_headers)
  cmake_path(GET header PARENT_PATH folder)
  set(renamed ${CMAKE_CURRENT_BINARY_DIR}/include/warpgauge/${header})
  install(CODE "file(READ \"${PROJECT_SOURCE_DIR}/profiling/${header}\" text)
string(REPLACE \"#include \\\"profiling/\" \"#include \\\"warpgauge/\" text \"\${text}\")
file(WRITE \"${renamed}\" \"\${text}\")")
  install(FILES ${renamed} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warpgauge/${folder})
endforeach()
