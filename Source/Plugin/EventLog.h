// A file that says what was heard, for tests of hosts and for people who look for a fault: the environment's
// EARSHOT_EVENT_LOG names it. A line per ended event (Formats/Documents.h's CSV, under its header when
// the file was empty), and a line that begins with # when a stream ends. It is a regular
// file, or one that does not exist yet: opening a pipe could wait for ever. One thread at a time (the worker,
// or the host's lifecycle once the worker has stopped).
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

    bool open(); // false: see problem()
    const std::string& problem() const { return problem_; }
    void add(const formats::TimedEvent& event);
    void streamEnded(const streaming::Status& status);

  private:
    std::unique_ptr<formats::ResultDocument> lines_ = formats::formatNamed("csv")->makeDocument({});
    std::string file_;
    std::ofstream out_;
    std::string problem_;     // for people; empty while there is none
    std::int64_t events_ = 0; // of this stream
};

} // namespace earshot::plugin
