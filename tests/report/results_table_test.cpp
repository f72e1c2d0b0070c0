// SPDX-License-Identifier: Apache-2.0
// Tables of results, to the letter, and the page that they go into.
#include "ci/report/results_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ci/support/errors.hpp"
#include "tests/helpers/contains.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Results;
using results::Work;

using Counters = std::map<std::string, double>;

const Counters kFree{{"shared_load_requests", 0}, {"shared_store_requests", 0}};

Counters shared(double load_requests, double load_wavefronts, double store_requests,
                double store_wavefronts) {
  return {{"shared_load_requests", load_requests},
          {"shared_load_wavefronts", load_wavefronts},
          {"shared_store_requests", store_requests},
          {"shared_store_wavefronts", store_wavefronts}};
}

BenchmarkResult timed(const std::string& id, const std::vector<double>& times_ns, const Work& work,
                      const Counters& counters = kFree) {
  BenchmarkResult benchmark;
  benchmark.id = id;
  benchmark.work = work;
  if (!times_ns.empty()) benchmark.metrics["time"].sessions = {times_ns};
  for (const auto& [name, value] : counters) benchmark.metrics[name].sessions = {{value}};
  return benchmark;
}

BenchmarkResult with_span(BenchmarkResult benchmark, const std::vector<double>& spans_ns) {
  benchmark.metrics["span"].sessions = {spans_ns};
  return benchmark;
}

Results results_with(std::vector<BenchmarkResult> benchmarks) {
  Results results;
  results.name = "results.json";
  results.session.emplace();
  results.session->created = "2026-11-21T04:00:00Z";
  results.session->device = h200();
  results.session->toolchain.cuda = "13.0";
  results.session->processes = 2;
  results.benchmarks = std::move(benchmarks);
  return results;
}

// 4, 2 and 3 TB/s at the largest size; the smaller one, faster in its caches, must not count.
std::vector<BenchmarkResult> bandwidth() {
  return {timed("bandwidth/read/1000", {1}, {.bytes_read = 16000}),
          timed("bandwidth/read/20000", {80}, {.bytes_read = 320000}),
          timed("bandwidth/write/20000", {160}, {.bytes_written = 320000}),
          timed("bandwidth/copy/20000", {200, 226.666666666666667},
                {.bytes_read = 320000, .bytes_written = 320000}),
          timed("bandwidth/triad/20000", {400}, {.bytes_read = 640000, .bytes_written = 320000}),
          timed("bandwidth/copy/999", {1}, {.bytes_read = 16000, .bytes_written = 16000})};
}

// The cells of the only row of a variant.
std::vector<std::string> cells(const std::string& tables, const std::string& variant) {
  const std::string start = "| `" + variant + "` |";
  const std::size_t begin = tables.find(start);
  if (begin == tables.npos || tables.find(start, begin + 1) != tables.npos) return {};
  const std::string row = tables.substr(begin + 2, tables.find('\n', begin) - begin - 4);
  std::vector<std::string> cells;
  for (std::size_t at = 0; at <= row.size();) {
    const std::size_t end = std::min(row.find(" | ", at), row.size());
    cells.push_back(row.substr(at, end - at));
    at = end + 3;
  }
  return cells;
}

std::string cell(const std::string& tables, const std::string& variant, std::size_t column) {
  const auto row = cells(tables, variant);
  return column < row.size() ? row[column] : "no such cell in\n" + tables;
}

constexpr std::size_t kTime = 1;
constexpr std::size_t kRate = 2;
constexpr std::size_t kCeiling = 3;
constexpr std::size_t kWavefronts = 4;
constexpr std::size_t kRatio = 5;

TEST(Table, ToTheLetter) {
  std::vector<BenchmarkResult> benchmarks = bandwidth();
  const Work work{.bytes_read = 4e6, .bytes_written = 4, .operations = 1e6};
  benchmarks.push_back(
      timed("reduction_float/two_kernels/64x2", {1990, 2010}, work, shared(8, 12, 4, 4)));
  benchmarks.back() = with_span(benchmarks.back(), {2490, 2510});
  benchmarks.push_back(timed("reduction_float/two_kernels/7", {20}, {.bytes_read = 28}));
  benchmarks.push_back(timed("reduction_float/broken/64x2", {1}, work));
  benchmarks.back().outcome = {results::Status::wrong_result, "element 3 is 1, not 2"};
  benchmarks.push_back(timed("reduction_float/cub/64x2", {1250}, work, {}));
  benchmarks.back().not_measured = {{"counters", "ncu is at work"}};
  benchmarks.push_back(timed("matmul/tiled/32", {2e6}, {.bytes_read = 1e6, .operations = 1e11}));

  EXPECT_EQ(markdown_tables(results_with(benchmarks), {}), R"(### bandwidth

Size 1000:

| variant | time | rate | % of ceiling | shared-memory wavefronts a request (loads / stores) |
|---|--:|--:|--:|--:|
| `read` | 1.000 ns | 16,000 GB/s | 400.0 % | – |

Size 20000:

| variant | time | rate | % of ceiling | shared-memory wavefronts a request (loads / stores) |
|---|--:|--:|--:|--:|
| `read` | 80.00 ns | 4,000 GB/s | 100.0 % | – |
| `write` | 160.0 ns | 2,000 GB/s | 100.0 % | – |
| `copy` | 213.3 ns | 3,000 GB/s | 100.0 % | – |
| `triad` | 400.0 ns | 2,400 GB/s | 100.0 % | – |

Size 999:

| variant | time | rate | % of ceiling | shared-memory wavefronts a request (loads / stores) |
|---|--:|--:|--:|--:|
| `copy` | 1.000 ns | 32,000 GB/s | 1066.7 % | – |

### reduction\_float

Size 64x2:

| variant | time | rate | % of ceiling | shared-memory wavefronts a request (loads / stores) | time ÷ cub |
|---|--:|--:|--:|--:|--:|
| `two_kernels` | 2.000 µs (span 2.500 µs) † | 1,600 GB/s | 40.0 % | 1.50 / 1.00 | 2.00 |
| `broken` | failed |  |  |  |  |
| `cub` | 1.250 µs | 3,200 GB/s | 80.0 % | not measured | 1.00 |

Size 7:

| variant | time | rate | % of ceiling | shared-memory wavefronts a request (loads / stores) |
|---|--:|--:|--:|--:|
| `two_kernels` | 20.00 ns | 1.400 GB/s | 0.0 % | – |

### matmul

Size 32:

| variant | time | rate | % of ceiling | shared-memory wavefronts a request (loads / stores) |
|---|--:|--:|--:|--:|
| `tiled` | 2.000 ms | 50.00 TFLOP/s | – | – |

† Several kernels: the time is their sum; rate, % of ceiling and ratio come from the span, from the first kernel's start to the last one's end.

Ceilings: `bandwidth` at size 20000 in the same run: read 4,000 GB/s, write 2,000 GB/s, copy 3,000 GB/s, triad 2,400 GB/s. A benchmark that writes less than 1 % of what it reads is compared with read, one that reads less than 1 % of what it writes with write, every other with the sum of copy, triad, read and write that moves as many bytes each way.

Not measured: counters: ncu is at work.

Failed: `reduction_float/broken/64x2`: element 3 is 1, not 2

Measured on NVIDIA H200, driver 580.1, CUDA 13.0, 2 processes, 2026-11-21T04:00:00Z.
)");
}

TEST(Table, TheCeilingIsWhatTheWorkMostlyDoes) {
  const auto ceiling = [](double read, double written) {
    std::vector<BenchmarkResult> benchmarks = bandwidth();
    // 1 TB/s.
    benchmarks.push_back(
        timed("x/it/1", {(read + written) / 1e3}, {.bytes_read = read, .bytes_written = written}));
    return cell(markdown_tables(results_with(benchmarks), {}), "it", kCeiling);
  };
  EXPECT_EQ(ceiling(1e6, 9999), "25.0 %");
  // 30 kB of the triad at 2.4 TB/s and 980 kB read at 4.
  EXPECT_EQ(ceiling(1e6, 10000), "25.5 %");
  // 20 kB copied at 3 TB/s and 990 kB written at 2.
  EXPECT_EQ(ceiling(10000, 1e6), "49.7 %");
  EXPECT_EQ(ceiling(9999, 1e6), "50.0 %");
  EXPECT_EQ(ceiling(1e6, 1e6), "33.3 %");
  // 1,200 kB copied at 3 TB/s and 600 kB of the triad at 2.4.
  EXPECT_EQ(ceiling(1e6, 8e5), "36.1 %");
  EXPECT_EQ(ceiling(1e6, 0.999e6), "33.3 %") << "as good as copying";
  EXPECT_EQ(ceiling(0, 0), "–");
}

TEST(Table, WhatReadsAndWritesUnequallyNeedsTheCeilingsOfBoth) {
  std::vector<BenchmarkResult> benchmarks = bandwidth();
  std::erase_if(benchmarks, [](const auto& each) { return each.id == "bandwidth/read/20000"; });
  benchmarks.push_back(timed("x/it/1", {1000}, {.bytes_read = 8e5, .bytes_written = 2e5}));
  benchmarks.push_back(timed("x/other/1", {1000}, {.bytes_read = 2e5, .bytes_written = 8e5}));
  const std::string tables = markdown_tables(results_with(benchmarks), {});
  EXPECT_EQ(cell(tables, "it", kCeiling), "–");
  // 400 kB at 3 TB/s and 600 kB at 2 TB/s take 433 ns.
  EXPECT_EQ(cell(tables, "other", kCeiling), "43.3 %");

  benchmarks = bandwidth();
  std::erase_if(benchmarks, [](const auto& each) { return each.id == "bandwidth/triad/20000"; });
  benchmarks.push_back(timed("x/it/1", {1000}, {.bytes_read = 8e5, .bytes_written = 2e5}));
  // 400 kB copied at 3 TB/s and 600 kB read at 4.
  EXPECT_EQ(cell(markdown_tables(results_with(benchmarks), {}), "it", kCeiling), "28.3 %");
}

TEST(Table, LargerIsWhatHasMoreElements) {
  const Work work{.bytes_read = 1000, .bytes_written = 1000};
  const std::string tables = markdown_tables(
      results_with({timed("bandwidth/copy/30x40", {1}, work),
                    timed("bandwidth/copy/999", {2}, work), timed("x/it/1", {2}, work)}),
      {});
  EXPECT_EQ(cell(tables, "it", kCeiling), "50.0 %");
}

TEST(Table, ACeilingThatWasNotMeasuredIsNotReplaced) {
  std::vector<BenchmarkResult> benchmarks = bandwidth();
  benchmarks[1].outcome = {results::Status::error, "out of memory"};  // read, at the largest size
  benchmarks.push_back(timed("x/it/1", {1}, {.bytes_read = 1000}));
  const std::string tables = markdown_tables(results_with(benchmarks), {});
  EXPECT_EQ(cell(tables, "it", kCeiling), "–");
  EXPECT_TRUE(contains(tables, "read not measured, write 2,000 GB/s")) << tables;
}

TEST(Table, WhatFitsIntoTheL2HasNoShareOfTheMemory) {
  std::vector<BenchmarkResult> benchmarks = bandwidth();
  benchmarks.push_back(timed("it/fits/1", {100}, {.bytes_read = 50'000, .bytes_written = 50'000}));
  benchmarks.push_back(
      timed("it/beyond/1", {100}, {.bytes_read = 50'000, .bytes_written = 50'001}));
  Results results = results_with(benchmarks);
  results.session->device.l2_bytes = 100'000;
  const std::string tables = markdown_tables(results, {});
  EXPECT_EQ(cell(tables, "fits", kCeiling), "–");
  EXPECT_EQ(cell(tables, "beyond", kCeiling), "33.3 %");
  EXPECT_TRUE(contains(tables, "No % of ceiling for what fits into the L2")) << tables;
  results.session->device.l2_bytes = 99'999;
  EXPECT_EQ(cell(markdown_tables(results, {}), "fits", kCeiling), "33.3 %");
  results.session->device.l2_bytes = 0;
  EXPECT_FALSE(contains(markdown_tables(results, {}), "fits into the L2"));
}

TEST(Table, TheRunsOwnCeilingsGoBeforeWhatItsBenchmarksShow) {
  std::vector<BenchmarkResult> benchmarks = bandwidth();
  benchmarks.push_back(timed("it/reads/1", {1000}, {.bytes_read = 1e6}));
  Results results = results_with(benchmarks);
  EXPECT_EQ(cell(markdown_tables(results, {}), "reads", kCeiling), "25.0 %");
  results.session->ceilings = {.size = "9", .bytes_per_second = {{"read", 2e12}}};
  EXPECT_EQ(cell(markdown_tables(results, {}), "reads", kCeiling), "50.0 %");
  results.session->ceilings = {.not_measured = "left out by --filter"};
  EXPECT_TRUE(contains(markdown_tables(results, {}), "No % of ceiling: left out by --filter"));
}

TEST(Table, HotTimesAreSaidToBeAndAreHeldAgainstNoCeiling) {
  Results results = results_with(bandwidth());
  results.session->hot = true;
  const std::string tables = markdown_tables(results, {});
  EXPECT_TRUE(contains(tables, "No % of ceiling: timed hot: some of the data came from the L2"))
      << tables;
  EXPECT_TRUE(contains(tables, ", caches hot, ")) << tables;
}

TEST(Table, WithoutBandwidthThereIsNoCeilingAndASentenceWhy) {
  const std::string tables =
      markdown_tables(results_with({timed("x/it/1", {1}, {.bytes_read = 1000})}), {});
  EXPECT_FALSE(contains(tables, "| % of ceiling")) << tables;
  EXPECT_TRUE(contains(tables, "No % of ceiling: the run had no benchmark of the family bandwidth"))
      << tables;
}

TEST(Table, ManyOperationsAByteAreARateOfOperations) {
  const auto rate = [](double operations) {
    return cell(
        markdown_tables(results_with({timed(
                            "x/it/1", {100},
                            {.bytes_read = 600, .bytes_written = 400, .operations = operations})}),
                        {}),
        "it", kRate);
  };
  EXPECT_EQ(rate(8000), "10.00 GB/s");
  EXPECT_EQ(rate(8001), "0.08 TFLOP/s");
}

TEST(Table, TheSpanIsTheDurationOfAReferenceToo) {
  const Work work{.bytes_read = 1000};
  std::vector<BenchmarkResult> benchmarks = bandwidth();
  benchmarks.push_back(timed("x/one/1", {300}, work));
  benchmarks.push_back(with_span(timed("x/cub/1", {100}, work), {150}));
  const std::string tables = markdown_tables(results_with(benchmarks), {});
  EXPECT_EQ(cell(tables, "one", kTime), "300.0 ns");
  EXPECT_EQ(cell(tables, "one", kRatio), "2.00");
  EXPECT_EQ(cell(tables, "cub", kTime), "100.0 ns (span 150.0 ns) †");
  EXPECT_EQ(cell(tables, "cub", kRatio), "1.00");
}

TEST(Table, WithoutSpansThereIsNoFootnote) {
  EXPECT_FALSE(contains(markdown_tables(results_with(bandwidth()), {}), "†"));
}

TEST(Table, WavefrontsThatWereNotCountedAreNotZero) {
  std::vector<BenchmarkResult> benchmarks = bandwidth();
  const Work work{.bytes_read = 1};
  benchmarks.push_back(timed("x/all/1", {1}, work, shared(2, 3, 4, 4)));
  benchmarks.push_back(timed("x/none/1", {1}, work, shared(0, 0, 0, 0)));
  benchmarks.push_back(timed("x/loads/1", {1}, work, shared(3, 96, 0, 0)));
  benchmarks.push_back(timed("x/absent/1", {1}, work, {}));
  benchmarks.push_back(timed(
      "x/half/1", {1}, work,
      {{"shared_load_requests", 5}, {"shared_load_wavefronts", 5}, {"shared_store_requests", 5}}));
  benchmarks.back().not_measured = {{"shared_store_wavefronts", "the chip lacks it"}};
  benchmarks.push_back(timed("x/nan/1", {1}, work, shared(1, 1, 0, 0)));
  benchmarks.back().metrics["shared_load_wavefronts"].problem = "is NaN";
  const std::string tables = markdown_tables(results_with(benchmarks), {});
  EXPECT_EQ(cell(tables, "all", kWavefronts), "1.50 / 1.00");
  EXPECT_EQ(cell(tables, "none", kWavefronts), "–");
  EXPECT_EQ(cell(tables, "loads", kWavefronts), "32.00 / –");
  EXPECT_EQ(cell(tables, "absent", kWavefronts), "not measured");
  EXPECT_EQ(cell(tables, "half", kWavefronts), "1.00 / not measured");
  EXPECT_EQ(cell(tables, "nan", kWavefronts), "not measured / –");
  EXPECT_TRUE(contains(tables, "Not measured: shared\\_store\\_wavefronts: the chip lacks it."))
      << tables;
  EXPECT_TRUE(contains(tables, "Not measured: shared\\_load\\_wavefronts is NaN (x/nan/1)."))
      << tables;
}

TEST(Table, ATimeThatIsMissingAmongOthersIsNotMeasured) {
  std::vector<BenchmarkResult> benchmarks = bandwidth();
  benchmarks.push_back(timed("x/it/1", {}, {.bytes_read = 1}));
  benchmarks.back().not_measured = {{"time", "it launched no kernel"}};
  benchmarks.push_back(timed("x/cub/1", {7}, {.bytes_read = 1}));
  const std::string tables = markdown_tables(results_with(benchmarks), {});
  EXPECT_EQ(cells(tables, "it"),
            (std::vector<std::string>{"`it`", "not measured", "–", "–", "–", "–"}))
      << tables;
  EXPECT_TRUE(contains(tables, "Not measured: time: it launched no kernel.")) << tables;
}

TEST(Table, WithoutAClockTheColumnsOfTimeAreLeftOut) {
  Results results =
      results_with({timed("transpose/shared/8x8", {}, {.bytes_read = 256}, shared(2, 64, 2, 2)),
                    timed("transpose/cub/8x8", {}, {.bytes_read = 256})});
  for (BenchmarkResult& each : results.benchmarks) {
    each.not_measured = {{"time", "the emulator has no clock"}};
  }
  results.session->device = emulated();
  results.session->toolchain.cuda = "";
  results.session->processes = 1;
  EXPECT_EQ(markdown_tables(results, {}), R"(### transpose

Size 8x8:

| variant | shared-memory wavefronts a request (loads / stores) |
|---|--:|
| `shared` | 32.00 / 1.00 |
| `cub` | – |

Not measured: time: the emulator has no clock.

Measured on emulated, 1 process, 2026-11-21T04:00:00Z.
)");
}

TEST(Table, OfAProcessorNamesNothingThatOnlyAGpuHas) {
  Results results = results_with({timed("BM_Sort/1000", {9955}, {}, {})});
  results.session->device.kind = results::DeviceKind::cpu;
  results.session->device.name = "AMD EPYC";
  results.session->device.driver = "";
  results.session->toolchain.cuda = "";
  results.session->ceilings = {.not_measured = "Google Benchmark's file does not say"};
  EXPECT_EQ(markdown_tables(results, {}), R"(### BM\_Sort

| variant | time |
|---|--:|
| `1000` | 9.955 µs |

Measured on AMD EPYC, 2 processes, 2026-11-21T04:00:00Z.
)");
  results.benchmarks.front().work.bytes_read = 8e3;
  EXPECT_NE(markdown_tables(results, {}).find("| variant | time | rate |\n"), std::string::npos);
}

TEST(Table, TheFirstReferenceThatWasTimedCounts) {
  const Work work{.bytes_read = 1};
  Results results = results_with({timed("x/naive/1", {30}, work), timed("x/cublas/1", {10}, work),
                                  timed("x/cub/1", {5}, work)});
  TableOptions options;
  EXPECT_TRUE(contains(markdown_tables(results, options), "time ÷ cub |"));
  results.benchmarks.back().outcome.status = results::Status::crashed;
  EXPECT_TRUE(contains(markdown_tables(results, options), "time ÷ cublas |"));
  options.references = {"naive"};
  EXPECT_TRUE(contains(markdown_tables(results, options), "time ÷ naive |"));
  options.references = {"other"};
  EXPECT_FALSE(contains(markdown_tables(results, options), "time ÷"));
}

TEST(Table, AReferenceServesItsOwnFamilyAndSizeOnly) {
  const Work work{.bytes_read = 1};
  std::vector<BenchmarkResult> benchmarks = bandwidth();
  benchmarks.push_back(timed("x/cub/1", {1}, work));
  benchmarks.push_back(timed("x/other_size/2", {1}, work));
  benchmarks.push_back(timed("y/other_family/1", {1}, work));
  const std::string tables = markdown_tables(results_with(benchmarks), {});
  EXPECT_EQ(cells(tables, "cub").size(), 6U);
  EXPECT_EQ(cells(tables, "other_size").size(), 5U);
  EXPECT_EQ(cells(tables, "other_family").size(), 5U);
}

TEST(Table, TextFromElsewhereStaysText) {
  Results results = results_with({timed("x/a|b/1", {1}, {})});
  results.benchmarks[0].outcome = {results::Status::error, "<img src=x>\n<!-- tables: end -->"};
  const std::string tables = markdown_tables(results, {});
  EXPECT_TRUE(contains(tables, "| a\\|b | failed |")) << tables;
  EXPECT_TRUE(contains(tables, "&lt;img src=x&gt; &lt;!-- tables: end --&gt;")) << tables;
}

class TableCommand : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    write("results.json", results_text(h200(), {{.id = "x/naive/1", .times_ns = {100, 102}},
                                                {.id = "x/cub/1", .times_ns = {50, 51}}}));
  }
};

TEST_F(TableCommand, PrintsWhatIsInTheFile) {
  const Finished printed = warpgauge("table results.json");
  EXPECT_EQ(printed.status, 0) << printed.output;
  EXPECT_TRUE(contains(printed.output, "| `naive` | 101.0 ns | not measured | 2.00 |"))
      << printed.output;
  EXPECT_TRUE(contains(printed.output, ", 2 processes, 2026-11-21T04:00:00Z.\n")) << printed.output;
  EXPECT_FALSE(contains(printed.output, "Printed by"));

  const Finished other = warpgauge("table --reference other,naive results.json");
  EXPECT_EQ(other.status, 0) << other.output;
  EXPECT_TRUE(contains(other.output, "| `cub` | 50.50 ns | not measured | 0.50 |")) << other.output;
}

TEST_F(TableCommand, ReadsAPlainFile) {
  write("plain.json", plain_text({nanoseconds("10")}));
  const Finished printed = warpgauge("table plain.json");
  EXPECT_EQ(printed.status, 0) << printed.output;
  EXPECT_TRUE(contains(printed.output, "### BM\\_copy\n\n| variant |")) << printed.output;
  EXPECT_TRUE(contains(printed.output, "Measured on: not recorded")) << printed.output;
}

TEST_F(TableCommand, ChangesNothingWhereItFails) {
  write("page.md", "no markers\n");
  const auto before = all_files();
  const auto fails = [&](const std::string& arguments, int status, const std::string& message) {
    const Finished finished = warpgauge(arguments);
    EXPECT_EQ(finished.status, status) << finished.output;
    EXPECT_TRUE(contains(finished.output, message)) << finished.output;
    EXPECT_EQ(std::count(finished.output.begin(), finished.output.end(), '\n'), 1)
        << finished.output;
  };
  fails("table absent.json", 4, "cannot read absent.json");
  fails("table page.md", 4, "page.md: is not JSON");
  fails("table", 64, "RESULTS is required");
  fails("table results.json --no-such-option", 64, "--no-such-option");
  EXPECT_EQ(all_files(), before);
}

}  // namespace
}  // namespace warpgauge::ci
