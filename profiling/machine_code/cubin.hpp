// SPDX-License-Identifier: Apache-2.0
// The machine code that nvcc made: kernels, what they take, their accesses to memory, and the
// source lines these come from. Needs no GPU, no toolkit and no disassembler; `nvcc -lineinfo` puts
// the lines in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/machine_code/instruction.hpp"
#include "profiling/machine_code/line_table.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::machine_code {

// Names the file, what is wrong with it, and what to do.
class CubinError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Instruction {
  std::uint64_t offset_bytes = 0;  // in its function
  MemoryAccess access;
  // Where it comes from, innermost first, then the calls that were inlined. Empty: not known.
  // nvcc writes no new row where only the call changes: of neighbours that come from one line by
  // different calls, the calls of the first are told for all.
  std::vector<Place> places;
};

// A kernel with the functions that were compiled into it, or, in code that is to be linked, a
// function of its own.
struct Function {
  std::string symbol;  // mangled
  std::string name;    // demangled, as in "void scale<4>(float*, int)"
  bool is_kernel = false;
  std::uint64_t code_bytes = 0;
  std::vector<Instruction> accesses;  // to memory, by offset
};

struct Cubin {
  int architecture = 0;  // 90 for sm_90
  std::vector<Function> functions;
  std::vector<results::KernelCode> kernels = {};  // see kernel_codes()
};

// Reads a cubin that is in memory; `name` begins every message. Throws CubinError.
[[nodiscard]] Cubin parse_cubin(std::string_view bytes, const std::string& name);

// Reads a cubin, or every cubin in a program or object file of nvcc's, which must not be compressed
// (`nvcc --no-compress`). Throws CubinError, also when there is none, and results::FileError.
[[nodiscard]] std::vector<Cubin> read_cubins(const std::filesystem::path& path);

}  // namespace warpgauge::machine_code
