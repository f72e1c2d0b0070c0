// SPDX-License-Identifier: Apache-2.0
// Names that are more than names: to a terminal, a runner, a spreadsheet or a database.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

using NamesInAHistory = InFolder;

TEST_F(NamesInAHistory, ANameIsNoCommandToATerminalARunnerOrASpreadsheet) {
  const std::string formula = "=HYPERLINK(1)/x/1";
  const std::string turned = "scan/\u202e\u009b31m/1";
  const std::string text =
      results_text(h200(), {{.id = formula, .times_ns = {1}}, {.id = turned, .times_ns = {2}}});
  const std::string name = "::error::name\x1b[31m.json";
  write(name, text);
  for (const char* said : {": recorded as run 1", ": is there already, as run 1"}) {
    const Finished recorded = warpgauge("history record " + quoted(name));
    EXPECT_EQ(recorded.status, 0);
    EXPECT_TRUE(recorded.output.starts_with(": :error::name [31m.json" + std::string(said)))
        << recorded.output;
  }
  const Finished exported = warpgauge("history export");
  EXPECT_NE(exported.output.find(",'=HYPERLINK(1)/x/1,time,"), std::string::npos)
      << exported.output;
  EXPECT_EQ(warpgauge("history export --run 1").output, text) << "byte for byte";
  const Finished shown =
      shell("cd " + quoted(folder_.string()) + " && script -qec " +
            quoted(quoted(WARPGAUGE) + " history export --run 1") + " /dev/null");
  EXPECT_NE(shown.output.find("scan/\\u202e\\u009b31m/1"), std::string::npos) << shown.output;
  EXPECT_EQ(shown.output.find("\u202e"), std::string::npos);
  EXPECT_EQ(warpgauge("history trend --json " + quoted(turned)).output.find("\u202e"),
            std::string::npos);
}

TEST_F(NamesInAHistory, ANameWithAControlCharacterIsNotRead) {
  for (const char* control : {"\\u0000", "\\n", "\\u001b", "\\u007f"}) {
    for (const char* placed : {"scan/plain/1", "loads"}) {
      std::string text = results_text(
          h200(), {{.id = "scan/plain/1", .times_ns = {1}, .counters = {{"loads", 1}}}});
      for (std::size_t at = 0; (at = text.find(placed, at)) != text.npos; at += 20) {
        text.insert(at + 3, control);
      }
      write("a.json", text);
      const Finished refused = warpgauge("history record a.json");
      EXPECT_EQ(refused.status, 4) << control << placed;
      EXPECT_NE(refused.output.find("has a control character in it"), std::string::npos)
          << refused.output;
    }
  }
}

}  // namespace
}  // namespace warpgauge
