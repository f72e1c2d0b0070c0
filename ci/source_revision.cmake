# SPDX-License-Identifier: Apache-2.0
# cmake -D SOURCE=… -D TEMPLATE=… -D HEADER=… -P source_revision.cmake: writes the header anew if the
# git revision of the source is another than it says.
set(revision "")
# A source that only lies within someone's checkout is not of its revision.
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-prefix
                OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status ERROR_QUIET)
if(status EQUAL 0 AND prefix STREQUAL "")
  execute_process(COMMAND git -C ${SOURCE} --no-optional-locks describe --always --exclude=* --dirty=-modified --abbrev=40
                  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
configure_file(${TEMPLATE} ${HEADER} @ONLY)
