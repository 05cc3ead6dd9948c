#include "Core/Detection/Windows/Analyzer.h"

#include "Core/Base/Error.h"
#include "Core/Detection/Windows/ScoredTimeline.h"
#include "Core/Detection/Windows/WindowPool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace earshot::detection {

namespace {

PassShape passShape(const TokenModel& model) {
    return {.windowFrames = model.windowFrames(), .framesPerToken = model.framesPerToken()};
}

// What a float16 can hold.
constexpr float largestValue = 65504.0f;

// The log-mel frames that later windows still need, by their absolute position in the recording.
class FrameHistory {
  public:
    explicit FrameHistory(int bands)
        : bands_(static_cast<std::size_t>(bands)) {}

    // Frames so far, those already discarded included.
    std::int64_t end() const { return first_ + static_cast<std::int64_t>(values_.size() / bands_); }

    // (frames, bands): new frames are appended here.
    std::vector<float>& values() { return values_; }

    // (count, bands) from frame `first` on; they must be there.
    std::span<const float> frames(std::int64_t first, int count) const {
        assert(first >= first_ && first + count <= end());
        return std::span(values_).subspan(static_cast<std::size_t>(first - first_) * bands_,
                                          static_cast<std::size_t>(count) * bands_);
    }

    // Frames before this one are not asked for again.
    void discardBefore(std::int64_t frame) {
        const auto unneeded = static_cast<std::size_t>(frame - first_) * bands_;
        if (unneeded < values_.size() / 2) return; // keeps the cost of moving the rest in proportion
        values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(unneeded));
        first_ = frame;
    }

    void reset() {
        values_.clear();
        first_ = 0;
    }

  private:
    std::size_t bands_;
    std::int64_t first_ = 0; // position of values_' first frame
    std::vector<float> values_;
};

} // namespace

struct Analyzer::Impl {
    Impl(std::unique_ptr<TokenModel> tokenModel, frontend::LogMelSettings frontend,
         const AnalyzerSettings& settings);

    void feed(std::span<const float> input);
    // A window whose columns are still to come.
    struct Begun {
        Window window;
        std::int64_t settled = 0; // columns that are final after it
        bool unchanged = false;   // the same input as the window before
    };

    void expectHop(TokenModel& one) const;
    void makePool(int threads);
    bool beginNext();
    void runAll();
    void begin(const Window& window);
    void complete(std::size_t most);
    void complete(const Begun& begun);
    void check() const;
    void score();
    bool runNext();
    void finish(ShortAudio how);
    void forgetInput();
    void reset();
    void goOn(std::int64_t column);

    std::unique_ptr<TokenModel> model;
    std::unique_ptr<WindowPool> pool; // null: each window runs at once, on the calling thread
    StopToken stop;
    int melBands;
    int values; // of a token
    frontend::LogMel logMel;
    PassShape shape;
    WindowSchedule schedule;
    FrameHistory history;
    Timeline timeline;                    // of what the model gives
    std::optional<ScoredTimeline> scored; // null if that is probabilities
    std::int64_t firstColumn = 0;         // of the audio that windows, frames and samples count from
    std::int64_t taken = 0;               // frames
    std::int64_t samples = 0;
    std::int64_t passes = 0;
    std::deque<Begun> begun;    // oldest first
    std::vector<float> image;   // (windowFrames, melBands)
    std::vector<float> latest;  // the image before; empty before the first
    std::vector<float> tokens;  // (tokens, values) of the window that was completed last
    std::vector<float> columns; // (columns, values) of the same
    std::vector<float> weights; // (columns) of the same
};

Analyzer::Impl::Impl(std::unique_ptr<TokenModel> tokenModel, frontend::LogMelSettings frontend,
                     const AnalyzerSettings& settings)
    : model(std::move(tokenModel))
    , stop(settings.stop)
    , melBands(model->melBands())
    , values(model->values())
    , logMel(std::move(frontend))
    , shape(passShape(*model))
    , schedule(shape, settings.mode, settings.hopTokens, settings.provisional)
    , history(melBands)
    , timeline(values, static_cast<double>(shape.framesPerToken) * logMel.settings().hopSize /
                           logMel.settings().sampleRate)
    , image(static_cast<std::size_t>(shape.windowFrames) * static_cast<std::size_t>(melBands))
    , tokens(static_cast<std::size_t>(shape.tokens()) * static_cast<std::size_t>(values)) {
    if (logMel.settings().melBands != melBands)
        throw Error(fmt::format("the log-mel frontend gives {} bands, the model expects {}",
                                logMel.settings().melBands, melBands));
    if (auto scorer = model->scorer()) scored.emplace(std::move(scorer), timeline.secondsPerColumn());
    expectHop(*model);
    makePool(settings.threads);
}

void Analyzer::Impl::expectHop(TokenModel& one) const {
    const int stretch = longestHop(shape, schedule.mode());
    one.expectHop(schedule.hopTokens() * shape.framesPerToken, stretch * shape.framesPerToken);
}

void Analyzer::Impl::makePool(int threads) {
    std::vector<std::unique_ptr<TokenModel>> others;
    for (int i = 1; i < threads; ++i)
        if (auto other = model->another()) {
            expectHop(*other);
            others.push_back(std::move(other));
        }
    if (!others.empty()) pool = std::make_unique<WindowPool>(*model, std::move(others));
}

void Analyzer::Impl::feed(std::span<const float> input) {
    history.discardBefore(schedule.firstNeededFrame());
    taken = history.end();
    logMel.push(input, history.values());
    samples += static_cast<std::int64_t>(input.size());
}

bool Analyzer::Impl::beginNext() {
    const auto window = schedule.next(history.end());
    if (window) begin(*window);
    return window.has_value();
}

// Begins every window that can run. On return the pool may still hold unfinished windows.
void Analyzer::Impl::runAll() {
    while (!stop.requested() && beginNext()) complete(pool ? pool->enough() : 0);
}

void Analyzer::Impl::begin(const Window& window) {
    tile(window, history.frames(window.firstFrame, window.heard), melBands, image);
    const bool unchanged = latest.size() == image.size() &&
                           std::memcmp(image.data(), latest.data(), image.size() * sizeof(float)) == 0;
    if (!unchanged) {
        latest.resize(image.size());
        std::swap(image, latest);
        if (pool) pool->add(latest);
        ++passes;
    }
    begun.push_back({window, schedule.settledColumns(), unchanged});
}

// Completes the oldest windows until at most `most` are left, and then those that are already done.
void Analyzer::Impl::complete(std::size_t most) {
    while (!stop.requested() && !begun.empty() &&
           (begun.size() > most || begun.front().unchanged || (pool && pool->ready()))) {
        const Begun oldest = begun.front();
        begun.pop_front();
        complete(oldest);
    }
}

void Analyzer::Impl::complete(const Begun& oldest) {
    const Window& window = oldest.window;
    if (!oldest.unchanged) {
        const StopToken::Computing computing(stop);
        if (pool)
            pool->take(tokens);
        else
            model->run(latest, tokens);
    }
    check();
    columns.resize(static_cast<std::size_t>(window.columns) * static_cast<std::size_t>(values));
    foldTokens(window, shape, tokens, columns);
    // After a change of mode a window may begin before columns that are final.
    const std::int64_t windowColumn = firstColumn + window.firstFrame / shape.framesPerToken;
    const std::int64_t first = std::max(windowColumn, timeline.settled());
    const auto wanted = std::span<const float>(columns).subspan(
        static_cast<std::size_t>(first - windowColumn) * static_cast<std::size_t>(values));
    if (window.provisional) {
        timeline.setProvisional(first, wanted);
    } else {
        weights.resize(static_cast<std::size_t>(window.columns));
        weighColumns(window, shape, timeline.secondsPerColumn(), weights);
        timeline.add(first, wanted,
                     std::span<const float>(weights).subspan(static_cast<std::size_t>(first - windowColumn)));
    }
    timeline.settle(firstColumn + oldest.settled);
    score();
}

void Analyzer::Impl::check() const {
    const float lowest = scored ? -largestValue : 0.0f, highest = scored ? largestValue : 1.0f;
    // A NaN fails as well.
    if (!std::ranges::all_of(tokens, [&](float value) { return value >= lowest && value <= highest; }))
        throw Error(fmt::format("the model gave values that are no {}: its file is damaged, or is not a {}",
                                scored ? "vectors" : "probabilities", scored ? "CLAP model" : "detector"));
}

void Analyzer::Impl::score() {
    if (scored) scored->follow(timeline);
}

bool Analyzer::Impl::runNext() {
    if (!beginNext()) return false;
    complete(0);
    return true;
}

void Analyzer::Impl::finish(ShortAudio how) {
    logMel.finish(history.values());
    runAll();
    // A column begins within the recording, so the frame centred on the recording's very end begins none.
    const std::int64_t samplesPerColumn =
        static_cast<std::int64_t>(shape.framesPerToken) * logMel.settings().hopSize;
    const std::int64_t totalColumns = (samples + samplesPerColumn - 1) / samplesPerColumn;
    const double seconds = static_cast<double>(samples) / logMel.settings().sampleRate;
    const bool silenceFollows =
        how == ShortAudio::byLength && seconds < repeatedFrom && !model->repeatsShortAudio();
    if (const auto window = schedule.last(history.end(), totalColumns, silenceFollows)) begin(*window);
    complete(0);
    timeline.finish(static_cast<double>(firstColumn) * timeline.secondsPerColumn() + seconds);
    score();
}

void Analyzer::Impl::forgetInput() {
    logMel.reset();
    schedule.reset();
    if (pool) pool->clear();
    begun.clear();
    latest.clear(); // its pass may never have completed
    history.reset();
    taken = 0;
    samples = 0;
}

void Analyzer::Impl::reset() {
    forgetInput();
    timeline.reset();
    if (scored) scored->reset();
    firstColumn = 0;
    passes = 0;
}

void Analyzer::Impl::goOn(std::int64_t column) {
    assert(column >= timeline.columns());
    forgetInput();
    timeline.goOn();
    if (scored) scored->goOn();
    firstColumn = column;
}

Analyzer::Analyzer(std::unique_ptr<TokenModel> model, frontend::LogMelSettings frontend,
                   const AnalyzerSettings& settings)
    : impl_(std::make_unique<Impl>(std::move(model), std::move(frontend), settings)) {}
Analyzer::~Analyzer() = default;

void Analyzer::push(std::span<const float> samples) {
    impl_->feed(samples);
    impl_->runAll();
}

void Analyzer::feed(std::span<const float> samples) { impl_->feed(samples); }
std::int64_t Analyzer::waiting() const { return impl_->schedule.waiting(impl_->history.end()); }
bool Analyzer::runNext() { return impl_->runNext(); }
std::int64_t Analyzer::skipLate() { return impl_->schedule.skipLate(impl_->history.end()); }
void Analyzer::finish(ShortAudio how) { impl_->finish(how); }
void Analyzer::reset() { impl_->reset(); }
void Analyzer::goOn(std::int64_t column) { impl_->goOn(column); }

void Analyzer::forget(std::int64_t before) {
    impl_->timeline.forget(before);
    if (impl_->scored) impl_->scored->forget(before);
}

// A pool's networks keep the hop that they expect, so that all of them still give the same results.
void Analyzer::change(Mode mode, int hopTokens) {
    impl_->schedule.change(mode, hopTokens);
    if (!impl_->pool) impl_->expectHop(*impl_->model);
}

std::span<const float> Analyzer::takeFrames() {
    const auto first = std::exchange(impl_->taken, impl_->history.end());
    return impl_->history.frames(first, static_cast<int>(impl_->history.end() - first));
}

const Timeline& Analyzer::timeline() const {
    return impl_->scored ? impl_->scored->timeline() : impl_->timeline;
}

const Timeline* Analyzer::vectors() const { return impl_->scored ? &impl_->timeline : nullptr; }

void Analyzer::score(std::shared_ptr<const ColumnScorer> scorer, const Timeline& kept) {
    assert(impl_->scored && scorer->values() == impl_->values);
    impl_->scored.emplace(std::move(scorer), impl_->timeline.secondsPerColumn());
    impl_->scored->follow(kept);
}

EventList Analyzer::events(const EventSettings& settings) const { return deriveEvents(timeline(), settings); }
std::int64_t Analyzer::passes() const { return impl_->passes; }
PassShape Analyzer::shape() const { return impl_->shape; }

} // namespace earshot::detection
