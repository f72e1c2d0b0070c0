# SPDX-License-Identifier: Apache-2.0
# What other projects name: the same where it is installed and by add_subdirectory.
set(warpgauge_libraries)
function(public_library target name)
  if(TARGET ${target})
    add_library(warpgauge::${name} ALIAS ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    set(warpgauge_libraries ${warpgauge_libraries} ${target} PARENT_SCOPE)
  endif()
endfunction()
public_library(warpgauge_harness fixture)
public_library(warpgauge_suite_main suite_main)
public_library(warpgauge_emulator emulator)
public_library(warpgauge_emulator_backend emulator_backend)
public_library(warpgauge_trust trust)
public_library(warpgauge_results results)
public_library(warpgauge_record record)
public_library(warpgauge_symbol_names symbol_names)
public_library(warpgauge_warnings warnings)
if(TARGET warpgauge_cupti)
  add_library(warpgauge::profiler ALIAS warpgauge_cupti)
  set_target_properties(warpgauge_cupti PROPERTIES EXPORT_NAME profiler)
endif()

# Their headers: profiling/harness/fixture.hpp is <warpgauge/fixture.hpp>, profiling/results/record.hpp
# is <warpgauge/results/record.hpp>.
set(warpgauge_headers
  emulator/emulator.hpp emulator/report/report.hpp harness/backend.hpp harness/check.hpp
  harness/device_arena.hpp harness/device_buffer.hpp harness/device_check.hpp
  harness/device_memory.hpp harness/fixture.hpp harness/launch.hpp harness/parallel.hpp harness/random_buffer.hpp harness/random_input.hpp harness/unforeseen.hpp
  harness/suite/suite.hpp results/record.hpp)
function(warpgauge_public_name header result)
  string(REGEX REPLACE "^harness/(suite/)?" "" name ${header})
  string(REGEX REPLACE "^emulator/report/" "emulator/" name ${name})
  set(${result} ${name} PARENT_SCOPE)
endfunction()
foreach(header IN LISTS warpgauge_headers)
  warpgauge_public_name(${header} name)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/warpgauge/${name}
    CONTENT "#include \"profiling/${header}\"\n")
endforeach()
