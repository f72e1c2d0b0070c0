// SPDX-License-Identifier: Apache-2.0
// `warpgauge agree`.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "ci/cli/common_options.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/report/emulator_accuracy.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/json_text.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAgreeExample =
    "Example:\n"
    "  warpgauge run --suite suite_emulated --machine-code suite_gpu --out emulated.json\n"
    "  warpgauge run --suite suite_gpu --sizes emulated --out h200.json\n"
    "  warpgauge agree emulated.json h200.json --into docs/explain/emulator.md";

struct AgreeCommand {
  fs::path emulated;
  fs::path hardware;
  std::optional<fs::path> into;
  bool json = false;
};

int agree(const AgreeCommand& options) {
  const results::Results emulated = results::read_results(options.emulated);
  const results::Results hardware = results::read_results(options.hardware);
  if (options.json) return print(json_text(agreement_json(emulated, hardware)));
  AgreementOptions agreement;
  if (options.into) {
    agreement.command =
        fmt::format("warpgauge agree {} {} --into {}", shell_word(options.emulated.string()),
                    shell_word(options.hardware.string()), shell_word(options.into->string()));
  }
  show_tables(agreement_tables(emulated, hardware, agreement), options.into);
  return kExitPass;
}

}  // namespace

void add_agree(CLI::App& program, Context& context) {
  CLI::App& command = *program.add_subcommand(
      "agree", "Prints what the emulator and a GPU counted, side by side, as Markdown tables");
  const auto options = std::make_shared<AgreeCommand>();
  command.add_option("EMULATED", options->emulated, "Results file of the emulator")->required();
  command
      .add_option("HARDWARE", options->hardware,
                  "Results file of a GPU at the same sizes (run --sizes emulated)")
      ->required();
  add_into(command, options->into);
  add_json(command, options->json)->excludes("--into");
  command.footer(kAgreeExample);
  context.on_call(command, [options] { return agree(*options); });
}

}  // namespace warpgauge::ci
