// A WebSocket client of a few lines on plain sockets (RFC 6455), independent of the server's library: what it sends can
// be wrong on purpose.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace lipkin::test {

class PlainSocket {
 public:
  explicit PlainSocket(int port, int receive_buffer = 0) : file_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer > 0) ::setsockopt(file_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    const int on = 1;
    ::setsockopt(file_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(file_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("cannot connect");
  }
  ~PlainSocket() { ::close(file_); }
  PlainSocket(const PlainSocket&) = delete;
  PlainSocket& operator=(const PlainSocket&) = delete;

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::send(file_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }

  // Nothing more will be sent; what comes is still read.
  void end_sending() { ::shutdown(file_, SHUT_WR); }

  // Whatever comes within the time; false: nothing came, or the other side is gone (`closed`).
  bool receive(std::string& to, double seconds) {
    pollfd poll_entry{file_, POLLIN, 0};
    if (::poll(&poll_entry, 1, static_cast<int>(1000 * seconds)) <= 0) return false;
    char buffer[65536];
    const ssize_t n = ::recv(file_, buffer, sizeof buffer, 0);
    if (n <= 0)
      closed = true;
    else
      to.append(buffer, static_cast<std::size_t>(n));
    return n > 0;
  }

  bool closed = false;

 private:
  int file_;
};

// The answer to a request as it stands, until the server closes the connection.
inline std::string http(int port, const std::string& request) {
  PlainSocket socket(port);
  socket.send(request);
  std::string answer;
  while (socket.receive(answer, 5)) {
  }
  return answer;
}

inline std::string get(int port, const std::string& target, const std::string& headers = {}) {
  return http(port,
              "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n" + headers + "\r\n");
}

struct WebSocketMessage {
  int opcode = 0;  // 1 text, 2 binary, 8 close
  std::string data;
};

class WebSocketClient {
 public:
  WebSocketClient(int port, const std::string& token, const std::string& headers = {}, int receive_buffer = 0)
      : socket_(port, receive_buffer) {
    socket_.send("GET /ws?token=" + token + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                 "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                 headers + "\r\n");
    std::size_t end = std::string::npos;
    while ((end = bytes_.find("\r\n\r\n")) == std::string::npos && socket_.receive(bytes_, 10)) {
    }
    head_ = bytes_.substr(0, end);
    bytes_.erase(0, end == std::string::npos ? bytes_.size() : end + 4);
  }

  bool open() const { return head_.starts_with("HTTP/1.1 101"); }
  const std::string& head() const { return head_; }

  // A frame from a client is masked; opcode 1 is text.
  bool send(std::string_view data, int opcode = 1, bool masked = true) {
    std::string frame(1, static_cast<char>(0x80 | opcode));
    const char mask_bit = static_cast<char>(masked ? 0x80 : 0);
    if (data.size() < 126) {
      frame += static_cast<char>(mask_bit | static_cast<char>(data.size()));
    } else {
      const int bytes = data.size() < 65536 ? 2 : 8;
      frame += static_cast<char>(mask_bit | (bytes == 2 ? 126 : 127));
      for (int k = bytes - 1; k >= 0; --k) frame += static_cast<char>(data.size() >> (8 * k));
    }
    if (masked) frame += std::string(4, '\0');  // the mask 0 leaves the bytes as they are
    frame += data;
    return socket_.send(frame);
  }
  bool send_raw(std::string_view bytes) { return socket_.send(bytes); }
  void end_sending() { socket_.end_sending(); }

  std::optional<WebSocketMessage> receive(double seconds = 10) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    for (;;) {
      if (auto message = next()) return message;
      const double left = std::chrono::duration<double>(until - std::chrono::steady_clock::now()).count();
      if (left <= 0 || socket_.closed) return {};
      socket_.receive(bytes_, left);
    }
  }

  // The next text message that holds a text.
  std::string text_with(std::string_view part, double seconds = 10) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < until) {
      const auto message = receive(seconds);
      if (!message || message->opcode == 8) return {};
      if (message->opcode == 1 && message->data.find(part) != std::string::npos) return message->data;
    }
    return {};
  }

  // Whether the server has ended the connection within the time.
  bool is_closed(double seconds = 10) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < until) {
      const auto message = receive(seconds);
      if (!message || message->opcode == 8) return message || socket_.closed;
    }
    return false;
  }

 private:
  std::optional<WebSocketMessage> next() {
    if (bytes_.size() < 2) return {};
    std::size_t at = 2, length = static_cast<unsigned char>(bytes_[1]) & 127;
    const std::size_t extra = length == 126 ? 2 : length == 127 ? 8 : 0;
    if (bytes_.size() < at + extra) return {};
    if (extra > 0) length = 0;
    for (std::size_t k = 0; k < extra; ++k) length = length << 8 | static_cast<unsigned char>(bytes_[at + k]);
    at += extra;
    if (bytes_.size() < at + length) return {};
    WebSocketMessage message{bytes_[0] & 15, bytes_.substr(at, length)};
    bytes_.erase(0, at + length);
    return message;
  }

  PlainSocket socket_;
  std::string head_, bytes_;
};

}  // namespace lipkin::test
