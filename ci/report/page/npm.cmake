# SPDX-License-Identifier: Apache-2.0
# Runs npm and says what to do when it fails:
#   cmake -DNPM=npm -DARGUMENTS=ci;--no-audit -P npm.cmake
execute_process(COMMAND ${NPM} ${ARGUMENTS} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  list(JOIN ARGUMENTS " " arguments)
  message(FATAL_ERROR "${output}\n'npm ${arguments}' failed (${status}). The HTML report's page is made with packages "
    "from npm's registry: check the network, and that Node.js is 18 or later. To build without the page, "
    "configure with -DWARPGAUGE_PAGE=OFF.")
endif()
