// HTTP and WebSocket: the only file that knows Boost.Beast, which takes long to compile.
//
// One thread runs the network, another the simulation (simulation_loop.hpp). They share nothing but the exchange. A
// client has at most one write under way: texts first, in order, then the latest frame; what is long goes in pieces.
// One that does not read fills its share of texts or lets a write wait too long, and is dropped.
#include "lipkin/server.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>
#include <map>
#include <optional>
#include <thread>

#include "server/simulation_loop.hpp"
#include "server/web_files.hpp"

namespace lipkin {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using Error_code = beast::error_code;

constexpr std::uint32_t kMostHeaderBytes = 8192;
constexpr std::size_t kMostMessageBytes = 1 << 20;
constexpr std::size_t kMostWaitingBytes = 16u << 20;  // of texts that a client has not read
constexpr int kMostClients = 64;
constexpr int kMostConnections = 256;  // of HTTP and WebSocket together
constexpr double kMostMessagesPerSecond = 1000;
constexpr auto kReadTimeout = std::chrono::seconds(20), kWriteTimeout = std::chrono::seconds(10);

constexpr const char* kContentPolicy =
    "default-src 'self'; connect-src 'self' ws://127.0.0.1:* ws://localhost:*; img-src 'self' data: blob:; "
    "style-src 'self' 'unsafe-inline'; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; "
    "frame-ancestors 'none'";

}  // namespace

class WebSocketClient;

struct Server::Impl {
  Impl(Session session, ServerOptions given);

  void accept();
  bool is_own_host(std::string_view host) const;
  bool is_own_origin(std::string_view origin) const;
  void add(int client, std::shared_ptr<WebSocketClient> socket);
  void remove(int client);
  void listen();
  void send(const Outgoing& message);
  void send_frames();
  void run_network();

  ServerOptions options;
  std::filesystem::path viewer;
  int port = 0;
  int last_client = 0;
  int connections = 0;
  asio::io_context io;
  tcp::acceptor acceptor{io};
  Exchange exchange;
  asio::posix::stream_descriptor bell;  // of the exchange
  SimulationLoop loop;

  // Of the network's thread.
  std::map<int, std::shared_ptr<WebSocketClient>> clients;
  std::string frame_buffer;
  SharedText frame = std::make_shared<const std::string>();  // the latest
};

// One viewer. Everything happens on the network thread.
class WebSocketClient : public std::enable_shared_from_this<WebSocketClient> {
 public:
  WebSocketClient(tcp::socket socket, Server::Impl& server, int client)
      : stream_(std::move(socket)), server_(server), client_(client), watch_(server.io) {}
  ~WebSocketClient() { --server_.connections; }
  WebSocketClient(const WebSocketClient&) = delete;
  WebSocketClient& operator=(const WebSocketClient&) = delete;

  void start(const http::request<http::empty_body>& request) {
    stream_.read_message_max(kMostMessageBytes);
    stream_.auto_fragment(false);
    websocket::stream_base::timeout timeouts = websocket::stream_base::timeout::suggested(beast::role_type::server);
    stream_.set_option(timeouts);
    const bool asks = request[http::field::sec_websocket_protocol].find("lipkin.1") != beast::string_view::npos;
    stream_.set_option(websocket::stream_base::decorator([asks](websocket::response_type& response) {
      if (asks) response.set(http::field::sec_websocket_protocol, "lipkin.1");
    }));
    stream_.async_accept(request, [self = shared_from_this()](Error_code error) {
      if (error) return;
      self->server_.add(self->client_, self);
      self->open_ = true;
      self->read();
    });
  }

  // A model that waits behind the pieces of another is left out where a newer one comes.
  void send(SharedText text, std::shared_ptr<LateText> late) {
    if (!open_) return;
    waiting_bytes_ += text->size();
    const bool in_pieces = !letters_.empty() && !letters_.front().text;
    if (late && in_pieces)
      for (Letter& letter : letters_) letter.is_old = letter.late && letter.text;
    letters_.push_back({std::move(text), std::move(late), false});
    if (waiting_bytes_ > kMostWaitingBytes) return drop();
    write();
  }

  void was_answered() { --unanswered_; }

  void frame_is_ready() {
    if (!open_) return;
    wants_frame_ = true;
    write();
  }

  // Without a farewell: it does not listen.
  void drop() {
    if (!open_) return;
    open_ = false;
    Error_code ignored;
    beast::get_lowest_layer(stream_).socket().close(ignored);
    server_.remove(client_);
  }

 private:
  void read() {
    stream_.async_read(buffer_, [self = shared_from_this()](Error_code error, std::size_t) {
      if (!self->open_) return;
      if (error) return self->drop();
      self->receive();
    });
  }

  void receive() {
    if (!stream_.got_text()) return close(websocket::close_code::unknown_data, "commands are text");
    if (!has_allowance()) return close(websocket::close_code::policy_error, "too many messages");
    std::string text = beast::buffers_to_string(buffer_.data());
    buffer_.consume(buffer_.size());
    if (text.empty() || text.front() != '{') return close(websocket::close_code::bad_payload, "expected a JSON object");
    if (!server_.exchange.post({Incoming::Kind::kText, client_, std::move(text)}))
      return close(websocket::close_code::try_again_later, "the simulation is busy");
    read();
  }

  // A bucket of one second's messages that fills steadily. One who waits for each answer is as fast as the simulation
  // lets it be: a controller in step.
  bool has_allowance() {
    if (unanswered_++ == 0) return true;
    const auto now = std::chrono::steady_clock::now();
    allowance_ += std::chrono::duration<double>(now - last_message_).count() * kMostMessagesPerSecond;
    allowance_ = std::min(allowance_, kMostMessagesPerSecond) - 1;
    last_message_ = now;
    return allowance_ >= 0;
  }

  void close(websocket::close_code code, const char* why) {
    if (writing_) return drop();
    open_ = false;
    server_.remove(client_);
    stream_.async_close({code, why}, [self = shared_from_this()](Error_code) {});
  }

  void write() {
    if (writing_ || !open_) return;
    SharedText bytes;
    if (!letters_.empty()) {
      bytes = next_text();
      stream_.text(true);
    } else if (wants_frame_) {
      wants_frame_ = false;
      bytes = server_.frame;
      if (bytes->empty()) return;
      stream_.binary(true);
    } else {
      return;
    }
    writing_ = true;
    watch_write();
    stream_.async_write(asio::buffer(*bytes), [self = shared_from_this(), bytes](Error_code error, std::size_t) {
      self->writing_ = false;
      self->watch_.cancel();
      if (error) return self->drop();
      self->write();
    });
  }

  // What is late is made now, when it can go; its pieces go one by one, as fast as they are read.
  SharedText next_text() {
    Letter& letter = letters_.front();
    const std::shared_ptr<LateText> late = letter.late;
    SharedText text = std::exchange(letter.text, nullptr);
    if (text) waiting_bytes_ -= text->size();
    const std::size_t pieces = late && !letter.is_old ? late->pieces().size() : 0;
    if (!text)
      text = late->pieces()[piece_++];
    else if (pieces > 0 || letter.is_old)
      text = std::make_shared<const std::string>(fmt::format("{}null,\"pieces\":{}}}", *text, pieces));
    else if (late)
      text = std::make_shared<const std::string>(*text + late->whole() + "}");
    if (piece_ < pieces) return text;
    piece_ = 0;
    letters_.pop_front();
    return text;
  }

  void watch_write() {
    watch_.expires_after(kWriteTimeout);
    watch_.async_wait([weak = weak_from_this()](Error_code error) {
      if (const auto self = weak.lock(); self && !error) self->drop();
    });
  }

  websocket::stream<beast::tcp_stream> stream_;
  Server::Impl& server_;
  int client_;
  asio::steady_timer watch_;
  beast::flat_buffer buffer_;
  struct Letter {
    SharedText text;  // null: it has gone, pieces of what is late follow
    std::shared_ptr<LateText> late;
    bool is_old;  // a newer one follows
  };
  std::deque<Letter> letters_;
  std::size_t piece_ = 0;  // the next one of the first letter
  std::size_t waiting_bytes_ = 0;
  bool open_ = false, writing_ = false, wants_frame_ = false;
  int unanswered_ = 0;  // messages
  double allowance_ = kMostMessagesPerSecond;
  std::chrono::steady_clock::time_point last_message_ = std::chrono::steady_clock::now();
};

namespace {

// One HTTP request; the connection ends with its answer, or becomes a WebSocket.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(tcp::socket socket, Server::Impl& server) : stream_(std::move(socket)), server_(server) {
    ++server_.connections;
    parser_.header_limit(kMostHeaderBytes);
    parser_.body_limit(0);
  }
  ~HttpConnection() { --server_.connections; }
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void start() {
    stream_.expires_after(kReadTimeout);
    http::async_read(stream_, buffer_, parser_, [self = shared_from_this()](Error_code error, std::size_t) {
      if (error == http::error::header_limit)
        return self->answer(http::status::request_header_fields_too_large, "text/plain", "the request is too large\n");
      if (error == http::error::body_limit)
        return self->answer(http::status::payload_too_large, "text/plain", "no body is expected\n");
      if (error.category() == http::make_error_code(http::error::bad_method).category() &&
          error != http::error::end_of_stream)
        return self->answer(http::status::bad_request, "text/plain", "this is not HTTP\n");
      if (!error) self->handle();
    });
  }

 private:
  void handle() {
    const auto& request = parser_.get();
    const auto text = [](beast::string_view v) { return std::string_view(v.data(), v.size()); };
    if (!server_.is_own_host(text(request[http::field::host])))
      return answer(http::status::forbidden, "text/plain", "wrong Host\n");
    const std::optional<Target> target = parse_target(text(request.target()));
    if (!target) return answer(http::status::bad_request, "text/plain", "wrong path\n");
    is_head_ = request.method() == http::verb::head;
    if (request.method() != http::verb::get && !is_head_)
      return answer(http::status::method_not_allowed, "text/plain", "only GET and HEAD\n");
    const bool needs_token = target->path == "/ws" || target->path.starts_with("/api/");
    if (needs_token && !same_secret(query_value(target->query, "token"), server_.options.token))
      return answer(http::status::unauthorized, "text/plain", "wrong token\n");
    if (target->path == "/ws") return upgrade(text(request[http::field::origin]));
    if (target->path == "/api/status") return answer(http::status::ok, "application/json", *server_.exchange.status());
    if (target->path == "/api/scene.yaml") return answer_scene();
    answer_file(target->path);
  }

  void answer_scene() {
    stream_.expires_after(kReadTimeout);
    const bool asked =
        server_.exchange.post({Incoming::Kind::kScene, 0, {}, [self = shared_from_this()](std::string text) {
                                 self->answer(http::status::ok, "application/yaml", std::move(text));
                               }});
    if (!asked) answer(http::status::service_unavailable, "text/plain", "the simulation is busy\n");
  }

  void upgrade(std::string_view origin) {
    if (!websocket::is_upgrade(parser_.get()))
      return answer(http::status::upgrade_required, "text/plain", "expected a WebSocket\n");
    if (!origin.empty() && !server_.is_own_origin(origin))
      return answer(http::status::forbidden, "text/plain", "wrong Origin\n");
    if (static_cast<int>(server_.clients.size()) >= kMostClients)
      return answer(http::status::service_unavailable, "text/plain", "too many viewers\n");
    stream_.expires_never();
    ++server_.connections;
    auto client = std::make_shared<WebSocketClient>(stream_.release_socket(), server_, ++server_.last_client);
    client->start(parser_.get());
  }

  void answer_file(const std::string& path) {
    if (server_.viewer.empty()) {
      if (path == "/" || path == "/index.html")
        return answer(http::status::ok, "text/html; charset=utf-8", page_without_viewer());
      return answer(http::status::not_found, "text/plain", "not found\n");
    }
    std::optional<WebFile> file = read_web_file(server_.viewer, path);
    if (!file) return answer(http::status::not_found, "text/plain", "not found\n");
    answer(http::status::ok, file->type, std::move(file->content));
  }

  void answer(http::status status, const std::string& type, std::string content) {
    response_.result(status);
    response_.version(11);
    response_.set(http::field::content_type, type);
    response_.set(http::field::cache_control, "no-cache");
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set("Referrer-Policy", "no-referrer");
    response_.set("Content-Security-Policy", kContentPolicy);
    response_.keep_alive(false);
    response_.content_length(content.size());
    if (!is_head_) response_.body() = std::move(content);
    stream_.expires_after(kWriteTimeout);
    http::async_write(stream_, response_, [self = shared_from_this()](Error_code, std::size_t) {
      Error_code ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    });
  }

  beast::tcp_stream stream_;
  Server::Impl& server_;
  beast::flat_buffer buffer_{kMostHeaderBytes};
  http::request_parser<http::empty_body> parser_;
  http::response<http::string_body> response_;
  bool is_head_ = false;
};

}  // namespace

Server::Impl::Impl(Session session, ServerOptions given)
    : options(std::move(given)),
      viewer(find_viewer(options.viewer_dir)),
      bell(io, ::dup(exchange.network_bell().file())),
      loop(std::move(session), options, exchange) {
  if (options.token.empty()) options.token = new_token();
  const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(options.port));
  Error_code error;
  acceptor.open(endpoint.protocol());
  acceptor.set_option(tcp::acceptor::reuse_address(true));
  acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(tcp::acceptor::max_listen_connections, error);
  if (error) throw InputError({}, fmt::format("port {} cannot be used: {}", options.port, error.message()));
  port = acceptor.local_endpoint().port();
}

bool Server::Impl::is_own_host(std::string_view host) const {
  for (const char* name : {"127.0.0.1", "localhost", "[::1]"})
    if (host == fmt::format("{}:{}", name, port)) return true;
  return false;
}

bool Server::Impl::is_own_origin(std::string_view origin) const {
  constexpr std::string_view kScheme = "http://";
  return origin.starts_with(kScheme) && is_own_host(origin.substr(kScheme.size()));
}

void Server::Impl::accept() {
  acceptor.async_accept([this](Error_code error, tcp::socket socket) {
    if (!acceptor.is_open()) return;
    if (!error && connections < kMostConnections) {
      socket.set_option(tcp::no_delay(true), error);
      std::make_shared<HttpConnection>(std::move(socket), *this)->start();
    }
    accept();
  });
}

void Server::Impl::add(int client, std::shared_ptr<WebSocketClient> socket) {
  clients[client] = std::move(socket);
  exchange.post({Incoming::Kind::kConnect, client});
}

void Server::Impl::remove(int client) {
  if (clients.erase(client) > 0) exchange.post({Incoming::Kind::kDisconnect, client});
}

// For what comes from the simulation.
void Server::Impl::listen() {
  bell.async_wait(asio::posix::stream_descriptor::wait_read, [this](Error_code error) {
    if (error) return;
    exchange.network_bell().answer();
    const Exchange::Delivery delivery = exchange.take(frame_buffer);
    for (const Outgoing& message : delivery.texts) send(message);
    if (delivery.has_frame) send_frames();
    listen();
  });
}

void Server::Impl::send(const Outgoing& message) {
  if (message.done) return message.done(*message.text);
  const auto found = clients.find(message.client);
  if (found == clients.end()) return;
  const std::shared_ptr<WebSocketClient> socket = found->second;  // sending may remove it
  if (message.answers) socket->was_answered();
  socket->send(message.text, message.late);
}

void Server::Impl::send_frames() {
  frame = std::make_shared<const std::string>(frame_buffer);
  std::vector<std::shared_ptr<WebSocketClient>> all;
  for (const auto& [client, socket] : clients) all.push_back(socket);
  for (const auto& socket : all) socket->frame_is_ready();
}

void Server::Impl::run_network() {
  give_way();
  accept();
  listen();
  io.run();
  clients.clear();
}

Server::Server(Session session, ServerOptions options)
    : impl_(std::make_unique<Impl>(std::move(session), std::move(options))) {}
Server::~Server() = default;

int Server::port() const { return impl_->port; }
std::string Server::url() const {
  return fmt::format("http://127.0.0.1:{}/?token={}", impl_->port, impl_->options.token);
}
std::filesystem::path Server::viewer_dir() const { return impl_->viewer; }

void Server::run() {
  auto busy = asio::make_work_guard(impl_->io);
  std::thread network([this] { impl_->run_network(); });
  impl_->loop.run();
  asio::post(impl_->io, [this] {
    Error_code ignored;
    impl_->acceptor.close(ignored);
    const auto clients = impl_->clients;
    for (const auto& [client, socket] : clients) socket->drop();
  });
  busy.reset();
  impl_->io.stop();
  network.join();
}

void Server::stop() { impl_->exchange.stop(); }
RealTimeReport Server::report() const { return impl_->exchange.report(); }

}  // namespace lipkin
