// Sessions kept in a file: the scene, every command, checkpoints and sampled channels, in MCAP. What is written is
// never touched again; a program that is killed loses its last row at most. Replaying gives the same bits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lipkin/csv.hpp"
#include "lipkin/session.hpp"

namespace lipkin {

class SessionRecorder {
 public:
  // Replaces the file; `source` says which scene the session came from, `end` the time that no step goes beyond [s].
  // The session must stay where it is. Throws InvalidArgument where it has gone on already, since a repetition begins
  // where the scene does, and InputError when the file cannot be written.
  SessionRecorder(const std::filesystem::path& path, Session& session, const SceneSource& source,
                  double end = std::numeric_limits<double>::infinity());
  ~SessionRecorder();  // without finish(): as if the program had been killed
  SessionRecorder(const SessionRecorder&) = delete;
  SessionRecorder& operator=(const SessionRecorder&) = delete;

  void after_step();  // a row where one is due; throws Error when the disk is full
  void finish();      // the last checkpoint, and the index

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // the session's listeners look whether it is still there
};

// What a repetition needs, in the order of the session.
struct RecordedItem {
  enum class Kind { kCommand, kCheckpoint, kLimit };
  Kind kind = Kind::kCheckpoint;
  std::uint64_t step = 0;
  double t = 0;      // [s]
  std::string line;  // of a command
  std::string hash;  // of a checkpoint: 16 hexadecimal digits
  double limit = 0;  // how far steps may go from this one on [s]
};

class Recording {
 public:
  // Throws InputError where it is no recording of a session, or is damaged in the middle.
  explicit Recording(const std::filesystem::path& path);
  ~Recording();
  Recording(Recording&&) noexcept;
  Recording& operator=(Recording&&) noexcept;

  bool complete() const;                       // it was ended properly
  const std::string& scene_name() const;       // as the user gave it
  const std::string& version() const;          // that recorded it
  const std::string& instruction_set() const;  // likewise
  double end() const;                          // the limit of every step [s]
  const std::vector<RecordedItem>& items() const;
  const std::vector<Trace>& traces() const;  // time first, then the channels

  // The session as it was at the start. Its scene files lie in a folder of their own until the recording goes.
  Session open() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Repeats a recording in its session, step by step.
class Replay {
 public:
  // Both must outlive it.
  Replay(const Recording& recording, Session& session);

  bool done() const;
  // What is due at this boundary: applies commands, compares checkpoints. To be called before the first step and after
  // every one.
  void catch_up();
  double limit() const { return done() ? recording_.end() : limit_; }  // of the next step [s]

  std::uint64_t last_step() const;  // of the recording: no command or checkpoint follows
  int checkpoints() const { return checkpoints_; }
  // The first checkpoint that is not what was recorded, in words; empty: none.
  const std::string& difference() const { return difference_; }

 private:
  void apply(const RecordedItem& command);
  void compare(const RecordedItem& checkpoint);

  const Recording& recording_;
  Session& session_;
  std::size_t next_ = 0;
  int checkpoints_ = 0;
  double limit_;
  std::string difference_;
};

}  // namespace lipkin
