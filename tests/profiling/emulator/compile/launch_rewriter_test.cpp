// SPDX-License-Identifier: Apache-2.0
// What of a source is a launch, where its kernel's name begins, and that lines stay where they are.
// That what is written compiles and runs: chevrons_test.cpp.
#include "profiling/emulator/compile/launch_rewriter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace warpgauge::emulator {
namespace {

// The names that the rewritten source tells the emulator; nothing: it is left as it is.
std::vector<std::string> launched(const std::string& source) {
  std::vector<std::string> names;
  const auto rewritten = rewrite_launches(source);
  if (!rewritten) return names;
  const std::string before = "R\"warpgauge(";
  for (std::size_t at = rewritten->find(before); at != std::string::npos;
       at = rewritten->find(before, at + 1)) {
    const std::size_t begin = at + before.size();
    names.push_back(rewritten->substr(begin, rewritten->find(")warpgauge\"", begin) - begin));
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(LaunchRewriter, FindsWhereTheNameOfTheKernelBegins) {
  const std::vector<std::pair<std::string, std::string>> sources = {
      {"k<<<1, 2>>>(p);", "k"},
      {"if (x) k<<<1, 2>>>(p); else", "k"},
      {"if (f(x)) (k)<<<1, 2>>>(p);", "(k)"},
      {"else k<<<1, 2>>>(p);", "k"},
      {"for (;;) ::ns::k<<<1, 2>>>(p);", "::ns::k"},
      {"return k<<<1, 2>>>(p);", "k"},
      {"a = b; ns::k<float, (3 > 2)><<<1, 2>>>(p);", "ns::k<float, (3>2)>"},
      {"k<1 << 4, (n - 1) << 2><<<1, 2>>>(p);", "k<1<<4, (n-1)<<2>"},
      {"k<a<b<int>>><<<1, 2>>>(p);", "k<a<b<int>>>"},
      {"k < unsigned int > <<<1, 2>>>(p);", "k<unsigned int>"},
      {"C<T>::template k<U><<<1, 2>>>(p);", "C<T>::template k<U>"},
      {"f(0), ks[i + 1]<<<1, 2>>>(p);", "ks[i+1]"},
      {"(*pointer)<<<1, 2>>>(p);", "(*pointer)"},
      {"x ? s.k<<<1, 2>>>(p) : q->of(3).k<<<1, 2>>>(p);", "s.k"},
      {"{ get<3>(ks)<<<1, 2>>>(p); }", "get<3>(ks)"},
  };
  for (const auto& [source, name] : sources) {
    ASSERT_FALSE(launched(source).empty()) << source;
    EXPECT_EQ(launched(source).front(), name) << source;
  }
}

TEST(LaunchRewriter, LeavesOperatorsWhole) {
  const auto rewritten = rewrite_launches("k<(1 << 4), (a <= b), c\n::d><<<1, 2>>>(p);");
  ASSERT_TRUE(rewritten);
  EXPECT_NE(rewritten->find("warpgauge_ask(k<(1 << 4), (a <= b), c ::d>)"), std::string::npos)
      << *rewritten;
}

TEST(LaunchRewriter, FindsEachLaunch) {
  EXPECT_EQ(launched("a<<<1, 2>>>(p); b<<<f(x >> 3), dim3(1, (y >> 2)), n<int>()>>>(p);"),
            (Names{"a", "b"}));
  EXPECT_EQ(launched("x ? a<<<1, 2>>>(p) : b<<<1, 2>>>(p);"), (Names{"a", "b"}));
  EXPECT_EQ(launched("a<<<1, [&] { b<<<1, 2>>>(p); return 2; }()>>>(p);"), (Names{"a", "b"}));
}

TEST(LaunchRewriter, LeavesWhatIsNone) {
  for (const char* source : {
           "a << b; c >> d; vector<vector<vector<int>>> v(3);",
           "const char* s = \"k<<<1, 2>>>(p)\";",
           "const char* s = \"\\\"k<<<1, 2>>>(p)\";",
           "auto s = R\"x(\" k<<<1, 2>>>(p) )\" )x\";",
           "int many = 1'000'000; char c = '\"'; s = \"k<<<1, 2>>>(p)\";",
           "# 1 \"k<<<1, 2>>>(p)\"\nint x;\n#pragma k<<<1, 2>>>(p)\nint y;",
           "operator<< <char>(out, x); a.operator<<<char>(x);",
           "k<<<1, 2;",
           "",
       }) {
    EXPECT_EQ(rewrite_launches(source), std::nullopt) << source;
  }
}

TEST(LaunchRewriter, KeepsEveryLineWhereItIs) {
  const std::string source =
      "int a;\nns::\nk<int,\n  float>\n# 7 \"x.cu\"\n  <<<dim3(1,\n 2), 3\n>>>\n(p,\nq);\nint "
      "last;\n";
  const auto rewritten = rewrite_launches(source);
  ASSERT_TRUE(rewritten);
  EXPECT_EQ(std::ranges::count(*rewritten, '\n'), std::ranges::count(source, '\n'));
  for (const char* end : {"\n# 7 \"x.cu\"\n", "\n 2), 3\n)\n(p,\nq);\nint last;\n"}) {
    EXPECT_NE(rewritten->find(end), std::string::npos) << *rewritten;
  }
  EXPECT_EQ(rewritten->rfind("int a;\n", 0), 0U);
}

TEST(LaunchRewriter, NamesOnOneLineWhatStandsOnSeveral) {
  EXPECT_EQ(launched("a;\nns::\n  k<int,\n3>\n<<<1, 2>>>(p);"), Names{"ns::k<int, 3>"});
}

}  // namespace
}  // namespace warpgauge::emulator
