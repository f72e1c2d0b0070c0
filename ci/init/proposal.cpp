// SPDX-License-Identifier: Apache-2.0
#include "ci/init/proposal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "ci/init/filled.hpp"
#include "ci/init/gate_script.hpp"
#include "ci/init/next_steps.hpp"
#include "ci/init/pipelines.hpp"
#include "ci/policy/profiles.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

// Also a link that leads nowhere.
bool is_taken(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

bool leads_out(const fs::path& root, const fs::path& folder) {
  const fs::path whole = fs::weakly_canonical(folder);
  const fs::path whole_root = fs::canonical(root);
  return std::mismatch(whole_root.begin(), whole_root.end(), whole.begin(), whole.end()).first !=
         whole_root.end();
}

// What has to stand in a file that is there already.
struct Line {
  std::string mark;  // by which it is recognised, however it is written
  std::string text;
  bool whole = false;  // the mark is the whole line, but for slashes around it
};

bool stands_in(const std::string& text, const Line& line) {
  if (!line.whole) return text.find(line.mark) != text.npos;
  std::istringstream lines(text);
  for (std::string each; std::getline(lines, each);) {
    const std::size_t first = each.find_first_not_of('/');
    const std::size_t last = each.find_last_not_of("/ \t\r");
    if (first == each.npos || last == each.npos || last < first) continue;
    if (each.substr(first, last - first + 1) == line.mark) return true;
  }
  return false;
}

// Commands that add the lines at the end of the file. text: what is in it.
std::string appending(const std::string& path, const std::string& text,
                      const std::vector<std::string>& lines) {
  const std::string to = fmt::format(" >>{}\n", shell_word(path));
  std::string commands;
  if (!text.empty() && !text.ends_with('\n')) commands += "echo" + to;  // ends its last line
  for (const std::string& each : lines) commands += "echo " + shell_word(each) + to;
  return commands;
}

class Collector {
 public:
  Collector(const Repository& repository, Proposal& proposal)
      : root_(repository.root), proposal_(proposal) {}

  // lines: what of it has to stand in one that is there; where, empty: at its end.
  void add(const std::string& path, const std::string& purpose, const std::string& content,
           const std::vector<Line>& lines = {}, const std::string& where = "") {
    if (!is_taken(root_ / path)) {
      proposal_.files.push_back({path, content, purpose});
      return;
    }
    const std::string text = text_of(path);
    std::vector<std::string> missing;
    for (const Line& line : lines) {
      if (!stands_in(text, line)) missing.push_back(line.text);
    }
    proposal_.kept.push_back({path, missing});
    if (missing.empty()) return;
    proposal_.by_hand.push_back(where.empty()
                                    ? NextStep{fmt::format("Add to {} what it lacks:", path),
                                               appending(path, text, missing)}
                                    : NextStep{fmt::format("In {} add to {}:", path, where),
                                               fmt::format("{}", fmt::join(missing, "\n"))});
  }

  [[nodiscard]] bool has(const std::string& path) const { return is_taken(root_ / path); }

  // Empty: there is none to read.
  [[nodiscard]] std::string text_of(const std::string& path) const {
    try {
      return results::read_file(root_ / path, results::kAnswerLimit);
    } catch (const results::FileError&) {
      return "";
    }
  }

 private:
  fs::path root_;
  Proposal& proposal_;
};

// What the script measures: the repository's own benchmarks, or a sample to begin with.
void add_measured(const Repository& repository, Collector& collector) {
  const std::string sample = sample_of(repository);
  if (!sample.empty()) {
    const char* name = repository.kind == Kind::cuda     ? "bench.cu.in"
                       : repository.kind == Kind::triton ? "bench_triton.py.in"
                                                         : "bench_torch.py.in";
    collector.add(sample, "a first benchmark, to put your own kernels into", filled(name));
  }
  if (repository.kind == Kind::cuda) {
    collector.add("bench/warpgauge/CMakeLists.txt", "builds it, apart from your own build",
                  filled("bench_cmake.txt.in"));
  }
  collector.add(kScript, "builds, measures and gates; the pipeline calls it, and so can you",
                gate_script(repository));
}

// Whether stages of GitLab's pipeline are listed, and not the one that a job has without a word.
bool lacks_stage_test(const std::string& pipeline) {
  constexpr std::string_view kKey = "stages:";
  std::istringstream lines(pipeline);
  bool listed = false;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find('#'));
    const bool begins = line.starts_with(kKey);
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    inside = begins || (inside && std::string_view(" \t-]").find(line.front()) != line.npos);
    if (!inside) continue;
    listed = true;
    std::string words = line.substr(begins ? kKey.size() : 0);
    std::replace_if(
        words.begin(), words.end(),
        [](char each) { return std::string_view("[],\"'\r").find(each) != std::string_view::npos; },
        ' ');
    std::istringstream each(words);
    for (std::string word; each >> word;) {
      if (word == "test") return false;
    }
  }
  return listed;
}

void add_pipeline(const Repository& repository, Collector& collector, Proposal& proposal) {
  if (repository.host != Host::unknown && asks_affected(repository)) {
    collector.add("ci/affected.sh", "says whether a change needs a GPU; the pipeline asks it",
                  affected_script(repository));
    proposal.next.push_back(
        {"In the pipeline's job that asks what is affected, install what your build takes.", ""});
  }
  if (repository.host == Host::github) {
    collector.add(".github/workflows/warpgauge.yml", "gates pull requests",
                  github_workflow(repository));
  } else if (repository.host == Host::gitlab) {
    collector.add("ci/warpgauge.gitlab-ci.yml", "gates merge requests", gitlab_jobs(repository));
    const std::string there = collector.text_of(".gitlab-ci.yml");
    // A second include: would take the place of the first.
    const bool includes = there.starts_with("include:") || there.find("\ninclude:") != there.npos;
    collector.add(".gitlab-ci.yml", "includes that file", filled("gitlab_include.yml.in"),
                  {{"ci/warpgauge.gitlab-ci.yml",
                    includes ? "  - local: ci/warpgauge.gitlab-ci.yml"
                             : "include: [{local: ci/warpgauge.gitlab-ci.yml}]"}},
                  includes ? "the list of the include: that is there" : "");
    const bool staged =
        collector.text_of("ci/warpgauge.gitlab-ci.yml").find("\n  stage:") != std::string::npos;
    if (lacks_stage_test(there) && !staged) {
      proposal.next.push_back(
          {fmt::format("In ci/warpgauge.gitlab-ci.yml give each job a stage: of those in "
                       ".gitlab-ci.yml, which lack the usual one, test{}.",
                       asks_affected(repository) ? "; write the same stages: into that file, too, "
                                                   "which its child pipeline has alone"
                                                 : ""),
           ""});
    }
  }
}

// Of `warpgauge policy list`.
std::string profile_for(const Repository& repository) {
  const Gated gated = gated_of(repository);
  if (gated == Gated::kernels) return "program";
  return gated == Gated::cpu_times ? "cpu" : "imported";
}

// The one that the host reads: the first of its own order. Without a host, the first of all.
std::string owners_file(const Repository& repository, const Collector& collector) {
  std::vector<std::string> places{"CODEOWNERS", ".github/CODEOWNERS", "docs/CODEOWNERS",
                                  ".gitlab/CODEOWNERS"};
  if (repository.host == Host::github) {
    places = {".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"};
  } else if (repository.host == Host::gitlab) {
    places = {"CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"};
  }
  const auto there = std::find_if(places.begin(), places.end(),
                                  [&](const std::string& each) { return collector.has(each); });
  return there == places.end() ? "CODEOWNERS" : *there;
}

void add_owners(const Repository& repository, Collector& collector, Proposal& proposal) {
  std::vector<std::string> owned{"/baselines/", "/ci/policy.toml", "/ci/warpgauge.sh"};
  if (repository.host != Host::unknown && asks_affected(repository)) {
    owned.emplace_back("/ci/affected.sh");
  }
  if (repository.host == Host::github) owned.push_back("/.github/workflows/warpgauge.yml");
  if (repository.host == Host::gitlab) {
    owned.push_back("/ci/warpgauge.gitlab-ci.yml");
    // One that was there is the project's own.
    if (!collector.has(".gitlab-ci.yml")) owned.push_back("/.gitlab-ci.yml");
  }
  const std::string owner = repository.owner.empty() ? "@OWNER" : "@" + repository.owner;
  std::vector<Line> lines;
  std::string all;
  for (const std::string& each : owned) {
    lines.push_back({each, fmt::format("{} {}", each, owner)});
    all += lines.back().text + "\n";
  }
  const std::string path = owners_file(repository, collector);
  if (collector.has(path)) {
    collector.add(path, "", "", lines,
                  repository.owner.empty()
                      ? "its end, with who must agree to changes of these in place of @OWNER"
                      : "");
  } else if (repository.owner.empty()) {
    proposal.next.push_back(
        {"Name in a CODEOWNERS file who must agree to changes of these, in place of @OWNER:", all});
  } else {
    collector.add(path, "who must agree to new baselines; replace the owner with your own team",
                  filled("codeowners.in", {{"LINES", all}, {"OWNER", owner}}), lines);
  }
}

}  // namespace

Proposal propose(const Repository& repository) {
  Proposal proposal;
  Collector collector(repository, proposal);
  add_measured(repository, collector);
  proposal.next = edits_to_make(repository);
  const std::string profile = profile_for(repository);
  collector.add("ci/policy.toml",
                fmt::format("what is gated and how; the profile '{}' until you change it", profile),
                policy_profile(profile).text);
  if (is_part(repository)) {
    const fs::path root = (repository.root / "").parent_path();  // with no slash at its end
    const std::string part = root.lexically_relative(repository.git_root).string();
    proposal.next.push_back(
        {fmt::format("A host reads pipelines and owners in the repository's root alone, {}: let a "
                     "job there run bash {}, and name there who owns /{}/baselines/.",
                     repository.git_root.string(), shell_word(part + "/" + kScript), part),
         ""});
  } else {
    add_pipeline(repository, collector, proposal);
  }
  collector.add(".gitattributes", "keeps baselines as they were written",
                filled("gitattributes.in"), {{"/baselines/", "/baselines/** text eol=lf"}});
  collector.add(".gitignore", "what is built and measured is not committed", filled("gitignore.in"),
                {{"build", "/build/", true}, {"results", "/results/", true}});
  if (!is_part(repository)) add_owners(repository, collector, proposal);
  for (NextStep& step : steps_to_a_gate(repository)) proposal.next.push_back(std::move(step));
  return proposal;
}

void write_proposal(const fs::path& root, const Proposal& proposal) {
  results::NewFiles files;
  for (const NewFile& file : proposal.files) {
    const fs::path path = root / file.path;
    if (leads_out(root, path.parent_path())) {
      throw Error(kExitUsage, fmt::format("{} would lie outside of {}: a link leads there",
                                          file.path.string(), root.string()));
    }
    files.add(path, file.content);
  }
  for (const NewFile& file : proposal.files) {
    if (is_taken(root / file.path)) {
      throw Error(kExitUsage, fmt::format("{} has appeared meanwhile, and nothing was written: run "
                                          "warpgauge init again",
                                          file.path.string()));
    }
  }
  files.replace();
}

}  // namespace warpgauge::ci
