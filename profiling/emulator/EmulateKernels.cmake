# SPDX-License-Identifier: Apache-2.0
#
# warpgauge_emulate_kernels(TARGET)
#
# Compiles all sources of the executable TARGET, kernels and the host code beside them, so that
# the kernels run on the emulator: <cuda_runtime.h> is the emulator's, every access is reported.
# Link TARGET with warpgauge_emulator.

set(_warpgauge_emulator_folder ${CMAKE_CURRENT_LIST_DIR} CACHE INTERNAL "")

function(warpgauge_emulate_kernels target)
  target_include_directories(${target} SYSTEM BEFORE PRIVATE
    ${_warpgauge_emulator_folder}/include)
  target_compile_options(${target} PRIVATE
    # Line numbers; -O1 keeps one place in the machine code for one access in the source.
    -g -O1
    # The accesses are reported by the thread sanitizer's instrumentation, which does not go with
    # other sanitizers in one object. Basic blocks are reported too, so that lanes that diverge
    # without an access are seen to.
    -fno-sanitize=all -fsanitize=thread --param=tsan-instrument-func-entry-exit=0
    --param=tsan-distinguish-volatile=1
    -fsanitize-coverage=trace-pc
    # A barrier that ends a function must not become a jump: its return address is its place.
    -fno-optimize-sibling-calls
    # One access or barrier in the source stays one in the machine code.
    -fno-thread-jumps -fno-crossjumping -fno-tree-tail-merge -fno-code-hoisting -fno-ipa-icf
    -fno-unroll-loops -fno-tree-vectorize
    # A vector stays whole, its access one of 8 or 16 bytes.
    -fno-tree-sra
    # Shared memory is thread-local and has no initializer to call.
    -fno-extern-tls-init
    # Lanes reconverge by the order of the code, which must be the source's.
    -fno-reorder-blocks -fno-reorder-blocks-and-partition
    # `#pragma unroll` is for nvcc.
    -Wno-unknown-pragmas
    # Source lines are named relative to the source root.
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)

  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  _warpgauge_refuse_triple_chevrons(${target} ${folder} "${sources}")

  # `extern __shared__` arrays are declared, never defined: the link defines them.
  set(shared_arrays ${CMAKE_CURRENT_BINARY_DIR}/${target}.shared_arrays)
  add_custom_command(TARGET ${target} PRE_LINK
    COMMAND ${CMAKE_COMMAND}
      "-DOBJECTS=$<TARGET_OBJECTS:${target}>" -DREADELF=${CMAKE_READELF} -DOUTPUT=${shared_arrays}
      -P ${_warpgauge_emulator_folder}/DefineSharedArrays.cmake
    VERBATIM)
  target_link_options(${target} PRIVATE @${shared_arrays})
endfunction()

# No host compiler parses kernel<<<grid, block>>>(...). Said here, since the compiler's own errors
# say nothing of the kind.
function(_warpgauge_refuse_triple_chevrons target folder sources)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder})
    if(NOT EXISTS ${source})
      continue()
    endif()
    _warpgauge_refuse_in_file(${target} ${source})
    # A translation that does nothing but include the .cu that it stands for.
    file(STRINGS ${source} includes REGEX "^#include \"/.*\"$")
    foreach(line IN LISTS includes)
      string(REGEX REPLACE "^#include \"(.*)\"$" "\\1" included "${line}")
      _warpgauge_refuse_in_file(${target} ${included})
    endforeach()
  endforeach()
endfunction()

function(_warpgauge_refuse_in_file target source)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(STRINGS ${source} launches REGEX "<<<")
  list(FILTER launches EXCLUDE REGEX "^[ \t]*(//|\\*)")
  list(LENGTH launches count)
  if(count GREATER 0)
    message(FATAL_ERROR
      "${source}: launches kernels by <<<...>>>, which only nvcc understands, so ${target} cannot "
      "be built for the emulator. Write warpgauge::launch(kernel, grid, block, arguments...) from "
      "profiling/launch.hpp instead; it works in both worlds.")
  endif()
endfunction()
