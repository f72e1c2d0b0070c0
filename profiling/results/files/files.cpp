// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/files/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "profiling/results/files/leftovers.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::results {
namespace {

[[noreturn]] void fail(const char* doing, const std::filesystem::path& path, int error,
                       const char* remedy) {
  throw FileError(fmt::format("cannot {} {}: {}; {}", doing, path.string(),
                              std::generic_category().message(error), remedy));
}

constexpr std::string_view kUnfinished = ".unfinished-";

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

// A pipe that nobody writes to must not be waited for.
int open_to_read(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) fail("read", path, errno, "check the path");
  return file;
}

// Refuses what is no regular file.
std::size_t size_of_regular(const Descriptor& file, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail("read", path, errno, "check the path");
  if (S_ISDIR(status.st_mode)) fail("read", path, EISDIR, "name a file");
  if (!S_ISREG(status.st_mode)) {
    throw FileError(fmt::format("cannot read {}: it is a pipe or a device; name a regular file",
                                path.string()));
  }
  return static_cast<std::size_t>(status.st_size);
}

// 0: it ends here.
std::size_t read_some(const Descriptor& file, char* to, std::size_t most,
                      const std::filesystem::path& path) {
  for (;;) {
    const ssize_t got = ::read(file.get(), to, most);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail("read", path, errno, "check the path");
  }
}

void write_all(int descriptor, std::string_view content, const std::filesystem::path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", path, errno, "is the disk full?");
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

void bring_to_disk(int descriptor, const std::filesystem::path& path) {
  if (::fsync(descriptor) != 0) fail("write", path, errno, "is the disk full?");
}

// Devices and pipes hold nothing that could be replaced: they get the content as it is.
bool takes_a_stream(const std::filesystem::path& path) {
  std::error_code absent;
  const auto type = std::filesystem::status(path, absent).type();
  return type == std::filesystem::file_type::character ||
         type == std::filesystem::file_type::fifo || type == std::filesystem::file_type::socket;
}

// A pipe that nobody reads from must not be waited for as long as that is so.
int open_stream_to_write(const std::filesystem::path& path) {
  constexpr std::chrono::seconds kPatience{3};
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    const bool may_come = file < 0 && errno == ENXIO && std::filesystem::is_fifo(path) &&
                          std::chrono::steady_clock::now() < deadline;
    if (!may_come) return file;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void write_to_stream(const std::filesystem::path& path, std::string_view content) {
  const Descriptor file(open_stream_to_write(path));
  if (file.get() < 0) {
    const bool unread = errno == ENXIO;
    fail("write", path, errno,
         unread ? "let something read from this pipe, or name a file"
                : "choose a path that can be written");
  }
  // From now on whoever reads slowly is waited for.
  (void)::fcntl(file.get(), F_SETFL, ::fcntl(file.get(), F_GETFL) & ~O_NONBLOCK);
  write_all(file.get(), content, path);
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

// In a folder that all write to, such as /tmp, and neither this user's nor the folder's owner's:
// whoever put it there may mean ill.
bool is_strangers(const std::filesystem::path& path) {
  struct stat file {};
  struct stat folder {};
  if (::lstat(path.c_str(), &file) != 0 || ::stat(folder_of(path).c_str(), &folder) != 0) {
    return false;
  }
  return (folder.st_mode & S_ISVTX) != 0 && ::geteuid() != file.st_uid &&
         file.st_uid != folder.st_uid;
}

// Such a link could lead to any file of this user. The kernel refuses to follow it, if it is set up
// to (fs.protected_symlinks), but is not asked by what looks where it leads.
void refuse_strangers_links(std::filesystem::path path) {
  constexpr int kMostLinks = 40;
  std::error_code error;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, error); ++i) {
    if (is_strangers(path)) {
      fail("write", path, EACCES,
           "it is another user's link in a folder that all write to; choose another path");
    }
    const auto next = std::filesystem::read_symlink(path, error);
    if (error) return;
    path = folder_of(path) / next;
  }
}

// The file that a link leads to, so that the link stays one; any other path as it is.
std::filesystem::path behind_links(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  auto file = std::filesystem::canonical(path, error);
  return error ? path : file;
}

// Another user's in a folder that all write to, where nobody else may replace it.
bool is_kept_by_another(const std::filesystem::path& path) {
  struct stat file {};
  struct stat folder {};
  if (::lstat(path.c_str(), &file) != 0 || ::stat(folder_of(path).c_str(), &folder) != 0) {
    return false;
  }
  const uid_t user = ::geteuid();
  return (folder.st_mode & S_ISVTX) != 0 && user != 0 && user != file.st_uid &&
         user != folder.st_uid;
}

// Those of the file that is replaced, unless a stranger chose them.
mode_t mode_for(const std::filesystem::path& path) {
  struct stat existing {};
  if (!is_strangers(path) && ::stat(path.c_str(), &existing) == 0) return existing.st_mode & 0777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

// A new file in the folder of this one, which is made where there is none. It vanishes unless it is
// kept.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& path) : TemporaryFile() {
    const std::filesystem::path folder = folder_of(path);
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) fail("make the folder", folder, error.value(), "choose one that can be written");
    if (std::filesystem::is_directory(path, error)) fail("write", path, EISDIR, "name a file");
    sweep(folder, fmt::format("{}{}", path.filename().string(), kUnfinished));
    do {
      if (descriptor_ >= 0) ::close(descriptor_);
      name_ = fmt::format("{}{}XXXXXX", path.string(), kUnfinished);
      descriptor_ = ::mkostemp(name_.data(), O_CLOEXEC);
      if (descriptor_ < 0) fail("write", path, errno, "choose a folder that can be written");
    } while (!keep_from_sweep(descriptor_, name_));
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  // Open until the file is gone or has its name, or it could be swept.
  ~TemporaryFile() {
    if (descriptor_ < 0) return;
    if (!kept_) ::unlink(name_.c_str());
    ::close(descriptor_);
  }
  void keep() { kept_ = true; }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] const char* name() const { return name_.c_str(); }

 private:
  TemporaryFile() = default;  // once it has returned, the destructor is called whatever fails

  std::string name_;
  int descriptor_ = -1;
  bool kept_ = false;
};

std::string read_file(const std::filesystem::path& path) {
  return read_file(path, {"a file", std::numeric_limits<std::size_t>::max() / 2});
}

std::string read_file(const std::filesystem::path& path, const Limit& limit) {
  const Descriptor file(open_to_read(path));
  const auto refuse = [&] {
    throw FileError(
        fmt::format("cannot read {}: it {}; is it the right file?", path.string(), beyond(limit)));
  };
  const std::size_t announced = size_of_regular(file, path);
  if (announced > limit.bytes) refuse();

  std::string content(announced + 1, '\0');
  std::size_t size = 0;
  while (const std::size_t got =
             read_some(file, content.data() + size, content.size() - size, path)) {
    size += got;
    if (size > limit.bytes) refuse();
    if (size == content.size()) content.resize(2 * size);
  }
  content.resize(size);
  return content;
}

void check_sizes(const std::vector<std::filesystem::path>& files, const Limit& limit,
                 const std::string& name) {
  std::uintmax_t bytes = 0;
  for (const std::filesystem::path& file : files) {
    std::error_code absent;  // which is for whoever reads it to say
    const std::uintmax_t size = std::filesystem::file_size(file, absent);
    if (!absent) bytes += std::min<std::uintmax_t>(size, limit.bytes + 1);
  }
  if (bytes <= limit.bytes) return;
  throw FileError(fmt::format("cannot read {}: it {}; is it the right one?", name, beyond(limit)));
}

std::string beyond(const Limit& limit) {
  return fmt::format("is larger than {} MiB, the most that is read of {}", limit.bytes / kMebibyte,
                     limit.of);
}

std::string too_many_members() {
  return fmt::format("has an object of more than {} members, the most that are read", kMostMembers);
}

void require_writable(const std::filesystem::path& named) {
  refuse_strangers_links(named);
  if (takes_a_stream(named)) return;
  const std::filesystem::path path = behind_links(named);
  const TemporaryFile temporary(path);
  if (is_kept_by_another(path)) fail("write", path, EPERM, "choose a path that can be written");
}

struct NewFiles::NewFile {
  std::filesystem::path named;
  std::filesystem::path path;
  std::unique_ptr<TemporaryFile> whole;  // none: to a stream, which is written when it is its turn
  std::string content;                   // for a stream
  std::filesystem::path folder;          // of the path
  bool appended = false;                 // since it was brought to the disk
};

NewFiles::NewFiles() = default;
NewFiles::~NewFiles() = default;

void NewFiles::add(const std::filesystem::path& named, std::string_view content) {
  refuse_strangers_links(named);
  if (takes_a_stream(named)) {
    files_.push_back(
        std::make_unique<NewFile>(NewFile{named, named, nullptr, std::string(content), {}, false}));
    return;
  }
  const std::filesystem::path path = behind_links(named);
  auto temporary = std::make_unique<TemporaryFile>(path);
  const int file = temporary->descriptor();
  write_all(file, content, path);
  if (::fchmod(file, mode_for(path)) != 0) fail("write", path, errno, "is the disk full?");
  bring_to_disk(file, path);
  files_.push_back(std::make_unique<NewFile>(
      NewFile{named, path, std::move(temporary), {}, folder_of(path), false}));
}

void NewFiles::append(std::string_view content) {
  NewFile& last = *files_.back();
  if (!last.whole) {
    last.content += content;
    return;
  }
  write_all(last.whole->descriptor(), content, last.path);
  last.appended = true;
}

std::vector<std::filesystem::path> NewFiles::paths() const {
  std::vector<std::filesystem::path> paths;
  for (const auto& file : files_) paths.push_back(file->named);
  return paths;
}

void NewFiles::replace() {
  for (const auto& file : files_) {
    if (file->appended) bring_to_disk(file->whole->descriptor(), file->path);
  }
  // From here on nothing asks for memory: what is not there could stop it half-way.
  for (const auto& file : files_) {
    if (!file->whole) {
      write_to_stream(file->path, file->content);
      continue;
    }
    if (::rename(file->whole->name(), file->path.c_str()) != 0) {
      fail("replace", file->path, errno, "choose a path that can be written");
    }
    file->whole->keep();
  }

  // Without this the renames themselves may be lost when the machine loses power.
  const std::filesystem::path* last = nullptr;
  for (const auto& file : files_) {
    const bool again = last != nullptr && last->native() == file->folder.native();
    if (!file->whole || again) continue;
    last = &file->folder;
    const Descriptor directory(::open(last->c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory.get() >= 0) ::fsync(directory.get());
  }
  files_.clear();
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  NewFiles files;
  files.add(path, content);
  files.replace();
}

bool is_unfinished(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const std::size_t at = name.rfind(kUnfinished);
  return at != name.npos && is_made_from(name, name.substr(0, at + kUnfinished.size()));
}

void remove_file(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::remove(path, error);
  if (error) fail("remove", path, error.value(), "choose a folder that can be written");
}

}  // namespace warpgauge::results
