// SPDX-License-Identifier: Apache-2.0
// What Triton notes in its cache beside each cubin, k.json beside k.cubin.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace warpgauge::machine_code {

struct TritonNotes {
  std::string kernel;
  // That each launch asks for: a kernel's own share is decided when it is compiled, but the cubin
  // does not have it.
  std::uint64_t dynamic_shared_bytes = 0;
};

// Absent: there are none, or they do not say both.
[[nodiscard]] std::optional<TritonNotes> triton_notes(const std::filesystem::path& cubin);

}  // namespace warpgauge::machine_code
