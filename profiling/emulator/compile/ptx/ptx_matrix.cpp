// SPDX-License-Identifier: Apache-2.0
// The instructions of PTX on matrices that a warp holds.
#include <algorithm>

#include "profiling/emulator/compile/ptx/ptx_names.hpp"
#include "profiling/emulator/compile/ptx/ptx_statement.hpp"

namespace warpgauge::emulator {
namespace {

constexpr unsigned kLanes = 32;

struct Shape {
  unsigned m = 0;
  unsigned n = 0;
  unsigned k = 0;
};

// m16n8k16
Shape shape_of(const std::string& part) {
  const std::size_t n = part.find('n');
  const std::size_t k = part.find('k');
  if (part.size() < 6 || part[0] != 'm' || n == std::string::npos || k == std::string::npos) {
    return {};
  }
  const auto number = [&](std::size_t begin, std::size_t end) {
    const std::string digits = part.substr(begin, end - begin);
    const bool is_number = !digits.empty() && digits.size() < 4 &&
                           digits.find_first_not_of("0123456789") == std::string::npos;
    return is_number ? static_cast<unsigned>(std::stoul(digits)) : 0U;
  };
  return {number(1, n), number(n + 1, k), number(k + 1, part.size())};
}

unsigned bits_of(const std::string& element) {
  const std::size_t digits = element.find_first_of("0123456789");
  if (element[0] == 'e') return 8;
  return static_cast<unsigned>(std::stoul(element.substr(digits)));
}

// Registers of a lane for so many elements, of a warp.
std::size_t registers_for(unsigned elements, const std::string& element) {
  const unsigned of_register = std::max(32U, bits_of(element)) / bits_of(element);
  return elements / kLanes / of_register;
}

std::string array_of(const std::string& name, const Words& values) {
  std::string code = "const unsigned long long " + name + "[] = {";
  for (const std::string& value : values) {
    code += "::warpgauge_emulator::ptx::word(" + value + "), ";
  }
  return code + "}; ";
}

}  // namespace

// Eight rows of 16 bytes are a matrix; each lane's address is that of a row.
std::string PtxStatement::matrix_access(const Words& parts, const Words& arguments) const {
  const auto has = [&](const char* part) { return std::ranges::find(parts, part) != parts.end(); };
  const bool load = parts[0] == "ldmatrix";
  if (arguments.size() != 2 || !has("m8n8") || parts.back() != "b16") return "";
  const std::size_t count = has("x4") ? 4 : has("x2") ? 2 : 1;
  const std::string row = address_of(arguments[load ? 1 : 0], has("shared"));
  const Words values = values_of(arguments[load ? 0 : 1]);
  if (row.empty() || values.size() != count) return "";
  std::string how = "<";
  how += std::to_string(count);
  how += has("trans") ? ", true>(" : ", false>(";
  how += row + ", warpgauge_words)";
  std::string code = "unsigned warpgauge_words[4]; ";
  std::string copies;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string word = "warpgauge_words[" + std::to_string(i) + "]";
    copies += "::warpgauge_emulator::ptx::pack(" +
              (load ? values[i] + ", " + word : word + ", " + values[i]) + "); ";
  }
  return load ? code + "::warpgauge_emulator::load_matrices" + how + "; " + copies
              : code + copies + "::warpgauge_emulator::store_matrices" + how;
}

// mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, c
std::string PtxStatement::matrix_product(const Words& parts, const Words& arguments) const {
  if (parts.size() < 10 || parts[1] != "sync" || arguments.size() != 4) return "";
  const Shape shape = shape_of(parts[3]);
  const Words elements(parts.end() - 4, parts.end());  // of d, a, b, c
  const auto is_known = [](const std::string& element) { return ptx_element(element) != nullptr; };
  if (parts[4] != "row" || parts[5] != "col" || !std::ranges::all_of(elements, is_known) ||
      shape.n != 8 || shape.m % 8 != 0 || shape.m > 16 || shape.m * shape.n * shape.k == 0) {
    return "";
  }
  std::vector<Words> values;
  for (const std::string& argument : arguments) values.push_back(values_of(argument));
  const unsigned product = shape.m * shape.n;
  if (values[0].size() != registers_for(product, elements[0]) ||
      values[1].size() != registers_for(shape.m * shape.k, elements[1]) ||
      values[2].size() != registers_for(shape.k * shape.n, elements[2]) ||
      values[3].size() != registers_for(product, elements[3]) || values[0].empty() ||
      values[1].empty() || values[2].empty() || values[3].empty()) {
    return "";
  }
  std::string code = array_of("warpgauge_a", values[1]) + array_of("warpgauge_b", values[2]) +
                     array_of("warpgauge_c", values[3]) + "unsigned long long warpgauge_d[4]; " +
                     "::warpgauge_emulator::multiply_matrices({" + std::to_string(shape.m) + ", " +
                     std::to_string(shape.n) + ", " + std::to_string(shape.k);
  for (const std::size_t which : {1U, 2U, 3U, 0U}) {
    code += ", ::warpgauge_emulator::MatrixElement::" + elements[which];
  }
  code += std::ranges::find(parts, "satfinite") != parts.end() ? ", true" : ", false";
  code += "}, warpgauge_a, warpgauge_b, warpgauge_c, warpgauge_d); ";
  for (std::size_t i = 0; i < values[0].size(); ++i) {
    code += "::warpgauge_emulator::ptx::set(" + values[0][i] + ", warpgauge_d[" +
            std::to_string(i) + "]); ";
  }
  return code;
}

}  // namespace warpgauge::emulator
