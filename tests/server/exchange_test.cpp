// Two threads at the exchange: nothing is lost, nothing comes twice, and no frame is half one and half another.
#include "server/exchange.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace lipkin {
namespace {

using namespace std::chrono_literals;

constexpr int kMessages = 20000;

TEST(Exchange, BothWaysAtOnce) {
  Exchange exchange;
  std::atomic<bool> all_sent{false};
  std::vector<int> arrived;  // at the simulation
  std::thread simulation([&] {
    std::deque<Incoming> messages;
    int sent = 0;
    while (arrived.size() < kMessages || sent < kMessages) {
      exchange.fetch(messages);
      for (const Incoming& message : messages) arrived.push_back(message.client);
      if (sent < kMessages) {
        exchange.send({++sent, std::make_shared<const std::string>("text")});
        exchange.frame().assign(1000, static_cast<char>(sent % 100));
        exchange.frame_is_written();
      }
      exchange.deliver();
    }
    while (!exchange.deliver()) std::this_thread::yield();
    all_sent = true;
  });
  std::vector<int> got;  // by the network
  std::string frame;
  int posted = 0;
  for (bool last = false; !last;) {
    last = all_sent && posted == kMessages;
    if (posted < kMessages && exchange.post({Incoming::Kind::kText, posted + 1})) ++posted;
    const Exchange::Delivery delivery = exchange.take(frame);
    for (const Outgoing& message : delivery.texts) got.push_back(message.client);
    if (delivery.has_frame) {
      ASSERT_EQ(frame, std::string(1000, frame.front()));
    }
  }
  simulation.join();
  EXPECT_EQ(frame.front(), kMessages % 100) << "the last frame wins";
  for (const std::vector<int>* list : {&arrived, &got}) {
    ASSERT_EQ(list->size(), static_cast<std::size_t>(kMessages));
    for (int i = 0; i < kMessages; ++i) ASSERT_EQ((*list)[static_cast<std::size_t>(i)], i + 1);
  }
}

// Too many texts are refused; that somebody has come or gone is not.
TEST(Exchange, WhatWaitsIsBounded) {
  Exchange exchange;
  int taken = 0;
  while (taken < 100000 && exchange.post({Incoming::Kind::kText, 1, "x"})) ++taken;
  EXPECT_LT(taken, 100000);
  EXPECT_TRUE(exchange.post({Incoming::Kind::kDisconnect, 1}));
}

TEST(Exchange, ABellThatRangBeforeIsHeard) {
  Doorbell bell;
  bell.ring();
  const auto begin = std::chrono::steady_clock::now();
  bell.wait_until(begin + 10s);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  const auto again = std::chrono::steady_clock::now();
  bell.wait_until(again + 20ms);  // once
  EXPECT_GE(std::chrono::steady_clock::now() - again, 20ms);
}

}  // namespace
}  // namespace lipkin
