# SPDX-License-Identifier: Apache-2.0
# cpack: all that the gate takes on a machine that builds nothing. Programs find their libraries in
# lib/ beside bin/, wherever the bundle is unpacked.
set(programs warpgauge)
if(WARPGAUGE_EMULATOR)
  list(APPEND programs suite_emulated)
endif()
if(WARPGAUGE_CUDA)
  list(APPEND programs suite_gpu warpgauge_doctor warpgauge_metrics)
endif()
set(in_bundle COMPONENT bundle EXCLUDE_FROM_ALL)

install(TARGETS ${programs} RUNTIME DESTINATION bin ${in_bundle})
install(DIRECTORY python/warpgauge DESTINATION share/warpgauge/python ${in_bundle}
        FILES_MATCHING PATTERN "*.py")
if(WARPGAUGE_CUDA)
  install(TARGETS warpgauge_inject LIBRARY DESTINATION lib ${in_bundle})
endif()
install(PROGRAMS ../ci/gate.sh DESTINATION ci ${in_bundle})
install(PROGRAMS ../ci/scripts/with_gpu.sh DESTINATION ci/scripts ${in_bundle})
install(DIRECTORY ../ci/slurm DESTINATION ci USE_SOURCE_PERMISSIONS ${in_bundle})
install(FILES ../ci/scripts/common.sh DESTINATION ci/scripts ${in_bundle})
install(FILES ../ci/policy.toml DESTINATION ci ${in_bundle})
# The sources as reports quote them.
install(DIRECTORY ../baselines ../kernels ../benchmarks DESTINATION . ${in_bundle}
        PATTERN CMakeLists.txt EXCLUDE)
install(FILES ../LICENSE ../CHANGELOG.md DESTINATION . ${in_bundle})

# Of CUDA, only what its licence lists as distributable and no runtime installation has: libcupti,
# unmodified, which times kernels. It lies apart, to be found last: counters take a CUDA installation's
# whole CUPTI, of which libnvperf_host is not distributable.
if(WARPGAUGE_CUDA)
  get_target_property(cupti CUDA::cupti IMPORTED_LOCATION)
  install(CODE "file(INSTALL \"${cupti}\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/lib/cupti\"
    FOLLOW_SYMLINK_CHAIN)" ${in_bundle})
endif()

list(TRANSFORM programs REPLACE "(.+)" "$<TARGET_FILE:\\1>")
# libpq is loaded by name, and of what is linked in the licence belongs along, too.
set(loaded)
set(linked_in)
if(WARPGAUGE_LINKED_IN)
  find_library(WARPGAUGE_LIBPQ pq REQUIRED)
  set(loaded ${WARPGAUGE_LIBPQ})
  find_package(fmt REQUIRED)
  find_package(tomlplusplus REQUIRED)
  foreach(archive IN ITEMS lz4 pugixml re2 soci_core sqlite3 zstd)
    list(APPEND linked_in ${WARPGAUGE_ARCHIVE_${archive}})
  endforeach()
  foreach(library IN ITEMS fmt::fmt tomlplusplus::tomlplusplus)
    list(APPEND linked_in $<TARGET_FILE:${library}>)
  endforeach()
endif()
install(CODE "set(programs \"${programs}\")
set(loaded \"${loaded}\")
set(linked_in \"${linked_in}\")" ${in_bundle})
install(SCRIPT bundle_libraries.cmake ${in_bundle})

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME warpgauge-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL bundle)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
