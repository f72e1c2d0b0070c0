// SPDX-License-Identifier: Apache-2.0
// Fixtures of the tests that need a database of their own: of either kind, or of a server's.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "tests/helpers/sample_results.hpp"
#include "tests/history/postgresql_server.hpp"

namespace warpgauge {

inline constexpr std::size_t kAll = 1'000'000;  // more runs than any test records

// A test that calls SetUp() returns if IsSkipped().
class PostgresqlTest : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    if (PostgresqlServer::programs().empty()) {
      GTEST_SKIP() << "there is no PostgreSQL server here; ci/scripts/setup.sh test installs one";
    }
    server_ = &postgresql_server();
    database_ = server_->new_database_name();
  }

  PostgresqlServer* server_ = nullptr;
  std::string database_;  // its name
};

enum class Kind { sqlite, postgresql };

class EachDatabaseTest : public InFolder, public testing::WithParamInterface<Kind> {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    if (GetParam() == Kind::sqlite) {
      where_ = folder_ / "its folder" / "history.sqlite";
    } else if (PostgresqlServer::programs().empty()) {
      GTEST_SKIP() << "there is no PostgreSQL server here; ci/scripts/setup.sh test installs one";
    } else {
      where_ = postgresql_server().new_database();
    }
  }

  std::string where_;
};

}  // namespace warpgauge
