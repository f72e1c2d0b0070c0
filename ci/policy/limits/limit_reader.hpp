// SPDX-License-Identifier: Apache-2.0
// Reads the rules about the new side alone: [[limit]] and [[ratio]].
#pragma once

#include <toml++/toml.h>

#include <string>
#include <vector>

#include "ci/policy/policy.hpp"
#include "ci/policy/toml_reader.hpp"

namespace warpgauge::ci {

// Both throw as parse_policy() does, also for a rule that exists already.
class LimitReader : private TomlReader {
 public:
  LimitReader(const std::string& name, std::vector<std::string>* mistakes)
      : TomlReader(name, mistakes) {}

  void add_limit(const toml::table& table, std::vector<Policy::Limit>& limits) const;
  void add_ratio(const toml::table& table, std::vector<Policy::Limit>& limits) const;

 private:
  // The keys that both have.
  void read_common(const toml::table& table, Policy::Limit& limit) const;
  void add(Policy::Limit limit, std::vector<Policy::Limit>& limits) const;
};

}  // namespace warpgauge::ci
