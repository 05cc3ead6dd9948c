#include "Core/Formats/EventLog.h"

#include "Core/Base/AppendedFile.h"
#include "Core/Base/Csv.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <utility>

namespace earshot::formats {

namespace {

constexpr std::size_t mostAtOnce = 1 << 16; // bytes of an append

std::unique_ptr<ResultDocument> logDocument() { return formatNamed("csv")->makeDocument({}); }

// The same line, which may end with \r\n, with one more field. A field may hold line ends.
std::string withField(std::string line, std::string_view field) {
    const auto end = line.find_last_not_of("\r\n");
    return line.insert(end == std::string::npos ? 0 : end + 1, fmt::format(",{}", field));
}

std::string noteLine(std::string_view text) { return fmt::format("# {}\n", text); }

} // namespace

struct EventLog::Shared {
    struct Line {
        std::string text;
        std::int64_t events = 0;
    };

    Shared(std::filesystem::path path, std::string name)
        : option(std::move(name))
        , file(std::move(path), withField(logDocument()->begin(), "instance")) {}

    void run(const StopToken& stop);
    void push(std::string text, std::int64_t events);
    std::string nextLines();
    void take(const AppendedFile::Result& result);
    std::string problemText(const std::string& why) const;
    // Whether there is nothing to wait for.
    bool atRest() const { return (lines.empty() && !busy && begun) || !problem.empty() || stopping; }

    const std::string option;
    AppendedFile file; // the writer's

    mutable std::mutex mutex; // guards the members below
    std::condition_variable wake, rested;
    std::unique_ptr<ResultDocument> document = logDocument();
    std::deque<Line> lines;
    std::size_t waiting = 0;        // bytes of them
    std::int64_t dropped = 0;       // events, in all
    std::int64_t droppedUnsaid = 0; // of these, that no note counts yet
    std::string problem;
    bool begun = false; // the file was opened once
    bool busy = false;  // an append runs
    bool stopping = false;
};

EventLog::EventLog(std::filesystem::path file, std::string option)
    : shared_(file.empty() ? nullptr : std::make_shared<Shared>(std::move(file), std::move(option))) {}

EventLog::~EventLog() { finish(); }

void EventLog::begin() {
    if (!wanted()) return;
    const std::scoped_lock lock(shared_->mutex);
    if (shared_->stopping || writer_.running()) return;
    try {
        writer_ = Job([shared = shared_](const StopToken& stop) { shared->run(stop); });
    } catch (const std::exception&) {
        shared_->problem = shared_->problemText("the system has no thread left; close some programs");
    }
}

void EventLog::add(const RecordingEvents& events, std::string_view instance) {
    if (!wanted()) return;
    RecordingEvents one = events;
    std::string text;
    std::unique_lock lock(shared_->mutex);
    for (const TimedEvent& event : events.events) {
        one.events = {event};
        text += withField(shared_->document->add(one), csvField(instance));
    }
    lock.unlock();
    append(std::move(text), static_cast<std::int64_t>(events.events.size()));
}

void EventLog::note(std::string_view text) {
    if (wanted()) append(noteLine(text), 0);
}

void EventLog::append(std::string line, std::int64_t events) {
    begin();
    {
        const std::scoped_lock lock(shared_->mutex);
        shared_->push(std::move(line), events);
    }
    shared_->wake.notify_all();
}

void EventLog::flush() {
    if (!wanted()) return;
    std::unique_lock lock(shared_->mutex);
    shared_->rested.wait_for(lock, std::chrono::milliseconds(500), [this] { return shared_->atRest(); });
}

void EventLog::finish() {
    if (!wanted()) return;
    {
        const std::scoped_lock lock(shared_->mutex);
        shared_->stopping = true;
    }
    shared_->wake.notify_all();
    writer_.end();
}

std::string EventLog::problem() const {
    if (!wanted()) return {};
    const std::scoped_lock lock(shared_->mutex);
    return shared_->problem;
}

std::int64_t EventLog::dropped() const {
    if (!wanted()) return 0;
    const std::scoped_lock lock(shared_->mutex);
    return shared_->dropped;
}

// With the mutex.
void EventLog::Shared::push(std::string text, std::int64_t events) {
    if (waiting + text.size() > maxWaiting) {
        dropped += events;
        droppedUnsaid += events;
        return;
    }
    if (droppedUnsaid > 0) {
        text.insert(0, noteLine(fmt::format("{} events are missing here: the log could not be written",
                                            droppedUnsaid)));
        droppedUnsaid = 0;
    }
    waiting += text.size();
    lines.push_back({std::move(text), events});
}

// With the mutex.
std::string EventLog::Shared::nextLines() {
    std::string text;
    for (const Line& line : lines) {
        if (!text.empty() && text.size() + line.text.size() > mostAtOnce) break;
        text += line.text;
    }
    return text;
}

// With the mutex: forgets what was written.
void EventLog::Shared::take(const AppendedFile::Result& result) {
    waiting -= result.written;
    for (std::size_t left = result.written; left > 0;) {
        std::string& first = lines.front().text;
        const std::size_t count = std::min(left, first.size());
        first.erase(0, count);
        left -= count;
        if (first.empty()) lines.pop_front();
    }
    problem = result.problem.empty() ? std::string() : problemText(result.problem);
}

std::string EventLog::Shared::problemText(const std::string& why) const {
    return fmt::format(
        "{}: {} cannot be written ({}); events wait until it can be. Make room on its disk, or "
        "name a file in a folder that can be written",
        displayName(file.path()), option, why);
}

void EventLog::Shared::run(const StopToken& stop) {
    std::unique_lock lock(mutex);
    while (true) {
        const std::string text = nextLines();
        busy = true;
        lock.unlock();
        stop.alive();
        const auto result = file.append(text);
        lock.lock();
        busy = false;
        begun = true;
        take(result);
        const bool failed = !problem.empty();
        if (lines.empty() || failed) rested.notify_all();
        if (stopping && (lines.empty() || failed)) break;
        if (failed) {
            wake.wait_for(lock, retryAfter, [this] { return stopping; });
        } else {
            wake.wait(lock, [this] { return stopping || !lines.empty(); });
            if (lines.empty()) break;
        }
    }
    for (const Line& line : lines) dropped += line.events;
    lines.clear();
}

} // namespace earshot::formats
