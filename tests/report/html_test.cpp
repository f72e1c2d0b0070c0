// SPDX-License-Identifier: Apache-2.0
// What the page shows is tested in tests/report/page, in a browser; here, that the verdict is safe
// within it.
#include "ci/report/formats/html.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "ci/support/errors.hpp"

namespace warpgauge::ci {
namespace {

const std::string kHostile =
    "</script><img src=x onerror=alert(1)><!-- <script> \"quoted\" \\ 'single' & \n "
    "😀 WARPGAUGE_VERDICT_JSON";

TEST(JsonWithinScript, MeansWhatItMeantAndHoldsNothingThatEndsTheElement) {
  const nlohmann::json value = {{"schema", 1}, {kHostile, kHostile}};
  const std::string safe = json_within_script(value.dump());
  EXPECT_EQ(nlohmann::json::parse(safe), value);
  EXPECT_EQ(safe.find('<'), std::string::npos);
}

TEST(JsonWithinScript, HoldsNothingThatTurnsOrHidesWhatAPageShows) {
  const nlohmann::json value = {"a\u202eb", "scan\u200b", "\u2066x\u2069", "1\u20282\u20293"};
  EXPECT_EQ(nlohmann::json::parse(json_within_script(value.dump())),
            (nlohmann::json{"a b", "scan\ufffd", " x ", "1 2 3"}));
  EXPECT_EQ(json_within_script("\"\u2027\xe2\""), "\"\u2027\ufffd\"") << "no UTF-8";
}

TEST(HtmlReport, HoldsTheVerdictOnceAndWhole) {
  if (!has_html_page()) GTEST_SKIP() << "built without the HTML page, for want of npm";
  const nlohmann::json value = {{"schema", 1}, {"device", kHostile}};
  const std::string page = html_report(value.dump());
  const std::string opening = "<script type=\"application/json\" id=\"verdict\">";
  const std::size_t begin = page.find(opening);
  ASSERT_NE(begin, std::string::npos);
  EXPECT_EQ(page.find(opening, begin + 1), std::string::npos);
  const std::size_t end = page.find("</script>", begin);
  const std::size_t from = begin + opening.size();
  EXPECT_EQ(nlohmann::json::parse(page.substr(from, end - from)), value);
}

TEST(HtmlReport, NeedsNoOtherFile) {
  if (!has_html_page()) GTEST_SKIP() << "built without the HTML page, for want of npm";
  const std::string page = html_report("{}");
  for (const char* reference :
       {"<script src", "<link rel=\"stylesheet\"", "<script type=\"module\" src",
        "<script type=\"module\" crossorigin src", "@import"}) {
    EXPECT_EQ(page.find(reference), std::string::npos) << reference;
  }
}

TEST(HtmlReport, SaysWhatIsMissingWhereThePageIs) {
  if (has_html_page()) GTEST_SKIP() << "built with the HTML page";
  try {
    (void)html_report("{}");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), kExitNotMeasured);
    EXPECT_NE(std::string(error.what()).find("WARPGAUGE_PAGE=ON"), std::string::npos);
  }
}

}  // namespace
}  // namespace warpgauge::ci
