// SPDX-License-Identifier: Apache-2.0
// Addresses of PostgreSQL databases: those that the documentation names work, and none of them has
// a password in what is printed.
#include "ci/history/connection/address.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>
#include <utility>
#include <vector>

#include "ci/support/errors.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/history/database_fixtures.hpp"

namespace warpgauge::ci {
namespace {

class Addresses : public PostgresqlTest {
 protected:
  void SetUp() override {
    PostgresqlTest::SetUp();
    if (IsSkipped()) return;
    write("results.json", results_text(h200(), {{.id = "scan/plain/1", .times_ns = {1000}}}));
  }

  [[nodiscard]] Finished record(const std::string& where,
                                const std::string& environment = "") const {
    return shell("cd " + quoted(folder_.string()) + " && " + environment + " " + quoted(WARPGAUGE) +
                 " history record results.json --history " + quoted(where));
  }
};

TEST_F(Addresses, EachThatIsDocumentedReachesTheDatabase) {
  const std::string tcp = "test@127.0.0.1:" + server_->port() + "/" + database_;
  const std::string socket = "test@/" + database_ + "?host=" + server_->folder();
  const std::string by_port = "PGPORT=" + server_->port();
  const std::vector<std::pair<std::string, std::string>> all{
      {"postgresql://" + tcp, ""},
      {"postgres://" + tcp, ""},
      {"POSTGRESQL://" + tcp, ""},
      {"postgresql://test@127.0.0.1/" + database_, by_port},
      {"postgresql://test@127.0.0.1/" + database_, by_port + " PGCONNECT_TIMEOUT=20"},
      {"postgresql://" + tcp + "?connect_timeout=5", ""},
      {"postgresql://" + tcp + "?connect_timeout=5&sslmode=disable", ""},
      {"postgresql://test:any%20word@127.0.0.1:" + server_->port() + "/" + database_, ""},
      {"postgresql://test:two words@127.0.0.1:" + server_->port() + "/" + database_, ""},
      {"postgresql://" + socket, by_port},
      {"postgresql://" + socket + "&port=" + server_->port() + "&connect_timeout=5", ""},
      {"postgres:///" + database_ + "?user=test&host=" + server_->folder(), by_port}};
  bool first = true;
  for (const auto& [where, environment] : all) {
    const Finished finished = record(where, environment);
    EXPECT_EQ(finished.status, 0) << where << "\n" << finished.output;
    const char* said = first ? "recorded as run 1" : "is there already, as run 1";
    EXPECT_NE(finished.output.find(said), std::string::npos) << where << "\n" << finished.output;
    first = false;
  }
}

TEST_F(Addresses, NoMessageTellsAPassword) {
  ASSERT_EQ(record(server_->address("test", database_)).status, 0);
  const std::string rest = "/" + database_ + "?host=" + server_->folder();
  const std::string port = "&port=" + server_->port();
  for (const std::string& where :
       {"postgresql://test:hunter2@" + rest + port, "postgres://test:hunter2@" + rest + port,
        "PostgreSQL://test:hunter2@" + rest + port,
        "postgresql://test@" + rest + port + "&password=hunter2",
        "postgresql://test:h%75nter2@" + rest + port,
        "postgresql://test:hunter2@127.0.0.1:" + server_->port() + "/" + database_}) {
    for (const char* command : {"list --device nowhere", "trend nothing", "export --run 2"}) {
      const Finished refused =
          warpgauge("history " + std::string(command) + " --history " + quoted(where));
      EXPECT_EQ(refused.status, 64) << command;
      EXPECT_NE(refused.output.find("postgresql://test@"), std::string::npos) << refused.output;
      EXPECT_EQ(refused.output.find("hunter2"), std::string::npos) << refused.output;
    }
  }
}

// Each holds the password in a spelling that no server is asked for.
const std::vector<std::string>& unreadable() {
  static const std::vector<std::string> all{"postgresql://ci:a@hunter2@host/db",
                                            "postgresql://ci:hunter2@b@host/db",
                                            "postgresql://ci:hunter2/x@host/db",
                                            "postgresql://ci:1/hunter2@host/db",
                                            "postgresql://?password=hunter2@host",
                                            "postgresql://host:1?password=x@hunter2",
                                            "postgresql://ci:%zzhunter2@host/db",
                                            "postgresql://ci@host/db?pasword=hunter2",
                                            "postgresql://ci@host/db?password=%zzhunter2",
                                            "postgresql://ci@host/db?hunter2",
                                            "postgresql://ci@[host/hunter2",
                                            "POSTGRES://ci:hunter2@b@host/db",
                                            "host=host password=hunter2 dbname=db",
                                            "password = 'hunter2",
                                            "passwd=hunter2",
                                            "host=h password= hunter2",
                                            "host=h password =\thunter2 port=1",
                                            "host=h password='my hunter2'",
                                            "host=h password=a\\ hunter2",
                                            "host=h sslpassword= ' hunter2 b'",
                                            "host=h pwd=hunter2",
                                            "PWD = hunter2",
                                            "password%3Dhunter2",
                                            "postgresq://ci:hunter2@host/db",
                                            "postgresql:/ci:hunter2@host",
                                            "postgresql:ci:hunter2@host/db",
                                            "PostgreSQL:/ci:hunter2@host",
                                            "//ci:hunter2:host:1",
                                            "//ci:hunter2@host/db",
                                            "/ci:hunter2@host/db",
                                            "ci:hunter2@host/db",
                                            "host:5432:db:ci:hunter2",
                                            "jdbc:postgresql:hunter2",
                                            "postgresql%3A//ci%3Ahunter2%40host",
                                            "postgresql://ci:@hunter2@host/db",
                                            "postgresql://ci:hunter2",
                                            "postgresql://ci:hunter2/db",
                                            "postgresql://u@h:hunter2/db",
                                            "postgresql://h:5432,ci:hunter2/db",
                                            "postgresql://h/db?port=hunter2"};
  return all;
}

TEST(AddressesThatCannotBeRead, AreRefusedWithoutAWordOfThem) {
  for (const std::string& where : unreadable()) {
    const Finished refused = shell(quoted(WARPGAUGE) + " history list --history " + quoted(where));
    EXPECT_EQ(refused.status, 64) << where << "\n" << refused.output;
    EXPECT_EQ(refused.output.find("hunter2"), std::string::npos) << refused.output;
    for (const std::string& shown :
         {name_of(where), without_values(where), without_values("--histry=" + where),
          without_addresses("there is no '" + where + "'"), without_addresses(where + ": none")}) {
      EXPECT_EQ(shown.find("hunter2"), std::string::npos) << shown;
    }
  }
}

// Where something else is wanted, and where nothing is.
using WordsTyped = InFolder;
TEST_F(WordsTyped, ThatMayBeAddressesAreNotShown) {
  write("results.json", results_text(h200(), {{.id = "scan/plain/1", .times_ns = {1000}}}));
  ASSERT_EQ(warpgauge("history record results.json").status, 0);
  for (const char* where :
       {"postgresql:/ci:hunter2@host", "host=host password=hunter2 dbname=db",
        "host=h password= hunter2", "host=h password='my hunter2'", "host=h password=a\\ hunter2",
        "host=h pwd=hunter2", "host=h PWD = hunter2"}) {
    for (const char* command :
         {"history list", "history list --histry", "history trend", "history record",
          "history list --last", "history lst", "compare"}) {
      const Finished refused = warpgauge(std::string(command) + " " + quoted(where));
      EXPECT_NE(refused.status, 0) << command;
      EXPECT_EQ(refused.output.find("hunter2"), std::string::npos) << command << refused.output;
    }
  }
}

TEST(WithoutAddresses, LeavesWhatHoldsNoPassword) {
  for (const char* text :
       {"history postgresql://ci@host:5432/db: permission denied",
        "history postgresql://ci@/db?host=/run/postgresql: no", "no postgresql://ci@[::1]:5432/db",
        "write postgresql://USER@HOST:PORT/DATABASE, and in names", "see https://host/a:b?c=d.",
        "kernels/scan.cu:12: error", "a: b @ c", "", " ", "'postgresql://host/db'"}) {
    EXPECT_EQ(without_addresses(text), text);
  }
  EXPECT_EQ(without_addresses("no 'postgresql://ci%3ahunter2@host/db' here"),
            "no 'postgresql://…' here");
  EXPECT_EQ(without_addresses("no 'postgresql:/ci:hunter2@host'; see"), "no 'postgresql:…' see");
  EXPECT_EQ(without_addresses("no 'postgresql://ci:my hunter2@host/db' here"),
            "no 'postgresql://…' here");
  EXPECT_EQ(without_addresses("no 'postgresql://me too:my hunter2@host/db' here"),
            "no 'postgresql://…' here");
  EXPECT_EQ(without_addresses("postgresql://h a:b c=hunter2@h: none"), "postgresql://… none");
  EXPECT_EQ(without_addresses("no 'postgresql:// me:my hunter2@host' here"),
            "no 'postgresql://…' here");
  EXPECT_EQ(without_addresses("https://me:hunter2@host/x is no file"), "https://me:… is no file");
  EXPECT_EQ(without_addresses("no 'host=h password= my hunter2' here"), "no 'host=h password=…");
  EXPECT_EQ(without_addresses("a:b@c pass = b@c"), "a:…");
  EXPECT_EQ(without_addresses("postgresql:// me:hunter2 password =@h"), "postgresql://…");
}

TEST(NameOf, LeavesOutPasswordsAndOptions) {
  EXPECT_EQ(name_of("postgresql://ci:secret@host:5432/db"), "postgresql://ci@host:5432/db");
  EXPECT_EQ(name_of("postgresql://ci@host/db"), "postgresql://ci@host/db");
  EXPECT_EQ(name_of("postgresql://host:5432/db"), "postgresql://host:5432/db");
  EXPECT_EQ(name_of("postgres://ci@host/db?password=secret&connect_timeout=5"),
            "postgresql://ci@host/db");
  EXPECT_EQ(name_of("POSTGRESQL://ci:secret@host/db"), "postgresql://ci@host/db");
  EXPECT_EQ(name_of("postgresql://ci:a%40b@host/db"), "postgresql://ci@host/db");
  EXPECT_EQ(name_of("postgresql://ci:secret@[::1]:5432/db"), "postgresql://ci@[::1]:5432/db");
  EXPECT_EQ(name_of("postgresql://ci@/db?host=/run/postgresql&sslpassword=secret"),
            "postgresql://ci@/db?host=/run/postgresql");
  EXPECT_EQ(name_of("postgresql://ci@host/d%1b[31mb"), "postgresql://ci@host/d [31mb");
  EXPECT_EQ(name_of("postgresql://ci%3Asecret@host/db"), "postgresql://ci:…@host/db");
  EXPECT_EQ(name_of("postgresql://a:1,b:2/db"), "postgresql://a,b:1,2/db");
  EXPECT_EQ(name_of("postgresql://ci:123456/db"), "postgresql://…") << "no port";
  EXPECT_EQ(name_of("a:b@c.sqlite"), "…");
  EXPECT_EQ(name_of("./a:b.sqlite"), "./a:b.sqlite");
}

TEST(WithoutPassword, CutsItOutOfWhatOthersSay) {
  EXPECT_EQ(without_password("no route to hunter2", "postgresql://ci:h%75nter2@host/db"),
            "no route to …");
  EXPECT_EQ(without_password("key hunter2", "postgresql://ci@host/db?sslpassword=hunter2"),
            "key …");
  EXPECT_EQ(without_password("odd value hunter2", "postgresql://ci@host/db?sslmode=hunter2"),
            "odd value …");
  EXPECT_EQ(without_password("no role ci:hunter2", "postgresql://ci%3Ahunter2@host/db"),
            "no role ci:…");
  EXPECT_EQ(without_password("no role mary on db", "postgresql://mary@host/db"),
            "no role mary on db");
  EXPECT_EQ(without_password("as it was", "postgresql://ci:a@host/db"), "as it was");
}

TEST(ConnectionOf, LimitsHowLongConnectingTakesOnce) {
  ::unsetenv("PGCONNECT_TIMEOUT");
  EXPECT_NE(connection_of("postgresql://ci@host/db").find("&connect_timeout=15"),
            std::string::npos);
  EXPECT_EQ(connection_of("postgresql://ci@host/db?connect_timeout=5").find("connect_timeout=15"),
            std::string::npos);
  for (const char* none : {"0", "-0", "00"}) {
    EXPECT_TRUE(connection_of(std::string("postgresql://ci@host/db?connect_timeout=") + none)
                    .ends_with("&connect_timeout=15"));
    ::setenv("PGCONNECT_TIMEOUT", none, 1);
    EXPECT_TRUE(connection_of("postgresql://ci@host/db").ends_with("&connect_timeout=15"));
    ::unsetenv("PGCONNECT_TIMEOUT");
  }
}

}  // namespace
}  // namespace warpgauge::ci
