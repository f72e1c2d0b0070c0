// SPDX-License-Identifier: Apache-2.0
// Reads nvcc's machine code: kernels, their resources, their memory accesses and the source lines
// of these. Needs no GPU, no toolkit and no disassembler; for lines, compile with `nvcc -lineinfo`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/machine_code/files/images.hpp"
#include "profiling/machine_code/instructions/instruction.hpp"
#include "profiling/machine_code/line_table.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::machine_code {

struct Instruction {
  std::uint64_t offset_bytes = 0;  // in its function
  MemoryAccess access;
  // Its source lines: the innermost first, then the inlined calls. Empty: unknown. nvcc writes no
  // new row where only the call changes, so neighbours from one line that were inlined through
  // different calls all show the first one's calls.
  std::vector<Place> places;
};

// An access to a thread's own memory, and its source lines, as of an Instruction.
struct LocalInstruction {
  LocalAccess access;
  std::vector<Place> places;
};

// A kernel with the functions compiled into it or, in relocatable code, a separate function.
struct Function {
  std::string symbol;  // mangled
  std::string name;    // demangled, as in "void scale<4>(float*, int)"
  bool is_kernel = false;
  std::uint64_t code_bytes = 0;
  std::vector<Instruction> accesses;  // to memory, by offset
  std::vector<LocalInstruction> local_accesses = {};
  std::vector<Place> first = {};  // of its first instruction whose source is known
  std::string sass_hash = {};     // of a kernel, see KernelCode
};

struct Cubin {
  int architecture = 0;  // 90 for sm_90
  std::vector<Function> functions;
  std::vector<results::KernelCode> kernels = {};  // as kernel_codes() gives them
  std::string variant = {};  // "a" of sm_90a, which runs on this architecture alone; "f" of sm_100f
};

// Reads a cubin in memory; every message starts with `name`. variant: as its container says; empty:
// what the compiler noted. Throws CubinError.
[[nodiscard]] Cubin parse_cubin(std::string_view bytes, const std::string& name,
                                const std::string& variant = "");

// Reads every cubin for a known architecture in a file or below a folder (see images.hpp). Throws
// CubinError, also where there is none, and results::FileError.
[[nodiscard]] std::vector<Cubin> read_cubins(const std::filesystem::path& path);

}  // namespace warpgauge::machine_code
