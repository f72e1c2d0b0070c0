// SPDX-License-Identifier: Apache-2.0
// Locales, missing variables, folders that cannot be written, streams that are closed or full, odd
// names: the command line works, or says what is wrong and leaves nothing half done.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/helpers/one_line.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using results::Json;

class OddEnvironment : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    write("plan.json", plan());
    write("before.json", results_text(h200(), {{.id = "a/b/1",
                                                .times_ns = {1234.5, 1235.5, 1236.5},
                                                .counters = {{"barriers", 1234567}}}}));
    write("after.json", results_text(h200(), {{.id = "a/b/1",
                                               .times_ns = {2234.5, 2235.5, 2236.5},
                                               .counters = {{"barriers", 2234567}}}}));
  }

  [[nodiscard]] std::string plan() const {
    return Json{{"passes", {"counters"}},
                {"log", (folder_ / "log").string()},
                {"device", to_json(emulated())},
                {"benchmarks", {{"a/b/1", {{"counters", {{"barriers", 1.5}}}}}}}}
        .dump();
  }

  // A shell command in the folder; $W is the command line, $S the suite.
  [[nodiscard]] Finished in_shell(const std::string& command) const {
    return shell(fmt::format("cd {} && W={} S={} && export FAKE_SUITE_PLAN=plan.json && {}",
                             warpgauge::quoted(folder_.string()), warpgauge::quoted(WARPGAUGE),
                             warpgauge::quoted(FAKE_SUITE), command));
  }
};

TEST_F(OddEnvironment, AFolderThatIsGoneIsSaid) {
  expect_one_line(in_shell("mkdir gone && cd gone && rmdir ../gone && "
                           "$W compare baselines ../after.json"),
                  4, "the current folder is not there any more; change to another");
}

TEST_F(OddEnvironment, ATemporaryFolderThatIsNoneIsSaid) {
  expect_one_line(in_shell("TMPDIR=plan.json $W run --quiet --suite $S"), 4,
                  "cannot make a folder in plan.json: Not a directory; set TMPDIR");
}

TEST_F(OddEnvironment, NumbersHaveAPointWhateverTheLocale) {
  // The C library never frees its copy of LOCPATH.
  const std::string german = "env ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\" LOCPATH=" +
                             warpgauge::quoted(folder_.string()) + " LC_ALL=de_DE.UTF-8 ";
  ASSERT_EQ(in_shell("localedef -i de_DE -f UTF-8 ./de_DE.UTF-8").status, 0);
  ASSERT_EQ(in_shell(german + "/usr/bin/printf %.1f 1,5").output, "1,5")
      << "the locale is in force";
  for (const char* command :
       {"compare before.json after.json --explain '*' --json /dev/stdout",
        "compare before.json after.json --report markdown=/dev/stdout --report sarif=/dev/stdout "
        "--report junit=/dev/stdout",
        "table after.json", "table after.json --json",
        "approve before.json --reason why --baselines $B && cat $B/*/*.json && $W baseline show "
        "a/b/1 --baselines $B",
        "run --quiet --suite $S --out $B.json --timeout 99.5 && "
        "grep -v -e created -e uuid -e date -e load_avg $B.json"}) {
    const auto output_with = [&](const std::string& before, const std::string& name) {
      // When it was is not the locale's.
      std::string text = in_shell("B=" + name + "; { " + before + "\"$W\" " + command +
                                  "; } | sed -E 's/[0-9-]{10}T[0-9:]{8}Z/WHEN/g'")
                             .output;
      for (std::size_t at = 0; (at = text.find(name, at)) != text.npos;) {
        text.replace(at, name.size(), "NAME");
      }
      return text;
    };
    const std::string usual = output_with("", "for_usual");
    EXPECT_NE(usual.find_first_of("0123456789"), usual.npos) << usual;
    EXPECT_EQ(output_with(german, "for_german"), usual) << command;
  }
}

TEST_F(OddEnvironment, NothingButAPathIsNeeded) {
  const std::string bare = "env -i PATH=\"$PATH\" FAKE_SUITE_PLAN=plan.json \"$W\" ";
  EXPECT_EQ(in_shell(bare + "run --quiet --suite \"$S\"").status, 0);
  EXPECT_EQ(in_shell(bare + "approve results.json --reason why").status, 0);
  EXPECT_EQ(in_shell(bare + "compare baselines results.json").status, 0);
  EXPECT_EQ(in_shell(bare + "doctor").status, 0);
  EXPECT_EQ(in_shell("env -i \"$W\" compare baselines results.json").status, 0)
      << "not even that, where no program is started";
}

// /proc is a folder in which not even root makes files.
TEST_F(OddEnvironment, WhatCannotBeWrittenIsSaidBeforeAnythingIsMeasured) {
  for (const char* command :
       {"run --suite \"$S\" --out /proc/none/results.json", "gate --suite \"$S\" --out /proc/none",
        "run --suite \"$S\" --out plan.json/results.json", "run --suite \"$S\" --out .",
        "calibrate --suite \"$S\" --out /proc/none"}) {
    const auto before = all_files();
    expect_one_line(in_shell(std::string("\"$W\" ") + command), 4, "cannot ");
    EXPECT_EQ(all_files(), before) << command << ": the suite's log would be among them";
  }
}

TEST_F(OddEnvironment, AReadOnlyCheckoutIsMeasuredAsLongAsTheResultsGoElsewhere) {
  const std::string here = warpgauge::quoted(folder_.string());
  const Finished finished =
      in_shell("cd /proc && FAKE_SUITE_PLAN=" + here + "/plan.json \"$W\" gate --quiet --suite " +
               "\"$S\" --baselines " + here + "/baselines --out " + here + "/out");
  EXPECT_EQ(finished.status, 3) << finished.output;
  EXPECT_TRUE(fs::exists(folder_ / "out" / "verdict.json"));
  expect_one_line(in_shell("cd /proc && FAKE_SUITE_PLAN=" + here + "/plan.json \"$W\" gate " +
                           "--quiet --suite \"$S\""),
                  4, "results");
}

TEST_F(OddEnvironment, NamesMayHoldAnything) {
  const fs::path odd = folder_ / "it's a \"ka\u00dfe\" \u2603 $HOME -- *";
  fs::create_directories(odd);
  fs::copy_file(FAKE_SUITE, odd / "my suite");
  fs::copy_file(folder_ / "plan.json", odd / "plan.json");
  const auto there = [&](const std::string& command) {
    return in_shell("cd " + warpgauge::quoted(odd.string()) + " && \"$W\" " + command);
  };
  const Finished run = there("run --verbose --suite 'my suite' --out 'the results/a b.json'");
  EXPECT_EQ(run.status, 0) << run.output;
  const std::string word =
      "starts: " + warpgauge::quoted((odd / "my suite").string()) + " --warpgauge_describe";
  EXPECT_NE(run.output.find(word), std::string::npos) << run.output;
  const Finished approved =
      there("approve 'the results/a b.json' --baselines \"$PWD/b l\" --reason why");
  EXPECT_EQ(approved.status, 0) << approved.output;
  const Finished gate =
      there("gate --quiet --suite \"$PWD/my suite\" --baselines \"$PWD/b l\" --out \"o \u2603\"");
  EXPECT_EQ(gate.status, 0) << gate.output;
}

TEST_F(OddEnvironment, AClosedStreamIsNotTheNextFileThatIsOpened) {
  const std::string measure = "\"$W\" run --quiet --suite \"$S\"";
  EXPECT_EQ(in_shell(measure + " <&-").status, 0);
  EXPECT_EQ(in_shell(measure + " 2>&-").status, 0);
  EXPECT_EQ(in_shell("\"$W\" table nowhere 2>&-").status, 4);
  const std::string whole = results::read_file(folder_ / "results.json");
  expect_one_line(in_shell(measure + " >&-"), 4, "cannot write all of the output");
  EXPECT_EQ(Json::parse(results::read_file(folder_ / "results.json"))["benchmarks"],
            Json::parse(whole)["benchmarks"]);
  EXPECT_EQ(in_shell(measure + " <&- >&- 2>&-").status, 4);
}

TEST_F(OddEnvironment, OutputThatDoesNotArriveIsNoSuccess) {
  for (const char* command :
       {"--help", "--version", "run --help", "table after.json", "table after.json --json",
        "completion bash", "manual", "doctor", "compare before.json before.json",
        "compare before.json before.json --report markdown=/dev/stdout"}) {
    expect_one_line(in_shell(std::string("\"$W\" ") + command + " >/dev/full"), 4,
                    "cannot write all of the output");
  }
  EXPECT_EQ(in_shell("\"$W\" compare before.json before.json 2>/dev/full").status, 0);
  EXPECT_EQ(in_shell("\"$W\" run --suite \"$S\" 2>/dev/full").status, 0) << "progress is no result";
  EXPECT_EQ(in_shell("\"$W\" table nowhere 2>/dev/full").status, 4);
}

TEST_F(OddEnvironment, AReaderThatGoesAwayEndsItSilently) {
  std::vector<Measured> many;
  for (int i = 0; i < 3000; ++i) many.push_back({.id = fmt::format("a/b{}/1", i)});
  write("many.json", results_text(h200(), many));
  const Finished finished =
      in_shell("bash -c '\"$0\" table many.json | head -n 1; echo ${PIPESTATUS[0]}' \"$W\"");
  EXPECT_EQ(finished.output, "### a\n141\n");
}

TEST_F(OddEnvironment, AVeryLongArgumentIsRefusedInALineThatCanBeRead) {
  for (const char* filler : {"a", "(", "[", "a|"}) {
    std::string text;
    while (text.size() < 120'000) text += filler;
    for (const char* command :
         {"table after.json --filter ", "lines after.json --filter ",
          "compare before.json after.json --filter ", "table ",
          "compare before.json after.json --explain ", "", "baseline show "}) {
      const Finished finished = in_shell("\"$W\" " + (command + warpgauge::quoted(text)));
      EXPECT_TRUE(finished.status == 64 || finished.status == 4)
          << command << filler << ": " << finished.status;
      EXPECT_LT(finished.output.size(), 5000u) << command << filler;
    }
  }
}

}  // namespace
}  // namespace warpgauge
