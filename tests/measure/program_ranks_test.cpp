// SPDX-License-Identifier: Apache-2.0
// A program of two ranks, each on a GPU of its own, that wait for each other, as torchrun starts
// it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "profiling/results/program_id.hpp"
#include "profiling/results/results.hpp"
#include "tests/measure/program_run.hpp"

namespace warpgauge {
namespace {

class Ranks : public ProgramRun {
 protected:
  // `arguments -- sh ranks.sh`, whose ranks compute so long a step each, and wait.
  Finished start_ranks(const std::string& arguments, int first_ns, int second_ns) {
    std::string script;
    for (const int rank : {0, 1}) {
      const std::string counter = (folder_ / ("starts" + std::to_string(rank))).string();
      std::filesystem::remove(counter);
      script += "RANK=" + std::to_string(rank) + " FAKE_PROGRAM_WORK='" +
                work(rank == 0 ? first_ns : second_ns, rank == 0) + "' " + quoted(FAKE_PROGRAM) +
                " '" + counter + "' &\n";
    }
    write("ranks.sh", script + "wait\n");
    return warpgauge(arguments + " --injection inject.so -- sh ranks.sh");
  }

 private:
  // How long a rank waits differs from start to start.
  static std::string work(int time_ns, bool waits_longer) {
    const std::string waiting = waits_longer ? "90000,140000,60000,200000,75000,110000"
                                             : "20000,35000,15000,50000,18000,30000";
    return "repeat 40 push step run product 1 " + noisy(time_ns) +
           " run ncclDevKernel_AllReduce 1 " + waiting + " pop end";
  }
};

TEST_F(Ranks, AreJudgedByWhatTheyComputeAndNotByHowTheyWait) {
  const Finished run = start_ranks("run", 100'000, 110'000);
  ASSERT_EQ(run.status, 0) << run.output;
  const results::Results results = results::read_results(folder_ / "results.json");
  EXPECT_EQ(results.session->program->processes, 2);
  EXPECT_EQ(results.session->program->devices, 2);
  const auto* const product = results.find("step/product/4096·128");
  ASSERT_NE(product, nullptr);
  ASSERT_EQ(product->remarks.size(), 1U);
  EXPECT_EQ(product->remarks[0],
            "over 2 ranks from 100.0 µs (rank 0) to 110.0 µs (rank 1) (10.0 %)");
  const auto* const reduce = results.find("step/ncclDevKernel_AllReduce/4096·128");
  ASSERT_NE(reduce, nullptr);
  ASSERT_EQ(reduce->remarks.size(), 2U);
  EXPECT_NE(reduce->remarks[1].find("waits for others"), std::string::npos);

  ASSERT_EQ(warpgauge("approve results.json --reason first").status, 0);
  const Finished same = start_ranks("gate", 100'000, 110'000);
  EXPECT_EQ(same.status, 0) << same.output;
  const Finished slower = start_ranks("gate", 100'000, 120'000);
  EXPECT_EQ(slower.status, 1) << slower.output;
  EXPECT_NE(slower.output.find("step/product/4096·128"), std::string::npos) << slower.output;
}

}  // namespace
}  // namespace warpgauge
