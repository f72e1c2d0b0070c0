// SPDX-License-Identifier: Apache-2.0
// Which calls of the compiler's own functions become ours. What they do:
// language/byte_copies_test.cpp.
#include "profiling/emulator/compile/byte_copies.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpgauge::emulator {
namespace {

const std::string kDeclaration =
    "# 1 \"byte_copies.h\" 1 3\nvoid* warpgauge_memset(void*, int, size_t);\n# 5 \"own.cu\" 2\n";

TEST(BuiltInCopies, BecomeTheEmulators) {
  EXPECT_EQ(rewrite_byte_copies(kDeclaration +
                                "f(__builtin_memcpy (a, b, 5), __builtin_memset(a, 0, 1));\n"
                                "x = __builtin_memmove(a, b, 5)"),
            kDeclaration +
                "f(warpgauge_memcpy (a, b, 5), warpgauge_memset(a, 0, 1));\n"
                "x = warpgauge_memmove(a, b, 5)");
}

TEST(BuiltInCopies, StayInHeadersOfTheSystem) {
  const std::string system =
      "# 7 \"/usr/include/c++/bits/stl_algo.h\" 1 3 4\n__builtin_memcpy(a, b, 1);\n";
  EXPECT_EQ(rewrite_byte_copies(kDeclaration + system), kDeclaration + system);
  EXPECT_EQ(
      rewrite_byte_copies(kDeclaration + system + "# 9 \"own.cu\" 2\n__builtin_memcpy(a, b, 1);"),
      kDeclaration + system + "# 9 \"own.cu\" 2\nwarpgauge_memcpy(a, b, 1);");
}

TEST(BuiltInCopies, StayWhereTheEmulatorsAreNotDeclared) {
  const std::string early = "# 1 \"own.cu\"\nvoid f() { __builtin_memcpy(a, b, 1); }\n";
  EXPECT_EQ(rewrite_byte_copies(early), early);
  EXPECT_EQ(rewrite_byte_copies(early + kDeclaration), early + kDeclaration);
}

TEST(BuiltInCopies, StayWhereTheNameIsAnothersOrText) {
  for (const char* source :
       {"my__builtin_memcpy(a);", "__builtin_memcpy2(a);", "__builtin_memcmp(a, b, 1);",
        "puts(\"__builtin_memcpy(a)\");", "# 7 \"__builtin_memcpy.h\"\n"}) {
    EXPECT_EQ(rewrite_byte_copies(kDeclaration + source), kDeclaration + source);
  }
}

}  // namespace
}  // namespace warpgauge::emulator
