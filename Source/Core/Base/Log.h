// The log of the program: failures and what was done about them, for a person who looks for a cause. A file
// in the user's folder for logs (Platform/System.h), at most maxBytes and one older one, written by a thread
// of its own (LineWriter.h), so that a disk that is full, slow or gone delays nobody. Several programs share
// it. Its text is UTF-8, a line each:
//   2026-11-28T09:42:43.123+01:00 [4711] Earshot 0.3.0 (3f2a91c0de): plugin
//   2026-11-28T09:42:44.001+01:00 [4711] loading a model: /models/a.ckpt: ...
// The first is that of each run that logs anything; the number is the process. Any thread but the audio
// thread: writing allocates and locks. (A log of events is something else: Formats/EventLog.h.)
#pragma once

#include "Core/Base/LineWriter.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace earshot {

// EARSHOT_LOG if it is set: a file, or "off". Else earshot.log in the user's folder for logs. Empty: no log.
std::filesystem::path chosenLogFile();

class Log {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::uint64_t maxBytes = 1 << 20;
    static constexpr std::size_t maxMessage = 4096; // bytes
    // A message that comes again within the period is counted and not written again; other messages than
    // these in a period are counted too.
    static constexpr std::chrono::seconds period{60};
    static constexpr int maxPerPeriod = 200;

    // program: what runs, for the first line. Nothing is opened before the first message.
    Log(std::filesystem::path file, std::string program, std::uint64_t fileBytes = maxBytes);
    ~Log(); // writes what waits; at most BackgroundThread::patience on a disk that does not answer

    void write(std::string_view message, Clock::time_point now = Clock::now());
    void begin(); // the first line at once
    void flush(); // waits until all is written, or one line could not be, or half a second
    std::string problem() const { return writer_.problem(); }
    const std::filesystem::path& path() const { return file_; }

  private:
    struct Repeat {
        Clock::time_point since;
        std::int64_t count = 0; // of messages that were not written
    };

    void startIfNeeded();
    void append(std::string_view message);
    void endPeriods(Clock::time_point now, bool all);

    const std::filesystem::path file_;
    const std::string program_;
    LineWriter writer_;
    std::mutex mutex_; // guards the members below
    bool started_ = false;
    std::map<std::string, Repeat, std::less<>> recent_; // by message
    Clock::time_point periodStart_{};
    int written_ = 0;          // in this period
    std::int64_t omitted_ = 0; // in this period: more than maxPerPeriod
};

// While one lives, logMessage() writes to the log of the process. The first to begin names it.
class LogSession {
  public:
    enum class Start { atOnce, withFirstMessage };
    LogSession(const std::string& program, const std::filesystem::path& file, Start start);
    ~LogSession();
    LogSession(const LogSession&) = delete;
    LogSession& operator=(const LogSession&) = delete;
};

// Without a session nothing is written. Never throws: without memory for the line, it is lost.
void logMessage(std::string_view message) noexcept;
// In a catch block: `where`, a colon, and what the exception says. Stopped is no failure and not logged.
void logCaught(std::string_view where) noexcept;
std::filesystem::path logFile(); // of the process; empty: there is no log
std::string logProblem();        // why its lines wait; empty: they do not
void flushLog();                 // as Log::flush()

// In a catch block: the cause for a person. Without memory or threads: what to do about it; else what() of
// the exception.
std::string caughtCause();

} // namespace earshot
