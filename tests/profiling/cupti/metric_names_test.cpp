// SPDX-License-Identifier: Apache-2.0
// Names of metrics as people type them, on chips that this machine need not have.
#include "profiling/cupti/counters/metric_names.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace warpgauge::cupti {
namespace {

using Names = std::vector<std::string>;

std::string complaint_about(const std::string& metric) {
  const ProfilerHost host("GH100");
  try {
    require_metrics(host, "GH100", {"smsp__inst_executed.sum", metric});
  } catch (const UnknownName& error) {
    return error.what();
  }
  return "";
}

TEST(RequireMetrics, AcceptsWhatTheChipHas) {
  for (const char* metric : {"dram__bytes_read.sum", "dram__bytes_read.sum.per_second",
                             "lts__t_sector_hit_rate.pct", "CTC.TriageCompute.ctc__rx_bytes.sum"}) {
    EXPECT_EQ(complaint_about(metric), "");
  }
}

TEST(RequireMetrics, ProposesTheNearestForAMisspeltName) {
  const std::string complaint = complaint_about("dram__bytes_raed.sum");
  EXPECT_NE(complaint.find("GH100 has no metric 'dram__bytes_raed.sum'"), complaint.npos)
      << complaint;
  EXPECT_NE(complaint.find("did you mean dram__bytes_read.sum,"), complaint.npos) << complaint;
}

TEST(RequireMetrics, ProposesTheNearestForAMisspeltRollup) {
  const std::string complaint = complaint_about("dram__bytes_read.max.per_secnd");
  EXPECT_NE(complaint.find("did you mean dram__bytes_read.max.per_second, dram__bytes_read."),
            complaint.npos)
      << complaint;
}

// CUPTI describes such a name, and refuses it once it is to be collected.
TEST(RequireMetrics, ANameWithoutRollupGetsOne) {
  const std::string complaint = complaint_about("smsp__inst_issued");
  EXPECT_NE(complaint.find("did you mean smsp__inst_issued.sum,"), complaint.npos) << complaint;
}

TEST(RequireMetrics, AnythingElseIsRefusedToo) {
  for (const char* metric : {"", ".", ".sum", "__", "x", " smsp__inst_executed.sum"}) {
    EXPECT_NE(complaint_about(metric), "") << metric;
  }
}

TEST(RequireChip, ProposesTheNearest) {
  EXPECT_NO_THROW(require_chip("GH100"));
  try {
    require_chip("gh100");
    FAIL() << "nothing was thrown";
  } catch (const UnknownName& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("did you mean GH100?"), text.npos) << text;
    EXPECT_NE(text.find("AD102, AD103"), text.npos) << text;
  }
}

TEST(FindMetrics, MatchesNamesAndDescriptionsWhateverTheirCase) {
  for (const char* text : {"BYTES_READ", "bytes read FROM dram"}) {
    const auto found = find_metrics("GH100", text);
    EXPECT_LT(found.size(), 50U) << text;
    const auto read = std::find_if(found.begin(), found.end(), [](const Metric& metric) {
      return metric.name == "dram__bytes_read.sum";
    });
    ASSERT_NE(read, found.end()) << text;
    EXPECT_EQ(read->passes, 1U);
    EXPECT_EQ(read->properties.type, MetricType::counter);
    EXPECT_EQ(read->properties.unit, "dram");
    EXPECT_EQ(read->properties.dimension, "byte");
    EXPECT_NE(read->properties.description.find("DRAM"), std::string::npos);
  }
  EXPECT_TRUE(find_metrics("GH100", "no such text anywhere").empty());
}

TEST(FindMetrics, AWholeNameListsItsRollupsWithTheirPasses) {
  for (const char* text : {"lts__t_sector_hit_rate", "lts__t_sector_hit_rate.pct"}) {
    const auto found = find_metrics("GH100", text);
    Names names;
    for (const Metric& metric : found) names.push_back(metric.name);
    EXPECT_EQ(names, (Names{"lts__t_sector_hit_rate.max_rate", "lts__t_sector_hit_rate.pct",
                            "lts__t_sector_hit_rate.ratio"}));
    EXPECT_EQ(found.at(1).passes, 2U);
    EXPECT_EQ(found.at(1).properties.type, MetricType::ratio);
  }
}

TEST(FindMetrics, EachIsNamedAsItCanBeAskedFor) {
  const ProfilerHost host("GH100");
  const auto found = find_metrics("GH100", "throughput");
  ASSERT_FALSE(found.empty());
  for (const Metric& metric : found) EXPECT_TRUE(host.knows(metric.name)) << metric.name;
}

}  // namespace
}  // namespace warpgauge::cupti
