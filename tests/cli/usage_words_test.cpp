// SPDX-License-Identifier: Apache-2.0
// What is said of an option's value that is missing or no such one: words, not the parser's types.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/helpers/one_line.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

using UsageWords = InFolder;

TEST_F(UsageWords, SayWhatValueAnOptionLacks) {
  for (const auto& [arguments, answer] :
       {std::pair(
            "compare a b --policy",
            "--policy needs a value: FILE, as in --policy FILE; see warpgauge compare --help"),
        {"compare a b --filter", "--filter needs a value: REGEX, as in --filter REGEX; see"},
        {"compare a b --allow", "--allow needs a value: new or inconclusive; see"},
        {"compare a b --explain", "--explain needs a value, and nothing follows it; see"},
        {"compare a b --looks", "--looks needs a value: a whole number from 1 to 20; see"},
        {"gate --suite x --seed", "--seed needs a value: a whole number; see"},
        {"gate --suite x --timeout", "--timeout needs a value: a number from 0.001 to 1e+06; see"},
        {"init --host", "--host needs a value: auto, github or gitlab; see warpgauge init"}}) {
    SCOPED_TRACE(arguments);
    expect_one_line(warpgauge(arguments), 64, std::string("warpgauge: ") + answer);
  }
}

TEST_F(UsageWords, SayWhichValuesThereAre) {
  for (const auto& [arguments, answer] :
       {std::pair("compare a b --allow regressed",
                  "--allow 'regressed': there are new and inconclusive; see warpgauge compare"),
        {"compare a b --allow new,inconclusiv",
         "--allow 'inconclusiv': there are new and inconclusive (did you mean 'inconclusive'?);"},
        {"compare a b --color blue", "--color 'blue': there are auto, always and never; see"},
        {"init --host guthub",
         "--host 'guthub': there are auto, github and gitlab (did you mean 'github'?); see"},
        {"completion tcsh", "there are bash, zsh and fish"},
        {"gate --suite x --seed many", "--seed 'many' is not a whole number; see warpgauge gate"},
        {"compare a b --summary x --summary y", "--summary is given more than once; see"}}) {
    SCOPED_TRACE(arguments);
    expect_one_line(warpgauge(arguments), 64, answer);
  }
}

TEST_F(UsageWords, SayWhatIsADryRunOfInit) {
  for (const char* option : {"--dry-run", "-n", "--yes --dry-run"}) {
    expect_one_line(warpgauge(std::string("init ") + option), 64,
                    ": without --yes it shows what it would write, and writes nothing unless you "
                    "agree at the terminal, so that is the dry run; see warpgauge init --help");
  }
  EXPECT_TRUE(all_files().empty());
  expect_one_line(warpgauge("gate --dry-run"), 64, "warpgauge gate has no option --dry-run; see");
}

}  // namespace
}  // namespace warpgauge
