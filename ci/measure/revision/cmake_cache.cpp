// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/revision/cmake_cache.hpp"

#include <fmt/format.h>

#include <cctype>
#include <map>
#include <sstream>
#include <system_error>
#include <utility>

#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "CMakeCache.txt";

// NAME:TYPE=VALUE; a name with a colon stands in quotes. Nothing for comments and blank lines.
std::optional<CMakeCache::Entry> entry_of(const std::string& line) {
  if (line.empty() || line[0] == '#' || line[0] == '/') return std::nullopt;
  const bool is_quoted = line[0] == '"';
  const std::size_t name_end = is_quoted ? line.find('"', 1) : line.find(':');
  if (name_end == line.npos) return std::nullopt;
  const std::size_t type_begin = name_end + (is_quoted ? 2 : 1);
  const std::size_t equals = line.find('=', type_begin);
  if (equals == line.npos) return std::nullopt;
  const std::size_t name_begin = is_quoted ? 1 : 0;
  return CMakeCache::Entry{line.substr(name_begin, name_end - name_begin),
                           line.substr(type_begin, equals - type_begin), line.substr(equals + 1)};
}

CMakeCache parse(const std::string& text) {
  CMakeCache cache;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    auto entry = entry_of(line);
    if (!entry) continue;
    if (entry->name == "CMAKE_HOME_DIRECTORY") cache.source = entry->value;
    if (entry->name == "CMAKE_CACHEFILE_DIR") cache.recorded = entry->value;
    if (entry->name == "CMAKE_GENERATOR") cache.generator = entry->value;
    cache.entries.push_back(std::move(*entry));
  }
  return cache;
}

// Those that people or the search for dependencies have set. All else CMake makes itself.
bool is_setting(const CMakeCache::Entry& entry) {
  for (const char* type : {"BOOL", "STRING", "PATH", "FILEPATH", "UNINITIALIZED"}) {
    if (entry.type == type) return true;
  }
  return false;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  if (from.empty()) return text;
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// As an argument of a CMake command in which nothing has a meaning of its own.
std::string bracketed(const std::string& text) {
  std::string equals = "=";
  while (text.find("]" + equals + "]") != text.npos) equals += '=';
  return fmt::format("[{}[{}]{}]", equals, text, equals);
}

// Those that can make other code of the same source, by name.
std::map<std::string, std::string> settings_of_code(const CMakeCache& cache) {
  std::map<std::string, std::string> settings;
  for (const CMakeCache::Entry& entry : cache.entries) {
    const bool is_path = entry.type == "PATH" || entry.type == "FILEPATH";
    const bool is_compiler = entry.name.starts_with("CMAKE_") && entry.name.ends_with("_COMPILER");
    if (!is_compiler && (!is_setting(entry) || is_path)) continue;
    settings[entry.name] = replaced(replaced(entry.value, cache.recorded.string(), "<build>"),
                                    cache.source.string(), "<source>");
  }
  return settings;
}

std::string value_of(const CMakeCache& cache, const std::string& name) {
  for (const CMakeCache::Entry& entry : cache.entries) {
    if (entry.name == name) return entry.value;
  }
  return "";
}

// "-O3 -DNDEBUG": of a language or kind of linking, for every build and for the build's type.
std::string flags_of(const CMakeCache& cache, const std::string& name) {
  std::string type = value_of(cache, "CMAKE_BUILD_TYPE");
  for (char& each : type) each = static_cast<char>(std::toupper(static_cast<unsigned char>(each)));
  std::istringstream words(value_of(cache, name) + ' ' + value_of(cache, name + '_' + type));
  std::string flags;
  for (std::string word; words >> word;) flags += (flags.empty() ? "" : " ") + word;
  return replaced(replaced(flags, cache.recorded.string(), "<build>"), cache.source.string(),
                  "<source>");
}

struct Compiler {
  std::string id;  // "GNU"; empty: the build has none for the language
  std::string version;
};

// What CMake found out about it: set(CMAKE_CXX_COMPILER_ID "GNU").
Compiler compiler_of(const CMakeCache& cache, const std::string& language) {
  const fs::path file = cache.folder / "CMakeFiles" /
                        fmt::format("{}.{}.{}", value_of(cache, "CMAKE_CACHE_MAJOR_VERSION"),
                                    value_of(cache, "CMAKE_CACHE_MINOR_VERSION"),
                                    value_of(cache, "CMAKE_CACHE_PATCH_VERSION")) /
                        fmt::format("CMake{}Compiler.cmake", language);
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};
  const std::string text = results::read_file(file, results::kAnswerLimit);
  const auto setting = [&](const std::string& name) {
    const std::string before = fmt::format("set(CMAKE_{}_{} \"", language, name);
    const std::size_t at = text.find(before);
    if (at == text.npos) return std::string();
    const std::size_t begin = at + before.size();
    return text.substr(begin, text.find('"', begin) - begin);
  };
  return {setting("COMPILER_ID"), setting("COMPILER_VERSION")};
}

}  // namespace

std::optional<CMakeCache> cmake_cache_of(const fs::path& built) {
  std::error_code error;
  const fs::path whole = fs::canonical(built, error);
  if (error) return std::nullopt;
  for (fs::path folder = whole.parent_path(); folder != folder.root_path();
       folder = folder.parent_path()) {
    if (!fs::is_regular_file(folder / kFile, error)) continue;
    CMakeCache cache = parse(results::read_file(folder / kFile, results::kAnswerLimit));
    cache.folder = folder;
    if (cache.recorded.empty()) cache.recorded = folder;
    return cache;
  }
  return std::nullopt;
}

std::string initial_cache(const CMakeCache& cache, const fs::path& source) {
  constexpr const char* kNotFound = "-NOTFOUND";
  const std::string old_source = cache.source.string();
  std::string script;
  for (const CMakeCache::Entry& entry : cache.entries) {
    if (!is_setting(entry) || entry.value.ends_with(kNotFound)) continue;
    if (entry.value.find(cache.recorded.string()) != entry.value.npos) continue;
    const std::string value = entry.value == old_source
                                  ? source.string()
                                  : replaced(entry.value, old_source + "/", source.string() + "/");
    script += fmt::format("set({} {} CACHE {} {})\n", entry.name, bracketed(value),
                          entry.type == "UNINITIALIZED" ? "STRING" : entry.type, bracketed(""));
  }
  return script;
}

results::Toolchain toolchain_of(const CMakeCache& cache) {
  results::Toolchain toolchain;
  toolchain.build_type = value_of(cache, "CMAKE_BUILD_TYPE");
  const auto add_flags = [&](const char* of, const std::string& flags) {
    if (flags.empty()) return;
    toolchain.flags += fmt::format("{}{} {}", toolchain.flags.empty() ? "" : "; ", of, flags);
  };
  const Compiler host = compiler_of(cache, "CXX");
  if (!host.id.empty()) {
    toolchain.host_compiler = fmt::format("{} {}", host.id, host.version);
    add_flags("C++", flags_of(cache, "CMAKE_CXX_FLAGS"));
  }
  const Compiler cuda = compiler_of(cache, "CUDA");
  if (!cuda.id.empty()) {
    // "13.0" of "13.0.88".
    toolchain.cuda = cuda.version.substr(0, cuda.version.find('.', cuda.version.find('.') + 1));
    add_flags("CUDA", flags_of(cache, "CMAKE_CUDA_FLAGS"));
  }
  add_flags("linker", flags_of(cache, "CMAKE_EXE_LINKER_FLAGS"));
  return toolchain;
}

std::vector<std::string> settings_that_differ(const CMakeCache& before, const CMakeCache& after) {
  std::map<std::string, std::pair<std::string, std::string>> both;
  for (const auto& [name, value] : settings_of_code(before)) both[name].first = value;
  for (const auto& [name, value] : settings_of_code(after)) both[name].second = value;
  std::vector<std::string> differ;
  for (const auto& [name, values] : both) {
    const auto& [old_value, new_value] = values;
    if (old_value == new_value) continue;
    differ.push_back(fmt::format("{} '{}' → '{}'", name, old_value, new_value));
  }
  return differ;
}

}  // namespace warpgauge::ci
