# SPDX-License-Identifier: Apache-2.0
# plant(FILE TEXT REPLACEMENT) of scripts that change a copy of the kernels in ${INTO}: TEXT must stand
# in FILE once.
function(plant file text replacement)
  file(READ ${INTO}/${file} source)
  string(FIND "${source}" "${text}" first)
  string(FIND "${source}" "${text}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "${file}: '${text}' does not stand there, or more than once; "
      "${CMAKE_SCRIPT_MODE_FILE} replaces it by '${replacement}': say there what to replace now.")
  endif()
  string(REPLACE "${text}" "${replacement}" source "${source}")
  file(WRITE ${INTO}/${file} "${source}")
endfunction()
