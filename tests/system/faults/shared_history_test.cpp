// SPDX-License-Identifier: Apache-2.0
// Recording into a shared database while one call after the other fails: the run is there as a
// whole or not at all, what went wrong is said in one line, and the next one is recorded.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>

#include "profiling/results/files/files.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/history/postgresql_server.hpp"
#include "tests/system/faults/place.hpp"
#include "tests/system/faults/tasks.hpp"

namespace warpgauge {
namespace {

class FailingRecord : public InFolder, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    if (PostgresqlServer::programs().empty()) GTEST_SKIP() << "there is no PostgreSQL server here";
    where_ = postgresql_server().new_database();
  }

  // Of results that no run had, with the call of this number failing; 0: none.
  Finished record(long number) {
    const int minute = ++recorded_;  // none that is still to come: some weeks of 2025 are enough
    const std::string created =
        fmt::format("2025-{:02}-{:02}T{:02}:{:02}:00Z", 1 + minute / (28 * 1440),
                    1 + minute / 1440 % 28, minute / 60 % 24, minute % 60);
    write("results.json", counted_results(1 + minute, created, true));
    const std::string failing = number == 0 ? "" : std::string("FAILING_CALL=") + GetParam();
    return shell(
        fmt::format("cd {} && {} FAILING_NUMBER={} FAILING_LOG=log LD_PRELOAD={} {} "
                    "history record results.json --history {}",
                    quoted(folder_.string()), failing, number, quoted(FAILING_CALLS),
                    quoted(WARPGAUGE), warpgauge::quoted(where_)));
  }

  [[nodiscard]] std::string log() const { return results::read_file(folder_ / "log"); }

  // How many runs there are, each whole.
  int runs() const {
    ci::History history(where_, ci::History::For::reading);
    int runs = 0;
    for (const auto& [name, text] : state_of(history)) runs += name.starts_with("run ") ? 1 : 0;
    for (const auto& [name, text] : state_of(history)) {
      if (name.starts_with("run ")) {
        EXPECT_NE(text.find("\"third/x/1\""), std::string::npos) << name;
      } else {
        EXPECT_EQ(std::count(text.begin(), text.end(), ';'), runs) << name;
      }
    }
    return runs;
  }

  std::string where_;
  int recorded_ = 0;
};

// libpq, once it is loaded, brings libraries along that print what goes wrong with them.
std::string without_libraries(const std::string& output) {
  std::string text;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("Error in GnuTLS initialization")) text += line + "\n";
  }
  return text;
}

TEST_P(FailingRecord, IntoASharedDatabaseLeavesTheOldOrTheNewStateAndSaysSo) {
  if (IsSkipped()) return;
  ASSERT_EQ(record(0).status, 0);
  constexpr long kSomeCalls = 12;
  constexpr int kMostRuns = 100;  // of which all are read again and again
  ASSERT_EQ(record(std::numeric_limits<long>::max()).status, 0);
  const long calls = std::stol(log().substr(log().find('\n') + 1));
  const long most = is_nightly() ? 20 * kSomeCalls : kSomeCalls;
  const long step = leaves_nothing_out() ? 1 : std::max(1L, calls / most);
  EXPECT_GT(calls, 0);
  for (long number = 1; number <= calls; number += step) {
    SCOPED_TRACE(fmt::format("call {} of {}", number, calls));
    int before = runs();
    if (before > kMostRuns) {
      where_ = postgresql_server().new_database();
      ASSERT_EQ(record(0).status, 0);
      before = 1;
    }
    const Finished finished = record(number);
    if (log().find("failed") == std::string::npos) break;  // it may call less often
    const int after = runs();
    EXPECT_TRUE(after == before || after == before + 1) << before << " " << after;
    const std::string said = without_libraries(finished.output);
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << finished.output;
    if (finished.status == 0) {
      EXPECT_EQ(after, before + 1) << finished.output;
    } else {
      EXPECT_TRUE(said.starts_with("warpgauge: ")) << finished.output;
    }
    const int next = record(0).status;
    EXPECT_EQ(next, 0);
    EXPECT_EQ(runs(), after + 1);
  }
}

INSTANTIATE_TEST_SUITE_P(All, FailingRecord, testing::Values("open", "malloc", "send"));

}  // namespace
}  // namespace warpgauge
