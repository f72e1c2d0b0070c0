// SPDX-License-Identifier: Apache-2.0
// The lock of a device, in a folder that everyone may write to.
#include "ci/measure/device_lock.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "ci/support/errors.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

class Lock : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    if (const char* const before = std::getenv("TMPDIR")) before_ = before;
    ASSERT_EQ(::setenv("TMPDIR", folder_.c_str(), 1), 0);
  }
  void TearDown() override {
    if (before_) {
      ::setenv("TMPDIR", before_->c_str(), 1);
    } else {
      ::unsetenv("TMPDIR");
    }
    InFolder::TearDown();
  }

  // Empty: it was taken.
  static std::string refusal() {
    try {
      const DeviceLock lock("GPU-1", std::chrono::milliseconds(0), [] {});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

 private:
  std::optional<std::string> before_;
};

TEST_F(Lock, IsTakenOnceAtATime) {
  const DeviceLock lock("GPU-1", std::chrono::milliseconds(0), [] {});
  EXPECT_NE(refusal().find("another run holds the device GPU-1"), std::string::npos);
}

TEST_F(Lock, IsNoPipeThatSomeonePutThere) {
  EXPECT_EQ(refusal(), "");
  const auto path = folder_ / "warpgauge-GPU-1.lock";
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0666), 0);
  EXPECT_EQ(refusal(), "the lock " + path.string() +
                           " is no regular file: remove it, or set TMPDIR to a folder of your own");
}

TEST_F(Lock, FollowsNoLink) {
  std::filesystem::create_symlink("elsewhere", folder_ / "warpgauge-GPU-1.lock");
  EXPECT_NE(refusal().find("cannot open the lock"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "elsewhere"));
}

}  // namespace
}  // namespace warpgauge::ci
