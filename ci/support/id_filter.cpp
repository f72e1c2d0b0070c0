// SPDX-License-Identifier: Apache-2.0
#include "ci/support/id_filter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

#include "ci/support/errors.hpp"
#include "ci/support/id_glob.hpp"
#include "profiling/results/nearest.hpp"

namespace warpgauge::ci {
namespace {

// RE2 takes at worst the product of the two, each of which it or this limits.
constexpr std::size_t kLongestId = 16'384;
constexpr std::int64_t kMostMemory = std::int64_t{2} << 20;

constexpr const char* kAnyInFilter =
    " (in a regular expression .* stands for any characters, and . for one)";

// Bytes, of which "." is any one, as the C library has it.
RE2::Options options() {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);
  options.set_posix_syntax(true);
  options.set_perl_classes(true);
  options.set_word_boundary(true);
  options.set_one_line(true);
  options.set_dot_nl(true);
  options.set_never_capture(true);
  options.set_log_errors(false);
  options.set_max_mem(kMostMemory);
  return options;
}

// Of processor time, which other programs do not shorten.
std::chrono::nanoseconds spent() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace

IdFilter::IdFilter(std::string pattern, std::chrono::milliseconds patience, std::string option)
    : text_(std::move(pattern)), option_(std::move(option)), patience_(patience) {
  if (text_.size() > kLongestPattern) {
    refuse(fmt::format("a regular expression of {} bytes; at most {} are allowed", text_.size(),
                       kLongestPattern));
  }
  pattern_ = std::make_shared<const RE2>(text_, options());
  if (!pattern_->ok()) {
    const bool may_be_glob =
        pattern_->error_code() == RE2::ErrorRepeatArgument && text_.find('*') != text_.npos;
    throw Error(kExitUsage,
                fmt::format("{} '{}' is no regular expression that can be used ({}){}; see "
                            "warpgauge --help",
                            option_, text_, pattern_->error(), may_be_glob ? kAnyInFilter : ""));
  }
}

void IdFilter::refuse(const std::string& what) const {
  throw Error(kExitUsage, fmt::format("{}: {}; see warpgauge --help", option_, what));
}

bool IdFilter::matches(const std::string& id) const {
  if (text_.empty()) return true;
  if (id.size() > kLongestId) {
    refuse(
        fmt::format("a benchmark's id has {} bytes, too many to match with a filter", id.size()));
  }
  if (spent_ > patience_) {
    refuse(
        fmt::format("matching the benchmarks' ids with this filter takes more than {} s, the "
                    "limit; write a simpler one",
                    std::chrono::duration<double>(patience_).count()));
  }
  const std::chrono::nanoseconds begin = spent();
  const bool found = RE2::PartialMatch(id, *pattern_);
  spent_ += spent() - begin;
  return found;
}

std::string meant_by_filter(std::string_view filter, const std::vector<std::string>& ids) {
  const std::string glob(filter);
  if (glob.find_first_of("*?") != glob.npos &&
      std::any_of(ids.begin(), ids.end(), [&](const auto& id) { return ci::matches(glob, id); })) {
    return kAnyInFilter;
  }
  if (filter.starts_with('^')) filter.remove_prefix(1);
  if (filter.ends_with('$')) filter.remove_suffix(1);
  if (filter.ends_with('/')) filter.remove_suffix(1);
  std::set<std::string> parts;
  for (const std::string& id : ids) {
    for (std::size_t end = id.find('/'); end != id.npos; end = id.find('/', end + 1)) {
      parts.insert(id.substr(0, end));
    }
    parts.insert(id);
  }
  return results::did_you_mean(filter, {parts.begin(), parts.end()});
}

std::string escaped(std::string_view text) {
  std::string escaped;
  for (const char character : text) {
    if (std::string_view(R"(\.[]{}()*+?^$|)").find(character) != std::string_view::npos) {
      escaped += '\\';
    }
    escaped += character;
  }
  return escaped;
}

std::string pattern_for(const std::vector<std::string>& ids) {
  std::vector<std::string> patterns;
  patterns.reserve(ids.size());
  for (const std::string& id : ids) patterns.push_back(escaped(id));
  return fmt::format("^({})$", fmt::join(patterns, "|"));
}

}  // namespace warpgauge::ci
