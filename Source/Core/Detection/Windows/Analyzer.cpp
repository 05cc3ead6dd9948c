#include "Core/Detection/Windows/Analyzer.h"

#include "Core/Base/Error.h"
#include "Core/Detection/Windows/FrameHistory.h"
#include "Core/Detection/Windows/ScoredTimeline.h"
#include "Core/Detection/Windows/WindowPool.h"
#include "Core/Frontend/LogMelSettings.h"

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
constexpr float maxValue = 65504.0f;

} // namespace

struct Analyzer::Impl {
    Impl(std::unique_ptr<TokenModel> tokenModel, frontend::LogMelSettings frontend,
         const AnalyzerSettings& settings);

    enum class Stage { waiting, running, done };
    enum class Source { pass, before, silence }; // of a window's tokens: its own pass, that of the one before
    // A window whose columns are still to come.
    struct Begun {
        Window window;
        std::int64_t settled = 0; // columns that are final after it
        bool look = true;
        std::optional<bool> wanted; // whether its columns count: of a look they do, else looks decide
        Stage stage = Stage::waiting;
        Source source = Source::pass;
        bool silent = false;            // all of its input
        std::vector<float> tokens = {}; // (tokens, values) once it is done
    };
    // The latest look that is done.
    struct Look {
        std::int64_t column = 0;     // its first
        std::vector<float> values;   // (columns, classes)
        std::vector<bool> suspected; // (columns), by this look alone
    };

    void feed(std::span<const float> input);
    void expectHop(TokenModel& one) const;
    void makePool(int threads);
    bool beginNext();
    void runAll();
    void begin(const Window& window, bool look);
    void start(Begun& one);
    void finishOldest();
    void decide(const Begun& look);
    void wantSuspected(std::size_t first, std::size_t end, const Look& looked);
    void leaveOthers(std::size_t end);
    void beginEnd(const std::optional<Window>& window);
    std::span<const float> columnsOf(const Begun& one);
    void complete(std::size_t most);
    void complete(const Begun& oldest);
    void settle(const Begun& oldest);
    void countPassedOver(std::int64_t settled);
    std::size_t enough() const;
    void check() const;
    void score();
    bool runNext();
    void finish(ShortAudio how);
    void forgetInput();
    void reset();
    void resume(std::int64_t column);

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
    std::deque<Begun> begun;         // oldest first
    std::deque<Begun*> running;      // those of `begun`, in the order in which they were started
    std::int64_t startedFrame = 0;   // the first of the window that was started last
    std::vector<float> image;        // (windowFrames, melBands)
    std::vector<float> latest;       // that of the pass that was started last; empty before the first
    std::vector<float> tokens;       // (tokens, values) of the pass that was finished last
    bool silenceStarted = false;     // a pass over a silent window
    std::vector<float> silentTokens; // and what it gave
    std::vector<float> columns;      // (columns, values) of the window that columnsOf() was asked for
    std::vector<float> weights;      // (columns) of the same

    std::shared_ptr<const CoarseBound> coarse; // null: every window is a look
    std::int64_t regular = 0;                  // windows of the schedule so far
    std::optional<Look> latestLook;
    int denseLooks = 0;                       // in a row, since before which all windows were wanted
    std::int64_t fineEnd = 0, skippedEnd = 0; // columns, of the windows that ran between looks or did not
    std::int64_t passedOver = 0;              // columns
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
    , tokens(static_cast<std::size_t>(shape.tokens()) * static_cast<std::size_t>(values))
    , coarse(settings.coarse) {
    assert(!coarse || (!settings.provisional && model->scorer() == nullptr));
    if (logMel.settings().melBands != melBands)
        throw Error(fmt::format("the log-mel frontend gives {} bands, the model expects {}",
                                logMel.settings().melBands, melBands));
    if (auto scorer = model->scorer()) scored.emplace(std::move(scorer), timeline.secondsPerColumn());
    expectHop(*model);
    makePool(settings.threads);
}

void Analyzer::Impl::expectHop(TokenModel& one) const {
    const int stretch = maxHop(shape, schedule.mode());
    one.expectHop(schedule.hopTokens() * shape.framesPerToken, stretch * shape.framesPerToken);
}

void Analyzer::Impl::makePool(int threads) {
    std::vector<std::unique_ptr<TokenModel>> others;
    for (int i = 1; i < threads; ++i)
        if (auto other = model->clone()) {
            expectHop(*other);
            others.push_back(std::move(other));
        }
    if (!others.empty()) pool = std::make_unique<WindowPool>(*model, std::move(others));
}

void Analyzer::Impl::feed(std::span<const float> input) {
    const auto waits = [](const Begun& one) { return one.stage == Stage::waiting && one.wanted != false; };
    const auto waiting = std::ranges::find_if(begun, waits);
    history.discardBefore(waiting == begun.end()
                              ? schedule.firstNeededFrame()
                              : std::min(schedule.firstNeededFrame(), waiting->window.firstFrame));
    taken = history.end();
    logMel.push(input, history.values());
    samples += static_cast<std::int64_t>(input.size());
}

// With a bound, a window that begins where the look before it ends is a look.
bool Analyzer::Impl::beginNext() {
    const auto window = schedule.next(history.end());
    if (window) begin(*window, !coarse || regular++ % schedule.windowsPerStretch() == 0);
    return window.has_value();
}

// Begins every window that can run. On return the pool may still hold unfinished windows.
void Analyzer::Impl::runAll() {
    while (!stop.requested() && beginNext()) complete(enough());
}

// Looks share nothing, so that each is a run of its own.
std::size_t Analyzer::Impl::enough() const {
    if (!pool) return 0;
    return coarse ? pool->enough() / 2 : pool->enough();
}

// Which columns count does not depend on when windows are started: what a look suspects by itself, it
// suspects beside the next one too. Started in order, they share more of their passes. A pool's looks are
// done late; where sounds are dense, its windows are started before it is known that they are wanted.
void Analyzer::Impl::begin(const Window& window, bool look) {
    begun.push_back({.window = window,
                     .settled = schedule.settledColumns(),
                     .look = look,
                     .wanted = look ? std::optional(true) : std::nullopt});
    constexpr int dense = 6;
    if (look || (pool && denseLooks >= dense)) start(begun.back());
    if (look) return;
    const bool looking = std::ranges::any_of(running, [](const Begun* one) { return one->look; });
    if (latestLook && !looking) wantSuspected(begun.size() - 1, begun.size(), *latestLook);
}

void Analyzer::Impl::start(Begun& one) {
    const Window& window = one.window;
    tile(window, history.frames(window.firstFrame, window.heard), melBands, image);
    one.silent = std::ranges::all_of(image, [](float level) { return level == frontend::silenceDecibels; });
    const bool unchanged = latest.size() == image.size() &&
                           std::memcmp(image.data(), latest.data(), image.size() * sizeof(float)) == 0;
    one.source = one.silent && silenceStarted ? Source::silence : unchanged ? Source::before : Source::pass;
    if (one.source == Source::pass) {
        silenceStarted = silenceStarted || one.silent;
        latest.resize(image.size());
        std::swap(image, latest);
        const int hop = schedule.hopTokens() * shape.framesPerToken;
        const bool follows = !coarse || window.firstFrame == startedFrame + hop;
        if (pool) pool->add(latest, follows ? hop : 0);
        startedFrame = window.firstFrame;
        ++passes;
    }
    one.stage = Stage::running;
    running.push_back(&one);
    if (!pool && !stop.requested()) finishOldest();
}

void Analyzer::Impl::finishOldest() {
    Begun& one = *running.front();
    running.pop_front();
    if (one.source == Source::pass) {
        const StopToken::Computing computing(stop);
        if (pool)
            pool->take(tokens);
        else
            model->run(latest, tokens);
        check();
        if (one.silent) silentTokens = tokens;
    }
    one.tokens = one.source == Source::silence ? silentTokens : tokens;
    one.stage = Stage::done;
    if (coarse && one.look) decide(one);
}

// Decides which windows between the look before and this one run, by both together.
void Analyzer::Impl::decide(const Begun& look) {
    const auto isLook = [&](const Begun& one) { return &one == &look; };
    const auto place = static_cast<std::size_t>(std::ranges::find_if(begun, isLook) - begun.begin());
    const auto own = columnsOf(look);
    Look now{.column = look.window.firstFrame / shape.framesPerToken,
             .values = {own.begin(), own.end()},
             .suspected = coarse->suspects(own)};
    if (latestLook) {
        Look& both = *latestLook;
        const auto shared = std::min(both.values.size() - static_cast<std::size_t>(now.column - both.column) *
                                                              static_cast<std::size_t>(values),
                                     now.values.size());
        const auto overlap = both.values.end() - static_cast<std::ptrdiff_t>(shared);
        std::transform(overlap, both.values.end(), now.values.begin(), overlap,
                       [](float one, float other) { return std::max(one, other); });
        both.values.insert(both.values.end(), now.values.begin() + static_cast<std::ptrdiff_t>(shared),
                           now.values.end());
        both.suspected = coarse->suspects(both.values);
        wantSuspected(0, place, both);
    }
    leaveOthers(place);
    latestLook = std::move(now);
    wantSuspected(place + 1, begun.size(), *latestLook);
}

// Of the windows first to end - 1 in `begun`, wants those that cover a column that is suspected.
void Analyzer::Impl::wantSuspected(std::size_t first, std::size_t end, const Look& looked) {
    const auto known = static_cast<std::int64_t>(looked.suspected.size());
    for (std::size_t i = first; i < end; ++i) {
        Begun& one = begun[i];
        if (one.wanted) continue;
        const std::int64_t column = one.window.firstFrame / shape.framesPerToken - looked.column;
        const auto from = looked.suspected.begin() + std::clamp<std::int64_t>(column, 0, known);
        const auto to =
            looked.suspected.begin() + std::clamp<std::int64_t>(column + one.window.columns, 0, known);
        if (std::find(from, to, true) == to) continue;
        one.wanted = true;
        if (one.stage == Stage::waiting) start(one);
    }
}

// The windows before `end` in `begun` that no look wants are left out.
void Analyzer::Impl::leaveOthers(std::size_t end) {
    ++denseLooks;
    for (std::size_t i = 0; i < end; ++i) {
        if (begun[i].wanted) continue;
        begun[i].wanted = false;
        denseLooks = 0;
    }
}

// The last window is a look, be it one that is aligned to the recording's end or a regular one that ends
// there.
void Analyzer::Impl::beginEnd(const std::optional<Window>& window) {
    if (window) return begin(*window, true);
    if (begun.empty() || begun.back().look) return;
    Begun& last = begun.back();
    last.look = true;
    last.wanted = true;
    if (last.stage == Stage::waiting)
        start(last);
    else if (last.stage == Stage::done)
        decide(last);
}

// Finishes the oldest windows until at most `most` run, and then those that are already done; then completes
// those before which none is left.
void Analyzer::Impl::complete(std::size_t most) {
    while (!stop.requested() && !running.empty() &&
           (running.size() > most || running.front()->source != Source::pass || pool->ready()))
        finishOldest();
    const auto isOver = [](const Begun& one) {
        return one.wanted == false ? one.stage != Stage::running : one.wanted && one.stage == Stage::done;
    };
    for (; !begun.empty() && isOver(begun.front()); begun.pop_front()) complete(begun.front());
}

std::span<const float> Analyzer::Impl::columnsOf(const Begun& one) {
    columns.resize(static_cast<std::size_t>(one.window.columns) * static_cast<std::size_t>(values));
    foldTokens(one.window, shape, one.tokens, columns);
    return columns;
}

void Analyzer::Impl::complete(const Begun& oldest) {
    if (!*oldest.wanted) return settle(oldest);
    const Window& window = oldest.window;
    // After a change of mode a window may begin before columns that are final.
    const std::int64_t windowColumn = firstColumn + window.firstFrame / shape.framesPerToken;
    const std::int64_t first = std::max(windowColumn, timeline.settled());
    const auto wanted = columnsOf(oldest).subspan(static_cast<std::size_t>(first - windowColumn) *
                                                  static_cast<std::size_t>(values));
    if (window.provisional) {
        timeline.setProvisional(first, wanted);
    } else {
        weights.resize(static_cast<std::size_t>(window.columns));
        weighColumns(window, shape, timeline.secondsPerColumn(), weights);
        timeline.add(first, wanted,
                     std::span<const float>(weights).subspan(static_cast<std::size_t>(first - windowColumn)));
    }
    settle(oldest);
    score();
}

void Analyzer::Impl::settle(const Begun& oldest) {
    const std::int64_t settled = firstColumn + oldest.settled;
    countPassedOver(settled);
    timeline.settle(settled);
    const std::int64_t end =
        firstColumn + oldest.window.firstFrame / shape.framesPerToken + oldest.window.columns;
    if (!oldest.look) (*oldest.wanted ? fineEnd : skippedEnd) = end;
}

// Windows come in order, so that of those that cover a column which settles now all have come.
void Analyzer::Impl::countPassedOver(std::int64_t settled) {
    const std::int64_t first = std::max(timeline.settled(), fineEnd);
    passedOver += std::max<std::int64_t>(0, std::min(settled, skippedEnd) - first);
}

void Analyzer::Impl::check() const {
    const float lowest = scored ? -maxValue : 0.0f, highest = scored ? maxValue : 1.0f;
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
    beginEnd(schedule.last(history.end(), totalColumns, silenceFollows));
    complete(0);
    countPassedOver(timeline.columns());
    timeline.finish(static_cast<double>(firstColumn) * timeline.secondsPerColumn() + seconds);
    score();
}

void Analyzer::Impl::forgetInput() {
    logMel.reset();
    schedule.reset();
    if (pool) pool->clear();
    begun.clear();
    running.clear();
    latest.clear(); // its pass may never have completed
    silenceStarted = !silentTokens.empty();
    latestLook.reset();
    regular = fineEnd = skippedEnd = 0;
    denseLooks = 0;
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
    passedOver = 0;
}

void Analyzer::Impl::resume(std::int64_t column) {
    assert(column >= timeline.columns());
    forgetInput();
    timeline.resume();
    if (scored) scored->resume();
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
void Analyzer::resume(std::int64_t column) { impl_->resume(column); }

void Analyzer::forget(std::int64_t before) {
    impl_->timeline.forget(before);
    if (impl_->scored) impl_->scored->forget(before);
}

// A pool's networks keep the hop that they expect, so that all of them still give the same results.
void Analyzer::change(Mode mode, int hopTokens) {
    assert(!impl_->coarse);
    impl_->schedule.change(mode, hopTokens);
    impl_->silentTokens.clear();
    impl_->silenceStarted = false;
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
std::int64_t Analyzer::passedOver() const { return impl_->passedOver; }
PassShape Analyzer::shape() const { return impl_->shape; }

} // namespace earshot::detection
