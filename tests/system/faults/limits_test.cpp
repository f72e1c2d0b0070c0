// SPDX-License-Identifier: Apache-2.0
// Two of the largest files that are read, compared within 2 GB of memory and a minute of a
// processor, as limits.hpp promises, or refused with the limit that they exceed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

using results::Json;

class LargestFiles : public InFolder {
 protected:
  // A run of one benchmark, as JSON that may be changed.
  static Json run(bool counts) {
    return Json::parse(
        counts ? results_text(emulated(), {{.id = "family/x/1", .counters = {{"barriers", 4}}}})
               : results_text(h200(), {{.id = "family/x/1", .times_ns = {1000}}}));
  }

  // Writes the run with as many of its entry as `count` says, each with its texts filled in.
  void write_entries(const std::string& name, Json run, int count,
                     const std::function<std::string(int, std::string)>& fill) const {
    const std::string entry = run["benchmarks"][0].dump();
    run["benchmarks"] = "@BENCHMARKS";
    std::string all = "[";
    for (int i = 0; i < count; ++i) {
      all += (i == 0 ? "" : ",") + fill(i, entry);
    }
    write(name, replaced(run.dump(), "\"@BENCHMARKS\"", all + "]"));
    EXPECT_LE(std::filesystem::file_size(folder_ / name), results::kResultsLimit.bytes);
    EXPECT_GE(std::filesystem::file_size(folder_ / name), results::kResultsLimit.bytes / 2);
  }

  static std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
    return text;
  }

  // Compared with itself but for its name, under the limits.
  void expect_within(const std::string& name, const std::string& options = "") const {
    std::filesystem::copy_file(folder_ / name, folder_ / "other.json");
    const Finished finished = shell(fmt::format(
        "cd {} && ulimit -v 2097152 && ulimit -t 60 && exec {} compare other.json {} {} "
        ">said 2>&1",
        quoted(folder_.string()), quoted(WARPGAUGE), name, options));
    const std::string said = results::read_file(folder_ / "said");
    EXPECT_LT(finished.status, 128) << "ended by a signal: " << said.substr(0, 1'000);
    EXPECT_EQ(said.find("memory"), said.npos) << said.substr(0, 1'000);
    if (finished.status == 4) {
      EXPECT_NE(said.find("the most that"), said.npos) << said.substr(0, 1'000);
    }
    fmt::print("{}: status {}\n", name, finished.status);
  }
};

TEST_F(LargestFiles, OfSamples) {
  Json made = run(false);
  made["benchmarks"][0]["warpgauge"]["samples_ns"] = "@SAMPLES";
  constexpr int kEntries = 1'000;
  std::string samples = "[";
  for (std::size_t i = 0; i < results::kMostNumbers / kEntries - 100; ++i) {
    samples += fmt::format("{}{}", i == 0 ? "" : ",", 100'000 + i % 1'000);
  }
  samples += "]";
  write_entries("samples.json", made, kEntries, [&](int i, const std::string& entry) {
    return replaced(replaced(entry, "\"@SAMPLES\"", samples), "family/x/1",
                    fmt::format("family/x/{}", i));
  });
  expect_within("samples.json");
}

// As many metrics, each of as many processes, as fit; the policy gates them all.
TEST_F(LargestFiles, OfFigures) {
  constexpr int kMetrics = 3'900;
  constexpr int kBenchmarks = 95;
  constexpr int kProcesses = 17;
  Json made = run(true);
  made["benchmarks"][0].erase("barriers");
  made["benchmarks"][0]["@COUNTERS"] = 0;
  made["benchmarks"][0]["repetition_index"] = "@PROCESS";
  made["benchmarks"][0]["repetitions"] = kProcesses;
  made["benchmarks"][0]["warpgauge"]["process"] = "@PROCESS";
  made["context"]["warpgauge"]["processes"] = kProcesses;
  std::string counters;
  std::string names;
  for (int i = 0; i < kMetrics; ++i) {
    counters += fmt::format("{}\"{:x}\":{}", i == 0 ? "" : ",", 0x100 + i, i % 9 + 1);
    names += fmt::format("{}\"{:x}\"", i == 0 ? "" : ",", 0x100 + i);
  }
  write("policy.toml",
        "[[metric]]\nnames = [" + names + "]\nclass = \"statistical\"\nrelative_floor = 0.01\n");
  write_entries("figures.json", made, kBenchmarks * kProcesses,
                [&](int i, const std::string& entry) {
                  std::string filled = replaced(entry, "\"@COUNTERS\":0", counters);
                  filled = replaced(filled, "\"@PROCESS\"", std::to_string(i % kProcesses));
                  return replaced(filled, "family/x/1", fmt::format("family/x/{}", i / kProcesses));
                });
  expect_within("figures.json", "--policy policy.toml");
}

// Each held against as many rules as a policy may have, of which none matches, and said in every
// kind of report.
TEST_F(LargestFiles, OfBenchmarksAndRules) {
  write_entries("many.json", run(true), 160'000, [&](int i, const std::string& entry) {
    return replaced(entry, "family/x/1", fmt::format("f/{:06}", i));
  });
  std::string policy = "[[metric]]\nnames = [\"barriers\"]\nclass = \"exact\"\n";
  for (int i = 0; i < 1'000; ++i) {
    const std::string pattern = fmt::format("benchmarks = \"*f*0*none{}*\"\n", i);
    policy += "[[override]]\n" + pattern + "gate = false\nreason = \"r\"\n";
    policy += "[[limit]]\nmetric = \"barriers\"\n" + pattern + "most = 1\n";
    policy += "[[floor]]\nclock = \"gpu\"\n" + pattern + "relative_floor = 0.1\n";
  }
  write("policy.toml", policy);
  expect_within("many.json",
                "--policy policy.toml --filter . --summary s.md --report gitlab=g.json "
                "--report sarif=s.sarif --report junit=j.xml");
}

// All in one entry, which is read as a whole.
TEST_F(LargestFiles, OfSourceLines) {
  Json made = run(true);
  made["benchmarks"][0]["warpgauge"]["lines"] = "@LINES";
  for (const bool by_instruction : {false, true}) {
    const std::string line =
        R"({"file":"a","line":@,"column":1,"function":"","text":"","access":"global_load",)"
        R"("width_bytes":4,"requests":1,"sectors":1,"ideal_sectors":1)";
    const std::size_t count = by_instruction ? 1'400'000 : 450'000;
    std::string lines = "[";
    if (by_instruction) lines += replaced(line, "@", "1") + R"(,"by_instruction":[)";
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) lines += ',';
      lines += by_instruction ? fmt::format(R"({{"offset_bytes":{},"requests":1}})", i)
                              : replaced(line, "@", std::to_string(i + 1)) + "}";
    }
    lines += by_instruction ? "]}]" : "]";
    write_entries("lines.json", made, 1, [&](int, const std::string& entry) {
      return replaced(entry, "\"@LINES\"", lines);
    });
    std::filesystem::remove(folder_ / "other.json");
    expect_within("lines.json");
  }
}

}  // namespace
}  // namespace warpgauge
