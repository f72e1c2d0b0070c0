// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/files/triton_notes.hpp"

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>

#include "profiling/machine_code/files/input_file.hpp"

namespace warpgauge::machine_code {
namespace {

constexpr std::uint64_t kMostNoteBytes = std::uint64_t{1} << 20;  // Triton's have one or two KiB
constexpr std::size_t kMostNested = 64;

// A parser that calls itself is not given what nests without end.
bool nests_too_deep(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '[') +
                                  std::count(text.begin(), text.end(), '{')) > kMostNested;
}

std::string text_of(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return "";
  try {
    const InputFile file(path);
    return file.size() > kMostNoteBytes ? "" : file.read(0, file.size());
  } catch (const std::exception&) {
    return "";  // it is not what was asked for
  }
}

}  // namespace

std::optional<TritonNotes> triton_notes(const std::filesystem::path& cubin) {
  if (cubin.extension() != ".cubin") return std::nullopt;
  std::filesystem::path beside = cubin;
  const std::string text = text_of(beside.replace_extension(".json"));
  if (nests_too_deep(text)) return std::nullopt;
  const auto notes = nlohmann::json::parse(text, nullptr, false);
  if (!notes.is_object()) return std::nullopt;
  const auto name = notes.find("name");
  const auto shared = notes.find("shared");
  if (name == notes.end() || !name->is_string()) return std::nullopt;
  if (shared == notes.end() || !shared->is_number_unsigned()) return std::nullopt;
  return TritonNotes{name->get<std::string>(), shared->get<std::uint64_t>()};
}

}  // namespace warpgauge::machine_code
