// SPDX-License-Identifier: Apache-2.0
// Which module's machine code a function that is launched is of, as far as the program's own calls
// show: it loads a module or a library, and takes functions from there. Asks the driver nothing, so
// it cannot disturb it. Kernels that the CUDA runtime finds by itself, and nodes of graphs, stay
// unknown: their names tell.
#pragma once

#include <cupti.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "profiling/results/launches/record_file.hpp"

namespace warpgauge::inject {

class LaunchedCode {
 public:
  struct Hash {
    std::uint64_t halves[2] = {};  // both zero: not known
  };

  // The driver's calls that it must see, at their begin and their end.
  static const std::vector<CUpti_CallbackId>& calls();
  void called(CUpti_CallbackId id, const CUpti_CallbackData& call);
  // Within a call of this thread. Stores the module's code in the folder, and returns the record of
  // it; nothing: there is none, or it is too large.
  [[nodiscard]] std::optional<launches::ModuleRecord> loaded(const CUpti_ModuleResourceData& module,
                                                             const std::string& folder);

  // Where the function that this thread is about to launch comes from; 0: not known.
  [[nodiscard]] std::uint32_t launching(const void* function);
  void launched();
  [[nodiscard]] Hash of(std::uint32_t source) const;

  // Around a fork.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  struct Source {
    Hash hash;
    bool several = false;  // modules, so that which one it was is not known
  };

  void loading(const Hash& module);
  [[nodiscard]] std::uint32_t source_of(const void* handle) const;
  void bind(const void* handle, std::uint32_t source);
  void begin_call(const void* container, bool loads);
  void end_call(const void* made);
  void forget(const void* container);

  mutable std::mutex mutex_;
  std::unordered_map<const void*, std::uint32_t> handles_;  // of modules, libraries, functions
  std::vector<Source> sources_;                             // from 1 on
  std::atomic<std::uint64_t> changes_{1};                   // of handles_
};

}  // namespace warpgauge::inject
