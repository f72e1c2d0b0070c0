// SPDX-License-Identifier: Apache-2.0
#include "ci/history/connection/libpq_loading.hpp"

#ifndef WARPGAUGE_LOADS_LIBPQ

namespace warpgauge::ci {

std::string name_of_loaded_libpq() { return ""; }

}  // namespace warpgauge::ci

#else

#include <dlfcn.h>
#include <fmt/format.h>
#include <libpq-events.h>
#include <libpq-fe.h>
#include <libpq/libpq-fs.h>

#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

constexpr const char* kLibpq = "libpq.so.5";

struct Library {
  void* handle = nullptr;
  std::string problem;  // empty: it is there
};

// Never closed: connections may end later than all else.
const Library& libpq() {
  static const Library library = [] {
    Library loaded;
    loaded.handle = ::dlopen(kLibpq, RTLD_NOW | RTLD_LOCAL);
    if (loaded.handle == nullptr) {
      loaded.problem = fmt::format(
          "{} cannot be loaded: install libpq5, or name its folder in LD_LIBRARY_PATH", kLibpq);
    }
    return loaded;
  }();
  return library;
}

// Each use of PostgreSQL begins with an address, which is taken apart by a function of here: so
// what throws has no frame of C below it.
template <class Function>
Function function_of_libpq(const char* name) {
  if (!libpq().problem.empty()) {
    throw Error(kExitNotMeasured,
                "a history on a server needs PostgreSQL's client library: " + libpq().problem);
  }
  void* const found = ::dlsym(libpq().handle, name);
  if (found == nullptr) {
    throw Error(kExitNotMeasured, fmt::format("{} is too old: it has no {}", kLibpq, name));
  }
  return reinterpret_cast<Function>(found);
}

}  // namespace

std::string name_of_loaded_libpq() { return kLibpq; }

}  // namespace warpgauge::ci

// What SOCI and this room call; but for what patience.cpp has in its own way.
// NOLINTBEGIN(readability-identifier-naming,readability-inconsistent-declaration-parameter-name)
#define WARPGAUGE_FORWARD(result, name, parameters, ...)                                     \
  extern "C" result name parameters {                                                        \
    static const auto function = warpgauge::ci::function_of_libpq<decltype(&::name)>(#name); \
    return function(__VA_ARGS__);                                                            \
  }

using Texts = const char* const*;
using Numbers = const int*;

// clang-format off
WARPGAUGE_FORWARD(PGconn*, PQconnectdb, (const char* a), a)
WARPGAUGE_FORWARD(PQconninfoOption*, PQconninfoParse, (const char* a, char** b), a, b)
WARPGAUGE_FORWARD(PQconninfoOption*, PQconninfo, (PGconn* a), a)
WARPGAUGE_FORWARD(void, PQconninfoFree, (PQconninfoOption* a), a)
WARPGAUGE_FORWARD(void, PQfreemem, (void* a), a)
WARPGAUGE_FORWARD(void, PQfinish, (PGconn* a), a)
WARPGAUGE_FORWARD(ConnStatusType, PQstatus, (const PGconn* a), a)
WARPGAUGE_FORWARD(char*, PQerrorMessage, (const PGconn* a), a)
WARPGAUGE_FORWARD(int, PQserverVersion, (const PGconn* a), a)
WARPGAUGE_FORWARD(int, PQsocket, (const PGconn* a), a)
WARPGAUGE_FORWARD(int, PQsetnonblocking, (PGconn* a, int b), a, b)
WARPGAUGE_FORWARD(int, PQsetSingleRowMode, (PGconn* a), a)
WARPGAUGE_FORWARD(int, PQisBusy, (PGconn* a), a)
WARPGAUGE_FORWARD(int, PQflush, (PGconn* a), a)
WARPGAUGE_FORWARD(int, PQconsumeInput, (PGconn* a), a)
WARPGAUGE_FORWARD(int, PQregisterEventProc, (PGconn* a, PGEventProc b, const char* c, void* d), a, b, c, d)
WARPGAUGE_FORWARD(int, PQsetInstanceData, (PGconn* a, PGEventProc b, void* c), a, b, c)
WARPGAUGE_FORWARD(void*, PQinstanceData, (const PGconn* a, PGEventProc b), a, b)
WARPGAUGE_FORWARD(PQnoticeProcessor, PQsetNoticeProcessor, (PGconn* a, PQnoticeProcessor b, void* c), a, b, c)
WARPGAUGE_FORWARD(int, PQsendQuery, (PGconn* a, const char* b), a, b)
WARPGAUGE_FORWARD(int, PQsendQueryParams, (PGconn* a, const char* b, int c, const Oid* d, Texts e, Numbers f, Numbers g, int h), a, b, c, d, e, f, g, h)
WARPGAUGE_FORWARD(int, PQsendPrepare, (PGconn* a, const char* b, const char* c, int d, const Oid* e), a, b, c, d, e)
WARPGAUGE_FORWARD(int, PQsendQueryPrepared, (PGconn* a, const char* b, int c, Texts d, Numbers e, Numbers f, int g), a, b, c, d, e, f, g)
WARPGAUGE_FORWARD(PGresult*, PQgetResult, (PGconn* a), a)
WARPGAUGE_FORWARD(PGresult*, PQmakeEmptyPGresult, (PGconn* a, ExecStatusType b), a, b)
WARPGAUGE_FORWARD(void, PQclear, (PGresult* a), a)
WARPGAUGE_FORWARD(ExecStatusType, PQresultStatus, (const PGresult* a), a)
WARPGAUGE_FORWARD(char*, PQresultErrorMessage, (const PGresult* a), a)
WARPGAUGE_FORWARD(char*, PQresultErrorField, (const PGresult* a, int b), a, b)
WARPGAUGE_FORWARD(char*, PQcmdTuples, (PGresult* a), a)
WARPGAUGE_FORWARD(int, PQntuples, (const PGresult* a), a)
WARPGAUGE_FORWARD(int, PQnfields, (const PGresult* a), a)
WARPGAUGE_FORWARD(char*, PQfname, (const PGresult* a, int b), a, b)
WARPGAUGE_FORWARD(int, PQfformat, (const PGresult* a, int b), a, b)
WARPGAUGE_FORWARD(int, PQfsize, (const PGresult* a, int b), a, b)
WARPGAUGE_FORWARD(Oid, PQftype, (const PGresult* a, int b), a, b)
WARPGAUGE_FORWARD(char*, PQgetvalue, (const PGresult* a, int b, int c), a, b, c)
WARPGAUGE_FORWARD(int, PQgetisnull, (const PGresult* a, int b, int c), a, b, c)
WARPGAUGE_FORWARD(int, lo_open, (PGconn* a, Oid b, int c), a, b, c)
WARPGAUGE_FORWARD(int, lo_close, (PGconn* a, int b), a, b)
WARPGAUGE_FORWARD(int, lo_read, (PGconn* a, int b, char* c, size_t d), a, b, c, d)
WARPGAUGE_FORWARD(int, lo_write, (PGconn* a, int b, const char* c, size_t d), a, b, c, d)
WARPGAUGE_FORWARD(int, lo_lseek, (PGconn* a, int b, int c, int d), a, b, c, d)
// clang-format on
// NOLINTEND(readability-identifier-naming,readability-inconsistent-declaration-parameter-name)

#endif
