// SPDX-License-Identifier: Apache-2.0
// The message for a command line that cannot be parsed: the unknown word if there is one, else what
// the parser says; and whose --help to read.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace warpgauge::ci {

// For the program, after parsing ended with this error.
[[nodiscard]] std::string usage_error(const CLI::App& program, const CLI::ParseError& error);

}  // namespace warpgauge::ci
