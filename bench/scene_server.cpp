#include "scene_server.hpp"

#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <iostream>

#include "grasp_task.hpp"
#include "mechanism_meter.hpp"
#include "step_clock.hpp"

namespace lipkin::bench {
namespace {

using nlohmann::json;

// A mean, unlike a median, hears whoever else uses the machine: whoever asks for means asks for CPU time.
Clock clock_of(const json& request) { return request.value("clock", "wall") == "cpu" ? Clock::kCpu : Clock::kWall; }

void check_finite(double value) {
  if (!std::isfinite(value)) throw std::runtime_error("the motion does not stay finite");
}

}  // namespace

// Libraries print to stdout as they like; only replies may reach the reader.
int SceneServer::run() {
  reply_fd_ = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  for (std::string line; std::getline(std::cin, line);) {
    const std::string reply = answer(line).dump() + '\n';
    for (std::size_t sent = 0; sent < reply.size();) {  // a pipe takes 64 KiB at a time
      const ssize_t count = write(reply_fd_, reply.data() + sent, reply.size() - sent);
      if (count <= 0) return 1;
      sent += static_cast<std::size_t>(count);
    }
  }
  return 0;
}

json SceneServer::answer(const std::string& line) {
  try {
    const json request = json::parse(line);
    const auto command = request.at("command").get<std::string>();
    if (command == "run") return run_scene(request);
    if (command == "cup") return make_cup(request);
    if (command == "settle") return settle(request.at("steps"));
    if (command == "advance") return advance(request.at("steps"));
    if (command == "positions") return positions();
    return {{"error", "unknown command " + command}};
  } catch (const Refusal& refusal) {
    return {{"engine", engine_.name()}, {"refused", refusal.what()}};
  } catch (const std::exception& error) {
    return {{"error", error.what()}};
  }
}

json SceneServer::run_scene(const json& request) {
  const auto name = request.at("case").get<std::string>();
  if (name == "grasp") return run_grasp(request);
  return is_planar_mechanism(name) ? run_mechanism(request) : engine_.run_alone(request);
}

json SceneServer::run_mechanism(const json& request) {
  const PlanarMechanism mechanism = planar_mechanism(request.at("case").get<std::string>());
  const double dt = request.at("dt"), duration = request.value("duration", mechanism.duration);
  const auto run = engine_.make_mechanism(mechanism, dt, request.value("settings", json::object()));
  std::vector<RodState> rods(mechanism.rods.size());
  MechanismMeter meter(mechanism);
  run->read(rods);
  meter.observe(0, rods);
  const long steps = std::lround(duration / dt);
  StepClock clock(steps, clock_of(request));
  for (long i = 0; i < steps; ++i) {
    clock.time([&] { run->step(static_cast<double>(i) * dt); });
    run->read(rods);
    check_finite(rods.back().com[0]);
    meter.observe(static_cast<double>(i + 1) * dt, rods);
  }
  json reply{{"engine", engine_.name()}, {"setting", run->setting()}};
  clock.report(reply);
  meter.report(reply);
  run->report(reply);
  return reply;
}

json SceneServer::run_grasp(const json& request) {
  const double dt = request.at("dt"), duration = request.value("duration", grasp::kDuration);
  const auto run = engine_.make_grasp(dt, request.value("settings", json::object()));
  grasp::Meter meter;
  const long steps = std::lround(duration / dt);
  StepClock clock(steps, clock_of(request));
  for (long i = 0; i < steps; ++i) {
    clock.time([&] { run->step(static_cast<double>(i) * dt); });
    check_finite(run->cube_z());
    meter.observe(static_cast<double>(i + 1) * dt, run->cube_z(), run->palm_z());
  }
  json reply{{"engine", engine_.name()}, {"setting", run->setting()}};
  clock.report(reply);
  meter.report(reply);
  run->report(reply);
  return reply;
}

json SceneServer::make_cup(const json& request) {
  cup_run_.reset();
  cup_ = std::make_unique<Cup>(request.at("count").get<int>());
  cup_run_ = engine_.make_cup(*cup_, request.value("positions", std::vector<Triple>()));
  cup_steps_ = 0;
  return {{"engine", engine_.name()}, {"setting", cup_run_->setting()}};
}

json SceneServer::settle(int steps) {
  for (int i = 0; i < steps; ++i) cup_run_->step(static_cast<double>(cup_steps_++) * Cup::kTimeStep);
  cup_run_->begin_measuring();
  json reply;
  report_pile(*cup_, spheres(), reply);
  return reply;
}

std::vector<SphereState> SceneServer::spheres() const {
  std::vector<SphereState> spheres(static_cast<std::size_t>(cup_->sphere_count));
  cup_run_->read(spheres);
  return spheres;
}

// A step here is longer than a scheduler's time slice: others would be in every one of them, so CPU time.
json SceneServer::advance(int steps) {
  StepClock clock(steps, Clock::kCpu);
  for (int i = 0; i < steps; ++i) {
    clock.time([&] { cup_run_->step(static_cast<double>(cup_steps_) * Cup::kTimeStep); });
    ++cup_steps_;
  }
  json reply;
  clock.report(reply);
  const std::vector<SphereState> lying = spheres();
  for (const SphereState& sphere : lying) check_finite(sphere.position[2]);
  report_pile(*cup_, lying, reply);
  reply["contacts"] = cup_run_->contact_count();
  cup_run_->report(reply);
  return reply;
}

json SceneServer::positions() {
  json list = json::array();
  for (const SphereState& sphere : spheres()) list.push_back(sphere.position);
  return {{"positions", std::move(list)}};
}

}  // namespace lipkin::bench
