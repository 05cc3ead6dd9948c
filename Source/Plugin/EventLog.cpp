#include "Plugin/EventLog.h"

#include <fmt/format.h>

#include <cstdlib>

namespace earshot::plugin {

EventLog::EventLog() {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here changes the environment
    if (const char* file = std::getenv("EARSHOT_EVENT_LOG"); file != nullptr) file_ = file;
}

bool EventLog::open() {
    if (!out_.is_open() && wanted()) {
        out_.open(file_, std::ios::app | std::ios::binary);
        if (out_ && out_.tellp() == std::streampos(0)) out_ << lines_->begin();
    }
    return out_.good();
}

void EventLog::add(const formats::TimedEvent& event) {
    if (!wanted() || !open()) return;
    formats::RecordingEvents one;
    one.file = event.file;
    one.events = {event};
    out_ << lines_->add(one) << std::flush;
    ++events_;
}

void EventLog::streamEnded(const streaming::Status& status) {
    if (!wanted() || !open()) return;
    out_ << fmt::format("# {} events in {:.2f} s with {}, {} chunks dropped, {} windows skipped\n", events_,
                        status.heard, status.model.empty() ? "no model" : status.model, status.droppedChunks,
                        status.skippedWindows)
         << std::flush;
    events_ = 0;
}

} // namespace earshot::plugin
