// SPDX-License-Identifier: Apache-2.0
// A PostgreSQL server of a test's own: in a temporary folder, reached by a socket there alone.
#pragma once

#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/helpers/process.hpp"

namespace warpgauge {

class PostgresqlServer {
 public:
  // Folder of the newest installed server's programs, as Debian has them; empty: there is none.
  static std::string programs() {
    const std::filesystem::path all = "/usr/lib/postgresql";
    std::vector<std::string> found;
    if (!std::filesystem::exists(all)) return {};
    for (const auto& version : std::filesystem::directory_iterator(all)) {
      if (std::filesystem::exists(version.path() / "bin/initdb")) {
        found.push_back(version.path() / "bin");
      }
    }
    return found.empty() ? std::string() : *std::max_element(found.begin(), found.end());
  }

  // Durable: what is committed outlives the machine, as it should, but for tests.
  explicit PostgresqlServer(bool durable = false) {
    std::string name = "/tmp/warpgauge-postgresql-XXXXXX";  // short: a socket's path is
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    folder_ = name;
    // It refuses to be started by root.
    if (::geteuid() == 0) {
      const ::passwd* nobody = ::getpwnam("nobody");
      if (nobody == nullptr || ::chown(name.c_str(), nobody->pw_uid, nobody->pw_gid) != 0) {
        throw std::runtime_error("cannot hand the folder to the user nobody");
      }
      as_user_ = "setpriv --reuid=nobody --regid=nogroup --clear-groups ";
    }
    must("initdb --pgdata=" + name + "/data --username=test --auth=trust --no-sync");
    must("pg_ctl start --wait --pgdata=" + name + "/data --log=" + name +
         "/log --options=\"-c listen_addresses= -c unix_socket_directories=" + name +
         " -c fsync=" + (durable ? "on" : "off") + "\"");
  }
  ~PostgresqlServer() {
    (void)run("pg_ctl stop --mode=immediate --pgdata=" + folder_ + "/data");
    std::filesystem::remove_all(folder_);
  }
  PostgresqlServer(const PostgresqlServer&) = delete;
  PostgresqlServer& operator=(const PostgresqlServer&) = delete;

  // Connection string of a new, empty database.
  std::string new_database() {
    const std::string name = "test" + std::to_string(++databases_);
    must("createdb --host=" + folder_ + " --username=test " + name);
    return "postgresql://test@/" + name + "?host=" + folder_;
  }

 private:
  Finished run(const std::string& command) const {
    return shell("cd / && " + as_user_ + programs() + "/" + command);
  }
  void must(const std::string& command) const {
    const Finished finished = run(command);
    if (finished.status != 0) throw std::runtime_error(command + ":\n" + finished.output);
  }

  std::string folder_;
  std::string as_user_;
  int databases_ = 0;
};

}  // namespace warpgauge
