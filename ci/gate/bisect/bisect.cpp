// SPDX-License-Identifier: Apache-2.0
#include "ci/gate/bisect/bisect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "ci/gate/against.hpp"
#include "ci/gate/bisect/commit_walk.hpp"
#include "ci/measure/revision/revision_build.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/id_filter.hpp"
#include "ci/support/process/interrupt.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/verdict_json.hpp"
#include "profiling/machine_code/cubin.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/json/record_json.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

RevisionRequest request_of(const BisectOptions& options) {
  return {options.good, "--good", options.run, options.build};
}

// Builds what is checked out in the tree and holds it against the good revision, which is built.
GateVerdict judge(const BisectOptions& options, const BisectPlaces& places, const std::string& sha,
                  const fs::path& good_folder, const std::string& good_sha, Effort effort,
                  const Policy& policy) {
  const RevisionRequest request = request_of(options);
  const std::string name = short_sha(sha);
  options.run.log(fmt::format("building {}", name));
  const fs::path out = options.out / name;
  InterleavedSides sides;
  sides.before = run_in(good_folder, request, places.checkout, good_sha);
  sides.name_before = short_sha(good_sha);
  sides.out_before = out / "good.json";
  sides.after = run_in(places.tree, request, places.checkout, sha);
  sides.out = out / "results.json";
  build_in(places.tree, request, places.checkout, name, sides.after);
  // A benchmark that the good revision has not cannot have become worse.
  GateVerdict verdict = gate_interleaved(sides, effort, policy, {Verdict::added});
  verdict.version = WARPGAUGE_VERSION;
  results::write_file_atomically(out / "verdict.json", to_json_text(verdict));
  return verdict;
}

fs::path folder_of(const BisectPlaces& places, const std::string& good_sha) {
  return places.checkout / "build" / "against" / good_sha;
}

std::vector<std::string> regressed(const GateVerdict& verdict) {
  std::vector<std::string> ids;
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
    if (benchmark.verdict == Verdict::regressed) ids.push_back(benchmark.id);
  }
  return ids;
}

std::string outcome_of(const GateVerdict& verdict) {
  const auto ids = regressed(verdict);
  if (!ids.empty()) return fmt::format("regressed: {}", fmt::join(ids, ", "));
  return verdict.exit_status == kExitPass ? "good" : "left out, since it has no verdict";
}

// From the first one on; one is enough to find a culprit.
std::vector<std::string> as_many_as_a_filter_takes(const std::vector<std::string>& ids) {
  std::vector<std::string> taken;
  std::size_t length = 0;
  for (const std::string& id : ids) {
    length += pattern_for({id}).size();
    if (!taken.empty() && length > IdFilter::kLongestPattern) break;
    taken.push_back(id);
  }
  return taken;
}

// One bisection: the good revision is built, and the bad one is held against it.
class Bisection {
 public:
  Bisection(const BisectOptions& options, const BisectPlaces& places, const BisectTree& tree,
            std::string good, Effort effort, const Policy& policy)
      : options_(options),
        places_(places),
        tree_(tree),
        good_(std::move(good)),
        effort_(effort),
        policy_(policy) {}

  // Of the newest commit that is known to be bad.
  [[nodiscard]] const GateVerdict& verdict() const { return verdict_; }

  // The bad revision, which the tree has checked out, in all benchmarks; afterwards those count
  // that have regressed. Throws Error (no verdict) if there is no such benchmark.
  void judge_bad(const std::string& sha) {
    verdict_ = judge(options_, places_, sha, folder_of(places_, good_), good_, effort_, policy_);
    const auto ids = regressed(verdict_);
    if (ids.empty()) {
      throw Error(
          kExitNoVerdict,
          fmt::format(
              "{} has not regressed against {} (see verdict.json in {}): there is nothing to look "
              "for",
              options_.bad, options_.good, (options_.out / short_sha(sha)).string()));
    }
    options_.run.log(
        fmt::format("{}: {}", described_commit(places_.checkout, sha), outcome_of(verdict_)));
    const auto followed = as_many_as_a_filter_takes(ids);
    if (followed.size() < ids.size()) {
      options_.run.log(fmt::format("the first {} of {} are followed, as many as a filter takes",
                                   followed.size(), counted(ids.size(), "benchmark")));
    }
    options_.run.filter = pattern_for(followed);
  }

  // A commit between the two, and a line on it. Throws what says nothing of the commit.
  Standing judge_step(const std::string& sha) {
    tree_.check_out(sha);
    Standing standing = Standing::unknown;
    const std::string outcome = try_to_judge(sha, standing);
    options_.run.log(
        fmt::format("{}: {}", described_commit(places_.checkout, sha), one_line(outcome)));
    return standing;
  }

 private:
  // Of what says nothing of the commit.
  [[nodiscard]] Error failed(const std::exception& error) const {
    return {kExitNotMeasured, fmt::format("cannot bisect between {} and {}: {}", options_.good,
                                          options_.bad, error.what())};
  }

  // What came of it.
  std::string try_to_judge(const std::string& sha, Standing& standing) {
    const auto not_measured = [](const std::exception& error) {
      return fmt::format("left out, since it cannot be measured: {}", error.what());
    };
    BisectOptions quiet = options_;
    quiet.run.log = [](const std::string&) {};
    quiet.run.progress = [](const Progress&) {};
    try {
      GateVerdict verdict =
          judge(quiet, places_, sha, folder_of(places_, good_), good_, effort_, policy_);
      std::string outcome = outcome_of(verdict);
      if (verdict.exit_status == kExitPass) standing = Standing::good;
      if (!regressed(verdict).empty()) {
        standing = Standing::bad;
        verdict_ = std::move(verdict);
      }
      return outcome;
    } catch (const BuildError&) {
      // The next build of the tree writes over what this one said.
      const fs::path log = options_.out / short_sha(sha) / "build.log";
      results::write_file_atomically(log, results::read_file(places_.tree.string() + ".log"));
      return fmt::format("left out, since it does not build; see {}", log.string());
    } catch (const NothingMatches&) {
      return "left out, since it has none of the benchmarks";
    } catch (const Error& error) {
      if (error.exit_status() == kExitUsage) throw failed(error);
      return not_measured(error);
    } catch (const results::FileError& error) {
      throw failed(error);
    } catch (const machine_code::CubinError& error) {
      return not_measured(error);
    } catch (const results::FormatError& error) {
      return not_measured(error);
    }
  }

  BisectOptions options_;
  const BisectPlaces& places_;
  const BisectTree& tree_;
  std::string good_;
  Effort effort_;
  const Policy& policy_;
  GateVerdict verdict_;
};

// The good revision is no ancestor of the bad one, and may be the better for a commit of its own,
// unless what they have in common is good as well. Throws Error if it is not: usage if it has
// regressed, no verdict if it cannot be judged.
std::vector<std::string> good_merge_bases(const BisectOptions& options, const BisectPlaces& places,
                                          const std::string& good, const std::string& bad,
                                          Bisection& bisection) {
  const std::string refused = fmt::format(
      "cannot bisect between {} and {}: the latter does not descend from the former, and their "
      "merge base",
      options.good, options.bad);
  constexpr const char* kRemedy = "give as --good a revision that --bad descends from";
  std::vector<std::string> bases = merge_bases(places.checkout, good, bad);
  for (const std::string& base : bases) {
    const Standing standing = bisection.judge_step(base);
    if (standing == Standing::good) continue;
    const std::string name = described_commit(places.checkout, base);
    if (standing == Standing::unknown) {
      throw Error(kExitNoVerdict,
                  fmt::format("{}, {}, cannot be judged; {}", refused, name, kRemedy));
    }
    throw Error(kExitUsage, fmt::format("{}, {}, has regressed as well, so that {} is better "
                                        "because of a commit of its own; {}",
                                        refused, name, options.good, kRemedy));
  }
  return bases;
}

}  // namespace

Culprit bisect(const BisectOptions& options, Effort effort, const Policy& policy) {
  const InterruptGuard interrupts;
  const BisectPlaces places(current_checkout("bisect"));
  const std::string good = sha_of(options.good, "--good");
  const std::string bad = sha_of(options.bad, "--bad");
  if (good == bad) {
    throw Error(kExitUsage,
                fmt::format("--good and --bad are the same commit, {}", short_sha(good)));
  }
  if (is_ancestor(places.checkout, bad, good)) {
    throw Error(
        kExitUsage,
        fmt::format(
            "cannot bisect between {0} and {1}: {1} is an ancestor of {0}; swap --good and --bad",
            options.good, options.bad));
  }
  const Revision built(request_of(options));  // nobody else builds here meanwhile
  const BisectTree tree(places, bad);
  Bisection bisection(options, places, tree, good, effort, policy);
  bisection.judge_bad(bad);

  std::vector<std::string> known_good;
  if (!is_ancestor(places.checkout, good, bad)) {
    known_good = good_merge_bases(options, places, good, bad, bisection);
  }
  known_good.push_back(good);
  Culprit culprit;
  culprit.shas = narrow_down(tree, known_good, bad,
                             [&](const std::string& sha) { return bisection.judge_step(sha); });
  culprit.description = described_commit(places.checkout, culprit.shas.front());
  culprit.verdict = bisection.verdict();
  return culprit;
}

}  // namespace warpgauge::ci
