// SPDX-License-Identifier: Apache-2.0
// Reads the tables of a policy: typed values, and errors that name their place.
#pragma once

#include <toml++/toml.h>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ci/policy/policy.hpp"
#include "ci/support/errors.hpp"

namespace warpgauge::ci {

[[nodiscard]] Place place_of(const toml::source_region& where);

// "policy.toml:12:1".
[[nodiscard]] std::string at(const std::string& name, Place place);

// Of each kind. A suite of 200,000 benchmarks is held against so many in seconds.
inline constexpr std::size_t kMostRules = 1'000;

// Each throws Error (not measured) for what is not of its type.
class TomlReader {
 protected:
  // With `mistakes`, errors that allow reading on are collected there, not thrown.
  explicit TomlReader(const std::string& name, std::vector<std::string>* mistakes = nullptr)
      : name_(name), mistakes_(mistakes) {}

  [[noreturn]] void fail(const toml::source_region& where, const std::string& what) const;

  // Runs a step. With `mistakes`, collects there what it throws.
  template <class Step>
  void attempt(const Step& step) {
    if (mistakes_ == nullptr) return step();
    try {
      step();
    } catch (const Error& error) {
      mistakes_->push_back(error.what());
    }
  }

  void refuse_unknown(const toml::table& table,
                      std::initializer_list<std::string_view> known) const;

  // Written as [[key]]; none: there is none.
  std::vector<const toml::table*> tables(const toml::table& root, const char* key) const;

  // These are absent where the key is; a number is at least 0, and a text is not blank.
  std::optional<double> number(const toml::table& table, const char* key) const;

  std::optional<bool> flag(const toml::table& table, const char* key) const;

  std::optional<std::string> text(const toml::table& table, const char* key) const;

  // A pattern of ids. Its length is limited: matching takes as many steps as the product of both
  // lengths.
  std::optional<std::string> pattern(const toml::table& table, const char* key) const;

  // From 1 to `most`; `usual` where the key is absent.
  int count(const toml::table& table, const char* key, int usual, int most = 1'000) const;

  // "2026-12-31"; empty: absent.
  std::string date(const toml::table& table, const char* key) const;

  // A part of a figure, less than 1: whoever writes 2 for 2 % would let three times the time pass.
  std::optional<double> share(const toml::table& table, const char* key) const;

  // Between 0 and 0.5.
  double chance(const toml::table& table, const char* key, double usual) const;

  // Not empty where the key is there.
  std::vector<std::string> texts(const toml::table& table, const char* key) const;

  // Keys, as baselines' folders are named; a device's name would match nothing.
  std::vector<std::string> devices(const toml::table& table) const;

  const std::string& name_;  // of the text
  std::vector<std::string>* mistakes_ = nullptr;
};

}  // namespace warpgauge::ci
