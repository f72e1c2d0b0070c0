// SPDX-License-Identifier: Apache-2.0
// From places in machine code to source lines: the section .debug_line as nvcc writes it.
//
// nvcc writes no .debug_info with -lineinfo, all its functions begin at address 0 (a relocation
// tells them apart), and inlined calls are told by opcodes of its own, so libdw is no help.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpgauge::machine_code {

struct Place {
  std::string file;  // as the compiler was given it, made normal
  int line = 0;      // counted from 1; 0: not known

  friend bool operator==(const Place&, const Place&) = default;
};

class LineTable {
 public:
  // A table without lines.
  LineTable() = default;

  // section: the bytes of .debug_line. functions: for each offset in them that holds an address,
  // the section that address is in and where in it. Throws OutOfBytes, or std::runtime_error that
  // says what is wrong.
  struct Address {
    std::size_t section = 0;
    std::uint64_t offset = 0;
  };
  LineTable(std::string_view section, const std::map<std::uint64_t, Address>& addresses);

  // Where the instruction at `offset` in that section comes from, innermost first, then the calls
  // that were inlined. Empty: not known.
  [[nodiscard]] std::vector<Place> places(std::size_t section, std::uint64_t offset) const;

 private:
  struct Row {
    std::uint64_t offset = 0;
    std::uint32_t file = 0;    // in files_
    int line = 0;              // 0: from here on nothing is known
    std::uint32_t caller = 0;  // in rows_, counted from 1; 0: was not inlined
  };
  class UnitReader;

  std::vector<std::string> files_;
  std::vector<Row> rows_;                                    // as they were read
  std::map<std::size_t, std::vector<std::uint32_t>> order_;  // rows of a section by offset
};

}  // namespace warpgauge::machine_code
