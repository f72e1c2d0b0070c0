// SPDX-License-Identifier: Apache-2.0
// Code for GPUs is found in every kind of file, and is the same however it was packed. The
// committed files are of two_kernels.cu, which says how they were made; others are made here where
// there is nvcc.
#include "profiling/machine_code/files/images.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <lz4frame.h>
#include <zstd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "profiling/machine_code/cubin.hpp"
#include "profiling/machine_code/image_kernels.hpp"
#include "profiling/results/files/files.hpp"
#include "tests/profiling/machine_code/recorded.hpp"

namespace warpgauge::machine_code {
namespace {

namespace fs = std::filesystem;

const std::string kCorpus = std::string(TEST_SOURCE_ROOT) + "/tests/fuzz/corpus/machine_code/";
const std::string kSource =
    std::string(TEST_SOURCE_ROOT) + "/tests/profiling/machine_code/two_kernels.cu";

// By architecture and name: all that is known of a kernel's code.
using Hashes = std::map<std::pair<std::string, std::string>, std::string>;

Hashes hashes(const fs::path& path) {
  Hashes all;
  for (const Cubin& cubin : read_cubins(path)) {
    for (const results::KernelCode& each : cubin.kernels) {
      all[{each.architecture, each.name}] = each.sass_hash;
    }
  }
  return all;
}

std::vector<std::string> listed(const fs::path& path) {
  std::vector<std::string> all;
  for_each_image(
      path, [&](const Image& image, const LoadImage&) { all.push_back(architecture_name(image)); });
  return all;
}

std::string complaint(const fs::path& path) {
  try {
    for_each_image(path, [](const Image&, const LoadImage& load) { (void)load(); });
    (void)read_cubins(path);
  } catch (const CubinError& error) {
    const std::string what = error.what();
    const std::string start = path.string();
    EXPECT_EQ(what.rfind(start, 0), 0U) << what;
    return what.substr(start.size(), what.find(';') - start.size());
  }
  return "none";
}

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "images_test_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& bytes) {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  fs::path run(const std::string& name, const std::string& command) {
    const std::string all = fmt::format("cd '{}' && {} >said 2>&1", folder_.string(), command);
    EXPECT_EQ(std::system(all.c_str()), 0) << all << "\n" << results::read_file(folder_ / "said");
    return folder_ / name;
  }

  fs::path folder_;
};

using Images = Folder;

TEST_F(Images, AreTheSameHoweverTheyWereCompressed) {
  const Hashes plain = hashes(kCorpus + "plain.fatbin");
  ASSERT_EQ(plain.size(), 4U);
  EXPECT_TRUE(plain.contains({"sm_80", "add(float*, float const*, int)"}));
  EXPECT_TRUE(plain.contains({"sm_90a", "void scale<3>(float*)"}));
  for (const char* each : {"lz4.fatbin", "zstd.fatbin", "zstd_default.fatbin", "two.a"}) {
    EXPECT_EQ(hashes(kCorpus + each), plain) << each;
    EXPECT_EQ(listed(kCorpus + each), (std::vector<std::string>{"sm_80", "sm_90a", "compute_90"}))
        << each;
  }
}

TEST_F(Images, AreNamedByTheirMemberOfAnArchive) {
  std::vector<std::string> places;
  for_each_image(kCorpus + "two.a", [&](const Image& image, const LoadImage&) {
    places.push_back(image.place.substr(kCorpus.size()));
  });
  ASSERT_EQ(places.size(), 3U);
  EXPECT_EQ(places[0], "two.a(a_member_with_a_long_name.o), image 1");
  EXPECT_EQ(places[2], "two.a(a_member_with_a_long_name.o), image 3");
}

TEST_F(Images, OfAFolderAreThoseOfAllFilesBelowIt) {
  write("cache/a/add.cubin", results::read_file(kCorpus + "add.cubin"));
  write("cache/a/add.json", "{}");
  // Behind a header of some cache.
  write("cache/b", std::string(40, 'd') + results::read_file(kCorpus + "add.cubin"));
  write("cache/nothing", "");
  EXPECT_EQ(listed(folder_ / "cache"), (std::vector<std::string>{"sm_90", "sm_90"}));
  EXPECT_EQ(hashes(folder_ / "cache"), hashes(kCorpus + "add.cubin"));
  fs::create_directories(folder_ / "empty");
  EXPECT_EQ(complaint(folder_ / "empty"), ": holds no machine code for GPUs");
}

TEST_F(Images, OfTritonsCacheHaveTheSharedMemoryThatItNotes) {
  write("cache/a/addk.cubin", results::read_file(kRecorded + "triton_addk.cubin"));
  const auto noted = [&](const std::string& notes) {
    write("cache/a/addk.json", notes);
    return read_image_kernels({folder_ / "cache"})
        .kernels.begin()
        ->second.at(0)
        .dynamic_shared_bytes;
  };
  EXPECT_EQ(noted(R"({"name": "addk", "num_warps": 4, "shared": 65536})"), 65'536U);
  EXPECT_EQ(noted(R"({"name": "another", "shared": 65536})"), std::nullopt);
  for (const char* const odd : {"", "{", "[]", R"({"name": "addk"})", R"({"name": 3, "shared": 4})",
                                R"({"name": "addk", "shared": -1})"}) {
    EXPECT_EQ(noted(odd), std::nullopt) << odd;
  }
  EXPECT_EQ(noted(std::string(1'000'000, '[')), std::nullopt);
}

// Its last bytes are those of no section.
TEST_F(Images, ThatLackTheirLastByteAreRefused) {
  const std::string cubin = results::read_file(kCorpus + "add.cubin");
  EXPECT_EQ(complaint(write("whole.cubin", cubin)), "none");
  EXPECT_EQ(complaint(write("cut.cubin", cubin.substr(0, cubin.size() - 1))),
            ": is cut short or damaged");
  const std::string header(40, 'd');
  EXPECT_EQ(complaint(write("less.bin", header + cubin.substr(0, cubin.size() - 1))), "none");
  EXPECT_EQ(complaint(write("cut.bin", header + cubin.substr(0, cubin.size() - 2))),
            ": is cut short or damaged");
}

// CuPy keeps them behind a digest and the kernels' names, and without their last byte. This one is
// of a machine with an H200.
TEST_F(Images, OfCuPysCacheAreRead) {
  const std::string file = results::read_file(kRecorded + "cupy.cubin");
  const std::string cubin =
      file.substr(file.find("\x7f"
                            "ELF"));
  Elf64_Ehdr header;
  std::memcpy(&header, cubin.data(), sizeof header);
  ASSERT_EQ(header.e_phoff + header.e_phnum * header.e_phentsize, cubin.size() + 1);

  const ImageKernels read = read_image_kernels({kRecorded + "cupy.cubin"});
  std::set<std::string> names;
  for (const auto& [key, kernels] : read.kernels) names.insert(key.first);
  EXPECT_EQ(names, (std::set<std::string>{
                       "stacked", "void (anonymous namespace)::tile<16>(float*, float const*, int)",
                       "void (anonymous namespace)::tile<32>(float*, float const*, int)",
                       "void axpy<double>(double*, double const*, double, int)",
                       "void axpy<float>(float*, float const*, float, int)"}));
  EXPECT_EQ(read.kernels.at({"stacked", "sm_90"}).at(0).code.registers, 128U);
}

// However a chunk of what is read ends.
TEST_F(Images, AreFoundWhereverTheyLie) {
  const std::string cubin = results::read_file(kCorpus + "add.cubin");
  for (const std::size_t before : {std::size_t{1}, std::size_t{262'144} - 2,
                                   std::size_t{262'144} - 60, std::size_t{262'144}}) {
    const std::string bytes = std::string(before, 'x') + cubin + std::string(300'000, 'P') + cubin +
                              "\x7f"
                              "ELF";
    EXPECT_EQ(listed(write("it", bytes)), (std::vector<std::string>{"sm_90", "sm_90"})) << before;
  }
}

// As the fatbins of a library that is never loaded.
TEST_F(Images, OfASectionThatIsNotLoadedAreFoundByItsName) {
  const fs::path library = run("with.o", fmt::format("printf '' >a.cpp && "
                                                     "g++ -c a.cpp -o a.o && objcopy --add-section "
                                                     "'.nv_fatbin={}plain.fatbin' a.o with.o",
                                                     kCorpus));
  EXPECT_EQ(hashes(library), hashes(kCorpus + "plain.fatbin"));
}

// Were each to cost another look at what follows, the last would be reached in a day.
TEST_F(Images, OfMillionsOfEmptyContainersTakeOneLook) {
  const std::string empty =
      std::string(kContainerMagic) + std::string("\1\0\x10\0", 4) + std::string(8, '\0');
  std::string bytes;
  bytes.reserve(std::size_t{32} << 20);
  while (bytes.size() < std::size_t{32} << 20) bytes += empty;
  bytes += results::read_file(kCorpus + "add.cubin");
  EXPECT_EQ(listed(write("containers", bytes)), std::vector<std::string>{"sm_90"});
}

TEST_F(Images, ThatTheDriverCompilesAreNoMachineCode) {
  std::string bytes = results::read_file(kCorpus + "plain.fatbin");
  std::uint64_t at = 16;
  for (int i = 0; i < 2; ++i) {
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data() + at + 8, sizeof(size));
    at += 64 + size;
  }
  bytes.erase(16, at - 16);
  const std::uint64_t left = bytes.size() - 16;
  std::memcpy(bytes.data() + 8, &left, sizeof(left));
  EXPECT_EQ(complaint(write("ptx.fatbin", bytes)),
            ": holds no machine code, only what becomes machine code where it runs (compute_90)");
}

// A container with one image of this kind.
std::string container(std::uint64_t flags, const std::string& stored, std::uint64_t size) {
  std::string entry(64, '\0');
  const auto set = [&](std::size_t place, std::uint64_t value, std::size_t bytes) {
    std::memcpy(entry.data() + place, &value, bytes);
  };
  set(0, 2, 2);
  set(2, 0x101, 2);
  set(4, 64, 4);
  set(8, stored.size(), 8);
  set(16, stored.size(), 4);
  set(28, 90, 4);
  set(40, flags, 8);
  set(56, size, 8);
  std::string header = std::string(kContainerMagic) + std::string("\1\0\x10\0", 4);
  const std::uint64_t all = entry.size() + stored.size();
  header.append(reinterpret_cast<const char*>(&all), sizeof(all));
  return header + entry + stored;
}
constexpr std::uint64_t kLz4 = 0x2011;
constexpr std::uint64_t kZstd = 0x8011;

std::string in_zstd(const std::string& bytes) {
  std::string stored(ZSTD_compressBound(bytes.size()), '\0');
  stored.resize(ZSTD_compress(stored.data(), stored.size(), bytes.data(), bytes.size(), 1));
  return stored;
}

TEST_F(Images, ThatWouldFillTheMemoryAreRefusedBeforeTheyDo) {
  const std::string bomb = in_zstd(std::string(64 << 20, '\0'));
  EXPECT_EQ(complaint(write("bomb", container(kZstd, bomb, 64 << 20))),
            fmt::format(": has an image that decompresses from {} to 67108864 bytes, which no code "
                        "does",
                        bomb.size()));
  EXPECT_EQ(complaint(write("large", container(kZstd, "x", std::uint64_t{1} << 40))),
            ": has an image of 1099511627776 bytes, and at most 512 MiB are read");
}

TEST_F(Images, ThatAreNotWhatTheySayAreRefused) {
  const std::string cubin = results::read_file(kCorpus + "add.cubin");
  const std::string zstd = in_zstd(cubin);
  EXPECT_EQ(complaint(write("good", container(kZstd, zstd, cubin.size()))), "none");
  EXPECT_EQ(complaint(write("longer", container(kZstd, zstd, cubin.size() + 1))),
            fmt::format(": has an image that decompresses to {} bytes instead of {}", cubin.size(),
                        cubin.size() + 1));
  EXPECT_EQ(complaint(write("shorter", container(kZstd, zstd, cubin.size() - 1))),
            ": has an image that is damaged: of its zstd frame, zstd says 'Destination buffer is "
            "too small'");
  EXPECT_EQ(complaint(write("no_zstd", container(kZstd, cubin, cubin.size()))),
            ": has an image that is damaged: of its zstd frame, zstd says 'Unknown frame "
            "descriptor'");
  EXPECT_EQ(complaint(write("no_lz4", container(kLz4, std::string(99, '\xff'), 200))),
            ": has an image that is damaged: it is no LZ4 block");
  std::string other_version = container(kZstd, zstd, cubin.size());
  other_version[19] = 2;
  EXPECT_EQ(complaint(write("version", other_version)),
            ": has an image whose header is of version 0x201 and 64 bytes, which is not known "
            "here");
  const std::string whole = container(kZstd, zstd, cubin.size());
  EXPECT_EQ(complaint(write("cut", whole.substr(0, whole.size() - 1))),
            ": is cut short or damaged");
}

// As lz4's own tools and those of other languages write it.
TEST_F(Images, AreReadFromAnLz4Frame) {
  const std::string cubin = results::read_file(kCorpus + "add.cubin");
  std::string frame(LZ4F_compressFrameBound(cubin.size(), nullptr), '\0');
  frame.resize(LZ4F_compressFrame(frame.data(), frame.size(), cubin.data(), cubin.size(), nullptr));
  const fs::path good = write("good", container(kLz4, frame, cubin.size()));
  EXPECT_EQ(hashes(good), hashes(kCorpus + "add.cubin"));
  const std::string cut = frame.substr(0, frame.size() - 5);
  EXPECT_EQ(complaint(write("cut", container(kLz4, cut, cubin.size()))),
            ": has an image that is damaged: of its LZ4 frame, LZ4 says 'it ends too early'");
  EXPECT_EQ(complaint(write("long", container(kLz4, frame, cubin.size() - 1))),
            ": has an image that is damaged: of its LZ4 frame, LZ4 says 'it is longer than the "
            "image'");
  frame[4] = '\xff';
  EXPECT_NE(complaint(write("no_frame", container(kLz4, frame, cubin.size()))), "none");
}

// Where there are more than 65,279 of them, the header has no room for their number.
TEST_F(Images, WhoseSectionsAreNumberedInTheFirstOneAreRead) {
  std::string bytes = results::read_file(kCorpus + "add.cubin");
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  Elf64_Shdr first;
  std::memcpy(&first, bytes.data() + header.e_shoff, sizeof(first));
  first.sh_size = header.e_shnum;
  first.sh_link = header.e_shstrndx;
  std::memcpy(bytes.data() + header.e_shoff, &first, sizeof(first));
  header.e_shnum = 0;
  header.e_shstrndx = SHN_XINDEX;
  std::memcpy(bytes.data(), &header, sizeof(header));
  EXPECT_EQ(hashes(write("extended", bytes)), hashes(kCorpus + "add.cubin"));
  header.e_shstrndx = SHN_XINDEX - 1;
  std::memcpy(bytes.data(), &header, sizeof(header));
  EXPECT_EQ(complaint(write("nameless", bytes)), ", image 1: has sections without names");
}

std::uint64_t bytes_read_so_far() {
  std::ifstream file("/proc/self/io");
  std::string word;
  std::uint64_t bytes = 0;
  while (file >> word && word != "rchar:") {
  }
  file >> bytes;
  return bytes;
}

// Each container ends the search, which goes on behind it.
TEST_F(Images, AreLookedForOnceHoweverManyThereAre) {
  const std::string empty =
      std::string(kContainerMagic) + std::string("\1\0\x10\0", 4) + std::string(8, '\0');
  std::string bytes;
  for (int i = 0; i < 32'768; ++i) bytes += empty;
  const fs::path path = write("containers", bytes);
  const std::uint64_t before = bytes_read_so_far();
  if (before == 0) GTEST_SKIP() << "the kernel does not say how much was read";
  EXPECT_EQ(listed(path), std::vector<std::string>());
  EXPECT_LT(bytes_read_so_far() - before, 4 * bytes.size());
}

TEST_F(Images, AreNotInAThinArchive) {
  EXPECT_EQ(complaint(write("thin.a", "!<thin>\n")), ": is a thin archive, which holds no code");
}

// Whatever the bytes are, the answer is images or a CubinError.
TEST_F(Images, GarbageIsAnErrorAndNoCrash) {
  const unsigned seed = 20261124;
  std::mt19937 random(seed);
  int read = 0;
  int refused = 0;
  for (const char* name : {"plain.fatbin", "lz4.fatbin", "zstd.fatbin", "two.a", "add.o"}) {
    const std::string good = results::read_file(kCorpus + name);
    for (int i = 0; i < 40; ++i) {
      std::string bytes = good;
      for (std::size_t k = 0; k < 1 + random() % 4; ++k) {
        // Every other time in the headers.
        bytes[random() % (i % 2 == 0 ? bytes.size() : 300)] = static_cast<char>(random());
      }
      if (i % 10 == 0) bytes.resize(random() % bytes.size());
      complaint(write("it", bytes)) == "none" ? ++read : ++refused;
    }
  }
  EXPECT_GT(read, 0) << "seed " << seed;
  EXPECT_GT(refused, 0) << "seed " << seed;
}

// What nvcc makes of one source, packed in every way.
class PackedByNvcc : public Folder {
 protected:
  void SetUp() override {
    if (!HAS_NVCC) GTEST_SKIP() << "there was no nvcc when this was built";
    Folder::SetUp();
  }
  fs::path nvcc(const std::string& name, const std::string& options) {
    return run(name, fmt::format("'{}' -arch=sm_90 -Xcompiler -fPIC {} '{}' -o {}", NVCC, options,
                                 kSource, name));
  }
  fs::path link(const std::string& name, const std::string& options) {
    return run(name, fmt::format("echo 'int main() {{}}' >main.cpp && '{}' -arch=sm_90 {} -o {}",
                                 NVCC, options, name));
  }
};

TEST_F(PackedByNvcc, AllModesOfCompressionGiveTheSameCode) {
  const Hashes plain = hashes(nvcc("a.cubin", "-cubin"));
  ASSERT_EQ(plain.size(), 2U);
  for (const char* mode : {"none", "default", "size", "speed", "balance"}) {
    const fs::path packed =
        nvcc("a.fatbin", fmt::format("-fatbin --compress-mode={} -Xfatbin -compress-all", mode));
    EXPECT_EQ(hashes(packed), plain) << mode;
    EXPECT_EQ(listed(packed), (std::vector<std::string>{"sm_90", "compute_90"})) << mode;
  }
}

TEST_F(PackedByNvcc, AllKindsOfFilesGiveTheSameCode) {
  const Hashes plain = hashes(nvcc("a.o", "-c --compress-mode=size"));
  ASSERT_EQ(plain.size(), 2U);
  EXPECT_EQ(hashes(link("a.so", "-shared a.o")), plain);
  EXPECT_EQ(hashes(link("a.a", "-lib a.o")), plain);
  const fs::path program = link("program", "main.cpp a.o");
  EXPECT_EQ(hashes(program), plain);
  // Without the table of its sections.
  std::string bare = results::read_file(program);
  Elf64_Ehdr header;
  std::memcpy(&header, bare.data(), sizeof(header));
  header.e_shoff = 0;
  header.e_shnum = 0;
  std::memcpy(bare.data(), &header, sizeof(header));
  EXPECT_EQ(hashes(write("bare", bare)), plain);
}

// What it was linked from is there too, and does not run.
TEST_F(PackedByNvcc, OfALinkedProgramTheLinkedCodeCounts) {
  const fs::path object = nvcc("a.o", "-dc");
  EXPECT_EQ(listed(object), (std::vector<std::string>{"sm_90", "compute_90"}));
  EXPECT_EQ(hashes(object).size(), 2U);
  EXPECT_EQ(listed(link("program", "main.cpp a.o")), (std::vector<std::string>{"sm_90"}));
}

}  // namespace
}  // namespace warpgauge::machine_code
