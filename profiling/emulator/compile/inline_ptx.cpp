// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/compile/inline_ptx.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "profiling/emulator/compile/ptx_names.hpp"

namespace warpgauge::emulator {
namespace {

using Words = std::vector<std::string>;

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(kSpace) - begin + 1));
}

// Behind the literal that begins here.
std::size_t skip_literal(std::string_view text, std::size_t at) {
  const char quote = text[at++];
  while (at < text.size() && text[at] != quote) at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

// At the separator, outside of brackets and literals; or at the end.
std::size_t find_outside(std::string_view text, std::size_t at, char separator) {
  int depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (depth == 0 && c == separator) return at;
    if (c == '"' || c == '\'') {
      at = skip_literal(text, at);
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    ++at;
  }
  return at;
}

Words split(std::string_view text, char separator) {
  Words parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = find_outside(text, at, separator);
    if (std::string part = trimmed(text.substr(at, end - at)); !part.empty()) {
      parts.push_back(std::move(part));
    }
    at = end + 1;
  }
  return parts;
}

// The text of adjacent literals.
std::string unquoted(std::string_view literals) {
  std::string text;
  for (std::size_t at = literals.find('"'); at < literals.size(); at = literals.find('"', at)) {
    const std::size_t end = skip_literal(literals, at);
    for (std::size_t i = at + 1; i + 1 < end; ++i) {
      if (literals[i] != '\\') {
        text += literals[i];
      } else if (++i + 1 < end) {
        text += literals[i] == 'n' || literals[i] == 't' || literals[i] == 'r' ? ' ' : literals[i];
      }
    }
    at = end;
  }
  return text;
}

// "r"(x) → x.
std::string expression_of(const std::string& operand) {
  const std::size_t quote = operand.find('"');
  const std::size_t open =
      quote == std::string::npos ? quote : operand.find('(', operand.find('"', quote + 1));
  if (open == std::string::npos || operand.back() != ')') return "";
  return operand.substr(open);
}

std::string cast_to(const char* type) {
  std::string cast(1, '(');
  cast += type;
  cast += ')';
  return cast;
}

// One asm statement: operands, and the instructions in terms of them.
class Statement {
 public:
  explicit Statement(std::string_view inside) {
    const Words sections = split_sections(inside);
    text_ = unquoted(sections[0]);
    for (std::size_t i = 1; i < sections.size() && i < 3; ++i) {
      for (const std::string& operand : split(sections[i], ',')) {
        operands_.push_back(expression_of(operand));
      }
    }
  }

  // Its instructions have types, as the host's have not.
  [[nodiscard]] bool is_ptx() const {
    const std::string first = trimmed(text_);
    if (first.rfind("trap;", 0) == 0 || first.rfind("membar", 0) == 0) return true;
    if (first.empty() || first.back() != ';')
      return first.rfind('{', 0) == 0 && first.find(".reg") != first.npos;
    const std::string opcode = first.substr(0, first.find_first_of(" \t;"));
    return opcode.find('.') != std::string::npos || first[0] == '@' ||
           (first[0] == '{' && first.find('.') != first.npos);
  }

  [[nodiscard]] std::string translated() const {
    std::string code = "do { ";
    for (const std::string& instruction : split(text_, ';')) {
      code += translated(instruction) + "; ";
    }
    return code + "} while (0)";
  }

 private:
  static Words split_sections(std::string_view inside) {
    Words sections;
    std::size_t at = 0;
    while (at <= inside.size()) {
      const std::size_t end = find_outside(inside, at, ':');
      sections.push_back(trimmed(inside.substr(at, end - at)));
      at = end + 1;
    }
    return sections;
  }

  [[nodiscard]] std::string translated(const std::string& instruction) const {
    const std::size_t space = instruction.find_first_of(" \t");
    const std::string opcode = instruction.substr(0, space);
    const Words arguments =
        space == std::string::npos ? Words() : split(instruction.substr(space), ',');
    const Words parts = split(opcode, '.');
    const std::string code = parts.empty() ? "" : code_of(parts, arguments);
    if (!code.empty()) return code;
    return "::warpgauge_emulator::ptx::unsupported(R\"warpgauge(inline PTX " + instruction +
           ", which the emulator has not: give the kernel another way for it)warpgauge\")";
  }

  // Empty: unknown.
  [[nodiscard]] std::string code_of(const Words& parts, const Words& arguments) const {
    if (parts[0] == "ld" || parts[0] == "st") return memory_access(parts, arguments);
    if (parts[0] == "red" || parts[0] == "atom") return atomic_operation(parts, arguments);
    if (parts[0] == "cp" && parts.size() > 2 && parts[1] == "async") {
      return asynchronous_copy(parts, arguments);
    }
    const char* pattern = nullptr;
    for (std::size_t words = std::min<std::size_t>(3, parts.size()); words > 0 && !pattern;
         --words) {
      std::string name = parts[0];
      for (std::size_t i = 1; i < words; ++i) name += "." + parts[i];
      pattern = ptx_pattern(name);
    }
    if (pattern == nullptr) return "";
    const char* type = ptx_type(parts.back());
    std::string code;
    for (std::string_view rest = pattern; !rest.empty(); rest.remove_prefix(1)) {
      if (rest[0] == '$') {
        const auto index = static_cast<std::size_t>(rest[1] - '0');
        const std::string value = index < arguments.size() ? value_of(arguments[index]) : "";
        if (value.empty()) return "";
        code += value;
        rest.remove_prefix(1);
      } else if (rest.substr(0, 2) == "T(") {
        if (type == nullptr) return "";
        code += cast_to(type);
      } else {
        code += rest[0];
      }
    }
    return code;
  }

  // A place of the statement's operands, a special register, or a number. Empty: none of these.
  [[nodiscard]] std::string value_of(std::string argument) const {
    if (argument.rfind("%%", 0) == 0) argument.erase(0, 1);
    if (argument.size() > 1 && argument[0] == '%' &&
        std::isdigit(static_cast<unsigned char>(argument[1])) != 0) {
      const std::size_t index = std::stoul(argument.substr(1));
      return index < operands_.size() ? operands_[index] : "";
    }
    if (argument[0] == '%') {
      const char* known = ptx_register(argument);
      return known == nullptr ? "" : known;
    }
    const bool number =
        std::isdigit(static_cast<unsigned char>(argument[0])) != 0 || argument[0] == '-';
    return number ? argument : "";
  }

  // [%1], [%1 + 16]; of the space that the modifiers name.
  [[nodiscard]] std::string address_of(const std::string& argument, bool shared) const {
    if (argument.size() < 3 || argument.front() != '[' || argument.back() != ']') return "";
    const Words terms = split(std::string_view(argument).substr(1, argument.size() - 2), '+');
    std::string value = terms.empty() ? "" : value_of(terms[0]);
    if (value.empty() || terms.size() > 2) return "";
    value =
        (shared ? "::warpgauge_emulator::ptx::shared(" : "::warpgauge_emulator::ptx::generic(") +
        value + ")";
    if (terms.size() == 2) {
      const std::string offset = value_of(terms[1]);
      if (offset.empty()) return "";
      value = "static_cast<void*>(static_cast<char*>(" + value + ") + " + offset + ")";
    }
    return value;
  }

  [[nodiscard]] std::string memory_access(const Words& parts, const Words& arguments) const {
    const char* type = ptx_type(parts.back());
    if (type == nullptr || arguments.size() != 2) return "";
    const auto has = [&](const char* part) {
      return std::ranges::find(parts, part) != parts.end();
    };
    const bool load = parts[0] == "ld";
    const std::string address = address_of(arguments[load ? 1 : 0], has("shared"));
    const bool strong = has("volatile") || has("acquire") || has("release") || has("relaxed");
    const std::string& values = arguments[load ? 0 : 1];
    Words elements = {values};
    if (values.front() == '{')
      elements = split(std::string_view(values).substr(1, values.size() - 2), ',');
    if (address.empty() || elements.size() != (has("v2") ? 2U : has("v4") ? 4U : 1U)) return "";
    if (strong && elements.size() == 1) {
      const std::string place =
          "*static_cast<volatile " + std::string(type) + "*>(" + address + ")";
      const std::string value = value_of(elements[0]);
      if (value.empty()) return "";
      return load ? value + " = " + place + "; __threadfence()"
                  : "__threadfence(); " + place + " = " + value;
    }
    const std::string bytes =
        "sizeof(" + std::string(type) + ") * " + std::to_string(elements.size());
    std::string code = "struct alignas(" + bytes + ") warpgauge_vector { " + type + " at[" +
                       std::to_string(elements.size()) + "]; }; ";
    const std::string pointer = "static_cast<warpgauge_vector*>(" + address + ")";
    std::string copies;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const std::string value = value_of(elements[i]);
      if (value.empty()) return "";
      const std::string element = "warpgauge_values.at[" + std::to_string(i) + "]";
      copies += load ? value + " = " + element + "; " : element + " = " + value + "; ";
    }
    if (load)
      return code + "const warpgauge_vector warpgauge_values = __ldcg(" + pointer + "); " + copies;
    return code + "warpgauge_vector warpgauge_values; " + copies + "__stcg(" + pointer +
           ", warpgauge_values)";
  }

  // red gives nothing back, atom the old value.
  [[nodiscard]] std::string atomic_operation(const Words& parts, const Words& arguments) const {
    const bool gives = parts[0] == "atom";
    const char* type = ptx_type(parts.back());
    const auto function = std::ranges::find_if(
        parts, [](const std::string& part) { return ptx_atomic(part) != nullptr; });
    const auto is_shared = std::ranges::find(parts, "shared") != parts.end();
    if (type == nullptr || function == parts.end() || arguments.size() < (gives ? 3U : 2U))
      return "";
    const std::string address = address_of(arguments[gives ? 1 : 0], is_shared);
    if (address.empty()) return "";
    const std::string cast = cast_to(type);
    std::string call =
        std::string(ptx_atomic(*function)) + "(static_cast<" + type + "*>(" + address + ")";
    for (std::size_t i = gives ? 2 : 1; i < arguments.size(); ++i) {
      const std::string value = value_of(arguments[i]);
      if (value.empty()) return "";
      call += ", " + cast + value;
    }
    const std::string target = gives ? value_of(arguments[0]) : "";
    if (gives && target.empty()) return "";
    return (gives ? target + " = " : "") + call + ")";
  }

  [[nodiscard]] std::string asynchronous_copy(const Words& parts, const Words& arguments) const {
    if (parts[2] == "commit_group") return "__pipeline_commit()";
    if (parts[2] == "wait_all") return "__pipeline_commit(); __pipeline_wait_prior(0)";
    if (parts[2] == "wait_group" && arguments.size() == 1) {
      return "__pipeline_wait_prior(" + value_of(arguments[0]) + ")";
    }
    if ((parts[2] != "ca" && parts[2] != "cg") || arguments.size() < 3 || arguments.size() > 4)
      return "";
    const std::string to = address_of(arguments[0], true);
    const std::string from = address_of(arguments[1], false);
    const std::string bytes = value_of(arguments[2]);
    if (to.empty() || from.empty() || bytes.empty()) return "";
    std::string code = "__pipeline_memcpy_async(" + to + ", " + from + ", " + bytes;
    if (arguments.size() == 4) {
      const std::string source_bytes = value_of(arguments[3]);
      if (source_bytes.empty()) return "";
      code += ", " + bytes + " - " + source_bytes;
    }
    return code + ")";
  }

  std::string text_;
  Words operands_;  // in parentheses, as %0, %1 and so on
};

// The parenthesis of an asm statement whose word begins at `at`; npos: none.
std::size_t opening_of(std::string_view source, std::size_t at) {
  for (const std::string_view word : {"asm", "__asm__", "__asm"}) {
    if (source.substr(at, word.size()) != word) continue;
    std::size_t next = at + word.size();
    if (next < source.size() && in_word(source[next])) continue;
    for (;;) {
      next = source.find_first_not_of(" \t\n", next);
      if (next == std::string_view::npos) return next;
      const auto skipped = [&](std::string_view qualifier) {
        if (source.substr(next, qualifier.size()) != qualifier) return false;
        next += qualifier.size();
        return true;
      };
      if (!skipped("__volatile__") && !skipped("volatile")) break;
    }
    return source[next] == '(' ? next : std::string_view::npos;
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<std::string> rewrite_inline_ptx(std::string_view source) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = 0; at < source.size();) {
    if (source[at] == '"' || source[at] == '\'') {
      // A digit separator is no literal.
      if (source[at] == '"' && at > 0 && source[at - 1] == 'R') {
        const std::size_t open = source.find('(', at);
        std::string close = ")";
        close += source.substr(at + 1, open - at - 1);
        close += '"';
        at = std::min(source.find(close, at), source.size() - close.size()) + close.size();
        continue;
      }
      const bool separator = source[at] == '\'' && at > 0 && in_word(source[at - 1]);
      at = separator ? at + 1 : skip_literal(source, at);
      continue;
    }
    if (!in_word(source[at])) {
      ++at;
      continue;
    }
    const std::size_t opening = opening_of(source, at);
    if (opening != std::string_view::npos) {
      const std::size_t closing = find_outside(source, opening + 1, ')');
      const std::string_view inside = source.substr(opening + 1, closing - opening - 1);
      const Statement statement(inside);
      if (closing < source.size() && statement.is_ptx()) {
        const std::string_view whole = source.substr(at, closing + 1 - at);
        out += source.substr(copied, at - copied);
        out += statement.translated();
        out.append(static_cast<std::size_t>(std::ranges::count(whole, '\n')), '\n');
        copied = closing + 1;
      }
      at = closing + 1;
      continue;
    }
    while (at < source.size() && in_word(source[at])) ++at;
  }
  if (copied == 0) return std::nullopt;
  return out + std::string(source.substr(copied));
}

}  // namespace warpgauge::emulator
