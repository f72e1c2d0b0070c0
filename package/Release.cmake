# SPDX-License-Identifier: Apache-2.0
# What ci/release.sh packs: the command line with what belongs beside it, for use with any repository.
set(in_release COMPONENT release EXCLUDE_FROM_ALL)
set(programs warpgauge)
if(WARPGAUGE_CUDA)
  list(APPEND programs warpgauge_doctor warpgauge_metrics)
  install(TARGETS warpgauge_inject LIBRARY DESTINATION lib ${in_release})
endif()
install(TARGETS ${programs} RUNTIME DESTINATION bin ${in_release})
install(DIRECTORY python/warpgauge DESTINATION share/warpgauge/python ${in_release}
        FILES_MATCHING PATTERN "*.py")
# What is built in: without the overrides of this project's own kernels, which come last.
file(READ ${PROJECT_SOURCE_DIR}/ci/policy.toml policy)
string(FIND "${policy}" "\n[[override]]" overrides)
string(SUBSTRING "${policy}" 0 ${overrides} policy)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/policy.toml "${policy}")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/policy.toml DESTINATION share/warpgauge ${in_release})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/ci/policy/profiles/ DESTINATION share/warpgauge/profiles ${in_release}
        FILES_MATCHING PATTERN "*.toml")
install(DIRECTORY pipeline/ DESTINATION share/warpgauge/pipeline ${in_release}
        FILES_MATCHING PATTERN "*.sh" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
        WORLD_READ WORLD_EXECUTE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        DESTINATION share/doc/warpgauge ${in_release})
install(FILES ${told}/warpgauge.1 DESTINATION share/man/man1 ${in_release})
install(FILES ${told}/warpgauge DESTINATION share/bash-completion/completions ${in_release})
install(FILES ${told}/_warpgauge DESTINATION share/zsh/site-functions ${in_release})
install(FILES ${told}/warpgauge.fish DESTINATION share/fish/vendor_completions.d ${in_release})

# From which build the list of its contents is made.
set(released ${programs})
if(WARPGAUGE_CUDA)
  list(APPEND released warpgauge_inject)
endif()
list(TRANSFORM released REPLACE "(.+)" "$<TARGET_FILE:\\1>")
list(JOIN released "\n" lines)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/released.txt CONTENT "${lines}\n")
add_custom_target(release DEPENDS ${programs} warpgauge_told)
if(WARPGAUGE_CUDA)
  add_dependencies(release warpgauge_inject)
endif()
