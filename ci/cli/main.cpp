// SPDX-License-Identifier: Apache-2.0
// `warpgauge`: declares and parses the command line, runs the subcommand, and turns errors into
// exit statuses.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "ci/cli/common_options.hpp"
#include "ci/cli/context.hpp"
#include "ci/cli/standard_streams.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/cli/usage_error.hpp"
#include "ci/cli/version.hpp"
#include "ci/history/connection/address.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/process/interrupt.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"

namespace {

namespace ci = warpgauge::ci;

int run_command_line(int argc, char** argv) {
  CLI::App program{"A performance gate for CUDA kernels, and for benchmarks on a CPU"};
  program.name("warpgauge");
  program.require_subcommand(1);
  program.footer(ci::kVerdictStatuses);
  program.set_version_flag("--version", ci::version_text);

  ci::Context context(argv[0]);
  for (const auto add :
       {ci::add_run, ci::add_gate, ci::add_compare, ci::add_approve, ci::add_report,
        ci::add_baseline, ci::add_history, ci::add_doctor, ci::add_init}) {
    add(program, context);
  }
  for (CLI::App* command : program.get_subcommands({})) command->group("Everyday commands");
  for (const auto add :
       {ci::add_merge, ci::add_static, ci::add_affected, ci::add_policy_commands, ci::add_import,
        ci::add_table, ci::add_lines, ci::add_calibrate, ci::add_bisect, ci::add_profile,
        ci::add_metrics, ci::add_completion, ci::add_manual}) {
    add(program, context);
  }
  for (CLI::App* command : program.get_subcommands({})) {
    if (command->get_group() == "Subcommands") command->group("More commands");
  }
  add_common_options(program, context);

  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
    throw ci::Error(ci::kExitUsage, ci::usage_error(program, error));
  }
  if (const std::string missing = ci::missing_value(program); !missing.empty()) {
    throw ci::Error(ci::kExitUsage, missing);
  }
  return context.run();
}

constexpr const char* kNotPrinted =
    "cannot write all of the output: standard output is closed, or its disk is full";

constexpr const char* kNowhere = "the current folder is not there any more; change to another";

bool is_nowhere() {
  std::error_code gone;
  (void)std::filesystem::current_path(gone);
  return static_cast<bool>(gone);
}

// A constant: there may be no memory to build a text.
constexpr const char* kNoMemory =
    "warpgauge: there is not enough memory; take less at a time, as with --filter\n";

// A quoted argument may be as long as the system allows.
constexpr std::size_t kLongestComplaint = 4000;

int complain(std::string_view what, int exit_status) {
  const std::string text = fmt::format(
      "warpgauge: {}\n",
      ci::log_text(ci::shortened(ci::without_addresses(ci::one_line(what)), kLongestComplaint)));
  (void)std::fputs(text.c_str(), stderr);
  return exit_status;
}

int without_memory() {
  (void)std::fputs(kNoMemory, stderr);
  return ci::kExitNotMeasured;
}

std::atomic<bool> lacked_memory = false;  // once

void note_lack_of_memory() {
  lacked_memory = true;
  throw std::bad_alloc();
}

// Libraries allocate where nothing can be thrown: nlohmann's destructors, the standard library's
// directory iteration. The next run removes what is left behind.
[[noreturn]] void end_at_once() {
  if (lacked_memory) std::_Exit(without_memory());
  std::abort();
}

// The C library calls some of them back, and what is thrown through it does not arrive: as in
// pthread_once(), under RE2.
void end_by_signal(int signal) {
  if (lacked_memory) {
    (void)!::write(STDERR_FILENO, kNoMemory, std::char_traits<char>::length(kNoMemory));
    ::_exit(ci::kExitNotMeasured);
  }
  (void)std::signal(signal, SIG_DFL);
  (void)std::raise(signal);
}

void end_cleanly_without_memory() {
  std::set_new_handler(note_lack_of_memory);
  std::set_terminate(end_at_once);
#ifndef __SANITIZE_ADDRESS__  // which tells these itself
  for (const int signal : {SIGABRT, SIGBUS, SIGILL, SIGSEGV}) {
    (void)std::signal(signal, end_by_signal);
  }
#else
  (void)end_by_signal;
#endif
}

}  // namespace

int main(int argc, char** argv) {
  end_cleanly_without_memory();
  ci::occupy_standard_streams();
  try {
    const int exit_status = run_command_line(argc, argv);
    return ci::all_is_printed() ? exit_status : complain(kNotPrinted, ci::kExitNotMeasured);
  } catch (const ci::Interrupted& interrupted) {
    return 128 + interrupted.signal;
  } catch (const ci::Error& error) {
    return complain(error.what(), error.exit_status());
  } catch (const std::bad_alloc&) {
    return without_memory();
  } catch (const std::filesystem::filesystem_error& error) {
    return complain(is_nowhere() ? kNowhere : error.what(), ci::kExitNotMeasured);
  } catch (const std::exception& error) {
    return complain(ci::all_is_printed() ? error.what() : kNotPrinted, ci::kExitNotMeasured);
  }
}
