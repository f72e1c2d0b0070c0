// SPDX-License-Identifier: Apache-2.0
// What a killed process left behind goes with the next one; what a live one uses stays.
#include "profiling/results/files/leftovers.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "profiling/results/files/files.hpp"

namespace warpgauge::results {
namespace {

namespace fs = std::filesystem;

class Leftovers : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "warpgauge-leftovers-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  // A process that makes the file or folder, keeps it, and waits to be killed.
  pid_t keeper_of(const fs::path& path, bool is_folder) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      if (is_folder) fs::create_directories(path / "within");
      const int descriptor = ::open(path.c_str(), is_folder ? O_RDONLY : O_RDWR | O_CREAT, 0600);
      static_cast<void>(keep_from_sweep(descriptor, path));
      static_cast<void>(::write(ready[1], "x", 1));
      for (;;) ::pause();
    }
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    ::close(ready[1]);
    return child;
  }

  static void kill(pid_t child) {
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  }

  fs::path folder_;
};

TEST_F(Leftovers, OfALiveProcessStayAndOfADeadOneGo) {
  const pid_t file = keeper_of(folder_ / "ours-file00", false);
  const pid_t folder = keeper_of(folder_ / "ours-folder", true);
  sweep(folder_, "ours-");
  EXPECT_TRUE(fs::exists(folder_ / "ours-file00"));
  EXPECT_TRUE(fs::exists(folder_ / "ours-folder" / "within"));
  kill(file);
  sweep(folder_, "ours-");
  EXPECT_FALSE(fs::exists(folder_ / "ours-file00"));
  EXPECT_TRUE(fs::exists(folder_ / "ours-folder" / "within"));
  kill(folder);
  sweep(folder_, "ours-");
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(Leftovers, OfAnotherNameOrKindStay) {
  write_file_atomically(folder_ / "there" / "file", "text");
  write_file_atomically(folder_ / "theirs-one000", "text");
  for (const char* name : {"ours-1", "ours-abcdef.json", "ours-abcde", "ours-abc ef"}) {
    write_file_atomically(folder_ / name, "text");
  }
  fs::create_directory_symlink("there", folder_ / "ours-link00");
  ASSERT_EQ(::mkfifo((folder_ / "ours-pipe00").c_str(), 0600), 0);
  sweep(folder_, "ours-");
  EXPECT_TRUE(fs::exists(folder_ / "theirs-one000"));
  EXPECT_TRUE(fs::exists(folder_ / "there" / "file"));
  for (const char* name : {"ours-1", "ours-abcdef.json", "ours-abcde", "ours-abc ef"}) {
    EXPECT_TRUE(fs::exists(folder_ / name)) << name;
  }
  EXPECT_TRUE(fs::is_symlink(folder_ / "ours-link00"));
  EXPECT_TRUE(fs::exists(folder_ / "ours-pipe00"));
}

TEST_F(Leftovers, WhatWasSweptWhileItWasMadeIsNotKept) {
  const fs::path path = folder_ / "ours-one000";
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  sweep(folder_, "ours-");
  EXPECT_FALSE(fs::exists(path));
  EXPECT_FALSE(keep_from_sweep(descriptor, path));
  ::close(descriptor);
}

TEST_F(Leftovers, OfAKilledWriterGoWithTheNextWriteOfTheFile) {
  const pid_t live = keeper_of(folder_ / "file.unfinished-live00", false);
  write_file_atomically(folder_ / "file.unfinished-dead00", "half");
  write_file_atomically(folder_ / "other.unfinished-dead00", "half");
  write_file_atomically(folder_ / "file", "whole");
  EXPECT_FALSE(fs::exists(folder_ / "file.unfinished-dead00"));
  EXPECT_TRUE(fs::exists(folder_ / "file.unfinished-live00"));
  EXPECT_TRUE(fs::exists(folder_ / "other.unfinished-dead00"));
  kill(live);
}

}  // namespace
}  // namespace warpgauge::results
