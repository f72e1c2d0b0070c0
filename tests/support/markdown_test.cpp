// SPDX-License-Identifier: Apache-2.0
// Markdown as GitHub's own reader of it sees it: names stay text, tables keep their columns.
#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "ci/report/formats/markdown_report.hpp"
#include "ci/report/source_excerpt.hpp"
#include "ci/support/markdown.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/helpers/sample_verdict.hpp"

namespace warpgauge::ci {
namespace {

// A document with what GitHub adds to CommonMark: tables, strikethrough, links of bare addresses.
class Markdown {
 public:
  explicit Markdown(const std::string& text) {
    cmark_gfm_core_extensions_ensure_registered();
    const std::unique_ptr<cmark_parser, decltype(&cmark_parser_free)> parser(
        cmark_parser_new(CMARK_OPT_VALIDATE_UTF8 | CMARK_OPT_FOOTNOTES), cmark_parser_free);
    for (const char* name : {"table", "strikethrough", "autolink", "tagfilter", "tasklist"}) {
      cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension(name));
    }
    cmark_parser_feed(parser.get(), text.data(), text.size());
    root_.reset(cmark_parser_finish(parser.get()));
  }

  template <class Visit>
  void walk(Visit visit) const {
    const std::unique_ptr<cmark_iter, decltype(&cmark_iter_free)> iterator(
        cmark_iter_new(root_.get()), cmark_iter_free);
    for (cmark_event_type event = cmark_iter_next(iterator.get()); event != CMARK_EVENT_DONE;
         event = cmark_iter_next(iterator.get())) {
      if (event == CMARK_EVENT_ENTER) visit(cmark_iter_get_node(iterator.get()));
    }
  }

  [[nodiscard]] std::map<std::string, int> kinds() const {
    std::map<std::string, int> kinds;
    walk([&](cmark_node* node) { ++kinds[cmark_node_get_type_string(node)]; });
    return kinds;
  }

  [[nodiscard]] std::vector<cmark_node*> all(const std::string& kind) const {
    std::vector<cmark_node*> nodes;
    walk([&](cmark_node* node) {
      if (cmark_node_get_type_string(node) == kind) nodes.push_back(node);
    });
    return nodes;
  }

  // What is read, without markup and without the characters that take no place.
  static std::string text_of(cmark_node* node) {
    std::string text;
    if (const char* literal = cmark_node_get_literal(node)) text = literal;
    for (cmark_node* child = cmark_node_first_child(node); child != nullptr;
         child = cmark_node_next(child)) {
      text += text_of(child);
    }
    return without_zero_width(text);
  }

  static std::string without_zero_width(std::string text) {
    for (std::size_t at = text.find("\xE2\x80\x8B"); at != text.npos;
         at = text.find("\xE2\x80\x8B", at)) {
      text.erase(at, 3);
    }
    return text;
  }

 private:
  std::unique_ptr<cmark_node, decltype(&cmark_node_free)> root_{nullptr, cmark_node_free};
};

// Without the blanks at both ends, which no reader of Markdown keeps.
std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

void expect_only_our_markup(const Markdown& markdown) {
  static const std::set<std::string> kOurs{"document",   "heading",    "paragraph",    "text",
                                           "code",       "table",      "table_header", "table_row",
                                           "table_cell", "code_block", "html_block",   "strong"};
  for (const auto& [kind, count] : markdown.kinds()) {
    EXPECT_TRUE(kOurs.contains(kind)) << count << " × " << kind;
  }
  EXPECT_EQ(markdown.all("heading").size(), 1U);
  for (cmark_node* node : markdown.all("strong")) {
    EXPECT_EQ(Markdown::text_of(node), "differs");
  }
  static const std::regex kTags("</?(details|summary|code)>");
  for (cmark_node* node : markdown.all("html_block")) {
    const std::string rest = std::regex_replace(cmark_node_get_literal(node), kTags, "");
    EXPECT_EQ(rest.find_first_of("<>"), rest.npos) << rest;
  }
  for (cmark_node* row : markdown.all("table_row")) {
    int cells = 0;
    for (cmark_node* cell = cmark_node_first_child(row); cell != nullptr;
         cell = cmark_node_next(cell)) {
      ++cells;
    }
    EXPECT_TRUE(cells == 7 || cells == 4) << Markdown::text_of(row);
  }
}

TEST(MarkdownText, StaysTheTextThatItWasWhereverItStands) {
  for (const std::string& text : hostile_texts()) {
    for (const char* frame : {"{}\n", "- {}\n", "| a | b |\n|---|---|\n| {} | x |\n",
                              "### Warpgauge: {}\n", "Note: {}\n"}) {
      const Markdown framed(fmt::format(fmt::runtime(frame), markdown_text(text)));
      std::set<std::string> kinds;
      framed.walk([&](cmark_node* node) { kinds.insert(cmark_node_get_type_string(node)); });
      for (const char* markup : {"link", "image", "html_inline", "html_block", "emph", "strong",
                                 "strikethrough", "code", "code_block", "thematic_break"}) {
        EXPECT_FALSE(kinds.contains(markup)) << markup << " in " << markdown_text(text);
      }
      EXPECT_EQ(framed.all("heading").size(), std::string(frame).starts_with("#") ? 1U : 0U);
      EXPECT_EQ(framed.all("item").size(), std::string(frame).starts_with("-") ? 1U : 0U);
    }
    const Markdown alone(markdown_text(text) + "\n");
    std::string shown;
    for (cmark_node* node : alone.all("paragraph")) shown += Markdown::text_of(node);
    EXPECT_EQ(trimmed(shown), trimmed(one_line(text)));
  }
}

TEST(MarkdownText, IsNoReference) {
  EXPECT_EQ(markdown_text("see #12, GH-12 and gh-3"),
            "see #&#8203;12, GH-&#8203;12 and gh-&#8203;3");
  EXPECT_EQ(markdown_text("GH-x H-12 h200-01"), "GH-x H-12 h200-01");
}

TEST(MarkdownText, BeginsNothing) {
  for (const char* text : {"# h", "- item", "+ item", "1. item", "12) item", "===", "---",
                           "    code", "> quote", "* item", "```", "| a |", "[x]: y"}) {
    const Markdown markdown(markdown_text(text) + "\n");
    EXPECT_EQ(markdown.all("paragraph").size(), 1U) << text;
    EXPECT_EQ(markdown.kinds().size(), 3U) << text;
    EXPECT_EQ(Markdown::text_of(markdown.all("paragraph").front()), trimmed(text));
  }
}

TEST(MarkdownBlock, IsClosedByNothingInIt) {
  for (const std::string& text : hostile_texts()) {
    const std::string lines = text + "\n```\n````\n</details>\n";
    const Markdown markdown(markdown_block(lines, "cpp") + "\nafter\n");
    EXPECT_EQ(markdown.all("code_block").size(), 1U) << text;
    ASSERT_EQ(markdown.all("paragraph").size(), 1U) << text;
    EXPECT_EQ(Markdown::text_of(markdown.all("paragraph").front()), "after");
  }
}

TEST(MarkdownReport, HasNoMarkupButItsOwn) {
  expect_only_our_markup(Markdown(markdown_report(everything())));
  expect_only_our_markup(Markdown(markdown_report(hostile())));
}

TEST(MarkdownReport, NamesEveryBenchmarkInARowOfItsOwn) {
  const GateVerdict verdict = hostile();
  const Markdown markdown(markdown_report(verdict));
  std::vector<std::string> names;
  for (cmark_node* row : markdown.all("table_row")) {
    cmark_node* const second = cmark_node_next(cmark_node_first_child(row));
    names.push_back(Markdown::text_of(second));
  }
  ASSERT_GE(names.size(), verdict.benchmarks.size());
  std::size_t at = 0;
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
    // A failed benchmark without a message has nothing to list.
    if (benchmark.message.empty() && benchmark.metrics.empty()) continue;
    EXPECT_EQ(trimmed(names[at++]),
              trimmed(Markdown::without_zero_width(one_line(shortened(benchmark.id, 150)))));
  }
}

TEST(MarkdownReport, ShowsTheSourceAroundTheCause) {
  const Markdown markdown(markdown_report(everything()));
  ASSERT_EQ(markdown.all("code_block").size(), 1U);
  EXPECT_STREQ(cmark_node_get_literal(markdown.all("code_block").front()),
               "     29  // line 29\n"
               "     30  // line 30\n"
               ">    31    out[i] = tile[x][j];\n"
               "     32  // line 32\n"
               "     33  // line 33\n");
}

TEST(Excerpt, IsTheRecordedLineAloneWhereTheFileHasChanged) {
  GateVerdict verdict = everything();
  const results::SourceLine line = verdict.benchmarks[2].lines_after.front();
  verdict.sources["kernels/transpose.cuh"] = "short\n";
  EXPECT_EQ(excerpt(verdict, line), ">    31  out[i] = tile[x][j];\n");
  verdict.sources.clear();
  EXPECT_EQ(excerpt(verdict, line), ">    31  out[i] = tile[x][j];\n");
}

TEST(Excerpt, EndsWithTheFile) {
  GateVerdict verdict;
  verdict.sources["kernels/transpose.cuh"] = "first\nlast";
  EXPECT_EQ(excerpt(verdict, source_line(2, results::Access::shared_load, 1, 1, "last")),
            "      1  first\n>     2  last\n");
  EXPECT_EQ(excerpt(verdict, source_line(1, results::Access::shared_load, 1, 1, "first")),
            ">     1  first\n      2  last\n");
}

TEST(MarkdownReport, MarksWhatDiffersBetweenTheEnvironments) {
  const std::string report = markdown_report(everything());
  EXPECT_NE(report.find("<summary>Environment: 1 difference</summary>"), std::string::npos);
  EXPECT_NE(report.find("| driver | 580.1 | 590.1 | **differs** |"), std::string::npos) << report;
  EXPECT_NE(report.find("| CUDA | 13.0 | 13.0 |  |"), std::string::npos) << report;
}

TEST(MarkdownReport, FitsIntoACommentWhateverTheSuite) {
  constexpr std::size_t kGithubsLimit = 65'536;
  for (const char* character : {"x", "@", "|", "\\", "\xF0\x9F\x92\xA5"}) {
    GateVerdict verdict = hostile();
    const BenchmarkVerdict sample = verdict.benchmarks.front();
    std::string name;
    while (name.size() < 2'000) name += character;
    verdict.benchmarks.clear();
    for (int i = 0; i < 500; ++i) {
      BenchmarkVerdict benchmark = sample;
      benchmark.id = fmt::format("{}{}", i, name);
      benchmark.metrics.front().cause->lines.front().line.text = name;
      verdict.benchmarks.push_back(benchmark);
      verdict.notes.push_back(name);
    }
    verdict.device = verdict.before = verdict.after = verdict.approve_command = name;
    verdict.before_session->device.driver = verdict.after_session->device.uuid = name;
    const std::string report = markdown_report(verdict);
    EXPECT_LT(report.size(), kGithubsLimit);
    EXPECT_GT(report.size(), kGithubsLimit / 2) << "what fits should be there";
    EXPECT_NE(report.find("more rows left out here"), std::string::npos);
    EXPECT_NE(report.find("more benchmarks is left out here"), std::string::npos);
    EXPECT_NE(report.find("more notes left out"), std::string::npos);
    expect_only_our_markup(Markdown(report));
  }
}

}  // namespace
}  // namespace warpgauge::ci
