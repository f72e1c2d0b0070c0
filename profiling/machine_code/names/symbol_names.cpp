// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/names/symbol_names.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>

#include "profiling/machine_code/files/bytes.hpp"
#include "profiling/machine_code/names/mangled_cursor.hpp"
#include "profiling/machine_code/names/mangled_size.hpp"

namespace warpgauge::machine_code {
namespace {

// Identifiers that contain a hash of the path, the file's name and another hash or a function's
// name, and their replacements. The first is g++'s spelling.
struct Unstable {
  std::string_view begin;
  std::string_view stable;  // with its length, as mangled names have it
};
constexpr Unstable kUnstable[] = {{"_GLOBAL__N__", "12_GLOBAL__N_1"}, {"_INTERNAL_", "9_INTERNAL"}};

constexpr std::string_view kStatic = "__nv_static_";

std::optional<std::size_t> number_from(std::string_view digits) {
  std::size_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// Whether the runtime, too, makes references count lambdas and types without a name.
bool counts_nameless() {
  static const bool counts = [] {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle("_Z1fIZ1gvEUlvE_EvS0_", nullptr, nullptr, &status), &std::free);
    return status == 0 && std::string_view(name.get()).ends_with("({lambda()#1})");
  }();
  return counts;
}

// Few enough for the text to be written: a multiple of the longest name that is kept, since
// longest_demangled() says more than becomes of most names.
bool stays_small(std::string_view symbol) {
  constexpr std::uint64_t kMostBytes = 4 * kLongestName;
  if (const auto longest = longest_demangled(symbol, counts_nameless())) {
    return *longest <= kMostBytes;
  }
  // Each reference to an earlier part ends so, and may double what there is.
  const auto references = std::count(symbol.begin(), symbol.end(), '_');
  return references < 16 && symbol.size() << references <= kMostBytes;
}

// Of one symbol. Anonymous namespaces within more than a few names are nobody's.
constexpr std::size_t kMostBytesToTry = std::size_t{1} << 20;

// Replaces identifiers with this beginning, together with the lengths before them. Gives up, and
// leaves the rest as it is, where trying them would take long.
std::string replaced(std::string symbol, const Unstable& unstable) {
  std::size_t tried = 0;
  for (std::size_t at = symbol.find(unstable.begin); at != symbol.npos;
       at = symbol.find(unstable.begin, at + 1)) {
    // The digits before it are the length, possibly after the last digits of another name.
    for (std::size_t digits = at; digits > 0 && is_digit(symbol[digits - 1]);) {
      --digits;
      const auto length = number_from(std::string_view(symbol).substr(digits, at - digits));
      if (!length || *length > symbol.size() - at) break;
      tried += symbol.size();
      if (tried > kMostBytesToTry) return symbol;
      std::string stable = symbol;
      stable.replace(digits, at - digits + *length, unstable.stable);
      if (*length < unstable.begin.size() || !demangle(stable)) continue;
      symbol = std::move(stable);
      at = digits + unstable.stable.size() - 1;
      break;
    }
  }
  return symbol;
}

// "__nv_static_26__88bcdf68_5_r3_cu_1e093881__Z…": the number is the length of the part between.
std::string_view without_static_prefix(std::string_view symbol) {
  if (!symbol.starts_with(kStatic)) return symbol;
  const std::string_view rest = symbol.substr(kStatic.size());
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  const auto length = number_from(rest.substr(0, digits));
  if (!length || *length > rest.size() || rest.size() - *length < digits + 2) return symbol;
  return rest.substr(digits + 1 + *length + 1);
}

std::string_view without_copy_number(std::string_view symbol) {
  const std::size_t end = symbol.find_last_not_of("0123456789");
  const bool numbered =
      end != symbol.npos && end > 0 && end + 1 < symbol.size() && symbol[end] == '$';
  return numbered ? symbol.substr(0, end) : symbol;
}

}  // namespace

std::optional<std::string> demangle(const std::string& symbol) {
  // Else names of one letter would be those of types: "f" is float.
  if (!symbol.starts_with("_Z") || !stays_small(symbol)) return std::nullopt;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0) return std::nullopt;
  std::string text(name.get());
  return text.size() <= kLongestName ? std::optional(std::move(text)) : std::nullopt;
}

std::string stable_symbol(std::string_view symbol) {
  if (symbol.size() > kLongestName) return std::string(symbol);
  std::string stable(without_copy_number(without_static_prefix(symbol)));
  for (const Unstable& unstable : kUnstable) stable = replaced(std::move(stable), unstable);
  return stable;
}

std::string demangled(std::string_view symbol) {
  std::string stable = stable_symbol(symbol);
  if (stable.size() > kLongestName) return stable;
  return demangle(stable).value_or(stable);
}

}  // namespace warpgauge::machine_code
