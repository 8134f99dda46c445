// The thread that owns a session: keeps real time, applies what clients send, and never waits for one of them.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/exchange.hpp"
#include "server/step_meter.hpp"
#include "server/thread_priority.hpp"

namespace lipkin {

class SimulationLoop {
 public:
  SimulationLoop(Session session, const ServerOptions& options, Exchange& exchange);

  // Until somebody stops the exchange.
  void run();

 private:
  using Clock = std::chrono::steady_clock;

  bool handle_messages();
  void handle(Incoming& message);
  void welcome(int client);
  void farewell(int client);
  void command(int client, const std::string& text);
  bool steer(int client, const std::string& text);  // take, give, follow: not the session's business
  void answer(int client, const std::string& id, const CommandAnswer& answer);
  void send_answer(int client, const std::string& text);
  void refuse(int client, const std::string& id, const std::string& why);
  void broadcast(std::string text, std::shared_ptr<LateText> late = {});
  std::shared_ptr<LateText> model_text();
  void tell_changes();
  void tell_clients();
  void tell_regularly(Clock::time_point now);
  void keep_time();
  void anchor();
  double step_limit() const;  // [s]
  void step_until(double target, Clock::time_point deadline);
  void publish(Clock::time_point now, bool must);
  void wait();
  bool is_urgent() const;
  void set_status();
  RealTimeReport report() const;
  std::string run_json() const;

  Session session_;
  ServerOptions options_;
  Exchange& exchange_;
  std::deque<Incoming> messages_;

  std::vector<int> clients_;
  int driver_ = 0;
  std::map<int, std::vector<int>> drags_;  // by client
  SessionVersions told_;
  std::shared_ptr<LateText> model_text_;
  std::uint32_t model_text_version_ = 0;
  std::vector<double> model_text_control_, model_text_inputs_;
  bool was_playing_ = false;
  double was_speed_ = 1;
  Clock::time_point anchor_wall_, last_rest_, last_frame_, last_news_, factor_wall_;
  double anchor_t_ = 0, factor_t_ = 0;  // [s]
  float factor_ = 0;
  bool behind_ = false;
  std::uint64_t misses_ = 0;
  StepMeter wall_meter_, work_meter_;
  std::optional<UrgentThread> thread_;
};

}  // namespace lipkin
