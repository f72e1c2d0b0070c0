// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/text/sass_alignment.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

namespace warpgauge::machine_code {
namespace {

using Instructions = std::vector<SassInstruction>;

// Of each side, once their common beginning and end are left out: time and memory grow with the
// product.
constexpr std::size_t kMostAligned = 2'000;

constexpr std::size_t kContext = 3;  // instructions that are the same, around a change

// Without the labels of branches, which are numbered, and the addresses of branches.
std::string without_addresses(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t label = std::min(text.find("`(", at), text.size());
    plain += text.substr(at, label - at);
    if (label == text.size()) break;
    plain += "`()";
    at = std::min(text.find(')', label), text.size() - 1) + 1;
  }
  constexpr std::string_view kBranches[] = {"BRA", "BSSY", "CALL", "WARPSYNC", "BRX", "JMP"};
  const bool is_branch =
      std::any_of(std::begin(kBranches), std::end(kBranches),
                  [&](std::string_view each) { return plain.find(each) != plain.npos; });
  const std::size_t address = plain.rfind(" 0x");
  if (is_branch && address != plain.npos) plain.resize(address);
  return plain;
}

// "LDG.E" of "@P0 LDG.E R4, [R2.64]".
std::string_view operation_of(std::string_view text) {
  if (text.starts_with('@')) text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
  return text.substr(0, text.find(' '));
}

struct Side {
  const Instructions& all;
  std::vector<std::string> plain;

  explicit Side(const Instructions& instructions) : all(instructions) {
    plain.reserve(all.size());
    for (const SassInstruction& each : all) plain.push_back(without_addresses(each.text));
  }
};

constexpr std::uint32_t kSame = 3;

SassRow row(SassChange change, const SassInstruction* before, const SassInstruction* after) {
  SassRow row;
  row.change = change;
  if (before != nullptr) row.before = before->text;
  if (after != nullptr) row.after = after->text;
  row.place = (after != nullptr ? after : before)->place;
  return row;
}

// What two instructions count for that stand for each other; 0: they do not.
std::uint32_t likeness(const std::string& before, const std::string& after) {
  if (before == after) return kSame;
  return operation_of(before) == operation_of(after) ? 1 : 0;
}

// The likeness of all that follows, of the best way: a longest common subsequence with weights.
class Alignment {
 public:
  Alignment(const Side& before, const Side& after, std::size_t begin, std::size_t rows,
            std::size_t columns)
      : before_(before),
        after_(after),
        begin_(begin),
        rows_(rows),
        columns_(columns),
        best_((rows + 1) * (columns + 1)) {
    for (std::size_t i = rows; i-- > 0;) {
      for (std::size_t j = columns; j-- > 0;) {
        const std::uint32_t alike = like(i, j);
        best_[at(i, j)] =
            std::max({best_[at(i + 1, j)], best_[at(i, j + 1)],
                      alike > 0 ? alike + best_[at(i + 1, j + 1)] : std::uint32_t{0}});
      }
    }
  }

  void add_rows(std::vector<SassRow>& all) const {
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < rows_ || j < columns_) {
      const std::uint32_t alike = i < rows_ && j < columns_ ? like(i, j) : 0;
      if (alike > 0 && best_[at(i, j)] == alike + best_[at(i + 1, j + 1)]) {
        all.push_back(row(alike == kSame ? SassChange::same : SassChange::operands,
                          &before_.all[begin_ + i], &after_.all[begin_ + j]));
        ++i;
        ++j;
      } else if (j == columns_ || (i < rows_ && best_[at(i, j)] == best_[at(i + 1, j)])) {
        all.push_back(row(SassChange::removed, &before_.all[begin_ + i++], nullptr));
      } else {
        all.push_back(row(SassChange::added, nullptr, &after_.all[begin_ + j++]));
      }
    }
  }

 private:
  [[nodiscard]] std::size_t at(std::size_t i, std::size_t j) const {
    return i * (columns_ + 1) + j;
  }
  [[nodiscard]] std::uint32_t like(std::size_t i, std::size_t j) const {
    return likeness(before_.plain[begin_ + i], after_.plain[begin_ + j]);
  }

  const Side& before_;
  const Side& after_;
  std::size_t begin_;
  std::size_t rows_;
  std::size_t columns_;
  std::vector<std::uint32_t> best_;
};

// Which rows are shown: those that changed, with what is around them.
std::vector<bool> shown(const std::vector<SassRow>& rows) {
  std::vector<bool> all(rows.size(), false);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].change == SassChange::same) continue;
    const std::size_t begin = i - std::min(i, kContext);
    const std::size_t end = std::min(rows.size(), i + kContext + 1);
    for (std::size_t each = begin; each < end; ++each) all[each] = true;
  }
  return all;
}

// Rows of the whole, and how many instructions were too many to align.
std::vector<SassRow> aligned(const Instructions& before, const Instructions& after,
                             std::size_t& left_out) {
  const Side old_side(before);
  const Side new_side(after);
  std::vector<SassRow> all;
  const std::size_t shorter = std::min(before.size(), after.size());
  std::size_t begin = 0;
  while (begin < shorter && old_side.plain[begin] == new_side.plain[begin]) {
    all.push_back(row(SassChange::same, &before[begin], &after[begin]));
    ++begin;
  }
  std::size_t end = 0;
  while (end < shorter - begin &&
         old_side.plain[before.size() - 1 - end] == new_side.plain[after.size() - 1 - end]) {
    ++end;
  }
  const std::size_t rows = before.size() - begin - end;
  const std::size_t columns = after.size() - begin - end;
  const std::size_t kept_rows = std::min(rows, kMostAligned);
  const std::size_t kept_columns = std::min(columns, kMostAligned);
  Alignment(old_side, new_side, begin, kept_rows, kept_columns).add_rows(all);
  left_out = rows - kept_rows + columns - kept_columns;
  if (left_out > 0) return all;
  for (std::size_t each = end; each > 0; --each) {
    all.push_back(
        row(SassChange::same, &before[before.size() - each], &after[after.size() - each]));
  }
  return all;
}

}  // namespace

SideBySide side_by_side(const Instructions& before, const Instructions& after) {
  SideBySide all;
  std::vector<SassRow> rows = aligned(before, after, all.more);
  const std::vector<bool> wanted = shown(rows);
  std::size_t skipped = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!wanted[i]) {
      ++skipped;
    } else if (all.rows.size() == kMostSassRows) {
      if (rows[i].change != SassChange::same) ++all.more;
    } else {
      rows[i].skipped = std::exchange(skipped, 0);
      all.rows.push_back(std::move(rows[i]));
    }
  }
  return all;
}

}  // namespace warpgauge::machine_code
