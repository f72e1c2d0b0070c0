# SPDX-License-Identifier: Apache-2.0
# SOCI with both of its backends that the history takes. Debian's and Ubuntu's package brings no
# description of itself for CMake or pkg-config. The backends are linked, not loaded by name, so that a
# bundle has them along.
find_package(SQLite3 REQUIRED)
find_package(PostgreSQL REQUIRED)
find_path(WARPGAUGE_SOCI_INCLUDE soci/soci.h REQUIRED)
add_library(warpgauge_soci INTERFACE)
target_include_directories(warpgauge_soci SYSTEM INTERFACE ${WARPGAUGE_SOCI_INCLUDE})
if(WARPGAUGE_LINKED_IN)
  # Users come before what they use. libpq is loaded: see connection/libpq_loading.hpp.
  target_include_directories(warpgauge_soci SYSTEM INTERFACE ${PostgreSQL_INCLUDE_DIRS} ${SQLite3_INCLUDE_DIRS})
  foreach(archive IN ITEMS soci_sqlite3 soci_postgresql soci_core sqlite3)
    target_link_libraries(warpgauge_soci INTERFACE ${WARPGAUGE_ARCHIVE_${archive}})
  endforeach()
  target_link_libraries(warpgauge_soci INTERFACE ${CMAKE_DL_LIBS})
else()
  foreach(part IN ITEMS core sqlite3 postgresql)
    find_library(WARPGAUGE_SOCI_${part} soci_${part} REQUIRED)
    target_link_libraries(warpgauge_soci INTERFACE ${WARPGAUGE_SOCI_${part}})
  endforeach()
  target_link_libraries(warpgauge_soci INTERFACE SQLite::SQLite3 PostgreSQL::PostgreSQL)
endif()
# The check of virtual tables asks for type information that SOCI's libraries keep to themselves.
if(WARPGAUGE_SANITIZE)
  target_compile_options(warpgauge_soci INTERFACE -fno-sanitize=vptr)
endif()
