// SPDX-License-Identifier: Apache-2.0
// The entry of every fuzz target: libFuzzer's where clang builds with it, otherwise a main that
// feeds it the files which are named, or lie in the folders which are.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "ci/support/errors.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/json/record_json.hpp"
#include "tests/fuzz/target.hpp"

namespace {

void explain_itself(const std::exception& error) {
  if (*error.what() == '\0') warpgauge::found("an error without a message");
}

}  // namespace

void warpgauge::found(const std::string& what) {
  std::fprintf(stderr, "found: %s\n", what.c_str());
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    warpgauge::read_hostile({reinterpret_cast<const char*>(data), size});
  } catch (const warpgauge::results::FormatError& error) {
    explain_itself(error);
  } catch (const warpgauge::results::FileError& error) {
    explain_itself(error);
  } catch (const warpgauge::ci::Error& error) {
    explain_itself(error);
  }
  return 0;
}

#ifndef WARPGAUGE_FUZZ
namespace {

int replay(const std::filesystem::path& file) {
  std::fprintf(stderr, "%s\n", file.c_str());
  const std::string text = warpgauge::results::read_file(file);
  return LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

}  // namespace

int main(int argc, char** argv) {
  int files = 0;
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      replay(argv[i]);
      ++files;
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      replay(entry.path());
      ++files;
    }
  }
  std::fprintf(stderr, "%d files survived\n", files);
  return files == 0 ? 1 : 0;  // nothing was tested
}
#endif
