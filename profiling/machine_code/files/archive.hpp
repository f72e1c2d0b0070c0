// SPDX-License-Identifier: Apache-2.0
// The members of a static library, as GNU's ar writes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace warpgauge::machine_code {

inline constexpr std::string_view kArchiveMagic = "!<arch>\n";
inline constexpr std::string_view kThinArchiveMagic = "!<thin>\n";
inline constexpr std::uint64_t kMemberHeaderBytes = 60;

// Of the names that are too long for a header, as many as are shown.
inline constexpr std::uint64_t kMostNameBytes = std::uint64_t{1} << 20;

struct ArchiveMember {
  std::string name;  // as in its header: "y.o/", "/17"
  std::uint64_t size = 0;
  bool holds_symbols = false;  // of the other members
  bool holds_names = false;    // of the other members
};

// Throws std::runtime_error when this is no header of a member.
[[nodiscard]] ArchiveMember archive_member(std::string_view header);

class ArchiveNames {
 public:
  // The bytes of the member with the long names.
  void use(std::string names) { names_ = std::move(names); }

  // "y.o"; the name in the header where the long one is not there.
  [[nodiscard]] std::string name_of(const ArchiveMember& member) const;

 private:
  std::string names_;
};

}  // namespace warpgauge::machine_code
