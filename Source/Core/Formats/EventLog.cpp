#include "Core/Formats/EventLog.h"

#include "Core/Base/Csv.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <utility>

namespace earshot::formats {

namespace {

std::unique_ptr<ResultDocument> logDocument() { return formatNamed("csv")->makeDocument({}); }

// The same line, which may end with \r\n, with one more field. A field may hold line ends.
std::string withField(std::string line, std::string_view field) {
    const auto end = line.find_last_not_of("\r\n");
    return line.insert(end == std::string::npos ? 0 : end + 1, fmt::format(",{}", field));
}

std::string noteLine(std::string_view text) { return fmt::format("# {}\n", text); }

std::string missingLine(std::int64_t events) {
    return noteLine(fmt::format("{} events are missing here: the log could not be written", events));
}

} // namespace

EventLog::EventLog() = default;

EventLog::EventLog(std::filesystem::path file, std::string option)
    : file_(std::move(file))
    , option_(std::move(option)) {
    if (file_.empty()) return;
    document_ = logDocument();
    writer_ = std::make_unique<LineWriter>(AppendedFile(file_, withField(logDocument()->begin(), "instance")),
                                           missingLine);
}

EventLog::~EventLog() = default;

void EventLog::begin() {
    if (wanted()) writer_->begin();
}

void EventLog::add(const RecordingEvents& events, std::string_view instance) {
    if (!wanted()) return;
    RecordingEvents one = events;
    std::string text;
    {
        const std::scoped_lock lock(mutex_);
        for (const TimedEvent& event : events.events) {
            one.events = {event};
            text += withField(document_->add(one), csvField(instance));
        }
    }
    writer_->append(std::move(text), static_cast<std::int64_t>(events.events.size()));
}

void EventLog::note(std::string_view text) {
    if (wanted()) writer_->append(noteLine(text), 0);
}

void EventLog::flush() {
    if (wanted()) writer_->flush();
}

void EventLog::finish() {
    if (wanted()) writer_->finish();
}

std::string EventLog::problem() const {
    std::string why = wanted() ? writer_->problem() : std::string();
    if (why.empty()) return why;
    return fmt::format(
        "{}: {} cannot be written ({}); events wait until it can be. Make room on its disk, or "
        "name a file in a folder that can be written",
        displayName(file_), option_, why);
}

std::int64_t EventLog::dropped() const { return wanted() ? writer_->dropped() : 0; }

} // namespace earshot::formats
