// SPDX-License-Identifier: Apache-2.0
// Instructions are told apart as NVIDIA's own tools do: recorded/ holds what cuobjdump and nvdisasm
// of CUDA 13.0 said, of nvcc's and Triton's code and of the toolkit's libraries.
#include "profiling/machine_code/instructions/code_shape.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "profiling/machine_code/cubin.hpp"
#include "profiling/machine_code/files/images.hpp"
#include "profiling/machine_code/image_changes.hpp"
#include "profiling/machine_code/image_kernels.hpp"
#include "profiling/machine_code/instructions/opcodes.hpp"
#include "profiling/machine_code/names/symbol_names.hpp"
#include "profiling/machine_code/occupancy.hpp"
#include "profiling/results/files/files.hpp"
#include "tests/profiling/machine_code/recorded.hpp"

namespace warpgauge::machine_code {
namespace {

namespace fs = std::filesystem;

std::vector<std::vector<std::string>> rows_of(const std::string& name) {
  std::ifstream file(kRecorded + name);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    std::vector<std::string>& row = rows.emplace_back();
    std::istringstream words(line);
    for (std::string word; std::getline(words, word, '\t');) row.push_back(word);
  }
  return rows;
}

TEST(Opcodes, AreThoseThatCuobjdumpNames) {
  // One opcode, of which cuobjdump names the parts.
  const std::map<std::string, std::string> known{{"REDG", "RED"},
                                                 {"UCGABAR_ARV", "UCGABAR"},
                                                 {"UCGABAR_WAIT", "UCGABAR"},
                                                 {"CGAERRBAR", "ERRBAR"}};
  std::size_t compared = 0;
  for (const auto& row : rows_of("opcodes.tsv")) {
    const std::uint64_t bits = std::stoull(row.at(1), nullptr, 16);
    const Opcode* opcode = find_opcode(bits, std::stoi(row.at(0)));
    ASSERT_NE(opcode, nullptr) << row.at(2);
    const auto part = known.find(row.at(2));
    EXPECT_EQ(opcode->mnemonic, part == known.end() ? row.at(2) : part->second) << row.at(1);
    ++compared;
  }
  EXPECT_GT(compared, 700U);
  EXPECT_EQ(find_opcode(0x223, 100), nullptr);
  EXPECT_EQ(find_opcode(0x0ff, 90), nullptr);
}

// Nothing but names is left out: of two instructions that differ in what they do, never.
TEST(Opcodes, WithoutNamesDifferWhereTheOperationDoes) {
  constexpr unsigned kBits[] = {16, 24, 32, 64, 81, 84, 87, 40};
  std::size_t names = 0;
  std::size_t others = 0;
  for (const auto& row : rows_of("fields.tsv")) {
    const Halves good{std::stoull(row.at(1), nullptr, 16), std::stoull(row.at(2), nullptr, 16)};
    const Opcode* opcode = find_opcode(good.low, std::stoi(row.at(0)));
    ASSERT_NE(opcode, nullptr);
    if (opcode->kind == OpcodeKind::branch) continue;  // whose addresses are left out
    for (std::size_t i = 0; i < row.at(3).size(); ++i) {
      Halves flipped = good;
      (kBits[i] < 64 ? flipped.low : flipped.high) ^= std::uint64_t{1} << kBits[i] % 64;
      const bool same = without_names(flipped, *opcode) == without_names(good, *opcode);
      if (row.at(3)[i] == 'o') {
        EXPECT_FALSE(same) << row.at(1) << " " << row.at(2) << " bit " << kBits[i];
        ++others;
      } else if (same && row.at(3)[i] == 'n') {
        ++names;
      }
    }
  }
  EXPECT_GT(names, 150U);
  EXPECT_GT(others, 20U);
}

// Of other opcodes nobody knows: these bits may say what they do.
TEST(Opcodes, ThatWereNotFlippedKeepAllBits) {
  std::set<std::uint64_t> known;
  for (const auto& row : rows_of("fields.tsv")) {
    known.insert(std::stoull(row.at(1), nullptr, 16) & 0x1ff);
  }
  std::size_t compared = 0;
  for (const auto& row : rows_of("opcodes.tsv")) {
    const Halves good{std::stoull(row.at(1), nullptr, 16), 0};
    const Opcode* opcode = find_opcode(good.low, std::stoi(row.at(0)));
    if (known.contains(opcode->bits) || opcode->kind == OpcodeKind::branch) continue;
    for (const unsigned bit : {16U, 24U, 32U, 64U}) {
      Halves flipped = good;
      (bit < 64 ? flipped.low : flipped.high) ^= std::uint64_t{1} << bit % 64;
      EXPECT_NE(without_names(flipped, *opcode), without_names(good, *opcode)) << row.at(2);
      ++compared;
    }
  }
  EXPECT_GT(compared, 100U);
}

TEST(Opcodes, WithoutNamesKeepZeroRegisters) {
  const Opcode* add = find_opcode(0x221, 90);
  const Halves two{0x0000000503057221, 0};
  const Halves three{0x0000000907067221, 0};
  const Halves zero{0x000000ff07067221, 0};
  EXPECT_EQ(without_names(two, *add), without_names(three, *add));
  EXPECT_NE(without_names(two, *add), without_names(zero, *add));
}

std::string code_of(const std::vector<Halves>& all) {
  std::string code;
  for (const Halves& each : all) {
    code.append(reinterpret_cast<const char*>(&each.low), 8);
    code.append(reinterpret_cast<const char*>(&each.high), 8);
  }
  return code;
}

TEST(CodeShapes, AreTheSameInAnotherOrderAndByOtherRegisters) {
  const Halves add{0x0000000503057221, 0};        // FADD R5, R3, R5
  const Halves other_add{0x0000000907067221, 0};  // FADD R6, R7, R9
  const Halves multiply{0x0000000503057220, 0};   // FMUL
  const auto shape = [](const std::vector<Halves>& code, int architecture) {
    const std::string bytes = code_of(code);
    return code_shape({bytes}, architecture);
  };
  EXPECT_EQ(shape({add, multiply}, 90).hash, shape({multiply, other_add}, 90).hash);
  EXPECT_NE(shape({add, multiply}, 90).hash, shape({add, add}, 90).hash);
  EXPECT_NE(shape({add, multiply}, 90).hash, shape({add, multiply, multiply}, 90).hash);
  EXPECT_EQ(shape({add, multiply}, 100).hash, "");
  EXPECT_EQ(shape({add, {0x00000000000070ff, 0}}, 90).hash, "");
  EXPECT_EQ(shape({add, {0x00000000000070ff, 0}}, 90).mix,
            (InstructionMix{{"floating point", 1}, {"unknown", 1}}));
}

TEST(CodeShapes, DifferByConstantsAndByWhatIsReferredTo) {
  const std::string code = code_of({{0x0000000503057221, 0}});
  EXPECT_EQ(code_shape({code}, 90, "1.5").hash, code_shape({code}, 90, "1.5").hash);
  EXPECT_NE(code_shape({code}, 90, "1.5").hash, code_shape({code}, 90, "2.5").hash);
  const ImageKernels all = read_image_kernels({kRecorded + "two_kernels_90.cubin"});
  EXPECT_FALSE(all.kernels.begin()->second.front().shape.hash.empty());
}

// nvcc puts LDS whose predicate is false before each asynchronous copy.
TEST(CodeShapes, LeaveOutWhatNeverRuns) {
  const std::string code = code_of({{0x0000000503057221, 0}, {0x000000000003f984, 0x800}});
  EXPECT_EQ(code_shape({code}, 90).mix, (InstructionMix{{"floating point", 1}}));
  EXPECT_EQ(code_shape({code}, 90).hash, code_shape({code.substr(0, 16)}, 90).hash);
}

TEST(CodeShapes, CountKindsOfInstructions) {
  const ImageKernels all = read_image_kernels({kRecorded + "two_kernels_90.cubin"});
  const InstructionMix& mix = all.kernels.at({"void scale<3>(float*)", "sm_90"}).front().shape.mix;
  EXPECT_EQ(mix.at("load global 32"), 1U);
  EXPECT_EQ(mix.at("store global 32"), 1U);
  EXPECT_EQ(mix.at("load shared 32"), 1U);
  EXPECT_EQ(mix.at("store shared 32"), 1U);
  EXPECT_EQ(mix.at("barrier"), 1U);
  EXPECT_FALSE(mix.contains("unknown"));
  EXPECT_FALSE(mix.contains("load local 32"));
}

// Triton compiles for sm_90a, whose tensor instructions are not among those that were learned.
TEST(CodeShapes, OfTritonsKernelsAreKnownButForTensorInstructions) {
  const auto shape_of = [](const std::string& name) {
    const ImageKernels all = read_image_kernels({kRecorded + "triton_" + name + ".cubin"});
    return all.kernels.at({name, "sm_90a"}).front().shape;
  };
  EXPECT_GT(shape_of("addk").mix.at("load global 128"), 0U);
  EXPECT_NE(shape_of("addk").hash, "");
  EXPECT_NE(shape_of("softk").hash, "");
  EXPECT_GT(shape_of("dotk").mix.at("unknown"), 0U);
  EXPECT_EQ(shape_of("dotk").hash, "");
}

// Triton says of how many threads a block must be, not of how many at most.
TEST(ImageKernels, OfTritonSayTheirBlocks) {
  for (const char* name : {"addk", "dotk", "softk"}) {
    const ImageKernels all = read_image_kernels({kRecorded + "triton_" + name + ".cubin"});
    EXPECT_EQ(all.kernels.at({name, "sm_90a"}).front().code.most_threads, 128U) << name;
  }
}

// cuobjdump counts the system's part of shared memory in linked code from sm_90 on.
TEST(ImageKernels, TakeWhatCuobjdumpSays) {
  std::size_t compared = 0;
  for (const auto& row : rows_of("usage.tsv")) {
    const ImageKernels all = read_image_kernels({kRecorded + row.at(0)});
    ASSERT_EQ(all.architectures.size(), 1U);
    const ImageKernel& kernel =
        all.kernels.at({demangled(row.at(1)), *all.architectures.begin()}).front();
    EXPECT_EQ(kernel.code.registers, std::stoi(row.at(2))) << row.at(1);
    EXPECT_EQ(kernel.code.stack_bytes, std::stoull(row.at(3))) << row.at(1);
    const std::uint64_t shared = std::stoull(row.at(4));
    EXPECT_EQ(kernel.code.static_shared_bytes, shared - (shared >= 1024 ? 1024 : 0)) << row.at(1);
    ++compared;
  }
  EXPECT_EQ(compared, 7U);
}

// Before CUDA 13 they are noted elsewhere. softk reduces among its warps, addk has nothing to
// share.
TEST(RecordedCode, HasItsBarriers) {
  const auto barriers_of = [](const std::string& kernel) {
    const ImageKernels all = read_image_kernels({kRecorded + "triton_" + kernel + ".cubin"});
    return all.kernels.begin()->second.front().code.barriers;
  };
  EXPECT_EQ(barriers_of("softk"), 1U);
  EXPECT_EQ(barriers_of("addk"), 0U);
}

ImageKernel kernel(const std::string& hash, const std::string& shape) {
  ImageKernel kernel;
  kernel.code.sass_hash = hash;
  kernel.shape.hash = shape;
  return kernel;
}

TEST(Changes, HaveTheirKind) {
  ImageKernels before;
  before.architectures = {"sm_80", "sm_90"};
  before.kernels = {
      {{"gone", "sm_90"}, {kernel("1", "a")}},  {{"old", "sm_80"}, {kernel("1", "a")}},
      {{"other", "sm_90"}, {kernel("1", "a")}}, {{"renamed", "sm_90"}, {kernel("1", "a")}},
      {{"same", "sm_90"}, {kernel("1", "a")}},  {{"unknown", "sm_90"}, {kernel("1", "")}}};
  ImageKernels after;
  after.architectures = {"sm_90"};
  after.kernels = {{{"new", "sm_90"}, {kernel("1", "a")}},
                   {{"other", "sm_90"}, {kernel("2", "b")}},
                   {{"renamed", "sm_90"}, {kernel("2", "a")}},
                   {{"same", "sm_90"}, {kernel("1", "a")}},
                   {{"unknown", "sm_90"}, {kernel("2", "")}}};
  std::map<std::string, CodeChange> kinds;
  for (const KernelChange& each : changes(before, after).kernels)
    kinds[each.key.first] = each.change;
  EXPECT_EQ(kinds, (std::map<std::string, CodeChange>{{"gone", CodeChange::removed},
                                                      {"new", CodeChange::added},
                                                      {"old", CodeChange::architecture_removed},
                                                      {"other", CodeChange::changed},
                                                      {"renamed", CodeChange::rearranged},
                                                      {"same", CodeChange::same},
                                                      {"unknown", CodeChange::changed}}));
}

// Of one name: the first word says which, the number in how many images it is.
std::vector<ImageKernel> copies(const std::map<std::string, std::uint64_t>& some) {
  std::vector<ImageKernel> kernels;
  for (const auto& [hash, count] : some) {
    kernels.push_back(kernel(hash, ""));
    kernels.back().copies = count;
  }
  return kernels;
}

TEST(Changes, SeeThatACopyBecameAnotherKernel) {
  const auto compared = [](const std::map<std::string, std::uint64_t>& before,
                           const std::map<std::string, std::uint64_t>& after) {
    ImageKernels old_build;
    ImageKernels new_build;
    old_build.kernels = {{{"k", "sm_90"}, copies(before)}};
    new_build.kernels = {{{"k", "sm_90"}, copies(after)}};
    const KernelChange change = changes(old_build, new_build).kernels.at(0);
    std::string text = to_string(change.change);
    for (const auto* side : {&change.before, &change.after}) {
      text += " |";
      for (const ImageKernel& each : *side) {
        text += " " + std::to_string(each.copies) + each.code.sass_hash;
      }
    }
    return text;
  };
  EXPECT_EQ(compared({{"a", 2}}, {{"a", 1}, {"b", 1}}), "changed | 1a | 1b");
  EXPECT_EQ(compared({{"a", 2}, {"b", 1}}, {{"a", 1}, {"b", 2}}), "changed | 1a | 1b");
  EXPECT_EQ(compared({{"a", 2}}, {{"a", 3}}), "same | |");
  EXPECT_EQ(compared({{"a", 2}}, {{"a", 1}}), "same | |");
  EXPECT_EQ(compared({{"a", 1}}, {{"a", 1}, {"b", 1}}), "changed | | 1b");
  EXPECT_EQ(compared({{"a", 3}, {"c", 1}}, {{"a", 2}, {"d", 1}}), "changed | 1c | 1d");
}

TEST(Changes, KnowAKernelThatOnlyOtherArchitecturesKeep) {
  ImageKernels before;
  before.architectures = {"sm_80", "sm_90"};
  before.kernels = {{{"both", "sm_80"}, {kernel("1", "a")}},
                    {{"both", "sm_90"}, {kernel("1", "a")}},
                    {{"other", "sm_80"}, {kernel("1", "a")}}};
  ImageKernels after = before;
  after.kernels.erase({"both", "sm_80"});
  const ImageChanges found = changes(before, after);
  EXPECT_EQ(found.kernels.at(0).change, CodeChange::architecture_removed);
  EXPECT_TRUE(has_common_kernels(found));
  ImageKernels others;
  others.kernels = {{{"another", "sm_90"}, {kernel("1", "a")}}};
  EXPECT_FALSE(has_common_kernels(changes(before, others)));
}

class ImageFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "image_folder_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  [[nodiscard]] std::string complaint() const {
    try {
      (void)read_image_kernels({folder_});
    } catch (const CubinError& error) {
      return std::string(error.what()).substr(folder_.string().size());
    }
    return "none";
  }

  fs::path folder_;
};

TEST_F(ImageFolder, WithABrokenFileIsReadBesides) {
  const std::string cubin = results::read_file(kRecorded + "two_kernels_90.cubin");
  write("a.cubin", cubin.substr(0, cubin.size() / 2));
  EXPECT_EQ(complaint().find(": nothing could be read; of 1 broken files the first: "), 0U)
      << complaint();
  write("b.cubin", cubin);
  const ImageKernels all = read_image_kernels({folder_});
  EXPECT_EQ(all.kernels.size(), 2U);
  ASSERT_EQ(all.broken.size(), 1U);
  EXPECT_EQ(all.broken.front().find((folder_ / "a.cubin").string() + ": "), 0U);
  EXPECT_EQ(changes(all, all).broken.size(), 2U);
}

// As libx.so, libx.so.1 and libx.so.1.2 are one.
TEST_F(ImageFolder, HasAFileOnceHoweverManyLinksThereAre) {
  fs::create_symlink("b.so.1", folder_ / "a.so");
  fs::create_symlink("b.so.1", folder_ / "c.so");
  write("b.so.1", "no code");
  EXPECT_EQ(image_files(folder_), std::vector<fs::path>{folder_ / "b.so.1"});
  EXPECT_EQ(complaint().find(": holds no machine code for GPUs; "), 0U) << complaint();
}

std::string narrowed(const InstructionMix& before, const InstructionMix& after) {
  const auto found = narrower_loads(before, after);
  if (!found) return "none";
  std::string text = std::to_string(found->count);
  for (const std::string& each : found->kinds) text += ", " + each;
  return text;
}

TEST(NarrowerLoads, AreWideOnesThatBecameAtLeastAsManyNarrowerOnes) {
  EXPECT_EQ(narrowed({{"load global 128", 1}}, {{"load global 32", 1}}),
            "1, load global 128, load global 32");
  EXPECT_EQ(narrowed({{"load global 128", 4}, {"load shared 64", 2}},
                     {{"load global 128", 2}, {"load global 64", 4}, {"load shared 32", 4}}),
            "4, load global 128, load global 64, load shared 64, load shared 32");
  EXPECT_EQ(narrowed({{"load global 128", 4}}, {{"load global 128", 4}, {"load global 32", 1}}),
            "none");
  EXPECT_EQ(narrowed({{"load global 128", 4}}, {{"load global 128", 2}}), "none");
  EXPECT_EQ(narrowed({{"load global 128", 4}}, {{"load shared 32", 16}}), "none");
  EXPECT_EQ(narrowed({{"load global 32", 4}}, {{"load global 128", 1}}), "none");
  EXPECT_EQ(narrowed({{"store global 128", 4}}, {{"store global 32", 16}}), "none");
}

TEST(Accesses, AreTheSameHoweverTheCodeIsRead) {
  std::size_t loads = 0;
  const fs::path file = kRecorded + "two_kernels_90.cubin";
  const ImageKernels images = read_image_kernels({file});
  for (const Cubin& cubin : read_cubins(file)) {
    for (const results::KernelCode& code : cubin.kernels) {
      const ImageKernel& image = images.kernels.at({code.name, code.architecture}).front();
      EXPECT_EQ(code.accesses, image.code.accesses);
      for (const auto& [kind, count] : code.accesses.value()) {
        EXPECT_TRUE(is_load_or_local(kind)) << kind;
        EXPECT_EQ(image.shape.mix.at(kind), count) << kind;
        loads += count;
      }
    }
  }
  EXPECT_GT(loads, 0U);
}

TEST(Accesses, OfLocalMemoryAreCounted) {
  EXPECT_EQ(local_accesses({{"load local 32", 3}, {"store local 128", 2}, {"load global 32", 9}}),
            5U);
}

TEST(OccupancyLimits, AreNamed) {
  const auto limit = [](const ci::KernelNeeds& needs) {
    const auto found = ci::occupancy("sm_90", needs);
    return std::to_string(found->warps) + " " + found->limit;
  };
  EXPECT_EQ(limit({256, 32, 0}), "64 ");
  EXPECT_EQ(limit({256, 64, 0}), "32 registers");
  EXPECT_EQ(limit({256, 32, 100'000}), "16 shared memory");
  EXPECT_EQ(limit({32, 32, 0}), "32 blocks");
  EXPECT_EQ(limit({768, 32, 0}), "48 block size");
}

}  // namespace
}  // namespace warpgauge::machine_code
