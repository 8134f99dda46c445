// A session in the browser: HTTP and WebSocket on the loopback interface, and a thread that keeps real time.
// docs/guide/viewer-protocol.md has the messages.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "lipkin/session.hpp"

namespace lipkin {

struct ServerOptions {
  int port = 0;                      // 0: any that is free
  std::string token;                 // empty: a new one
  std::filesystem::path viewer_dir;  // the built viewer; empty: looked for
  bool plays = true;                 // from the start
  std::function<double()> limit;     // the time that the next step does not go beyond [s]; none: no such time
  // Called on the simulation thread.
  std::function<void(Session&)> on_start;    // before the first step
  std::function<void(Session&)> on_step;     // after every step in real time
  std::function<void(Session&)> on_command;  // after commands of clients, which may have stepped too
  std::function<void(Session&)> on_stop;     // after the last one
};

// How well real time was kept.
struct RealTimeReport {
  std::uint64_t steps = 0;
  std::uint64_t deadline_misses = 0;                // steps that ended later than a screen refresh after their time
  double step_p50 = 0, step_p99 = 0, step_max = 0;  // wall time of a step [s]
  double work_p50 = 0, work_p99 = 0;                // processor time of a step: without what others took meanwhile [s]
  int clients = 0;                                  // connected now
};

class Server {
 public:
  // Binds to the loopback interface. Throws InputError when the port is taken.
  Server(Session session, ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  std::string url() const;                   // with the token
  std::filesystem::path viewer_dir() const;  // empty: none was found

  // Simulates and serves until stop() is called from another thread, or a signal's watcher.
  void run();
  void stop();

  RealTimeReport report() const;

  struct Impl;  // src/server/server.cpp

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace lipkin
