// SPDX-License-Identifier: Apache-2.0
// Which benchmarks are made of what a program launched.
#include "ci/measure/program/program_entries.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ci/measure/program/kernel_label.hpp"
#include "profiling/results/program_id.hpp"

namespace warpgauge::ci {
namespace {

using launches::InstanceRecord;
using launches::LaunchRecord;
using launches::RecordedEntry;
using launches::RecordedRange;
using results::Record;

RecordedEntry entry(const std::string& range, const std::string& kernel, std::uint64_t count,
                    std::uint64_t duration_ns) {
  RecordedEntry made;
  made.range = range;
  made.kernel = kernel;
  made.alike = {1, 1, 1, 0, {4096, 1, 1}, {128, 1, 1}, 0, 0, 32, 0};
  made.total = {1, 1, count, count * duration_ns};
  for (std::uint64_t i = 0; i < count; ++i) {
    made.launches.push_back({1, 1, i, 1000 * i, duration_ns});
  }
  return made;
}

RecordedRange range(const std::string& path, std::uint64_t instances, std::uint64_t gpu_ns) {
  RecordedRange made;
  made.path = path;
  made.total = {1, 0, instances, 2 * instances, instances * gpu_ns, instances * gpu_ns, gpu_ns * 2};
  for (std::uint64_t i = 0; i < instances; ++i) {
    made.instances.push_back({1, 1, i, 2, gpu_ns, gpu_ns, gpu_ns + 100});
  }
  return made;
}

ProgramStart start(std::vector<RecordedEntry> entries, std::vector<RecordedRange> ranges = {}) {
  ProgramStart made;
  made.processes.emplace_back();
  made.processes[0].header.end = launches::End::ended;
  made.processes[0].entries = std::move(entries);
  made.processes[0].ranges = std::move(ranges);
  return made;
}

RecordedEntry copy(const std::string& range, const char* name, std::uint64_t bytes,
                   std::uint64_t count, std::uint64_t duration_ns) {
  RecordedEntry made = entry(range, name, count, duration_ns);
  made.alike = {};
  made.alike.id = 1;
  made.alike.grid[0] = static_cast<std::uint32_t>(bytes);
  made.alike.grid[1] = static_cast<std::uint32_t>(bytes >> 32U);
  return made;
}

std::vector<Record> of(const std::vector<results::Observation>& all, const std::string& id) {
  std::vector<Record> found;
  for (const auto& each : all) {
    if (each.record.id == id) found.push_back(each.record);
  }
  return found;
}

TEST(KernelLabels, AreShortAndTellKernelsApart) {
  EXPECT_EQ(short_kernel_name("softmax_kernel"), "softmax_kernel");
  EXPECT_EQ(short_kernel_name("scale(float*, float)"), "scale");
  EXPECT_EQ(short_kernel_name("void ns::copy<4, float>(float const*, float*)"), "copy<4,float>");
  EXPECT_EQ(short_kernel_name("void (anonymous namespace)::norm<8>(int)"), "norm<8>");
  const std::string one = short_kernel_name(
      "void at::native::elementwise<4, at::native::FillFunctor<float>, std::array<char*, "
      "1ul>>(int)");
  const std::string other = short_kernel_name(
      "void at::native::elementwise<4, at::native::AddFunctor<float>, std::array<char*, "
      "1ul>>(int)");
  EXPECT_EQ(one.substr(0, 12), "elementwise<");
  EXPECT_EQ(one.size(), other.size());
  EXPECT_NE(one, other);
  EXPECT_LE(short_kernel_name(std::string(500, 'k')).size(), 90U);
  const std::string mangled = short_kernel_name(
      "_ZN2at6native54_GLOBAL__N__d8ceb000_21_DistributionNormal_cu_0c5b6e8543distribution_"
      "elementwise_grid_stride_kernelIfLi4EEEvi");
  EXPECT_TRUE(mangled.starts_with("distribution_elementwise_grid_stride_kernel<")) << mangled;
  EXPECT_EQ(short_kernel_name("_Znothing"), "_Znothing");
  EXPECT_EQ(short_kernel_name("a/b"), "a|b") << "a slash ends a part of an id";
  EXPECT_EQ(shape_text({4096, 1, 1}, {128, 1, 1}), "4096·128");
  EXPECT_EQ(shape_text({16, 1, 2}, {32, 8, 1}), "16x1x2·32x8");
}

std::string id_of(const std::string& path) { return range_ids({path}).at(path); }

TEST(KernelLabels, BeginWithWhatMayNameAFile) {
  EXPECT_EQ(id_of(""), "program");
  EXPECT_EQ(id_of("forward/attention"), "forward/attention");
  EXPECT_EQ(id_of("test_a.py::test[1]/x y"), "test_a.py__test_1_/x y");
  EXPECT_EQ(id_of("/odd"), "_/odd");
  EXPECT_EQ(id_of(".hidden"), "_hidden");
  EXPECT_EQ(id_of("program/x"), "program_/x") << "which is the whole program";
  EXPECT_EQ(id_of("device"), "device_") << "which names another file of a baseline";
  EXPECT_LE(id_of(std::string(5'000, 'r')).size(), 210U);
  EXPECT_LE(id_of("a/" + std::string(5'000, 'r')).size(), 210U);
}

TEST(KernelLabels, TellRangesApartThatWouldShareAFile) {
  const auto ids = range_ids({"a b", "a_b", "a.b", "a b/c", "a:b"});
  EXPECT_EQ(ids.at("a_b"), "a_b") << "it is spelled so";
  EXPECT_EQ(ids.at("a.b"), "a.b");
  EXPECT_EQ(ids.at("a b").substr(0, 4), "a_b-");
  EXPECT_EQ(ids.at("a b").size(), 12U);
  EXPECT_NE(ids.at("a b"), ids.at("a:b"));
  EXPECT_EQ(ids.at("a b/c"), ids.at("a b") + "/c");
}

TEST(ProgramEntries, AreKernelsInRangesRangesAndTheWhole) {
  std::vector<ProgramStart> starts;
  for (const std::uint64_t more : {0, 10, 20}) {
    starts.push_back(start(
        {entry("step", "void norm<4>(float*)", 100, 5000 + more), entry("", "fill(int*)", 20, 900)},
        {range("", 1, 518'000), range("step", 50, 10'000 + 2 * more)}));
  }
  const auto all = program_observations(starts);
  const auto norm = of(all, "step/norm<4>/4096·128");
  ASSERT_EQ(norm.size(), 3U);
  EXPECT_DOUBLE_EQ(*norm[1].time_ns, 5010);
  EXPECT_EQ(norm[1].counters.at(results::kKernelLaunches), 100);
  EXPECT_NEAR(norm[0].counters.at(results::kGpuTimeShare), 500.0 / 518, 1e-9);
  EXPECT_EQ(norm[0].kernels, std::vector<std::string>{"void norm<4>(float*)"});
  EXPECT_EQ(norm[0].samples_ns.size(), 90U) << "a tenth warms up";
  ASSERT_EQ(of(all, "program/fill/4096·128").size(), 3U);
  const auto step = of(all, "step");
  ASSERT_EQ(step.size(), 3U);
  EXPECT_DOUBLE_EQ(*step[2].time_ns, 10'040);
  EXPECT_EQ(step[2].counters.at(results::kRangeLaunches), 2);
  EXPECT_DOUBLE_EQ(step[2].counters.at(results::kRangeIdle), 100);
  const auto whole = of(all, "program");
  ASSERT_EQ(whole.size(), 3U);
  EXPECT_FALSE(whole[0].time_ns) << "its ranges are timed";
}

TEST(ProgramEntries, WithoutRangesTheWholeProgramIsTimed) {
  const ProgramStart one = start({entry("", "k", 10, 100)}, {range("", 1, 1000)});
  const auto whole = of(program_observations({one, one, one}), "program");
  ASSERT_EQ(whole.size(), 3U);
  EXPECT_EQ(*whole[0].time_ns, 1000);
}

TEST(ProgramEntries, AreCopiesAndMemsetsByTheirBytes) {
  const ProgramStart one =
      start({entry("step", "k", 100, 6'000), copy("step", results::kCopyOnDevice, 4096, 100, 3'000),
             copy("step", results::kMemset, (std::uint64_t{3} << 32U) + 8, 100, 1'000)},
            {range("", 1, 1'000'000), range("step", 100, 10'000)});
  const auto all = program_observations({one, one, one});
  const auto copied = of(all, "step/memcpy-device-to-device/4096·bytes");
  ASSERT_EQ(copied.size(), 3U);
  EXPECT_EQ(copied[0].time_ns, 3'000);
  EXPECT_EQ(copied[0].counters.at(results::kKernelLaunches), 100);
  EXPECT_DOUBLE_EQ(copied[0].counters.at(results::kGpuTimeShare), 0.3);
  EXPECT_TRUE(copied[0].launches.empty());
  EXPECT_TRUE(copied[0].not_measured.empty()) << "it has neither machine code nor counters";
  EXPECT_TRUE(copied[0].remarks.empty());
  EXPECT_EQ(of(all, "step/memset-device/12884901896·bytes").size(), 3U);
}

// However long the host takes for them.
TEST(ProgramEntries, TransfersAreNoPartOfWhatSharesAreOf) {
  const ProgramStart one = start(
      {entry("step", "k", 100, 6'000), copy("load", results::kCopyToDevice, 4096, 100, 1'000'000)},
      {range("", 1, 600'000), range("step", 100, 6'000), range("load", 100, 0)});
  const auto all = program_observations({one, one, one});
  EXPECT_DOUBLE_EQ(of(all, "step/k/4096·128").at(0).counters.at(results::kGpuTimeShare), 1);
  const auto transfer = of(all, "load/memcpy-host-to-device/4096·bytes");
  ASSERT_EQ(transfer.size(), 3U);
  EXPECT_LT(transfer[0].counters.at(results::kGpuTimeShare), 1);
  ASSERT_EQ(transfer[0].remarks.size(), 1U);
  EXPECT_NE(transfer[0].remarks[0].find("as long as the host or another GPU lets it"),
            std::string::npos);
  EXPECT_NE(of(all, "load").at(0).not_measured.at("time").find("for the host"), std::string::npos);
  EXPECT_FALSE(of(all, "program").at(0).time_ns) << "what the ranges cover is all of the GPU time";
}

// As a process leaves them that was killed.
TEST(ProgramEntries, OfRangesWithoutSingleTimesTheirMeanStandsForThem) {
  RecordedRange killed = range("step", 1'000, 500);
  killed.instances.clear();
  const ProgramStart one = start({entry("step", "k", 2'000, 250)}, {range("", 1, 500'000), killed});
  const auto step = of(program_observations({one, one, one}), "step");
  ASSERT_EQ(step.size(), 3U);
  EXPECT_EQ(step[0].time_ns, 500);
  EXPECT_EQ(step[0].counters.at(results::kRangeLaunches), 2);

  killed.total.instances = 1;
  const ProgramStart once =
      start({entry("step", "k", 2'000, 250)}, {range("", 1, 500'000), killed});
  const auto open = of(program_observations({once, once, once}), "step");
  ASSERT_EQ(open.size(), 3U);
  EXPECT_EQ(open[0].not_measured.at("time"), "its entering was never finished");
}

TEST(ProgramEntries, OfUnstableChoicesAreLeftToTheirRange) {
  const auto with = [](const std::string& kernel) {
    return start({entry("step", "always", 10, 100), entry("step", kernel, 10, 100)},
                 {range("", 1, 2000), range("step", 10, 200)});
  };
  const auto all = program_observations({with("one"), with("two"), with("one")});
  EXPECT_TRUE(of(all, "step/one/4096·128").empty());
  EXPECT_TRUE(of(all, "step/two/4096·128").empty());
  EXPECT_EQ(of(all, "step/always/4096·128").size(), 3U);
  const auto step = of(all, "step");
  ASSERT_EQ(step.size(), 3U);
  EXPECT_EQ(step[1].counters.at(results::kOtherTime), 1000);
  ASSERT_EQ(step[0].remarks.size(), 1U);
  EXPECT_NE(step[0].remarks[0].find("step/one/4096·128 (in 2 of 3 processes)"), std::string::npos)
      << step[0].remarks[0];
}

TEST(ProgramEntries, OfOtherMachineCodeInAProcessAreUnstableToo) {
  std::vector<ProgramStart> starts;
  for (const char* hash : {"aa", "aa", "bb"}) {
    starts.push_back(
        start({entry("step", "k", 10, 100)}, {range("", 1, 1000), range("step", 5, 200)}));
    results::KernelCode code;
    code.name = "k";
    code.sass_hash = hash;
    code.registers = 32;
    starts.back().code["k"] = {code};
    code.sass_hash = "of another variant";
    code.registers = 64;
    starts.back().code["k"].push_back(code);
  }
  EXPECT_TRUE(of(program_observations(starts), "step/k/4096·128").empty());
  starts.back() = starts.front();
  const auto kernel = of(program_observations(starts), "step/k/4096·128");
  ASSERT_EQ(kernel.size(), 3U);
  ASSERT_EQ(kernel[0].machine_code.size(), 1U) << "by the registers that it was launched with";
  EXPECT_EQ(kernel[0].machine_code[0].sass_hash, "aa");
}

// A process that chose otherwise does not hide how the kernel fares in the rest.
TEST(ProgramEntries, AreTimedWhereOneOfFourStartsLacksThem) {
  const ProgramStart with =
      start({entry("step", "k", 10, 100)}, {range("", 1, 1000), range("step", 5, 200)});
  const ProgramStart without =
      start({entry("step", "other", 10, 100)}, {range("", 1, 1000), range("step", 5, 200)});
  const auto all = program_observations({with, without, with, with});
  const auto kernel = of(all, "step/k/4096·128");
  ASSERT_EQ(kernel.size(), 3U);
  EXPECT_EQ(*kernel[2].time_ns, 100);
  EXPECT_TRUE(kernel[0].not_measured.contains(results::kKernelLaunches));
  ASSERT_EQ(kernel[0].remarks.size(), 1U);
  EXPECT_NE(kernel[0].remarks[0].find("in 3 of 4 processes"), std::string::npos);
  EXPECT_EQ(of(all, "step")[1].counters.at(results::kOtherTime), 1000);
  EXPECT_TRUE(of(all, "step/other/4096·128").empty());
}

// Variants that were tried out and not chosen are of the same name and take as much.
TEST(ProgramEntries, HaveTheMachineCodeOfTheModuleThatWasLaunched) {
  std::vector<ProgramStart> starts;
  for (const char* tried_out : {"aa", "bb", "cc"}) {
    starts.push_back(
        start({entry("step", "k", 10, 100)}, {range("", 1, 1000), range("step", 5, 200)}));
    ProgramStart& one = starts.back();
    results::KernelCode code;
    code.name = "k";
    code.registers = 32;
    for (const char* hash : {"launched", tried_out}) {
      code.sass_hash = hash;
      one.code["k"].push_back(code);
    }
  }
  EXPECT_TRUE(of(program_observations(starts), "step/k/4096·128").empty());
  for (ProgramStart& each : starts) {
    RecordedEntry& recorded = each.processes[0].entries[0];
    recorded.alike.code[0] = 7;
    const std::string file = launches::code_file({{7, 0}});
    each.code_of_modules[{file, "k"}] = {each.code["k"].front()};
  }
  const auto kernel = of(program_observations(starts), "step/k/4096·128");
  ASSERT_EQ(kernel.size(), 3U);
  ASSERT_EQ(kernel[0].machine_code.size(), 1U);
  EXPECT_EQ(kernel[0].machine_code[0].sass_hash, "launched");
}

TEST(ProgramEntries, OfOneLabelAreToldApartByTheirWholeNames) {
  const ProgramStart one =
      start({entry("", "void a::f<4>(float*)", 100, 10'000),
             entry("", "void b::f<4>(float*)", 100, 20'000), entry("", "g(int*)", 100, 10'000)},
            {range("", 1, 4'000'000)});
  const auto all = program_observations({one, one, one});
  EXPECT_TRUE(of(all, "program/f<4>/4096·128").empty());
  EXPECT_EQ(of(all, "program/g/4096·128").size(), 3U);
  std::vector<double> times;
  for (const auto& each : all) {
    if (each.process != 0 || !each.record.id.starts_with("program/f<4>~")) continue;
    EXPECT_EQ(each.record.id.size(), std::string("program/f<4>~01234567/4096·128").size());
    times.push_back(*each.record.time_ns);
  }
  std::sort(times.begin(), times.end());
  EXPECT_EQ(times, (std::vector<double>{10'000, 20'000}));
}

TEST(ProgramEntries, SayHowOftenTheyAreLaunchedEachTimeThatTheRangeIsEntered) {
  const auto launches_of = [](std::uint64_t launches) {
    const ProgramStart one = start({entry("step", "k", launches, 10'000)},
                                   {range("", 1, launches * 10'000), range("step", 20, 10'000)});
    return of(program_observations({one, one, one}), "step/k/4096·128").at(0);
  };
  EXPECT_EQ(launches_of(40).launches.at(0).count, 2U);
  const Record odd = launches_of(41);
  EXPECT_TRUE(odd.launches.empty());
  EXPECT_TRUE(odd.not_measured.contains(results::kLaunches));
}

TEST(ProgramEntries, OutsideOfRangesAreJudgedByTheWholeProgram) {
  const auto whole_with = [](std::uint64_t outside_ns) {
    const ProgramStart one =
        start({entry("cub", "sort", 10, 100'000), entry("", "own", 10, outside_ns)},
              {range("", 1, 1'000'000 + 10 * outside_ns), range("cub", 10, 100'000)});
    return of(program_observations({one, one, one}), "program").at(0);
  };
  EXPECT_FALSE(whole_with(1'000).time_ns) << "the range covers 99 % of the GPU time";
  EXPECT_EQ(whole_with(1'000).not_measured.at("time"), results::kRangesAreTimed);
  EXPECT_EQ(whole_with(10'000).time_ns, 1'100'000) << "it covers 91 %";
}

TEST(ProgramEntries, OfTheWholeProgramAreThoseOfTheStartsThatLaunchAsManyKernels) {
  const auto started = [](std::uint64_t launches) {
    RecordedRange whole = range("", 1, launches * 10'000);
    whole.total.launches = launches;
    return start({entry("", "k", launches, 10'000)}, {whole});
  };
  const ProgramStart usual = started(100);
  const ProgramStart other = started(101);
  const auto whole = of(program_observations({other, usual, usual, usual}), "program");
  ASSERT_EQ(whole.size(), 3U);
  for (const Record& each : whole) EXPECT_EQ(each.time_ns, 1'000'000);
  EXPECT_EQ(
      whole[0].remarks,
      (std::vector<std::string>{"launched 100 kernels in 3 of 4 processes, which it is timed by"}));
  EXPECT_TRUE(whole[0].not_measured.contains(results::kRangeLaunches));
  const auto unsteady = of(program_observations({other, usual, other, usual}), "program");
  ASSERT_EQ(unsteady.size(), 4U);
  EXPECT_FALSE(unsteady[0].time_ns);
  EXPECT_EQ(unsteady[0].not_measured.at("time"), results::kLaunchesDiffer);
}

TEST(ProgramEntries, OfSeveralProcessesSayHowFarTheseDiffer) {
  ProgramStart one = start({entry("", "k", 100, 10'000), entry("", "ncclDevKernel_x", 100, 10'000)},
                           {range("", 1, 2'000'000)});
  one.processes.push_back(one.processes.front());
  one.processes[1].entries[0].total.gpu_ns = 1'100'000;
  const auto all = program_observations({one, one, one});
  const auto kernel = of(all, "program/k/4096·128");
  ASSERT_EQ(kernel.at(0).remarks.size(), 1U);
  EXPECT_EQ(kernel[0].remarks[0], "over 2 processes of a start from 10.00 µs to 11.00 µs (10.0 %)");
  const auto waiting = of(all, "program/ncclDevKernel_x/4096·128");
  ASSERT_EQ(waiting.at(0).remarks.size(), 2U);
  EXPECT_NE(waiting[0].remarks[1].find("waits for others"), std::string::npos);
}

TEST(ProgramEntries, OfRanksSayWhichDifferAndHowFar) {
  ProgramStart one = start({entry("", "k", 100, 10'000)}, {range("", 1, 1'000'000)});
  one.processes.resize(3, one.processes.front());
  for (int i = 0; i < 3; ++i) one.processes[i].header.rank_from_1 = 3 - i;
  one.processes[1].entries[0].total.gpu_ns = 1'100'000;
  const auto kernel = of(program_observations({one, one, one}), "program/k/4096·128");
  ASSERT_EQ(kernel.at(0).remarks.size(), 1U);
  EXPECT_EQ(kernel[0].remarks[0],
            "over 3 ranks from 10.00 µs (rank 0) to 11.00 µs (rank 1) (10.0 %)");
}

TEST(ProgramEntries, RemarkOnRanksThatLeftNoRecords) {
  ProgramStart one = start({entry("", "k", 100, 10'000)}, {range("", 1, 1'000'000)});
  one.processes.resize(2, one.processes.front());
  for (int i = 0; i < 2; ++i) {
    one.processes[i].header.rank_from_1 = i + 1;
    one.processes[i].header.ranks = 2;
  }
  EXPECT_TRUE(of(program_observations({one, one, one}), "program").at(0).remarks.empty());
  one.processes[1].header.ranks = 4;
  const Record whole = of(program_observations({one, one, one}), "program").at(0);
  ASSERT_EQ(whole.remarks.size(), 1U);
  EXPECT_EQ(whole.remarks[0].find("2 of 4 ranks left records"), 0U) << whole.remarks[0];
}

TEST(ProgramEntries, RemarkOnWhatTheRecordsLack) {
  ProgramStart one = start({entry("", "k", 10, 100)}, {range("", 1, 1000)});
  EXPECT_TRUE(of(program_observations({one, one, one}), "program").at(0).remarks.empty());
  ProgramStart other = one;
  other.processes[0].header.counts.folded = 3;
  other.processes[0].header.counts.folded_ranges = 2;
  other.processes[0].header.end = launches::End::none;
  const Record whole = of(program_observations({one, other, one}), "program").at(0);
  ASSERT_EQ(whole.remarks.size(), 3U);
  EXPECT_NE(whole.remarks[0].find("alone: 3 times"), std::string::npos) << whole.remarks[0];
  EXPECT_NE(whole.remarks[1].find("entered 2 times"), std::string::npos) << whole.remarks[1];
  EXPECT_NE(whole.remarks[2].find("not seen 1 time,"), std::string::npos) << whole.remarks[2];
}

TEST(ProgramEntries, ThatAreSmallOrOfCompilationAreNone) {
  const ProgramStart one =
      start({entry("step", "large", 10, 100'000), entry("step", "small", 1, 100),
             entry("TSL:XlaCompile:#x#/tune", "redzone", 10, 100'000)},
            {range("", 1, 2'000'000), range("step", 10, 100'010),
             range("TSL:XlaCompile:#x#/tune", 10, 100'000)});
  const auto all = program_observations({one, one, one});
  EXPECT_FALSE(of(all, "step/large/4096·128").empty());
  EXPECT_TRUE(of(all, "step/small/4096·128").empty());
  EXPECT_EQ(all.size(), 9U) << "large, step and the program, in each process";
  EXPECT_NEAR(of(all, "step")[0].counters.at(results::kOtherTime), 100, 1e-9);
}

TEST(ProgramEntries, AreNoRangeOfXlaThatIsAllThereIsInTheOneAround) {
  const auto module_beside = [](std::uint64_t others) {
    RecordedRange step = range("step", 10, 10'000);
    step.total.launches += others;
    const ProgramStart one =
        start({entry("step/TSL:jit_f", "fusion", 20, 5'000)},
              {range("", 1, 100'000), step, range("step/TSL:jit_f", 10, 10'000)});
    return program_observations({one, one, one});
  };
  EXPECT_TRUE(of(module_beside(0), "step/TSL:jit_f").empty());
  EXPECT_EQ(of(module_beside(0), "step").size(), 3U);
  EXPECT_EQ(of(module_beside(0), "step/TSL:jit_f/fusion/4096·128").size(), 3U);
  EXPECT_EQ(of(module_beside(10), "step/TSL:jit_f").size(), 3U) << "step launches more than that";
  const ProgramStart alone = start({entry("TSL:jit_f", "fusion", 2, 50'000)},
                                   {range("", 1, 100'000), range("TSL:jit_f", 1, 100'000)});
  EXPECT_EQ(of(program_observations({alone, alone, alone}), "TSL_jit_f").size(), 3U);
}

TEST(ProgramEntries, OfAFewShortLaunchesAreLeftToTheirRange) {
  const ProgramStart one =
      start({entry("step", "rare", 3, 9'000), entry("step", "long", 3, 200'000)},
            {range("", 1, 627'000), range("step", 3, 209'000)});
  const auto all = program_observations({one, one, one});
  EXPECT_TRUE(of(all, "step/rare/4096·128").empty());
  EXPECT_FALSE(of(all, "step/long/4096·128").empty());
  EXPECT_NE(of(all, "step")[0].remarks.at(0).find("step/rare/4096·128 (launched 3 times)"),
            std::string::npos);
}

TEST(ProgramEntries, OfADifferentNumberOfLaunchesAreTimedAllTheSame) {
  const auto with = [](std::uint64_t count) {
    return start({entry("step", "k", count, 100)},
                 {range("", 1, 100 * count), range("step", 5, 200)});
  };
  const auto kernel = of(program_observations({with(100), with(120), with(90)}), "step/k/4096·128");
  ASSERT_EQ(kernel.size(), 3U);
  EXPECT_EQ(*kernel[0].time_ns, 100);
  EXPECT_FALSE(kernel[0].counters.contains(results::kKernelLaunches));
  EXPECT_TRUE(kernel[0].not_measured.contains(results::kKernelLaunches));
}

}  // namespace
}  // namespace warpgauge::ci
