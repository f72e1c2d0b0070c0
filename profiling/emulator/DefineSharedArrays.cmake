# SPDX-License-Identifier: Apache-2.0
# Writes linker options that place every thread-local variable which OBJECTS use and do not define
# at the emulator's dynamic shared memory. Run before each link with OBJECTS, READELF, OUTPUT.
set(options "")
foreach(object IN LISTS OBJECTS)
  if(object STREQUAL "")
    continue()
  endif()
  execute_process(COMMAND ${READELF} --syms --wide ${object}
    OUTPUT_VARIABLE symbols RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "cannot read the symbols of ${object} by ${READELF}")
  endif()
  string(REGEX MATCHALL "TLS +GLOBAL +[A-Z]+ +UND +[^ \n]+" undefined "${symbols}")
  foreach(symbol IN LISTS undefined)
    string(REGEX REPLACE ".* " "" name "${symbol}")
    # Skip the symbols of the standard library and of the compiler's own libraries.
    if(NOT name MATCHES "^(_ZN?K?S[a-z]|__(libc|cxa|tls|emutls|gcov|sancov|[a-z]*san)_|errno$|warpgauge_emulator_)")
      string(APPEND options "-Wl,--defsym=${name}=warpgauge_emulator_thread_memory\n")
    endif()
  endforeach()
endforeach()

file(WRITE ${OUTPUT} "${options}")
