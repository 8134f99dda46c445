// The server from outside: what it answers, what it refuses, and that the simulation neither waits nor differs.
#include "lipkin/server.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "support/websocket_client.hpp"

namespace lipkin {
namespace {

using Json = nlohmann::json;
using test::get;
using test::http;
using test::WebSocketClient;

class Served {
 public:
  using Overrides = std::vector<std::pair<std::string, std::string>>;
  explicit Served(const std::string& scene = "peaucellier", bool plays = false, const Overrides& overrides = {})
      : server_(Session(load_scene(scene, overrides), {scene, overrides}), options(plays)),
        thread_([this] { server_.run(); }) {}
  ~Served() {
    server_.stop();
    thread_.join();
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  int port() const { return server_.port(); }
  Server& server() { return server_; }
  static constexpr const char* kToken = "0123456789abcdef0123456789abcdef";

 private:
  static ServerOptions options(bool plays) {
    ServerOptions result;
    result.token = kToken;
    result.plays = plays;
    return result;
  }
  Server server_;
  std::thread thread_;
};

int status_of(const std::string& answer) { return answer.size() > 12 ? std::atoi(answer.c_str() + 9) : 0; }

Json tell(WebSocketClient& client, int id, const std::string& cmd, Json args = Json::object()) {
  client.send(Json{{"id", id}, {"cmd", cmd}, {"args", std::move(args)}}.dump());
  for (;;) {
    const std::string text = client.text_with("\"answer\"");
    if (text.empty()) return {};
    Json answer = Json::parse(text);
    if (answer["id"] == id) return answer;
  }
}

TEST(Server, GreetsWithTheModel) {
  Served served;
  WebSocketClient client(served.port(), Served::kToken, "Sec-WebSocket-Protocol: lipkin.1\r\n");
  ASSERT_TRUE(client.open()) << client.head();
  EXPECT_NE(client.head().find("lipkin.1"), std::string::npos);
  const Json hello = Json::parse(client.text_with("hello"));
  EXPECT_EQ(hello["role"], "driver");
  EXPECT_EQ(hello["model"]["name"], "peaucellier");
  EXPECT_EQ(hello["run"]["playing"], false);
  EXPECT_GT(hello["model"]["parameters"].size(), 10u);
}

// 4,000 spheres were 21 MB in one message, more than may wait for a client.
TEST(Server, LargeModelsComeInPieces) {
  Served served("spheres-in-cup", false, {{"layers", "250"}});
  WebSocketClient client(served.port(), Served::kToken);
  Json hello;
  std::string text;
  int pieces = 0, seen = 0;
  while (seen == 0 || seen < pieces) {
    const auto message = client.receive(60);
    ASSERT_TRUE(message && message->opcode == 1) << "nothing comes between the pieces";
    EXPECT_LT(message->data.size(), 1u << 20);
    const Json json = Json::parse(message->data);
    if (json["type"] == "hello") {
      hello = json;
      EXPECT_LT(message->data.size(), 10000u);
      EXPECT_TRUE(hello["model"].is_null());
      pieces = hello["pieces"];
      continue;
    }
    ASSERT_EQ(json["type"], "piece");
    EXPECT_EQ(json["piece"], seen++);
    EXPECT_EQ(json["pieces"], pieces);
    text += json["text"].get<std::string>();
  }
  EXPECT_GT(pieces, 1);
  EXPECT_EQ(Json::parse(text)["bodies"].size(), 4000u);
  EXPECT_TRUE(tell(client, 1, "set", {{"path", "body.sphere7.mass"}, {"value", 2}})["ok"]);  // a new model
  EXPECT_TRUE(tell(client, 2, "hash")["ok"]);
}

// While one model is on its way to a client that reads late, newer ones come: the last arrives. Small enough that with
// sanitizers, too, all are written before a client that does not read is dropped.
TEST(Server, ALateReaderGetsTheNewestModel) {
  Served served("spheres-in-cup", false, {{"layers", "100"}});
  WebSocketClient driver(served.port(), Served::kToken), late(served.port(), Served::kToken, "", 4096);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // its pieces fill what there is of buffers
  constexpr int kEdits = 2;
  for (int i = 1; i <= kEdits; ++i)
    ASSERT_TRUE(tell(driver, i, "set", {{"path", "body.sphere7.mass"}, {"value", i}})["ok"]);
  std::string text;
  double mass = 0;
  while (mass != kEdits) {
    const auto message = late.receive(60);
    ASSERT_TRUE(message && message->opcode != 8);
    if (message->opcode != 1) continue;
    const Json json = Json::parse(message->data);
    if (json["type"] != "piece") continue;
    if (json["piece"] == 0) text.clear();
    text += json["text"].get<std::string>();
    if (json["piece"].get<int>() + 1 < json["pieces"].get<int>()) continue;
    const Json body = Json::parse(text)["bodies"][6];
    ASSERT_EQ(body["name"], "sphere7");
    if (body.contains("mass")) mass = body["mass"];
  }
}

TEST(Server, AnswersFilesAndRefusesTheRest) {
  Served served;
  const int port = served.port();
  const std::string token = Served::kToken;
  EXPECT_EQ(status_of(get(port, "/")), 200);
  EXPECT_EQ(status_of(get(port, "/nothing.js")), 404);
  EXPECT_EQ(status_of(get(port, "/api/status?token=" + token)), 200);
  EXPECT_NE(get(port, "/api/scene.yaml?token=" + token).find("lipkin: 1"), std::string::npos);
  EXPECT_EQ(status_of(get(port, "/api/status?token=" + token + "0")), 401);
  EXPECT_EQ(status_of(get(port, "/api/status")), 401);
  EXPECT_EQ(status_of(get(port, "/ws?token=wrong")), 401);
  EXPECT_EQ(status_of(get(port, "/ws?token=" + token)), 426);
  for (const char* path : {"/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "/a\\b", "/%00",
                           "/%zz", "//etc/passwd", "/x%5c..%5cy", "etc"})
    EXPECT_EQ(status_of(get(port, path)), 400) << path;
  EXPECT_EQ(status_of(http(port, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n")), 403);
  EXPECT_EQ(status_of(http(port, "GET / HTTP/1.1\r\n\r\n")), 403);
  const std::string host = "Host: localhost:" + std::to_string(port) + "\r\n";
  EXPECT_EQ(status_of(http(port, "DELETE / HTTP/1.1\r\n" + host + "\r\n")), 405);
  EXPECT_EQ(status_of(http(port, "POST / HTTP/1.1\r\n" + host + "Content-Length: 9\r\n\r\n123456789")), 413);
  EXPECT_EQ(status_of(http(port, "GET / HTTP/1.1\r\n" + host + "X: " + std::string(20000, 'x') + "\r\n\r\n")), 431);
  EXPECT_EQ(status_of(http(port, "\x16\x03\x01 not http\r\n\r\n")), 400);
}

TEST(Server, RefusesOtherOrigins) {
  Served served;
  const std::string own = "http://127.0.0.1:" + std::to_string(served.port());
  EXPECT_TRUE(WebSocketClient(served.port(), Served::kToken, "Origin: " + own + "\r\n").open());
  for (const std::string& origin :
       {std::string("http://evil.example"), std::string("null"), "https" + own.substr(4), own + "0"})
    EXPECT_EQ(status_of(WebSocketClient(served.port(), Served::kToken, "Origin: " + origin + "\r\n").head()), 403)
        << origin;
}

TEST(Server, HostileMessagesEndTheConnectionAndNothingElse) {
  Served served("peaucellier", true);
  const auto attack = [&](const char* what, auto send) {
    WebSocketClient client(served.port(), Served::kToken);
    ASSERT_TRUE(client.open());
    send(client);
    EXPECT_TRUE(client.is_closed()) << what;
  };
  attack("binary", [](WebSocketClient& c) { c.send(std::string(100, '\xff'), 2); });
  attack("no JSON", [](WebSocketClient& c) { c.send("no json"); });
  attack("not UTF-8", [](WebSocketClient& c) { c.send("{\"x\":\"\xff\xfe\"}"); });
  attack("too large", [](WebSocketClient& c) { c.send("{" + std::string(2 << 20, ' ') + "}"); });
  attack("not masked", [](WebSocketClient& c) { c.send("{}", 1, false); });
  attack("reserved bits", [](WebSocketClient& c) { c.send_raw(std::string("\xf1\x80\0\0\0\0", 6)); });
  attack("2^63 bytes",
         [](WebSocketClient& c) { c.send_raw(std::string("\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", 14)); });
  WebSocketClient client(served.port(), Served::kToken);
  for (const char* line : {"{", "{}", "{\"cmd\":7}", "{\"id\":{},\"cmd\":\"play\",\"args\":7}",
                           "{\"id\":1,\"cmd\":\"nosuch\"}", "{\"id\":1,\"cmd\":\"give\",\"args\":{\"to\":\"x\"}}",
                           "{\"id\":1,\"cmd\":\"watch\",\"args\":{\"channels\":[1,null]}}",
                           "{\"id\":[[[[]]]],\"cmd\":\"follow\",\"args\":{\"body\":{}}}"})
    client.send(line);
  EXPECT_TRUE(tell(client, 77, "hash")["ok"]);
}

// A burst is answered or ended, and another client does not notice.
TEST(Server, FloodsAreBounded) {
  Served served("peaucellier", true);
  WebSocketClient flood(served.port(), Served::kToken);
  std::string burst;
  for (int i = 0; i < 5000; ++i) burst += std::string("\x81\x93\0\0\0\0", 6) + R"({"cmd":"hash"}     )";
  flood.send_raw(burst);
  WebSocketClient client(served.port(), Served::kToken);
  EXPECT_TRUE(tell(client, 1, "hash")["ok"]);
  EXPECT_TRUE(flood.is_closed(30));
}

// One who waits for every answer is no flood, however fast: a controller outside that works in step.
TEST(Server, AControllerInStepMayBeFast) {
  Served served;
  WebSocketClient client(served.port(), Served::kToken);
  for (int i = 1; i <= 20000; ++i) ASSERT_TRUE(tell(client, i, "hash").value("ok", false)) << i;
}

// More connections than are taken, each with half a request: who is there already does not notice, and when they have
// gone, others are let in.
TEST(Server, SlowRequestsHoldUpNobody) {
  Served served("peaucellier", true);
  WebSocketClient client(served.port(), Served::kToken);
  std::vector<std::unique_ptr<test::PlainSocket>> slow;
  for (int i = 0; i < 300; ++i) {
    slow.push_back(std::make_unique<test::PlainSocket>(served.port()));
    slow.back()->send("GET / HT");
  }
  EXPECT_TRUE(tell(client, 1, "hash")["ok"]);
  slow.clear();
  int status = 0;
  for (int i = 0; i < 100 && status != 200; ++i) {
    status = status_of(get(served.port(), "/"));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(status, 200);
}

TEST(Server, HalfClosedConnectionsAreAnsweredAndEnd) {
  Served served("peaucellier", true);
  const std::string host = "Host: localhost:" + std::to_string(served.port()) + "\r\n\r\n";
  const auto ask = [&](const std::string& request) {
    test::PlainSocket socket(served.port());
    socket.send(request);
    socket.end_sending();
    std::string answer;
    while (socket.receive(answer, 5)) {
    }
    EXPECT_TRUE(socket.closed) << request;
    return status_of(answer);
  };
  EXPECT_EQ(ask("GET / HTTP/1.1\r\n" + host), 200);
  EXPECT_EQ(ask("GET / HTT"), 400);
  EXPECT_EQ(ask(""), 0);
  WebSocketClient client(served.port(), Served::kToken);
  client.end_sending();
  EXPECT_TRUE(client.is_closed());
  EXPECT_EQ(status_of(get(served.port(), "/")), 200);
}

// The same command by socket and by script.
TEST(Server, SameHashBySocketAndByScript) {
  Served served;
  WebSocketClient client(served.port(), Served::kToken);
  ASSERT_TRUE(tell(client, 1, "step", {{"count", 1000}})["ok"]);
  const Json made = tell(client, 2, "apply_torque", {{"body", "crank"}, {"torque", {0, 0, 2}}});
  EXPECT_EQ(made["step"], 1000);
  tell(client, 3, "step", {{"count", 500}});
  const Json hash = tell(client, 4, "hash");
  Session script(load_scene("peaucellier"), {"peaucellier", {}});
  script.submit(R"({"cmd":"apply_torque","args":{"body":"crank","torque":[0,0,2]},"at":10})");
  for (int i = 0; i < 1500; ++i) script.step();
  EXPECT_EQ(hash["result"]["hash"], hash_text(script.simulation().hash()));
}

TEST(Server, FramesCarryThePoses) {
  Served served;
  WebSocketClient client(served.port(), Served::kToken);
  const Json hello = Json::parse(client.text_with("hello"));
  tell(client, 1, "step", {{"count", 10}});
  std::string frame;
  while (const auto message = client.receive(1)) {
    if (message->opcode == 2) frame = message->data;
    if (message->opcode == 2 && message->data.size() > 16 && message->data[8] == 10) break;
  }
  ASSERT_GE(frame.size(), 64u);
  std::uint32_t words[16];
  std::memcpy(words, frame.data(), 64);
  double t = 0;
  std::memcpy(&t, frame.data() + 16, 8);
  EXPECT_EQ(words[0], 0x3146504Cu);
  EXPECT_EQ(words[10], hello["model"]["bodies"].size());
  EXPECT_NEAR(t, 0.1, 1e-12);
  EXPECT_EQ(frame.size(), 64 + 8 * words[12] + 28 * words[10] + 32 * words[11] + 32 * words[14]);
}

TEST(Server, OneDrivesAndHandsOver) {
  Served served;
  WebSocketClient first(served.port(), Served::kToken), second(served.port(), Served::kToken);
  EXPECT_EQ(Json::parse(first.text_with("hello"))["role"], "driver");
  EXPECT_EQ(Json::parse(second.text_with("hello"))["role"], "watcher");
  EXPECT_EQ(tell(second, 1, "play")["ok"], false);
  EXPECT_EQ(tell(second, 2, "take")["ok"], true);
  EXPECT_EQ(tell(first, 3, "play")["ok"], false);
  EXPECT_EQ(tell(second, 4, "play")["ok"], true);
  EXPECT_EQ(tell(first, 5, "hash")["ok"], true);
}

TEST(Server, KeepsRealTimeWithStalledClients) {
  Served served("double-pendulum", true);
  std::vector<std::unique_ptr<WebSocketClient>> stalled;
  for (int i = 0; i < 4; ++i)
    stalled.push_back(std::make_unique<WebSocketClient>(served.port(), Served::kToken, "", 4096));
  WebSocketClient client(served.port(), Served::kToken);
  tell(client, 1, "take");
  const double begin = tell(client, 2, "hash")["t"];
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  const double end = tell(client, 3, "hash")["t"];
  EXPECT_GT(end - begin, 0.3);  // half of real time: the machine may be busy with other things
  EXPECT_LT(end - begin, 30);
}

TEST(Server, ADragEndsWithItsClient) {
  Served served;
  {
    WebSocketClient client(served.port(), Served::kToken);
    ASSERT_TRUE(tell(client, 1, "drag_begin", {{"body", "crank"}, {"target", {1, 0, 0}}})["ok"]);
  }
  WebSocketClient next(served.port(), Served::kToken);
  Json answer;
  for (int i = 0; i < 100; ++i) {
    answer = tell(next, 2, "drag_move", {{"drag", 1}, {"target", {0, 0, 0}}});
    if (answer["error"] == "there is no drag 1") return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  FAIL() << answer;
}

}  // namespace
}  // namespace lipkin
