// SPDX-License-Identifier: Apache-2.0
// The ranges of counters that a baseline keeps.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ci/baselines/approve/approve.hpp"
#include "ci/baselines/baseline.hpp"
#include "ci/baselines/baseline_report.hpp"
#include "tests/baselines/baseline_folder.hpp"

namespace warpgauge::ci {
namespace {

using results::Results;

class RangesOfCounters : public BaselineFolder {
 protected:
  // A session of an hour whose kernel read so many bytes.
  static Results read(int number, double bytes, double wavefronts = 8, char code = 'a',
                      const results::Device& device = h200()) {
    const double time = 100'000 + number;
    Measured measured = padded({time, time + 1, time + 2}, wavefronts);
    measured.counters["dram_read_bytes"] = bytes;
    measured.machine_code = {kernel_code("kernel", code)};
    return results_of(device, {measured}, hour(number));
  }

  [[nodiscard]] results::CounterRange range() const {
    return load_baseline(folder_, "nvidia-h200")
        ->families.at("transpose")
        .at(padded().id)
        .ranges.at("dram_read_bytes");
  }

  static results::CounterRange range(int sessions, double least, double greatest) {
    return {sessions, least, greatest};
  }
};

TEST_F(RangesOfCounters, GrowWithTheSessionsAndCountEachOnce) {
  (void)approve({read(1, 1000), read(2, 1004)});
  EXPECT_EQ(range(), range(2, 1000, 1004));
  (void)approve({read(3, 998), read(2, 1004)});
  EXPECT_EQ(range(), range(3, 998, 1004));
  EXPECT_TRUE(approve({read(2, 1004)}).written.empty());
  (void)approve({read(4, 1000), read(5, 1000)});
  EXPECT_EQ(range(), range(5, 998, 1004));
  const std::string text = results::read_file(folder_ / "nvidia-h200" / "transpose.json");
  EXPECT_NE(text.find(R"("dram_read_bytes": {"least": 998, "greatest": 1004, "sessions": 5, )"
                      R"("class": "bounded"})"),
            text.npos)
      << text;
  const Finished shown = warpgauge("baseline show transpose/padded/8x8 --baselines .");
  EXPECT_NE(shown.output.find("  shown, by repetition\n    dram_read_bytes: 998 to 1,004 in 5 "
                              "sessions or more, bounded\n"),
            std::string::npos)
      << shown.output;
  EXPECT_EQ(read_baseline(folder_, "nvidia-h200")->benchmarks.front().ranges.at("dram_read_bytes"),
            range(5, 998, 1004));
}

TEST_F(RangesOfCounters, BeginAnewWithOtherKernelsAndInAnotherEnvironment) {
  (void)approve({read(1, 1000), read(2, 1004)});
  (void)approve({read(3, 500, 8, 'b')});
  EXPECT_EQ(range(), range(1, 500, 500)) << "other machine code";
  (void)approve({read(4, 700, 9, 'b')});
  EXPECT_EQ(range(), range(1, 700, 700)) << "other counts";
  results::Device newer = h200();
  newer.driver = "590.2";
  ApprovalRequest start_over = request({read(5, 800, 9, 'b', newer)});
  start_over.new_environment = true;
  (void)approve(start_over);
  EXPECT_EQ(range(), range(1, 800, 800)) << "another driver";
}

TEST_F(RangesOfCounters, AreNotKeptOfAnEmulator) {
  (void)approve({read(1, 1000, 8, 'a', emulated())});
  EXPECT_EQ(results::read_file(folder_ / "emulated" / "transpose.json").find("ranges"),
            std::string::npos);
}

TEST_F(RangesOfCounters, ABaselineWithoutThemIsReadAndGetsThem) {
  (void)approve({read(1, 1000), read(2, 1004)});
  const auto file = folder_ / "nvidia-h200" / "transpose.json";
  std::string text = results::read_file(file);
  const auto begin = text.find("      \"ranges\"");
  text.erase(begin, text.find("      \"lines\"") - begin);
  results::write_file_atomically(file, text);
  EXPECT_TRUE(read_baseline(folder_, "nvidia-h200")->benchmarks.front().ranges.empty());
  (void)approve({read(2, 1004)});
  EXPECT_EQ(range(), range(1, 1004, 1004));
}

TEST_F(RangesOfCounters, ThatContradictThemselvesAreRefused) {
  (void)approve({read(1, 1000), read(2, 1004)});
  const auto file = folder_ / "nvidia-h200" / "transpose.json";
  const std::string good = results::read_file(file);
  const std::string least = R"("least": 1000, "greatest": 1004, "sessions": 2, "class": "unknown")";
  for (const auto& [wrong, what] :
       {std::pair(R"("least": 900, "greatest": 1004, "sessions": 2, "class": "unknown")",
                  "class: must be noisy"),
        {R"("least": 1005, "greatest": 1004, "sessions": 2, "class": "unknown")", "more than"},
        {R"("least": 1000, "greatest": 1004, "sessions": 6, "class": "bounded")", "must be 1 to 5"},
        {R"("least": -1, "greatest": 1004, "sessions": 2, "class": "noisy")", "least: must be"}}) {
    std::string text = good;
    ASSERT_NE(text.find(least), text.npos) << text;
    text.replace(text.find(least), least.size(), wrong);
    results::write_file_atomically(file, text);
    try {
      (void)load_baseline(folder_, "nvidia-h200");
      FAIL() << wrong;
    } catch (const results::FormatError& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
  }
}

TEST_F(RangesOfCounters, AnExactCounterThatTheSameMachineCodeDoesNotRepeatIsNamed) {
  (void)approve({read(1, 1000)});
  const Approval approval = approve({read(2, 1000, 9)});
  EXPECT_EQ(approval.not_repeated,
            (std::vector<std::string>{padded().id + ": shared_load_wavefronts"}));
  EXPECT_NE(approval_text(approval).find("set gate = false for them in the policy"),
            std::string::npos)
      << approval_text(approval);
  EXPECT_TRUE(approve({read(3, 1000, 8, 'b')}).not_repeated.empty()) << "the kernel is another";

  const auto launched = [&](int number, double wavefronts, std::uint32_t blocks) {
    Results results = read(number, 1000, wavefronts, 'b');
    results.benchmarks[0].launches = {{.kernel = "k()", .grid = {blocks, 1, 1}}};
    return results;
  };
  (void)approve({launched(4, 8, 1)});
  EXPECT_TRUE(approve({launched(5, 9, 2)}).not_repeated.empty()) << "it is launched differently";
  EXPECT_EQ(range(), range(1, 1000, 1000)) << "and starts over";
}

}  // namespace
}  // namespace warpgauge::ci
