// SPDX-License-Identifier: Apache-2.0
// Files cut short at any byte, and files with random damage: import reads them or says what is
// wrong with them, in a known way, and never does anything else.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "ci/import/import.hpp"
#include "ci/support/errors.hpp"
#include "tests/import/import_samples.hpp"

namespace warpgauge {
namespace {

constexpr const char* kFiles[] = {"nvbench.json",          "ncu_details.csv",
                                  "ncu_raw.csv",           "babelstream.csv",
                                  "google_benchmark.json", "google_benchmark_1_5.json"};

class ImportFuzz : public InFolder {
 protected:
  void SetUp() override {
    // Tens of thousands of files are written, none of which has to reach a disk.
    if (std::filesystem::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 0);
    InFolder::SetUp();
    write("nvbench.json-bin/0.bin", samples_of(20.4e-6));
    write("nvbench.json-bin/1.bin", samples_of(81.6e-6));
  }

  // Whether it could be read. What is said of it has its name and is one that the CLI catches.
  [[nodiscard]] bool reads(const std::string& content) const {
    const auto path = folder_ / "file";
    std::ofstream(path, std::ios::binary) << content;
    ci::ImportOptions options;
    options.files = {path};
    options.device = "NVIDIA H200";
    try {
      const ci::Imports imports = ci::import_files(options);
      // What comes out is a results file.
      (void)results::parse_results(imports.text, "imported");
      return true;
    } catch (const results::FormatError& error) {
      expect_named(error.what());
    } catch (const results::FileError& error) {
      expect_named(error.what());
    } catch (const ci::Error& error) {
      expect_named(error.what());
    }
    return false;
  }

  void expect_named(const std::string& message) const {
    EXPECT_NE(message.find(folder_.string()), message.npos) << message;
  }
};

TEST_F(ImportFuzz, AFileCutShortAnywhereIsReadOrRefused) {
  for (const char* name : kFiles) {
    SCOPED_TRACE(name);
    const std::string whole = import_sample(name);
    ASSERT_TRUE(reads(whole));
    // Each size of a small file; of a large one, every few bytes and all near the end.
    const std::size_t step = 1 + whole.size() / 1000;
    std::size_t tried = 0;
    std::size_t read = 0;
    for (std::size_t size = 0; size < whole.size(); size += size + 64 < whole.size() ? step : 1) {
      ++tried;
      read += reads(whole.substr(0, size)) ? 1U : 0U;
    }
    // JSON is whole or not; of a table, whole rows are all that can be known.
    if (std::string(name).ends_with(".json")) {
      EXPECT_EQ(read, 1U) << "without the last newline";
    } else {
      EXPECT_LT(read, tried / 4);
    }
  }
}

TEST_F(ImportFuzz, DamagedFilesAreReadOrRefused) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  constexpr int kRounds = 600;
  const std::string odd = "\"\\{}[],:-0eE.\n\r \xff()/=";
  for (const char* name : kFiles) {
    SCOPED_TRACE(name);
    const std::string whole = import_sample(name);
    for (int round = 0; round < kRounds; ++round) {
      std::string damaged = whole;
      for (int change = 0; change <= round % 4; ++change) {
        const std::size_t at = random() % damaged.size();
        switch (random() % 3) {
          case 0:
            damaged[at] = odd[random() % odd.size()];
            break;
          case 1:
            damaged.erase(at, 1 + random() % 20);
            break;
          default:
            damaged.insert(at, damaged, random() % damaged.size(), random() % 50);
        }
        if (damaged.empty()) damaged.push_back(odd.front());
      }
      (void)reads(damaged);
    }
  }
}

TEST_F(ImportFuzz, DeepNestingIsRefused) {
  const std::string deep(200'000, '[');
  for (const char* beginning :
       {R"({"meta": )", R"({"meta": {}, "benchmarks": )", R"({"context": )"}) {
    EXPECT_FALSE(reads(fmt::format("{}{}", beginning, deep)));
  }
}

// Expressions and parsers that recurse would run out of stack.
TEST_F(ImportFuzz, LongLinesAreRead) {
  const std::string stream = import_sample("babelstream.csv");
  EXPECT_TRUE(reads(fmt::format("CUDA Device 0: \"{:x>{}}\n{}", "", 2'000'000, stream)));
  EXPECT_TRUE(reads(fmt::format("{:\">{}}\n{}", "", 2'000'000, import_sample("ncu_raw.csv"))));
}

}  // namespace
}  // namespace warpgauge
