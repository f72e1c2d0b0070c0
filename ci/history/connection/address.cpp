// SPDX-License-Identifier: Apache-2.0
#include "ci/history/connection/address.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <stdlib.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <system_error>

#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::string_view kSchemes[] = {"postgresql://", "postgres://"};

// A server that does not answer for so long is taken for none.
constexpr int kConnectTimeoutSeconds = 15;

// What is shown of an address that cannot be taken apart.
constexpr const char* kHidden = "postgresql://…";

constexpr const char* kCut = "…";

constexpr const char* kBlanks = " \t\r\n";

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

// Of each host one, or none. In place of another word someone may have left the host out, so that
// what follows the user is his password.
bool are_ports(std::string_view text) {
  constexpr int kLastPort = 65535;
  for (std::size_t at = 0; at <= text.size();) {
    const std::string_view port = text.substr(at, text.find(',', at) - at);
    int number = 0;
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
    const bool is_number = error == std::errc() && end == port.data() + port.size();
    if (!port.empty() && (!is_number || number < 1 || number > kLastPort)) return false;
    at += port.size() + 1;
  }
  return true;
}

bool has_odd_port(const Parsed& address) {
  const auto port = address.options.find("port");
  return port != address.options.end() && !are_ports(port->second);
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
  // Behind a colon, in whatever spelling, may be a password.
  const std::string user = option("user");
  const std::size_t colon = user.find(':');
  if (colon != user.npos) name += user.substr(0, colon + 1) + kCut + "@";
  if (colon == user.npos && !user.empty()) name += user + "@";
  if (!socket) name += host.find(':') == host.npos ? host : "[" + host + "]";
  if (!option("port").empty()) name += ":" + option("port");
  if (socket || !option("dbname").empty()) name += "/" + option("dbname");
  if (socket) name += "?host=" + host;
  return one_line(name);
}

// Behind the = of the first option that may be a password, of libpq or not; npos: there is none.
// libpq takes blanks around the =.
std::size_t value_of_password(std::string_view text) {
  const std::string lowered = lower(text);
  std::size_t first = text.npos;
  for (const std::string_view option : {"password", "passwd", "passfile", "pass", "pwd"}) {
    for (std::size_t at = 0; (at = lowered.find(option, at)) < first;) {
      at += option.size();
      const std::size_t sign = lowered.find_first_not_of(kBlanks, at);
      if (sign == lowered.npos) break;
      const std::size_t length = lowered[sign] == '=' ? 1 : 3;
      if (length == 1 || lowered.compare(sign, length, "%3d") == 0) {
        first = std::min(first, sign + length);
      }
    }
  }
  return first;
}

// Whether someone may have meant it as an address, with a password in it. What is surely a path may
// have colons.
bool may_be_address(const std::string& where) {
  const Parsed options = parsed(where);
  if (options.problem.empty() && !options.options.empty()) return true;
  if (where.find("://") != where.npos || where.starts_with("//")) return true;
  if (lower(where).find("%3a") != std::string::npos) return true;
  const std::size_t colon = where.find(':');
  if (colon != where.npos && where.find('@', colon) != where.npos) return true;
  const bool is_path =
      where.starts_with('/') || where.starts_with("./") || where.starts_with("../");
  if (!is_path && where.substr(0, where.find('/')).find(':') != where.npos) return true;
  return value_of_password(where) != where.npos;
}

// Whether name_of() may have made it, but for the scheme: a user, a host, a port, a database and a
// socket, and no password.
bool is_shown_address(std::string_view rest) {
  if (lower(rest).find("%3a") != std::string::npos) return false;
  if (rest.starts_with("user@host:port/database")) return true;  // of our own messages
  const std::size_t at = rest.find('@');
  if (at != rest.npos) {
    if (rest.find(':') < at || rest.find('@', at + 1) != rest.npos) return false;
    rest.remove_prefix(at + 1);
  }
  const std::size_t query = rest.find('?');
  if (query != rest.npos && !rest.substr(query).starts_with("?host=/")) return false;
  if (rest.find('&') != rest.npos) return false;
  if (rest.starts_with('[') && rest.find(']') == rest.npos) return false;
  const std::size_t port = rest.find(':', rest.starts_with('[') ? rest.find(']') : 0);
  if (port == rest.npos) return true;
  const std::size_t behind = rest.find_first_not_of("0123456789", port + 1);
  if (behind == rest.npos) return true;
  if (rest[behind] == ',') return rest.find(':', behind) == rest.npos;  // of a second host
  return rest.find_first_of("/?:;.')", behind) == behind;
}

// Of ~/.pgpass: host:port:database:user:password.
std::optional<std::size_t> password_of_a_line(std::string_view word) {
  std::size_t at = 0;
  for (int field = 0; field < 4; ++field) {
    const std::size_t colon = word.find(':', at);
    if (colon == word.npos || colon == at) return std::nullopt;
    const std::string_view text = word.substr(at, colon - at);
    if (field == 1 && text.find_first_not_of("0123456789*") != text.npos) return std::nullopt;
    at = colon + 1;
  }
  return at;
}

// How much of a word may be shown, from its beginning.
std::size_t shown_of(std::string_view word) {
  const std::string text = lower(word);
  const std::size_t begin = std::min(text.find_first_not_of("'\"(`"), text.size());
  const std::string_view bare = std::string_view(text).substr(begin);
  if (bare.starts_with("//") && bare.find(':') != bare.npos) return begin + 2;
  for (const char* name : {"postgresql:", "postgres:"}) {
    const std::size_t at = text.find(name);
    if (at == text.npos) continue;
    const std::size_t scheme = scheme_length(std::string_view(text).substr(at));
    if (scheme > 0 && is_shown_address(std::string_view(text).substr(at + scheme))) {
      return word.size();
    }
    return at + std::max(scheme, std::string_view(name).size());
  }
  const std::size_t encoded = text.find("%3a");
  if (encoded != text.npos) return encoded + 3;
  if (const auto at = password_of_a_line(bare)) return begin + *at;
  // Of any other address too.
  const std::size_t slashes = text.find("://");
  const std::size_t rest = slashes == text.npos ? begin : slashes + 3;
  const std::size_t colon = text.find(':', rest);
  if (colon != text.npos && text.find('@', colon) != text.npos) return colon + 1;
  return word.size();
}

// Where to cut a word off when `behind` follows it; nullopt: nowhere. An address without an @ may
// go on there, since a user and a password may have blanks.
std::optional<std::size_t> cut_before(std::string_view word, std::string_view behind) {
  const std::size_t safe = shown_of(word);
  if (safe < word.size()) return safe;
  if (word.find('@') != word.npos) return std::nullopt;
  const std::string text = lower(word);
  std::size_t scheme = std::min(text.find(kSchemes[0]), text.find(kSchemes[1]));
  if (scheme == text.npos) return std::nullopt;
  scheme += scheme_length(std::string_view(text).substr(scheme));
  // Messages of ours end with how to write one.
  const std::string_view own = behind.substr(0, behind.find("postgresql://USER@HOST"));
  const std::size_t at = own.find('@');
  const bool goes_on =
      at != own.npos && (word.find(':', scheme) != word.npos || own.find(':') < at);
  return goes_on ? std::optional(scheme) : std::nullopt;
}

// Each word cut off where a password of an address may begin.
std::string without_passwords_in_words(const std::string& text) {
  std::string shown;
  const std::size_t last = text.rfind('@');
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = std::min(text.find_first_not_of(kBlanks, at), text.size());
    shown += text.substr(at, begin - at);
    std::size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
    if (begin == text.size()) break;
    const std::string_view word = std::string_view(text).substr(begin, end - begin);
    const auto cut = cut_before(word, std::string_view(text).substr(end));
    shown += word.substr(0, cut.value_or(word.size()));
    if (cut) {
      shown += kCut;
      // A password may have blanks, up to the @ behind it.
      if (word.find('@') == word.npos && last != text.npos && last >= end) {
        end = std::min(text.find_first_of(kBlanks, text.find('@', end)), text.size());
      }
      if (word.front() == '\'') shown += "'";
    }
    at = end;
  }
  return shown;
}

}  // namespace

bool is_postgresql(std::string_view where) { return scheme_length(where) > 0; }

std::string name_of(const std::string& where) {
  if (!is_postgresql(where)) return may_be_address(where) ? kCut : one_line(where);
  if (has_stray_at(where)) return kHidden;
  const Parsed address = parsed(with_plain_scheme(where));
  return address.problem.empty() && !has_odd_port(address) ? address_of(address.options) : kHidden;
}

std::string connection_of(const std::string& where) {
  const Parsed address = parsed(with_plain_scheme(where));
  const std::string problem = has_stray_at(where)     ? "it has an @ in a wrong place"
                              : has_odd_port(address) ? "its port is no number up to 65535"
                                                      : without_quoted(address.problem);
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
  const char* const of_environment = ::getenv("PGCONNECT_TIMEOUT");
  const auto given = address.options.find("connect_timeout");
  const std::string limit = given != address.options.end() ? given->second
                            : of_environment != nullptr    ? of_environment
                                                           : "0";
  // For libpq that is none at all.
  if (limit.find_first_not_of("-0") == limit.npos) {
    connection += fmt::format("&connect_timeout={}", kConnectTimeoutSeconds);
  }
  return connection;
}

void check_file_name(const std::string& where) {
  constexpr const char* kWrite =
      "name an SQLite file, or write postgresql://USER@HOST:PORT/DATABASE";
  if (where.empty()) {
    throw Error(kExitUsage, fmt::format("--history: the name is empty; {}", kWrite));
  }
  if (where == ":memory:" || lower(where.substr(0, 5)) == "file:") {
    throw Error(kExitUsage,
                fmt::format("--history: ':memory:' and 'file:' are no files, and keep nothing; {}",
                            kWrite));
  }
  if (!may_be_address(where)) return;
  throw Error(kExitUsage, fmt::format("--history: this is neither the path of an SQLite file nor "
                                      "an address; {}, and a file with a colon in its name as "
                                      "./NAME",
                                      kWrite));
}

std::string without_password(std::string complaint, const std::string& where) {
  // It may stand in the place of any other option, too; what name_of() shows is known.
  constexpr std::string_view kShown[] = {"host", "hostaddr", "port", "dbname"};
  for (const auto& [keyword, value] : parsed(with_plain_scheme(where)).options) {
    if (std::ranges::count(kShown, keyword) > 0) continue;
    const std::size_t colon = value.find(':');
    if (keyword == "user" && colon == value.npos) continue;
    const std::string hidden = keyword == "user" ? value.substr(colon + 1) : value;
    if (hidden.size() < kShortestPassword) continue;
    for (std::size_t at = 0; (at = complaint.find(hidden, at)) != complaint.npos;) {
      complaint.replace(at, hidden.size(), "…");
    }
  }
  return complaint;
}

std::string without_addresses(const std::string& text) {
  // libpq's values are quoted, have blanks, and blanks before them: where one ends is not guessed.
  const std::size_t value = value_of_password(text);
  const std::string shown = without_passwords_in_words(text);
  return value == text.npos ? shown : shown.substr(0, std::min(shown.find(kCut), value)) + kCut;
}

std::string without_values(const std::string& word) {
  if (word.find('@') != word.npos) return kCut;
  const std::string lowered = lower(word);
  const std::size_t value =
      std::min({word.find_first_of(":="), lowered.find("%3a"), lowered.find("%3d")});
  return value == word.npos ? word : word.substr(0, value + 1) + kCut;
}

}  // namespace warpgauge::ci
