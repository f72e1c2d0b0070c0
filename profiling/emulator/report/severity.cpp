// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/report/severity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

namespace warpgauge::emulator {
namespace {

// Mistakes that stop a block are errors whatever anybody says.
constexpr std::array<std::pair<std::string_view, ErrorKind>, 8> kNames{{
    {"race", ErrorKind::race},
    {"race", ErrorKind::global_race},
    {"same-value", ErrorKind::same_value},
    {"uninitialized", ErrorKind::uninitialized_read},
    {"uninitialized", ErrorKind::uninitialized_global_read},
    {"unused-read", ErrorKind::unused_read},
    {"left-barrier", ErrorKind::left_barrier},
    {"async-copy", ErrorKind::async_copy},
}};

[[noreturn]] void refuse(std::string_view item) {
  std::string known;
  std::string_view last;
  for (const auto& [name, kind] : kNames) {
    if (name == last) continue;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
    last = name;
  }
  throw std::invalid_argument(fmt::format(
      "`{}` is not a severity: write KIND=error or KIND=remark; the kinds are {}", item, known));
}

}  // namespace

Severities::Severities(std::string_view text) {
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    const std::size_t equals = item.find('=');
    const std::string_view name = item.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : item.substr(equals + 1);
    const bool known =
        std::ranges::any_of(kNames, [&](const auto& each) { return each.first == name; });
    if (!known || (value != "error" && value != "remark")) refuse(item);
    for (const auto& [each, kind] : kNames) {
      if (each == name) changed_[kind] = value == "error" ? Severity::error : Severity::remark;
    }
  }
}

Severity Severities::of(ErrorKind kind) const {
  const auto changed = changed_.find(kind);
  if (changed != changed_.end()) return changed->second;
  switch (kind) {
    case ErrorKind::same_value:
    case ErrorKind::unused_read:
    case ErrorKind::left_barrier:
    case ErrorKind::uncounted:
      return Severity::remark;
    default:
      return Severity::error;
  }
}

}  // namespace warpgauge::emulator
