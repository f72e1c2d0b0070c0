// SPDX-License-Identifier: Apache-2.0
// `warpgauge static`.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "ci/cli/common_options.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/measure/disassembly.hpp"
#include "ci/measure/static_results.hpp"
#include "ci/report/machine_code/side_by_side.hpp"
#include "ci/report/machine_code/static_code.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/id_filter.hpp"
#include "ci/support/json_text.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/machine_code/kernel_places.hpp"
#include "ci/verdict/machine_code/worse_code.hpp"
#include "profiling/machine_code/image_changes.hpp"
#include "profiling/machine_code/image_kernels.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStaticExamples =
    "Examples:\n"
    "  warpgauge static build/app --block 256\n"
    "  warpgauge static build/app --against ../before/build/app\n"
    "  warpgauge static build/app --against ../before/build/app --side-by-side transpose\n"
    "  warpgauge static suite_gpu --suite suite_emulated --out results.json\n"
    "  warpgauge compare baselines results.json";

constexpr const char* kStaticStatuses =
    "Exit status:\n"
    "   0  done; with --against, nothing got worse\n"
    "   1  with --against, something got worse\n"
    "   4  not read: a file is missing, damaged or without machine code; or, with --against, no\n"
    "      kernel has the same name in both builds\n"
    "  64  wrong usage";

struct StaticCommand {
  StaticOptions read;
  std::optional<fs::path> out;
  std::vector<fs::path> against;
  std::optional<fs::path> launches;
  std::optional<std::uint64_t> block;
  std::string side_by_side;
  bool json = false;
  bool quiet = false;
};

// By kernel.
std::map<std::string, std::vector<results::KernelLaunch>> launches_of(
    const StaticCommand& options) {
  std::map<std::string, std::vector<results::KernelLaunch>> launches;
  if (!options.launches) return launches;
  const results::Results results = results::read_results(*options.launches);
  for (const auto& benchmark : results.benchmarks) {
    for (const results::KernelLaunch& each : benchmark.launches) {
      launches[each.kernel].push_back(each);
    }
  }
  return launches;
}

constexpr std::size_t kMostSideBySide = 16;

IdFilter named_by(const std::string& side_by_side) {
  return IdFilter(side_by_side, std::chrono::seconds(20), "--side-by-side");
}

// Of kernels whose code is one on each side, and not the same.
std::vector<const machine_code::KernelChange*> to_be_shown(
    const machine_code::ImageChanges& changes, const std::string& filter) {
  const IdFilter wanted = named_by(filter);
  std::vector<const machine_code::KernelChange*> some;
  bool any = false;
  for (const machine_code::KernelChange& each : changes.kernels) {
    if (!wanted.matches(each.key.first)) continue;
    any = true;
    const bool is_one = each.before.size() == 1 && each.after.size() == 1;
    if (is_one && each.change != machine_code::CodeChange::same) some.push_back(&each);
  }
  if (!any) throw Error(kExitUsage, "--side-by-side '" + filter + "' matches no kernel");
  return some;
}

std::string sass_of(const StaticCommand& options, const machine_code::ImageChanges& changes) {
  std::vector<const machine_code::KernelChange*> some = to_be_shown(changes, options.side_by_side);
  const std::size_t left_out = some.size() - std::min(some.size(), kMostSideBySide);
  some.resize(some.size() - left_out);
  std::vector<TwoVersions> versions;
  versions.reserve(some.size());
  for (const auto* each : some) {
    machine_code::KernelKey before = each->key;
    if (!each->name_before.empty()) before.first = each->name_before;
    versions.push_back({{before, each->before.front().code.sass_hash},
                        {each->key, each->after.front().code.sass_hash}});
  }
  const SideBySides both = disassemble_both(options.against, options.read.images, versions);
  std::string text = "\nSide by side, before and after:\n";
  for (std::size_t i = 0; i < some.size(); ++i) {
    if (!both.kernels[i]) continue;
    text += "  " + one_line(some[i]->key.second + " " + some[i]->key.first) + "\n" +
            side_by_side_text(*both.kernels[i]);
  }
  if (!both.missing.empty()) text += "  Not shown: " + both.missing + "\n";
  if (some.empty()) text += "  (no changed kernel that is one on each side)\n";
  if (left_out > 0) text += "  " + counted(left_out, "kernel") + " more: name fewer\n";
  return text;
}

// For other architectures on both sides, as where each was taken for another one.
bool has_common_names(const machine_code::ImageChanges& changes) {
  std::set<std::string> added;
  for (const machine_code::KernelChange& each : changes.kernels) {
    if (each.change == machine_code::CodeChange::added) added.insert(each.key.first);
  }
  return std::any_of(changes.kernels.begin(), changes.kernels.end(), [&](const auto& each) {
    return each.change == machine_code::CodeChange::architecture_removed &&
           added.contains(each.key.first);
  });
}

// PTX of the same kernel on both sides.
bool has_common_entries(const machine_code::ImageChanges& changes) {
  return changes.same_entries > 0 ||
         std::any_of(changes.entries.begin(), changes.entries.end(), [](const auto& each) {
           return each.change == machine_code::CodeChange::changed;
         });
}

// What was not read may have got worse, or be gone.
void refuse_unread(const std::vector<std::string>& broken) {
  if (broken.empty()) return;
  throw Error(kExitNotMeasured, counted(broken.size(), "file") +
                                    " could not be read, named as 'not "
                                    "read': make it again, then read it again");
}

// Where one of these accesses is; without any: where the kernel begins.
std::string line_of(const std::vector<results::CodePlace>& places,
                    const std::vector<std::string>& kinds) {
  std::vector<results::CodePlace> wanted = places;
  std::erase_if(wanted, [&](const results::CodePlace& each) {
    return !kinds.empty() && std::find(kinds.begin(), kinds.end(), each.kind) == kinds.end();
  });
  const results::CodePlace* const first = first_place(wanted.empty() ? places : wanted);
  return first == nullptr ? "" : fmt::format("{}:{}", first->file, first->line);
}

void add_lines(const StaticCommand& options, const machine_code::ImageKernels& after,
               std::vector<StaticFinding>& worse) {
  if (!after.broken.empty()) return;
  std::vector<results::KernelCode> codes;
  std::vector<StaticFinding*> of_code;
  for (StaticFinding& each : worse) {
    // Of what is gone for one architecture, what is there for another one.
    auto kernel = after.kernels.find(each.key);
    if (kernel == after.kernels.end()) kernel = after.kernels.lower_bound({each.key.first, ""});
    if (kernel == after.kernels.end() || kernel->first.first != each.key.first) continue;
    const auto shown_by =
        std::find_if(kernel->second.begin(), kernel->second.end(),
                     [&](const auto& other) { return other.code.sass_hash == each.sass_hash; });
    codes.push_back((shown_by == kernel->second.end() ? kernel->second.front() : *shown_by).code);
    of_code.push_back(&each);
  }
  if (codes.empty()) return;
  add_places(options.read, {&codes});
  for (std::size_t i = 0; i < codes.size(); ++i) {
    of_code[i]->line = line_of(codes[i].places, of_code[i]->access_kinds);
  }
}

// It may be of another program.
void note_idle_launches(const StaticCommand& options, const machine_code::ImageKernels& kernels,
                        const StaticBlocks& blocks) {
  if (!options.launches) return;
  const bool any =
      std::any_of(kernels.kernels.begin(), kernels.kernels.end(),
                  [&](const auto& each) { return blocks.launches.contains(each.first.first); });
  if (any) return;
  fmt::print(stderr, "note: --launches {} launches none of these kernels\n",
             log_text(options.launches->string()));
}

int show(const StaticCommand& options) {
  (void)named_by(options.side_by_side);  // before anything is printed
  const StaticBlocks blocks{options.block, launches_of(options)};
  const machine_code::ImageKernels after = machine_code::read_image_kernels(options.read.images);
  note_idle_launches(options, after, blocks);
  if (options.against.empty()) {
    (void)print(options.json ? json_text(static_json(after, blocks)) : static_table(after, blocks));
    refuse_unread(after.broken);
    return 0;
  }
  const auto changes = static_changes_of(machine_code::read_image_kernels(options.against), after);
  std::vector<StaticFinding> worse = worse_code(changes, blocks);
  add_lines(options, after, worse);
  (void)print(options.json    ? json_text(static_changes_json(changes, blocks, worse))
              : options.quiet ? static_outcome(changes, worse)
                              : static_changes(changes, blocks, worse));
  if (!options.side_by_side.empty()) (void)print(sass_of(options, changes));
  if (!machine_code::has_common_kernels(changes) && !has_common_names(changes) &&
      !has_common_entries(changes)) {
    throw Error(kExitNotMeasured,
                "no kernel has the same name in both builds: are they of the same program?");
  }
  if (!worse.empty()) return kExitRegressed;
  refuse_unread(changes.broken);
  return 0;
}

// Results would take its place.
void refuse_own_image(const StaticCommand& options) {
  for (const fs::path& image : options.read.images) {
    std::error_code absent;
    if (fs::equivalent(image, *options.out, absent)) {
      throw Error(kExitUsage, fmt::format("--out {}: is the image that is read; name another file",
                                          options.out->string()));
    }
  }
}

int read_machine_code(StaticCommand& options) {
  if (!options.out) {
    if (!options.read.run.suite.empty()) {
      throw Error(kExitUsage, "--suite gives results, so it needs --out");
    }
    return show(options);
  }
  if (options.launches && !options.read.run.suite.empty()) {
    throw Error(kExitUsage, "--launches: the launches are those of --suite; leave one of them out");
  }
  refuse_own_image(options);
  results::require_writable(*options.out);
  options.read.launches = launches_of(options);
  return deliver_run(static_results(options.read), *options.out);
}

}  // namespace

void add_static(CLI::App& program, Context& context) {
  CLI::App& command = *program.add_subcommand(
      "static", "Reads from machine code which resources kernels need; needs no GPU");
  const auto options = std::make_shared<StaticCommand>();
  command
      .add_option("IMAGE", options->read.images,
                  "File with GPU code: cubin, fatbin, object file, library or program; or a folder "
                  "of them, such as Triton's cache")
      ->required();
  auto* const against =
      command
          .add_option(
              "--against", options->against,
              "The same from an earlier build. Shows what changed since, and what got worse")
          ->allow_extra_args(false);
  auto* const block = command
                          .add_option("--block", options->block,
                                      "Threads per block to compute occupancy for (default: from "
                                      "--launches or the kernel's launch bounds)")
                          ->check(whole_number_between(1, 1024));
  command.add_option("--launches", options->launches,
                     "Results file whose launches give the block sizes");
  auto* const json = add_json(command, options->json);
  command
      .add_option(
          "--side-by-side", options->side_by_side,
          "With --against: also shows the instructions before and after of changed kernels whose "
          "name this regular expression matches. Needs nvdisasm from the CUDA toolkit")
      ->type_name("REGEX")
      ->needs(against)
      ->excludes(json);
  auto* const out = command.add_option(
      "--out", options->out, "Results file to write instead of a table, for approve and compare");
  out->excludes(against)->excludes(json)->excludes(block);
  command.add_option("--suite", options->read.run.suite,
                     "With --out: the emulator's suite, which says which kernels each benchmark "
                     "launches (default: each kernel is a benchmark)");
  command
      .add_option("--architecture", options->read.architecture,
                  "With --out: keeps the machine code of one architecture only, such as sm_80 "
                  "(default: of every architecture, with the figures of the newest)")
      ->needs(out);
  add_filter(command, options->read.run.filter)->needs(out);
  add_source_root(command, options->read.run.source_root);
  add_timeout(command, options->read.run);
  command.footer(with_statuses(kStaticExamples, kStaticStatuses));
  context.on_call(command, [options, &context] {
    options->quiet = context.quiet;
    context.follow(options->read.run);
    return read_machine_code(*options);
  });
}

}  // namespace warpgauge::ci
