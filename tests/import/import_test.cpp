// SPDX-License-Identifier: Apache-2.0
// `warpgauge import`: what each format becomes, and how it then goes through compare and approve.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "ci/import/readers.hpp"
#include "ci/support/csv.hpp"
#include "profiling/results/limits.hpp"
#include "tests/helpers/schema.hpp"
#include "tests/import/import_samples.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using results::BenchmarkResult;
using results::Json;
using results::Results;

class Import : public InFolder {
 protected:
  // Writes a run, with the sample files that NVBench's JSON names.
  fs::path write_run(const SampleFormat& format, const std::string& name, double factor) const {
    if (std::string(format.name) == "nvbench") {
      write(name + "-bin/0.bin", samples_of(format.times[0].second * factor));
      write(name + "-bin/1.bin", samples_of(format.times[1].second * factor));
    }
    return write(name, replaced_folder(run_of(format, factor), name));
  }

  static std::string replaced_folder(std::string text, const std::string& name) {
    const bool names_folder = text.find("nvbench.json-bin") != text.npos;
    return names_folder ? replaced(std::move(text), "nvbench.json-bin", name + "-bin") : text;
  }

  // Five processes, which differ by a tenth of a per cent, as arguments.
  std::string write_session(const SampleFormat& format, const std::string& prefix,
                            double factor) const {
    std::string arguments;
    for (int i = 0; i < 5; ++i) {
      const std::string name = prefix + std::to_string(i);
      write_run(format, name, factor * (1 + 0.001 * ((i * 3) % 5)));
      arguments += name + " ";
    }
    return arguments + (*format.device == '\0' ? "" : "--device " + std::string(format.device));
  }

  [[nodiscard]] Results read(const std::string& name) const {
    return results::read_results(folder_ / name);
  }

  // Of the file imported alone.
  Results imported(const std::string& file, const std::string& content,
                   const std::string& arguments = "") {
    write(file, content);
    const Finished finished = warpgauge("import " + file + " " + arguments);
    EXPECT_EQ(finished.status, 0) << finished.output;
    return read("results.json");
  }

  void expect_refused(const std::string& arguments, int status, const std::string& part) {
    const Finished finished = warpgauge("import " + arguments);
    EXPECT_EQ(finished.status, status) << finished.output;
    EXPECT_EQ(std::count(finished.output.begin(), finished.output.end(), '\n'), 1)
        << finished.output;
    EXPECT_NE(finished.output.find(part), std::string::npos)
        << "'" << part << "' is not in: " << finished.output;
    EXPECT_FALSE(fs::exists(folder_ / "results.json"));
  }
};

class EachFormat : public Import, public testing::WithParamInterface<SampleFormat> {};

TEST_P(EachFormat, GoesThroughApproveAndCompare) {
  const SampleFormat& format = GetParam();
  const std::string import = "import --out ";
  ASSERT_EQ(warpgauge(import + "before.json " + write_session(format, "a", 1)).status, 0);
  ASSERT_EQ(warpgauge(import + "same.json " + write_session(format, "b", 1.0003)).status, 0);
  ASSERT_EQ(warpgauge(import + "slow.json " + write_session(format, "c", 1.2)).status, 0);
  EXPECT_EQ(why_invalid(results::read_file(folder_ / "same.json"),
                        "profiling/results/results.schema.json"),
            "");

  const Finished approved = warpgauge("approve before.json --reason 'the first'");
  EXPECT_EQ(approved.status, 0) << approved.output;
  // What a program skipped is not measured on either side, which is no verdict.
  const Finished same = warpgauge("compare baselines same.json --allow inconclusive");
  EXPECT_EQ(same.status, 0) << same.output;
  const Finished slow =
      warpgauge("compare baselines slow.json --allow inconclusive --json verdict.json");
  EXPECT_EQ(slow.status, 1) << slow.output;
  const auto verdict = results::Json::parse(results::read_file(folder_ / "verdict.json"));
  bool found = false;
  for (const auto& benchmark : verdict.at("benchmarks")) {
    if (benchmark.at("id") != format.id) continue;
    found = true;
    EXPECT_EQ(benchmark.at("verdict"), "regressed");
  }
  EXPECT_TRUE(found) << slow.output;
  const Finished report = warpgauge("report verdict.json --format markdown");
  EXPECT_EQ(report.status, 0);
  EXPECT_NE(report.output.find("+2"), std::string::npos) << report.output;
}

TEST_P(EachFormat, OneProcessIsNoVerdictAndTheReasonSaysWhy) {
  const SampleFormat& format = GetParam();
  const std::string device =
      *format.device == '\0' ? "" : " --device " + std::string(format.device);
  write_run(format, "a", 1);
  write_run(format, "b", 1.5);
  ASSERT_EQ(warpgauge("import a --out before.json" + device).status, 0);
  const Finished alone = warpgauge("import b --out after.json" + device);
  EXPECT_NE(alone.output.find("one process does not show how processes differ"), std::string::npos);
  const Finished compared = warpgauge("compare before.json after.json");
  EXPECT_EQ(compared.status, 3) << compared.output;
  EXPECT_NE(compared.output.find("samples of one process are no replicates"), std::string::npos)
      << compared.output;
}

TEST_P(EachFormat, IsKnownByItsContentAndByName) {
  const SampleFormat& format = GetParam();
  const std::string arguments = write_session(format, "a", 1);
  ASSERT_EQ(warpgauge("import --out known.json " + arguments).status, 0);
  const Finished named =
      warpgauge(std::string("import --out named.json --format ") + format.name + " " + arguments);
  ASSERT_EQ(named.status, 0) << named.output;
  EXPECT_EQ(results::read_file(folder_ / "known.json"), results::read_file(folder_ / "named.json"));
}

INSTANTIATE_TEST_SUITE_P(Import, EachFormat, testing::ValuesIn(sample_formats()),
                         [](const auto& format) {
                           return fs::path(format.param.file).stem().string();
                         });

TEST_F(Import, NvbenchBecomesStatesOfADevice) {
  write_run(sample_formats().front(), "run.json", 1);
  // Other samples than the mean is of, to see which of the two counts.
  write("run.json-bin/0.bin", samples_of(22e-6));
  ASSERT_EQ(warpgauge("import run.json").status, 0);
  const Results results = read("results.json");
  ASSERT_EQ(results.benchmarks.size(), 3U);
  const BenchmarkResult& state = find(results, "fill_values/T=F32/Elements=2^20");
  // The mean of the samples without the one that took half and the one that took a hundredfold.
  EXPECT_NEAR(figure(state, "time"), 22'000, 0.01);
  ASSERT_EQ(state.samples_ns.size(), 1U);
  ASSERT_EQ(state.samples_ns.front().size(), 10U);
  EXPECT_NEAR(state.samples_ns.front().front(), 11'000, 0.01);
  EXPECT_NEAR(state.samples_ns.front().back(), 2'200'000, 1);
  EXPECT_EQ(figure(state, "element_count/Items"), 1 << 20);
  EXPECT_NEAR(figure(state, "cold/time/cpu/mean_ns"), 140'000, 1e-6);
  EXPECT_FALSE(state.metrics.contains("cold/time/gpu/min_ns")) << "is hidden";
  EXPECT_EQ(state.not_measured.at("cold/time/gpu/stdev/relative"), "NVBench says 'inf'");
  EXPECT_EQ(find(results, "fill_values/T=F64/Elements=2^22").not_measured.at("time"),
            "NVBench skipped it: needs more memory than there is");

  const results::Session& session = *results.session;
  EXPECT_EQ(session.device.name, "NVIDIA H200");
  EXPECT_EQ(session.device.compute_capability, "9.0");
  EXPECT_EQ(session.device.multiprocessors, 132);
  EXPECT_EQ(session.settings->ecc, true);
  EXPECT_EQ(session.imported->program, "NVBench 0.1.0");
  EXPECT_TRUE(session.imported->gpu_clock);
}

TEST_F(Import, NvbenchWithoutSampleFilesHasItsMean) {
  // As --json writes it, without the summaries that name files.
  const Results results =
      imported("run.json", replaced(import_sample("nvbench.json"), "nv/json/bin:", "other/"));
  const BenchmarkResult& state = results.benchmarks.front();
  EXPECT_NEAR(figure(state, "time"), 20'400, 1e-6);
  EXPECT_TRUE(state.samples_ns.empty());
}

TEST_F(Import, NvbenchSampleFilesAreFoundWhereOldVersionsNamedThem) {
  const std::string text = import_sample("nvbench.json");
  write("moved/run.json-bin/0.bin", samples_of(20.4e-6));
  write("moved/run.json-bin/1.bin", samples_of(81.6e-6));
  const Results results =
      imported("moved/run.json", replaced(text, "nvbench.json-bin", "/home/me/run.json-bin"));
  EXPECT_EQ(results.benchmarks.front().samples_ns.size(), 1U);
}

TEST_F(Import, NvbenchOfSeveralDevicesNeedsAChoice) {
  std::string text = replaced(import_sample("nvbench.json"), "nv/json/bin", "other");
  // The second state on the other device.
  const std::size_t second = text.find("\"device\": 0", text.find("\"device\": 0") + 1);
  text.replace(second, 11, "\"device\": 1");
  write("run.json", text);
  expect_refused("run.json", 64,
                 "has figures of the devices 0 ('NVIDIA H200'), 1 ('NVIDIA A100-SXM4-80GB'); "
                 "choose one by its number, as in --device 0");
  for (const char* device : {"1", "'NVIDIA A100-SXM4-80GB'"}) {
    EXPECT_EQ(warpgauge(std::string("import run.json --device ") + device).status, 0);
    const Results results = read("results.json");
    EXPECT_EQ(results.session->device.key, "nvidia-a100-sxm4-80gb");
    ASSERT_EQ(results.benchmarks.size(), 1U);
    EXPECT_EQ(results.benchmarks.front().id, "fill_values/T=F32/Elements=2^22");
  }
}

TEST_F(Import, NcuLaunchesOfAKernelAreSamplesOfOneProcess) {
  for (const char* file : {"ncu_details.csv", "ncu_raw.csv"}) {
    SCOPED_TRACE(file);
    const Results results = imported(file, import_sample(file), "--device 'NVIDIA H200'");
    ASSERT_EQ(results.benchmarks.size(), 2U);
    const BenchmarkResult& tile =
        find(results,
             "tile/void ns::tile<(int)1>(const float *, float *, unsigned long)/grid=8x6x1/"
             "block=32x8x1");
    ASSERT_EQ(tile.samples_ns.size(), 1U);
    EXPECT_EQ(tile.samples_ns.front().size(), 2U);
    EXPECT_NEAR(figure(tile, "time"), 12'480, 1e-9);
    EXPECT_EQ(results.session->device.compute_capability, "9.0");
    EXPECT_TRUE(results.session->imported->gpu_clock);
  }
}

TEST_F(Import, NcuDetailsAreNamedWithTheirSectionAndInBaseUnits) {
  const Results results =
      imported("ncu.csv", import_sample("ncu_details.csv"), "--device 'NVIDIA H200'");
  const BenchmarkResult& finish = find(results, "finish/finish(float *)/grid=1x1x1/block=32x8x1");
  EXPECT_EQ(figure(finish, "GPU Speed Of Light Throughput: Memory Throughput"), 45.7);
  EXPECT_EQ(figure(finish, "Memory Workload Analysis: Memory Throughput"), 3.25e9);
  EXPECT_EQ(figure(finish, "l1tex__data_bank_conflicts_pipe_lsu.sum"), 1536);
}

TEST_F(Import, NcuRawSaysTheDevice) {
  const Results results = imported("ncu.csv", import_sample("ncu_raw.csv"));
  EXPECT_EQ(results.session->device.key, "nvidia-h200");
  EXPECT_EQ(results.session->device.multiprocessors, 132);
  const BenchmarkResult& tile = results.benchmarks.back();
  EXPECT_EQ(figure(tile, "l1tex__data_bank_conflicts_pipe_lsu.sum"), 1537) << "mean of launches";
  EXPECT_NEAR(figure(tile, "dram__bytes_read.sum"), 4.195e6, 1e-3);
  EXPECT_EQ(tile.not_measured.at("smsp__pcsamp_sample_buffer_full"), "ncu says n/a");
}

// A mean of the other launches would be of other work.
TEST_F(Import, NcuValuesThatAreNoNumbersInSomeLaunchesAreNotMeasured) {
  for (const std::string word : {"nan", "-inf", "n/a", "NaN", "no data"}) {
    const std::string text = replaced(import_sample("ncu_raw.csv"), "\"4.20\"", "\"" + word + "\"");
    const Results results = imported("ncu.csv", text);
    const BenchmarkResult& tile = results.benchmarks.back();
    EXPECT_EQ(tile.not_measured.at("dram__bytes_read.sum"),
              "ncu says " + word + " for 1 of 2 launches");
    EXPECT_FALSE(tile.metrics.contains("dram__bytes_read.sum")) << word;
  }
  const Results nothing =
      imported("ncu.csv", replaced(import_sample("ncu_raw.csv"), "\"4.20\"", "\"\""));
  EXPECT_EQ(nothing.benchmarks.back().not_measured.at("dram__bytes_read.sum"),
            "ncu says nothing for 1 of 2 launches");
  write("ncu.csv", replaced(import_sample("ncu_raw.csv"), "\"12,512\"", "\"\""));
  std::filesystem::remove(folder_ / "results.json");
  expect_refused("ncu.csv", 4, "1 of 2 launches have no duration; measure again");
}

// In no time that grows with their square.
TEST_F(Import, NcuNamesAndNumbersMayBeLong) {
  std::string name = "void ";
  while (name.size() < 900'000) name += "<unnamed>::";
  std::string number = "1";
  while (number.size() < 900'000) number += ",000";
  std::string text = replaced(import_sample("ncu_raw.csv"), "finish(float *)", name + "k(int)");
  text = replaced(text, "\"0.02\"", "\"" + number + "\"");
  const Results results = imported("ncu.csv", text);
  EXPECT_EQ(results.benchmarks.front().id.substr(0, 7), "k/void ");
  write("ncu.csv", text + "\"" + std::string(2'000'000, 'x') + "\"\n");
  std::filesystem::remove(folder_ / "results.json");
  expect_refused("ncu.csv", 4, "or one is longer than 1048576 bytes");
}

// A name is looked at once a row, not once a figure.
TEST_F(Import, NcuNamesMayBeLongBesideManyColumns) {
  std::istringstream sample(import_sample("ncu_raw.csv"));
  std::string header;
  while (std::getline(sample, header) && !header.starts_with("\"ID\"")) {
  }
  std::string units;
  std::string row;
  std::getline(sample, units);
  std::getline(sample, row);
  const auto text_of = [&](std::size_t columns) {
    std::string text = header;
    for (std::size_t i = 0; i < columns; ++i) text += fmt::format(",\"m{}\"", i);
    text += "\n" + units;
    for (std::size_t i = 0; i < columns; ++i) text += ",\"\"";
    text += "\n" + replaced(row, "void ns::tile", "void " + std::string(900'000, 'n') + "::tile");
    for (std::size_t i = 0; i < columns; ++i) text += ",\"1\"";
    return text + "\n";
  };
  EXPECT_EQ(figure(imported("ncu.csv", text_of(4'000)).benchmarks.front(), "m3999"), 1);
  std::filesystem::remove(folder_ / "results.json");
  write("ncu.csv", text_of(4'096));
  expect_refused("ncu.csv", 4, "columns, and at most 4096 are read; name fewer metrics");
  write("ncu.csv", replaced(text_of(1), "\"m0\"", std::string(2'000, 'm')));
  expect_refused("ncu.csv", 4, "the name of a column has 2000 bytes");
}

// On the page of details a launch without a figure has no row of it.
TEST_F(Import, NcuFiguresThatSomeLaunchesLackAreNotMeasured) {
  const auto without_line = [](std::string text, const std::string& what) {
    const std::size_t at = text.rfind(what, text.find("\"finish"));
    const std::size_t begin = text.rfind('\n', at) + 1;
    return text.erase(begin, text.find('\n', at) + 1 - begin);
  };
  const std::string sample = import_sample("ncu_details.csv");
  const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu.sum";
  const Results results =
      imported("ncu.csv", without_line(sample, conflicts), "--device 'NVIDIA H200'");
  const BenchmarkResult& tile = results.benchmarks.back();
  EXPECT_EQ(tile.not_measured.at(conflicts), "the file has it for 1 of 2 launches");
  EXPECT_FALSE(tile.metrics.contains(conflicts));
  EXPECT_TRUE(results.benchmarks.front().metrics.contains(conflicts));
  std::filesystem::remove(folder_ / "results.json");
  write("ncu.csv", without_line(sample, "\"Duration\""));
  expect_refused("ncu.csv --device 'NVIDIA H200'", 4, "1 of 2 launches have no duration");
}

TEST_F(Import, NcuWithoutADurationHasNoTime) {
  const std::string text =
      replaced(import_sample("ncu_raw.csv"), "gpu__time_duration.sum", "gpu__time_active.sum");
  const Results results = imported("ncu.csv", text);
  EXPECT_NE(results.benchmarks.front().not_measured.at("time").find("gpu__time_duration.sum"),
            std::string::npos);
}

TEST_F(Import, ACounterIsGatedWhereThePolicySaysSo) {
  write("policy.toml",
        "[[metric]]\nnames = [\"l1tex__data_bank_conflicts_pipe_lsu.sum\"]\nclass = \"exact\"\n");
  const std::string text = import_sample("ncu_details.csv");
  write("a.csv", text);
  write("b.csv", replaced(text, "\"1,536\"", "\"1,537\""));
  ASSERT_EQ(warpgauge("import a.csv --device X --out a.json").status, 0);
  ASSERT_EQ(warpgauge("import b.csv --device X --out b.json").status, 0);
  EXPECT_EQ(warpgauge("compare a.json a.json --policy policy.toml").status, 0);
  EXPECT_EQ(warpgauge("compare a.json b.json --policy policy.toml").status, 1);
  write("c.csv", replaced(text, "\"1,536\"", "\"nan\""));
  ASSERT_EQ(warpgauge("import c.csv --device X --out c.json").status, 0);
  EXPECT_EQ(warpgauge("compare a.json c.json --policy policy.toml").status, 4) << "not measured";
}

TEST_F(Import, BabelStreamIsItsShortestRunWithItsWork) {
  const Results results = imported("b.csv", import_sample("babelstream.csv"));
  const BenchmarkResult& copy = find(results, "babelstream/copy/double/33554432");
  EXPECT_NEAR(figure(copy, "time"), 134'892, 1e-6);
  EXPECT_NEAR(figure(copy, "average_time_ns"), 136'211, 1e-6);
  EXPECT_EQ(copy.work.bytes_read, 8.0 * 33554432);
  EXPECT_EQ(copy.work.bytes_written, 8.0 * 33554432);
  EXPECT_EQ(find(results, "babelstream/dot/double/33554432").work.bytes_written, 0);
  EXPECT_EQ(results.session->device.name, "NVIDIA H200");
  EXPECT_EQ(results.session->device.multiprocessors, 132);
  EXPECT_EQ(results.session->device.driver, "for CUDA 12080");
  EXPECT_FALSE(results.session->imported->gpu_clock);
}

TEST_F(Import, BabelStreamOfOldSaysTheDeviceOtherwise) {
  std::string text = import_sample("babelstream.csv");
  text = "Using CUDA device NVIDIA H200\nDriver: 12080\n" + text.substr(text.find("Reduction"));
  text = replaced(text, "max_MB_per_sec", "max_mbytes_per_sec");
  EXPECT_EQ(imported("b.csv", text).session->device.key, "nvidia-h200");
}

TEST_F(Import, GoogleBenchmarksRepetitionsAreSamplesOfOneProcess) {
  const Results results =
      imported("g.json", import_sample("google_benchmark.json"), "--device 'My runner'");
  const BenchmarkResult& copy = find(results, "BM_copy_float/1024/manual_time");
  EXPECT_EQ(copy.samples_ns, (std::vector<std::vector<double>>{{51'200, 51'400, 51'300}}));
  EXPECT_EQ(copy.metrics.at("time").sessions.size(), 1U);
  EXPECT_NEAR(figure(copy, "time"), 51'300, 1e-6);
  EXPECT_NEAR(figure(copy, "cpu_time_ns"), 63'500, 1e-6);
  EXPECT_EQ(figure(copy, "bytes_per_second"), 7.9e10);
  EXPECT_EQ(find(results, "BM_other").not_measured.at("time"), "skipped: no such device");
  EXPECT_EQ(results.session->created, "2026-11-21T04:19:54Z");
  EXPECT_EQ(results.session->imported->program, "Google Benchmark v1.9.1");
  EXPECT_EQ(results.session->device.key, "my-runner");
}

// Two files of a program may register one name.
TEST_F(Import, GoogleBenchmarksOfOneNameAreToldApartByTheirFamily) {
  Json file = Json::parse(import_sample("google_benchmark.json"));
  Json row = file["benchmarks"].front();
  file["benchmarks"] = Json::array();
  for (const int family : {3, 4}) {
    row["name"] = row["run_name"] = "BM_find<int>/8";
    row["family_index"] = family;
    file["benchmarks"].push_back(row);
  }
  const Results results = imported("g.json", file.dump(), "--device X");
  EXPECT_NE(figure(find(results, "BM_find_int/8"), "time"), 0);
  EXPECT_NE(figure(find(results, "BM_find_int_2/8"), "time"), 0);
}

// A run cut short, or of long ago, among others.
TEST_F(Import, FilesAreAsOldAsTheOldestAndWhatSomeLackIsRemarked) {
  Json first = Json::parse(import_sample("google_benchmark.json"));
  Json second = first;
  first["context"]["date"] = "2019-11-21T04:19:54+00:00";
  second["benchmarks"].erase(
      std::remove_if(
          second["benchmarks"].begin(), second["benchmarks"].end(),
          [](const Json& each) { return each["name"] == "BM_copy<float>/1024/manual_time"; }),
      second["benchmarks"].end());
  write("2.json", second.dump());
  const Results results = imported("1.json", first.dump(), "2.json --device X");
  EXPECT_EQ(results.session->created, "2019-11-21T04:19:54Z");
  EXPECT_EQ(find(results, "BM_copy_float/1024/manual_time").remarks,
            std::vector<std::string>{"1 of 2 files have it"});
}

TEST_F(Import, GoogleBenchmarkOfOldIsReadToo) {
  const Results results =
      imported("g.json", import_sample("google_benchmark_1_5.json"), "--device X");
  EXPECT_NEAR(figure(find(results, "BM_copy/1024"), "time"), 51.2, 1e-9);
}

TEST_F(Import, NvbenchsTimesAreOfEvents) {
  const Results events =
      imported("n.json", replaced(import_sample("nvbench.json"), "nv/json/bin:", "other/"));
  EXPECT_TRUE(events.session->imported->cuda_events);
  EXPECT_FALSE(imported("n.csv", import_sample("ncu_raw.csv")).session->imported->cuda_events);
}

// Floors and steps of a GPU's timestamps say nothing of a processor's clock.
TEST_F(Import, TimesByAProcessorsClockHaveNoAbsoluteFloor) {
  const auto session = [&](const std::string& prefix, double nanoseconds) {
    std::string files;
    for (int i = 0; i < 5; ++i) {
      const std::string time = fmt::format("\"real_time\": {}", nanoseconds * (1 + 0.001 * i));
      write(prefix + std::to_string(i),
            replaced(import_sample("google_benchmark_1_5.json"), "\"real_time\": 51.2", time));
      files += prefix + std::to_string(i) + " ";
    }
    return files;
  };
  ASSERT_EQ(warpgauge("import --out a.json --device X " + session("a", 20)).status, 0);
  ASSERT_EQ(warpgauge("import --out b.json --device X " + session("b", 25)).status, 0);
  EXPECT_EQ(warpgauge("compare a.json b.json").status, 1);
}

TEST_F(Import, AGoogleBenchmarkThatFailedFails) {
  const std::string text =
      replaced(import_sample("google_benchmark_1_5.json"), "\"real_time\"",
               R"("error_occurred": true, "error_message": "no", "real_time")");
  write("g.json", text);
  EXPECT_EQ(warpgauge("import g.json --device X").status, 4);
  EXPECT_EQ(read("results.json").benchmarks.front().outcome.message, "no");
}

TEST_F(Import, WhatIsNotAlikeIsNotOneSession) {
  write("a.csv", import_sample("babelstream.csv"));
  write("same.csv", import_sample("babelstream.csv"));
  write("other.csv", replaced(import_sample("babelstream.csv"), "NVIDIA H200", "NVIDIA H100"));
  write("driver.csv", replaced(import_sample("babelstream.csv"), "12080", "13000"));
  write("ncu.csv", import_sample("ncu_raw.csv"));
  write("empty", "");
  write("text", "hello\n");
  expect_refused("a.csv same.csv", 64, "same.csv is the same as a.csv");
  expect_refused("a.csv other.csv", 64,
                 "other.csv: the device is 'NVIDIA H100', but 'NVIDIA H200' in a.csv");
  expect_refused("a.csv driver.csv", 64, "the driver is 'for CUDA 13000'");
  expect_refused("a.csv ncu.csv", 64,
                 "ncu.csv is of the format ncu, but a.csv of babelstream; import one format");
  expect_refused("a.csv --device 'NVIDIA H100'", 64,
                 "a.csv was measured on 'NVIDIA H200', not on 'NVIDIA H100'");
  expect_refused("a.csv --format parquet", 64, "--format");
  expect_refused("empty", 4, "empty: is empty");
  expect_refused("text", 4, "text: its format is not recognised; nvbench, ncu,");
  expect_refused("absent.json", 4, "cannot read absent.json");
  write("ours.json", results_text(h200(), {{.id = "a/b/1", .times_ns = {1, 2}}}));
  expect_refused("ours.json", 4, "ours.json: is a results file of Warpgauge already");
}

struct Broken {
  const char* file;
  const char* from;
  const char* to;
  const char* message;
};

constexpr Broken kBroken[] = {
    {"nvbench.json", "\"major\": 1", "\"major\": 2", "is of NVBench's file version 2"},
    {"nvbench.json", "\"0.0000204\"", "\"nan\"", "states[0].summaries[6] has no value that is a"},
    {"nvbench.json", "\"0.0000204\"", "\"-1\"", "T=F32/Elements=2^20: -1000000000 ns is no time"},
    {"nvbench.json", "\"timeout\": 15.0", "\"timeout\": 1e999", "has a number beyond all"},
    {"nvbench.json", "\"states\"", "\"stages\"", "benchmarks[0] has no 'states'"},
    {"nvbench.json", "\"is_skipped\": false", "\"is_skipped\": 0",
     "is a number, not true or false"},
    {"nvbench.json", "\"device\": 0", "\"device\": 7", "does not describe device 7"},
    {"nvbench.json", "\"1048576\"", "\"4194304\"", "Elements=2^22 occurs twice"},
    {"ncu_details.csv", "Metric Value", "Average", "line 4: there is no column 'Metric Value'"},
    {"ncu_details.csv", "usecond", "inst", "line 5: the duration is in 'inst', which is no time"},
    {"ncu_details.csv", "\"12.45\"", "\"nan\"", "line 5: the duration is 'nan', which is no time"},
    {"ncu_details.csv", "\"12.45\"", "\"n/a\"", "line 5: the duration is 'n/a', which is no time"},
    {"ncu_details.csv", "1,536", "1.536,0", "'1.536,0' has separators that are not English"},
    {"ncu_details.csv", "\"ID\",", "ID,", "its format is not recognised"},
    {"ncu_details.csv", "\"12.45\"", "\"0\"", "line 5: 0 ns is no time"},
    {"ncu_raw.csv", "nsecond", "n,second", "is in 'n,second', which is no time"},
    {"ncu_raw.csv", "\"30,016\",", "", "line 8: there are 16 fields where the header has 17"},
    {"babelstream.csv", "min_runtime", "runtime", "line 6: there is no column 'min_runtime'"},
    {"babelstream.csv", "0.000134892", "-1", "line 7: min_runtime is '-1', no number above 0"},
    {"babelstream.csv", "Copy", "Copie", "line 7: 'Copie' is no function of BabelStream"},
    {"babelstream.csv", ",0.000136211", "", "line 7: there are 7 fields where the header has 8"},
    {"google_benchmark.json", "51.4", "NaN", "manual_time: time is NaN in repetition 1"},
    {"google_benchmark.json", "BM_other", "BM_copy_float/1024/manual_time", "occurs twice"},
};

TEST_F(Import, WhatIsBrokenIsSaidWithItsPlace) {
  for (const Broken& broken : kBroken) {
    SCOPED_TRACE(broken.message);
    std::string text = replaced(import_sample(broken.file), broken.from, broken.to);
    write("x/0.bin", samples_of(1e-6));
    if (text.find("nvbench.json-bin") != text.npos) text = replaced(text, "nvbench.json-bin", "x");
    write("x/1.bin", samples_of(1e-6));
    write("bad", text);
    expect_refused("bad --device 'NVIDIA H200'", 4, "warpgauge: bad:");
    expect_refused("bad --device 'NVIDIA H200'", 4, broken.message);
  }
}

TEST_F(Import, BrokenSampleFilesAreNamed) {
  write("run.json", replaced(import_sample("nvbench.json"), "nvbench.json-bin", "bin"));
  expect_refused("run.json", 4, "run.json: its samples are in bin, which is not there");
  write("bin/0.bin", samples_of(1e-6).substr(1));
  write("bin/1.bin", samples_of(1e-6));
  expect_refused("run.json", 4, "bin/0.bin: has 39 bytes, but 10 samples of 4 bytes are announced");
  write("bin/0.bin", sample_bytes(std::vector<float>(10, -1.0F)));
  expect_refused("run.json", 4, "bin/0.bin: sample 0: -1000000000 ns is no time");
}

TEST_F(Import, MoreSamplesThanResultsMayHaveAreRefused) {
  write("run.json", replaced(import_sample("nvbench.json"), "nvbench.json-bin", "bin"));
  write("bin/0.bin", samples_of(1e-6));
  write("bin/1.bin", samples_of(1e-6));
  fs::resize_file(folder_ / "bin/1.bin", 4 * results::kMostNumbers);
  expect_refused("run.json", 4,
                 "run.json: more than 8000000 samples, the most that are read of the results that "
                 "they make; import fewer");
}

TEST_F(Import, SampleFilesElsewhereAreNotOpened) {
  write("elsewhere/0.bin", samples_of(1e-6));
  write("elsewhere/1.bin", samples_of(1e-6));
  const std::string elsewhere = (folder_ / "elsewhere").string();
  for (const std::string& named : {std::string("../elsewhere"), elsewhere}) {
    write("run/run.json", replaced(import_sample("nvbench.json"), "nvbench.json-bin", named));
    expect_refused("run/run.json", 4, "which is not there");
  }
  fs::create_directory_symlink(elsewhere, folder_ / "run" / "elsewhere");
  expect_refused("run/run.json", 4, "which is not there");
}

TEST(Csv, ReadsQuotesAndLineEndsOfEitherKind) {
  const auto rows = ci::parse_csv("a,\"b \"\"c\"\",\nd\"\r\n\r\n,\nx \"y\",", "f", 7);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].line, 7U);
  EXPECT_EQ(rows[0].fields, (std::vector<std::string>{"a", "b \"c\",\nd"}));
  EXPECT_EQ(rows[1].line, 10U);
  EXPECT_EQ(rows[1].fields, (std::vector<std::string>{"", ""}));
  EXPECT_EQ(rows[2].fields, (std::vector<std::string>{"x \"y\"", ""}));
}

TEST(Csv, NamesTheLineOfAQuoteThatDoesNotEnd) {
  for (const char* text : {"a\nb,\"c\n\nd", "a\n\"b\"c\n"}) {
    try {
      (void)ci::parse_csv(text, "f");
      FAIL() << text;
    } catch (const results::FormatError& error) {
      EXPECT_EQ(std::string(error.what()).substr(0, 10), "f: line 2:") << error.what();
    }
  }
}

TEST(FamilyName, CanNameAFile) {
  EXPECT_EQ(ci::family_name("BM_copy<float, 3>"), "BM_copy_float_3");
  EXPECT_EQ(ci::family_name("cub.bench.reduce.sum.base"), "cub.bench.reduce.sum.base");
  EXPECT_EQ(ci::family_name(".hidden"), "_hidden");
  EXPECT_EQ(ci::family_name("device"), "device_");
  EXPECT_EQ(ci::family_name("µ"), "_");
}

}  // namespace
}  // namespace warpgauge
