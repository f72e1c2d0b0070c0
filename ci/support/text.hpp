// SPDX-License-Identifier: Apache-2.0
// Figures and tables as people read them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpgauge::ci {

// "6.560 µs": four significant digits.
[[nodiscard]] std::string readable_time(double nanoseconds);

// "49,152"; not a whole number: "1.500".
[[nodiscard]] std::string readable_count(double value);

// "16.8 M", "524.3 k", "999": for a sentence, where the last digits would be in the way.
[[nodiscard]] std::string readable_large(double value);

// "3,941 GB/s": four significant digits.
[[nodiscard]] std::string readable_rate(double value, std::string_view unit);

// readable_time for the metrics that are times, else readable_count; "–" when absent.
[[nodiscard]] std::string readable_figure(std::string_view metric, std::optional<double> value);

// "+4.0 %" up to a doubling, "×32.0" beyond, "+16" from 0; "–" if a side is absent or both are 0.
[[nodiscard]] std::string readable_change(std::optional<double> before,
                                          std::optional<double> after);

// Columns that the text takes on a terminal.
[[nodiscard]] std::size_t display_width(std::string_view utf8);

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
};

// Rows under a header, columns aligned two blanks apart, each line ending with \n.
[[nodiscard]] std::string aligned_table(const std::vector<Column>& columns,
                                        const std::vector<std::vector<std::string>>& rows);

// Control characters and marks of writing direction replaced, so that a text from elsewhere stays
// one line, valid UTF-8, in order, and no command to the terminal.
[[nodiscard]] std::string one_line(std::string_view text);

// Runners of continuous integration obey lines of a log that begin with :: or hold ##[, ##vso[ or
// ##teamcity[, or another such word; none of these lines does.
[[nodiscard]] std::string log_text(std::string_view text);

// As one word of a shell command, whatever is in it.
[[nodiscard]] std::string shell_word(const std::string& text);

// "1 benchmark", "2 benchmarks".
[[nodiscard]] std::string counted(std::size_t count, std::string_view noun);

// "a, b and 3 more": the first `most`, at least one.
[[nodiscard]] std::string some_of(const std::vector<std::string>& all, std::size_t most,
                                  std::string_view separator = ", ");

// "a", "a and b", "a, b and c"; with `last` before the last one.
[[nodiscard]] std::string enumerated(const std::vector<std::string>& all,
                                     std::string_view last = "and");

}  // namespace warpgauge::ci
