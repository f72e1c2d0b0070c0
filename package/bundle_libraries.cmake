# SPDX-License-Identifier: Apache-2.0
# Puts every shared library that `programs` need or load, as `loaded`, into lib/, but for those of glibc, which belong to
# the kernel of the machine, and of CUDA, which belong to its driver. With each, and each that is `linked_in`, its licence.
file(GET_RUNTIME_DEPENDENCIES
  EXECUTABLES ${programs}
  LIBRARIES ${loaded}
  RESOLVED_DEPENDENCIES_VAR libraries
  UNRESOLVED_DEPENDENCIES_VAR missing
  PRE_EXCLUDE_REGEXES
    "^ld-linux" "^lib(c|m|dl|rt|pthread|util|resolv|anl|mvec)\\.so"
    "^lib(cuda|cudart|cublas|cublasLt|cupti)\\.so" "^libnv")
if(missing)
  message(FATAL_ERROR "The bundle lacks ${missing}: no such libraries are found here.")
endif()

find_program(dpkg_query dpkg-query)
# By the name that it is loaded by, which is not the one that the linker is given.
foreach(library IN LISTS loaded)
  file(GLOB names ${library}.[0-9])
  list(APPEND libraries ${names})
endforeach()
foreach(library IN LISTS libraries)
  file(INSTALL ${library} DESTINATION "${CMAKE_INSTALL_PREFIX}/lib" FOLLOW_SYMLINK_CHAIN)
endforeach()
foreach(library IN LISTS libraries linked_in)
  # /lib is a link to /usr/lib, and packages are listed by either.
  file(REAL_PATH ${library} file)
  string(REGEX REPLACE "^/usr/lib/" "/lib/" short "${file}")
  set(licence)
  foreach(path IN ITEMS ${file} ${short})
    if(NOT dpkg_query OR licence)
      break()
    endif()
    execute_process(COMMAND ${dpkg_query} --search ${path} OUTPUT_VARIABLE package ERROR_QUIET)
    string(REGEX REPLACE ":.*" "" package "${package}")
    if(package AND EXISTS /usr/share/doc/${package}/copyright)
      file(REAL_PATH /usr/share/doc/${package}/copyright licence)
    endif()
  endforeach()
  if(licence)
    file(INSTALL ${licence} DESTINATION "${CMAKE_INSTALL_PREFIX}/licenses" RENAME ${package})
  else()
    message(WARNING "No licence of ${library} is found here: add it to the bundle's licenses/ "
      "before you give it to others.")
  endif()
endforeach()
