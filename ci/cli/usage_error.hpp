// SPDX-License-Identifier: Apache-2.0
// The message for a command line that cannot be parsed: the option whose value is missing, or the
// unknown word, if there is one, else what the parser says; and whose --help to read.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace warpgauge::ci {

// After parsing: of an option that took -- or another option for its value, which the parser lets
// pass; empty: there is none.
[[nodiscard]] std::string missing_value(const CLI::App& program);

// For the program, after parsing ended with this error.
[[nodiscard]] std::string usage_error(const CLI::App& program, const CLI::ParseError& error);

}  // namespace warpgauge::ci
