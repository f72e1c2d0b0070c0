// SPDX-License-Identifier: Apache-2.0
#include "ci/support/files/folder_lock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <string>
#include <utility>

#include "ci/support/errors.hpp"
#include "ci/support/files/temporary_folder.hpp"

namespace {

int flock_error = 0;                 // which the next locks of this test fail with; 0: they do not
std::function<void()> before_flock;  // happens once, between a folder's opening and its lock

}  // namespace

// In place of the C library's.
extern "C" int flock(int file, int operation) noexcept {
  if (before_flock) std::exchange(before_flock, nullptr)();
  if (flock_error == 0) return static_cast<int>(::syscall(SYS_flock, file, operation));
  errno = flock_error;
  return -1;
}

namespace warpgauge::ci {
namespace {

using Kind = FolderLock::Kind;

// Why an exclusive lock cannot be had; empty: it can.
std::string lock_refusal(const std::filesystem::path& folder) {
  try {
    const FolderLock lock(folder, Kind::exclusive);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), kExitNotMeasured);
    return error.what();
  }
}

class FolderLocks : public testing::Test {
 protected:
  ~FolderLocks() override {
    flock_error = 0;
    before_flock = nullptr;
  }

  // Whether somebody holds the lock of the folder that has this name now.
  [[nodiscard]] bool is_locked() const {
    const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool free = ::syscall(SYS_flock, folder, LOCK_EX | LOCK_NB) == 0;
    ::close(folder);
    return !free;
  }

  const TemporaryFolder around_;
  const std::filesystem::path folder_ = around_.path() / "a" / "baselines";
};

// Without, one of two approvals at once is lost, and both end with 0.
TEST_F(FolderLocks, WhereThereAreNoneNobodyWritesAndReadersGoOn) {
  ASSERT_TRUE(std::filesystem::create_directories(folder_));
  for (const int error : {ENOSYS, ENOLCK, EOPNOTSUPP, EBADF}) {
    flock_error = error;
    const std::string said = lock_refusal(folder_);
    EXPECT_NE(said.find("cannot lock " + folder_.string()), std::string::npos) << said;
    EXPECT_NE(said.find("approve in a copy, on a file system with locks"), std::string::npos)
        << said;
    EXPECT_EQ(read_locked(folder_, [] { return 7; }), 7);
  }
  flock_error = 0;
  EXPECT_EQ(lock_refusal(folder_), "");
}

TEST_F(FolderLocks, WhatIsRefusedLeavesNoFolder) {
  flock_error = ENOLCK;
  EXPECT_NE(lock_refusal(folder_), "");
  EXPECT_TRUE(std::filesystem::is_empty(around_.path()));
}

TEST_F(FolderLocks, AFolderThatCannotBeMadeOrIsNoneIsRefused) {
  EXPECT_NE(
      lock_refusal("/dev/null/baselines").find("cannot make the folder /dev/null/baselines: Not"),
      std::string::npos);
  EXPECT_NE(lock_refusal("/dev/null").find("cannot lock /dev/null: Not a directory"),
            std::string::npos);
  const std::filesystem::path link = around_.path() / "link";
  std::filesystem::create_symlink("nowhere", link);
  EXPECT_NE(lock_refusal(link).find("it is gone each time that it is made"), std::string::npos);
  EXPECT_EQ(read_locked(link, [] { return 7; }), 7);
}

// The writer before removes what it left empty; the next writer waits for a folder without a name,
// and a third has made another.
TEST_F(FolderLocks, AFolderThatAnotherReplacedMeanwhileIsNotTheOneThatIsLocked) {
  before_flock = [&] {
    std::filesystem::remove(folder_);
    std::filesystem::create_directory(folder_);
  };
  const FolderLock lock(folder_, Kind::exclusive);
  EXPECT_EQ(before_flock, nullptr);
  EXPECT_TRUE(is_locked());
}

TEST_F(FolderLocks, AFolderThatAnotherRemovedMeanwhileIsMadeAgain) {
  before_flock = [&] { std::filesystem::remove_all(around_.path() / "a"); };
  const FolderLock lock(folder_, Kind::exclusive);
  EXPECT_EQ(before_flock, nullptr);
  EXPECT_TRUE(is_locked());
}

TEST_F(FolderLocks, AReaderReadsAgainWhatCameIntoBeingMeanwhile) {
  int readings = 0;
  const auto read = [&] {
    std::filesystem::create_directories(folder_);
    return ++readings;
  };
  EXPECT_EQ(read_locked(folder_, read), 2);
}

TEST_F(FolderLocks, AnExclusiveOneKeepsReadersWaiting) {
  std::future<int> reader;
  {
    const FolderLock lock(folder_, Kind::exclusive);
    reader = std::async(std::launch::async, [&] { return read_locked(folder_, [] { return 1; }); });
    EXPECT_EQ(reader.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  }
  EXPECT_EQ(reader.get(), 1);
  EXPECT_TRUE(std::filesystem::is_empty(around_.path())) << "what is empty is removed again";
}

}  // namespace
}  // namespace warpgauge::ci
