// SPDX-License-Identifier: Apache-2.0
// nvcc's command line, as far as it means something to a host compiler. Options for device code,
// such as -arch and -Xptxas, are understood; of them only the architecture changes
// something, __CUDA_ARCH__.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiling/emulator/compile/child_process.hpp"

namespace warpgauge::emulator {

// What cannot be done, in one line for the user.
class NvccError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Of the emulated device: compute capability 9.0.
inline constexpr int kArchitecture = 90;

enum class NvccAction {
  link,          // compile what is a source, and link
  compile,       // each source to an object
  preprocess,    // to standard output, or -o
  dependencies,  // a rule for make
  device_link,   // an object, which has nothing here
  archive,       // a static library
  version,
};

enum class NvccLanguage { cuda, cpp, c, object };

struct NvccInput {
  std::string path;
  NvccLanguage language = NvccLanguage::cuda;
};

struct NvccCommand {
  NvccAction action = NvccAction::link;
  std::vector<NvccInput> inputs;
  std::string output;                  // empty: as nvcc names it
  std::string output_folder;           // -odir
  std::string host_compiler;           // empty: the installation's
  std::string standard;                // such as "c++20"; empty: the host compiler's C++17
  int architecture = 0;                // such as 80; 0: none is named
  Command compile;                     // options for each source
  Command cuda;                        // options for CUDA sources only
  Command link;                        // options and libraries, behind the objects
  bool dependency_file = false;        // -MD, -MMD
  bool names_dependency_file = false;  // -MF
  bool verbose = false;
  bool dry_run = false;
};

// Throws NvccError.
[[nodiscard]] NvccCommand parse_nvcc(std::span<const std::string> arguments);

}  // namespace warpgauge::emulator
