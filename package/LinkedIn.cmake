# SPDX-License-Identifier: Apache-2.0
# The programs that leave this build take from the machine little but glibc: they start sooner, and run
# where none of our packages is installed. What the distribution has as an archive is linked in; of fmt
# and toml++ it has none, so that they are compiled here. libpq is loaded where a history needs it.

set(linked_in_found ON)
foreach(name IN ITEMS lz4 pugixml re2 soci_core soci_postgresql soci_sqlite3 sqlite3 zstd)
  find_library(WARPGAUGE_ARCHIVE_${name} lib${name}.a)
  mark_as_advanced(WARPGAUGE_ARCHIVE_${name})
  if(NOT WARPGAUGE_ARCHIVE_${name})
    set(linked_in_found OFF)
  endif()
endforeach()
# linked_in/fmt.cpp is of fmt 9, as Debian 12 and Ubuntu 24.04 have it.
find_package(fmt QUIET)
if(WARPGAUGE_SANITIZE OR NOT PROJECT_IS_TOP_LEVEL OR NOT "${fmt_VERSION}" MATCHES "^9\\.")
  set(linked_in_found OFF)
endif()
option(WARPGAUGE_LINKED_IN "Link libraries in, where they are found as archives" ${linked_in_found})

# warpgauge_linked_in(RESULT TARGET NAME): what links the library: TARGET, or the archive of that name.
function(warpgauge_linked_in result target name)
  if(NOT WARPGAUGE_LINKED_IN)
    set(${result} ${target} PARENT_SCOPE)
    return()
  endif()
  add_library(warpgauge_linked_in_${name} INTERFACE)
  target_include_directories(warpgauge_linked_in_${name} SYSTEM INTERFACE
    $<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>)
  target_link_libraries(warpgauge_linked_in_${name} INTERFACE ${WARPGAUGE_ARCHIVE_${name}})
  set(${result} warpgauge_linked_in_${name} PARENT_SCOPE)
endfunction()

# warpgauge_link_in(TARGET LIBRARY...): gives an executable its own C++ library, and those of what has no
# archive, of fmt and tomlplusplus. Their shared ones are then not needed, and left out.
function(warpgauge_link_in target)
  if(NOT WARPGAUGE_LINKED_IN)
    return()
  endif()
  foreach(library IN LISTS ARGN)
    if(NOT TARGET warpgauge_linked_in_${library})
      find_package(${library} REQUIRED)
      add_library(warpgauge_linked_in_${library} OBJECT ${PROJECT_SOURCE_DIR}/package/linked_in/${library}.cpp)
      target_link_libraries(warpgauge_linked_in_${library} PRIVATE ${library}::${library})
    endif()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:warpgauge_linked_in_${library}>)
  endforeach()
  # An identity of the build would be one of the names that nvcc makes up.
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc
    LINKER:--as-needed LINKER:--gc-sections LINKER:--build-id=none)
  warpgauge_map(${target})
endfunction()

# warpgauge_map(TARGET): leaves beside it what it was linked from, of which a release's list is made.
function(warpgauge_map target)
  target_link_options(${target} PRIVATE LINKER:-Map=$<TARGET_FILE:${target}>.map)
endfunction()
