// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/text/ptx.hpp"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include "profiling/machine_code/names/symbol_names.hpp"

namespace warpgauge::machine_code {
namespace {

bool is_word(char character) {
  const bool is_letter = (character >= 'a' && character <= 'z') ||
                         (character >= 'A' && character <= 'Z') ||
                         (character >= '0' && character <= '9');
  return is_letter || character == '_' || character == '$' || character == '.' ||
         character == '%' || character == '@';
}

// Words, strings and single characters, without comments.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  // Empty: there are no more.
  std::string_view next() {
    skip_blanks();
    const std::size_t begin = at_;
    if (at_ == text_.size()) return {};
    if (text_[at_] == '"') {
      at_ = std::min(text_.find('"', at_ + 1), text_.size() - 1) + 1;
    } else if (is_word(text_[at_])) {
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    } else {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  // The rest of the line, which it leaves behind.
  std::string_view line() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find('\n', at_), text_.size());
    return text_.substr(begin, at_ - begin);
  }

  [[nodiscard]] std::size_t offset() const { return at_; }

 private:
  void skip_blanks() {
    while (at_ < text_.size()) {
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("//")) {
        (void)line();
      } else if (rest.starts_with("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == text_.npos ? text_.size() : end + 2;
      } else if (static_cast<unsigned char>(rest.front()) <= ' ') {
        ++at_;
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Of where in the source the next instructions come from.
bool is_of_lines(std::string_view token) { return token == ".loc" || token == ".file"; }

// A function, a kernel, a variable or an alias.
struct Item {
  std::string_view name;  // empty: it has none
  std::string_view text;
  bool is_entry = false;
  bool is_exported = false;  // a function that other modules may call
};

class Module {
 public:
  explicit Module(std::string_view text) : text_(text.substr(0, text.find('\0'))) {
    Tokens tokens(text_);
    while (read_item(tokens)) {
    }
  }

  [[nodiscard]] const std::vector<Item>& items() const { return items_; }
  [[nodiscard]] const std::string& header() const { return header_; }

 private:
  // Whether there was another one.
  bool read_item(Tokens& tokens) {
    std::string_view token = tokens.next();
    if (token.empty()) return false;
    if (token == ".version" || token == ".target" || token == ".address_size") {
      header_ += fmt::format("{}{}\n", token, tokens.line());
      return true;
    }
    if (is_of_lines(token)) {
      (void)tokens.line();
      return true;
    }
    const bool is_debug_section = token == ".section";
    const std::size_t begin = tokens.offset() - token.size();
    Item item;
    bool is_function = false;
    bool is_visible = false;
    std::size_t braces = 0;
    std::size_t parentheses = 0;
    for (; !token.empty(); token = tokens.next()) {
      item.is_entry = item.is_entry || (braces == 0 && token == ".entry");
      is_function = is_function || item.is_entry || (braces == 0 && token == ".func");
      is_visible = is_visible || (braces == 0 && (token == ".visible" || token == ".weak"));
      if (token == "(") ++parentheses;
      if (token == ")" && parentheses > 0) --parentheses;
      if (token == "{") ++braces;
      if (token == "}" && braces > 0 && --braces == 0 && (is_function || is_debug_section)) break;
      if (token == ";" && braces == 0) break;
      const bool names = braces == 0 && parentheses == 0 && item.name.empty() &&
                         is_word(token.front()) && token.front() != '.' &&
                         (token.front() < '0' || token.front() > '9');
      if (names) item.name = token;
    }
    if (is_debug_section) return true;
    item.is_exported = is_function && is_visible && !item.is_entry && token == "}";
    item.text = text_.substr(begin, tokens.offset() - begin);
    items_.push_back(item);
    return true;
  }

  std::string_view text_;
  std::string header_;
  std::vector<Item> items_;
};

using Hash = XXH128_hash_t;

std::string digits(const Hash& hash) {
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

// An item's text without what does not matter, and which items it refers to.
struct Digest {
  Hash hash{};
  std::vector<std::size_t> references;  // to items, each once, in the order of the text
};

class Digests {
 public:
  explicit Digests(const Module& module) : module_(module) {
    for (std::size_t i = 0; i < module.items().size(); ++i) {
      if (!module.items()[i].name.empty()) by_name_[module.items()[i].name].push_back(i);
    }
    for (const Item& each : module.items()) all_.push_back(digest_of(each));
    work_left_ = kLeastWork + kWorkAnItem * all_.size();
  }

  // Absent: too much is shared. Of these items with all that they refer to, each with the places of
  // what it refers to itself.
  std::optional<std::string> hash_of(std::vector<std::size_t> order) {
    std::unordered_map<std::size_t, std::size_t> place;
    for (const std::size_t each : order) place.emplace(each, place.size());
    std::string text = module_.header();
    for (std::size_t next = 0; next < order.size(); ++next) {
      const Digest& digest = all_[order[next]];
      if (work_left_ <= digest.references.size()) return std::nullopt;
      work_left_ -= 1 + digest.references.size();
      text += digits(digest.hash);
      for (const std::size_t each : digest.references) {
        const auto [known, is_new] = place.try_emplace(each, order.size());
        if (is_new) order.push_back(each);
        text += fmt::format(" {}", known->second);
      }
      text += '\n';
    }
    return hash_of_bytes(text);
  }

 private:
  static constexpr std::uint64_t kLeastWork = std::uint64_t{1} << 22;
  static constexpr std::uint64_t kWorkAnItem = 256;

  // The compiler numbers these in the order of the module: "$L__BB2_3", "__local_depot2", "$str".
  static bool is_numbered(std::string_view token) {
    return token.front() == '$' || token.starts_with("__local_depot") ||
           token.starts_with("__unnamed_");
  }

  Digest digest_of(const Item& item) const {
    Digest digest;
    std::string text;
    std::unordered_map<std::string_view, std::size_t> numbers;
    std::unordered_map<std::size_t, bool> seen;
    Tokens tokens(item.text);
    for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
      if (is_of_lines(token)) {
        (void)tokens.line();
        continue;
      }
      // Its index among the references stands for what is numbered.
      if (const auto found = by_name_.find(token); found != by_name_.end()) {
        for (const std::size_t each : found->second) {
          if (&module_.items()[each] != &item && seen.try_emplace(each, true).second) {
            digest.references.push_back(each);
          }
        }
      }
      if (is_numbered(token)) {
        text += fmt::format("#{}", numbers.try_emplace(token, numbers.size()).first->second);
      } else {
        text += is_word(token.front()) ? stable(token) : std::string(token);
      }
      text += ' ';
    }
    digest.hash = XXH3_128bits(text.data(), text.size());
    return digest;
  }

  // Parameters are named after their function.
  static std::string stable(std::string_view token) {
    constexpr std::string_view kParameter = "_param_";
    if (token.size() <= kParameter.size()) return std::string(token);
    const std::size_t parameter = token.rfind(kParameter);
    if (parameter == token.npos || parameter == 0) return stable_symbol(token);
    return stable_symbol(token.substr(0, parameter)) + std::string(token.substr(parameter));
  }

  const Module& module_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_name_;
  std::vector<Digest> all_;
  std::uint64_t work_left_ = 0;
};

}  // namespace

std::vector<PtxEntry> ptx_entries(std::string_view text) {
  const Module module(text);
  Digests digests(module);
  std::vector<PtxEntry> entries;
  std::vector<std::size_t> exported;
  for (std::size_t i = 0; i < module.items().size(); ++i) {
    const Item& item = module.items()[i];
    if (item.is_entry) {
      auto hash = digests.hash_of({i});
      if (!hash) return {};
      entries.push_back({demangled(item.name), *std::move(hash)});
    }
    if (item.is_exported) exported.push_back(i);
  }
  if (!exported.empty()) {
    auto hash = digests.hash_of(std::move(exported));
    if (!hash) return {};
    entries.push_back({"", *std::move(hash)});
  }
  return entries;
}

std::string ptx_target(std::string_view text) {
  constexpr std::string_view kSm = "sm_";
  Tokens tokens(text);
  if (tokens.next() != ".version") return {};
  (void)tokens.next();
  if (tokens.next() != ".target") return {};
  const std::string_view name = tokens.next();
  return name.starts_with(kSm) ? std::string(name.substr(kSm.size())) : std::string();
}

std::string hash_of_bytes(std::string_view bytes) {
  return digits(XXH3_128bits(bytes.data(), bytes.size()));
}

}  // namespace warpgauge::machine_code
