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

#include "tests/system/house/complaints.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kReason = "Larger than most";  // then a colon, and why
constexpr int kMostLines = 400;
constexpr int kMostLinesOfATest = 600;
constexpr int kMostSources = 24;  // in a folder; a header and its source are two

// Whether it is a comment, of C++ or of CMake, that says why what it stands in is large; of: the
// folder that it speaks of instead, as seen from there.
bool is_reason(std::string_view line, const std::string& of) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (!line.starts_with("//") && !line.starts_with('#')) return false;
  line.remove_prefix(std::min(line.find_first_not_of("/#"), line.size()));
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::string begin = std::string(kReason) + (of.empty() ? "" : ", " + of) + ": ";
  if (!line.starts_with(begin)) return false;
  return line.find_first_not_of(" \t", begin.size()) != line.npos;
}

struct Text {
  int lines = 0;
  bool says_why_it_is_large = false;
};

// Of a file that is not there: no lines.
Text text_of(const fs::path& path, const std::string& of = "") {
  std::ifstream file(path);
  Text text;
  for (std::string line; std::getline(file, line);) {
    ++text.lines;
    if (is_reason(line, of)) text.says_why_it_is_large = true;
  }
  return text;
}

std::vector<fs::path> sources_below(const fs::path& folder) {
  const std::set<std::string> kinds{".cpp", ".hpp", ".cu", ".cuh", ".h"};
  std::vector<fs::path> sources;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && kinds.contains(entry.path().extension())) {
      sources.push_back(entry.path());
    }
  }
  std::sort(sources.begin(), sources.end());
  return sources;
}

void add_files(Complaints& found, const fs::path& root) {
  for (const char* top : {"ci", "profiling", "kernels", "benchmarks", "tests"}) {
    const int most = std::string_view(top) == "tests" ? kMostLinesOfATest : kMostLines;
    for (const fs::path& source : sources_below(root / top)) {
      ++found.seen;
      const Text text = text_of(source);
      if (text.lines <= most || text.says_why_it_is_large) continue;
      found.texts.push_back(source.lexically_relative(root).string() + " has " +
                            std::to_string(text.lines) + " lines, more than " +
                            std::to_string(most) + "; split it, or say why not in a line \"// " +
                            std::string(kReason) + ": …\" of it");
    }
  }
}

// Where a folder may say why it is large: its own CMakeLists.txt, or the nearest one above it.
struct Place {
  fs::path file;
  std::string folder;  // as that file has to call it; empty: it is its own
};

Place place_of_reason(const fs::path& folder, const fs::path& root) {
  for (fs::path above = folder; above != root; above = above.parent_path()) {
    if (!fs::exists(above / "CMakeLists.txt")) continue;
    return {above / "CMakeLists.txt",
            above == folder ? "" : folder.lexically_relative(above).string()};
  }
  return {folder / "CMakeLists.txt", ""};
}

// Not those of kernels/ and benchmarks/: they have a file or two a family, and adding one changes
// no other file.
void add_folders(Complaints& found, const fs::path& root) {
  std::map<fs::path, int> folders;
  for (const char* top : {"ci", "profiling", "tests"}) {
    for (const fs::path& source : sources_below(root / top)) ++folders[source.parent_path()];
  }
  for (const auto& [folder, sources] : folders) {
    if (sources <= kMostSources) continue;
    const Place place = place_of_reason(folder, root);
    if (text_of(place.file, place.folder).says_why_it_is_large) continue;
    found.texts.push_back(folder.lexically_relative(root).string() + " has " +
                          std::to_string(sources) + " sources, more than " +
                          std::to_string(kMostSources) +
                          "; split it, or say why not in a line \"# " + std::string(kReason) +
                          (place.folder.empty() ? "" : ", " + place.folder) + ": …\" of " +
                          place.file.lexically_relative(root).string());
  }
}

// Of the files and folders of the project whose root that is.
Complaints complaints(const fs::path& root) {
  Complaints found;
  add_files(found, root);
  add_folders(found, root);
  return found;
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
  EXPECT_GT(found.seen, 300) << "too few sources were found: the test proves nothing";
}

TEST_F(Sizes, AFileThatIsTooLargeIsNamedWithItsLinesAndTheLimit) {
  for (const char* folder : {"ci/cli/", "profiling/cupti/", "kernels/", "benchmarks/"}) {
    for (const char* kind : {".cpp", ".hpp", ".cu", ".cuh", ".h"}) {
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

TEST_F(Sizes, AFolderIsCountedWithoutThoseBelowIt) {
  for (const std::string folder : {"ci/cli", "profiling/cupti", "tests/cli"}) {
    fs::create_directories(root_ / folder / "more");
    write(folder + "/more/other.cpp", 1);
    for (int i = 0; i < 12; ++i) {
      write(folder + "/a" + std::to_string(i) + (i % 2 == 0 ? ".cpp" : ".cu"), 1);
      write(folder + "/a" + std::to_string(i) + (i % 3 == 0 ? ".h" : ".hpp"), 1);
    }
    write(folder + "/CMakeLists.txt", 1);
    write(folder + "/limits.txt", 1);
    EXPECT_EQ(complained(), "");
    write(folder + "/last.cuh", 1);
    EXPECT_EQ(complained(), folder +
                                " has 25 sources, more than 24; split it, or say why not in a "
                                "line \"# Larger than most: …\" of " +
                                folder + "/CMakeLists.txt\n");
    write(folder + "/CMakeLists.txt", 1, "# Larger than most: one file a subcommand.");
    EXPECT_EQ(complained(), "");
  }
}

TEST_F(Sizes, AFolderWithoutACMakeListsIsNamedInTheNearestAboveIt) {
  fs::create_directories(root_ / "profiling/cupti/api/names");
  for (int i = 0; i < 25; ++i) {
    write("profiling/cupti/api/names/a" + std::to_string(i) + ".h", 1);
  }
  write("profiling/CMakeLists.txt", 1, "# Larger than most, cupti/api/names: CUDA's.");
  for (const char* none : {"", "# Larger than most: names of CUDA.", "# Larger than most, api: why",
                           "# Larger than most, api/names: "}) {
    write("profiling/cupti/CMakeLists.txt", 1, none);
    EXPECT_EQ(complained(),
              "profiling/cupti/api/names has 25 sources, more than 24; split it, or say why not in "
              "a line \"# Larger than most, api/names: …\" of profiling/cupti/CMakeLists.txt\n")
        << none;
  }
  write("profiling/cupti/CMakeLists.txt", 1, "# Larger than most, api/names: names of CUDA.");
  EXPECT_EQ(complained(), "");
}

TEST_F(Sizes, FamiliesMayBeMany) {
  for (int i = 0; i < 100; ++i) {
    write("kernels/a" + std::to_string(i) + ".cuh", 1);
    write("benchmarks/a" + std::to_string(i) + ".cu", 1);
  }
  EXPECT_EQ(complained(), "");
}

}  // namespace
}  // namespace warpgauge
