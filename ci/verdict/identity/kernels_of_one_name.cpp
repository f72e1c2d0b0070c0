// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/identity/kernels_of_one_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ci/verdict/identity/code_identity.hpp"
#include "profiling/machine_code/instructions/code_shape.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::KernelCode;
using results::Results;

bool is_of_machine_code(const Results& results) {
  return results.session && results.session->device.kind == results::DeviceKind::machine_code;
}

// "a/k()" of "a/k()#2".
std::string without_number(const std::string& id) {
  const std::size_t digits = id.find_last_not_of("0123456789") + 1;
  return digits > 1 && digits < id.size() && id[digits - 1] == '#' ? id.substr(0, digits - 1) : id;
}

std::uint64_t local_accesses(const KernelCode& code) {
  return code.accesses ? machine_code::local_accesses(*code.accesses) : 0;
}

// How much it takes of a GPU, for an order.
auto takes(const KernelCode& code) {
  return std::tuple(code.spill_store_bytes.value_or(0), code.spill_load_bytes.value_or(0),
                    local_accesses(code), code.registers, code.static_shared_bytes,
                    code.instructions);
}

bool takes_more(const BenchmarkResult& a, const BenchmarkResult& b) {
  using Takes = decltype(takes(KernelCode()));
  const auto most = [](const BenchmarkResult& result) {
    Takes all{};
    for (const KernelCode& each : result.machine_code) all = std::max(all, takes(each));
    return all;
  };
  return std::pair(most(b), a.id) < std::pair(most(a), b.id);
}

bool is_worse(const KernelCode& before, const KernelCode& after) {
  const auto more = [](const auto& was, const auto& is) { return was && is && *is > *was; };
  if (more(before.spill_store_bytes, after.spill_store_bytes) ||
      more(before.spill_load_bytes, after.spill_load_bytes) || after.registers > before.registers ||
      after.static_shared_bytes > before.static_shared_bytes)
    return true;
  if (!before.accesses || !after.accesses) return false;
  return (local_accesses(before) == 0 && local_accesses(after) > 0) ||
         machine_code::narrower_loads(*before.accesses, *after.accesses).has_value();
}

// For one architecture at least.
bool is_worse(const BenchmarkResult& before, const BenchmarkResult& after) {
  return std::any_of(
      after.machine_code.begin(), after.machine_code.end(), [&](const KernelCode& fresh) {
        return std::any_of(before.machine_code.begin(), before.machine_code.end(),
                           [&](const KernelCode& old) {
                             return old.architecture == fresh.architecture && is_worse(old, fresh);
                           });
      });
}

bool is_same(const BenchmarkResult& before, const BenchmarkResult& after) {
  return compare_machine_code(before.machine_code, after.machine_code).is == Identity::same;
}

// Those of one name.
class SameName {
 public:
  void add_before(const BenchmarkResult& each) { before_.push_back(&each); }
  void add_after(BenchmarkResult each) { after_.push_back(std::move(each)); }

  // Those of the build after, with their new ids.
  [[nodiscard]] std::vector<BenchmarkResult> numbered(const std::string& name) {
    if (before_.size() < 2 && after_.size() < 2) return std::move(after_);
    const std::vector<const BenchmarkResult*> all_before = before_;
    take_same();
    take_in_order();
    for (BenchmarkResult& each : after_) {
      if (!stands_for_same(all_before, each)) each.id = free_id(name, all_before);
      numbered_.push_back(std::move(each));
    }
    return std::move(numbered_);
  }

 private:
  void take_same() {
    std::erase_if(before_, [&](const BenchmarkResult* old) {
      const auto found = std::find_if(after_.begin(), after_.end(),
                                      [&](const auto& each) { return is_same(*old, each); });
      if (found == after_.end()) return false;
      same_.push_back(old);
      keep(*old, std::move(*found));
      after_.erase(found);
      return true;
    });
  }

  void take_in_order() {
    std::sort(before_.begin(), before_.end(),
              [](const auto* a, const auto* b) { return takes_more(*a, *b); });
    std::sort(after_.begin(), after_.end(), takes_more);
    const std::size_t count = std::min(before_.size(), after_.size());
    for (std::size_t i = 0; i < count; ++i) keep(*before_[i], std::move(after_[i]));
    after_.erase(after_.begin(), after_.begin() + static_cast<std::ptrdiff_t>(count));
  }

  void keep(const BenchmarkResult& old, BenchmarkResult fresh) {
    fresh.id = old.id;
    numbered_.push_back(std::move(fresh));
  }

  // Then it takes the place of one that is the same, of which there is nothing to say.
  bool stands_for_same(const std::vector<const BenchmarkResult*>& all_before,
                       BenchmarkResult& fresh) {
    const bool worse = std::all_of(all_before.begin(), all_before.end(),
                                   [&](const auto* old) { return is_worse(*old, fresh); });
    if (!worse || same_.empty()) return false;
    const auto most =
        std::min_element(same_.begin(), same_.end(),
                         [](const auto* a, const auto* b) { return takes_more(*a, *b); });
    fresh.id = (*most)->id;
    same_.erase(most);
    std::erase_if(numbered_, [&](const BenchmarkResult& each) { return each.id == fresh.id; });
    return true;
  }

  [[nodiscard]] std::string free_id(const std::string& name,
                                    const std::vector<const BenchmarkResult*>& all_before) const {
    const auto is_taken = [&](const std::string& id) {
      const auto has_id = [&](const BenchmarkResult& each) { return each.id == id; };
      return std::any_of(numbered_.begin(), numbered_.end(), has_id) ||
             std::any_of(all_before.begin(), all_before.end(),
                         [&](const auto* each) { return has_id(*each); });
    };
    std::string id = name;
    for (int number = 2; is_taken(id); ++number) id = fmt::format("{}#{}", name, number);
    return id;
  }

  std::vector<const BenchmarkResult*> before_;
  std::vector<BenchmarkResult> after_;
  std::vector<const BenchmarkResult*> same_;  // of before, whose code is still there
  std::vector<BenchmarkResult> numbered_;
};

}  // namespace

Results numbered_as_before(const Results& before, Results after) {
  if (!is_of_machine_code(before) || !is_of_machine_code(after)) return after;
  std::map<std::string, SameName> kernels;
  std::vector<std::string> names;  // in the order of the build after
  for (BenchmarkResult& each : after.benchmarks) {
    const std::string name = without_number(each.id);
    const auto [place, is_new] = kernels.try_emplace(name);
    if (is_new) names.push_back(name);
    place->second.add_after(std::move(each));
  }
  for (const BenchmarkResult& each : before.benchmarks) {
    const auto found = kernels.find(without_number(each.id));
    if (found != kernels.end()) found->second.add_before(each);
  }
  after.benchmarks.clear();
  for (const std::string& name : names) {
    for (BenchmarkResult& each : kernels.at(name).numbered(name)) {
      after.benchmarks.push_back(std::move(each));
    }
  }
  return after;
}

}  // namespace warpgauge::ci
