// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/suite/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <system_error>

#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/json/record_json.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error(kExitNotMeasured,
              fmt::format("the suite's record{}; is the suite of the same version?", what));
}

[[noreturn]] void cannot_read(const std::filesystem::path& path, int error) {
  throw Error(kExitNotMeasured, fmt::format("cannot read the suite's record {}: {}; run it again",
                                            path.string(), std::generic_category().message(error)));
}

}  // namespace

bool Journal::has_grown() {
  const int descriptor = ::open(path_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0 && errno == ELOOP) fail(" is no regular file");
  if (descriptor < 0 && errno == ENOENT) return false;  // not begun
  if (descriptor < 0) cannot_read(path_, errno);
  struct stat status {};
  const bool is_file = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  const std::size_t before = text_.size();
  if (is_file) append_rest(descriptor);
  ::close(descriptor);
  if (!is_file) fail(" is no regular file");
  if (text_.size() > results::kJournalLimit.bytes)
    fail(" " + results::beyond(results::kJournalLimit));
  const auto lines = static_cast<std::size_t>(
      std::count(text_.begin() + static_cast<std::ptrdiff_t>(before), text_.end(), '\n'));
  lines_ += lines;
  return lines > 0;
}

bool Journal::has_grown(std::size_t benchmarks) {
  const bool grown = has_grown();
  if (lines_ > 2 * benchmarks) {
    fail(fmt::format(" has more than two lines for each of {}", counted(benchmarks, "benchmark")));
  }
  return grown;
}

JournalText Journal::read() const {
  JournalText read;
  std::size_t begin = 0;
  int number = 1;
  for (std::size_t end = text_.find('\n'); end != text_.npos; end = text_.find('\n', begin)) {
    try {
      const results::Json line = results::parse_json(text_.substr(begin, end - begin));
      if (line.contains("started")) {
        read.unfinished = line["started"].get<std::string>();
      } else if (line.contains("finished")) {
        read.finished.push_back(results::record_from(line["finished"]));
        read.unfinished.clear();
      }
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      fail(fmt::format(", line {}: {}", number, one_line(error.what())));
    }
    begin = end + 1;
    ++number;
  }
  return read;
}

void Journal::append_rest(int descriptor) {
  std::array<char, 65'536> buffer;
  while (text_.size() <= results::kJournalLimit.bytes) {
    const ssize_t got =
        ::pread(descriptor, buffer.data(), buffer.size(), static_cast<off_t>(text_.size()));
    if (got <= 0) return;
    text_.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace warpgauge::ci
