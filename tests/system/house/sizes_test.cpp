// SPDX-License-Identifier: Apache-2.0
// Holds sources and folders to a size that a reader can take in, unless they say why they are
// larger.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warpgauge {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = SOURCE_ROOT;

constexpr std::string_view kReason = "Larger than most: ";
constexpr int kMostLines = 400;
constexpr int kMostLinesOfATest = 600;
constexpr std::size_t kMostSources = 24;  // in a folder; a header and its source are one

// Whether it is a comment, of C++ or of CMake, that says why what it stands in is large.
bool is_reason(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (!line.starts_with("//") && !line.starts_with('#')) return false;
  line.remove_prefix(std::min(line.find_first_not_of("/#"), line.size()));
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (!line.starts_with(kReason)) return false;
  return line.find_first_not_of(" \t", kReason.size()) != line.npos;
}

struct Text {
  int lines = 0;
  bool says_why_it_is_large = false;
};

// Of a file that is not there: no lines.
Text text_of(const fs::path& path) {
  std::ifstream file(path);
  Text text;
  for (std::string line; std::getline(file, line);) {
    ++text.lines;
    if (is_reason(line)) text.says_why_it_is_large = true;
  }
  return text;
}

std::vector<fs::path> sources_below(const fs::path& folder) {
  const std::set<std::string> kinds{".cpp", ".hpp", ".cu", ".cuh"};
  std::vector<fs::path> sources;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && kinds.contains(entry.path().extension())) {
      sources.push_back(entry.path());
    }
  }
  std::sort(sources.begin(), sources.end());
  return sources;
}

struct Complaints {
  std::vector<std::string> texts;
  int sources = 0;
};

void add_files(Complaints& found, const fs::path& root) {
  for (const char* top : {"ci", "profiling", "kernels", "benchmarks", "tests"}) {
    const int most = std::string_view(top) == "tests" ? kMostLinesOfATest : kMostLines;
    for (const fs::path& source : sources_below(root / top)) {
      ++found.sources;
      const Text text = text_of(source);
      if (text.lines <= most || text.says_why_it_is_large) continue;
      found.texts.push_back(source.lexically_relative(root).string() + " has " +
                            std::to_string(text.lines) + " lines, more than " +
                            std::to_string(most) + "; split it, or say why not in a line \"// " +
                            std::string(kReason) + "…\" of it");
    }
  }
}

void add_folders(Complaints& found, const fs::path& root) {
  std::map<fs::path, std::set<std::string>> folders;
  for (const char* top : {"ci", "profiling"}) {
    for (const fs::path& source : sources_below(root / top)) {
      folders[source.parent_path()].insert(source.stem());
    }
  }
  for (const auto& [folder, sources] : folders) {
    if (sources.size() <= kMostSources) continue;
    if (text_of(folder / "CMakeLists.txt").says_why_it_is_large) continue;
    const std::string name = folder.lexically_relative(root);
    found.texts.push_back(name + " has " + std::to_string(sources.size()) +
                          " sources, a header and its source counted as one, more than " +
                          std::to_string(kMostSources) +
                          "; split it, or say why not in a line \"# " + std::string(kReason) +
                          "…\" of " + name + "/CMakeLists.txt");
  }
}

// Of the files and folders of the project whose root that is.
Complaints complaints(const fs::path& root) {
  Complaints found;
  add_files(found, root);
  add_folders(found, root);
  return found;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// A project with the folders of this one and no file but those that a test writes.
class Sizes : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "warpgauge-sizes-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    for (const char* top : {"ci/cli", "profiling/cupti", "kernels", "benchmarks", "tests/cli"}) {
      fs::create_directories(root_ / top);
    }
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& path, int lines, const std::string& first = "int x;") const {
    std::ofstream file(root_ / path);
    for (int i = 0; i < lines; ++i) file << (i == 0 ? first : "") << '\n';
  }

  [[nodiscard]] std::string complained() const { return joined(complaints(root_).texts); }

  fs::path root_;
};

TEST(SizesOfTheProject, NoFileAndNoFolderIsTooLarge) {
  const Complaints found = complaints(kRoot);
  EXPECT_TRUE(found.texts.empty()) << joined(found.texts);
  EXPECT_GT(found.sources, 300) << "too few sources were found: the test proves nothing";
}

TEST_F(Sizes, AFileThatIsTooLargeIsNamedWithItsLinesAndTheLimit) {
  for (const char* folder : {"ci/cli/", "profiling/cupti/", "kernels/", "benchmarks/"}) {
    for (const char* kind : {".cpp", ".hpp", ".cu", ".cuh"}) {
      const std::string path = folder + std::string("scan") + kind;
      write(path, 400);
      EXPECT_EQ(complained(), "");
      write(path, 401);
      EXPECT_EQ(complained(), path +
                                  " has 401 lines, more than 400; split it, or say why not in a "
                                  "line \"// Larger than most: …\" of it\n");
      fs::remove(root_ / path);
    }
  }
}

TEST_F(Sizes, ATestMayBeLarger) {
  write("tests/cli/run_test.cpp", 600);
  EXPECT_EQ(complained(), "");
  write("tests/cli/run_test.cpp", 601);
  EXPECT_EQ(complained().find("tests/cli/run_test.cpp has 601 lines, more than 600;"), 0U);
}

TEST_F(Sizes, AFileMaySayWhyItIsLarge) {
  for (const char* reason : {"// Larger than most: one table of the chip's metrics.",
                             "  // Larger than most: one table."}) {
    write("ci/cli/run.cpp", 401, reason);
    EXPECT_EQ(complained(), "") << reason;
  }
  for (const char* none : {"// Larger than most: ", "Larger than most: why", "// Larger than most",
                           "const char* text = \"// Larger than most: why\";"}) {
    write("ci/cli/run.cpp", 401, none);
    EXPECT_NE(complained(), "") << none;
  }
}

TEST_F(Sizes, AFolderIsCountedWithoutThoseBelowItAndAHeaderWithItsSource) {
  fs::create_directories(root_ / "ci/cli/more");
  write("ci/cli/more/other.cpp", 1);
  for (int i = 0; i < 24; ++i) {
    write("ci/cli/a" + std::to_string(i) + ".cpp", 1);
    write("ci/cli/a" + std::to_string(i) + ".hpp", 1);
  }
  write("ci/cli/CMakeLists.txt", 1);
  EXPECT_EQ(complained(), "");
  write("ci/cli/last.cpp", 1);
  EXPECT_EQ(complained(),
            "ci/cli has 25 sources, a header and its source counted as one, more than 24; split "
            "it, or say why not in a line \"# Larger than most: …\" of ci/cli/CMakeLists.txt\n");
  write("ci/cli/CMakeLists.txt", 1, "# Larger than most: one file a subcommand.");
  EXPECT_EQ(complained(), "");
}

}  // namespace
}  // namespace warpgauge
