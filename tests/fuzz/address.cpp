// SPDX-License-Identifier: Apache-2.0
// What is shown of words that someone typed: no password that libpq reads there.
#include "ci/history/connection/address.hpp"

#include <libpq-fe.h>

#include <memory>
#include <string_view>
#include <vector>

#include "tests/fuzz/target.hpp"

namespace {

using namespace warpgauge;

// Those of a text that libpq takes for a connection, which stand there once, so that nothing else
// that is shown can be the same.
std::vector<std::string> passwords_in(const std::string& text) {
  constexpr std::size_t kShortest = 4;
  char* message = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&::PQconninfoFree)> options(
      ::PQconninfoParse(text.c_str(), &message), &::PQconninfoFree);
  const std::unique_ptr<char, decltype(&::PQfreemem)> owned(message, &::PQfreemem);
  std::vector<std::string> passwords;
  for (const PQconninfoOption* each = options.get(); each != nullptr && each->keyword != nullptr;
       ++each) {
    if (each->val == nullptr) continue;
    const std::string value = each->val;
    const std::size_t at = text.find(value);
    const bool is_password = std::string_view(each->keyword).find("password") != std::string::npos;
    const bool once = at != text.npos && text.find(value, at + 1) == text.npos;
    if (is_password && once && value.size() >= kShortest) passwords.push_back(value);
  }
  return passwords;
}

}  // namespace

void warpgauge::read_hostile(const std::string& text) {
  const std::vector<std::string> passwords = passwords_in(text);
  for (const std::string& shown :
       {ci::name_of(text), ci::without_addresses(text), ci::without_addresses("no '" + text + "'"),
        ci::without_addresses(text + " is not there"), ci::without_values(text),
        ci::without_password(text, text)}) {
    for (const std::string& password : passwords) {
      if (shown.find(password) != shown.npos) found("a password is shown: " + shown);
    }
  }
  if (ci::is_postgresql(text)) {
    (void)ci::connection_of(text);
  } else {
    ci::check_file_name(text);
  }
}
