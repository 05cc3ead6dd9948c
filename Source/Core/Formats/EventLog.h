// A log of events: lines of CSV (Documents.h, with a last column `instance`) that are appended to a file as
// events end, and notes, which are lines that begin with #. LineWriter.h says how they are written, and
// AppendedFile.h how several programs share a file, and what happens when it is moved away. Any thread.
#pragma once

#include "Core/Base/LineWriter.h"
#include "Core/Formats/EventFormats.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace earshot::formats {

class EventLog {
  public:
    EventLog(); // no log: nothing is written
    // option: what names the file, for messages (--event-log). Without a file there is no log. Nothing is
    // opened before begin() or the first line.
    EventLog(std::filesystem::path file, std::string option);
    ~EventLog();
    EventLog(const EventLog&) = delete;
    EventLog& operator=(const EventLog&) = delete;

    bool wanted() const { return writer_ != nullptr; }
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
    std::filesystem::path file_;
    std::string option_;
    std::unique_ptr<LineWriter> writer_; // null: no log
    std::mutex mutex_;                   // guards the document
    std::unique_ptr<ResultDocument> document_;
};

} // namespace earshot::formats
