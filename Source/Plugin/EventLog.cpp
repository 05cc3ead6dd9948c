#include "Plugin/EventLog.h"

#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace earshot::plugin {

EventLog::EventLog() {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here changes the environment
    if (const char* file = std::getenv("EARSHOT_EVENT_LOG"); file != nullptr) file_ = file;
}

bool EventLog::open() {
    if (!wanted()) return false;
    if (!out_.is_open()) {
        std::error_code failure;
        const auto status = std::filesystem::status(file_, failure);
        if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
            problem_ =
                displayName(file_) + ": EARSHOT_EVENT_LOG expected a file, found something else; name a file";
            return false;
        }
        out_.open(file_, std::ios::app | std::ios::binary);
        if (out_ && out_.tellp() == std::streampos(0)) out_ << lines_->begin();
    }
    problem_ = out_.good() ? std::string()
                           : displayName(file_) + ": EARSHOT_EVENT_LOG cannot be written; name a file in a "
                                                  "folder that can be written, on a disk with room";
    return out_.good();
}

void EventLog::add(const formats::TimedEvent& event) {
    if (!wanted() || !open()) return;
    formats::RecordingEvents one;
    one.file = "live";
    one.events = {event};
    out_ << lines_->add(one) << std::flush;
    ++events_;
}

void EventLog::streamEnded(const streaming::Status& status, double seconds) {
    if (!wanted() || !open()) return;
    out_ << fmt::format("# {} events in {:.2f} s with {}, {} chunks dropped, {} windows skipped\n", events_,
                        seconds, status.model.empty() ? "no model" : status.model, status.droppedChunks,
                        status.skippedWindows)
         << std::flush;
    events_ = 0;
}

} // namespace earshot::plugin
