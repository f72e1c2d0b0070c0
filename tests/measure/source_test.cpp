// SPDX-License-Identifier: Apache-2.0
// Which files' lines are quoted, whatever a suite names.
#include "ci/measure/source.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "profiling/results/limits.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

class SourceText : public InFolder {
 protected:
  [[nodiscard]] std::string first_line_of(const std::string& file) const {
    results::SourceLine line;
    line.file = file;
    line.line = 1;
    std::vector<results::SourceLine> lines{line};
    add_source_text(lines, folder_ / "root");
    return lines.front().text;
  }
};

TEST_F(SourceText, IsThatOfFilesBelowTheRoot) {
  write("root/kernels/scan.cuh", "  int x;\n");
  write("secret", "password\n");
  write("rooted/secret", "password\n");
  fs::create_symlink("../secret", folder_ / "root" / "link");
  EXPECT_EQ(first_line_of("kernels/scan.cuh"), "int x;");
  EXPECT_EQ(first_line_of((folder_ / "root/kernels/scan.cuh").string()), "int x;");
  for (const std::string& outside :
       {std::string("../secret"), (folder_ / "secret").string(), std::string("../rooted/secret"),
        std::string("link"), std::string("/etc/passwd"), std::string("absent")}) {
    EXPECT_EQ(first_line_of(outside), "") << outside;
  }
}

TEST_F(SourceText, IsNotThatOfHiddenFiles) {
  write("root/.git/config", "password\n");
  write("root/kernels/.netrc", "password\n");
  fs::create_symlink(".git/config", folder_ / "root" / "config");
  for (const char* hidden :
       {".git/config", "./.git/config", "kernels/.netrc", "kernels/../.git/config", "config"}) {
    EXPECT_EQ(first_line_of(hidden), "") << hidden;
  }
  // Where the root itself lies is no matter.
  fs::rename(folder_ / "root", folder_ / ".root");
  write(".root/kernels/scan.cuh", "int x;\n");
  fs::create_symlink(".root", folder_ / "root");
  EXPECT_EQ(first_line_of("kernels/scan.cuh"), "int x;");
}

TEST_F(SourceText, IsNotThatOfPipesFoldersAndWhatIsTooLarge) {
  write("root/scan.cuh", "int x;\n");
  ASSERT_EQ(::mkfifo((folder_ / "root/pipe").c_str(), 0600), 0);
  write("root/large", "x\n");
  fs::resize_file(folder_ / "root/large", results::kSourceLimit.bytes + 1);
  for (const char* none : {"pipe", "large", "."}) EXPECT_EQ(first_line_of(none), "") << none;
}

}  // namespace
}  // namespace warpgauge::ci
