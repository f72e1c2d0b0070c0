// SPDX-License-Identifier: Apache-2.0
// Source lines held against made-up machine code.
#include "profiling/machine_code/suite_code.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ci/measure/line_traffic.hpp"
#include "ci/report/line_table_report.hpp"
#include "ci/support/files/source_tree.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

using machine_code::Cubin;
using machine_code::Function;
using machine_code::Instruction;
using machine_code::MemoryAccess;
using machine_code::Operation;
using machine_code::Place;
using results::Access;
using results::Compiled;
using results::InstructionTraffic;
using results::Record;
using results::SourceLine;

namespace fs = std::filesystem;

constexpr const char* kKernel = "void kernel<1>(float*)";
constexpr const char* kPath = "/build/of/someone/kernels/transpose.cuh";

Instruction instruction(Operation operation, int width, int line) {
  return {0, {operation, width}, {{kPath, line}}};
}

Function function_of(const std::vector<Instruction>& accesses, const std::string& name = kKernel) {
  Function function;
  function.name = name;
  function.is_kernel = true;
  function.accesses = accesses;
  return function;
}

SourceLine written(int line, int column, Access access, int width = 4) {
  SourceLine source = source_line(line, access, 1, 1, "x = y;");
  source.column = column;
  source.width_bytes = width;
  return source;
}

// The text for the first of these lines.
std::string told(const std::vector<SourceLine>& lines, const std::vector<Instruction>& accesses) {
  Record record;
  record.kernels = {kKernel};
  record.lines = lines;
  MachineCode({Cubin{90, {function_of(accesses)}}}).annotate(record);
  return describe_compiled(record.lines.at(0));
}

std::vector<Instruction> times(int count, Operation operation, int width, int line = 7) {
  return std::vector<Instruction>(static_cast<std::size_t>(count),
                                  instruction(operation, width, line));
}

std::vector<Instruction> operator+(std::vector<Instruction> a, const std::vector<Instruction>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const std::vector<SourceLine> kOneLoad{written(7, 1, Access::shared_load)};
const std::vector<SourceLine> kTwoLoads{written(7, 1, Access::shared_load),
                                        written(7, 9, Access::shared_load)};

TEST(MachineCodeOfLines, AsManyOfTheWidthAreConfirmed) {
  EXPECT_EQ(told(kOneLoad, times(1, Operation::shared_load, 4)), "confirmed: 1 × LDS.32");
  EXPECT_EQ(told(kTwoLoads, times(2, Operation::shared_load, 4)), "confirmed: 2 × LDS.32");
  EXPECT_EQ(told({written(7, 1, Access::shared_load, 16)}, times(1, Operation::shared_load, 16)),
            "confirmed: 1 × LDS.128");
}

TEST(MachineCodeOfLines, ALineThatIsUnrolledIsConfirmedByMultiples) {
  EXPECT_EQ(told(kTwoLoads, times(16, Operation::shared_load, 4)), "confirmed: 16 × LDS.32");
  EXPECT_EQ(told(kTwoLoads, times(15, Operation::shared_load, 4)), "fewer: 15 × LDS.32");
}

TEST(MachineCodeOfLines, WiderInstructionsAreMerged) {
  EXPECT_EQ(
      told(kTwoLoads, times(16, Operation::shared_load, 4) + times(4, Operation::shared_load, 16)),
      "merged: 4 × LDS.128, 16 × LDS.32");
  EXPECT_EQ(told(kOneLoad, times(1, Operation::matrix_load, 16)), "merged: 1 × LDSM.128");
}

TEST(MachineCodeOfLines, NoneIsAbsentAndNotAllAreFewer) {
  EXPECT_EQ(told(kOneLoad, {}), "absent");
  EXPECT_EQ(told(kOneLoad, times(1, Operation::shared_store, 4)), "absent");
  EXPECT_EQ(told(kOneLoad, times(1, Operation::shared_load, 4, 8)), "absent");
  EXPECT_EQ(told(kTwoLoads, times(1, Operation::shared_load, 4)), "fewer: 1 × LDS.32");
  const SourceLine wide = written(7, 9, Access::shared_load, 8);
  EXPECT_EQ(told({kOneLoad[0], wide}, times(2, Operation::shared_load, 8)), "fewer: 2 × LDS.64");
}

TEST(MachineCodeOfLines, OtherInstructionsAreDifferent) {
  EXPECT_EQ(told({written(7, 1, Access::shared_load, 8)}, times(2, Operation::shared_load, 4)),
            "different: 2 × LDS.32");
  EXPECT_EQ(told(kOneLoad, times(1, Operation::generic_load, 4)), "different: 1 × LD.32 (generic)");
}

TEST(MachineCodeOfLines, AnAtomicMayBeALoopAroundCompareAndSwap) {
  const std::vector<SourceLine> atomic{written(7, 1, Access::shared_atomic)};
  EXPECT_EQ(told(atomic, times(1, Operation::shared_atomic, 4)), "confirmed: 1 × ATOMS.32");
  EXPECT_EQ(told(atomic, times(1, Operation::shared_exchange, 4)), "confirmed: 1 × ATOMS.CAS.32");
  EXPECT_EQ(
      told(atomic, times(1, Operation::shared_load, 4) + times(1, Operation::shared_exchange, 4)),
      "different: 1 × ATOMS.CAS.32");
}

TEST(MachineCodeOfLines, AnAdditionOfOneThatIsCountedInTheWarpIsNotAsWritten) {
  const std::vector<SourceLine> atomic{written(7, 1, Access::shared_atomic)};
  EXPECT_EQ(told(atomic, times(4, Operation::shared_count, 4)), "different: 4 × ATOMS.POPC.INC.32");
}

TEST(MachineCodeOfLines, AnAsynchronousCopyIsALoadAndAStore) {
  const auto copy = times(1, Operation::async_copy, 16);
  EXPECT_EQ(told({written(7, 1, Access::shared_store, 16)}, copy), "confirmed: 1 × LDGSTS.128");
  EXPECT_EQ(told({written(7, 1, Access::global_load, 16)}, copy), "confirmed: 1 × LDGSTS.128");
  // Of architectures whose width is not known.
  EXPECT_EQ(told({written(7, 1, Access::shared_store, 16)}, times(1, Operation::async_copy, 0)),
            "confirmed: 1 × LDGSTS");
}

TEST(MachineCodeOfLines, HeadersOfOthersStandForTheLineThatUsesThem) {
  Instruction atomic = instruction(Operation::global_atomic, 0, 7);
  atomic.places = {{"/usr/local/cuda/include/sm_60_atomic_functions.hpp", 90}, {kPath, 7}};
  EXPECT_EQ(told({written(7, 1, Access::global_atomic)}, {atomic}), "confirmed: 1 × ATOMG");
  // The innermost of our own counts, not whoever called it.
  Instruction load = instruction(Operation::shared_load, 4, 7);
  load.places.push_back({kPath, 20});
  EXPECT_EQ(told({written(20, 1, Access::shared_load)}, {load}), "absent");
  // Part of a name is another file.
  load.places = {{"/build/mykernels/transpose.cuh", 7}};
  EXPECT_EQ(told(kOneLoad, {load}), "absent");
}

TEST(MachineCodeOfKernels, LoadsAndAccessesToLocalMemoryHaveTheirPlaces) {
  Function function = function_of(
      {instruction(Operation::global_load, 16, 7), instruction(Operation::global_store, 4, 8)});
  function.local_accesses = {{{.is_store = true, .width_bytes = 4}, {{kPath, 9}}}};
  Cubin cubin{90, {function}};
  cubin.kernels = {kernel_code(kKernel, 'a')};
  const MachineCode code({cubin});
  const auto places = code.places_of(kKernel);
  ASSERT_EQ(places.size(), 2U);
  EXPECT_EQ(places[0].kind, "load global 128");
  EXPECT_EQ(places[0].places.front().line, 7);
  EXPECT_EQ(places[1].kind, "store local 32");
  EXPECT_EQ(places[1].places.front().line, 9);
  EXPECT_TRUE(code.places_of("another()").empty());
}

// As of kernels of anonymous namespaces.
TEST(MachineCodeOfKernels, EachOfSeveralOfOneNameHasItsPlaces) {
  std::vector<Cubin> cubins;
  for (const char which : {'a', 'b'}) {
    const int line = which == 'a' ? 7 : 20;
    Function function = function_of({instruction(Operation::global_load, 16, line)});
    const results::KernelCode code = kernel_code(kKernel, which);
    function.sass_hash = code.sass_hash;
    cubins.push_back(Cubin{90, {function}});
    cubins.back().kernels = {code};
  }
  const MachineCode code(cubins);
  EXPECT_TRUE(code.places_of(kKernel).empty()) << "which of them is not said";
  for (const Cubin& each : cubins) {
    const auto places = code.places_of(each.kernels.front());
    ASSERT_EQ(places.size(), 1U);
    EXPECT_EQ(places[0].places.front().line,
              each.functions.front().accesses.front().places.front().line);
  }
}

TEST(MachineCodeOfLines, OfKernelsThatAreNotThereNothingIsTold) {
  Record record;
  record.lines = kOneLoad;
  const MachineCode code({Cubin{90, {function_of(times(1, Operation::shared_load, 4))}}});
  code.annotate(record);  // kernels were not observed
  EXPECT_EQ(record.lines[0].compiled, Compiled::unknown);
  record.kernels = {kKernel, "another(int*)"};
  code.annotate(record);
  EXPECT_EQ(record.lines[0].compiled, Compiled::unknown);
}

TEST(MachineCodeOfLines, TheKernelsOfTheBenchmarkCountAndOfTheNewestArchitecture) {
  Record record;
  record.kernels = {kKernel, "second()"};
  record.lines = kOneLoad;
  const auto one = times(1, Operation::shared_load, 4);
  Function callee = function_of(one, "apart()");
  callee.is_kernel = false;
  MachineCode(
      {Cubin{80, {function_of(times(5, Operation::shared_load, 8))}},
       Cubin{90,
             {function_of(one), function_of(one, "second()"), function_of(one, "third()"), callee}},
       Cubin{90, {function_of(one)}}})  // the same template in another file
      .annotate(record);
  EXPECT_EQ(describe_compiled(record.lines[0]), "confirmed: 3 × LDS.32");
}

constexpr const char* kAnother = "another()";

Cubin cubin_of(int architecture, std::vector<results::KernelCode> kernels) {
  for (auto& each : kernels) each.architecture = "sm_" + std::to_string(architecture);
  return {architecture, {}, std::move(kernels)};
}

Record launched(const std::vector<std::string>& kernels) {
  Record record;
  record.kernels = kernels;
  return record;
}

TEST(MachineCodeOfKernels, IsOfAllArchitecturesAndItsMetricsOfTheNewest) {
  results::KernelCode spills = kernel_code(kKernel, 'a', 64);
  spills.spill_store_bytes = 8;
  spills.spill_load_bytes = 12;
  spills.stack_bytes = 16;
  results::KernelCode spills_too = kernel_code(kAnother, 'b', 40);
  spills_too.spill_store_bytes = 4;
  spills_too.static_shared_bytes = 4224;
  const MachineCode code(
      {cubin_of(80, {kernel_code(kKernel, 'c', 99), kernel_code(kAnother, 'c', 99)}),
       cubin_of(90, {spills, spills_too, kernel_code("third()", 'd', 255)})});
  Record record = launched({kKernel, kAnother});
  code.add_kernels(record);
  EXPECT_FALSE(record.not_measured.contains("machine_code"));
  EXPECT_EQ(record.machine_code.size(), 4U);
  const std::map<std::string, double> expected{
      {"registers", 64},         {"static_shared_bytes", 4224}, {"stack_bytes", 16},
      {"spill_store_bytes", 12}, {"spill_load_bytes", 12},      {"code_bytes", 4096},
      {"code_instructions", 200}};
  EXPECT_EQ(record.counters, expected);
}

TEST(MachineCodeOfKernels, WhatIsNotKnownOfOneIsNotMeasured) {
  results::KernelCode unknown = kernel_code(kAnother, 'b');
  unknown.stack_bytes.reset();
  Record record = launched({kKernel, kAnother});
  MachineCode({cubin_of(90, {kernel_code(kKernel, 'a'), unknown})}).add_kernels(record);
  EXPECT_FALSE(record.counters.contains("stack_bytes"));
  EXPECT_TRUE(record.counters.contains("registers"));
}

TEST(MachineCodeOfKernels, IsOfWhatTheGpuRuns) {
  const auto registers = [](const std::string& compute_capability) {
    Record record = launched({kKernel});
    MachineCode({cubin_of(80, {kernel_code(kKernel, 'a', 80)}),
                 cubin_of(90, {kernel_code(kKernel, 'a', 90)}),
                 cubin_of(86, {kernel_code(kKernel, 'a', 86)})},
                compute_capability)
        .add_kernels(record);
    return record.counters.contains("registers") ? record.counters["registers"] : 0;
  };
  EXPECT_EQ(registers("9.0"), 90);
  EXPECT_EQ(registers("8.9"), 86);
  EXPECT_EQ(registers("8.0"), 80);
  EXPECT_EQ(registers("12.0"), 0);
  EXPECT_EQ(registers("7.5"), 0);
}

TEST(MachineCodeOfKernels, SaysWhyThereIsNone) {
  const auto why = [](const std::vector<std::string>& kernels, std::vector<Cubin> cubins,
                      const std::string& compute_capability = "") {
    Record record = launched(kernels);
    MachineCode(std::move(cubins), compute_capability).add_kernels(record);
    EXPECT_TRUE(record.machine_code.empty());
    EXPECT_TRUE(record.counters.empty());
    return record.not_measured["machine_code"];
  };
  const Cubin one = cubin_of(90, {kernel_code(kKernel, 'a')});
  EXPECT_EQ(why({kKernel, kAnother}, {one}), "there is none of another()");
  EXPECT_EQ(why({}, {one}), "which kernels ran was not observed");
  EXPECT_EQ(why({kKernel}, {one, cubin_of(90, {kernel_code(kKernel, 'b')})}),
            "several files have a kernel void kernel<1>(float*), and not the same");
  EXPECT_EQ(why({kKernel}, {one}, "12.0"),
            "holds no machine code for a GPU of compute capability 12.0: the driver compiles it "
            "when it loads");
}

// A tree with kernels/transpose.cuh in it, and machine code that was built elsewhere.
class CountedLines : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    fs::create_directory(folder_ / "kernels");
    write("kernels/transpose.cuh", "a\nb\n");
    tree_ = SourceTree(folder_);
  }

  static Instruction at(std::uint64_t offset, Operation operation, int width,
                        std::vector<Place> places) {
    return {offset, {operation, width}, std::move(places)};
  }
  static InstructionTraffic counted(std::uint64_t offset, std::uint64_t requests,
                                    std::uint64_t moved, const std::string& kernel = kKernel) {
    // CUPTI gives both; which of them counts follows from the instruction.
    return {kernel, offset, "", requests, moved, requests, 2 * moved, 3 * requests};
  }
  static MachineCode code(const std::vector<Instruction>& accesses) {
    return MachineCode({Cubin{90, {function_of(accesses)}, {kernel_code(kKernel, 'a')}}}, "9.0");
  }

  SourceTree tree_{"."};
};

TEST_F(CountedLines, AreSumsOfTheirInstructions) {
  const auto lines =
      counted_lines({counted(16, 8, 8), counted(32, 8, 256), counted(48, 4, 7), counted(64, 2, 2)},
                    code({at(16, Operation::shared_load, 4, {{kPath, 7}}),
                          at(32, Operation::shared_load, 4, {{kPath, 7}}),
                          at(48, Operation::global_store, 16, {{kPath, 7}}),
                          at(64, Operation::shared_load, 8, {{kPath, 9}})}),
                    tree_);
  ASSERT_EQ(lines.size(), 3U);
  const SourceLine& load = lines[0];
  EXPECT_EQ(load.file, "kernels/transpose.cuh");
  EXPECT_EQ(load.line, 7);
  EXPECT_EQ(load.function, kKernel);
  EXPECT_EQ(load.access, Access::shared_load);
  EXPECT_EQ(load.requests, 16U);
  EXPECT_EQ(load.wavefronts, 264U);
  EXPECT_EQ(load.ideal_wavefronts, 16U);
  EXPECT_EQ(load.sectors, 0U);
  const std::vector<InstructionTraffic> expected{{"", 16, "LDS.32", 8, 8, 8, 0, 0},
                                                 {"", 32, "LDS.32", 8, 256, 8, 0, 0}};
  EXPECT_EQ(load.by_instruction, expected);
  EXPECT_EQ(lines[1].access, Access::global_store);
  EXPECT_EQ(lines[1].sectors, 14U);
  EXPECT_EQ(lines[1].ideal_sectors, 12U);
  EXPECT_EQ(lines[1].wavefronts, 0U);
  EXPECT_EQ(lines[2].line, 9);
}

TEST_F(CountedLines, AnInlinedCallIntoTheToolkitStandsForTheLineThatUsesIt) {
  const auto lines =
      counted_lines({counted(16, 8, 8)},
                    code({at(16, Operation::global_load, 4,
                             {{"/usr/local/cuda/include/cub/load.cuh", 300}, {kPath, 12}})}),
                    tree_);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].line, 12);
}

TEST_F(CountedLines, ACopyFromGlobalToSharedMemoryIsBoth) {
  const auto lines = counted_lines({counted(16, 8, 9)},
                                   code({at(16, Operation::async_copy, 16, {{kPath, 7}})}), tree_);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].access, Access::shared_store);
  EXPECT_EQ(lines[0].wavefronts, 9U);
  EXPECT_EQ(lines[1].access, Access::global_load);
  EXPECT_EQ(lines[1].sectors, 18U);
  EXPECT_EQ(lines[1].by_instruction.at(0).opcode, "LDGSTS.128");
}

TEST_F(CountedLines, LeaveOutWhatDidNotRunAndWhatIsNotOfTheProject) {
  const auto machine_code = code(
      {at(16, Operation::shared_load, 4, {{"/usr/include/library.cuh", 1}}),
       at(32, Operation::shared_load, 4, {{kPath, 7}}), at(48, Operation::shared_load, 4, {})});
  EXPECT_TRUE(counted_lines({counted(16, 8, 8), counted(32, 0, 0), counted(48, 8, 8),
                             counted(64, 8, 8), counted(32, 8, 8, "another()")},
                            machine_code, tree_)
                  .empty());
  EXPECT_EQ(kernels_with_lines(machine_code, tree_), std::set<std::string>{kKernel});
  EXPECT_TRUE(
      kernels_with_lines(
          code({at(16, Operation::shared_load, 4, {{"/usr/include/library.cuh", 1}})}), tree_)
          .empty());
}

// Which of them was launched is not known, nor then what lies at an offset.
TEST_F(CountedLines, AreNotTakenFromOneOfTwoKernelsOfAName) {
  const std::vector<Instruction> accesses{at(16, Operation::shared_load, 4, {{kPath, 7}})};
  const MachineCode two({Cubin{90, {function_of(accesses)}, {kernel_code(kKernel, 'a')}},
                         Cubin{90, {function_of(accesses)}, {kernel_code(kKernel, 'b')}}},
                        "9.0");
  EXPECT_TRUE(counted_lines({counted(16, 8, 8)}, two, tree_).empty());
  EXPECT_TRUE(kernels_with_lines(two, tree_).empty());
}

TEST_F(CountedLines, FindFilesInTheFolderOfTheBuildAndInAnother) {
  write("top.cu", "x\n");
  EXPECT_EQ(tree_.find((fs::canonical(folder_) / "kernels/transpose.cuh").string()),
            "kernels/transpose.cuh");
  EXPECT_EQ(tree_.find((fs::canonical(folder_) / "build/../top.cu").string()), "top.cu");
  EXPECT_EQ(tree_.find("../../kernels/transpose.cuh"), "kernels/transpose.cuh");
  EXPECT_EQ(tree_.find("/elsewhere/kernels/transpose.cuh"), "kernels/transpose.cuh");
  EXPECT_EQ(tree_.find("/elsewhere/kernels/reduction.cuh"), std::nullopt);
  EXPECT_EQ(tree_.find("/elsewhere/top.cu"), std::nullopt) << "a name alone says too little";
  EXPECT_EQ(tree_.find("/usr/include/stdio.h"), std::nullopt);
  EXPECT_EQ(tree_.find(""), std::nullopt);
}

class LinesCommand : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    SourceLine line = source_line(56, Access::shared_load, 1536, 49152, "out = tile[x];");
    line.column = 60;
    SourceLine global = source_line(50, Access::global_store, 8, 0, "\x1b[2J");
    global.sectors = 36;
    SourceLine from_instructions = source_line(57, Access::shared_load, 12, 44, "y = tile[x];");
    from_instructions.by_instruction = {{"", 16, "LDS.64", 4, 4, 4, 0, 0},
                                        {"", 32, "LDS.32", 4, 20, 4, 0, 0},
                                        {"", 48, "LDS.32", 4, 20, 4, 0, 0}};
    Measured counted;
    counted.id = "a/one/1";
    counted.lines = {from_instructions};
    counted.not_measured["source_lines"] = "cub::reduce: a library's";
    write("counted.json", results_text(h200(), {counted}));
    write("plain.json", results_text(emulated(), {{.id = "a/one/1", .lines = {line}}}));
    line.compiled = Compiled::merged;
    line.instructions = "1 × LDS.64";
    write("tagged.json",
          results_text(
              emulated(),
              {{.id = "a/one/1", .lines = {line, global}},
               {.id = "b/two/1", .not_measured = {{"source_lines", "no debug lines"}}},
               {.id = "b/three/1", .outcome = {results::Status::crashed, "died of SIGSEGV"}}}));
  }
};

TEST_F(LinesCommand, ShowsTheTrafficOfEachLineAndWhatBecameOfIt) {
  const Finished all = warpgauge("lines tagged.json");
  EXPECT_EQ(all.status, 0) << all.output;
  EXPECT_EQ(all.output,
            R"(a/one/1
  line                         access        bytes  requests   moved              a request  machine code        source
  kernels/transpose.cuh:56:60  shared load       4     1,536  49,152  wavefronts      32.00  merged: 1 × LDS.64  out = tile[x];
  kernels/transpose.cuh:50     global store      4         8      36  sectors          4.50                       [2J

b/two/1
not measured: no debug lines

b/three/1
failed: died of SIGSEGV
)");
}

TEST_F(LinesCommand, WithoutMachineCodeItsColumnIsLeftOut) {
  const Finished plain = warpgauge("lines plain.json");
  EXPECT_EQ(plain.output.find("machine code"), std::string::npos) << plain.output;
  EXPECT_NE(plain.output.find("32.00  out = tile[x];"), std::string::npos) << plain.output;
}

TEST_F(LinesCommand, ShowsTheInstructionsThatWereCountedAndWhatIsMissing) {
  const Finished counted = warpgauge("lines counted.json");
  EXPECT_EQ(counted.output,
            R"(a/one/1
  line                      access       bytes  requests  moved              a request  machine code            source
  kernels/transpose.cuh:57  shared load      4        12     44  wavefronts       3.67  2 × LDS.32, 1 × LDS.64  y = tile[x];
not measured: cub::reduce: a library's
)");
}

TEST_F(LinesCommand, FilterSelects) {
  const Finished some = warpgauge("lines tagged.json --filter b/two");
  EXPECT_EQ(some.output, "b/two/1\nnot measured: no debug lines\n");
  EXPECT_EQ(warpgauge("lines tagged.json --filter nothing").status, 64);
  EXPECT_EQ(warpgauge("lines absent.json").status, 4);
}

}  // namespace
}  // namespace warpgauge::ci
