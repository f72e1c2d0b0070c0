// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/machine_code/kernel_pairs.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "profiling/machine_code/architecture.hpp"

namespace warpgauge::ci {
namespace {

using results::KernelCode;

using ByName = std::map<std::string, KernelCodes>;
using ByArchitecture = std::map<std::string, ByName>;

ByArchitecture by_architecture(const std::vector<KernelCode>& codes) {
  ByArchitecture all;
  for (const KernelCode& code : codes) all[code.architecture][code.name].push_back(&code);
  return all;
}

std::set<std::string> compilers(const KernelCodes& codes) {
  std::set<std::string> all;
  for (const KernelCode* each : codes) all.insert(each->compiler);
  return all;
}

// Moves from both sides to the pairs what is alike.
template <class Alike>
void pair_up(KernelCodes& before, KernelCodes& after, bool by_order, const Alike& alike,
             std::vector<CodePair>& pairs) {
  std::erase_if(before, [&](const KernelCode* code) {
    const auto found = std::find_if(after.begin(), after.end(),
                                    [&](const KernelCode* other) { return alike(*code, *other); });
    if (found == after.end()) return false;
    pairs.push_back({code, *found, by_order});
    after.erase(found);
    return true;
  });
}

void append(const KernelCodes& more, KernelCodes& codes) {
  codes.insert(codes.end(), more.begin(), more.end());
}

std::set<std::string> names_of(const std::vector<KernelCode>& codes) {
  std::set<std::string> names;
  for (const KernelCode& each : codes) names.insert(each.name);
  return names;
}

// With nothing of the compiler.
bool takes_the_same(const KernelCode& before, KernelCode after) {
  after.compiler = before.compiler;
  return before == after;
}

std::set<std::string> architectures_of(const std::vector<KernelCode>& codes) {
  std::set<std::string> all;
  for (const KernelCode& each : codes) all.insert(each.architecture);
  return all;
}

// Of each kernel, as far as it is for one of these.
std::vector<KernelCode> run_of(const std::vector<KernelCode>& codes,
                               const std::set<std::string>& architectures, std::optional<int> gpu) {
  std::vector<KernelCode> some;
  std::copy_if(codes.begin(), codes.end(), std::back_inserter(some),
               [&](const KernelCode& each) { return architectures.contains(each.architecture); });
  std::vector<KernelCode> run;
  std::copy_if(some.begin(), some.end(), std::back_inserter(run), [&](const KernelCode& each) {
    return runs_of(some, each.name, each.architecture, gpu);
  });
  return run;
}

bool is_same_code(const KernelCode& before, const KernelCode& after) {
  return before.sass_hash == after.sass_hash;
}

}  // namespace

std::vector<CodePair> paired(const KernelCodes& before, const KernelCodes& after) {
  KernelCodes left_before = before;
  KernelCodes left_after = after;
  std::vector<CodePair> pairs;
  const bool several = before.size() > 1 || after.size() > 1;
  pair_up(left_before, left_after, false, takes_the_same, pairs);
  pair_up(left_before, left_after, false, is_same_code, pairs);
  pair_up(
      left_before, left_after, several, [](const auto&, const auto&) { return true; }, pairs);
  for (const KernelCode* each : left_before) pairs.push_back({each, nullptr, false});
  for (const KernelCode* each : left_after) pairs.push_back({nullptr, each, false});
  return pairs;
}

std::vector<KernelPair> kernel_pairs(const std::vector<KernelCode>& before,
                                     const std::vector<KernelCode>& after) {
  std::vector<KernelPair> pairs;
  ByArchitecture old_code = by_architecture(before);
  for (auto& [architecture, kernels] : by_architecture(after)) {
    const auto old = old_code.find(architecture);
    if (old == old_code.end()) continue;
    KernelPair others{architecture, {}, {}};
    for (const auto& [name, codes] : kernels) {
      const auto same_name = old->second.extract(name);
      for (const CodePair& each : paired(same_name ? same_name.mapped() : KernelCodes(), codes)) {
        if (each.before == nullptr) {
          others.after.push_back(each.after);
        } else if (each.after == nullptr) {
          others.before.push_back(each.before);
        } else {
          pairs.push_back({architecture, {each.before}, {each.after}, each.by_order});
        }
      }
    }
    for (const auto& [name, codes] : old->second) append(codes, others.before);
    pairs.push_back(std::move(others));
  }
  std::erase_if(pairs, [](const KernelPair& each) {
    return each.before.empty() || each.after.empty() ||
           compilers(each.before) != compilers(each.after);
  });
  return pairs;
}

std::vector<LostArchitecture> lost_architectures(const std::vector<KernelCode>& before,
                                                 const std::vector<KernelCode>& after) {
  const std::set<std::string> names_before = names_of(before);
  const std::set<std::string> names_after = names_of(after);
  // Those of other names have one together.
  const auto name_of = [&](const KernelCode& code) {
    return names_before.contains(code.name) && names_after.contains(code.name) ? code.name
                                                                               : std::string();
  };
  std::map<std::string, std::set<std::string>> still;
  for (const KernelCode& each : after) still[name_of(each)].insert(each.architecture);
  std::map<std::string, KernelCodes> lost;
  for (const KernelCode& each : before) {
    const auto found = still.find(name_of(each));
    if (found == still.end() || found->second.contains(each.architecture)) continue;
    lost[each.architecture].push_back(&each);
  }
  std::vector<LostArchitecture> all;
  all.reserve(lost.size());
  for (auto& [architecture, kernels] : lost) all.push_back({architecture, std::move(kernels)});
  return all;
}

std::optional<SharedCode> shared_code(const std::vector<KernelCode>& before,
                                      const std::vector<KernelCode>& after,
                                      std::optional<int> gpu) {
  const std::set<std::string> of_before = architectures_of(before);
  const std::set<std::string> of_after = architectures_of(after);
  if (of_before == of_after) return std::nullopt;
  std::set<std::string> both;
  std::ranges::set_intersection(of_before, of_after, std::inserter(both, both.end()));
  SharedCode shared{run_of(before, both, gpu), run_of(after, both, gpu)};
  if (shared.before.empty() || shared.after.empty()) return std::nullopt;
  return shared;
}

bool runs_of(const std::vector<KernelCode>& codes, const std::string& name,
             const std::string& architecture, std::optional<int> gpu) {
  std::optional<machine_code::Architecture> best;
  for (const KernelCode& each : codes) {
    const auto found = machine_code::architecture_named(each.architecture);
    if (each.name != name || !found || (gpu && !runs_on(*found, *gpu))) continue;
    best = std::max(best.value_or(*found), *found);
  }
  return best && best == machine_code::architecture_named(architecture);
}

}  // namespace warpgauge::ci
