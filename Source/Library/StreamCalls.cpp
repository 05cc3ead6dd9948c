// The functions of earshot.h for audio that comes piece by piece.
#include "Library/Failure.h"
#include "Library/Result.h"
#include "Library/SampleAnalysis.h"

#include "Core/Streaming/LiveEvents.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <utility>

using namespace earshot;
using namespace earshot::library;

namespace {

// What waits to be polled. The mutex is held for as long as copying takes, never during a pass.
struct Waiting {
    std::mutex mutex;
    std::vector<earshot_event> events;
    std::vector<earshot_change> changes;
    std::vector<float> columns;
    std::uint64_t firstColumn = 0;
};

// Moves the first things of `waiting` to `out`. Returns how many.
template <typename Thing>
std::size_t moveFirst(std::vector<Thing>& waiting, Thing* out, std::size_t capacity) {
    const std::size_t count = std::min(capacity, waiting.size());
    const auto end = waiting.begin() + static_cast<std::ptrdiff_t>(count);
    std::copy(waiting.begin(), end, out);
    waiting.erase(waiting.begin(), end);
    return count;
}

} // namespace

struct earshot_stream : detection::ColumnObserver {
    earshot_stream(std::shared_ptr<const OpenModel> model, Choice chosen, double streamRate,
                   std::size_t channelCount)
        : choice(std::move(chosen))
        , classes(model->classes())
        , rate(streamRate)
        , channels(static_cast<std::int32_t>(channelCount))
        , question(makeQuestion())
        , analysis(std::move(model), choice, true, rate, channelCount, choice.channel, question) {}

    detection::RecordingQuestion makeQuestion();
    void push(const Samples& samples);
    void finish();

    void begin(int, double) override {}
    void column(std::int64_t, std::span<const float> probabilities) override;
    void end(double) override {}

    const Choice choice;
    const std::size_t classes;
    const double rate; // Hz
    const std::int32_t channels;
    std::mutex pushing; // two threads that push take turns
    detection::RecordingQuestion question;
    SampleAnalysis analysis;
    streaming::LiveEvents live;
    std::pair<std::int64_t, std::int64_t> followed; // columns, and those that are settled
    std::atomic<std::uint64_t> position{0};         // frames
    bool ended = false, broken = false;
    mutable Waiting waiting;

  private:
    void follow(const detection::Timeline& timeline);
    void notify(const std::vector<streaming::LiveChange>& found);
    void requireGoing() const;
};

detection::RecordingQuestion earshot_stream::makeQuestion() {
    detection::RecordingQuestion asked{
        .settings = choice.rules, .reported = choice.reported, .observers = {}, .nearMisses = false};
    if (choice.keepsActivations) asked.observers = {this};
    asked.settled = [this](std::span<const detection::Event> events) {
        const std::scoped_lock lock(waiting.mutex);
        for (const auto& event : events) waiting.events.push_back(publicEvent(event));
    };
    if (choice.live) asked.watch = [this](const detection::Timeline& timeline) { follow(timeline); };
    return asked;
}

void earshot_stream::column(std::int64_t, std::span<const float> probabilities) {
    const std::scoped_lock lock(waiting.mutex);
    waiting.columns.insert(waiting.columns.end(), probabilities.begin(), probabilities.end());
}

void earshot_stream::follow(const detection::Timeline& timeline) {
    const std::pair known(timeline.columns(), timeline.settled());
    if (known == std::exchange(followed, known)) return;
    std::vector<streaming::LiveChange> found;
    live.follow(timeline, choice.liveRules, found);
    notify(found);
}

void earshot_stream::notify(const std::vector<streaming::LiveChange>& found) {
    const std::scoped_lock lock(waiting.mutex);
    for (const auto& change : found) {
        const auto index = static_cast<std::size_t>(change.event.classIndex);
        if (!choice.reported.empty() && !choice.reported[index]) continue;
        auto event = publicEvent(change.event);
        event.channel = choice.channel;
        waiting.changes.push_back(
            {.kind = change.kind == streaming::LiveChange::Kind::onset ? EARSHOT_ONSET : EARSHOT_OFFSET,
             .reserved = 0,
             .event = event});
    }
}

void earshot_stream::requireGoing() const {
    require(!ended, "stream: has ended; open another one");
    require(!broken, "stream: cannot go on after an earlier error; open another one");
}

// What is live needs a look after each window, so it is fed a column at a time.
void earshot_stream::push(const Samples& samples) {
    const std::scoped_lock lock(pushing);
    requireGoing();
    broken = true;                     // unless it is done
    constexpr double liveBlock = 0.08; // seconds
    const auto block = std::max<std::size_t>(
        1, static_cast<std::size_t>(std::lround(rate * (choice.live ? liveBlock : 1.0))));
    for (std::size_t first = 0; first < samples.frames; first += block) {
        analysis.push(samples, first, std::min(block, samples.frames - first));
        position.store(analysis.frames());
    }
    broken = false;
}

void earshot_stream::finish() {
    const std::scoped_lock lock(pushing);
    requireGoing();
    broken = true;
    analysis.finish();
    std::vector<streaming::LiveChange> found;
    live.end(found);
    notify(found);
    ended = true;
    broken = false;
}

namespace {

earshot_status pushTo(earshot_stream* stream, const float* interleaved, const float* const* planes,
                      std::size_t frames) {
    return attempt([=] {
        requireSet(stream, "stream");
        if (frames > 0 && interleaved == nullptr) requireSet(planes, "samples");
        stream->push(checkedSamples(interleaved, planes, frames, stream->channels));
    });
}

// Moves the first of what waits to `out`.
template <typename Thing>
earshot_status poll(earshot_stream* stream, std::vector<Thing> Waiting::*things, Thing* out,
                    std::size_t capacity, std::size_t* count) {
    if (count != nullptr) *count = 0;
    return attempt([=] {
        requireSet(stream, "stream");
        requireSet(count, "count");
        if (capacity > 0) requireSet(out, "out");
        const std::scoped_lock lock(stream->waiting.mutex);
        *count = moveFirst(stream->waiting.*things, out, capacity);
    });
}

} // namespace

earshot_status earshot_stream_open(const earshot_model* model, double rate, int32_t channels,
                                   const earshot_analysis* analysis, earshot_stream** stream) {
    if (stream != nullptr) *stream = nullptr;
    return attempt([=] {
        const auto& open = opened(model);
        requireSet(stream, "stream");
        requireRate(rate);
        requireChannels(channels);
        auto choice = chosen(analysis, open.model());
        require(choice.channel != EARSHOT_CHANNEL_EACH,
                "channel: a stream is of one channel or the mix; open a stream for each");
        *stream =
            new earshot_stream(model->open, std::move(choice), rate, static_cast<std::size_t>(channels));
    });
}

earshot_status earshot_stream_push(earshot_stream* stream, const float* interleaved, size_t frames) {
    return pushTo(stream, interleaved, nullptr, frames);
}

earshot_status earshot_stream_push_planar(earshot_stream* stream, const float* const* planes, size_t frames) {
    return pushTo(stream, nullptr, planes, frames);
}

earshot_status earshot_stream_finish(earshot_stream* stream) {
    return attempt([=] {
        requireSet(stream, "stream");
        stream->finish();
    });
}

earshot_status earshot_stream_poll_events(earshot_stream* stream, earshot_event* out, size_t capacity,
                                          size_t* count) {
    return poll(stream, &Waiting::events, out, capacity, count);
}

earshot_status earshot_stream_poll_changes(earshot_stream* stream, earshot_change* out, size_t capacity,
                                           size_t* count) {
    return poll(stream, &Waiting::changes, out, capacity, count);
}

earshot_status earshot_stream_poll_activations(earshot_stream* stream, float* out, size_t maxColumns,
                                               size_t* columns, uint64_t* firstColumn) {
    if (columns != nullptr) *columns = 0;
    return attempt([=] {
        requireSet(stream, "stream");
        requireSet(columns, "columns");
        if (maxColumns > 0) requireSet(out, "out");
        Waiting& waiting = stream->waiting;
        const std::scoped_lock lock(waiting.mutex);
        const std::size_t most = std::min(maxColumns, waiting.columns.size() / stream->classes);
        *columns = moveFirst(waiting.columns, out, most * stream->classes) / stream->classes;
        if (firstColumn != nullptr) *firstColumn = waiting.firstColumn;
        waiting.firstColumn += *columns;
    });
}

uint64_t earshot_stream_position(const earshot_stream* stream) {
    return stream != nullptr ? stream->position.load() : 0;
}

void earshot_stream_close(earshot_stream* stream) { delete stream; }
