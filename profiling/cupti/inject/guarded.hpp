// SPDX-License-Identifier: Apache-2.0
// Between C code of others and ours.
#pragma once

#include <cerrno>

namespace warpgauge::inject {

// What is thrown must not reach those who call: work that is out of memory is left undone, and what
// it would have recorded is missing from the counts.
template <class Work>
void guarded(Work work) noexcept {
  try {
    work();
  } catch (...) {
  }
}

// The program finds errno as it left it.
class KeptErrno {
 public:
  KeptErrno() : kept_(errno) {}
  ~KeptErrno() { errno = kept_; }
  KeptErrno(const KeptErrno&) = delete;
  KeptErrno& operator=(const KeptErrno&) = delete;

 private:
  int kept_;
};

}  // namespace warpgauge::inject
