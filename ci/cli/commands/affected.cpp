// SPDX-License-Identifier: Apache-2.0
// `warpgauge affected`.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "ci/cli/common_options.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/measure/measurement.hpp"
#include "ci/policy/policy.hpp"
#include "ci/report/affected_report.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/json_text.hpp"
#include "ci/verdict/identity/affected.hpp"
#include "profiling/machine_code/image_kernels.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAffectedExamples =
    "Examples:\n"
    "  warpgauge affected --before base/suite_machine_code --after suite_machine_code\n"
    "  warpgauge affected --before base/suite_machine_code --after suite_machine_code \\\n"
    "    --suite-before base/suite_emulated --suite suite_emulated --as-filter\n"
    "  warpgauge affected --before base/suite_gpu --after suite_gpu --suite results/results.json\n"
    "  warpgauge affected --before base/program --after program --as-filter";

constexpr const char* kAffectedStatuses =
    "Exit status:\n"
    "   0  done, whatever may be affected\n"
    "   4  not read, or not run: a file is missing, damaged or without machine code\n"
    "  64  wrong usage";

struct AffectedCommand {
  std::vector<fs::path> before;
  std::vector<fs::path> after;
  fs::path suite_before;
  fs::path suite;
  std::optional<fs::path> policy;
  RunOptions run;
  bool as_filter = false;
  bool json = false;
};

// Or is a pipe, which would be waited for: whoever reads results refuses it.
bool holds_json(const fs::path& path) {
  const auto type = fs::status(path).type();
  if (type == fs::file_type::fifo || type == fs::file_type::character) return true;
  std::ifstream file(path, std::ios::binary);
  char first = 0;
  return file >> first && first == '{';
}

results::Results launches_of(const fs::path& path, const AffectedCommand& options) {
  if (holds_json(path)) return results::read_results(path);
  RunOptions run_options = options.run;
  run_options.suite = path;
  run_options.launches_alone = true;
  Measurement measurement(run_options);
  if (measurement.has_clock()) {
    throw Error(kExitUsage, path.string() +
                                " is a suite for a GPU: give the emulator's, or a results file of "
                                "this one");
  }
  measurement.observe_all();
  return results::results_from(measurement.result(), path.string());
}

// Then what one does, so does the other.
bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::file_size(a, error) != fs::file_size(b, error) || error) return false;
  std::ifstream first(a, std::ios::binary);
  std::ifstream second(b, std::ios::binary);
  using Bytes = std::istreambuf_iterator<char>;
  return first && second && std::equal(Bytes(first), Bytes(), Bytes(second), Bytes());
}

// The images that were given, each with all files below it if it is a folder, also by links.
std::map<std::string, fs::path> files_of(const std::vector<fs::path>& images) {
  std::map<std::string, fs::path> files;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const fs::path& image = images[i];
    if (!fs::exists(image)) {
      throw Error(kExitNotMeasured,
                  fmt::format("cannot read {}: there is no such file", image.string()));
    }
    if (!fs::is_directory(image)) {
      files.emplace(std::to_string(i), image);
      continue;
    }
    constexpr auto kLinksToo = fs::directory_options::follow_directory_symlink;
    for (const auto& each : fs::recursive_directory_iterator(image, kLinksToo)) {
      const fs::path name = std::to_string(i) / each.path().lexically_relative(image);
      if (!each.is_directory()) files.emplace(name.string(), each.path());
    }
  }
  return files;
}

// Byte for byte.
bool same_images(const std::vector<fs::path>& before, const std::vector<fs::path>& after) {
  const auto files_before = files_of(before);
  const auto files_after = files_of(after);
  return !files_before.empty() &&
         std::equal(files_before.begin(), files_before.end(), files_after.begin(),
                    files_after.end(), [](const auto& a, const auto& b) {
                      return a.first == b.first && same_file(a.second, b.second);
                    });
}

Affected affected_by(const AffectedCommand& options) {
  const auto before = machine_code::read_image_kernels(options.before);
  const auto after = machine_code::read_image_kernels(options.after);
  if (options.suite.empty()) return affected_kernels(before, after);
  const Policy policy = load_policy(options.policy);
  const results::Results suite = launches_of(options.suite, options);
  if (options.suite_before.empty()) return affected_benchmarks(before, after, suite, policy);
  const results::Results suite_before = same_file(options.suite_before, options.suite)
                                            ? suite
                                            : launches_of(options.suite_before, options);
  return affected_benchmarks(before, after, suite_before, suite, policy);
}

int show(const AffectedCommand& options) {
  if (options.as_filter && options.suite.empty()) {
    // How host code launches the kernels nothing says: it may do it differently wherever it
    // differs.
    return print(same_images(options.before, options.after) ? ""
                                                            : std::string(kAllBenchmarks) + "\n");
  }
  const Affected affected = affected_by(options);
  if (options.json) return print(json_text(affected_json(affected)));
  if (!options.as_filter) return print(affected_text(affected));
  const std::string filter = filter_for(affected);
  return print(filter.empty() ? "" : filter + "\n");
}

void add_builds(CLI::App& command, AffectedCommand& options) {
  command
      .add_option("--before", options.before,
                  "File with GPU code from the build before, as for warpgauge static; may be given "
                  "more than once")
      ->type_name("IMAGE")
      ->required()
      ->allow_extra_args(false);
  command
      .add_option("--after", options.after,
                  "The same from the build after; may be given more than once")
      ->type_name("IMAGE")
      ->required()
      ->allow_extra_args(false);
  auto* const suite =
      command.add_option("--suite", options.suite,
                         "The emulator's suite from the build after, or a results file of its "
                         "suite: says which benchmark launches which kernels, and how");
  command
      .add_option("--suite-before", options.suite_before,
                  "The same from the build before; without it, launches are not compared")
      ->needs(suite);
  command.add_flag("--as-filter", options.as_filter,
                   "Prints only a pattern for --filter of run and gate: nothing if nothing is "
                   "affected, and '.', which matches all, if that cannot be known; without --suite "
                   "nothing only if all images are the same, byte for byte");
}

}  // namespace

void add_affected(CLI::App& program, Context& context) {
  CLI::App& command = *program.add_subcommand(
      "affected", "Lists the kernels and benchmarks that a change can have affected; needs no GPU");
  const auto options = std::make_shared<AffectedCommand>();
  add_builds(command, *options);
  add_policy(command, options->policy);
  add_timeout(command, options->run);
  add_json(command, options->json)->excludes("--as-filter");
  command.footer(with_statuses(kAffectedExamples, kAffectedStatuses));
  context.on_call(command, [options, &context] {
    context.follow(options->run);
    return show(*options);
  });
}

}  // namespace warpgauge::ci
