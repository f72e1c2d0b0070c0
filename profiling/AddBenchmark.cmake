# SPDX-License-Identifier: Apache-2.0

# warpgauge_add_device_program(NAME SOURCES file.cu... [LIBRARIES target...]
#                              [GPU_LIBRARIES target...])
#
# Makes a program from unchanged CUDA C++, for each device that this build is for:
#   NAME_emulated   the emulator, made by the host compiler
#   NAME_gpu        NVIDIA GPUs, made by nvcc, and linked with GPU_LIBRARIES
function(warpgauge_add_device_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES;GPU_LIBRARIES")
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "${name}: name at least one file after SOURCES.")
  endif()

  if(WARPGAUGE_EMULATOR)
    _warpgauge_translations(translations ${name}_emulated ${arg_SOURCES})
    add_executable(${name}_emulated ${translations})
    target_link_libraries(${name}_emulated PRIVATE ${arg_LIBRARIES} warpgauge_emulator_backend)
    warpgauge_emulate_kernels(${name}_emulated)
  endif()

  if(WARPGAUGE_CUDA)
    add_executable(${name}_gpu ${arg_SOURCES})
    target_link_libraries(${name}_gpu PRIVATE ${arg_LIBRARIES} ${arg_GPU_LIBRARIES}
                          warpgauge_cupti warpgauge_warnings)
    # Lines, and machine code as it is, are for profilers and for `warpgauge run --machine-code`.
    target_compile_options(${name}_gpu PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo --no-compress>)
  endif()
endfunction()

# warpgauge_add_benchmark(NAME SOURCES file.cu... [GPU_LIBRARIES target...])
#
# Makes the suites NAME_emulated and NAME_gpu from Warpgauge benchmarks.
function(warpgauge_add_benchmark name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;GPU_LIBRARIES")
  warpgauge_add_device_program(${name} SOURCES ${arg_SOURCES} LIBRARIES warpgauge_suite_main
                               GPU_LIBRARIES ${arg_GPU_LIBRARIES})
endfunction()
