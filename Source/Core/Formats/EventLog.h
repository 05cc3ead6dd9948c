// A log of events: lines of CSV (Documents.h, with a last column `instance`) that are appended to a file as
// events end, and notes, which are lines that begin with #. A thread of its own writes them, so that a slow
// disk holds nobody up. While the file cannot be written (a full disk, a folder that is gone), lines wait, up
// to maxWaiting, and are written when it can be; what had to be dropped is counted in a note. AppendedFile.h
// says how several programs share a file, and what happens when it is moved away. Any thread.
#pragma once

#include "Core/Base/Job.h"
#include "Core/Formats/EventFormats.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace earshot::formats {

class EventLog {
  public:
    static constexpr std::size_t maxWaiting = 1 << 20; // bytes of lines: some ten thousand events
    static constexpr std::chrono::milliseconds retryAfter{500};

    EventLog() = default; // no log: nothing is written
    // option: what names the file, for messages (--log). Without a file there is no log. Nothing is opened
    // before begin() or the first line.
    EventLog(std::filesystem::path file, std::string option);
    ~EventLog(); // finish()
    EventLog(const EventLog&) = delete;
    EventLog& operator=(const EventLog&) = delete;

    bool wanted() const { return shared_ != nullptr; }
    // Makes the file with its header, so that a problem shows before an event is lost.
    void begin();
    // instance: who found them, where several write to one file.
    void add(const RecordingEvents& events, std::string_view instance = {});
    void note(std::string_view text); // one line, without # and line end
    // Waits until all lines are written, or one could not be, or half a second.
    void flush();
    // The same, and ends the thread. Lines that could not be written are dropped.
    void finish();

    // What is wrong and what to do, for the user, until lines are written again; empty: no problem.
    std::string problem() const;
    std::int64_t dropped() const; // events

  private:
    struct Shared;
    void append(std::string line, std::int64_t events);

    std::shared_ptr<Shared> shared_;
    Job writer_;
};

} // namespace earshot::formats
