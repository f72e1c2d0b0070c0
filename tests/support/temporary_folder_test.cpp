// SPDX-License-Identifier: Apache-2.0
#include "ci/support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, OfAKilledProcessGoesWithTheNextAndThoseInUseStay) {
  const TemporaryFolder around;
  const char* before = std::getenv("TMPDIR");
  const std::string old = before != nullptr ? before : "";
  ASSERT_EQ(::setenv("TMPDIR", around.path().c_str(), 1), 0);

  const pid_t child = ::fork();
  if (child == 0) {
    const TemporaryFolder left;
    static_cast<void>(::kill(::getpid(), SIGKILL));
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ASSERT_FALSE(fs::is_empty(around.path()));

  auto first = std::make_unique<TemporaryFolder>();
  EXPECT_EQ(std::distance(fs::directory_iterator(around.path()), {}), 1);
  const TemporaryFolder second;
  EXPECT_TRUE(fs::exists(first->path()));
  EXPECT_EQ(std::distance(fs::directory_iterator(around.path()), {}), 2);
  first.reset();
  EXPECT_EQ(std::distance(fs::directory_iterator(around.path()), {}), 1);
  if (before != nullptr) {
    ::setenv("TMPDIR", old.c_str(), 1);
  } else {
    ::unsetenv("TMPDIR");
  }
}

}  // namespace
}  // namespace warpgauge::ci
