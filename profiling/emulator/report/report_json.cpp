// SPDX-License-Identifier: Apache-2.0
// The report as JSON. Written by hand: the emulator alone is built without a JSON library.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "profiling/emulator/report/report.hpp"

namespace warpgauge::emulator {
namespace {

using results::Access;
using results::SourceLine;

std::string quoted(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      json += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      json += c;
    }
  }
  return json + '"';
}

template <typename T, typename Text>
std::string array(const std::vector<T>& elements, const Text& text) {
  std::vector<std::string> texts;
  texts.reserve(elements.size());
  for (const T& element : elements) texts.push_back(text(element));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

const char* name_of(Access access) {
  switch (access) {
    case Access::shared_load:
      return "shared_load";
    case Access::shared_store:
      return "shared_store";
    case Access::shared_atomic:
      return "shared_atomic";
    case Access::global_load:
      return "global_load";
    case Access::global_store:
      return "global_store";
    case Access::global_atomic:
      return "global_atomic";
  }
  return "";
}

std::string line_json(const SourceLine& line) {
  const bool shared = is_shared(line.access);
  return fmt::format(
      R"({{"file": {}, "line": {}, "column": {}, "access": "{}", "bytes": {}, "requests": {}, )"
      R"("{}": {}, "ideal_{}": {}}})",
      quoted(line.file), line.line, line.column, name_of(line.access), line.width_bytes,
      line.requests, shared ? "wavefronts" : "sectors", shared ? line.wavefronts : line.sectors,
      shared ? "wavefronts" : "sectors", shared ? line.ideal_wavefronts : line.ideal_sectors);
}

std::string extents_json(const results::Extents& extents) {
  return fmt::format("[{}, {}, {}]", extents[0], extents[1], extents[2]);
}

std::string first_json(const FirstLaunch& first) {
  return fmt::format(
      R"({{"symbol": {}, "grid": {}, "block": {}, "dynamic_shared_bytes": {}, "completed": {}, )"
      R"("lines": {}}})",
      quoted(first.launch.kernel), extents_json(first.launch.grid),
      extents_json(first.launch.block), first.launch.dynamic_shared_bytes, first.completed,
      array(first.lines, line_json));
}

std::string finding_json(const Finding& finding) {
  return fmt::format(R"({{"severity": "{}", "text": {}, "times": {}, "launches": {}}})",
                     finding.is_error ? "error" : "remark", quoted(finding.text), finding.times,
                     finding.launches);
}

std::string kernel_json(const KernelObservation& kernel) {
  return fmt::format(
      R"({{"name": {}, "launches": {}, "unfinished": {}, "barriers": {}, "findings": {}, )"
      R"("lines": {}, "first_launch": {}}})",
      quoted(kernel.name), kernel.launches, kernel.unfinished, kernel.did.barriers,
      array(kernel.findings, finding_json), array(kernel.did.lines, line_json),
      first_json(kernel.first));
}

}  // namespace

std::string report_json(std::span<const KernelObservation> kernels) {
  const std::vector<KernelObservation> all(kernels.begin(), kernels.end());
  return fmt::format("{{\"version\": 1, \"kernels\": {}}}\n", array(all, kernel_json));
}

}  // namespace warpgauge::emulator
