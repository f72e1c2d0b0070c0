// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/files/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "profiling/results/files/file_kind.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::results {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "warpgauge-files-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(Files, WhatIsWrittenIsRead) {
  const std::string content = std::string(1 << 20, 'x') + '\0' + "end\n";
  write_file_atomically(folder_ / "new" / "folder" / "file", content);
  EXPECT_EQ(read_file(folder_ / "new" / "folder" / "file"), content);
}

TEST_F(Files, AFileWhoseSizeTheSystemDoesNotTellIsReadWhole) {
  EXPECT_GT(read_file("/proc/self/status").size(), 100U);
}

// As /tmp is, where a colleague's results.json may lie.
TEST_F(Files, AnotherUsersFileInAFolderOfAllIsNotWritable) {
  constexpr uid_t kNobody = 65'534;
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be two users";
  fs::permissions(folder_, fs::perms::all | fs::perms::sticky_bit);
  write_file_atomically(folder_ / "roots", "text");
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setresuid(kNobody, kNobody, kNobody) != 0) ::_exit(3);
    try {
      require_writable(folder_ / "mine");
      require_writable(folder_ / "roots");
    } catch (const FileError& error) {
      const bool is_it = std::string(error.what()).find("roots: Operation") != std::string::npos;
      ::_exit(is_it ? 0 : 2);
    }
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// It could lead to any file of this user.
TEST_F(Files, ALinkOfAStrangerInAFolderOfAllIsNotFollowed) {
  constexpr uid_t kNobody = 65'534;
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be two users";
  const fs::path shared = folder_ / "shared";
  fs::create_directory(shared);
  write_file_atomically(folder_ / "mine", "old");
  fs::create_symlink("../mine", shared / "results.json");
  fs::create_symlink("shared/results.json", folder_ / "own");
  const auto error_of = [](const fs::path& path) -> std::string {
    try {
      require_writable(path);
      write_file_atomically(path, "new");
      return "";
    } catch (const FileError& error) {
      EXPECT_THROW(write_file_atomically(path, "new"), FileError);
      return error.what();
    }
  };
  ASSERT_EQ(::lchown((shared / "results.json").c_str(), kNobody, kNobody), 0);
  EXPECT_EQ(error_of(shared / "results.json"), "") << "in a folder that is ours";
  write_file_atomically(folder_ / "mine", "old");
  fs::permissions(shared, fs::perms::all | fs::perms::sticky_bit);
  for (const fs::path& path : {shared / "results.json", folder_ / "own"}) {
    EXPECT_NE(error_of(path).find("another user's link in a folder that all write to"),
              std::string::npos)
        << path;
  }
  EXPECT_EQ(read_file(folder_ / "mine"), "old");
  EXPECT_TRUE(fs::is_symlink(shared / "results.json"));
}

// Who chose it could write to the new file, too.
TEST_F(Files, TheModeOfAStrangersFileInAFolderOfAllIsNotKept) {
  constexpr uid_t kNobody = 65'534;
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be two users";
  fs::permissions(folder_, fs::perms::all | fs::perms::sticky_bit);
  write_file_atomically(folder_ / "file", "old");
  const auto usual = fs::status(folder_ / "file").permissions();
  ASSERT_NE(usual, fs::perms::all);
  ASSERT_EQ(::chown((folder_ / "file").c_str(), kNobody, kNobody), 0);
  fs::permissions(folder_ / "file", fs::perms::all);
  write_file_atomically(folder_ / "file", "new");
  EXPECT_EQ(fs::status(folder_ / "file").permissions(), usual);
}

TEST_F(Files, AnExistingFileKeepsItsMode) {
  write_file_atomically(folder_ / "file", "old");
  fs::permissions(folder_ / "file", fs::perms(0640));
  write_file_atomically(folder_ / "file", "new");
  EXPECT_EQ(fs::status(folder_ / "file").permissions(), fs::perms(0640));
  EXPECT_EQ(read_file(folder_ / "file"), "new");
}

TEST_F(Files, ALinkStaysALinkAndItsFileIsWritten) {
  write_file_atomically(folder_ / "there" / "file", "old");
  fs::create_symlink("there/file", folder_ / "link");
  write_file_atomically(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_file(folder_ / "there" / "file"), "new");
}

// Otherwise `--summary /dev/null` would cost root the device.
TEST_F(Files, WhatIsNoFileIsWrittenToAndStaysWhatItIs) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  write_file_atomically(pipe, "content");
  std::string got(100, '\0');
  const ssize_t size = ::read(reader, got.data(), got.size());
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(got.substr(0, size < 0 ? 0 : static_cast<std::size_t>(size)), "content");
}

// Whatever was measured may have put it where a report goes.
TEST_F(Files, APipeThatNobodyReadsFromIsNotWaitedForWithoutEnd) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  try {
    write_file_atomically(pipe, "content");
    FAIL() << "wrote to nobody";
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("let something read from this pipe"),
              std::string::npos)
        << error.what();
  }
  // Somebody who comes a little later gets all of it, more than a pipe holds.
  const std::string content(200'000, 'x');
  std::string got;
  {
    const std::jthread reader([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      std::ifstream file(pipe);
      got.assign(std::istreambuf_iterator<char>(file), {});
    });
    write_file_atomically(pipe, content);
  }
  EXPECT_EQ(got, content);
}

TEST_F(Files, AFailedWriteSaysWhereAndLeavesNothingBehind) {
  write_file_atomically(folder_ / "file", "content");
  try {
    write_file_atomically(folder_ / "file" / "below", "x");
    FAIL() << "wrote below a file";
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find((folder_ / "file").string()), std::string::npos)
        << error.what();
  }
  fs::create_directory(folder_ / "taken");
  EXPECT_THROW(write_file_atomically(folder_ / "taken", "x"), FileError);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2);
}

TEST_F(Files, MissingFilesAndFoldersAreNamed) {
  for (const fs::path& path : {folder_ / "missing", folder_}) {
    try {
      (void)read_file(path);
      FAIL() << "read " << path;
    } catch (const FileError& error) {
      EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos) << error.what();
    }
  }
}

std::string why_not_read(const fs::path& path) {
  try {
    (void)read_file(path, {"a test", 2 * kMebibyte});
  } catch (const FileError& error) {
    return error.what();
  }
  return "read";
}

TEST_F(Files, WhatIsNoRegularFileIsRefusedAtOnce) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", folder_ / "link");
  for (const char* name : {"pipe", "link"}) {
    const std::string error = why_not_read(folder_ / name);
    EXPECT_NE(error.find("it is a pipe or a device"), error.npos) << error;
    EXPECT_NE(error.find(name), error.npos) << error;
  }
}

TEST_F(Files, WhatIsLargerThanItsLimitIsRefusedWithBoth) {
  const fs::path path = folder_ / "large";
  write_file_atomically(path, std::string(2 * kMebibyte, 'x'));
  EXPECT_EQ(why_not_read(path), "read");
  write_file_atomically(path, std::string(2 * kMebibyte + 1, 'x'));
  EXPECT_EQ(why_not_read(path),
            "cannot read " + path.string() +
                ": it is larger than 2 MiB, the most that is read of a test; is it "
                "the right file?");
  // Of 1 TB that takes no room on the disk, nothing is read.
  fs::resize_file(path, std::uintmax_t{1} << 40U);
  EXPECT_NE(why_not_read(path).find("larger than 2 MiB"), std::string::npos);
}

TEST_F(Files, WhatCannotBeReadIsOfNoKind) {
  const fs::path path = folder_ / "large";
  write_file_atomically(path, "[[metric]] names class");
  EXPECT_EQ(kind_of_file(path), "a policy");
  fs::resize_file(path, std::uintmax_t{1} << 40U);
  EXPECT_EQ(kind_of_file(path), "");
  EXPECT_EQ(kind_of_file(folder_ / "missing"), "");
}

// Killed at random moments, a writer leaves the old or the new file whole, never a part.
TEST_F(Files, AKilledWriterLeavesTheOldOrTheNewFile) {
  const fs::path path = folder_ / "file";
  const std::string old_content(3'000'000, 'o');
  const std::string new_content(4'000'000, 'n');
  write_file_atomically(path, old_content);
  int interrupted = 0;
  for (int round = 0; round < 60; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (;;) {
        write_file_atomically(path, new_content);
        write_file_atomically(path, old_content);
      }
    }
    ::usleep(static_cast<useconds_t>(500 + round * 211));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const std::string found = read_file(path);
    ASSERT_TRUE(found == old_content || found == new_content) << found.size() << " bytes";
    interrupted += std::distance(fs::directory_iterator(folder_), fs::directory_iterator()) > 1;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path() != path) fs::remove(entry.path());
    }
  }
  EXPECT_GT(interrupted, 0) << "no kill hit a write: the test proves nothing";
}

}  // namespace
}  // namespace warpgauge::results
