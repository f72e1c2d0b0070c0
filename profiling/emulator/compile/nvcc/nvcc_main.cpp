// SPDX-License-Identifier: Apache-2.0
// warpgauge-nvcc ARGUMENT...
//
// Has nvcc's command line, and compiles and links for the emulator: an unchanged Makefile builds
// with `make NVCC=warpgauge-nvcc`. The program runs its kernels on the emulator and prints a report
// when it exits.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <filesystem>
#include <sstream>

#include "profiling/emulator/compile/kernel_source.hpp"
#include "profiling/emulator/compile/nvcc/installation.hpp"
#include "profiling/emulator/compile/nvcc/nvcc_command_line.hpp"
#include "profiling/emulator/compile/nvcc/shared_arrays.hpp"

namespace {

using namespace warpgauge::emulator;

// Of the CUDA whose names and limits the emulator has.
constexpr const char* kVersion =
    "nvcc: Warpgauge's own, for its emulator\n"
    "Cuda compilation tools, release 13.0, V13.0.0\n";

void append(Command& command, const Command& more) {
  command.insert(command.end(), more.begin(), more.end());
}

class Driver {
 public:
  Driver(NvccCommand command, Installation installation)
      : command_(std::move(command)), installation_(std::move(installation)) {
    if (!command_.host_compiler.empty()) installation_.compiler = command_.host_compiler;
  }

  [[nodiscard]] int act() {
    if (command_.inputs.empty()) throw NvccError("no input files");
    switch (command_.action) {
      case NvccAction::compile:
        return compile_each();
      case NvccAction::preprocess:
      case NvccAction::dependencies:
        return preprocess();
      case NvccAction::device_link:
        return done(
            {installation_.compiler, "-x", "c++", "-c", "/dev/null", "-o", output_or("a_dlink.o")});
      case NvccAction::archive:
        return archive();
      default:
        return link();
    }
  }

 private:
  [[nodiscard]] std::string output_or(const std::string& name) const {
    return command_.output.empty() ? name : command_.output;
  }

  // Runs it, and shows it where that is asked for.
  int done(const Command& command, bool has_kernels = false) const {
    if (command_.verbose || command_.dry_run) {
      for (const std::string& word : command) std::fprintf(stderr, "%s ", word.c_str());
      std::fputs("\n", stderr);
    }
    if (command_.dry_run) return 0;
    return has_kernels ? compile_kernel_source(command) : run(command);
  }

  // The options in front of -c, -E and the like.
  [[nodiscard]] Command compiler_for(NvccLanguage language) const {
    Command options{installation_.compiler};
    append(options, command_.compile);
    if (language == NvccLanguage::c) {
      append(options, {"-x", "c", "-g", "-isystem", installation_.include});
      return options;
    }
    append(options,
           {"-x", "c++", "-std=" + (command_.standard.empty() ? "gnu++17" : command_.standard),
            "-isystem", installation_.include, "-D__NVCC__", "-D__CUDACC_VER_MAJOR__=13",
            "-D__CUDACC_VER_MINOR__=0", "-D__CUDACC_VER_BUILD__=0"});
    if (language == NvccLanguage::cuda) {
      // One compilation for host and device: what code for a GPU alone has is there, too.
      const int architecture = command_.architecture == 0 ? kArchitecture : command_.architecture;
      append(options, {"-D__CUDACC__", "-D__CUDA_ARCH__=" + std::to_string(architecture * 10),
                       "-include", "cuda_runtime.h"});
      append(options, command_.cuda);
    }
    append(options, installation_.kernel_options);
    // Reports name sources as they lie in this folder.
    options.push_back("-ffile-prefix-map=" + std::filesystem::current_path().string() + "/=");
    return options;
  }

  int compile(const NvccInput& input, const std::string& object) const {
    Command command = compiler_for(input.language);
    if (command_.dependency_file) {
      if (!command_.names_dependency_file) {
        append(command, {"-MF", std::filesystem::path(object).replace_extension(".d")});
      }
      append(command, {"-MT", object});
    }
    append(command, {"-c", input.path, "-o", object});
    return done(command, input.language != NvccLanguage::c);
  }

  int compile_each() const {
    std::size_t sources = 0;
    for (const NvccInput& input : command_.inputs)
      sources += input.language != NvccLanguage::object;
    if (sources == 0) throw NvccError("there is no source file to compile");
    if (sources > 1 && !command_.output.empty()) {
      throw NvccError("-o names one object, but there are several sources");
    }
    for (const NvccInput& input : command_.inputs) {
      if (input.language == NvccLanguage::object) continue;
      const std::string object = command_.output.empty() ? object_beside(input) : command_.output;
      if (const int status = compile(input, object); status != 0) return status;
    }
    return 0;
  }

  [[nodiscard]] std::string object_beside(const NvccInput& input) const {
    return (std::filesystem::path(command_.output_folder) /
            std::filesystem::path(input.path).filename().replace_extension(".o"))
        .string();
  }

  int preprocess() const {
    for (const NvccInput& input : command_.inputs) {
      Command command = compiler_for(input.language);
      command.push_back(command_.action == NvccAction::preprocess ? "-E" : "-MM");
      command.push_back(input.path);
      if (!command_.output.empty()) append(command, {"-o", command_.output});
      if (const int status = done(command); status != 0) return status;
    }
    return 0;
  }

  // The objects and archives to link, and those made here for it.
  [[nodiscard]] int objects_of(const std::string& program, std::deque<TemporaryFile>& made,
                               Command& objects) const {
    for (const NvccInput& input : command_.inputs) {
      if (input.language == NvccLanguage::object) {
        objects.push_back(input.path);
        continue;
      }
      const std::string object =
          program + "." + std::to_string(made.size()) + "." + std::to_string(getpid()) + ".o";
      made.emplace_back(object);
      if (const int status = compile(input, object); status != 0) return status;
      objects.push_back(object);
    }
    return 0;
  }

  int link() const {
    const std::string program = output_or("a.out");
    std::deque<TemporaryFile> made;
    Command objects;
    if (const int status = objects_of(program, made, objects); status != 0) return status;
    Command command{installation_.compiler, "-o", program};
    append(command, objects);
    if (!command_.dry_run) append(command, place_shared_arrays(objects, program));
    append(command, command_.link);
    append(command, installation_.libraries);
    return done(command);
  }

  int archive() const {
    const std::string library = output_or("a.a");
    std::deque<TemporaryFile> made;
    Command objects;
    if (const int status = objects_of(library, made, objects); status != 0) return status;
    Command command{"ar", "rcs", library};
    append(command, objects);
    return done(command);
  }

  NvccCommand command_;
  Installation installation_;
};

// What nvcc takes from the environment, too.
void append_words(Command& arguments, const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return;
  std::istringstream words(value);
  for (std::string word; words >> word;) arguments.push_back(word);
}

int act(const Command& given) {
  Command arguments;
  append_words(arguments, "NVCC_PREPEND_FLAGS");
  append(arguments, given);
  append_words(arguments, "NVCC_APPEND_FLAGS");
  NvccCommand command = parse_nvcc(arguments);
  if (command.action == NvccAction::version) {
    std::fputs(kVersion, stdout);
    return 0;
  }
  if (const char* compiler = std::getenv("NVCC_CCBIN");
      compiler != nullptr && command.host_compiler.empty()) {
    command.host_compiler = compiler;
  }
  const Installation installation =
      find_installation(std::filesystem::read_symlink("/proc/self/exe"));
  return Driver(std::move(command), installation).act();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return act(Command(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "warpgauge-nvcc: %s\n", error.what());
    return 1;
  }
}
