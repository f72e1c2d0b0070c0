// SPDX-License-Identifier: Apache-2.0
// What of a source is CUDA's qualifier, and what the name of an attribute. That both compile in one
// source: nvcc/nvcc_test.sh.
#include "profiling/emulator/compile/noinline.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace warpgauge::emulator {
namespace {

const std::string kAttribute = "__attribute__((__noinline__))";

TEST(Noinline, IsAnAttributeWhereItQualifies) {
  const std::vector<std::pair<std::string, std::string>> sources = {
      {"__noinline__ int f();", kAttribute + " int f();"},
      {"static\n__noinline__\nint f();", "static\n" + kAttribute + "\nint f();"},
      {"f();\n# 7 \"(x.h\" 3 4\n__noinline__\n# 7 \"x.h\"\nint f();",
       "f();\n# 7 \"(x.h\" 3 4\n" + kAttribute + "\n# 7 \"x.h\"\nint f();"},
      {"template <class T> __noinline__ T f();", "template <class T> " + kAttribute + " T f();"},
      {"const char* s = \"\\\"\"; __noinline__ int f();",
       "const char* s = \"\\\"\"; " + kAttribute + " int f();"},
      {"char c = '\"'; __noinline__ int f();", "char c = '\"'; " + kAttribute + " int f();"},
  };
  for (const auto& [source, wanted] : sources) EXPECT_EQ(rewrite_noinline(source), wanted);
}

TEST(Noinline, StaysWhereItIsNamed) {
  for (const char* source : {
           "__attribute__((__noinline__)) int f();",
           "__attribute__((unused, __noinline__)) int f();",
           "__attribute__((\n  __noinline__)) int f();",
           "__attribute__((\n# 7 \"x.h\" 3 4\n__noinline__\n# 7 \"x.h\"\n)) int f();",
           "[[__gnu__::__noinline__]] int f();",
           "int my__noinline__; int __noinline__2;",
           "const char* s = \"of __noinline__ functions\";",
           "# 7 \"a __noinline__.h\"\nint x;",
           "",
       }) {
    EXPECT_EQ(rewrite_noinline(source), source);
  }
}

}  // namespace
}  // namespace warpgauge::emulator
