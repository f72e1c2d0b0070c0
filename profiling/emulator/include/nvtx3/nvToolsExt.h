// SPDX-License-Identifier: Apache-2.0
// Ranges and marks for profilers, of which the emulator has none.
#pragma once

#include <cstdint>

using nvtxRangeId_t = std::uint64_t;

inline int nvtxRangePushA(const char*) { return 0; }
inline int nvtxRangePushW(const wchar_t*) { return 0; }
inline int nvtxRangePush(const char*) { return 0; }
inline int nvtxRangePop() { return 0; }
inline nvtxRangeId_t nvtxRangeStartA(const char*) { return 0; }
inline nvtxRangeId_t nvtxRangeStart(const char*) { return 0; }
inline void nvtxRangeEnd(nvtxRangeId_t) {}
inline void nvtxMarkA(const char*) {}
inline void nvtxMark(const char*) {}
inline void nvtxNameOsThreadA(std::uint32_t, const char*) {}
