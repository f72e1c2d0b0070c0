// SPDX-License-Identifier: Apache-2.0
#include "profiling/harness/suite/registry.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace warpgauge;

class TwoWords : public KernelFixture {
 public:
  void prepare(const Sizes&) override {}
  Work work() const override { return {}; }
  void poison_result() override {}
  Check check(Coverage) const override { return {}; }
};

VARIANT(TwoWords, second_by_name) {}
VARIANT(TwoWords, first_by_name) {}
SIZES(TwoWords, .emulated = {{3, 4}, {5}}, .gpu = {{7}})

template <class T>
class Typed : public TwoWords {};
using Types = Cases<float, double>;
VARIANT_FOR(Typed, only, Types) {}
SIZES(Typed, .emulated = {{1}}, .gpu = {{2}}, .large = {{8}})

std::vector<std::string> ids(results::DeviceKind kind, SizeSet set = SizeSet::gate) {
  std::vector<std::string> all;
  for (const BenchmarkInfo& info : benchmarks_for(kind, set)) all.push_back(info.id);
  return all;
}

TEST(Registry, NamesBenchmarksAfterFamilyVariantAndSizeInTheOrderOfTheFile) {
  EXPECT_EQ(ids(results::DeviceKind::emulated),
            (std::vector<std::string>{"two_words/second_by_name/3x4", "two_words/second_by_name/5",
                                      "two_words/first_by_name/3x4", "two_words/first_by_name/5",
                                      "typed_double/only/1", "typed_float/only/1"}));
  EXPECT_EQ(ids(results::DeviceKind::gpu),
            (std::vector<std::string>{"two_words/second_by_name/7", "two_words/first_by_name/7",
                                      "typed_double/only/2", "typed_float/only/2"}));
}

TEST(Registry, LargeSizesAreThoseOfFamiliesThatHaveThemAndOfGpusOnly) {
  EXPECT_EQ(ids(results::DeviceKind::gpu, SizeSet::large),
            (std::vector<std::string>{"typed_double/only/8", "typed_float/only/8"}));
  EXPECT_TRUE(ids(results::DeviceKind::emulated, SizeSet::large).empty());
}

TEST(Registry, TheEmulatorsSizesAreTheSameOnAGpu) {
  EXPECT_EQ(ids(results::DeviceKind::gpu, SizeSet::emulated), ids(results::DeviceKind::emulated));
  EXPECT_EQ(ids(results::DeviceKind::emulated, SizeSet::emulated),
            ids(results::DeviceKind::emulated));
}

TEST(Registry, FamilyNamesBecomeSnakeCase) {
  EXPECT_EQ(snake_case("StructAccess"), "struct_access");
  EXPECT_EQ(snake_case("Transpose"), "transpose");
}

}  // namespace
