// SPDX-License-Identifier: Apache-2.0
#include "ci/history/blobs.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "ci/support/errors.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

// Bit for bit: 0.0 == -0.0.
std::vector<std::uint64_t> bits(const std::vector<double>& values) {
  std::vector<std::uint64_t> all;
  for (const double value : values) all.push_back(std::bit_cast<std::uint64_t>(value));
  return all;
}

TEST(PackedFigures, ComeBackBitForBit) {
  constexpr double kLargest = 9007199254740992.0;
  const PackedFigures figures{{1, {0, 1, -1, 127, 128, -129, kLargest, -kLargest}},
                              {2, {-0.0}},
                              {3, {2 * kLargest, 0.1}},
                              {4, {std::numeric_limits<double>::denorm_min(), 1e308}},
                              {300, {1000.25, 1000.5}},
                              {301, {}}};
  const std::string bytes = pack_figures(figures);
  const PackedFigures again = unpack_figures(bytes);
  ASSERT_EQ(again.size(), figures.size());
  for (const auto& [metric, values] : figures) {
    EXPECT_EQ(bits(again.at(metric)), bits(values)) << metric;
    const auto alone = unpack_figures_of(metric, bytes);
    ASSERT_TRUE(alone.has_value()) << metric;
    EXPECT_EQ(bits(*alone), bits(values)) << metric;
  }
  EXPECT_FALSE(unpack_figures_of(5, bytes).has_value());
}

TEST(PackedFigures, CountersAreSmall) {
  EXPECT_LE(pack_figures({{1, {524'288}}}).size(), 5u);
  EXPECT_EQ(pack_figures({{1, {0.5, 1.5}}}).size(), 2u + 16u);
}

TEST(PackedFigures, DamagedOnesAreRefusedOrReadNeverMore) {
  const std::string bytes = pack_figures({{1, {1, 2, 3}}, {2, {0.5, 0.25}}});
  for (std::size_t length = 1; length < bytes.size(); ++length) {
    try {
      const PackedFigures read = unpack_figures(std::string_view(bytes).substr(0, length));
      EXPECT_LT(read.size(), 2u);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("damaged"), std::string::npos);
    }
  }
  std::mt19937 random(3);
  for (int i = 0; i < 20'000; ++i) {
    std::string noise(random() % 24, '\0');
    for (char& byte : noise) byte = static_cast<char>(random());
    try {
      (void)unpack_figures(noise);
      (void)unpack_figures_of(3, noise);
    } catch (const Error&) {
      continue;
    }
  }
}

TEST(Compression, GivesTheTextBackAndRefusesWhatIsNoneOfIts) {
  const std::string text = std::string(100'000, 'a') + std::string("\0\xff", 2);
  const std::string bytes = compress(text);
  EXPECT_LT(bytes.size(), 1000u);
  EXPECT_EQ(decompress(bytes), text);
  EXPECT_EQ(decompress(compress("")), "");
  EXPECT_THROW((void)decompress("no such frame"), Error);
  EXPECT_THROW((void)decompress(std::string_view(bytes).substr(0, bytes.size() / 2)), Error);
}

// 125 KB that unpack to 4 GB.
TEST(Compression, WhatUnpacksToMoreThanIsReadIsRefusedBeforeItIsUnpacked) {
  const std::string bytes = compress(std::string(results::kResultsLimit.bytes + 1, '\0'));
  EXPECT_LT(bytes.size(), 100'000u);
  try {
    (void)decompress(bytes);
    FAIL() << "unpacked";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("is larger than 64 MiB"), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(decompress(compress(std::string(results::kResultsLimit.bytes, '\0'))).size(),
            results::kResultsLimit.bytes);
}

TEST(PackedFigures, MoreThanAnyRunHasAreRefused) {
  EXPECT_THROW((void)unpack_figures(std::string(results::kFiguresLimit.bytes + 2, '\0')), Error);
}

}  // namespace
}  // namespace warpgauge::ci
