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
public_library(warpgauge_results results)
public_library(warpgauge_record record)
public_library(warpgauge_machine_code machine_code)
public_library(warpgauge_warnings warnings)
if(TARGET warpgauge_cupti)
  add_library(warpgauge::profiler ALIAS warpgauge_cupti)
  set_target_properties(warpgauge_cupti PROPERTIES EXPORT_NAME profiler)
endif()

# Their headers: profiling/fixture.hpp is <warpgauge/fixture.hpp>.
set(warpgauge_headers
  backend.hpp check.hpp device_buffer.hpp device_check.hpp emulator/emulator.hpp
  emulator/report.hpp fixture.hpp launch.hpp parallel.hpp random_buffer.hpp random_input.hpp
  results/record.hpp suite.hpp)
foreach(header IN LISTS warpgauge_headers)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/warpgauge/${header}
    CONTENT "#include \"profiling/${header}\"\n")
endforeach()
