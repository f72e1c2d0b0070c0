# SPDX-License-Identifier: Apache-2.0
#
# warpgauge_emulate_kernels(TARGET)
#
# Compiles all sources of the executable TARGET, kernels and the host code beside them, so that
# the kernels run on the emulator: <cuda_runtime.h> is the emulator's, every access is reported,
# launches by <<<>>> are rewritten. Link TARGET with warpgauge::emulator.
#
# warpgauge_add_emulated_executable(NAME SOURCES file.cu... [LIBRARIES target...])
#
# Makes a program from CUDA C++ with its own main. It runs its kernels on the emulator and prints a
# report when it exits (report.hpp).

# Installed or not, its parts lie beside this file, but for the compiler of kernels.
set(_warpgauge_emulator_folder ${CMAKE_CURRENT_LIST_DIR} CACHE INTERNAL "")

function(warpgauge_emulate_kernels target)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
    message(FATAL_ERROR
      "${target}: kernels for the emulator need g++ 12 or later, not ${CMAKE_CXX_COMPILER_ID} "
      "${CMAKE_CXX_COMPILER_VERSION}; see \"The compiler\" in docs/explain/emulator.md. Configure with "
      "-DCMAKE_CXX_COMPILER=g++.")
  endif()

  target_include_directories(${target} SYSTEM BEFORE PRIVATE
    ${_warpgauge_emulator_folder}/include)
  set(options ${_warpgauge_emulator_folder}/compile/kernel_options.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${options})
  file(STRINGS ${options} options REGEX "^-")
  # Of the emulated device: kernels have the bodies that they have on it.
  target_compile_definitions(${target} PRIVATE __CUDA_ARCH__=900)
  # Source lines are named relative to the source root.
  target_compile_options(${target} PRIVATE ${options} -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)

  # Before any launcher of the user's, so that it sees what is compiled.
  get_target_property(launcher ${target} CXX_COMPILER_LAUNCHER)
  if(NOT launcher)
    set(launcher)
  endif()
  list(PREPEND launcher ${_warpgauge_compile_kernels})
  # Each source alone: what a kernel file calls its own, others do too.
  set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}" UNITY_BUILD OFF)
  # When that is built anew, so are the sources that the target has by now.
  get_target_property(sources ${target} SOURCES)
  set_property(SOURCE ${sources} TARGET_DIRECTORY ${target}
    APPEND PROPERTY OBJECT_DEPENDS ${_warpgauge_compile_kernels})
  if(TARGET warpgauge_compile_kernels)
    add_dependencies(${target} warpgauge_compile_kernels)
  endif()

  # `extern __shared__` arrays are declared, never defined: the link defines them.
  # Objects may be among what it is linked with, too.
  set(objects "$<FILTER:$<TARGET_PROPERTY:${target},LINK_LIBRARIES>,EXCLUDE,LINK_(LIBRARY|GROUP):>")
  set(objects "$<FILTER:$<TARGET_GENEX_EVAL:${target},${objects}>,INCLUDE,[.]o$>")
  set(shared_arrays ${CMAKE_CURRENT_BINARY_DIR}/${target}.shared_arrays)
  add_custom_command(TARGET ${target} PRE_LINK
    COMMAND ${CMAKE_COMMAND}
      "-DOBJECTS=$<TARGET_OBJECTS:${target}>;${objects}" -DREADELF=${CMAKE_READELF}
      -DOUTPUT=${shared_arrays} -P ${_warpgauge_emulator_folder}/DefineSharedArrays.cmake
    VERBATIM)
  target_link_options(${target} PRIVATE @${shared_arrays})
endfunction()

function(warpgauge_add_emulated_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "${name}: name at least one file after SOURCES.")
  endif()
  _warpgauge_translations(translations ${name} ${arg_SOURCES})
  set(report ${CMAKE_CURRENT_BINARY_DIR}/${name}.sources/report_at_exit.cpp)
  file(CONFIGURE OUTPUT ${report} @ONLY CONTENT
"#include <warpgauge/emulator/report.hpp>
__attribute__((init_priority(101)))
static warpgauge::emulator::ReportAtExit report(\"@PROJECT_SOURCE_DIR@\");
")
  add_executable(${name} ${translations} ${report})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} warpgauge::emulator)
  warpgauge_emulate_kernels(${name})
endfunction()

# A .cu may be CUDA for nvcc and C++ for the host compiler, but a source file has one language a
# folder: the C++ side sees it through a file that includes it, after what nvcc includes by itself.
function(_warpgauge_translations result name)
  set(translations)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE absolute)
    cmake_path(GET source STEM stem)
    set(translation ${CMAKE_CURRENT_BINARY_DIR}/${name}.sources/${stem}.cpp)
    file(CONFIGURE OUTPUT ${translation} 
      CONTENT "#include <cuda_runtime.h>\n#include \"${absolute}\"\n" @ONLY)
    list(APPEND translations ${translation})
  endforeach()
  set(${result} ${translations} PARENT_SCOPE)
endfunction()
