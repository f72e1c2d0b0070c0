# SPDX-License-Identifier: Apache-2.0

# warpgauge_add_device_program(NAME SOURCES file.cu... [LIBRARIES target...]
#                              [GPU_LIBRARIES target...])
#
# Makes a program from unchanged CUDA C++, for each device that this build is for:
#   NAME_emulated   the emulator, made by the host compiler, where Warpgauge has it
#   NAME_gpu        NVIDIA GPUs, made by nvcc, and linked with GPU_LIBRARIES, where Warpgauge has it
#                   and the project has enabled CUDA
function(warpgauge_add_device_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES;GPU_LIBRARIES")
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "${name}: name at least one file after SOURCES.")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${name}: ${arg_UNPARSED_ARGUMENTS} before SOURCES is not understood.")
  endif()
  _warpgauge_devices(devices)
  if(NOT devices)
    message(STATUS "${name}: there is nothing to build it for: Warpgauge has no emulator here, and "
      "either it does not know GPUs or this project has not enabled the language CUDA")
  endif()

  if("emulated" IN_LIST devices)
    _warpgauge_translations(translations ${name}_emulated ${arg_SOURCES})
    add_executable(${name}_emulated ${translations})
    target_link_libraries(${name}_emulated PRIVATE ${arg_LIBRARIES} warpgauge::emulator_backend)
    warpgauge_emulate_kernels(${name}_emulated)
  endif()

  if("gpu" IN_LIST devices)
    add_executable(${name}_gpu ${arg_SOURCES})
    target_link_libraries(${name}_gpu PRIVATE ${arg_LIBRARIES} ${arg_GPU_LIBRARIES}
                          warpgauge::profiler)
    # Lines, and machine code as it is, are for profilers and for `warpgauge run --machine-code`.
    target_compile_options(${name}_gpu PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo --no-compress>)
    if(CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      set_target_properties(${name}_gpu PROPERTIES CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED ON)
    else()
      # CMake 3.25.1 (Debian 12) does not know that nvcc has C++20, from 12.0 on.
      set_property(TARGET ${name}_gpu PROPERTY CUDA_STANDARD)
      target_compile_options(${name}_gpu PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
    endif()
    set_target_properties(${name}_gpu PROPERTIES UNITY_BUILD OFF)  # as for the emulator
    warpgauge_find_cuda_at_run_time(${name}_gpu)
  endif()
endfunction()

# warpgauge_add_benchmark(NAME SOURCES file.cu... [GPU_LIBRARIES target...])
#
# Makes the suites NAME_emulated and NAME_gpu from Warpgauge benchmarks: those of the two that
# warpgauge_add_device_program would make.
function(warpgauge_add_benchmark name)
  if(NOT TARGET warpgauge::suite_main)
    message(FATAL_ERROR "${name}: benchmarks need Warpgauge built with WARPGAUGE_GATE=ON.")
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;GPU_LIBRARIES")
  _warpgauge_project_revision(revision)
  warpgauge_add_device_program(${name} ${arg_UNPARSED_ARGUMENTS} SOURCES ${arg_SOURCES}
                               LIBRARIES warpgauge::suite_main ${revision}
                               GPU_LIBRARIES ${arg_GPU_LIBRARIES})
endfunction()

# An object that says of which git revision the calling project is, for all of its suites. Each build
# looks it up, since commits configure nothing; only where it is another, suites are linked again.
function(_warpgauge_project_revision result)
  string(MAKE_C_IDENTIFIER warpgauge_revision_of_${PROJECT_NAME} target)
  set(${result} ${target} PARENT_SCOPE)
  if(TARGET ${target})
    return()
  endif()
  set(file ${PROJECT_BINARY_DIR}/warpgauge/source_revision.cpp)
  set(here ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  add_custom_target(${target}_lookup
    COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR} -D FILE=${file} -D IN_CHECKOUT=ON
            -D TEMPLATE=${here}/source_revision.cpp.in -P ${here}/SourceRevision.cmake
    BYPRODUCTS ${file} COMMENT "Looking up the revision of ${PROJECT_NAME}" VERBATIM)
  add_library(${target} OBJECT ${file})
  add_dependencies(${target} ${target}_lookup)
endfunction()

# warpgauge_find_cuda_at_run_time(TARGET)
#
# Lets the loader find CUPTI and the CUDA toolkit's other libraries, which lie on no default path.
function(warpgauge_find_cuda_at_run_time target)
  set_target_properties(${target} PROPERTIES
    BUILD_RPATH "${_warpgauge_library_folders}" INSTALL_RPATH "${_warpgauge_library_folders}")
endfunction()

# Where they are looked for: beside the program, in the toolkit of the build, in the machine's own;
# CUPTI at last in ../lib/cupti, where the bundle has a part of it. Kept, since the folder that makes
# a suite may not be the one that found the toolkit.
if(TARGET CUDA::cupti)
  get_target_property(_warpgauge_folder CUDA::cupti IMPORTED_LOCATION)
  cmake_path(GET _warpgauge_folder PARENT_PATH _warpgauge_folder)
  cmake_path(GET CUDAToolkit_BIN_DIR PARENT_PATH _warpgauge_toolkit)
  set(_warpgauge_folders "$ORIGIN/../lib" ${_warpgauge_folder} ${_warpgauge_toolkit}/lib64
      /usr/local/cuda/lib64 /usr/local/cuda/extras/CUPTI/lib64 "$ORIGIN/../lib/cupti")
  list(REMOVE_DUPLICATES _warpgauge_folders)
  set(_warpgauge_library_folders ${_warpgauge_folders} CACHE INTERNAL "")
endif()

# emulated, gpu: what programs can be built for here.
function(_warpgauge_devices result)
  set(devices)
  if(TARGET warpgauge::emulator_backend)
    list(APPEND devices emulated)
  endif()
  if(TARGET warpgauge::profiler AND CMAKE_CUDA_COMPILER_LOADED)
    list(APPEND devices gpu)
  endif()
  set(${result} ${devices} PARENT_SCOPE)
endfunction()
