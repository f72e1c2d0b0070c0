# SPDX-License-Identifier: Apache-2.0
# cmake --install: the command line, and the package that find_package(warpgauge) finds.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/warpgauge)

if(WARPGAUGE_GATE)
  install(TARGETS warpgauge)
  install(DIRECTORY python/warpgauge DESTINATION ${CMAKE_INSTALL_DATADIR}/warpgauge/python
          FILES_MATCHING PATTERN "*.py")

  # Where man and the shells look. All of it is told by the command line itself.
  set(told ${CMAKE_CURRENT_BINARY_DIR}/told)
  file(MAKE_DIRECTORY ${told})
  add_custom_command(OUTPUT ${told}/warpgauge.1 ${told}/warpgauge ${told}/_warpgauge ${told}/warpgauge.fish
    COMMAND warpgauge manual >${told}/warpgauge.1
    COMMAND warpgauge completion bash >${told}/warpgauge
    COMMAND warpgauge completion zsh >${told}/_warpgauge
    COMMAND warpgauge completion fish >${told}/warpgauge.fish
    DEPENDS warpgauge COMMENT "Writing the manual page and completion for shells")
  add_custom_target(warpgauge_told ALL DEPENDS ${told}/warpgauge.1)
  install(FILES ${told}/warpgauge.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${told}/warpgauge DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${told}/_warpgauge DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${told}/warpgauge.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(TARGETS ${warpgauge_libraries} EXPORT warpgauge)
install(EXPORT warpgauge NAMESPACE warpgauge:: DESTINATION ${package_folder} FILE libraries.cmake)
# Apart, since who uses it needs a CUDA toolkit and the others do not.
if(WARPGAUGE_CUDA)
  install(TARGETS warpgauge_doctor warpgauge_metrics)
  # Where `warpgauge` finds it: in lib/ beside its bin/.
  install(TARGETS warpgauge_inject LIBRARY DESTINATION lib)
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
  ${PROJECT_SOURCE_DIR}/profiling/SourceRevision.cmake
  ${PROJECT_SOURCE_DIR}/profiling/source_revision.cpp.in
  DESTINATION ${package_folder})

# Beside the CMake code that uses them: <cuda_runtime.h> of the emulator must not be found otherwise.
if(WARPGAUGE_EMULATOR)
  set(emulator ${PROJECT_SOURCE_DIR}/profiling/emulator)
  install(TARGETS warpgauge_compile_kernels RUNTIME DESTINATION ${package_folder})
  install(TARGETS warpgauge_nvcc)
  install(FILES ${PROJECT_BINARY_DIR}/profiling/emulator/warpgauge-nvcc.conf DESTINATION ${package_folder})
  install(FILES ${emulator}/compile/kernel_options.txt DESTINATION ${package_folder}/compile)
  install(DIRECTORY ${emulator}/include DESTINATION ${package_folder})
  install(FILES ${emulator}/EmulateKernels.cmake ${emulator}/DefineSharedArrays.cmake
          DESTINATION ${package_folder})
endif()

# In here they include each other by the names that they have there.
foreach(header IN LISTS warpgauge_headers)
  warpgauge_public_name(${header} name)
  cmake_path(GET name PARENT_PATH folder)
  set(renamed ${CMAKE_CURRENT_BINARY_DIR}/include/warpgauge/${name})
  install(CODE "file(READ \"${PROJECT_SOURCE_DIR}/profiling/${header}\" text)
string(REGEX REPLACE \"#include \\\"profiling/(harness/(suite/)?)?\" \"#include \\\"warpgauge/\" text \"\${text}\")
file(WRITE \"${renamed}\" \"\${text}\")")
  install(FILES ${renamed} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warpgauge/${folder})
endforeach()
