// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/machine_code/kernel_places.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <tuple>
#include <utility>

#include "ci/support/text.hpp"
#include "ci/verdict/identity/code_identity.hpp"
#include "profiling/machine_code/instructions/code_shape.hpp"

namespace warpgauge::ci {
namespace {

using results::CodePlace;
using results::KernelCode;

constexpr std::size_t kMostPlaces = 3;

bool is_earlier(const CodePlace& a, const CodePlace& b) {
  const bool a_begins = a.kind == machine_code::kFirstInstruction;
  const bool b_begins = b.kind == machine_code::kFirstInstruction;
  if (a_begins != b_begins) return a_begins;
  return std::tie(a.file, a.line) < std::tie(b.file, b.line);
}

}  // namespace

std::vector<CodePlace> places_of(const std::vector<std::string>& kinds, const KernelPair& pair) {
  std::set<std::tuple<std::string, std::string, std::string>> known;
  for (const KernelCode* code : pair.before) {
    for (const CodePlace& each : code->places) known.insert({each.kind, each.file, each.text});
  }
  std::vector<CodePlace> all;
  std::vector<CodePlace> fresh;
  std::set<std::pair<std::string, int>> lines;
  for (const KernelCode* code : pair.after) {
    for (const CodePlace& each : code->places) {
      const bool wanted = std::find(kinds.begin(), kinds.end(), each.kind) != kinds.end();
      if (!wanted || !lines.insert({each.file, each.line}).second) continue;
      all.push_back(each);
      if (!known.contains({each.kind, each.file, each.text})) fresh.push_back(each);
    }
  }
  return fresh.empty() ? all : fresh;
}

std::string at_places(const std::vector<CodePlace>& places) {
  if (places.empty()) return "";
  std::vector<std::string> names;
  for (const CodePlace& each : places) {
    if (names.size() < kMostPlaces) names.push_back(fmt::format("{}:{}", each.file, each.line));
  }
  const std::size_t more = places.size() - names.size();
  std::string text = fmt::format(" at {}{}", fmt::join(names, ", "),
                                 more == 0 ? "" : fmt::format(" and {} more", more));
  if (places.size() == 1 && !places.front().text.empty()) {
    text += ": " + one_line(places.front().text);
  }
  return text;
}

const CodePlace* first_place(const std::vector<CodePlace>& places) {
  const auto first = std::min_element(places.begin(), places.end(), is_earlier);
  return first == places.end() ? nullptr : &*first;
}

std::string where_they_are(const KernelCodes& codes) {
  const CodePlace* first = nullptr;
  for (const KernelCode* each : codes) {
    const CodePlace* const place = first_place(each->places);
    if (place != nullptr && (first == nullptr || is_earlier(*place, *first))) first = place;
  }
  if (first == nullptr) return "";
  return fmt::format(", first known line {}:{}", first->file, first->line);
}

std::string kernels_text(const KernelCodes& codes) {
  std::vector<std::string> names;
  for (const KernelCode* each : codes) names.emplace_back(without_parameters(each->name));
  return some_of(names, kMostPlaces);
}

}  // namespace warpgauge::ci
