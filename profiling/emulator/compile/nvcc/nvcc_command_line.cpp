// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/compile/nvcc/nvcc_command_line.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string_view>

#include "profiling/emulator/compile/nvcc/nvcc_option_names.hpp"

namespace warpgauge::emulator {
namespace {

using Value = const std::string&;

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (end > begin) parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// What the emulator decides itself (optimisation, instrumentation), or what would fail for its
// headers.
bool is_kept_from_host_compiler(const std::string& option) {
  return option.starts_with("-O") || option.starts_with("-Werror") || option == "-g" ||
         option.starts_with("-g3") || option.starts_with("-fsanitize") || option == "-pedantic" ||
         option.starts_with("-flto") || option == "-s";
}

std::string standard_of(const std::string& wanted) {
  static const std::map<std::string, std::string> known = {
      {"c++03", "c++17"},     {"c++11", "c++17"},     {"c++14", "c++17"},
      {"c++17", "c++17"},     {"c++20", "c++20"},     {"c++23", "c++23"},
      {"gnu++11", "gnu++17"}, {"gnu++14", "gnu++17"}, {"gnu++17", "gnu++17"},
      {"gnu++20", "gnu++20"}, {"c++1y", "c++17"},     {"c++2a", "c++20"}};
  const auto found = known.find(wanted);
  if (found == known.end()) throw NvccError("-std=" + wanted + " is not known");
  return found->second;
}

// The headers of an installed CUDA, in whose place are the emulator's.
bool is_of_toolkit(const std::string& folder) {
  return std::filesystem::exists(std::filesystem::path(folder) / "cuda_runtime_api.h");
}

NvccLanguage language_of(const std::string& path) {
  const std::string suffix = std::filesystem::path(path).extension();
  if (suffix == ".cu") return NvccLanguage::cuda;
  if (suffix == ".cpp" || suffix == ".cc" || suffix == ".cxx" || suffix == ".C") {
    return NvccLanguage::cpp;
  }
  if (suffix == ".c") return NvccLanguage::c;
  if (suffix == ".ptx" || suffix == ".cubin" || suffix == ".fatbin") {
    throw NvccError(path + ": the emulator runs no machine code; give it the CUDA source");
  }
  return NvccLanguage::object;  // or an archive, or what the linker knows
}

class Parser {
 public:
  explicit Parser(std::span<const std::string> arguments) : arguments_(arguments) {}

  [[nodiscard]] NvccCommand parsed() {
    for (at_ = 0; at_ < arguments_.size(); ++at_) {
      const std::string& argument = arguments_[at_];
      if (argument.size() < 2 || argument[0] != '-') {
        command_.inputs.push_back({argument, NvccLanguage::object});
      } else if (!joined(argument) && !named(argument)) {
        unknown(argument);
      }
    }
    for (NvccInput& input : command_.inputs) {
      input.language = language_of(input.path);
      if (forced_ && input.language != NvccLanguage::object) input.language = *forced_;
    }
    return std::move(command_);
  }

 private:
  void both(const std::string& option) {
    command_.compile.push_back(option);
    command_.link.push_back(option);
  }

  [[nodiscard]] const std::string& next(const std::string& option) {
    if (at_ + 1 >= arguments_.size()) throw NvccError(option + " needs a value");
    return arguments_[++at_];
  }

  // -Ifolder, -Dname=value, -lname: the value behind the letter, or in the next argument.
  bool joined(const std::string& argument) {
    if (argument[1] == '-') return false;
    const char letter = argument[1];
    if (std::string_view("IDUL").find(letter) != std::string_view::npos) {
      const std::string value = argument.size() > 2 ? argument.substr(2) : next(argument);
      Command& to = letter == 'L' ? command_.link : command_.compile;
      if (letter == 'I' && is_of_toolkit(value)) return true;
      to.push_back(std::string("-") + letter + value);
      return true;
    }
    if (letter == 'l' && argument != "-lib" && argument != "-lineinfo" && argument != "-link" &&
        !argument.starts_with("-library") && argument != "-lto" &&
        !argument.starts_with("-line-")) {
      library(argument.size() > 2 ? argument.substr(2) : next(argument));
      return true;
    }
    if (letter == 'O' && argument.size() <= 3) return true;  // always -O1
    if (argument.starts_with("-Wl,")) {
      command_.link.push_back(argument);
      return true;
    }
    return false;
  }

  void library(const std::string& name) {
    if (!kLibrariesOfCuda.contains(name)) command_.link.push_back("-l" + name);
  }

  // A long option by one or two dashes, or a short one of several letters.
  bool named(const std::string& argument) {
    const std::size_t begin = argument.starts_with("--") ? 2 : 1;
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(begin, equals - begin);
    const auto value = [&]() -> std::string {
      return equals == std::string::npos ? next(argument) : argument.substr(equals + 1);
    };
    if (kOutputsOfTheDevice.contains(name)) {
      throw NvccError(argument + ": the emulator makes no machine code for a GPU");
    }
    if (kValuesOfTheDevice.contains(name)) {
      const std::string given = value();
      if (name.find("arch") != std::string::npos || name.find("code") != std::string::npos) {
        for_architectures(given);
      }
      return true;
    }
    if (kFlagsOfTheDevice.contains(name) || name == "m64" || name == "m32") {
      describe_device_flag(name);
      return true;
    }
    return action(name) || of_dependencies(argument, name, value) || with_value(name, value);
  }

  // "arch=compute_80,code=[sm_80,sm_90]": the newest that the emulated device runs.
  void for_architectures(Value list) {
    for (std::size_t at = list.find('_'); at != std::string::npos; at = list.find('_', at + 1)) {
      const int number = std::atoi(list.c_str() + at + 1);
      command_.architecture = std::max(command_.architecture, std::min(number, kArchitecture));
    }
  }

  void describe_device_flag(const std::string& name) {
    if (name == "expt-relaxed-constexpr") define("__CUDACC_RELAXED_CONSTEXPR__");
    if (name == "extended-lambda" || name == "expt-extended-lambda") {
      define("__CUDACC_EXTENDED_LAMBDA__");
    }
    if (name == "G" || name == "device-debug") define("__CUDACC_DEBUG__");
    if (name == "w" || name == "disable-warnings") command_.compile.push_back("-w");
  }

  void define(const std::string& macro) { command_.cuda.push_back("-D" + macro); }

  bool action(const std::string& name) {
    static const std::map<std::string_view, NvccAction> actions = {
        {"c", NvccAction::compile},
        {"compile", NvccAction::compile},
        {"dc", NvccAction::compile},
        {"device-c", NvccAction::compile},
        {"dw", NvccAction::compile},
        {"device-w", NvccAction::compile},
        {"E", NvccAction::preprocess},
        {"preprocess", NvccAction::preprocess},
        {"M", NvccAction::dependencies},
        {"MM", NvccAction::dependencies},
        {"generate-dependencies", NvccAction::dependencies},
        {"generate-nonsystem-dependencies", NvccAction::dependencies},
        {"dlink", NvccAction::device_link},
        {"device-link", NvccAction::device_link},
        {"lib", NvccAction::archive},
        {"link", NvccAction::link},
        {"V", NvccAction::version},
        {"version", NvccAction::version},
    };
    const auto found = actions.find(name);
    if (found == actions.end()) return false;
    command_.action = found->second;
    if (name == "dc" || name == "device-c") define("__CUDACC_RDC__");
    return true;
  }

  bool of_dependencies(const std::string& argument, const std::string& name,
                       const std::function<std::string()>& value) {
    if (name == "MD" || name == "MMD" || name == "generate-dependencies-with-compile" ||
        name == "generate-nonsystem-dependencies-with-compile") {
      command_.dependency_file = true;
      command_.compile.push_back(name == "MD" ? "-MD" : "-MMD");
      return true;
    }
    if (name == "MP" || name == "generate-dependency-targets") {
      command_.compile.emplace_back("-MP");
      return true;
    }
    if (argument.starts_with("-MF") || name == "dependency-output") {
      command_.names_dependency_file = true;
      command_.compile.insert(command_.compile.end(), {"-MF", value()});
      return true;
    }
    if (name == "MT" || name == "MQ" || name == "dependency-target-name") {
      command_.compile.insert(command_.compile.end(), {"-MT", value()});
      return true;
    }
    return false;
  }

  bool with_value(const std::string& name, const std::function<std::string()>& value) {
    static const std::map<std::string_view, std::function<void(Parser&, Value)>> known = {
        {"o", [](Parser& self, Value v) { self.command_.output = v; }},
        {"output-file", [](Parser& self, Value v) { self.command_.output = v; }},
        {"odir", [](Parser& self, Value v) { self.command_.output_folder = v; }},
        {"output-directory", [](Parser& self, Value v) { self.command_.output_folder = v; }},
        {"x", [](Parser& self, Value v) { self.force_language(v); }},
        {"std", [](Parser& self, Value v) { self.command_.standard = standard_of(v); }},
        {"ccbin", [](Parser& self, Value v) { self.host_compiler(v); }},
        {"compiler-bindir", [](Parser& self, Value v) { self.host_compiler(v); }},
        {"Xcompiler", [](Parser& self, Value v) { self.for_host_compiler(v); }},
        {"compiler-options", [](Parser& self, Value v) { self.for_host_compiler(v); }},
        {"Xlinker", [](Parser& self, Value v) { self.for_linker(v); }},
        {"linker-options", [](Parser& self, Value v) { self.for_linker(v); }},
        {"Xarchive", [](Parser&, Value) {}},
        {"Werror", [](Parser&, Value) {}},
        {"rdc", [](Parser& self, Value v) { self.relocatable(v); }},
        {"relocatable-device-code", [](Parser& self, Value v) { self.relocatable(v); }},
        {"include", [](Parser& self, Value v) { self.compile_pair("-include", v); }},
        {"pre-include", [](Parser& self, Value v) { self.compile_pair("-include", v); }},
        {"isystem",
         [](Parser& self, Value v) {
           if (!is_of_toolkit(v)) self.compile_pair("-isystem", v);
         }},
        {"system-include",
         [](Parser& self, Value v) {
           if (!is_of_toolkit(v)) self.compile_pair("-isystem", v);
         }},
        {"include-path",
         [](Parser& self, Value v) {
           if (!is_of_toolkit(v)) self.command_.compile.push_back("-I" + v);
         }},
        {"define-macro", [](Parser& self, Value v) { self.command_.compile.push_back("-D" + v); }},
        {"undefine-macro",
         [](Parser& self, Value v) { self.command_.compile.push_back("-U" + v); }},
        {"library-path", [](Parser& self, Value v) { self.command_.link.push_back("-L" + v); }},
        {"library", [](Parser& self, Value v) { self.library(v); }},
    };
    const auto found = known.find(name);
    if (found == known.end()) return false;
    found->second(*this, value());
    return true;
  }

  void compile_pair(const char* option, Value v) {
    command_.compile.insert(command_.compile.end(), {option, v});
  }

  void relocatable(Value v) {
    if (v == "true") define("__CUDACC_RDC__");
  }

  void force_language(Value name) {
    static const std::map<std::string, NvccLanguage> known = {
        {"cu", NvccLanguage::cuda}, {"c++", NvccLanguage::cpp}, {"c", NvccLanguage::c}};
    const auto found = known.find(name);
    if (found == known.end()) throw NvccError("-x " + name + ": only cu, c++ and c are known");
    forced_ = found->second;
  }

  void host_compiler(Value v) {
    const std::string name = std::filesystem::path(v).filename();
    if (name.find("clang") != std::string::npos || name.starts_with("ic") || name == "nvc++") {
      throw NvccError("-ccbin " + v + ": the emulator needs g++ 12 or later");
    }
    command_.host_compiler = std::filesystem::is_directory(v) ? v + "/g++" : v;
  }

  void for_host_compiler(Value list) {
    for (const std::string& option : split(list)) {
      if (!is_kept_from_host_compiler(option)) both(option);
    }
  }

  void for_linker(Value list) {
    for (const std::string& option : split(list)) command_.link.push_back("-Wl," + option);
  }

  // For the host compiler, if it can be: nvcc knows no option of that kind either.
  void unknown(const std::string& argument) {
    if (argument == "-v" || argument == "--verbose") {
      command_.verbose = true;
    } else if (argument == "--dryrun" || argument == "-dryrun") {
      command_.dry_run = true;
    } else if (argument == "-shared" || argument == "--shared") {
      throw NvccError(argument +
                      ": the emulator runs kernels of programs, not of shared libraries");
    } else if (argument == "-pg" || argument == "--profile" || argument == "-h" ||
               argument == "-Wall" || argument == "-Wextra") {
      return;
    } else if (argument.starts_with("-f") || argument.starts_with("-m") ||
               argument.starts_with("-W") || argument == "-pthread" || argument == "-static") {
      if (!is_kept_from_host_compiler(argument)) both(argument);
    } else {
      throw NvccError("the option " + argument + " is not known");
    }
  }

  std::span<const std::string> arguments_;
  std::size_t at_ = 0;
  NvccCommand command_;
  std::optional<NvccLanguage> forced_;
};

}  // namespace

NvccCommand parse_nvcc(std::span<const std::string> arguments) {
  return Parser(arguments).parsed();
}

}  // namespace warpgauge::emulator
