// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/files/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "profiling/machine_code/files/bytes.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge::machine_code {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw results::FileError(fmt::format("cannot read {}: {}", path.string(), what));
}

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  fail(path, fmt::format("{}; check the path", std::generic_category().message(error)));
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path) : path_(path) {
  // A pipe that nobody writes to must not be waited for.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) fail(path, errno);
  struct stat status {};
  const int error = ::fstat(descriptor_, &status) == 0 ? 0 : errno;
  if (error == 0 && S_ISREG(status.st_mode)) {
    size_ = static_cast<std::uint64_t>(status.st_size);
    return;
  }
  ::close(descriptor_);
  if (error != 0) fail(path, error);
  if (S_ISDIR(status.st_mode)) fail(path, EISDIR);
  fail(path, "it is a pipe or a device; name a regular file");
}

InputFile::~InputFile() { ::close(descriptor_); }

std::string InputFile::read(std::uint64_t offset, std::uint64_t size) const {
  // Before room is made for it.
  if (offset > size_ || size > size_ - offset) throw OutOfBytes();
  std::string bytes(size, '\0');
  for (std::uint64_t done = 0; done < size;) {
    const ssize_t got =
        ::pread(descriptor_, bytes.data() + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_, errno);
    if (got == 0) throw OutOfBytes();  // it shrank
    done += static_cast<std::uint64_t>(got);
  }
  return bytes;
}

}  // namespace warpgauge::machine_code
