// SPDX-License-Identifier: Apache-2.0
#include "ci/report/links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "ci/support/utf8.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::size_t kLongestUrl = 1'000;

bool is_plain(unsigned char character) {
  return character < 0x80 && (std::isalnum(character) != 0 || character == '-' ||
                              character == '.' || character == '_' || character == '~');
}

// As in RFC 3986, of a path without its slashes.
std::string encoded(std::string_view text, std::string_view kept) {
  std::string url;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (is_plain(byte) || kept.find(character) != kept.npos) {
      url += character;
    } else {
      url += fmt::format("%{:02X}", byte);
    }
  }
  return url;
}

bool is_revision(const std::string& text) {
  return text.size() >= 7 && text.size() <= 64 &&
         text.find_first_not_of("0123456789abcdef") == text.npos;
}

bool is_elsewhere(const std::string& file) {
  const std::filesystem::path path(file);
  return path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end();
}

std::string if_short(const std::string& url) {
  return url.size() <= kLongestUrl ? url : std::string();
}

}  // namespace

bool is_linkable(std::string_view url) {
  const bool is_web = url.starts_with("https://") || url.starts_with("http://");
  return is_web && url.size() <= kLongestUrl &&
         std::all_of(url.begin(), url.end(), [](unsigned char character) {
           return is_plain(character) ||
                  std::string_view(":/?#@!$&+,;=%").find(static_cast<char>(character)) !=
                      std::string_view::npos;
         });
}

std::string source_link(const ReportLinks& links, const GateVerdict& verdict,
                        const results::SourceLine& line) {
  const bool is_known = is_linkable(links.source) && verdict.after_session &&
                        is_revision(verdict.after_session->source.revision) &&
                        !verdict.after_session->source.modified && line.line > 0 &&
                        !line.file.empty() && !is_elsewhere(line.file);
  if (!is_known) return {};
  return if_short(fmt::format("{}/{}/{}#L{}", links.source, verdict.after_session->source.revision,
                              encoded(line.file, "/"), line.line));
}

std::string page_link(const ReportLinks& links, const std::string& id) {
  if (!is_linkable(links.page)) return {};
  return if_short(fmt::format("{}#/b/{}", links.page, encoded(valid_utf8(id), "")));
}

}  // namespace warpgauge::ci
