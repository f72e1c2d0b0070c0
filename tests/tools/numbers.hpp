// SPDX-License-Identifier: Apache-2.0
// The figures of all pages on one page, each taken from where it stands or computed from what was
// recorded, so that none can differ from it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// A line of docs/explain/numbers.tsv.
struct Number {
  std::string group;
  std::string what;
  std::string figure;   // see stated()
  std::string machine;  // and date
  std::string command;  // that makes it; empty: the page says how
  std::string link;     // PAGE#ANCHOR, from the folder of the table
};

// name: of the text, for messages. Throws Error (not measured) on a line without six cells.
[[nodiscard]] std::vector<Number> number_rows(std::string_view text, const std::string& name);

// The text below the heading with such an anchor, up to the next heading that is no deeper. Empty:
// the page has none.
[[nodiscard]] std::string section_of(std::string_view page, std::string_view anchor);

// The words of it, one blank apart: in prose a quotation may be broken anywhere.
[[nodiscard]] std::string one_blank_apart(const std::string& text);

// What `figure` stands for: parts apart by "; ", each a quotation from the section, or "LABEL=ROW |
// COLUMN", the cell of a table in it; ROW is the first cells of a row, apart by " / ". Throws Error
// (not measured) where the section has no such words or no such cell.
[[nodiscard]] std::string stated(const Number& number, const std::string& section);

// By how much recorded times differ between processes, sessions and GPUs, as Markdown.
[[nodiscard]] std::string spread_table(const std::vector<results::Results>& sessions);

// All of it, as Markdown. read_page: gives the text of a page that a link names. command: what
// printed it.
[[nodiscard]] std::string numbers_tables(
    const std::vector<Number>& numbers, const std::vector<results::Results>& sessions,
    const std::function<std::string(const std::string&)>& read_page, const std::string& command);

}  // namespace warpgauge::ci
