// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/files/fat_binary.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "profiling/machine_code/files/bytes.hpp"

namespace warpgauge::machine_code {
namespace {

struct ContainerHeader {
  char magic[4];
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t bytes;  // of all entries
};
static_assert(sizeof(ContainerHeader) == kContainerHeaderBytes);

struct EntryHeader {
  std::uint16_t kind;
  std::uint16_t version;
  std::uint32_t header_bytes;  // with the source's name and the options behind this
  std::uint64_t padded_bytes;
  std::uint32_t compressed_bytes;  // 0: not compressed
  std::uint32_t options_offset;
  std::uint16_t minor;
  std::uint16_t major;  // of what is in it
  std::uint32_t architecture;
  std::uint32_t name_offset;
  std::uint32_t name_bytes;
  std::uint64_t flags;
  std::uint64_t identifier;          // of relocatable code
  std::uint64_t decompressed_bytes;  // 0: not compressed
};
static_assert(sizeof(EntryHeader) == kEntryHeaderBytes);

constexpr std::uint64_t kLz4 = 0x2000;
constexpr std::uint64_t kZstd = 0x8000;
constexpr std::uint64_t kOfOneArchitecture = 0x10'0000;  // sm_90a
constexpr std::uint64_t kOfAFamily = 0x20'0000;          // sm_100f

ImageKind kind_of(std::uint16_t kind) {
  switch (kind) {
    case 1:
      return ImageKind::ptx;
    case 2:
      return ImageKind::cubin;
    case 8:
      return ImageKind::lto_ir;
    default:
      return ImageKind::other;
  }
}

Compression compression_of(std::uint64_t flags) {
  if ((flags & kZstd) != 0) return Compression::zstd;
  return (flags & kLz4) != 0 ? Compression::lz4 : Compression::none;
}

}  // namespace

std::optional<std::uint64_t> container_size(std::string_view bytes) {
  if (bytes.size() < kContainerHeaderBytes || !bytes.starts_with(kContainerMagic)) {
    return std::nullopt;
  }
  const auto header = read_at<ContainerHeader>(bytes, 0);
  if (header.version != 1 || header.header_bytes != kContainerHeaderBytes) return std::nullopt;
  return header.bytes;
}

FatEntry fat_entry(std::string_view bytes) {
  const auto header = read_at<EntryHeader>(bytes, 0);
  if (header.version != 0x101 || header.header_bytes < kEntryHeaderBytes) {
    throw std::runtime_error(
        fmt::format("has an image whose header is of version {:#x} and {} bytes, which is not "
                    "known here",
                    header.version, header.header_bytes));
  }
  FatEntry entry;
  entry.kind = kind_of(header.kind);
  entry.architecture = static_cast<int>(header.architecture & 0xffff);
  if ((header.flags & kOfOneArchitecture) != 0) entry.variant = "a";
  if ((header.flags & kOfAFamily) != 0) entry.variant = "f";
  entry.compression = compression_of(header.flags);
  entry.header_bytes = header.header_bytes;
  entry.padded_bytes = header.padded_bytes;
  const bool compressed = entry.compression != Compression::none;
  entry.stored_bytes = compressed ? header.compressed_bytes : header.padded_bytes;
  entry.bytes = compressed ? header.decompressed_bytes : header.padded_bytes;
  if (entry.kind == ImageKind::lto_ir) {
    entry.compression = Compression::none;  // compressed, it is scrambled as well
    entry.bytes = entry.stored_bytes;
  }
  if (entry.stored_bytes > entry.padded_bytes) throw OutOfBytes();
  return entry;
}

}  // namespace warpgauge::machine_code
