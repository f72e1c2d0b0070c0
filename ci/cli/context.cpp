// SPDX-License-Identifier: Apache-2.0
#include "ci/cli/context.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

#include "ci/support/process/process.hpp"

namespace warpgauge::ci {

Context::Context(std::string program)
    : program_(std::move(program)),
      display_(
          [](std::string_view text) {
            // Whether anyone listens is no matter for what is measured.
            (void)std::fwrite(text.data(), 1, text.size(), stderr);
            (void)std::fflush(stderr);
          },
          columns_of_standard_error()) {}

void Context::on_call(CLI::App& command, std::function<int()> work) {
  command.callback([this, work = std::move(work)] { work_ = work; });
}

void Context::follow(RunOptions& run) {
  if (quiet) return;
  run.log = [this](const std::string& line) { display_.log(line); };
  run.progress = [this](const Progress& progress) { display_.show(progress); };
}

int Context::run() {
  std::optional<ChildLog> children;
  if (verbose) children.emplace([this](const std::string& line) { display_.log(line); });
  return work_();
}

}  // namespace warpgauge::ci
