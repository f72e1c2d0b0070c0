// SPDX-License-Identifier: Apache-2.0
#include "ci/support/files/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "ci/support/errors.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

// TMPDIR for as long as it lives.
class Tmpdir {
 public:
  explicit Tmpdir(const std::string& value) {
    const char* before = std::getenv("TMPDIR");
    if (before != nullptr) old_ = before;
    ::setenv("TMPDIR", value.c_str(), 1);
  }
  ~Tmpdir() {
    if (old_) {
      ::setenv("TMPDIR", old_->c_str(), 1);
    } else {
      ::unsetenv("TMPDIR");
    }
  }
  Tmpdir(const Tmpdir&) = delete;
  Tmpdir& operator=(const Tmpdir&) = delete;

 private:
  std::optional<std::string> old_;
};

TEST(TemporaryFolder, SaysWhatTmpdirIsNot) {
  const Tmpdir file("/dev/null");
  try {
    const TemporaryFolder none;
    FAIL() << "made in a file";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "cannot make a folder in /dev/null: Not a directory; set TMPDIR to one that can "
                 "be written");
  }
  const Tmpdir gone("/none/there");
  EXPECT_THROW(const TemporaryFolder none, Error);
  const Tmpdir empty("");
  EXPECT_EQ(folder_of_temporary_files(), "/tmp");
}

TEST(TemporaryFolder, ItsDiskIsFullWhereNothingIsLeft) {
  const TemporaryFolder folder;
  EXPECT_EQ(note_of_full_disk(folder.path()), "");
  EXPECT_EQ(note_of_full_disk("/proc/self"),
            "the disk of /proc is full: make room there, or set TMPDIR to another");
  EXPECT_EQ(note_of_full_disk("/none/there"), "");
}

TEST(TemporaryFolder, OfAKilledProcessGoesWithTheNextAndThoseInUseStay) {
  const TemporaryFolder around;
  const Tmpdir set(around.path().string());

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
}

// As what keeps a program outlives its gate for a moment, and may still write there.
TEST(TemporaryFolder, StaysWhileAProcessThatHasItFromTheKilledOneLives) {
  const TemporaryFolder around;
  const Tmpdir set(around.path().string());

  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const TemporaryFolder left;
    const pid_t keeper = ::fork();
    if (keeper == 0) {
      for (;;) ::pause();
    }
    (void)!::write(ends[1], &keeper, sizeof keeper);
    static_cast<void>(::kill(::getpid(), SIGKILL));
  }
  pid_t keeper = 0;
  ASSERT_EQ(::read(ends[0], &keeper, sizeof keeper), static_cast<ssize_t>(sizeof keeper));
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  for (const int end : ends) ::close(end);
  { const TemporaryFolder next; }
  EXPECT_EQ(std::distance(fs::directory_iterator(around.path()), {}), 1);

  ::kill(keeper, SIGKILL);
  ASSERT_EQ(::waitpid(keeper, nullptr, 0), keeper);
  const TemporaryFolder last;
  EXPECT_EQ(std::distance(fs::directory_iterator(around.path()), {}), 1);
  EXPECT_TRUE(fs::exists(last.path()));
}

}  // namespace
}  // namespace warpgauge::ci
