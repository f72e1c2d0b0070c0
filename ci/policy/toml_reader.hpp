// SPDX-License-Identifier: Apache-2.0
// What the tables of a policy are read with: typed values, and errors that name their place.
#pragma once

#include <toml++/toml.h>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ci/policy/policy.hpp"

namespace warpgauge::ci {

[[nodiscard]] Place place_of(const toml::source_region& where);

// "policy.toml:12:1".
[[nodiscard]] std::string at(const std::string& name, Place place);

// Of each kind. A suite of 200,000 benchmarks is held against so many in seconds.
inline constexpr std::size_t kMostRules = 1'000;

// Each throws Error (not measured) for what is not of its type.
class TomlReader {
 protected:
  explicit TomlReader(const std::string& name) : name_(name) {}

  [[noreturn]] void fail(const toml::source_region& where, const std::string& what) const;

  void refuse_unknown(const toml::table& table,
                      std::initializer_list<std::string_view> known) const;

  // Written as [[key]]; none: there is none.
  std::vector<const toml::table*> tables(const toml::table& root, const char* key) const;

  // These are absent where the key is; a number is at least 0, and a text is not empty.
  std::optional<double> number(const toml::table& table, const char* key) const;

  std::optional<bool> flag(const toml::table& table, const char* key) const;

  std::optional<std::string> text(const toml::table& table, const char* key) const;

  // Of ids. A long one takes as many steps as it and an id have bytes, multiplied.
  std::optional<std::string> pattern(const toml::table& table, const char* key) const;

  // From 1 to `most`; `usual` where the key is absent.
  int count(const toml::table& table, const char* key, int usual, int most = 1'000) const;

  // "2026-12-31"; empty: absent.
  std::string date(const toml::table& table, const char* key) const;

  // Between 0 and 0.5.
  double chance(const toml::table& table, const char* key, double usual) const;

  // Not empty where the key is there.
  std::vector<std::string> texts(const toml::table& table, const char* key) const;

  const std::string& name_;  // of the text
};

}  // namespace warpgauge::ci
