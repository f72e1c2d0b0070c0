// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/line_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <utility>

#include "profiling/machine_code/files/bytes.hpp"

namespace warpgauge::machine_code {
namespace {

// DWARF 4, section 6.2.5.2: standard opcodes.
enum Standard : std::uint8_t {
  kCopy = 1,
  kAdvanceAddress = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kConstAddAddress = 8,
  kFixedAdvanceAddress = 9,
};

// Section 6.2.5.3: extended opcodes; the last is NVIDIA's own, which libdw knows, too.
enum Extended : std::uint8_t {
  kEndSequence = 1,
  kSetAddress = 2,
  kDefineFile = 3,
  kInlinedCall = 0x90,
};

// Far more than any compiler inlines: deeper chains are garbage.
constexpr std::size_t kDeepestInlining = 256;

// More than systems open, and than a unit includes. Each file's path is kept.
constexpr std::size_t kLongestPath = 4096;
constexpr std::size_t kMostFiles = 100'000;

constexpr std::uint32_t kLongFormat = 0xffffffff;

// Line numbers leave this range only in a damaged file.
int as_line(std::int64_t line) {
  return line > 0 && line <= std::numeric_limits<int>::max() ? static_cast<int>(line) : 0;
}

std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::string path_of(std::string_view folder, std::string_view name) {
  if (folder.size() + name.size() > kLongestPath) {
    throw std::runtime_error("its .debug_line has a path of more than 4096 bytes");
  }
  return (std::filesystem::path(folder) / name).lexically_normal().string();
}

}  // namespace

// One unit of the section: a header with file names and a program that produces rows.
class LineTable::UnitReader {
 public:
  UnitReader(LineTable& table, const std::map<std::uint64_t, Address>& addresses,
             std::string_view unit, std::uint64_t unit_offset)
      : table_(table),
        addresses_(addresses),
        cursor_(unit),
        unit_(unit),
        unit_offset_(unit_offset),
        first_row_(table.rows_.size()),
        first_file_(table.files_.size()) {}

  void read() {
    read_header();
    while (!cursor_.at_end()) step();
  }

 private:
  struct State {
    std::size_t section = 0;
    bool located = false;  // a section was named
    std::uint64_t offset = 0;
    std::uint64_t file = 1;
    std::int64_t line = 1;
    std::uint64_t caller = 0;
  };

  void read_header() {
    const auto version = cursor_.take<std::uint16_t>();
    if (version < 2 || version > 4) {
      throw std::runtime_error(
          fmt::format("its .debug_line is of DWARF version {}; 2, 3 and 4 are known", version));
    }
    const auto header_bytes = cursor_.take<std::uint32_t>();
    const std::uint64_t program = cursor_.offset() + header_bytes;
    instruction_bytes_ = cursor_.take<std::uint8_t>();
    if (version >= 4) cursor_.skip(1);  // operations an instruction: for VLIW
    cursor_.skip(1);                    // whether rows are statements
    line_base_ = int{cursor_.take<std::int8_t>()};
    line_range_ = cursor_.take<std::uint8_t>();
    opcode_base_ = cursor_.take<std::uint8_t>();
    if (line_range_ == 0 || opcode_base_ == 0) {
      throw std::runtime_error("its .debug_line has a header without a range of lines");
    }
    for (unsigned opcode = 1; opcode < opcode_base_; ++opcode) {
      operands_.push_back(cursor_.take<std::uint8_t>());
    }
    std::vector<std::string_view> folders{""};
    for (auto name = cursor_.take_text(); !name.empty(); name = cursor_.take_text()) {
      folders.push_back(name);
    }
    table_.files_.emplace_back();  // files are counted from 1
    for (auto name = cursor_.take_text(); !name.empty(); name = cursor_.take_text()) {
      add_file(name, folders);
    }
    folders_ = std::move(folders);
    if (program < cursor_.offset()) throw OutOfBytes();
    cursor_.skip(program - cursor_.offset());
  }

  void add_file(std::string_view name, const std::vector<std::string_view>& folders) {
    const std::uint64_t folder = cursor_.take_unsigned();
    (void)cursor_.take_unsigned();  // time of change
    (void)cursor_.take_unsigned();  // size
    push_file(path_of(folder < folders.size() ? folders[folder] : "", name));
  }

  void push_file(std::string path) {
    if (table_.files_.size() >= kMostFiles) {
      throw std::runtime_error("its .debug_line names more than 100000 files");
    }
    table_.files_.push_back(std::move(path));
  }

  void step() {
    const auto opcode = cursor_.take<std::uint8_t>();
    if (opcode >= opcode_base_) {
      const unsigned adjusted = opcode - opcode_base_;
      state_.offset += adjusted / line_range_ * instruction_bytes_;
      state_.line =
          wrapping_sum(state_.line, line_base_ + static_cast<int>(adjusted % line_range_));
      add_row();
      return;
    }
    switch (opcode) {
      case 0:
        step_extended();
        break;
      case kCopy:
        add_row();
        break;
      case kAdvanceAddress:
        state_.offset += cursor_.take_unsigned() * instruction_bytes_;
        break;
      case kAdvanceLine:
        state_.line = wrapping_sum(state_.line, cursor_.take_signed());
        break;
      case kSetFile:
        state_.file = cursor_.take_unsigned();
        break;
      case kConstAddAddress:
        state_.offset += (255U - opcode_base_) / line_range_ * instruction_bytes_;
        break;
      case kFixedAdvanceAddress:
        state_.offset += cursor_.take<std::uint16_t>();
        break;
      default:
        for (int i = 0; i < operands_[opcode - 1U]; ++i) (void)cursor_.take_unsigned();
    }
  }

  void step_extended() {
    const std::uint64_t size = cursor_.take_unsigned();
    const std::uint64_t begin = cursor_.offset();
    Cursor operand(part(unit_, begin, size));
    cursor_.skip(size);
    if (size == 0) return;
    switch (operand.take<std::uint8_t>()) {
      case kEndSequence:
        state_.line = 0;
        add_row();
        state_ = State();
        first_row_ = table_.rows_.size();
        break;
      case kSetAddress: {
        // Without a relocation, the address belongs to no known section.
        const auto found = addresses_.find(unit_offset_ + begin + 1);
        state_.located = found != addresses_.end();
        if (state_.located) {
          state_.section = found->second.section;
          state_.offset = found->second.offset;
        }
        break;
      }
      case kDefineFile:
        define_file(operand);
        break;
      case kInlinedCall:
        state_.caller = operand.take_unsigned();
        break;
      default:
        break;
    }
  }

  void define_file(Cursor& operand) {
    const std::string_view name = operand.take_text();
    const std::uint64_t folder = operand.take_unsigned();
    push_file(path_of(folder < folders_.size() ? folders_[folder] : "", name));
  }

  void add_row() {
    Row row;
    row.offset = state_.offset;
    const std::uint64_t files = table_.files_.size() - first_file_;
    if (state_.file < files) {
      row.file = static_cast<std::uint32_t>(first_file_ + state_.file);
      row.line = as_line(state_.line);
    }
    // Accept earlier rows only, so that every chain of calls ends.
    const std::size_t count = table_.rows_.size() - first_row_;
    if (state_.caller <= count && state_.caller > 0) {
      row.caller = static_cast<std::uint32_t>(first_row_ + state_.caller);
    }
    if (state_.located) {
      table_.order_[state_.section].push_back(static_cast<std::uint32_t>(table_.rows_.size()));
    }
    table_.rows_.push_back(row);
  }

  LineTable& table_;
  const std::map<std::uint64_t, Address>& addresses_;
  Cursor cursor_;
  std::string_view unit_;
  std::uint64_t unit_offset_;  // in the section
  std::size_t first_row_;      // of the sequence: inlined calls refer to rows from there on
  std::size_t first_file_;
  std::uint64_t instruction_bytes_ = 1;
  int line_base_ = 0;
  unsigned line_range_ = 1;
  unsigned opcode_base_ = 1;
  std::vector<std::uint8_t> operands_;  // of standard opcodes, from 1 on
  std::vector<std::string_view> folders_;
  State state_;
};

LineTable::LineTable(std::string_view section, const std::map<std::uint64_t, Address>& addresses) {
  for (std::uint64_t offset = 0; offset < section.size();) {
    const auto size = read_at<std::uint32_t>(section, offset);
    if (size == kLongFormat) throw std::runtime_error("its .debug_line is of 64-bit DWARF");
    offset += sizeof(size);
    UnitReader(*this, addresses, part(section, offset, size), offset).read();
    offset += size;
  }
  // For each offset, the row read last counts.
  for (auto& [of_section, rows] : order_) {
    std::stable_sort(rows.begin(), rows.end(), [this](std::uint32_t a, std::uint32_t b) {
      return rows_[a].offset < rows_[b].offset;
    });
  }
}

std::vector<Place> LineTable::places(std::size_t section, std::uint64_t offset) const {
  std::vector<Place> places;
  const auto order = order_.find(section);
  if (order == order_.end()) return places;
  const auto after = std::upper_bound(
      order->second.begin(), order->second.end(), offset,
      [this](std::uint64_t wanted, std::uint32_t row) { return wanted < rows_[row].offset; });
  if (after == order->second.begin()) return places;
  const Row* row = &rows_[*std::prev(after)];
  if (row->line == 0) return places;
  places.push_back({files_[row->file], row->line});
  while (row->caller != 0 && places.size() < kDeepestInlining) {
    row = &rows_[row->caller - 1];
    places.push_back({files_[row->file], row->line});
  }
  return places;
}

}  // namespace warpgauge::machine_code
