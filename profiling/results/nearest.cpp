// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace warpgauge::results {
namespace {

constexpr std::size_t kMostProposals = 3;

bool same_letter(char one, char other) {
  return std::tolower(static_cast<unsigned char>(one)) ==
         std::tolower(static_cast<unsigned char>(other));
}

// A third of what was typed, and two letters of a short word.
std::size_t most_slips(std::string_view pattern) {
  const auto any = static_cast<std::size_t>(std::count(pattern.begin(), pattern.end(), '*'));
  return std::max<std::size_t>((pattern.size() - any) / 3, 2);
}

}  // namespace

std::size_t edit_distance(std::string_view pattern, std::string_view name) {
  // Of the beginning of `pattern` seen so far to each beginning of `name`.
  std::vector<std::size_t> previous(name.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  std::vector<std::size_t> current(previous.size());
  for (const char wanted : pattern) {
    const bool any = wanted == '*';
    current[0] = previous[0] + (any ? 0 : 1);
    for (std::size_t i = 1; i < current.size(); ++i) {
      const bool equal = wanted == '?' || same_letter(wanted, name[i - 1]);
      current[i] =
          any ? std::min(previous[i], current[i - 1])
              : std::min({previous[i] + 1, current[i - 1] + 1, previous[i - 1] + (equal ? 0 : 1)});
    }
    previous.swap(current);
  }
  return previous.back();
}

std::vector<std::string> nearest(std::string_view pattern, const std::vector<std::string>& names,
                                 std::size_t most) {
  std::vector<std::pair<std::size_t, std::size_t>> ranked;  // distance, position
  ranked.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    ranked.emplace_back(edit_distance(pattern, names[i]), i);
  }
  most = std::min(most, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(most),
                    ranked.end());
  std::vector<std::string> found;
  found.reserve(most);
  for (std::size_t i = 0; i < most; ++i) found.push_back(names[ranked[i].second]);
  return found;
}

std::string did_you_mean(std::string_view pattern, const std::vector<std::string>& names) {
  std::vector<std::string> meant = nearest(pattern, names, kMostProposals);
  if (meant.empty()) return "";
  const std::size_t fewest = edit_distance(pattern, meant.front());
  if (fewest > most_slips(pattern)) return "";
  std::erase_if(meant,
                [&](const std::string& name) { return edit_distance(pattern, name) > fewest; });
  return fmt::format(" (did you mean '{}'?)", fmt::join(meant, "' or '"));
}

}  // namespace warpgauge::results
