// SPDX-License-Identifier: Apache-2.0
// Observes benchmarks in processes of a suite, and collects what these leave behind. A benchmark
// that ends its process takes nothing along: a fresh process goes on with the rest.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ci/measure/suite/suite_process.hpp"
#include "ci/support/files/source_tree.hpp"
#include "profiling/machine_code/suite_code.hpp"
#include "profiling/results/merge.hpp"

namespace warpgauge::ci {

struct RunOptions;

class SuiteObserver {
 public:
  // The suite and the options must outlive this. only_counts: the device has a clock, but no pass
  // of this run uses it. Throws CubinError.
  SuiteObserver(const Suite& suite, const RunOptions& options, const results::Device& device,
                std::vector<std::string> ids, bool only_counts);

  // Observes the wanted benchmarks in one process, or in as many as it takes when some end theirs.
  // `finished` gets how many of the wanted ones this process is done with.
  void observe(results::Pass pass, int process, const std::set<std::string>& wanted,
               const std::function<void(std::size_t)>& finished);

  // As one run of this session, in the suite's order.
  [[nodiscard]] results::RunRecord merged(const results::Session& session) const;

  [[nodiscard]] std::size_t failed() const { return failed_.size(); }

 private:
  void take(results::Pass pass, int process, ProcessReport& report, std::vector<std::string>& left);
  void add(int process, results::Record record, std::optional<results::Json> entry,
           std::vector<std::string>& left);
  void leave_out_lines(int process, const std::string& why, std::vector<std::string>& left);
  void forgive(results::Record& record) const;
  void look_up_lines(results::Record& record);
  [[nodiscard]] std::string kernels_without_lines(const results::Record& record);
  [[nodiscard]] std::vector<std::string> kernels_of(const results::Record& record) const;

  const Suite& suite_;
  const RunOptions& options_;
  std::vector<std::string> ids_;
  bool only_counts_;
  SourceTree sources_;
  std::optional<std::set<std::string>> with_lines_;  // kernels; absent: not looked up yet
  std::optional<MachineCode> machine_code_;
  std::string no_machine_code_;  // why there is none where there should be
  std::map<std::string, std::vector<results::Observation>> observations_;
  std::set<std::string> failed_;  // not started again: a hang would cost its timeout each time
  results::Json context_;         // Google Benchmark's, of the first process that wrote one
};

}  // namespace warpgauge::ci
