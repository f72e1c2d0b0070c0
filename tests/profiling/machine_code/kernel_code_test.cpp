// SPDX-License-Identifier: Apache-2.0
// What ptxas says of its own output is the reference.
#include "profiling/machine_code/kernel_code.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "profiling/machine_code/cubin.hpp"
#include "profiling/machine_code/names/symbol_names.hpp"
#include "profiling/results/files/files.hpp"
#include "tests/helpers/process.hpp"

namespace warpgauge::machine_code {
namespace {

namespace fs = std::filesystem;
using results::KernelCode;
using results::read_file;

using Kernels = std::map<std::string, KernelCode>;  // by name

fs::path source(const std::string& name) {
  return fs::path(TEST_SOURCE_ROOT) / "tests" / "profiling" / "machine_code" / name;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  if (at == text.npos) throw std::logic_error("no " + what);
  return text.replace(at, what.size(), by);
}

// Compiles in a folder of its own.
class KernelCodes : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(NVCC).empty()) GTEST_SKIP() << "there was no nvcc when this was configured";
    std::string name = fs::temp_directory_path() / "warpgauge-code-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  // What nvcc says. `text` is put into folder/kernels.cu, from which comes folder/kernels.cubin: by
  // a run of nvcc or, as that takes most of the time of these tests, from an earlier run of the
  // same one with the same text and options.
  [[nodiscard]] std::string compile(const std::string& text, const std::string& options,
                                    const std::string& folder = "here") const {
    static const std::string compilers =
        shell(fmt::format("'{}' --version; c++ --version", NVCC)).output;
    const std::string key = fmt::format("{}\n{}\n{}\n{}", compilers, folder, options, text);
    const fs::path kept =
        fs::path(COMPILED) / "kept" / fmt::format("{:x}", std::hash<std::string>{}(key));
    const fs::path cubin = folder_ / folder / "kernels.cubin";
    results::write_file_atomically(folder_ / folder / "kernels.cu", text);
    if (fs::exists(kept) && read_file(kept / "key") == key) {
      fs::copy_file(kept / "kernels.cubin", cubin, fs::copy_options::overwrite_existing);
      return read_file(kept / "said");
    }
    const Finished finished = shell(fmt::format("cd '{}' && '{}' {} kernels.cu -o kernels.cubin",
                                                (folder_ / folder).string(), NVCC, options));
    if (finished.status != 0) throw std::runtime_error(finished.output);
    // Whole or not at all; where another process was sooner, its own is as good.
    const fs::path made = kept.string() + fmt::format(".{}", ::getpid());
    results::write_file_atomically(made / "key", key);
    results::write_file_atomically(made / "said", finished.output);
    results::write_file_atomically(made / "kernels.cubin", read_file(cubin));
    std::error_code ignored;
    fs::rename(made, kept, ignored);
    fs::remove_all(made, ignored);
    return finished.output;
  }

  [[nodiscard]] Kernels kernels(const std::string& folder = "here") const {
    Kernels all;
    for (const Cubin& cubin : read_cubins(folder_ / folder / "kernels.cubin")) {
      for (const KernelCode& each : cubin.kernels) all[each.name] = each;
    }
    return all;
  }

  [[nodiscard]] Kernels compiled(const std::string& text, const std::string& options,
                                 const std::string& folder = "here") const {
    (void)compile(text, options, folder);
    return kernels(folder);
  }

  fs::path folder_;
};

struct Said {
  int registers = 0;
  std::uint64_t shared = 0;
  std::uint64_t stack = 0;
  std::uint64_t spill_stores = 0;
  std::uint64_t spill_loads = 0;
  std::uint64_t barriers = 0;
};

std::uint64_t number_before(const std::string& line, const std::string& what) {
  std::smatch match;
  const std::regex number("([0-9]+) " + what);
  return std::regex_search(line, match, number) ? std::stoull(match[1]) : 0;
}

// By mangled name, out of `nvcc -Xptxas -v`.
std::map<std::string, Said> said_by_ptxas(const std::string& text) {
  std::map<std::string, Said> all;
  std::istringstream lines(text);
  std::string kernel;
  std::string function;
  const auto name_after = [](const std::string& line, const std::string& words) {
    const std::size_t at = line.find(words);
    if (at == line.npos) return std::string();
    const std::string rest = line.substr(at + words.size());
    return rest.starts_with('\'') ? rest.substr(1, rest.find('\'', 1) - 1) : rest;
  };
  for (std::string line; std::getline(lines, line);) {
    if (const auto name = name_after(line, "Compiling entry function "); !name.empty()) {
      kernel = name;
    } else if (const auto other = name_after(line, "Function properties for "); !other.empty()) {
      function = other;
    } else if (line.find("bytes spill stores") != line.npos && function == kernel) {
      all[kernel].spill_stores = number_before(line, "bytes spill stores");
      all[kernel].spill_loads = number_before(line, "bytes spill loads");
    } else if (line.find("registers, used") != line.npos) {
      all[kernel].registers = static_cast<int>(number_before(line, "registers"));
      all[kernel].shared = number_before(line, "bytes smem");
      all[kernel].stack = number_before(line, "bytes cumulative stack size");
      all[kernel].barriers = number_before(line, "barriers");
    }
  }
  return all;
}

class KernelCodesOf : public KernelCodes, public testing::WithParamInterface<int> {
 protected:
  [[nodiscard]] static std::string architecture() { return fmt::format("-arch=sm_{}", GetParam()); }
};

// The linker gives these variables to the kernel, and says what ptxas says without -rdc.
TEST_P(KernelCodesOf, RelocatableCodeKnowsTheSharedMemoryOfTemplatesAndOfWhatItCalls) {
  const std::string text =
      "__device__ __noinline__ float called(float v) {\n"
      "  __shared__ float kept[64]; kept[threadIdx.x & 63] = v; __syncthreads();\n"
      "  return kept[(threadIdx.x + 1) & 63]; }\n"
      "template <int N> __global__ void templated(float* p) {\n"
      "  __shared__ float tile[N]; tile[threadIdx.x] = p[threadIdx.x]; __syncthreads();\n"
      "  p[threadIdx.x] = called(tile[threadIdx.x ^ 1]); }\n"
      "template __global__ void templated<256>(float*);\n";
  const std::string name = "void templated<256>(float*)";
  const Kernels whole = compiled(text, architecture() + " -cubin");
  const Kernels relocatable = compiled(text, architecture() + " -cubin -rdc=true");
  EXPECT_EQ(whole.at(name).static_shared_bytes, 1280U);
  EXPECT_EQ(relocatable.at(name).static_shared_bytes, 1280U);
}

TEST_P(KernelCodesOf, TakeWhatPtxasSays) {
  std::size_t with_spills = 0;
  std::uint64_t most_barriers = 0;
  for (const char* file : {"resources.cu", "accesses.cu"}) {
    for (const char* limit : {"", "-maxrregcount=32"}) {
      const auto said = said_by_ptxas(compile(
          read_file(source(file)), fmt::format("{} -cubin -Xptxas -v {}", architecture(), limit)));
      const Kernels read = kernels();
      EXPECT_EQ(read.size(), said.size());
      for (const auto& [symbol, expected] : said) {
        SCOPED_TRACE(fmt::format("{} of {} {}", symbol, file, limit));
        const KernelCode& code = read.at(demangled(symbol));
        EXPECT_EQ(code.registers, expected.registers);
        EXPECT_EQ(code.static_shared_bytes, expected.shared);
        EXPECT_EQ(code.stack_bytes, expected.stack);
        EXPECT_EQ(code.spill_store_bytes, expected.spill_stores);
        EXPECT_EQ(code.spill_load_bytes, expected.spill_loads);
        EXPECT_EQ(code.barriers, expected.barriers);
        EXPECT_EQ(code.architecture, fmt::format("sm_{}", GetParam()));
        with_spills += expected.spill_stores > 0 ? 1 : 0;
        most_barriers = std::max(most_barriers, expected.barriers);
      }
    }
  }
  EXPECT_GT(with_spills, 0U) << "nothing was spilled: the test proves less than it says";
  EXPECT_EQ(most_barriers, 5U) << "nothing has several barriers: likewise";
}

TEST_P(KernelCodesOf, AreTheSameInEveryFolderAndOnEveryLine) {
  const std::string text = read_file(source("resources.cu"));
  const std::string options = architecture() + " -cubin -lineinfo";
  const Kernels here = compiled(text, options);
  EXPECT_EQ(compiled(text, options, "a/longer folder"), here);
  EXPECT_EQ(compiled("// One more line.\n" + text, options, "moved"), here);
  EXPECT_TRUE(here.contains("void (anonymous namespace)::hidden<float>(float*)"));
}

TEST_P(KernelCodesOf, AreOthersWhereAnOperationChanged) {
  const std::string text = read_file(source("resources.cu"));
  const std::string options = architecture() + " -cubin";
  const Kernels before = compiled(text, options);
  const Kernels after = compiled(
      replaced(replaced(text, "far_away(in, i + 1) * in[i]", "far_away(in, i + 1) - in[i]"),
               "values[2] = sin(divisor)", "values[2] = sin(divisor) + 2.7182818"),
      options);
  ASSERT_EQ(before.size(), after.size());
  for (const auto& [name, code] : before) {
    const bool changed = name == "calls" || name == "divides";
    EXPECT_EQ(code.sass_hash != after.at(name).sass_hash, changed) << name;
  }
}

TEST_P(KernelCodesOf, OfLinkedCodeHaveTheirCallees) {
  const std::string text = read_file(source("resources.cu"));
  const std::string options = architecture() + " -rdc=true -DWITH_MAIN --no-compress";
  const Kernels before = compiled(text, options);
  // By way of another function, in a section of its own.
  const Kernels after =
      compiled(replaced(text, "in[i * 3] * table", "in[i * 3] + table"), options, "a/folder");
  ASSERT_EQ(before.size(), 4U);  // those that are launched
  for (const auto& [name, code] : before) {
    SCOPED_TRACE(name);
    EXPECT_EQ(code.sass_hash != after.at(name).sass_hash, name == "calls");
    EXPECT_EQ(code.static_shared_bytes, name == "static_shared" ? 33 * sizeof(float) : 0);
  }
  EXPECT_GT(before.at("calls").instructions, before.at("only_here(int*)").instructions + 20);
}

INSTANTIATE_TEST_SUITE_P(, KernelCodesOf, testing::Values(75, 90, 120),
                         [](const auto& each) { return fmt::format("Sm{}", each.param); });

TEST_F(KernelCodes, OfObjectsThatAreToBeLinkedHaveNoStackYet) {
  const Kernels read =
      compiled(read_file(source("resources.cu")), "-arch=sm_90 -rdc=true -cubin -maxrregcount=32");
  EXPECT_FALSE(read.at("calls").stack_bytes.has_value());
  EXPECT_EQ(read.at("static_shared").static_shared_bytes, 132U);
  EXPECT_GT(read.at("many_values").spill_store_bytes, 0U);
}

// An older compiler, as the file says: it would not have marked what it spilled.
TEST_F(KernelCodes, WithoutMarksOnlyThoseWithoutAStackAreKnownNotToSpill) {
  (void)compile(read_file(source("resources.cu")), "-arch=sm_90 -cubin");
  std::string bytes = read_file(folder_ / "here" / "kernels.cubin");
  bytes[8] = 7;                       // EI_ABIVERSION
  bytes[48] = static_cast<char>(90);  // e_flags
  const Cubin cubin = parse_cubin(bytes, "it");
  ASSERT_EQ(cubin.architecture, 90);
  Kernels read;
  for (const KernelCode& each : cubin.kernels) read[each.name] = each;
  EXPECT_FALSE(read.at("local_array").spill_store_bytes.has_value());
  EXPECT_FALSE(read.at("local_array").spill_load_bytes.has_value());
  EXPECT_EQ(read.at("nothing").spill_store_bytes, 0U);
}

TEST_F(KernelCodes, SayWhatCompiledThem) {
  const Finished version = shell(fmt::format("'{}' --version", NVCC));
  std::smatch match;
  const std::regex pattern(", V([0-9.]+)");
  ASSERT_TRUE(std::regex_search(version.output, match, pattern));
  const Kernels read = compiled(read_file(source("resources.cu")), "-arch=sm_90 -cubin");
  EXPECT_EQ(read.at("nothing").compiler, "ptxas " + match[1].str());
}

TEST_F(KernelCodes, CountInstructionsWithoutPadding) {
  const Kernels read = compiled(read_file(source("resources.cu")), "-arch=sm_90 -cubin");
  const KernelCode& nothing = read.at("nothing");
  EXPECT_GT(nothing.instructions, 2U);
  EXPECT_LT(nothing.instructions, nothing.code_bytes / 16);
}

// `cuobjdump`, NVIDIA's own reader, where there is one.
TEST_F(KernelCodes, TakeWhatCuobjdumpSays) {
  if (std::string(CUOBJDUMP).empty()) GTEST_SKIP() << "there is no cuobjdump to compare with";
  (void)compile(read_file(source("resources.cu")), "-arch=sm_90 -cubin -maxrregcount=32");
  const Finished dumped = shell(fmt::format("'{}' --dump-resource-usage '{}'", CUOBJDUMP,
                                            (folder_ / "here" / "kernels.cubin").string()));
  ASSERT_EQ(dumped.status, 0) << dumped.output;
  const std::regex usage(R"(Function (\S+):\s+REG:([0-9]+) STACK:([0-9]+) SHARED:([0-9]+))");
  const Kernels read = kernels();
  std::size_t compared = 0;
  for (std::sregex_iterator each(dumped.output.begin(), dumped.output.end(), usage), end;
       each != end; ++each) {
    const auto found = read.find(demangled((*each)[1].str()));
    if (found == read.end()) continue;
    SCOPED_TRACE(found->first);
    EXPECT_EQ(found->second.registers, std::stoi((*each)[2]));
    ++compared;
  }
  EXPECT_EQ(compared, read.size()) << dumped.output;
}

TEST(StableSymbols, LeaveOutPathsAndProcesses) {
  const std::map<std::string, std::string> stable{
      {"_ZN36_GLOBAL__N__5cbeb2c0_4_a_cu_1e0938816hiddenIfEEvPT_",
       "_ZN12_GLOBAL__N_16hiddenIfEEvPT_"},
      {"__nv_static_26__88bcdf68_5_r3_cu_1e093881__ZN37_GLOBAL__N__88bcdf68_5_r3_cu_"
       "1e0938816hiddenIfEEvPT_",
       "_ZN12_GLOBAL__N_16hiddenIfEEvPT_"},
      {"_ZN34_INTERNAL_5cbeb2c0_4_a_cu_1e09388136_GLOBAL__N__5cbeb2c0_4_a_cu_1e0938815tableE",
       "_ZN9_INTERNAL12_GLOBAL__N_15tableE"},
      {"_ZN40_INTERNAL_a954e82e_10_kernels_cu_nothing42_GLOBAL__N__a954e82e_10_kernels_cu_"
       "nothing5asideEPKfi",
       "_ZN9_INTERNAL12_GLOBAL__N_15asideEPKfi"},
      // A name before it that ends with a digit.
      {"_ZN4foo136_GLOBAL__N__5cbeb2c0_4_a_cu_1e0938811xE", "_ZN4foo112_GLOBAL__N_11xE"},
      {"_Z8far_awayPKfi$12", "_Z8far_awayPKfi"},
      {"$called$_Z5againPKfi", "$called$_Z5againPKfi"},
      {"_Z5plainv", "_Z5plainv"},
      // Nothing that nvcc makes.
      {"_ZN99_GLOBAL__N__5cbeb2c0_4_a_cu_1e093881xE",
       "_ZN99_GLOBAL__N__5cbeb2c0_4_a_cu_1e093881xE"},
      {"__nv_static_", "__nv_static_"},
      {"__nv_static_99999999999999999999__x", "__nv_static_99999999999999999999__x"},
      {"_GLOBAL__N__", "_GLOBAL__N__"},
      {"$1", "$1"},
      {"12", "12"},
      {"", ""},
  };
  for (const auto& [symbol, expected] : stable) EXPECT_EQ(stable_symbol(symbol), expected);
}

}  // namespace
}  // namespace warpgauge::machine_code
