// SPDX-License-Identifier: Apache-2.0
// The list of loaded libraries is read while another thread makes it longer.
#include "profiling/cupti/inject/program_hooks/loaded_libraries.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <thread>

#include "tests/helpers/sample_results.hpp"

namespace warpgauge::inject {
namespace {

namespace fs = std::filesystem;

bool note(const link_map& library, void* names) {
  static_cast<std::set<std::string>*>(names)->insert(library.l_name);
  return true;
}

class LoadedLibraries : public InFolder {
 protected:
  // Another library each time: the loader tells them by their file.
  [[nodiscard]] std::string copy(int number) const {
    const fs::path path = folder_ / ("thread_data." + std::to_string(number) + ".so");
    fs::copy_file(THREAD_DATA, path);
    return path.string();
  }
};

TEST_F(LoadedLibraries, AreAllSeenTheProgramFirst) {
  const std::string path = copy(0);
  std::set<std::string> before;
  const unsigned long long loaded = each_library(note, &before);
  EXPECT_TRUE(before.contains("")) << "the program";
  EXPECT_FALSE(before.contains(path));
  ASSERT_NE(::dlopen(path.c_str(), RTLD_NOW), nullptr) << ::dlerror();
  std::set<std::string> after;
  EXPECT_EQ(each_library(note, &after), loaded + 1);
  EXPECT_TRUE(after.contains(path));
}

// More than the loader's tables of thread-local data hold at first. A thread's own table has room
// for some more than there are when it begins, so a new one begins now and then.
TEST_F(LoadedLibraries, AreReadWhileAThreadLoadsMore) {
  constexpr int kLibraries = 200;
  constexpr int kThreads = 50;
  std::set<std::string> names;
  for (int i = 0; i < kLibraries;) {
    std::atomic<bool> done{false};
    std::thread reader([&] {
      while (!done) {
        std::set<std::string> now;
        (void)each_library(note, &now);
      }
    });
    for (int more = 0; more < kLibraries / kThreads; ++more, ++i) {
      EXPECT_NE(::dlopen(copy(i).c_str(), RTLD_NOW), nullptr) << ::dlerror();
    }
    done = true;
    reader.join();
  }
  (void)each_library(note, &names);
  EXPECT_GE(names.size(), static_cast<std::size_t>(kLibraries));
}

}  // namespace
}  // namespace warpgauge::inject
