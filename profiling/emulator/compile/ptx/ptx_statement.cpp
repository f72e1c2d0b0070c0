// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/compile/ptx/ptx_statement.hpp"

#include <algorithm>
#include <cctype>

#include "profiling/emulator/compile/ptx/ptx_names.hpp"

namespace warpgauge::emulator {
namespace {

// "r"(x) → x.
std::string expression_of(const std::string& operand) {
  const std::size_t quote = operand.find('"');
  const std::size_t open =
      quote == std::string::npos ? quote : operand.find('(', operand.find('"', quote + 1));
  if (open == std::string::npos || operand.back() != ')') return "";
  return operand.substr(open);
}

bool has(const Words& parts, std::string_view part) {
  return std::ranges::find(parts, part) != parts.end();
}

std::string cast_to(const char* type) {
  std::string cast(1, '(');
  cast += type;
  cast += ')';
  return cast;
}

}  // namespace

PtxStatement::PtxStatement(std::string_view inside) {
  Words sections;
  for (std::size_t at = 0; at <= inside.size();) {
    const std::size_t end = find_outside(inside, at, ':');
    sections.push_back(trimmed(inside.substr(at, end - at)));
    at = end + 1;
  }
  text_ = unquoted(sections[0]);
  for (std::size_t i = 1; i < sections.size() && i < 3; ++i) {
    for (const std::string& operand : split(sections[i], ',')) {
      operands_.push_back(expression_of(operand));
    }
  }
}

bool PtxStatement::is_ptx() const {
  const std::string first = trimmed(text_);
  if (first.rfind("trap;", 0) == 0 || first.rfind("membar", 0) == 0) return true;
  if (first.empty() || (first.back() != ';' && first.back() != '}')) {
    return first.rfind('{', 0) == 0 && first.find(".reg") != std::string::npos;
  }
  const std::string opcode = first.substr(0, first.find_first_of(" \t;"));
  return opcode.find('.') != std::string::npos || first[0] == '@' ||
         (first[0] == '{' && first.find('.') != std::string::npos);
}

std::string PtxStatement::translated() {
  std::string code = "do { ";
  for (std::size_t at = text_.find_first_not_of(" \t"); at < text_.size();
       at = text_.find_first_not_of(" \t", at)) {
    if (text_[at] == '{' || text_[at] == '}' || text_[at] == ';') {
      code += text_[at++];
      code += ' ';
      continue;
    }
    const std::size_t end = find_outside(text_, at, ';');
    const std::string instruction = trimmed(std::string_view(text_).substr(at, end - at));
    code += instruction.starts_with(".reg") ? declared(instruction)
                                            : "{ " + translated(instruction) + "; } ";
    at = end + 1;
  }
  return code + "} while (0)";
}

// .reg .pred p, q; .reg .b32 r<4>;
std::string PtxStatement::declared(const std::string& declaration) {
  const Words words = split(declaration.substr(4), ' ');
  const std::string suffix = words.empty() ? "" : words[0].substr(1);
  const char* type = suffix == "pred" ? "bool" : ptx_type(suffix);
  if (type == nullptr || words.size() < 2) return translated(declaration) + "; ";
  std::string code;
  const auto declare = [&](std::string name) {
    std::string& variable = registers_[name];
    std::erase(name, '%');
    variable = "warpgauge_register_" + name;
    code += std::string(type) + " " + variable + " = 0; ";
  };
  for (const std::string& name :
       split(declaration.substr(declaration.find(words[0]) + words[0].size()), ',')) {
    const std::size_t count = name.find('<');
    if (count == std::string::npos) {
      declare(name);
      continue;
    }
    for (unsigned long i = 0; i < std::stoul(name.substr(count + 1)); ++i) {
      declare(name.substr(0, count) + std::to_string(i));
    }
  }
  return code;
}

std::string PtxStatement::translated(const std::string& instruction) const {
  std::string bare = instruction;
  std::string condition;
  if (bare[0] == '@') {
    const std::size_t space = std::min(bare.find_first_of(" \t"), bare.size());
    const bool negated = bare.starts_with("@!");
    const std::string predicate = value_of(bare.substr(negated ? 2 : 1, space - (negated ? 2 : 1)));
    if (!predicate.empty()) {
      condition = std::string("if (") + (negated ? "!" : "") + predicate + ") { ";
      bare = trimmed(std::string_view(bare).substr(space));
    }
  }
  const std::size_t space = bare.find_first_of(" \t");
  Words parts = split(bare.substr(0, space), '.');
  // .shared::cta, .L2::128B
  for (std::string& part : parts) part = part.substr(0, part.find("::"));
  const Words arguments = space == std::string::npos ? Words() : split(bare.substr(space), ',');
  const std::string code = parts.empty() || bare[0] == '@' ? "" : code_of(parts, arguments);
  if (!code.empty()) return condition.empty() ? code : condition + code + "; }";
  return "::warpgauge_emulator::ptx::unsupported(R\"warpgauge(inline PTX " + instruction +
         ", which the emulator lacks: write it in another way)warpgauge\")";
}

// Empty: unknown.
std::string PtxStatement::code_of(const Words& parts, const Words& arguments) const {
  if (parts[0] == "ld" || parts[0] == "st") return memory_access(parts, arguments);
  if (parts[0] == "red" || parts[0] == "atom") return atomic_operation(parts, arguments);
  if (parts[0] == "cp" && parts.size() > 2 && parts[1] == "async") {
    return asynchronous_copy(parts, arguments);
  }
  if (parts[0] == "ldmatrix" || parts[0] == "stmatrix") return matrix_access(parts, arguments);
  if (parts[0] == "mma") return matrix_product(parts, arguments);
  if (parts[0] == "mov") return move(parts, arguments);
  if (parts[0] == "cvt") return convert(parts, arguments);
  if (parts[0] == "setp") return compare(parts, arguments);
  if (parts[0] == "bar" || parts[0] == "barrier") return barrier(parts, arguments);
  return by_pattern(parts, arguments);
}

std::string PtxStatement::by_pattern(const Words& parts, const Words& arguments) const {
  // A carry, saturation or rounding that no pattern has.
  for (const char* modifier : {"cc", "sat", "rz", "rm", "rp", "NaN", "relu"}) {
    if (has(parts, modifier)) return "";
  }
  const char* pattern = nullptr;
  for (std::size_t words = std::min<std::size_t>(5, parts.size()); words > 0 && !pattern; --words) {
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

// A place of the statement's operands, a register, or a number. Empty: none of these.
std::string PtxStatement::value_of(std::string argument) const {
  if (argument.rfind("%%", 0) == 0) argument.erase(0, 1);
  if (const auto known = registers_.find(argument); known != registers_.end()) return known->second;
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

// Of one, or of a vector in braces. Empty: one of them is not known.
Words PtxStatement::values_of(const std::string& argument) const {
  Words values = {argument};
  if (argument.front() == '{') {
    values = split(std::string_view(argument).substr(1, argument.size() - 2), ',');
  }
  for (std::string& value : values) {
    value = value_of(value);
    if (value.empty()) return {};
  }
  return values;
}

// [%1], [%1 + 16]; of the space that the modifiers name.
std::string PtxStatement::address_of(const std::string& argument, bool shared) const {
  if (argument.size() < 3 || argument.front() != '[' || argument.back() != ']') return "";
  const Words terms = split(std::string_view(argument).substr(1, argument.size() - 2), '+');
  std::string value = terms.empty() ? "" : value_of(terms[0]);
  if (value.empty() || terms.size() > 2) return "";
  value = (shared ? "::warpgauge_emulator::ptx::shared(" : "::warpgauge_emulator::ptx::generic(") +
          value + ")";
  if (terms.size() == 2) {
    const std::string offset = value_of(terms[1]);
    if (offset.empty()) return "";
    value = "static_cast<void*>(static_cast<char*>(" + value + ") + " + offset + ")";
  }
  return value;
}

// Of bits, whatever they stand for; a vector and its whole, the lowest part first.
std::string PtxStatement::move(const Words&, const Words& arguments) const {
  if (arguments.size() != 2) return "";
  const Words to = values_of(arguments[0]);
  const Words from = values_of(arguments[1]);
  if (to.empty() || from.empty() || (to.size() > 1 && from.size() > 1)) return "";
  std::string code = to.size() > 1 ? "::warpgauge_emulator::ptx::unpack(" + from[0]
                                   : "::warpgauge_emulator::ptx::pack(" + to[0];
  for (const std::string& value : to.size() > 1 ? to : from) code += ", " + value;
  return code + ")";
}

// Between integers, and from integers and float to wider ones. Others round.
std::string PtxStatement::convert(const Words& parts, const Words& arguments) const {
  if (parts.size() < 3 || arguments.size() != 2) return "";
  const std::string& to = parts[parts.size() - 2];
  const std::string& from = parts.back();
  const bool exact = parts.size() == 3 && (from[0] != 'f' || (from == "f32" && to == "f64")) &&
                     (to[0] != 'f' || from == "f32");
  const bool nearest = parts.size() == 4 && parts[1] == "rn" && from[0] != 'f' && to[0] == 'f';
  const char* type = ptx_type(to);
  const char* type_of_source = ptx_type(from);
  const Words target = values_of(arguments[0]);
  const Words source = values_of(arguments[1]);
  if ((!exact && !nearest) || type == nullptr || type_of_source == nullptr || target.size() != 1 ||
      source.size() != 1) {
    return "";
  }
  return target[0] + " = " + cast_to(type) + cast_to(type_of_source) + source[0];
}

std::string PtxStatement::compare(const Words& parts, const Words& arguments) const {
  const char* type = ptx_type(parts.back());
  const char* relation = parts.size() == 3 ? ptx_relation(parts[1]) : nullptr;
  if (type == nullptr || relation == nullptr || arguments.size() != 3) return "";
  const std::string target = value_of(arguments[0]);
  const std::string left = value_of(arguments[1]);
  const std::string right = value_of(arguments[2]);
  if (target.empty() || left.empty() || right.empty()) return "";
  return target + " = " + cast_to(type) + left + " " + relation + " " + cast_to(type) + right;
}

std::string PtxStatement::memory_access(const Words& parts, const Words& arguments) const {
  const char* type = ptx_type(parts.back());
  if (type == nullptr || arguments.size() != 2) return "";
  const bool load = parts[0] == "ld";
  const std::string address = address_of(arguments[load ? 1 : 0], has(parts, "shared"));
  const bool strong = has(parts, "volatile") || has(parts, "acquire") || has(parts, "release") ||
                      has(parts, "relaxed");
  const std::string& values = arguments[load ? 0 : 1];
  const Words elements = values_of(values);
  if (address.empty() || elements.size() != (has(parts, "v2") ? 2U : has(parts, "v4") ? 4U : 1U))
    return "";
  if (strong && elements.size() == 1) {
    const std::string place = "*static_cast<volatile " + std::string(type) + "*>(" + address + ")";
    return load ? elements[0] + " = " + place + "; __threadfence()"
                : "__threadfence(); " + place + " = " + elements[0];
  }
  const std::string bytes =
      "sizeof(" + std::string(type) + ") * " + std::to_string(elements.size());
  std::string code = "struct alignas(" + bytes + ") warpgauge_vector { " + type + " at[" +
                     std::to_string(elements.size()) + "]; }; ";
  const std::string pointer = "static_cast<warpgauge_vector*>(" + address + ")";
  std::string copies;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::string& value = elements[i];
    const std::string element = "warpgauge_values.at[" + std::to_string(i) + "]";
    copies += "::warpgauge_emulator::ptx::pack(";
    copies += load ? value : element;
    copies += ", ";
    copies += load ? element : value;
    copies += "); ";
  }
  if (load)
    return code + "const warpgauge_vector warpgauge_values = __ldcg(" + pointer + "); " + copies;
  return code + "warpgauge_vector warpgauge_values; " + copies + "__stcg(" + pointer +
         ", warpgauge_values)";
}

// red gives nothing back, atom the old value.
std::string PtxStatement::atomic_operation(const Words& parts, const Words& arguments) const {
  const bool gives = parts[0] == "atom";
  const char* type = ptx_type(parts.back());
  const auto function = std::ranges::find_if(
      parts, [](const std::string& part) { return ptx_atomic(part) != nullptr; });
  if (type == nullptr || function == parts.end() || arguments.size() < (gives ? 3U : 2U)) return "";
  const std::string address = address_of(arguments[gives ? 1 : 0], has(parts, "shared"));
  if (address.empty()) return "";
  const std::string cast = cast_to(type);
  std::string call =
      std::string(ptx_atomic(*function)) + "(static_cast<" + type + "*>(" + address + ")";
  for (std::size_t i = gives ? 2 : 1; i < arguments.size(); ++i) {
    const std::string value = value_of(arguments[i]);
    if (value.empty()) return "";
    call += ", ";
    call += cast;
    call += value;
  }
  const std::string target = gives ? value_of(arguments[0]) : "";
  if (gives && target.empty()) return "";
  return (gives ? target + " = " : "") + call + ")";
}

// Of some threads where it says of how many; else of all.
std::string PtxStatement::barrier(const Words& parts, const Words& arguments) const {
  const bool arrives = has(parts, "arrive");
  if (has(parts, "cluster")) return by_pattern(parts, arguments);
  const bool of_block = (arrives || has(parts, "sync")) && !has(parts, "warp");
  if (!of_block || arguments.size() != 2) return arrives ? "" : by_pattern(parts, arguments);
  const std::string barrier = value_of(arguments[0]);
  const std::string threads = value_of(arguments[1]);
  if (barrier.empty() || threads.empty()) return "";
  return std::string("::warpgauge_emulator::ptx::barrier_") + (arrives ? "arrive(" : "sync(") +
         barrier + ", " + threads + ")";
}

std::string PtxStatement::asynchronous_copy(const Words& parts, const Words& arguments) const {
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

}  // namespace warpgauge::emulator
