// SPDX-License-Identifier: Apache-2.0
// What becomes of __cluster_dims__ in a source. That it compiles: nvcc/nvcc_test.sh.
#include "profiling/emulator/compile/cluster_dims.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace warpgauge::emulator {
namespace {

std::string constant(const std::string& extents) {
  return " __attribute__((used)) static constexpr unsigned warpgauge_cluster_dims[3] = {" +
         extents + "}; ::warpgauge_emulator::require_cluster(warpgauge_cluster_dims);";
}

TEST(ClusterDims, AreAConstantInTheKernel) {
  const std::string blank(std::string("__cluster_dims__(2)").size(), ' ');
  const std::vector<std::pair<std::string, std::string>> sources = {
      {"void __cluster_dims__(2) k() { f(); }",
       "void " + blank + " k() {" + constant("2") + " f(); }"},
      {"__cluster_dims__(2) void k(A a = {}) {}",
       blank + " void k(A a = {}) {" + constant("2") + "}"},
      {"void __cluster_dims__\n(f(1),\n 1) k()\n# 7 \"{.h\"\n{}",
       "void " + std::string(16, ' ') + "\n      \n    k()\n# 7 \"{.h\"\n{" + constant("f(1),  1") +
           "}"},
  };
  for (const auto& [source, wanted] : sources) EXPECT_EQ(rewrite_cluster_dims(source), wanted);
}

TEST(ClusterDims, StayWithoutABody) {
  for (const char* source :
       {"void __cluster_dims__(2) k();", "const char* s = \"__cluster_dims__(2) {\";",
        "int my__cluster_dims__(2); {}", "# 7 \"__cluster_dims__(2)\"\n{}", "__cluster_dims__(2",
        ""}) {
    EXPECT_EQ(rewrite_cluster_dims(source), source);
  }
}

}  // namespace
}  // namespace warpgauge::emulator
