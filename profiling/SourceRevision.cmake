# SPDX-License-Identifier: Apache-2.0
# cmake -D SOURCE=… -D TEMPLATE=… -D FILE=… [-D IN_CHECKOUT=ON] -P SourceRevision.cmake: writes the
# file again if the git revision of the source has changed.
#
# IN_CHECKOUT: the source may be a part of a checkout, as a folder of it that git knows.
set(revision "")
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-prefix
                OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status ERROR_QUIET)
# A source that only lies within someone's checkout is not of its revision.
if(status EQUAL 0 AND NOT prefix STREQUAL "")
  set(status 1)
  if(IN_CHECKOUT)
    execute_process(COMMAND git -C ${SOURCE} ls-files --error-unmatch CMakeLists.txt
                    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  endif()
endif()
if(status EQUAL 0)
  execute_process(COMMAND git -C ${SOURCE} --no-optional-locks describe --always --exclude=* --dirty=-modified --abbrev=40
                  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
configure_file(${TEMPLATE} ${FILE} @ONLY)
