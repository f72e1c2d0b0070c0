// SPDX-License-Identifier: Apache-2.0
// nvcc's own output is the reference: each kernel of accesses.cu leaves it one way to compile it.
#include "profiling/machine_code/cubin.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "profiling/machine_code/line_table.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge::machine_code {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKernels = "tests/profiling/machine_code/accesses.cu";

fs::path compiled(const std::string& name) { return fs::path(COMPILED) / name; }

std::string shown(const MemoryAccess& access) {
  return to_string(access.operation) + "." + std::to_string(access.width_bytes);
}

const Function& function_named(const Cubin& cubin, const std::string& symbol) {
  for (const Function& each : cubin.functions) {
    if (each.symbol == symbol) return each;
  }
  throw std::runtime_error("no function " + symbol);
}

// The accesses of a kernel, without those to global memory, which most need for their result.
std::vector<std::string> accesses(const Cubin& cubin, const std::string& symbol, bool global) {
  std::vector<std::string> all;
  for (const Instruction& each : function_named(cubin, symbol).accesses) {
    const bool is_global = each.access.operation == Operation::global_load ||
                           each.access.operation == Operation::global_store ||
                           each.access.operation == Operation::global_atomic;
    if (is_global == global) all.push_back(shown(each.access));
  }
  return all;
}

int line_of(const std::string& comment) {
  std::ifstream source(std::string(TEST_SOURCE_ROOT) + "/" + kKernels);
  std::string text;
  for (int line = 1; std::getline(source, text); ++line) {
    if (text.ends_with("// " + comment)) return line;
  }
  ADD_FAILURE() << "no line with comment " << comment;
  return 0;
}

// Of the accesses of one kind, the lines they come from, those of other files as 0.
std::vector<std::vector<int>> lines(const Cubin& cubin, const std::string& symbol,
                                    Operation operation) {
  std::vector<std::vector<int>> all;
  for (const Instruction& each : function_named(cubin, symbol).accesses) {
    if (each.access.operation != operation) continue;
    std::vector<int> chain;
    for (const Place& place : each.places) {
      chain.push_back(place.file.ends_with(kKernels) ? place.line : 0);
    }
    all.push_back(chain);
  }
  return all;
}

class Cubins : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!HAS_NVCC) GTEST_SKIP() << "there was no nvcc when this was built";
    cubin_ = read_cubins(compiled("accesses" + std::to_string(GetParam()) + ".cubin")).at(0);
  }
  Cubin cubin_;
};

TEST_P(Cubins, AreForTheirArchitecture) { EXPECT_EQ(cubin_.architecture, GetParam()); }

// Also of a kernel that loads nothing.
TEST_P(Cubins, KernelsHaveThePlaceWhereTheyBegin) {
  std::ifstream source(std::string(TEST_SOURCE_ROOT) + "/" + kKernels);
  std::string text;
  int line = 0;
  while (std::getline(source, text) && !text.starts_with("KERNEL store_32(")) ++line;
  const auto& first = function_named(cubin_, "store_32").first;
  ASSERT_FALSE(first.empty());
  EXPECT_TRUE(first.back().file.ends_with(kKernels)) << first.back().file;
  EXPECT_EQ(first.back().line, line + 1);
}

TEST_P(Cubins, AccessesHaveTheirOperationAndWidth) {
  using Accesses = std::vector<std::string>;
  const bool copies = GetParam() >= 80;  // asynchronously; before, by load and store
  const std::map<std::string, Accesses> wanted{
      {"load_u8", {"LDS.1"}},
      {"load_s8", {"LDS.1"}},
      {"load_u16", {"LDS.2"}},
      {"load_s16", {"LDS.2"}},
      {"load_32", {"LDS.4"}},
      {"load_fixed", {"LDS.4"}},
      {"load_64", {"LDS.8"}},
      {"load_128", {"LDS.16"}},
      {"store_8", {"STS.1"}},
      {"store_16", {"STS.2"}},
      {"store_32", {"STS.4"}},
      {"store_64", {"STS.8"}},
      {"store_128", {"STS.16"}},
      {"atomic_add", {"ATOMS.4"}},
      {"atomic_count", {GetParam() >= 80 ? "ATOMS.POPC.INC.4" : "ATOMS.4"}},
      {"atomic_count_returned", {"ATOMS.4"}},
      {"atomic_maximum", {"ATOMS.4"}},
      {"atomic_exchange_64", {"ATOMS.8"}},
      {"compare_and_swap", {"ATOMS.CAS.4"}},
      {"compare_and_swap_64", {"ATOMS.CAS.8"}},
      {"atomic_add_float", {"LDS.4", "ATOMS.CAS.4"}},
      {"copy_4", {copies ? "LDGSTS.4" : "STS.4"}},
      {"copy_8", {copies ? "LDGSTS.8" : "STS.8"}},
      {"copy_16", {copies ? "LDGSTS.16" : "STS.16"}},
      {"global_load_8", {}},
      {"generic", {"LD.4", "ST.4"}},
      {"generic_atomic", {"ATOM.0"}},
      {"local_and_constant", {}},
      {"load_matrices", {"LDSM.16"}},
      {"load_matrix", {"LDSM.4"}},
      {"merged", {"LDS.16"}},
      {"kept", {"STS.4"}},
      {"inlined", {"LDS.4", "LDS.4"}},
      {"inlined_too", {"LDS.4"}},
  };
  for (const auto& [symbol, expected] : wanted) {
    EXPECT_EQ(accesses(cubin_, symbol, false), expected) << symbol;
  }
  EXPECT_EQ(accesses(cubin_, "global_load_8", true), (Accesses{"LDG.1", "STG.4"}));
  EXPECT_EQ(accesses(cubin_, "global_load_128", true), (Accesses{"LDG.16", "STG.16"}));
  EXPECT_EQ(accesses(cubin_, "global_load_256", true),
            GetParam() >= 100 ? (Accesses{"LDG.32", "STG.32"})
                              : (Accesses{"LDG.16", "LDG.16", "STG.16", "STG.16"}));
  EXPECT_EQ(accesses(cubin_, "global_reduce", true), (Accesses{"ATOMG.0"}));
  EXPECT_EQ(accesses(cubin_, "global_reduce_float", true), (Accesses{"ATOMG.0"}));
  EXPECT_EQ(accesses(cubin_, "global_atomic", true), (Accesses{"ATOMG.0", "STG.4"}));
  EXPECT_EQ(accesses(cubin_, "global_atomic_float", true), (Accesses{"ATOMG.0", "STG.4"}));
  EXPECT_EQ(accesses(cubin_, "global_compare_and_swap", true), (Accesses{"ATOMG.0", "STG.4"}));
}

TEST_P(Cubins, AccessesComeFromTheirLineThroughInlinedCalls) {
  using Chains = std::vector<std::vector<int>>;
  const int inner = line_of("inner");
  const int outer = line_of("outer");
  const Chains twice = lines(cubin_, "inlined", Operation::shared_load);
  ASSERT_EQ(twice.size(), 2U);
  for (const auto& chain : twice) EXPECT_EQ(chain.at(0), inner);
  EXPECT_EQ(lines(cubin_, "inlined_too", Operation::shared_load),
            (Chains{{inner, outer, line_of("call")}}));
  EXPECT_EQ(lines(cubin_, "merged", Operation::shared_load), (Chains{{line_of("merged loads")}}));
  // nvcc keeps it apart, within the kernel's code.
  EXPECT_EQ(lines(cubin_, "called", Operation::global_load), (Chains{{line_of("far away")}}));
}

TEST_P(Cubins, KernelsHaveTheNamesThatTheHostCompilerGivesThem) {
  std::map<std::string, bool> kernels;
  for (const Function& each : cubin_.functions) kernels[each.name] = each.is_kernel;
  EXPECT_TRUE(kernels.at("load_32"));
  EXPECT_TRUE(kernels.at("void (anonymous namespace)::hidden<int>(int*)"));
  EXPECT_TRUE(kernels.at("only_here(int*)"));
  EXPECT_TRUE(kernels.at("void templated<4, int>(int*, unsigned long)"));
}

// Whatever the bytes are, the answer is a cubin or a CubinError.
TEST_P(Cubins, GarbageIsAnErrorAndNoCrash) {
  const std::string good =
      results::read_file(compiled("accesses" + std::to_string(GetParam()) + ".cubin"));
  const unsigned seed = 20261121;
  std::mt19937 random(seed);
  const auto below = [&](std::size_t end) { return random() % end; };
  int read = 0;
  int refused = 0;
  const auto attempt = [&](const std::string& bytes) {
    try {
      (void)parse_cubin(bytes, "it");
      ++read;
    } catch (const CubinError& error) {
      ++refused;
      EXPECT_EQ(std::string(error.what()).rfind("it: ", 0), 0U) << error.what();
    }
  };
  for (int i = 0; i < 100; ++i) attempt(good.substr(0, below(good.size())));
  // Where the tables are, that decide how the rest is read.
  const Elf64_Ehdr header = [&] {
    Elf64_Ehdr value;
    std::memcpy(&value, good.data(), sizeof(value));
    return value;
  }();
  for (int i = 0; i < 600; ++i) {
    std::string bytes = good;
    const std::size_t count = 1 + below(8);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t place = i % 3 == 0   ? below(sizeof(header))
                                : i % 3 == 1 ? header.e_shoff + below(bytes.size() - header.e_shoff)
                                             : below(bytes.size());
      bytes[place] = static_cast<char>(random());
    }
    attempt(bytes);
  }
  // Within .debug_line alone.
  const std::size_t name = good.find("accesses.cu");
  ASSERT_NE(name, good.npos);
  for (int i = 0; i < 600; ++i) {
    std::string bytes = good;
    for (int k = 0; k < 4; ++k) {
      bytes[std::min(bytes.size() - 1, name - 100 + below(1500))] = static_cast<char>(random());
    }
    attempt(bytes);
  }
  EXPECT_GT(read, 0) << "seed " << seed;
  EXPECT_GT(refused, 0) << "seed " << seed;
}

INSTANTIATE_TEST_SUITE_P(Of, Cubins, testing::Values(75, 90, 120),
                         [](const auto& each) { return "Sm" + std::to_string(each.param); });

TEST(ProgramsWithCubins, AreReadAsTheirCubinsAre) {
  if (!HAS_NVCC) GTEST_SKIP() << "there was no nvcc when this was built";
  const Cubin alone = read_cubins(compiled("accesses90.cubin")).at(0);
  const std::vector<Cubin> within = read_cubins(compiled("accesses.o"));
  ASSERT_EQ(within.size(), 2U);
  const auto newer = std::max_element(
      within.begin(), within.end(),
      [](const Cubin& a, const Cubin& b) { return a.architecture < b.architecture; });
  EXPECT_EQ(newer->architecture, 90);
  ASSERT_EQ(newer->functions.size(), alone.functions.size());
  EXPECT_EQ(accesses(*newer, "atomic_add_float", false),
            accesses(alone, "atomic_add_float", false));
  EXPECT_EQ(lines(*newer, "inlined_too", Operation::shared_load),
            lines(alone, "inlined_too", Operation::shared_load));
}

std::string refusal(const fs::path& path) {
  try {
    (void)read_cubins(path);
  } catch (const CubinError& error) {
    return error.what();
  }
  return "none";
}

TEST(ProgramsWithoutCubins, AreRefused) {
  EXPECT_NE(refusal("/proc/self/exe").find(": holds no machine code for GPUs; give"),
            std::string::npos)
      << refusal("/proc/self/exe");
  EXPECT_NE(refusal(std::string(TEST_SOURCE_ROOT) + "/" + kKernels)
                .find("accesses.cu: holds no machine code for GPUs; give"),
            std::string::npos);
  EXPECT_THROW((void)read_cubins("no such file"), results::FileError);
  EXPECT_THROW((void)parse_cubin("", "it"), CubinError);
}

// The bytes of a unit of .debug_line, DWARF 2, with one file and this program.
std::string unit(const std::string& program) {
  std::string header;
  header += "\x01\x01\xfb\x0e\x0a";                // opcodes from 10 on: lines -5 to 8
  header += std::string("\0\1\1\1\1\0\0\0\1", 9);  // operands of standard opcodes
  header += std::string("kernels\0\0", 9);         // folders
  header += std::string("a.cuh\0\1\0\0\0", 10);    // files
  const auto number = [](std::size_t value) {
    std::string bytes(4, '\0');
    for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<char>(value >> 8 * i & 0xff);
    return bytes;
  };
  const std::string body = std::string("\2\0", 2) + number(header.size()) + header + program;
  return number(body.size()) + body;
}

// Opcodes of the program.
const std::string kSetAddress = std::string("\0\x09\2\0\0\0\0\0\0\0\0", 11);
const std::string kCopy = "\1";
const std::string kEnd = std::string("\0\1\1", 3);

std::string advance(int lines, int bytes) {
  return std::string{'\3', static_cast<char>(lines & 0x7f), '\2', static_cast<char>(bytes)};
}

TEST(LineTables, GiveTheLastRowAtOrBeforeAnInstructionUpToTheEnd) {
  const std::string first = unit("");
  const std::string text = unit(kSetAddress + advance(9, 0) + kCopy + advance(2, 16) + kCopy +
                                advance(1, 0) + kCopy + advance(0, 32) + kEnd);
  const LineTable table(text, {{first.size() + 3, {5, 0}}});
  using Places = std::vector<Place>;
  EXPECT_EQ(table.places(5, 0), (Places{{"kernels/a.cuh", 10}}));
  EXPECT_EQ(table.places(5, 15), (Places{{"kernels/a.cuh", 10}}));
  EXPECT_EQ(table.places(5, 16), (Places{{"kernels/a.cuh", 13}}));  // the later of two
  EXPECT_EQ(table.places(5, 47), (Places{{"kernels/a.cuh", 13}}));
  EXPECT_EQ(table.places(5, 48), Places());
  EXPECT_EQ(table.places(4, 0), Places());
}

TEST(LineTables, OfSeveralUnitsAreAllRead) {
  const std::string header = unit("");
  const auto of_line = [](int line) {
    return unit(kSetAddress + advance(line - 1, 0) + kCopy + advance(0, 16) + kEnd);
  };
  const LineTable table(
      of_line(10) + of_line(20),
      {{header.size() + 3, {5, 0}}, {of_line(10).size() + header.size() + 3, {6, 0}}});
  using Places = std::vector<Place>;
  EXPECT_EQ(table.places(5, 0), (Places{{"kernels/a.cuh", 10}}));
  EXPECT_EQ(table.places(6, 0), (Places{{"kernels/a.cuh", 20}}));
}

TEST(LineTables, WithoutARelocationBelongToNoCode) {
  const LineTable table(unit(kSetAddress + advance(9, 0) + kCopy + kEnd), {});
  EXPECT_TRUE(table.places(0, 0).empty());
}

TEST(LineTables, OfAnUnknownKindAreRefused) {
  std::string version5 = unit("");
  version5[4] = 5;
  EXPECT_THROW((LineTable(version5, {})), std::runtime_error);
  std::string cut = unit(kCopy);
  cut.pop_back();
  EXPECT_THROW((LineTable(cut, {})), std::runtime_error);
  EXPECT_THROW((LineTable("\xff\xff\xff\xff", {})), std::runtime_error);
}

}  // namespace
}  // namespace warpgauge::machine_code
