// SPDX-License-Identifier: Apache-2.0
#include "ci/history/connection/complaint.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "ci/history/connection/address.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

// In the database's own words, without the function of SOCI.
std::string complaint_of(const soci::soci_error& error) {
  std::string text = error.get_error_message();
  // As in "sqlite3_statement_backend::prepare: file is not a database".
  const std::size_t function = text.find("::");
  const std::size_t end = text.find(": ", function == text.npos ? function : function + 2);
  if (end == text.npos || text.find(' ') < end) return text;
  return text.substr(end + 2);
}

}  // namespace

Error complaint_as_error(const soci::soci_error& error, const std::string& where) {
  return Error(kExitNotMeasured,
               fmt::format("history {}: {}; see docs/guide/history.md", name_of(where),
                           one_line(without_password(complaint_of(error), where))));
}

}  // namespace warpgauge::ci
