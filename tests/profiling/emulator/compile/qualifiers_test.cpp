// SPDX-License-Identifier: Apache-2.0
// What becomes of CUDA's qualifiers in a source. That it compiles: nvcc/nvcc_test.sh.
#include "profiling/emulator/compile/qualifiers.hpp"

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
  for (const auto& [source, wanted] : sources) EXPECT_EQ(rewrite_qualifiers(source), wanted);
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
    EXPECT_EQ(rewrite_qualifiers(source), source);
  }
}

const std::string kShared = "thread_local __constinit __attribute__((aligned(128)))";
const std::string kConstant =
    "__attribute__((section(\"warpgauge_constant\"), visibility(\"internal\")))";

TEST(SharedAlignment, IsAnAttribute) {
  const std::string before = kShared + " __attribute__((aligned(::warpgauge_emulator::alignment<";
  EXPECT_EQ(rewrite_qualifiers(kShared + " alignas(16) float a[4];"),
            before + "16>()))) float a[4];");
  EXPECT_EQ(
      rewrite_qualifiers(kShared + "\n# 7 \"x.cu\"\n alignas (f(float4)) int a;"),
      kShared + "\n# 7 \"x.cu\"\n " + before.substr(kShared.size() + 1) + "f(float4)>()))) int a;");
  for (const std::string& source :
       {"alignas(16) " + kShared + " float a[4];", kShared + " int alignas_;"}) {
    EXPECT_EQ(rewrite_qualifiers(source), source);
  }
}

TEST(Constants, AreInTheSectionWhereTheyMayBeWritten) {
  for (const std::string declared :
       {"int a[4] = {1};", "const char* a;", "int constant = const_(1);", "float4 a;"}) {
    EXPECT_EQ(rewrite_qualifiers(kConstant + ' ' + declared), kConstant + ' ' + declared);
  }
  for (const std::string declared : {"const int a[4] = {1};", "int const a = 1;",
                                     "constexpr int a = 1;", "const char* const a[1];"}) {
    EXPECT_EQ(rewrite_qualifiers(kConstant + ' ' + declared), ' ' + declared);
  }
  EXPECT_EQ(rewrite_qualifiers("int b; static const " + kConstant + " int a = 1;"),
            "int b; static const  int a = 1;");
}

}  // namespace
}  // namespace warpgauge::emulator
