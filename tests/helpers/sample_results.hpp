// SPDX-License-Identifier: Apache-2.0
// What the tests of ci/ share.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "profiling/results/files/files.hpp"
#include "profiling/results/merge.hpp"
#include "profiling/results/results.hpp"
#include "tests/helpers/process.hpp"

namespace warpgauge {

// A folder of its own for each test, with a blank in its name, which scripts forget to quote.
class InFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = std::filesystem::temp_directory_path() / "warpgauge test XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& content) const {
    results::write_file_atomically(folder_ / name, content);
    return folder_ / name;
  }

  // Runs the executable in the folder.
  [[nodiscard]] Finished warpgauge(const std::string& arguments) const {
    return shell("cd '" + folder_.string() + "' && " + quoted(WARPGAUGE) + " " + arguments);
  }

  // Path and content of every file in the folder.
  [[nodiscard]] std::map<std::string, std::string> all_files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      if (entry.is_regular_file()) {
        files[entry.path().string()] = results::read_file(entry.path());
      }
    }
    return files;
  }

  std::filesystem::path folder_;
};

inline results::Device h200() {
  results::Device device;
  device.kind = results::DeviceKind::gpu;
  device.name = "NVIDIA H200";
  device.key = "nvidia-h200";
  device.uuid = "GPU-test";
  device.driver = "580.1";
  return device;
}

inline results::Device emulated() {
  results::Device device;
  device.name = "emulated";
  device.key = "emulated";
  return device;
}

// A benchmark as a test wants it measured.
struct Measured {
  std::string id;
  std::vector<double> times_ns = {};  // a process each
  std::map<std::string, double> counters = {};
  std::vector<results::SourceLine> lines = {};
  results::Outcome outcome = {};
  std::map<std::string, std::string> not_measured = {};
  std::vector<results::KernelCode> machine_code = {};
  std::vector<results::KernelLaunch> launches = {};
};

// Figures of 100 µs, which processes scatter by 0.1 %, or by so many times as much.
inline std::vector<double> steady(double factor, int count = 5, double scatter = 1) {
  std::vector<double> figures;
  for (int i = 0; i < count; ++i) figures.push_back(100'000 * factor + 100 * scatter * (i % 3 - 1));
  return figures;
}

inline std::string results_text(const results::Device& device,
                                const std::vector<Measured>& benchmarks,
                                const std::string& created = "2026-11-21T04:00:00Z") {
  results::Session session;
  session.created = created;
  session.device = device;
  session.toolchain = {"g++ 12", "", "Release", "0.1.0"};
  session.source = {"abc", false};
  session.processes = 1;
  std::vector<results::Observation> observations;
  for (const Measured& benchmark : benchmarks) {
    results::Record record;
    record.id = benchmark.id;
    record.outcome = benchmark.outcome;
    record.machine_code = benchmark.machine_code;
    record.launches = benchmark.launches;
    int process = 0;
    for (const double time : benchmark.times_ns) {
      record.pass = results::Pass::time;
      record.time_ns = time;
      observations.push_back({process++, record, std::nullopt});
      session.processes = process;
    }
    record.pass = results::Pass::counters;
    record.time_ns.reset();
    record.counters = benchmark.counters;
    record.lines = benchmark.lines;
    record.not_measured = benchmark.not_measured;
    if (benchmark.times_ns.empty()) record.not_measured.emplace("time", "no clock");
    observations.push_back({0, record, std::nullopt});
  }
  return to_json_text(results::merge(session, results::Json::object(), observations));
}

inline results::Results results_of(const results::Device& device,
                                   const std::vector<Measured>& benchmarks,
                                   const std::string& created = "2026-11-21T04:00:00Z") {
  return results::parse_results(results_text(device, benchmarks, created), "results.json");
}

inline results::KernelCode kernel_code(const std::string& name, char hash_digit,
                                       int registers = 32) {
  results::KernelCode code;
  code.name = name;
  code.architecture = "sm_90";
  code.compiler = "ptxas 13.0.88";
  code.sass_hash = std::string(32, hash_digit);
  code.instructions = 100;
  code.code_bytes = 2048;
  code.registers = registers;
  code.stack_bytes = code.spill_store_bytes = code.spill_load_bytes = 0;
  return code;
}

inline results::SourceLine source_line(int line, results::Access access, std::uint64_t requests,
                                       std::uint64_t wavefronts, const std::string& text,
                                       const std::string& function = "kernel") {
  results::SourceLine source;
  source.file = "kernels/transpose.cuh";
  source.line = line;
  source.function = function;
  source.text = text;
  source.access = access;
  source.width_bytes = 4;
  source.requests = requests;
  source.wavefronts = wavefronts;
  return source;
}

// A plain Google Benchmark file of one benchmark, its repetitions given as the fields that follow
// "repetition_index".
inline std::string plain_text(const std::vector<std::string>& repetitions,
                              const std::string& name = "BM_copy/1024") {
  std::string text = R"({"context": {"date": "now", "host_name": "h"}, "benchmarks": [)";
  int index = 0;
  for (const std::string& fields : repetitions) {
    text += (index == 0 ? "\n" : ",\n");
    text += R"({"name": ")" + name + R"(", "run_name": ")" + name +
            R"(", "run_type": "iteration", "repetitions": )" + std::to_string(repetitions.size()) +
            R"(, "threads": 1, "iterations": 100, "repetition_index": )" + std::to_string(index++) +
            ", " + fields + "}";
  }
  return text + "\n]}\n";
}

inline std::string nanoseconds(const std::string& real_time) {
  return R"("real_time": )" + real_time + R"(, "cpu_time": 1.0, "time_unit": "ns")";
}

}  // namespace warpgauge
