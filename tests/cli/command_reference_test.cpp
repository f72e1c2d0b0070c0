// SPDX-License-Identifier: Apache-2.0
// Whatever subcommands there are: --help, the manual page and completion know each of them, with
// all of its options.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

using Words = std::set<std::string>;

std::string output_of(const std::string& arguments) {
  const Finished finished = shell(warpgauge::quoted(WARPGAUGE) + " " + arguments);
  EXPECT_EQ(finished.status, 0) << finished.output;
  return finished.output;
}

// The first words of the lines of a section of --help.
std::vector<std::string> listed(const std::string& help, const std::string& section) {
  std::vector<std::string> words;
  std::istringstream lines(help);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == section) {
      inside = true;
    } else if (line.empty()) {
      inside = false;
    } else if (inside && line.size() > 2 && line[2] != ' ') {
      words.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  return words;
}

// Of all that have no subcommands: "run", "baseline list".
std::vector<std::string> leaves(const std::string& path = "") {
  std::vector<std::string> all;
  const std::string help = output_of(path + " --help");
  for (const char* section : {"Everyday commands:", "More commands:", "Subcommands:"}) {
    for (const std::string& name : listed(help, section)) {
      const std::string whole = path.empty() ? name : path + " " + name;
      const auto below = leaves(whole);
      if (below.empty()) all.push_back(whole);
      all.insert(all.end(), below.begin(), below.end());
    }
  }
  return all;
}

// "--suite", of the options of a subcommand.
Words long_options(const std::string& path) {
  Words options;
  for (std::string each : listed(output_of(path + " --help"), "Options:")) {
    each = each.substr(each.find("--"));
    options.insert(each.substr(0, each.find(',')));
  }
  return options;
}

TEST(Help, ShowsTheCommandsOfEveryDayFirst) {
  const std::string help = output_of("--help");
  EXPECT_EQ(listed(help, "Everyday commands:"),
            (std::vector<std::string>{"run", "gate", "compare", "approve", "report", "baseline",
                                      "history", "doctor", "init"}));
  EXPECT_LT(help.find("Everyday commands:"), help.find("More commands:"));
  EXPECT_EQ(help.find("Subcommands:"), help.npos) << "one that is in no group";
}

TEST(Help, OfEachSubcommandHasExamplesExitStatusesAndHowMuchItSays) {
  const auto commands = leaves();
  EXPECT_GE(commands.size(), 18u);
  for (const std::string& command : commands) {
    const std::string help = output_of(command + " --help");
    EXPECT_TRUE(std::regex_search(help, std::regex("\nExamples?:\n"))) << help;
    EXPECT_NE(help.find("  64  wrong usage"), help.npos) << help;
    EXPECT_NE(help.find("\n   0  "), help.npos) << help;
    const Words options = long_options(command);
    EXPECT_TRUE(options.contains("--quiet") && options.contains("--verbose")) << help;
    EXPECT_NE(help.find("warpgauge " + command), help.npos) << help;
  }
}

TEST(ManualPage, NamesEachSubcommandAndItsOptions) {
  std::string page = output_of("manual");
  page = std::regex_replace(page, std::regex(R"(\\-)"), "-");
  for (const std::string& command : leaves()) {
    const std::size_t begin = page.find(".SS \\fBwarpgauge " + command + "\\fR\n");
    ASSERT_NE(begin, page.npos) << command;
    const std::string section = page.substr(begin, page.find(".SS ", begin + 4) - begin);
    for (const std::string& option : long_options(command)) {
      EXPECT_NE(section.find("\\fB" + option + "\\fR"), section.npos) << command << " " << option;
    }
  }
}

TEST(ManualPage, IsCleanForWhatRendersIt) {
  const std::string page = warpgauge::quoted(WARPGAUGE) + " manual";
  const Finished lint = shell(page + " | mandoc -T lint -W error");
  EXPECT_EQ(lint.status, 0) << lint.output;
  const Finished rendered = shell(page + " | mandoc -T utf8 | sed 's/.\\x08//g'");
  EXPECT_NE(rendered.output.find("--reference TEXT ..."), std::string::npos) << rendered.output;
  EXPECT_NE(rendered.output.find("--chip GH100 'bank conflicts'"), std::string::npos);
  if (shell("command -v groff").status != 0) return;
  const Finished groff = shell(page + " | groff -man -Tutf8 -k -ww -z");
  EXPECT_EQ(groff.output, "");
}

// What bash offers for the last of these words.
Words in_bash(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += fmt::format(" {}", warpgauge::quoted(word));
  const std::string script = fmt::format(
      "source <('{0}' completion bash); COMP_WORDS=('{0}'{1}); COMP_CWORD={2}; _warpgauge; "
      "printf '%s\\n' \"${{COMPREPLY[@]}}\"",
      WARPGAUGE, line, words.size());
  const Finished finished = shell(fmt::format("bash -uc {}", warpgauge::quoted(script)));
  EXPECT_EQ(finished.status, 0) << finished.output;
  Words offered;
  std::istringstream lines(finished.output);
  for (std::string each; std::getline(lines, each);) {
    if (!each.empty()) offered.insert(each);
  }
  return offered;
}

TEST(BashCompletion, OffersWhatMayFollow) {
  EXPECT_EQ(in_bash({"ba"}), Words{"baseline"});
  EXPECT_EQ(in_bash({"baseline", ""}), (Words{"check", "list", "prune", "show"}));
  EXPECT_EQ(in_bash({"run", "--si"}), Words{"--sizes"});
  EXPECT_EQ(in_bash({"run", "--sizes", ""}), (Words{"emulated", "gate", "large"}));
  EXPECT_EQ(in_bash({"run", "--sizes", "="}), (Words{"emulated", "gate", "large"}));
  EXPECT_EQ(in_bash({"run", "--sizes", "=", "l"}), Words{"large"});
  EXPECT_EQ(in_bash({"run", "--sizes=l"}), Words{"--sizes=large"}) << "as zsh and fish ask";
  EXPECT_EQ(in_bash({"baseline", "list", "--dev"}), Words{"--device"});
  EXPECT_EQ(in_bash({"completion", ""}), (Words{"bash", "fish", "zsh"}));
  EXPECT_EQ(in_bash({"run", "--filter", "table", "--siz"}), Words{"--sizes"})
      << "a value that is named like a subcommand";
  EXPECT_EQ(in_bash({"run", "--suite", ""}), Words{}) << "files, which bash offers by itself";
  EXPECT_EQ(in_bash({"manu"}), Words{}) << "hidden";
}

TEST(BashCompletion, KnowsEachSubcommandAndItsOptions) {
  for (const std::string& command : leaves()) {
    std::vector<std::string> words;
    std::istringstream parts(command);
    for (std::string part; parts >> part;) words.push_back(part);
    EXPECT_TRUE(in_bash(words).contains(words.back())) << command;
    words.emplace_back("--");
    EXPECT_EQ(in_bash(words), long_options(command)) << command;
  }
}

// With stand-ins for what zsh brings for completion.
TEST(ZshCompletion, OffersWhatMayFollow) {
  if (shell("command -v zsh").status != 0) GTEST_SKIP() << "there is no zsh";
  const auto offered = [](const std::string& words, int current) {
    const std::string script = fmt::format(
        "compdef() {{ }}; _files() {{ echo files }}; compadd() {{ printf '%s\\n' $shown }}; "
        "source <('{0}' completion zsh); words=('{0}' {1}); CURRENT={2}; _warpgauge",
        WARPGAUGE, words, current);
    const Finished finished = shell(fmt::format("zsh -fc {}", warpgauge::quoted(script)));
    EXPECT_EQ(finished.status, 0) << finished.output;
    return finished.output;
  };
  EXPECT_NE(offered("''", 2).find("baseline  -- Shows and trims"), std::string::npos);
  EXPECT_EQ(offered("run --sizes ''", 4), "gate\nlarge\nemulated\n");
  EXPECT_EQ(offered("run --suite ''", 4), "files\n");
  EXPECT_NE(offered("run --", 3).find("--sizes  -- gate: the sizes"), std::string::npos);
  EXPECT_NE(offered("baseline ''", 3).find("prune  -- Drops"), std::string::npos);
  EXPECT_EQ(offered("table ''", 3), "files\n");
}

TEST(FishCompletion, OffersWhatMayFollow) {
  if (shell("command -v fish").status != 0) GTEST_SKIP() << "there is no fish";
  const auto offered = [](const std::string& line) {
    const std::string script =
        fmt::format("'{}' completion fish | source; complete -C {}", WARPGAUGE,
                    warpgauge::quoted(std::string(WARPGAUGE) + line));
    return shell(fmt::format("fish -c {}", warpgauge::quoted(script))).output;
  };
  EXPECT_EQ(offered(" ba"), "baseline\tShows and trims what was approved\n");
  EXPECT_EQ(offered(" baseline pr"), "prune\tDrops the oldest sessions\n");
  EXPECT_EQ(offered(" run --sizes l").substr(0, 5), "large");
  EXPECT_EQ(offered(" completion b").substr(0, 4), "bash");
}

class HowMuchItSays : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    write("plan.json", results::Json{{"passes", {"counters"}},
                                     {"device", to_json(emulated())},
                                     {"benchmarks", {{"a/b/1", {{"counters", {{"x", 1}}}}}}}}
                           .dump());
  }
  Finished run(const std::string& more) {
    return shell("cd " + warpgauge::quoted(folder_.string()) + " && FAKE_SUITE_PLAN=plan.json " +
                 warpgauge::quoted(WARPGAUGE) + " run --suite " + warpgauge::quoted(FAKE_SUITE) +
                 " " + more);
  }
};

TEST_F(HowMuchItSays, ProgressUsuallyCommandsByVerboseNothingByQuiet) {
  const std::string outcome = "results.json: 1 benchmark measured, 0 failed\n";
  EXPECT_EQ(run("--quiet").output, outcome);
  const std::string usual = run("").output;
  EXPECT_NE(usual, outcome);
  EXPECT_EQ(usual.find("starts: "), usual.npos);
  const std::string verbose = run("--verbose").output;
  EXPECT_NE(verbose.find("starts: " FAKE_SUITE " --warpgauge_describe"), verbose.npos) << verbose;
  EXPECT_NE(verbose.find(" --warpgauge_pass=counters "), verbose.npos) << verbose;
  EXPECT_NE(verbose.find("process 1 of 1"), verbose.npos) << verbose;
  EXPECT_EQ(run("--quiet --verbose").status, 64);
}

TEST_F(HowMuchItSays, AnImportGivesNoAdviceWhenItIsQuiet) {
  write("plain.json", plain_text({nanoseconds("10")}));
  const std::string import = "import plain.json --device here --out out.json";
  EXPECT_NE(warpgauge(import).output.find("run it several times"), std::string::npos);
  EXPECT_EQ(warpgauge(import + " --quiet").output.find("run it several times"), std::string::npos);
}

TEST(Version, SaysWhatWasBuiltOfWhat) {
  const std::string text = output_of("--version");
  EXPECT_TRUE(
      std::regex_match(text, std::regex("warpgauge [0-9]+\\.[0-9]+\\.[0-9]+\n"
                                        "revision  ([0-9a-f]{40}(-modified)?|not known: .*)\n"
                                        "built     [^,\n]*, [A-Za-z]+ [0-9.]+, Linux .*\n"
                                        "features  [+-]emulator [+-]cuda [+-]page [+-]sanitize\n"
                                        "here\n(  [A-Za-z ]{12} (yes|no): [^\n]+\n){12}")))
      << text;
}

}  // namespace
}  // namespace warpgauge
