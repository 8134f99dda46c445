// The thread that owns a session: keeps real time, applies what clients send, and never waits for one of them.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "lipkin/server.hpp"
#include "server/step_meter.hpp"

namespace lipkin {

using SharedText = std::shared_ptr<const std::string>;

class SimulationLoop {
 public:
  // Both are called on the simulation thread and must return at once.
  struct Transport {
    std::function<void(int client, SharedText text)> send;  // a text message
    std::function<void()> frame_ready;                      // latest_frame() has changed
  };

  SimulationLoop(Session session, const ServerOptions& options, Transport transport);

  // From any thread; false where too much waits already.
  bool connect(int client);
  bool disconnect(int client);
  bool receive(int client, std::string text);
  SharedText latest_frame() const;
  SharedText status() const;
  // The model as a scene file, or what is wrong; `done` is called on the simulation thread.
  bool request_scene(std::function<void(std::string)> done);
  RealTimeReport report() const;
  void stop();

  void run();

 private:
  using Clock = std::chrono::steady_clock;
  struct Message {
    enum class Kind { kConnect, kDisconnect, kText, kScene } kind;
    int client;
    std::string text;
    std::function<void(std::string)> done = {};
  };

  bool post(Message message);
  bool handle_messages();
  void handle(Message& message);
  void welcome(int client);
  void farewell(int client);
  void command(int client, const std::string& text);
  bool steer(int client, const std::string& text);  // take, give, follow: not the session's business
  void answer(int client, const std::string& id, const CommandAnswer& answer);
  void refuse(int client, const std::string& id, const std::string& why);
  void broadcast(const std::string& text);
  void tell_changes();
  void tell_clients();
  void tell_regularly(Clock::time_point now);
  void keep_time();
  void anchor();
  void step_until(double target, Clock::time_point deadline);
  void publish(Clock::time_point now, bool must);
  void wait();
  std::string run_json() const;

  Session session_;
  ServerOptions options_;
  Transport transport_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Message> inbox_;
  bool stopping_ = false;
  SharedText frame_, status_;
  RealTimeReport report_;

  std::vector<int> clients_;
  int driver_ = 0;
  std::map<int, std::vector<int>> drags_;  // by client
  SessionVersions told_;
  bool was_playing_ = false;
  double was_speed_ = 1;
  Clock::time_point anchor_wall_, last_frame_, last_news_, factor_wall_;
  double anchor_t_ = 0, factor_t_ = 0;  // [s]
  float factor_ = 0;
  bool behind_ = false;
  std::uint64_t misses_ = 0;
  StepMeter meter_;
  std::string frame_bytes_;
};

}  // namespace lipkin
