// SPDX-License-Identifier: Apache-2.0
#include "profiling/harness/suite/journal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

#include "profiling/results/files/files.hpp"
#include "profiling/results/json/record_json.hpp"

namespace warpgauge {

using results::Json;

Journal::Journal(const std::optional<std::filesystem::path>& path) {
  if (!path) return;
  file_.reset(std::fopen(path->c_str(), "ae"));
  if (!file_) {
    throw results::FileError(fmt::format("cannot write {}: {}; choose a folder that can be written",
                                         path->string(), std::generic_category().message(errno)));
  }
}

void Journal::write_line(const std::string& line) {
  if (!file_) return;
  // A short write cannot be repaired here; the reader reports the line that does not parse.
  std::fputs((line + "\n").c_str(), file_.get());
  std::fflush(file_.get());
}

void Journal::started(const std::string& id) { write_line(Json{{"started", id}}.dump()); }

void Journal::finished(const results::Record& record) {
  write_line(Json{{"finished", results::to_json(record)}}.dump(-1, ' ', false,
                                                               Json::error_handler_t::replace));
  if (record.outcome.status == results::Status::ok) return;
  ++failures_;
  if (file_ && record.outcome.status == results::Status::error) ::_exit(kExitAfterError);
}

}  // namespace warpgauge
