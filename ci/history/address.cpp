// SPDX-License-Identifier: Apache-2.0
#include "ci/history/address.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <stdlib.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <regex>

#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::string_view kSchemes[] = {"postgresql://", "postgres://"};

// A server that does not answer for so long is taken for none.
constexpr int kConnectTimeoutSeconds = 15;

// What is shown of an address that cannot be taken apart.
constexpr const char* kHidden = "postgresql://…";

// Shorter ones stand within other words.
constexpr std::size_t kShortestPassword = 4;

std::string lower(std::string_view text) {
  std::string lowered(text);
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), [](char character) {
    return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a')
                                                : character;
  });
  return lowered;
}

// Length of the scheme that it begins with; 0: none of PostgreSQL's.
std::size_t scheme_length(std::string_view where) {
  for (const std::string_view scheme : kSchemes) {
    if (lower(where.substr(0, scheme.size())) == scheme) return scheme.size();
  }
  return 0;
}

// libpq knows schemes in lower case only.
std::string with_plain_scheme(const std::string& where) {
  const std::size_t length = scheme_length(where);
  return lower(std::string_view(where).substr(0, length)) + where.substr(length);
}

struct Parsed {
  std::map<std::string, std::string> options;  // decoded, those that are given
  std::string problem;                         // libpq's; it may quote a password
};

Parsed parsed(const std::string& connection) {
  char* message = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&::PQconninfoFree)> options(
      ::PQconninfoParse(connection.c_str(), &message), &::PQconninfoFree);
  const std::unique_ptr<char, decltype(&::PQfreemem)> owned(message, &::PQfreemem);
  Parsed parsed;
  if (!options) {
    parsed.problem = message != nullptr ? message : "out of memory";
    return parsed;
  }
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr) parsed.options[option->keyword] = option->val;
  }
  return parsed;
}

// libpq ends a password at the first @ and a host at the first /, and would ask the network for the
// rest of a password. The only @ separates the user from the host, before the first / and ?.
bool has_stray_at(std::string_view where) {
  const std::string_view rest = where.substr(scheme_length(where));
  const std::size_t at = rest.find('@');
  return at != rest.npos && (rest.find('@', at + 1) != rest.npos || rest.find_first_of("/?") < at);
}

// What libpq quotes is from the address.
std::string without_quoted(const std::string& problem) {
  const std::size_t first = problem.find('"');
  const std::size_t last = problem.rfind('"');
  if (first == problem.npos || first == last) return one_line(problem);
  return one_line(problem.substr(0, first) + "\"…\"" + problem.substr(last + 1));
}

std::string address_of(const std::map<std::string, std::string>& options) {
  const auto option = [&](const char* keyword) {
    const auto found = options.find(keyword);
    return found == options.end() ? std::string() : found->second;
  };
  const std::string host = option("host");
  const bool socket = host.starts_with('/');
  std::string name = std::string(kSchemes[0]);
  if (!option("user").empty()) name += option("user") + "@";
  if (!socket) name += host.find(':') == host.npos ? host : "[" + host + "]";
  if (!option("port").empty()) name += ":" + option("port");
  if (socket || !option("dbname").empty()) name += "/" + option("dbname");
  if (socket) name += "?host=" + host;
  return one_line(name);
}

}  // namespace

bool is_postgresql(std::string_view where) { return scheme_length(where) > 0; }

std::string name_of(const std::string& where) {
  if (!is_postgresql(where)) return one_line(where);
  if (has_stray_at(where)) return kHidden;
  const Parsed address = parsed(with_plain_scheme(where));
  return address.problem.empty() ? address_of(address.options) : kHidden;
}

std::string connection_of(const std::string& where) {
  const Parsed address = parsed(with_plain_scheme(where));
  const std::string problem =
      has_stray_at(where) ? "it has an @ in a wrong place" : without_quoted(address.problem);
  if (!problem.empty()) {
    throw Error(kExitUsage,
                fmt::format("--history {}: cannot read this address ({}); write "
                            "postgresql://USER@HOST:PORT/DATABASE, and in names and passwords %40 "
                            "for @, %2F for /, %3F for ?, %3A for : and %25 for %",
                            kHidden, problem));
  }
  std::string connection = with_plain_scheme(where);
  // SOCI takes it for a list of its own, and leaves it alone only if it has a "=" and no blank.
  for (std::size_t at = 0; (at = connection.find(' ', at)) != connection.npos;) {
    connection.replace(at, 1, "%20");
  }
  connection += connection.find('?') == connection.npos ? '?' : '&';
  connection += "fallback_application_name=warpgauge";
  if (!address.options.contains("connect_timeout") && ::getenv("PGCONNECT_TIMEOUT") == nullptr) {
    connection += fmt::format("&connect_timeout={}", kConnectTimeoutSeconds);
  }
  return connection;
}

void check_file_name(const std::string& where) {
  static const std::regex kPassword("pass(word|wd|file)?\\s*=", std::regex::icase);
  const Parsed options = parsed(where);
  const bool connects = options.problem.empty() && !options.options.empty();
  const bool address = where.find("://") != where.npos;
  if (!connects && !address && !std::regex_search(where, kPassword)) return;
  throw Error(kExitUsage,
              "--history: this is neither the path of an SQLite file nor an address; write "
              "postgresql://USER@HOST:PORT/DATABASE");
}

std::string without_password(std::string complaint, const std::string& where) {
  if (!is_postgresql(where)) return complaint;
  for (const auto& [keyword, value] : parsed(with_plain_scheme(where)).options) {
    if (keyword.find("password") == keyword.npos || value.size() < kShortestPassword) continue;
    for (std::size_t at = 0; (at = complaint.find(value, at)) != complaint.npos;) {
      complaint.replace(at, value.size(), "…");
    }
  }
  return complaint;
}

std::string without_addresses(const std::string& text) {
  static const std::regex kAddress("://|pass(word|wd)?\\s*=", std::regex::icase);
  std::smatch found;
  if (!std::regex_search(text, found, kAddress)) return text;
  return found.prefix().str() + found.str() + "…";
}

}  // namespace warpgauge::ci
