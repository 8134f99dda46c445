// What the simulation's thread and the network's hand to each other.
//
// The simulation's side never waits: it tries the lock, and where the network holds it, what it brings or fetches stays
// until the next time, a step later. Frames go through three buffers, one of the simulation, one between, one of the
// network: nobody copies on the simulation's thread, and nothing is allocated there once the buffers have grown.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "lipkin/server.hpp"
#include "server/doorbell.hpp"

namespace lipkin {

using SharedText = std::shared_ptr<const std::string>;

// A text that is made by whom it is for, once: on the network's thread. One that is longer than a message is to be
// comes in pieces.
class LateText {
 public:
  explicit LateText(std::function<std::string()> make) : make_(std::move(make)) {}

  bool is_made() const { return !make_; }
  const std::string& whole();               // empty where it comes in pieces
  const std::vector<SharedText>& pieces();  // as messages; none where it is whole

 private:
  void make();

  std::function<std::string()> make_;
  std::string whole_;
  std::vector<SharedText> pieces_;
};

// To the simulation.
struct Incoming {
  enum class Kind { kConnect, kDisconnect, kText, kScene } kind;
  int client;
  std::string text = {};
  std::function<void(std::string)> done = {};  // of kScene; called on the network's thread
};

// To a client: `text`, or where there is a late one, `text` + late + "}", or `text` + null,"pieces":n} and its n
// pieces. To `done`, where there is one.
struct Outgoing {
  int client = 0;
  SharedText text;
  std::shared_ptr<LateText> late = {};
  std::function<void(std::string)> done = {};
  bool answers = false;  // one message of the client
};

class Exchange {
 public:
  // ---- from other threads than the simulation's ----
  bool post(Incoming message);  // false: too much waits already
  void stop();
  struct Delivery {
    std::vector<Outgoing> texts;
    bool has_frame = false;
  };
  // What has come since the last time; a new frame is exchanged for the old one.
  Delivery take(std::string& frame);
  SharedText status() const;
  RealTimeReport report() const;
  Doorbell& network_bell() { return network_bell_; }

  // ---- from the simulation's thread ----
  bool stopping() const { return stopping_; }
  void wait_until(std::chrono::steady_clock::time_point time);
  void fetch(std::deque<Incoming>& messages);
  void send(Outgoing message) { leaving_.push_back(std::move(message)); }
  std::string& frame() { return frame_; }  // to be written
  void frame_is_written() { frame_leaves_ = true; }
  void set_status(std::string status, const RealTimeReport& report);
  bool deliver();  // everything since the last time; false: what cannot go now goes next time

 private:
  mutable std::mutex mutex_;
  std::atomic<bool> stopping_{false};
  Doorbell simulation_bell_, network_bell_;

  // Under the lock.
  std::deque<Incoming> inbox_;
  std::vector<Outgoing> outbox_;
  std::string frame_between_;
  bool has_frame_ = false;
  SharedText status_ = std::make_shared<const std::string>("{}");
  RealTimeReport report_;

  // The simulation's own.
  std::vector<Outgoing> leaving_;
  std::string frame_;
  bool frame_leaves_ = false;
  SharedText status_leaves_;
  RealTimeReport report_leaves_;
  bool was_locked_out_ = false;  // since the last wait
};

}  // namespace lipkin
