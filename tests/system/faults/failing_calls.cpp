// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program: lets one of its calls fail, once, and fixes what time() says. It acts
// from main() to its end, and not on what the program starts.
//
//   FAILING_CALL    open, write, fsync, rename, mkdir, flock, malloc or send, each with its kin;
//                   empty: none
//   FAILING_NUMBER  which of these calls fails, counted from 1
//   FAILING_LOG     a file that gets "begun" and, when it fails, "failed", or in the end the number
//                   of calls
//   FAILING_TIME    what time() says, so that what is written twice can be compared
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

struct Call {
  const char* name;
  int error;
};
constexpr Call kOpen{"open", EACCES};
constexpr Call kWrite{"write", ENOSPC};
constexpr Call kFsync{"fsync", EIO};
constexpr Call kRename{"rename", EIO};
constexpr Call kMkdir{"mkdir", ENOSPC};
constexpr Call kFlock{"flock", ENOLCK};
constexpr Call kMalloc{"malloc", ENOMEM};
constexpr Call kSend{"send", ECONNRESET};

const Call* failing = nullptr;  // only from main() to its end
long wanted = 0;
int log_file = -1;
std::atomic<long> calls{0};
time_t fixed_time = -1;

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

void note(const char* text) {
  const auto write_it = real<ssize_t(int, const void*, std::size_t)>("write");
  if (log_file >= 0) (void)write_it(log_file, text, ::strlen(text));
}

bool fails(const Call& call) {
  if (failing != &call || ++calls != wanted) return false;
  note("failed\n");
  errno = call.error;
  return true;
}

int (*real_main)(int, char**, char**) = nullptr;

int failing_main(int argc, char** argv, char** environment) {
  const auto setting = [](const char* name) {
    const char* const value = ::getenv(name);
    return value != nullptr ? value : "";
  };
  const char* const now = setting("FAILING_TIME");
  if (*now != '\0') fixed_time = ::strtol(now, nullptr, 10);
  wanted = ::strtol(setting("FAILING_NUMBER"), nullptr, 10);
  const char* const file = setting("FAILING_LOG");
  if (*file != '\0') log_file = ::open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  note("begun\n");
  ::unsetenv("LD_PRELOAD");
  for (const Call* each :
       {&kOpen, &kWrite, &kFsync, &kRename, &kMkdir, &kFlock, &kMalloc, &kSend}) {
    if (::strcmp(each->name, setting("FAILING_CALL")) == 0) failing = each;
  }
  const int status = real_main(argc, argv, environment);
  if (failing != nullptr && calls < wanted) {
    char text[32];
    failing = nullptr;
    ::snprintf(text, sizeof text, "%ld\n", calls.load());
    note(text);
  }
  failing = nullptr;
  return status;
}

// The mode of a file that is made, which is given only then.
mode_t mode_of(int flags, va_list arguments) {
  const bool makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return makes ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

// Named as the C library names them.
extern "C" {

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(),
                      void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  real_main = main;
  return real<decltype(__libc_start_main)>("__libc_start_main")(failing_main, argc, argv, init,
                                                                fini, rtld_fini, stack_end);
}

time_t time(time_t* result) noexcept {
  const time_t now = fixed_time >= 0 ? fixed_time : real<time_t(time_t*)>("time")(nullptr);
  if (result != nullptr) *result = now;
  return now;
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  if (fails(kOpen)) return -1;
  return real<int(const char*, int, ...)>("open")(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  if (fails(kOpen)) return -1;
  return real<int(const char*, int, ...)>("open64")(path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  if (fails(kOpen)) return -1;
  return real<int(int, const char*, int, ...)>("openat")(folder, path, flags, mode);
}

int openat64(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  if (fails(kOpen)) return -1;
  return real<int(int, const char*, int, ...)>("openat64")(folder, path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
  if (fails(kOpen)) return nullptr;
  return real<FILE*(const char*, const char*)>("fopen")(path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  if (fails(kOpen)) return nullptr;
  return real<FILE*(const char*, const char*)>("fopen64")(path, mode);
}

DIR* opendir(const char* path) {
  if (fails(kOpen)) return nullptr;
  return real<DIR*(const char*)>("opendir")(path);
}

DIR* fdopendir(int folder) {
  if (fails(kOpen)) return nullptr;
  return real<DIR*(int)>("fdopendir")(folder);
}

int mkstemp(char* path) {
  if (fails(kOpen)) return -1;
  return real<int(char*)>("mkstemp")(path);
}

int mkstemp64(char* path) {
  if (fails(kOpen)) return -1;
  return real<int(char*)>("mkstemp64")(path);
}

int mkostemp64(char* path, int flags) {
  if (fails(kOpen)) return -1;
  return real<int(char*, int)>("mkostemp64")(path, flags);
}

int mkostemp(char* path, int flags) {
  if (fails(kOpen)) return -1;
  return real<int(char*, int)>("mkostemp")(path, flags);
}

ssize_t write(int file, const void* bytes, std::size_t size) {
  if (fails(kWrite)) return -1;
  return real<ssize_t(int, const void*, std::size_t)>("write")(file, bytes, size);
}

ssize_t writev(int file, const struct iovec* parts, int count) {
  if (fails(kWrite)) return -1;
  return real<ssize_t(int, const struct iovec*, int)>("writev")(file, parts, count);
}

ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t at) {
  if (fails(kWrite)) return -1;
  return real<ssize_t(int, const void*, std::size_t, off_t)>("pwrite")(file, bytes, size, at);
}

ssize_t pwrite64(int file, const void* bytes, std::size_t size, off64_t at) {
  if (fails(kWrite)) return -1;
  return real<ssize_t(int, const void*, std::size_t, off64_t)>("pwrite64")(file, bytes, size, at);
}

int fsync(int file) {
  if (fails(kFsync)) return -1;
  return real<int(int)>("fsync")(file);
}

int fdatasync(int file) {
  if (fails(kFsync)) return -1;
  return real<int(int)>("fdatasync")(file);
}

int rename(const char* from, const char* to) noexcept {
  if (fails(kRename)) return -1;
  return real<int(const char*, const char*)>("rename")(from, to);
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  if (fails(kRename)) return -1;
  return real<int(int, const char*, int, const char*)>("renameat")(from_folder, from, to_folder,
                                                                   to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  if (fails(kRename)) return -1;
  return real<int(int, const char*, int, const char*, unsigned)>("renameat2")(from_folder, from,
                                                                              to_folder, to, flags);
}

int mkdir(const char* path, mode_t mode) noexcept {
  if (fails(kMkdir)) return -1;
  return real<int(const char*, mode_t)>("mkdir")(path, mode);
}

int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  if (fails(kMkdir)) return -1;
  return real<int(int, const char*, mode_t)>("mkdirat")(folder, path, mode);
}

char* mkdtemp(char* path) noexcept {
  if (fails(kMkdir)) return nullptr;
  return real<char*(char*)>("mkdtemp")(path);
}

int flock(int file, int operation) noexcept {
  if (fails(kFlock)) return -1;
  return real<int(int, int)>("flock")(file, operation);
}

int connect(int socket, const struct sockaddr* address, socklen_t size) {
  if (fails(kSend)) return -1;
  return real<int(int, const struct sockaddr*, socklen_t)>("connect")(socket, address, size);
}

// A connection that was reset is gone: the other side hears of it, too, and nothing comes back.
static bool resets(int socket) {
  if (!fails(kSend)) return false;
  (void)shutdown(socket, SHUT_RDWR);
  errno = kSend.error;
  return true;
}

ssize_t send(int socket, const void* bytes, std::size_t size, int flags) {
  if (resets(socket)) return -1;
  return real<ssize_t(int, const void*, std::size_t, int)>("send")(socket, bytes, size, flags);
}

ssize_t recv(int socket, void* bytes, std::size_t size, int flags) {
  if (resets(socket)) return -1;
  return real<ssize_t(int, void*, std::size_t, int)>("recv")(socket, bytes, size, flags);
}

void* malloc(std::size_t size) noexcept { return fails(kMalloc) ? nullptr : __libc_malloc(size); }

void* calloc(std::size_t count, std::size_t size) noexcept {
  return fails(kMalloc) ? nullptr : __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) noexcept {
  return fails(kMalloc) ? nullptr : __libc_realloc(memory, size);
}

// The C library's own asks its realloc() behind this one's back.
void* reallocarray(void* memory, std::size_t count, std::size_t size) noexcept {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return fails(kMalloc) ? nullptr : __libc_realloc(memory, bytes);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return fails(kMalloc) ? nullptr : __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return fails(kMalloc) ? nullptr : __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  if (fails(kMalloc)) return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory != nullptr ? 0 : ENOMEM;
}

}  // extern "C"
