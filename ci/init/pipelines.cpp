// SPDX-License-Identifier: Apache-2.0
#include "ci/init/pipelines.hpp"

#include "ci/init/filled.hpp"
#include "ci/init/gate_script.hpp"

namespace warpgauge::ci {
namespace {

// What is compiled is kept by ccache, which knows it by its content. Kept build folders would not
// do: their objects may be newer than the other revision that is checked out beside them.
Words words_of_cache(const Repository& repository) {
  Words words{{"AND_COMPILED", ""}, {"CCACHE", ""}, {"CCACHE_PATH", ""}};
  if (!is_compiled(repository)) return words;
  words["AND_COMPILED"] = " and what was compiled";
  if (repository.host == Host::github) {
    words["CCACHE"] = "CCACHE_DIR=$PWD/build/ccache ";
    words["CCACHE_PATH"] = "\n            build/ccache";
  } else {
    words["CCACHE"] = "    CCACHE_DIR: $CI_PROJECT_DIR/build/ccache\n";
    words["CCACHE_PATH"] = ", build/ccache";
  }
  return words;
}

std::string github_runner(const Repository& repository) {
  if (!takes_gpu(repository)) return filled("github_cpu.in");
  const bool asks = asks_affected(repository);
  return filled(
      "github_gpu.in",
      {{"NEEDS", asks ? "    needs: affected\n" : filled("github_each.in")},
       {"ASKED", asks ? "!cancelled() && needs.affected.outputs.gpu != 'false' && " : ""}});
}

}  // namespace

bool asks_affected(const Repository& repository) {
  return takes_gpu(repository) && is_compiled(repository);
}

std::string affected_script(const Repository& repository) {
  std::string pipeline;
  if (repository.host == Host::github) pipeline = " .github/workflows/warpgauge.yml";
  if (repository.host == Host::gitlab) pipeline = " .gitlab-ci.yml ci/warpgauge.gitlab-ci.yml";
  return filled("affected.sh.in", {{"BRANCH", repository.branch},
                                   {"PIPELINE", pipeline},
                                   {"SAMPLE", sample_lines(repository)},
                                   {"LAY_OUT", filled("lay_out.sh.in")},
                                   {"BEGIN", filled("begin.sh.in")},
                                   {"PROGRAM", filled("program.sh.in")}});
}

std::string github_workflow(const Repository& repository) {
  Words words = words_of_cache(repository);
  const auto with_setup = [&](const char* name, const char* job) {
    Words all = words;
    all["JOB"] = job;
    all["SETUP"] = filled("github_setup.in", all);
    return filled(name, all);
  };
  words["BRANCH"] = repository.branch;
  words["RUNNER"] = github_runner(repository);
  words["INSTALL"] =
      filled(takes_gpu(repository) ? "github_install_gpu.in" : "github_install_cpu.in");
  words["AFFECTED"] = asks_affected(repository) ? with_setup("github_affected.in", "affected") : "";
  return with_setup("github.yml.in", "gate");
}

std::string gitlab_jobs(const Repository& repository) {
  const bool gpu = takes_gpu(repository);
  const bool asks = asks_affected(repository);
  Words words = words_of_cache(repository);
  words["WHICH_RUNNER"] = gpu ? "one with a GPU" : "always the same processor";
  words["SETUP"] = filled("gitlab_setup.in");
  words["EACH"] = gpu && !asks ? filled("gitlab_each.in") : "";
  words["SOURCE"] = asks ? "parent_pipeline" : "merge_request_event";
  words["AFFECTED"] = asks ? filled("gitlab_affected.in", words) : "";
  return filled("gitlab.yml.in", words);
}

}  // namespace warpgauge::ci
