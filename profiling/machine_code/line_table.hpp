// SPDX-License-Identifier: Apache-2.0
// Maps machine code to source lines by nvcc's section .debug_line.
//
// libdw does not help: with -lineinfo nvcc writes no .debug_info, all functions start at address 0
// (only relocations distinguish them), and private opcodes describe inlined calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpgauge::machine_code {

struct Place {
  std::string file;  // the path that the compiler got, normalised
  int line = 0;      // counted from 1; 0: unknown

  friend bool operator==(const Place&, const Place&) = default;
};

class LineTable {
 public:
  // A table without lines.
  LineTable() = default;

  // section: the bytes of .debug_line. functions: for each offset that holds an address, the
  // section and the place in it. Throws OutOfBytes, or std::runtime_error that says what is wrong.
  struct Address {
    std::size_t section = 0;
    std::uint64_t offset = 0;
  };
  LineTable(std::string_view section, const std::map<std::uint64_t, Address>& addresses);

  // The source of the instruction at `offset` in that section: the innermost line first, then the
  // inlined calls. Empty: unknown.
  [[nodiscard]] std::vector<Place> places(std::size_t section, std::uint64_t offset) const;

 private:
  struct Row {
    std::uint64_t offset = 0;
    std::uint32_t file = 0;    // in files_
    int line = 0;              // 0: unknown from here on
    std::uint32_t caller = 0;  // in rows_, counted from 1; 0: not inlined
  };
  class UnitReader;

  std::vector<std::string> files_;
  std::vector<Row> rows_;                                    // in the order of the section
  std::map<std::size_t, std::vector<std::uint32_t>> order_;  // rows of a section by offset
};

}  // namespace warpgauge::machine_code
