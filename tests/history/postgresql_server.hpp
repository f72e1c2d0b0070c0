// SPDX-License-Identifier: Apache-2.0
// A PostgreSQL server of a test's own: in a temporary folder, reached by a socket there, and by TCP
// from this machine alone.
#pragma once

#include <netinet/in.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/socket.h>
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
    for (int attempt = 0;; ++attempt) {
      // Someone else may take it first.
      port_ = free_port();
      const std::string start =
          "pg_ctl start --wait --pgdata=" + name + "/data --log=" + name +
          "/log --options=\"-c listen_addresses=127.0.0.1 -c port=" + std::to_string(port_) +
          " -c unix_socket_directories=" + name + " -c fsync=" + (durable ? "on" : "off") + "\"";
      if (attempt == 9) {
        must(start);
        break;
      }
      if (run(start).status == 0) break;
    }
  }
  ~PostgresqlServer() {
    (void)run("pg_ctl stop --mode=immediate --pgdata=" + folder_ + "/data");
    std::filesystem::remove_all(folder_);
  }
  PostgresqlServer(const PostgresqlServer&) = delete;
  PostgresqlServer& operator=(const PostgresqlServer&) = delete;

  // Address of a new, empty database, by the socket.
  std::string new_database() { return address("test", new_database_name()); }

  // like: the database that it is a copy of, to which nobody is connected; empty: none.
  std::string new_database_name(const std::string& like = "") {
    const std::string name = "test" + std::to_string(++databases_);
    must("createdb --host=" + folder_ + " --port=" + port() + " --username=test " +
         (like.empty() ? "" : "--template=" + like + " ") + name);
    return name;
  }

  [[nodiscard]] std::string address(const std::string& user, const std::string& database) const {
    return "postgresql://" + user + "@/" + database + "?host=" + folder_ + "&port=" + port();
  }

  // Folder of its socket.
  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] std::string port() const { return std::to_string(port_); }

 private:
  static int free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ::sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::socklen_t size = sizeof address;
    const bool bound =
        ::bind(socket, reinterpret_cast<::sockaddr*>(&address), sizeof address) == 0 &&
        ::getsockname(socket, reinterpret_cast<::sockaddr*>(&address), &size) == 0;
    ::close(socket);
    if (!bound) throw std::runtime_error("there is no free port");
    return ntohs(address.sin_port);
  }

  Finished run(const std::string& command) const {
    return shell("cd / && " + as_user_ + programs() + "/" + command);
  }
  void must(const std::string& command) const {
    const Finished finished = run(command);
    if (finished.status != 0) throw std::runtime_error(command + ":\n" + finished.output);
  }

  std::string folder_;
  std::string as_user_;
  int port_ = 0;
  int databases_ = 0;
};

// One for all tests of a program.
inline PostgresqlServer& postgresql_server() {
  static PostgresqlServer only;
  return only;
}

}  // namespace warpgauge
