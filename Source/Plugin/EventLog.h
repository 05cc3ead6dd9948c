// Writes events to a log file, for tests of hosts and for finding faults. The environment variable
// EARSHOT_EVENT_LOG names the file. Each ended event is a line of CSV (Formats/Documents.h), below a header
// if the file was empty. The events are those that MIDI and OSC send, judged live after each pass
// (Streaming/LiveEvents.h), in a bounce as well: they may differ from those of its finished history. At the
// end of a stream follows a line that begins with #. The file must be a regular file or not exist yet,
// because opening a pipe could wait forever. One thread at a time (the worker, or the host's lifecycle once
// the worker has stopped).
#pragma once

#include "Core/Formats/EventFormats.h"
#include "Core/Streaming/Source.h"

#include <cstdint>
#include <fstream>
#include <string>

namespace earshot::plugin {

class EventLog {
  public:
    EventLog(); // reads the environment; opens nothing
    bool wanted() const { return !file_.empty(); }

    bool open(); // false: problem() gives the reason
    const std::string& problem() const { return problem_; }
    void add(const formats::TimedEvent& event);
    void streamEnded(const streaming::Status& status, double seconds); // of which `seconds` are new

  private:
    std::unique_ptr<formats::ResultDocument> lines_ = formats::formatNamed("csv")->makeDocument({});
    std::string file_;
    std::ofstream out_;
    std::string problem_;     // a text for the user; empty: no problem
    std::int64_t events_ = 0; // events of this stream
};

} // namespace earshot::plugin
