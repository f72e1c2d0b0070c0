// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/compile/launch_rewriter.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <vector>

#include "profiling/emulator/compile/ptx/inline_ptx.hpp"

namespace warpgauge::emulator {
namespace {

enum class TokenKind { word, number, literal, punctuation };

struct Token {
  TokenKind kind;
  std::string_view text;  // of the source; punctuation: one character, but for "::", "->" and "."

  [[nodiscard]] bool is(std::string_view wanted) const {
    return kind != TokenKind::literal && text == wanted;
  }
};

bool begins_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool continues_word(char c) { return begins_word(c) || is_digit(c); }

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  [[nodiscard]] std::vector<Token> tokens() {
    std::vector<Token> tokens;
    while (skip_to_token()) tokens.push_back(next());
    return tokens;
  }

 private:
  [[nodiscard]] char at(std::size_t ahead = 0) const {
    return position_ + ahead < source_.size() ? source_[position_ + ahead] : '\0';
  }

  // Over white space and lines that begin with #. False: at the end.
  [[nodiscard]] bool skip_to_token() {
    for (; position_ < source_.size(); ++position_) {
      if (at() == '\n') {
        at_line_begin_ = true;
      } else if (at() == '#' && at_line_begin_) {
        position_ = std::min(source_.find('\n', position_), source_.size()) - 1;
      } else if (std::isspace(static_cast<unsigned char>(at())) == 0) {
        at_line_begin_ = false;
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] Token next() {
    const std::size_t begin = position_;
    const TokenKind kind = advance();
    return {kind, source_.substr(begin, position_ - begin)};
  }

  TokenKind advance() {
    if (at() == '"' || at() == '\'') return quoted(at());
    if (is_digit(at()) || (at() == '.' && is_digit(at(1)))) return number();
    if (begins_word(at())) return word();
    const bool two = (at() == ':' && at(1) == ':') || (at() == '-' && at(1) == '>');
    position_ += two ? 2 : 1;
    return TokenKind::punctuation;
  }

  TokenKind quoted(char quote) {
    ++position_;
    while (position_ < source_.size() && at() != quote) position_ += at() == '\\' ? 2 : 1;
    position_ = std::min(position_ + 1, source_.size());
    return TokenKind::literal;
  }

  // With digit separators and exponents.
  TokenKind number() {
    while (continues_word(at()) || at() == '.' || (at() == '\'' && continues_word(at(1))) ||
           ((at() == '+' || at() == '-') &&
            std::string_view("eEpP").find(source_[position_ - 1]) != std::string_view::npos)) {
      ++position_;
    }
    return TokenKind::number;
  }

  // Or a literal with a prefix: u8"…", R"x(…)x".
  TokenKind word() {
    const std::size_t begin = position_;
    while (continues_word(at())) ++position_;
    if (at() != '"' && at() != '\'') return TokenKind::word;
    const std::string_view prefix = source_.substr(begin, position_ - begin);
    constexpr std::array<std::string_view, 9> kPrefixes = {"L",  "u",  "U",  "u8", "R",
                                                           "LR", "uR", "UR", "u8R"};
    if (std::ranges::find(kPrefixes, prefix) == kPrefixes.end()) return TokenKind::word;
    return prefix.back() == 'R' && at() == '"' ? raw_string() : quoted(at());
  }

  TokenKind raw_string() {
    const std::size_t open = source_.find('(', position_);
    if (open == std::string_view::npos) return quoted('"');
    std::string end = ")";
    end += source_.substr(position_ + 1, open - position_ - 1);
    end += '"';
    const std::size_t close = source_.find(end, open);
    position_ = close == std::string_view::npos ? source_.size() : close + end.size();
    return TokenKind::literal;
  }

  std::string_view source_;
  std::size_t position_ = 0;
  bool at_line_begin_ = true;
};

// Words before which no operand ends, so that a kernel's name begins after them.
bool is_operand(const Token& token) {
  constexpr std::array<std::string_view, 7> kWords = {"return", "else",     "do",      "throw",
                                                      "case",   "co_yield", "operator"};
  return token.kind == TokenKind::word && std::ranges::find(kWords, token.text) == kWords.end();
}

// Words whose parentheses are no call.
bool takes_condition(const Token& token) {
  constexpr std::array<std::string_view, 5> kWords = {"if", "for", "while", "switch", "constexpr"};
  return std::ranges::find(kWords, token.text) != kWords.end();
}

constexpr std::string_view kNotOfTheKernel =
    "__attribute__((no_sanitize(\"thread\"), no_sanitize_coverage))";

constexpr std::size_t kNone = ~std::size_t{0};

class Rewriter {
 public:
  explicit Rewriter(std::string_view source) : source_(source), tokens_(Lexer(source).tokens()) {}

  [[nodiscard]] std::optional<std::string> rewritten() {
    for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
      if (is_triple(i, "<")) rewrite(i);
    }
    if (copied_ == 0) return std::nullopt;
    return out_ + with_closers(copied_, source_.size());
  }

 private:
  [[nodiscard]] std::size_t offset(std::size_t token) const {
    return static_cast<std::size_t>(tokens_[token].text.data() - source_.data());
  }
  [[nodiscard]] std::size_t end(std::size_t token) const {
    return offset(token) + tokens_[token].text.size();
  }

  // operator<< <T> is none: it has a word before it.
  [[nodiscard]] bool is_triple(std::size_t first, std::string_view bracket) const {
    if (first + 2 >= tokens_.size()) return false;
    for (std::size_t i = first; i < first + 3; ++i) {
      if (!tokens_[i].is(bracket)) return false;
    }
    return first == 0 || !tokens_[first - 1].is("operator");
  }

  // The >>> of a launch: outside of inner brackets, before the arguments.
  [[nodiscard]] std::size_t find_closing(std::size_t first) const {
    int depth = 0;
    for (std::size_t i = first; i + 3 < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (token.is("(") || token.is("[") || token.is("{")) ++depth;
      if (token.is(")") || token.is("]") || token.is("}")) --depth;
      if (depth < 0 || (depth == 0 && token.is(";"))) return kNone;
      if (depth == 0 && is_triple(i, ">") && tokens_[i + 3].is("(")) return i;
    }
    return kNone;
  }

  // Whether this < is the second of a <<, which opens nothing.
  [[nodiscard]] bool is_shift(std::size_t second) const {
    return second > 0 && tokens_[second].is("<") && tokens_[second - 1].is("<") &&
           end(second - 1) == offset(second);
  }

  // The bracket that `last` closes.
  [[nodiscard]] std::size_t matching(std::size_t last) const {
    int depth = 0;
    const bool angle = tokens_[last].is(">");
    for (std::size_t i = last + 1; i-- > 0;) {
      const Token& token = tokens_[i];
      const bool round_close = token.is(")") || token.is("]") || token.is("}");
      const bool round_open = token.is("(") || token.is("[") || token.is("{");
      if (angle && i != last && round_close) {
        i = matching(i);
        if (i == kNone) return kNone;
        continue;
      }
      if (angle && is_shift(i)) {
        --i;
        continue;
      }
      if (angle ? token.is(">") : round_close) ++depth;
      if (angle ? token.is("<") : round_open) --depth;
      if (depth == 0) return i;
      if (token.is(";")) return kNone;
    }
    return kNone;
  }

  // Where the expression that ends before `end` begins: names with template arguments and scopes,
  // members, elements, calls, anything in parentheses.
  [[nodiscard]] std::size_t operand_begin(std::size_t end) const {
    std::size_t i = end;
    while (true) {
      if (i == 0) return kNone;
      std::size_t first = i - 1;
      bool complete = false;  // a name or parentheses; else what is called or indexed comes before
      if (tokens_[first].is(">") || tokens_[first].is("]") || tokens_[first].is(")")) {
        const bool round = tokens_[first].is(")");
        first = matching(first);
        if (first == kNone) return kNone;
        const bool has_before = first > 0 && ends_operand(first - 1);
        complete = round && !has_before;
        if (!complete && !has_before) return kNone;
      } else if (is_operand(tokens_[first])) {
        complete = true;
      } else {
        return kNone;
      }
      i = first;
      if (!complete) continue;
      if (i > 0 && tokens_[i - 1].is("template")) --i;
      if (i == 0) return i;
      if (tokens_[i - 1].is(".") || tokens_[i - 1].is("->")) {
        --i;
        continue;
      }
      if (!tokens_[i - 1].is("::")) return i;
      --i;
      if (i == 0 || !(is_operand(tokens_[i - 1]) || tokens_[i - 1].is(">"))) return i;
    }
  }

  [[nodiscard]] bool ends_operand(std::size_t token) const {
    const Token& last = tokens_[token];
    if (last.is(")")) {
      const std::size_t open = matching(token);
      return open != kNone && (open == 0 || !takes_condition(tokens_[open - 1]));
    }
    return last.is(">") || last.is("]") || (is_operand(last) && !takes_condition(last));
  }

  void rewrite(std::size_t opening) {
    const std::size_t name = operand_begin(opening);
    const std::size_t closing = find_closing(opening + 3);
    if (name == kNone || closing == kNone || offset(name) < copied_) return;

    std::string kernel;   // on one line
    std::string between;  // what lay between its tokens: line ends, and lines that begin with #
    for (std::size_t i = name; i < opening; ++i) {
      kernel += tokens_[i].text;
      if (end(i) != offset(i + 1)) kernel += ' ';  // << is one operator
      between += source_.substr(end(i), offset(i + 1) - end(i));
    }
    out_ += with_closers(copied_, offset(name));
    out_ += "::warpgauge_emulator::chevrons([&](auto warpgauge_ask) -> decltype(warpgauge_ask(" +
            kernel + ")) { return warpgauge_ask(" + kernel +
            "); }, [&](auto... warpgauge_values) " + std::string(kNotOfTheKernel) + " { " + kernel +
            "(warpgauge_values...); }, " + name_literal(name, opening) + ", ";
    out_ += between;
    copied_ = end(opening + 2);
    closers_.push_back(closing);
  }

  // As people write it: "reduce<256, float>".
  [[nodiscard]] std::string name_literal(std::size_t begin, std::size_t end) const {
    std::string name;
    for (std::size_t i = begin; i < end; ++i) {
      const std::string_view text = tokens_[i].text;
      const bool words =
          i > begin && continues_word(text.front()) && continues_word(tokens_[i - 1].text.back());
      if (words) name += ' ';
      name += text;
      if (tokens_[i].is(",")) name += ' ';
    }
    return "R\"warpgauge(" + name + ")warpgauge\"";
  }

  // The source from `begin` to `end`, with each >>> of a launch there become a parenthesis.
  [[nodiscard]] std::string with_closers(std::size_t begin, std::size_t end_offset) {
    std::string text;
    std::ranges::sort(closers_);
    while (!closers_.empty() && offset(closers_.front()) < end_offset) {
      text += source_.substr(begin, offset(closers_.front()) - begin);
      text += ')';
      begin = end(closers_.front() + 2);
      closers_.erase(closers_.begin());
    }
    text += source_.substr(begin, end_offset - begin);
    return text;
  }

  std::string_view source_;
  std::vector<Token> tokens_;
  std::string out_;
  std::size_t copied_ = 0;            // of the source
  std::vector<std::size_t> closers_;  // the first tokens of each >>> not yet copied
};

}  // namespace

std::optional<std::string> rewrite_launches(std::string_view preprocessed) {
  std::optional<std::string> without_ptx = rewrite_inline_ptx(preprocessed);
  std::optional<std::string> rewritten =
      Rewriter(without_ptx ? std::string_view(*without_ptx) : preprocessed).rewritten();
  return rewritten ? rewritten : without_ptx;
}

}  // namespace warpgauge::emulator
