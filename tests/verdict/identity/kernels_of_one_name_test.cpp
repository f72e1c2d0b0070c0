// SPDX-License-Identifier: Apache-2.0
// Which kernel of machine code alone was which before, where several have one name.
#include "ci/verdict/identity/kernels_of_one_name.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ci/policy/policy.hpp"
#include "ci/verdict/compare.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::KernelCode;
using results::Results;

KernelCode instance(const std::string& hash, std::uint64_t spills = 0, int registers = 32) {
  KernelCode each;
  each.name = "k(int)";
  each.architecture = "sm_90";
  each.sass_hash = hash;
  each.registers = registers;
  each.stack_bytes = 0;
  each.spill_store_bytes = spills;
  each.spill_load_bytes = spills;
  return each;
}

KernelCode older(KernelCode each) {
  each.architecture = "sm_80";
  return each;
}

Results of_all_architectures(const std::vector<std::vector<KernelCode>>& kernels) {
  Results all;
  all.session.emplace();
  all.session->device.kind = results::DeviceKind::machine_code;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    BenchmarkResult& each = all.benchmarks.emplace_back();
    each.id = "f/k(int)" + (i == 0 ? std::string() : "#" + std::to_string(i + 1));
    each.machine_code = kernels[i];
  }
  return all;
}

Results built(const std::vector<KernelCode>& kernels) {
  std::vector<std::vector<KernelCode>> all;
  all.reserve(kernels.size());
  for (const KernelCode& each : kernels) all.push_back({each});
  return of_all_architectures(all);
}

// The code of each id, without the part that all have.
using Ids = std::map<std::string, std::string>;

Ids ids(const Results& before, const Results& after) {
  Ids all;
  for (const BenchmarkResult& each : numbered_as_before(before, after).benchmarks) {
    EXPECT_TRUE(all.emplace(each.id.substr(8), each.machine_code.at(0).sass_hash).second)
        << each.id;
  }
  return all;
}

TEST(KernelsOfOneName, AreThoseOfTheSameCodeWhateverTheirOrder) {
  EXPECT_EQ(ids(built({instance("a"), instance("b"), instance("c")}),
                built({instance("c"), instance("x"), instance("a")})),
            (Ids{{"", "a"}, {"#2", "x"}, {"#3", "c"}}));
}

TEST(KernelsOfOneName, AreElseInTheOrderOfWhatTheyTake) {
  EXPECT_EQ(ids(built({instance("a", 0), instance("b", 100)}),
                built({instance("x", 120), instance("y", 0)})),
            (Ids{{"", "y"}, {"#2", "x"}}));
}

// Of a template that two files had alike.
TEST(KernelsOfOneName, OneThatBecameWorseThanAllIsNoNewOne) {
  EXPECT_EQ(ids(built({instance("a")}), built({instance("a"), instance("x", 8)})),
            (Ids{{"", "x"}}));
  EXPECT_EQ(ids(built({instance("a"), instance("b", 8)}),
                built({instance("a"), instance("b", 8), instance("x", 16)})),
            (Ids{{"", "a"}, {"#2", "x"}}));
  EXPECT_EQ(ids(built({instance("a")}), built({instance("a"), instance("x")})),
            (Ids{{"", "a"}, {"#2", "x"}}))
      << "it takes no more";
  EXPECT_EQ(ids(built({instance("a"), instance("b", 8)}),
                built({instance("b", 8), instance("x", 4), instance("a")})),
            (Ids{{"", "a"}, {"#2", "b"}, {"#3", "x"}}));
}

TEST(KernelsOfOneName, AreHeldTogetherByTheArchitecturesThatBothBuildsHave) {
  const Results before = of_all_architectures(
      {{older(instance("a")), instance("A")}, {older(instance("b")), instance("B")}});
  EXPECT_EQ(ids(before, built({instance("B"), instance("A")})), (Ids{{"", "A"}, {"#2", "B"}}));
  EXPECT_EQ(ids(of_all_architectures({{older(instance("a")), instance("A")}}),
                of_all_architectures({{older(instance("a")), instance("A")},
                                      {older(instance("x", 8)), instance("A")}})),
            (Ids{{"", "x"}}))
      << "worse for one of them";
}

TEST(KernelsOfOneName, OfOthersNothingIsMoved) {
  Results before = built({instance("a"), instance("b")});
  Results after = built({instance("b"), instance("a")});
  after.session->device.kind = results::DeviceKind::gpu;
  EXPECT_EQ(ids(before, after), (Ids{{"", "b"}, {"#2", "a"}}));
  EXPECT_EQ(ids(built({instance("a")}), built({instance("x", 8)})), (Ids{{"", "x"}}));
}

}  // namespace
}  // namespace warpgauge::ci
