// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/files/archive.hpp"

#include <ar.h>

#include <charconv>
#include <cstddef>
#include <stdexcept>

#include "profiling/machine_code/files/bytes.hpp"

namespace warpgauge::machine_code {
namespace {

static_assert(sizeof(ar_hdr) == kMemberHeaderBytes);
static_assert(kArchiveMagic == ARMAG);

template <std::size_t kSize>
std::string_view without_padding(const char (&field)[kSize]) {
  const std::string_view text(field, kSize);
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

// Throws OutOfBytes when it is no number.
std::uint64_t number_of(std::string_view digits) {
  std::uint64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc() || stop != end) throw OutOfBytes();
  return number;
}

}  // namespace

ArchiveMember archive_member(std::string_view bytes) {
  const auto header = read_at<ar_hdr>(bytes, 0);
  if (std::string_view(header.ar_fmag, sizeof(header.ar_fmag)) != ARFMAG) {
    throw std::runtime_error("is an archive that is damaged: a member has no header");
  }
  ArchiveMember member;
  member.name = without_padding(header.ar_name);
  member.size = number_of(without_padding(header.ar_size));
  member.holds_symbols =
      member.name == "/" || member.name == "/SYM64/" || member.name.starts_with("__.SYMDEF");
  member.holds_names = member.name == "//";
  return member;
}

std::string ArchiveNames::name_of(const ArchiveMember& member) const {
  std::string_view name = member.name;
  if (name.size() > 1 && name.front() == '/') {
    std::uint64_t at = 0;
    const auto [stop, error] = std::from_chars(name.data() + 1, name.data() + name.size(), at);
    if (error != std::errc() || at >= names_.size()) return member.name;
    name = std::string_view(names_).substr(at);
    name = name.substr(0, name.find('\n'));
  }
  if (name.ends_with('/')) name.remove_suffix(1);
  return std::string(name);
}

}  // namespace warpgauge::machine_code
