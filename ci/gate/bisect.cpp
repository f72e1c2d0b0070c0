// SPDX-License-Identifier: Apache-2.0
#include "ci/gate/bisect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "ci/gate/against.hpp"
#include "ci/measure/revision_build.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/git.hpp"
#include "ci/support/interrupt.hpp"
#include "ci/support/process.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/verdict_json.hpp"
#include "profiling/machine_code/cubin.hpp"
#include "profiling/results/files.hpp"
#include "profiling/results/record_json.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShortSha = 12;

// In front of the lines that a step has for its user, among those that git prints.
constexpr std::string_view kStepMark = "step: ";

// With which bisect_command() starts a step, before the last word.
constexpr std::string_view kStepOption = "--step";

// Runs git, with the arguments behind the first, in the worktree that is the first.
constexpr const char* kScript =
    R"(exec 2>&1; unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX
cd "$1" && shift && exec git -c core.hooksPath=/dev/null "$@")";

// Runs the step, all arguments but the first, in the folder that is the first. What a shell ends
// with when it cannot would say that the commit is bad.
constexpr const char* kStepScript = R"(cd "$0" && [ -x "$1" ] && exec "$@"; exit 255)";

// Where bisecting is done, and what of it is for people to read afterwards.
struct Places {
  fs::path checkout;
  fs::path shelf;  // build/bisect
  fs::path tree;   // its worktree
  fs::path log;    // what git said

  explicit Places(fs::path top)
      : checkout(std::move(top)),
        shelf(checkout / "build" / "bisect"),
        tree(shelf / "tree"),
        log(shelf / "git.log") {}
};

// The worktree, gone with this.
class Tree {
 public:
  Tree(const Places& places, const std::string& sha) : places_(places) {
    results::write_file_atomically(places.shelf / ".gitignore", "*\n");
    remove_worktree(places.checkout, places.tree);
    const GitAnswer added = git_in(places.checkout, {"worktree", "add", "--force", "--detach",
                                                     "--quiet", places.tree.string(), sha});
    if (added.output) return;
    throw Error(kExitNotMeasured,
                fmt::format("cannot check out {} in {}: {}", sha.substr(0, kShortSha),
                            places.tree.string(), added.complaint));
  }
  ~Tree() {
    const InterruptShield shield;
    try {
      remove_worktree(places_.checkout, places_.tree);
    } catch (const std::exception&) {
      std::error_code ignored;  // the next one begins by removing what is left
      fs::remove_all(places_.tree, ignored);
    }
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  // Of git in the tree; the message of a failure begins with `what`.
  [[nodiscard]] std::string ask(const std::vector<std::string>& arguments,
                                const std::string& what) const {
    const GitAnswer answer = git_in(places_.tree, arguments);
    if (answer.output) return answer.output->substr(0, answer.output->find_last_not_of('\n') + 1);
    throw Error(kExitUsage, fmt::format("{}: {}", what, answer.complaint));
  }

 private:
  const Places& places_;
};

RevisionRequest request_of(const BisectOptions& options) {
  RevisionRequest request;
  request.revision = options.good;
  request.option = "--good";
  request.suite = options.run.suite;
  request.machine_code = options.run.machine_code;
  request.source_root = options.run.source_root;
  request.build = options.build;
  request.tell = options.run.tell;
  return request;
}

RunOptions run_of(RunOptions run, const Counterparts& built, const std::string& sha) {
  run.suite = built.suite;
  run.machine_code = built.machine_code;
  run.source_root = built.source_root;
  run.source = results::Source{sha, false};
  return run;
}

std::string described(const fs::path& checkout, const std::string& sha) {
  const GitAnswer answer = git_in(checkout, {"show", "--no-patch", "--abbrev=12", "--date=short",
                                             "--format=%h %s (%an, %ad)", sha});
  if (!answer.output) return sha.substr(0, kShortSha);
  return one_line(answer.output->substr(0, answer.output->find('\n')));
}

// Builds what is checked out in the tree and holds it against the good revision, which is built.
GateVerdict judge(const BisectOptions& options, const Places& places, const std::string& sha,
                  const fs::path& good_folder, const std::string& good_sha, Effort effort,
                  const Policy& policy) {
  const RevisionRequest request = request_of(options);
  const std::string name = sha.substr(0, kShortSha);
  options.run.tell(fmt::format("building {}", name));
  build_in(places.tree, request, places.checkout, name);
  const fs::path out = options.out / name;
  InTurns sides;
  sides.before =
      run_of(options.run, counterparts_in(good_folder, request, places.checkout), good_sha);
  sides.name_before = good_sha.substr(0, kShortSha);
  sides.out_before = out / "good.json";
  sides.after = run_of(options.run, counterparts_in(places.tree, request, places.checkout), sha);
  sides.out = out / "results.json";
  GateVerdict verdict = gate_in_turns(std::move(sides), effort, policy);
  // A benchmark that the good revision has not cannot have become worse.
  verdict.allowed = {Verdict::added};
  verdict.exit_status = exit_status(verdict);
  verdict.version = WARPGAUGE_VERSION;
  results::write_file_atomically(out / "verdict.json", to_json_text(verdict));
  return verdict;
}

fs::path folder_of(const Places& places, const std::string& good_sha) {
  return places.checkout / "build" / "against" / good_sha;
}

std::vector<std::string> regressed(const GateVerdict& verdict) {
  std::vector<std::string> ids;
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
    if (benchmark.verdict == Verdict::regressed) ids.push_back(benchmark.id);
  }
  return ids;
}

// Tells what steps say, as they say it.
class Listener {
 public:
  Listener(fs::path log, std::function<void(const std::string&)> tell)
      : log_(std::move(log)), tell_(std::move(tell)) {}

  void listen() {
    std::ifstream file(log_);
    file.seekg(read_);
    for (std::string line; std::getline(file, line) && !file.eof();) {
      read_ = file.tellg();
      if (line.starts_with(kStepMark)) tell_(line.substr(kStepMark.size()));
    }
  }

 private:
  fs::path log_;
  std::function<void(const std::string&)> tell_;
  std::streamoff read_ = 0;
};

ChildEnd run_steps(const BisectOptions& options, const Places& places, const std::string& filter) {
  const std::string here = fs::current_path().string();
  ChildOptions child;
  child.program = "/bin/sh";
  child.arguments = {"-c",  kScript, "sh", places.tree.string(), "bisect",
                     "run", "sh",    "-c", kStepScript,          here};
  child.arguments.insert(child.arguments.end(), options.step_command.begin(),
                         options.step_command.end());
  child.arguments.push_back(filter);
  child.output = places.log;
  child.errors = "/dev/null";
  child.grace = std::chrono::seconds(20);  // for a step to end its build or its measurement
  Listener listener(places.log, options.run.tell);
  auto next = std::chrono::steady_clock::now();
  child.progressed = [&] {
    if (std::chrono::steady_clock::now() < next) return true;
    next = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    listener.listen();
    return true;
  };
  const ChildEnd end = run_child(child);
  listener.listen();
  return end;
}

// Whether there is one commit left, or several that cannot be judged.
bool came_to_an_end(const ChildEnd& end) {
  constexpr int kOnlySkippedLeft = 2;
  return end.succeeded() || (end.kind == ChildEnd::Kind::exited && end.code == kOnlySkippedLeft);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Throws Error when the bad revision does not descend from the good one and what they have in
// common has regressed as well, or cannot be judged. `end`: of git, which tells the former only by
// it.
void require_good_merge_base(const BisectOptions& options, const Places& places,
                             const std::string& good, const std::string& bad, const ChildEnd& end) {
  constexpr int kMergeBaseIsBad = 3;
  const std::string refused = fmt::format(
      "cannot bisect between {} and {}: the latter does not descend from the former, and their "
      "merge base",
      options.good, options.bad);
  constexpr const char* kRemedy = "give as --good a revision that --bad descends from";
  if (end.kind == ChildEnd::Kind::exited && end.code == kMergeBaseIsBad) {
    throw Error(kExitUsage, fmt::format("{}, {}, has regressed as well, so that {} is the better "
                                        "for a commit of its own; {}",
                                        refused, described(places.tree, "refs/bisect/bad"),
                                        options.good, kRemedy));
  }
  const GitAnswer bases = git_in(places.tree, {"merge-base", "--all", good, bad});
  for (const std::string& base : lines_of(bases.output.value_or(""))) {
    const GitAnswer left_out =
        git_in(places.tree, {"rev-parse", "--verify", "--quiet", "refs/bisect/skip-" + base});
    if (!left_out.output) continue;
    throw Error(kExitNoVerdict, fmt::format("{}, {}, cannot be judged; {}", refused,
                                            described(places.checkout, base), kRemedy));
  }
}

// What the step said that failed, to be put behind "…: "; empty where none has.
std::string complaint_in(const fs::path& log) {
  constexpr std::string_view kMark = "warpgauge: ";
  std::string complaint;
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kMark)) complaint = line.substr(kMark.size());
  }
  return complaint;
}

std::string outcome_of(const GateVerdict& verdict) {
  const auto ids = regressed(verdict);
  if (!ids.empty()) return fmt::format("regressed: {}", fmt::join(ids, ", "));
  return verdict.exit_status == kExitPass ? "good" : "left out, since it has no verdict";
}

}  // namespace

std::string pattern_for(const std::vector<std::string>& ids) {
  std::vector<std::string> escaped;
  escaped.reserve(ids.size());
  for (const std::string& id : ids) {
    std::string& each = escaped.emplace_back();
    for (const char character : id) {
      if (std::string_view(R"(\.[]{}()*+?^$|)").find(character) != std::string_view::npos) {
        each += '\\';
      }
      each += character;
    }
  }
  return fmt::format("^({})$", fmt::join(escaped, "|"));
}

Culprit bisect(const BisectOptions& options, Effort effort, const Policy& policy) {
  const InterruptGuard interrupts;
  const Places places(current_checkout("bisect"));
  const std::string good = sha_of(options.good, "--good");
  const std::string bad = sha_of(options.bad, "--bad");
  if (good == bad) {
    throw Error(kExitUsage,
                fmt::format("--good and --bad are the same commit, {}", good.substr(0, kShortSha)));
  }
  const Revision built(request_of(options));  // nobody else builds here meanwhile
  const Tree tree(places, bad);
  const GateVerdict whole =
      judge(options, places, bad, folder_of(places, good), good, effort, policy);
  const std::vector<std::string> ids = regressed(whole);
  if (ids.empty()) {
    throw Error(
        kExitNoVerdict,
        fmt::format(
            "{} has not regressed against {} (see verdict.json in {}): there is nothing to look "
            "for",
            options.bad, options.good, (options.out / bad.substr(0, kShortSha)).string()));
  }
  options.run.tell(fmt::format("{}: {}", described(places.checkout, bad), outcome_of(whole)));

  const std::string refused =
      fmt::format("cannot bisect between {} and {}", options.good, options.bad);
  (void)tree.ask({"bisect", "start", bad, good}, refused);
  // Else the good revision may be the better for a commit of its own, and git begins with the merge
  // base.
  const bool descends =
      git_in(places.tree, {"merge-base", "--is-ancestor", good, bad}).output.has_value();
  Culprit culprit;
  culprit.shas = lines_of(
      tree.ask({"rev-list", "refs/bisect/bad", "--not", "--glob=refs/bisect/good-*"}, refused));
  if (culprit.shas.size() != 1 || !descends) {
    const ChildEnd end = run_steps(options, places, pattern_for(ids));
    InterruptGuard::check();
    if (!descends) require_good_merge_base(options, places, good, bad, end);
    if (!came_to_an_end(end)) {
      const std::string complaint = complaint_in(places.log);
      throw Error(kExitNotMeasured,
                  fmt::format("{}{}{}; all that git and the steps said is in {}", refused,
                              complaint.empty() ? "" : ": ", complaint, places.log.string()));
    }
    culprit.shas = lines_of(
        tree.ask({"rev-list", "refs/bisect/bad", "--not", "--glob=refs/bisect/good-*"}, refused));
  }
  const std::string newest = tree.ask({"rev-parse", "refs/bisect/bad"}, refused);
  culprit.description = described(places.checkout, newest);
  culprit.verdict = read_verdict(options.out / newest.substr(0, kShortSha) / "verdict.json");
  return culprit;
}

bool is_bisect_step(int argc, const char* const* argv) {
  return argc > 2 && std::string_view(argv[argc - 2]) == kStepOption;
}

int bisect_step(const BisectOptions& options, Effort effort, const Policy& policy) {
  const InterruptGuard interrupts;
  const Places places(current_checkout("bisect"));
  const std::string good = sha_of(options.good, "--good");
  const GitAnswer head = git_in(places.tree, {"rev-parse", "HEAD"});
  if (!head.output) throw Error(kExitUsage, "not in a bisect of warpgauge: " + head.complaint);
  const std::string sha = head.output->substr(0, head.output->find('\n'));
  const std::string what = described(places.checkout, sha);
  int status = kBisectSkip;
  std::string outcome;
  const auto not_measured = [&](const std::exception& error) {
    outcome = fmt::format("left out, since it cannot be measured: {}", error.what());
  };
  try {
    const GateVerdict verdict =
        judge(options, places, sha, folder_of(places, good), good, effort, policy);
    outcome = outcome_of(verdict);
    if (verdict.exit_status == kExitPass) status = kBisectGood;
    if (!regressed(verdict).empty()) status = kBisectBad;
  } catch (const BuildError&) {
    // The next build of the tree writes over what this one said.
    const fs::path log = options.out / sha.substr(0, kShortSha) / "build.log";
    results::write_file_atomically(log, results::read_file(places.tree.string() + ".log"));
    outcome = fmt::format("left out, since it does not build; see {}", log.string());
  } catch (const NothingMatches&) {
    outcome = "left out, since it has none of the benchmarks";
  } catch (const Error& error) {
    if (error.exit_status() == kExitUsage) throw;
    not_measured(error);
  } catch (const machine_code::CubinError& error) {
    not_measured(error);
  } catch (const results::FormatError& error) {
    not_measured(error);
  }
  fmt::print("{}{}: {}\n", kStepMark, what, one_line(outcome));
  return status;
}

}  // namespace warpgauge::ci
