// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/files/images.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "profiling/machine_code/files/archive.hpp"
#include "profiling/machine_code/files/bytes.hpp"
#include "profiling/machine_code/files/cuda_elf.hpp"
#include "profiling/machine_code/files/elf_image.hpp"
#include "profiling/machine_code/files/input_file.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge::machine_code {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kElfMagic(ELFMAG, SELFMAG);
constexpr const char* kGiveCode =
    "give a cubin, a fatbin, or an object file, library or program from nvcc";
constexpr std::string_view kLinked = ".nv_fatbin";
constexpr std::string_view kToBeLinked = "__nv_relfatbin";

// Of one file, looked through and decompressed: so that a small one cannot take hours.
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 30;
// Extended numbering allows more than anyone has.
constexpr std::uint64_t kMostSections = std::uint64_t{1} << 20;

// A part of the file.
struct Region {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;

  [[nodiscard]] std::uint64_t end() const { return begin + size; }
  [[nodiscard]] Region from(std::uint64_t offset) const { return {offset, end() - offset}; }
};

// Where containers and ELF files may begin, from the first on.
class Magics {
 public:
  explicit Magics(std::string_view bytes)
      : bytes_(bytes), container_(bytes.find(kContainerMagic)), elf_(bytes.find(kElfMagic)) {}

  // The next one from this offset on; npos: there are no more.
  std::size_t next(std::size_t from) {
    if (container_ < from) container_ = bytes_.find(kContainerMagic, from);
    if (elf_ < from) elf_ = bytes_.find(kElfMagic, from);
    return std::min(container_, elf_);
  }

 private:
  std::string_view bytes_;
  std::size_t container_;
  std::size_t elf_;
};

class Search {
 public:
  Search(const fs::path& path, const std::function<void(const Image&, const LoadImage&)>& visit)
      : file_(path), place_(path.string()), visit_(visit) {}

  std::uint64_t run() {
    try {
      const Region whole{0, file_.size()};
      const std::string first = read(whole, 0, std::min<std::uint64_t>(whole.size, 8));
      if (first == kThinArchiveMagic) {
        throw CubinError(fmt::format(
            "{}: is a thin archive, which holds no code; name its object files", place_));
      }
      if (first == kArchiveMagic) {
        look_into_archive(whole);
      } else {
        look_into(whole);
      }
    } catch (const CubinError&) {
      throw;
    } catch (const results::FileError&) {
      throw;
    } catch (const OutOfBytes& error) {
      throw CubinError(fmt::format("{}: {}; make it or copy it again", place_, error.what()));
    } catch (const std::runtime_error& error) {
      throw CubinError(fmt::format("{}: {}; {}", place_, error.what(), kGiveCode));
    }
    return count_;
  }

 private:
  [[nodiscard]] std::string read(Region region, std::uint64_t offset, std::uint64_t size) const {
    if (offset > region.size || size > region.size - offset) throw OutOfBytes();
    return file_.read(region.begin + offset, size);
  }

  template <class T>
  [[nodiscard]] T read_as(Region region, std::uint64_t offset) const {
    return read_at<T>(read(region, offset, sizeof(T)), 0);
  }

  void require_left(std::uint64_t bytes) const {
    if (bytes <= left_) return;
    throw std::runtime_error(
        fmt::format("has more than {} GiB to be looked through, the most "
                    "that is read of a file",
                    kMostBytes >> 30));
  }
  void spend(std::uint64_t bytes) {
    require_left(bytes);
    left_ -= bytes;
  }

  void look_into(Region region) {
    const std::string first = read(region, 0, std::min<std::uint64_t>(region.size, 64));
    if (is_elf64(first) && read_at<Elf64_Ehdr>(first, 0).e_machine != kCudaMachine) {
      return look_into_program(region);
    }
    // A cubin, a fatbin, or a file of a compiler's cache with a header of its own.
    scan(region);
  }

  [[nodiscard]] static bool is_elf64(std::string_view first) {
    return first.size() >= sizeof(Elf64_Ehdr) && first.starts_with(kElfMagic) &&
           first[EI_CLASS] == ELFCLASS64 && first[EI_DATA] == ELFDATA2LSB;
  }

  // What is not loaded, such as what debuggers read, holds none; a container of fatbins that is
  // never run may.
  [[nodiscard]] static bool may_hold_images(const Elf64_Shdr& section, bool is_linked) {
    return section.sh_type == SHT_PROGBITS && (is_linked || (section.sh_flags & SHF_ALLOC) != 0) &&
           (section.sh_flags & SHF_EXECINSTR) == 0;
  }

  void look_into_archive(Region region) {
    const std::string archive = place_;
    ArchiveNames names;
    for (std::uint64_t at = kArchiveMagic.size(); at < region.size;) {
      const ArchiveMember member = archive_member(read(region, at, kMemberHeaderBytes));
      at += kMemberHeaderBytes;
      if (member.size > region.size - at) throw OutOfBytes();
      if (member.holds_names) {
        names.use(read(region, at, std::min<std::uint64_t>(member.size, kMostNameBytes)));
      } else if (!member.holds_symbols && member.size > 0) {
        place_ = fmt::format("{}({})", archive, names.name_of(member));
        number_from_ = count_;
        look_into({region.begin + at, member.size});
      }
      at += member.size + member.size % 2;
    }
    place_ = archive;
  }

  [[nodiscard]] std::vector<Elf64_Shdr> section_headers(Region region, const Elf64_Ehdr& header) {
    std::vector<Elf64_Shdr> sections;
    std::uint64_t count = header.e_shnum;
    if (header.e_shoff == 0) return sections;
    if (count == 0) count = read_as<Elf64_Shdr>(region, header.e_shoff).sh_size;
    if (count > kMostSections) throw std::runtime_error("has more sections than any program");
    spend(count * sizeof(Elf64_Shdr));
    const std::string bytes = read(region, header.e_shoff, count * sizeof(Elf64_Shdr));
    for (std::uint64_t i = 0; i < count; ++i) {
      sections.push_back(read_at<Elf64_Shdr>(bytes, i * sizeof(Elf64_Shdr)));
    }
    return sections;
  }

  // nvcc puts fatbins into sections of their own; libraries keep some among their constants.
  void look_into_program(Region region) {
    const auto header = read_as<Elf64_Ehdr>(region, 0);
    const std::vector<Elf64_Shdr> sections = section_headers(region, header);
    if (sections.empty()) return scan(region);  // stripped of all
    const auto extended = header.e_shstrndx == SHN_XINDEX;
    const std::uint64_t names_at = extended ? sections[0].sh_link : header.e_shstrndx;
    if (names_at >= sections.size()) throw OutOfBytes();
    const Elf64_Shdr& names = sections[names_at];
    const auto is_named = [&](const Elf64_Shdr& section, std::string_view name) {
      if (section.sh_name > names.sh_size || names.sh_size - section.sh_name <= name.size()) {
        return false;
      }
      const std::string text = read(region, names.sh_offset + section.sh_name, name.size() + 1);
      return std::string_view(text).substr(0, name.size()) == name && text.back() == '\0';
    };
    const bool has_linked = header.e_type != ET_REL &&
                            std::any_of(sections.begin(), sections.end(), [&](const auto& each) {
                              return each.sh_size > 0 && is_named(each, kLinked);
                            });
    std::uint64_t bytes = 0;
    for (const Elf64_Shdr& each : sections) {
      if (!may_hold_images(each, is_named(each, kLinked)) ||
          (has_linked && is_named(each, kToBeLinked)))
        continue;
      if (each.sh_offset > region.size || each.sh_size > region.size - each.sh_offset) {
        throw OutOfBytes();
      }
      bytes += each.sh_size;
      if (bytes > region.size) throw std::runtime_error("has sections that overlap");
      scan({region.begin + each.sh_offset, each.sh_size});
    }
  }

  // Looks for containers and cubins by their first bytes.
  void scan(Region region) {
    constexpr std::uint64_t kChunk = std::uint64_t{256} << 10;
    require_left(region.size);
    for (std::uint64_t at = region.begin; at < region.end();) {
      const Region rest = region.from(at);
      const std::uint64_t size = std::min(kChunk, rest.size);
      spend(size);
      const std::string chunk = file_.read(at, size);
      at += scan_chunk(chunk, rest);
    }
  }

  // Returns how many bytes are done: up to the end of the last image or container that begins in
  // the chunk, or all but what may be the beginning of one.
  std::uint64_t scan_chunk(std::string_view chunk, Region rest) {
    constexpr std::uint64_t kLongestHeader = sizeof(Elf64_Ehdr);
    const bool is_last = chunk.size() == rest.size;
    Magics magics(chunk);
    std::uint64_t done = 0;
    while (done < chunk.size()) {
      const std::size_t at = magics.next(done);
      if (at == chunk.npos) break;
      const std::string_view first = chunk.substr(at);
      if (first.size() < kLongestHeader && !is_last) return at;
      done = at + std::max<std::uint64_t>(1, image_at(first, rest.from(rest.begin + at)));
    }
    const std::uint64_t looked_at = is_last ? chunk.size() : chunk.size() - (kElfMagic.size() - 1);
    return std::max(done, looked_at);
  }

  // Visits what begins with these bytes. Returns its size; 0: it is neither a container nor a
  // cubin.
  std::uint64_t image_at(std::string_view first, Region region) {
    if (const auto size = container_size(first)) return look_into_container(region, *size);
    const bool is_cubin =
        is_elf64(first) && read_at<Elf64_Ehdr>(first, 0).e_machine == kCudaMachine;
    return is_cubin ? visit_cubin(region) : 0;
  }

  // Returns its size.
  std::uint64_t look_into_container(Region region, std::uint64_t size) {
    if (size > region.size - kContainerHeaderBytes) throw OutOfBytes();
    const Region entries{region.begin + kContainerHeaderBytes, size};
    for (std::uint64_t at = 0; at < size;) {
      const FatEntry entry = fat_entry(read(entries, at, kEntryHeaderBytes));
      at += entry.header_bytes;
      if (at > size || entry.padded_bytes > size - at) throw OutOfBytes();
      visit({entry.kind, entry.architecture, entry.variant, entry.compression, entry.stored_bytes,
             next_place()},
            {entries.begin + at, entry.stored_bytes}, entry.bytes);
      at += entry.padded_bytes;
    }
    return kContainerHeaderBytes + size;
  }

  // Returns its size, which its own header tells.
  std::uint64_t visit_cubin(Region region) {
    const auto header = read_as<Elf64_Ehdr>(region, 0);
    const std::vector<Elf64_Shdr> sections = section_headers(region, header);
    std::uint64_t size = header.e_shoff + sections.size() * sizeof(Elf64_Shdr);
    for (const Elf64_Shdr& each : sections) {
      if (each.sh_type == SHT_NOBITS || each.sh_type == SHT_NULL) continue;
      if (each.sh_offset > region.size || each.sh_size > region.size - each.sh_offset) {
        throw OutOfBytes();
      }
      size = std::max(size, each.sh_offset + each.sh_size);
    }
    const std::uint64_t segments = std::uint64_t{header.e_phnum} * header.e_phentsize;
    // CuPy cuts the last byte off every cubin, and puts a header before it. The byte is the last of
    // the program headers, which nobody reads.
    const std::uint64_t may_lack = region.begin > 0 ? 1 : 0;
    if (header.e_phoff > region.size || segments > region.size - header.e_phoff + may_lack) {
      throw OutOfBytes();
    }
    if (segments > 0) size = std::max(size, std::min(header.e_phoff + segments, region.size));
    size = std::max<std::uint64_t>(size, sizeof(Elf64_Ehdr));
    if (size > region.size) throw OutOfBytes();
    visit({ImageKind::cubin, architecture_of(header), "", Compression::none, size, next_place()},
          {region.begin, size}, size);
    return size;
  }

  void visit(const Image& image, Region stored, std::uint64_t size) {
    ++count_;
    visit_(image, [&, stored, size] {
      require_plausible(stored.size, size);  // before anything is read
      spend(size);
      return decompressed(image.compression, file_.read(stored.begin, stored.size), size);
    });
  }

  [[nodiscard]] std::string next_place() const {
    return fmt::format("{}, image {}", place_, count_ - number_from_ + 1);
  }

  InputFile file_;
  std::string place_;
  const std::function<void(const Image&, const LoadImage&)>& visit_;
  std::uint64_t count_ = 0;
  std::uint64_t number_from_ = 0;  // of the member of an archive
  std::uint64_t left_ = kMostBytes;
};

std::vector<fs::path> files_below(const fs::path& folder) {
  std::map<fs::path, fs::path> by_place;  // links to one file have one place
  try {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      const auto [known, is_new] = by_place.try_emplace(fs::canonical(entry.path()), entry.path());
      if (!is_new && !entry.is_symlink()) known->second = entry.path();
    }
  } catch (const fs::filesystem_error& error) {
    throw results::FileError(
        fmt::format("cannot read {}: {}; check the path", folder.string(), error.code().message()));
  }
  std::vector<fs::path> files;
  files.reserve(by_place.size());
  for (auto& [place, path] : by_place) files.push_back(std::move(path));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::string architecture_name(const Image& image) {
  return fmt::format("{}_{}{}", image.kind == ImageKind::cubin ? "sm" : "compute",
                     image.architecture, image.variant);
}

std::vector<fs::path> image_files(const fs::path& path) {
  std::error_code absent;
  return fs::is_directory(path, absent) ? files_below(path) : std::vector<fs::path>{path};
}

std::string why_no_machine_code(const std::set<std::string>& unknown,
                                const std::set<std::string>& to_be_compiled) {
  if (!unknown.empty()) {
    return fmt::format(
        "is for {}, whose instructions are not known here; compile for sm_70 to "
        "sm_121",
        fmt::join(unknown, ", "));
  }
  if (!to_be_compiled.empty()) {
    return fmt::format("holds no machine code, only what becomes machine code where it runs ({})",
                       fmt::join(to_be_compiled, ", "));
  }
  return "holds no machine code for GPUs";
}

std::uint64_t for_each_image(const fs::path& path,
                             const std::function<void(const Image&, const LoadImage&)>& visit) {
  std::uint64_t count = 0;
  for (const fs::path& each : image_files(path)) count += Search(each, visit).run();
  return count;
}

}  // namespace warpgauge::machine_code
