#include "Core/Base/LineWriter.h"

#include "Core/Base/Log.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <utility>

namespace earshot {

namespace {

constexpr std::size_t maxAppend = 1 << 16; // bytes

} // namespace

struct LineWriter::Shared {
    struct Lines {
        std::string text;
        std::int64_t items = 0;
    };

    Shared(AppendedFile appended, DroppedNote dropNote)
        : file(std::move(appended))
        , note(dropNote) {}

    void run(const StopToken& stop);
    void push(std::string text, std::int64_t items);
    std::string nextLines();
    void take(const AppendedFile::Result& result);
    // Whether there is nothing to wait for.
    bool atRest() const { return (lines.empty() && !busy && begun) || !problem.empty() || stopping; }

    AppendedFile file; // the writer's
    const DroppedNote note;

    mutable std::mutex mutex; // guards the members below
    std::condition_variable wake, rested;
    std::deque<Lines> lines;
    std::size_t waiting = 0;        // bytes of them
    std::int64_t dropped = 0;       // items, in all
    std::int64_t droppedUnsaid = 0; // of these, that no note counts yet
    std::string problem;
    bool begun = false; // the file was opened once
    bool busy = false;  // an append runs
    bool stopping = false;
};

LineWriter::LineWriter(AppendedFile file, DroppedNote note)
    : shared_(std::make_shared<Shared>(std::move(file), note)) {}

LineWriter::~LineWriter() { finish(); }

void LineWriter::begin() {
    const std::scoped_lock lock(shared_->mutex);
    if (shared_->stopping || writer_.running()) return;
    try {
        writer_ = BackgroundThread([shared = shared_](const StopToken& stop) { shared->run(stop); });
    } catch (...) { // not logged: it may be the log's own
        shared_->problem = caughtCause();
    }
}

void LineWriter::append(std::string lines, std::int64_t items) {
    begin();
    {
        const std::scoped_lock lock(shared_->mutex);
        shared_->push(std::move(lines), items);
    }
    shared_->wake.notify_all();
}

void LineWriter::flush() {
    std::unique_lock lock(shared_->mutex);
    shared_->rested.wait_for(lock, std::chrono::milliseconds(500), [this] { return shared_->atRest(); });
}

void LineWriter::finish() {
    {
        const std::scoped_lock lock(shared_->mutex);
        shared_->stopping = true;
    }
    shared_->wake.notify_all();
    writer_.end();
}

std::string LineWriter::problem() const {
    const std::scoped_lock lock(shared_->mutex);
    return shared_->problem;
}

std::int64_t LineWriter::dropped() const {
    const std::scoped_lock lock(shared_->mutex);
    return shared_->dropped;
}

// With the mutex.
void LineWriter::Shared::push(std::string text, std::int64_t items) {
    if (waiting + text.size() > maxWaiting) {
        dropped += items;
        droppedUnsaid += items;
        return;
    }
    if (droppedUnsaid > 0) {
        text.insert(0, note(droppedUnsaid));
        droppedUnsaid = 0;
    }
    waiting += text.size();
    lines.push_back({std::move(text), items});
}

// With the mutex.
std::string LineWriter::Shared::nextLines() {
    std::string text;
    for (const Lines& each : lines) {
        if (!text.empty() && text.size() + each.text.size() > maxAppend) break;
        text += each.text;
    }
    return text;
}

// With the mutex: forgets what was written.
void LineWriter::Shared::take(const AppendedFile::Result& result) {
    waiting -= result.written;
    for (std::size_t left = result.written; left > 0;) {
        std::string& first = lines.front().text;
        const std::size_t count = std::min(left, first.size());
        first.erase(0, count);
        left -= count;
        if (first.empty()) lines.pop_front();
    }
    problem = result.problem;
}

void LineWriter::Shared::run(const StopToken& stop) {
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
    for (const Lines& each : lines) dropped += each.items;
    lines.clear();
}

} // namespace earshot
