// SPDX-License-Identifier: Apache-2.0
// What to say of a command line that cannot be parsed: the word that is not understood, if there is
// one, else what the parser says; and whose --help knows better.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace warpgauge::ci {

// Of the program, after its parse ended with the error.
[[nodiscard]] std::string usage_error(const CLI::App& program, const CLI::ParseError& error);

}  // namespace warpgauge::ci
