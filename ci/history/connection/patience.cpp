// SPDX-License-Identifier: Apache-2.0
#include "ci/history/connection/patience.hpp"

#include <fmt/format.h>
#include <libpq-events.h>
#include <poll.h>
#include <soci/soci.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "ci/history/connection/address.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"

namespace warpgauge::ci {
namespace {

// Where the address gives no limit on connecting, or none at all.
constexpr std::chrono::seconds kWithoutLimit{60};

constexpr std::size_t kLongestNotice = 1000;

int on_event(PGEventId /*event*/, void* /*info*/, void* /*data*/) { return 1; }

void print_notice(void* data, const char* message) {
  auto& patience = *static_cast<Patience*>(data);
  if (patience.notices == 0) return;
  --patience.notices;
  const std::string text =
      log_text(fmt::format("warpgauge: the history's server says: {}",
                           one_line(without_addresses(shortened(message, kLongestNotice)))));
  (void)std::fprintf(stderr, "%s\n", text.c_str());
}

// As long as connecting may take.
std::chrono::milliseconds limit_of_connecting(PGconn* connection) {
  const std::unique_ptr<PQconninfoOption, decltype(&::PQconninfoFree)> options(
      ::PQconninfo(connection), &::PQconninfoFree);
  for (const PQconninfoOption* option = options.get(); option && option->keyword; ++option) {
    if (std::string_view(option->keyword) != "connect_timeout" || !option->val) continue;
    const int seconds = std::atoi(option->val);
    if (seconds > 0) return std::chrono::seconds(seconds);
  }
  return kWithoutLimit;
}

std::chrono::milliseconds limit_of(PGconn* connection) {
  const auto* patience = static_cast<const Patience*>(::PQinstanceData(connection, on_event));
  if (patience == nullptr || patience->limit.count() == 0) return limit_of_connecting(connection);
  return patience->limit;
}

class Answer {
 public:
  explicit Answer(PGconn* connection)
      : connection_(connection),
        limit_(limit_of(connection)),
        end_(std::chrono::steady_clock::now() + limit_) {
    // A statement that the server does not read is not waited for either.
    (void)::PQsetnonblocking(connection_, 1);
  }

  // Of what was sent; the last result, as libpq's own functions give. What the connection's
  // message says where nothing could be sent.
  PGresult* to(int sent) {
    if (sent == 0) return ::PQmakeEmptyPGresult(connection_, PGRES_FATAL_ERROR);
    flush();
    PGresult* last = nullptr;
    while (PGresult* const next = result()) {
      ::PQclear(last);
      last = next;
      if (::PQstatus(connection_) == CONNECTION_BAD) break;
    }
    return last;
  }

  // What is left over of the statement before.
  void discard() {
    while (PGresult* const left = result()) ::PQclear(left);
  }

 private:
  void flush() {
    while (::PQflush(connection_) == 1) {
      if ((wait(POLLIN | POLLOUT) & POLLIN) != 0) (void)::PQconsumeInput(connection_);
    }
  }

  PGresult* result() {
    while (::PQisBusy(connection_) != 0) {
      (void)wait(POLLIN);
      if (::PQconsumeInput(connection_) == 0) break;  // the result says so
    }
    PGresult* const result = ::PQgetResult(connection_);
    const ExecStatusType status = ::PQresultStatus(result);
    if (status != PGRES_COPY_IN && status != PGRES_COPY_OUT && status != PGRES_COPY_BOTH) {
      return result;
    }
    // The same would be given without end.
    ::PQclear(result);
    (void)::shutdown(::PQsocket(connection_), SHUT_RDWR);
    throw soci::soci_error("the server wants to copy data, which nothing asked for");
  }

  short wait(short events) {
    pollfd socket{::PQsocket(connection_), events, 0};
    while (true) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
      const int ready = left.count() <= 0 ? 0 : ::poll(&socket, 1, static_cast<int>(left.count()));
      if (ready > 0) return socket.revents;
      if (ready < 0 && errno == EINTR) continue;
      (void)::shutdown(::PQsocket(connection_), SHUT_RDWR);
      throw soci::soci_error(
          fmt::format("the server has not answered for {} s",
                      std::chrono::duration_cast<std::chrono::seconds>(limit_).count()));
    }
  }

  PGconn* connection_;
  std::chrono::milliseconds limit_;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace

void be_patient(PGconn* connection, Patience& patience) {
  (void)::PQregisterEventProc(connection, on_event, "warpgauge", nullptr);
  (void)::PQsetInstanceData(connection, on_event, &patience);
  (void)::PQsetNoticeProcessor(connection, print_notice, &patience);
}

}  // namespace warpgauge::ci

// SOCI calls these by name. Those of a program come before a library's: what is here waits for a
// time, and libpq's own wait without end.
// NOLINTBEGIN(readability-identifier-naming,readability-inconsistent-declaration-parameter-name)
#define WARPGAUGE_IN_PLACE_OF_LIBPQ extern "C" __attribute__((visibility("default")))

WARPGAUGE_IN_PLACE_OF_LIBPQ PGresult* PQexec(PGconn* connection, const char* query) {
  warpgauge::ci::Answer answer(connection);
  answer.discard();
  return answer.to(::PQsendQuery(connection, query));
}

WARPGAUGE_IN_PLACE_OF_LIBPQ PGresult* PQexecParams(PGconn* connection, const char* command,
                                                   int count, const Oid* types,
                                                   const char* const* values, const int* lengths,
                                                   const int* formats, int result_format) {
  warpgauge::ci::Answer answer(connection);
  answer.discard();
  return answer.to(::PQsendQueryParams(connection, command, count, types, values, lengths, formats,
                                       result_format));
}

WARPGAUGE_IN_PLACE_OF_LIBPQ PGresult* PQprepare(PGconn* connection, const char* name,
                                                const char* query, int count, const Oid* types) {
  warpgauge::ci::Answer answer(connection);
  answer.discard();
  return answer.to(::PQsendPrepare(connection, name, query, count, types));
}

WARPGAUGE_IN_PLACE_OF_LIBPQ PGresult* PQexecPrepared(PGconn* connection, const char* name,
                                                     int count, const char* const* values,
                                                     const int* lengths, const int* formats,
                                                     int result_format) {
  warpgauge::ci::Answer answer(connection);
  answer.discard();
  return answer.to(
      ::PQsendQueryPrepared(connection, name, count, values, lengths, formats, result_format));
}
// NOLINTEND(readability-identifier-naming,readability-inconsistent-declaration-parameter-name)
