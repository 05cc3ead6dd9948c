#include "Core/Streaming/StreamAnalysis.h"

#include "Core/Base/Clock.h"
#include "Core/Tensor/Threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace earshot::streaming {

namespace {

using namespace std::chrono_literals;

constexpr double secondsAtOnce = 2.0;      // the most audio that one step takes
constexpr std::size_t silenceBlock = 8192; // samples
constexpr auto showEvery = 50ms;           // how often the status is written
constexpr auto finishWithin = 100ms;       // time for waiting windows when a live stream is released
constexpr double minMissing = 0.01;        // seconds: less is rounding

std::unique_ptr<detection::Analyzer> makeAnalyzer(std::unique_ptr<detection::TokenModel> network,
                                                  const frontend::LogMelSettings& frontend) {
    return std::make_unique<detection::Analyzer>(
        std::move(network), frontend,
        detection::AnalyzerSettings{.mode = detection::Mode::automatic, .hopTokens = 1, .provisional = true});
}

} // namespace

void StreamAnalysis::setModel(LoadedModel model) {
    const int classes = model.network->classes();
    checkLabels(model, classes);
    auto analyzer = makeAnalyzer(std::move(model.network), model.frontend);
    live_.reset();
    analyzer_ = std::move(analyzer);
    model_ = std::move(model);
    chooseAnalyzer();
    governor_.forgetPasses();
    applySettings();
    history_.update([&](Status& status) {
        status.model = model_.name;
        status.precision = model_.precision;
        status.classes = classes;
    });
    if (!beginAgain()) restart(taken_);
}

// A bounce runs the plain network if there is one.
void StreamAnalysis::chooseAnalyzer() {
    if (live_) analyzer_ = std::move(live_);
    if (!offline_ || !model_.plain) return;
    auto plain = makeAnalyzer(model_.plain(), model_.frontend);
    live_ = std::exchange(analyzer_, std::move(plain));
}

bool StreamAnalysis::canScore(const LoadedWords& words) const {
    const auto* vectors = analyzer_ ? analyzer_->vectors() : nullptr;
    return vectors != nullptr && words.scorer && vectors->classes() == words.scorer->values();
}

void StreamAnalysis::setWords(LoadedWords words) {
    const bool known = begun_.told;
    if (known) publish(true, true);
    addToHistory();
    analyzer_->score(std::move(words.scorer), *history_.vectors());
    model_.labels = std::move(words.labels);
    model_.plain = std::move(words.plain);
    history_.rescore(model_.labels, analyzer_->timeline());
    deliver(known ? Tell::goesOn : Tell::nothing);
    setNotice(words.notice);
}

void StreamAnalysis::setNotice(const std::string& notice) {
    model_.notice = notice;
    showState();
}

// The history and the listener get the analyzer's columns, which then forgets those that are settled.
void StreamAnalysis::deliver(Tell notify) {
    addToHistory();
    if (notify != Tell::nothing) publish(notify == Tell::ended);
    analyzer_->forget(analyzer_->timeline().settled());
}

void StreamAnalysis::addToHistory() {
    const detection::Timeline& timeline = analyzer_->timeline();
    history_.add(timeline, analyzer_->vectors());
    if (timeline.columns() > 0) analysed_ = timeline.end(timeline.columns() - 1);
}

void StreamAnalysis::dropModel() {
    analyzer_.reset();
    live_.reset();
    catchUp_.stop();
}

void StreamAnalysis::setSettings(const SessionSettings& settings) {
    if (settings == settings_) return; // applying them again would undo the governor's hop
    if (settings.threads != settings_.threads) governor_.forgetPasses();
    settings_ = settings;
    limitHistory();
    applySettings();
}

// A bounce has an end, so its history has no limit.
void StreamAnalysis::limitHistory() { history_.setLimit(offline_ ? 0 : settings_.historyBytes); }

void StreamAnalysis::applySettings() {
    tensor::setThreadCount(settings_.threads);
    if (!analyzer_) return;
    setHop(hopLimits());
    showNumbers();
}

void StreamAnalysis::setHop(const HopGovernor::Limits& limits) {
    int hop = limits.wanted;
    if (catchUp_.running())
        hop = std::max(hop, detection::hopOf(CatchUp::hop, limits.secondsPerToken, limits.longest));
    analyzer_->change(settings_.mode, hop);
    governor_.set(limits);
}

HopGovernor::Limits StreamAnalysis::hopLimits() const {
    const int longest = std::max(1, detection::maxHop(analyzer_->shape(), settings_.mode));
    const double secondsPerToken = analyzer_->timeline().secondsPerColumn();
    const bool automatic = settings_.hopSeconds == 0.0;
    const double wanted = automatic ? SessionSettings::bounceHop : settings_.hopSeconds;
    return {.wanted = detection::hopOf(wanted, secondsPerToken, longest),
            .longest = longest,
            .secondsPerToken = secondsPerToken,
            .automatic = automatic && !offline_};
}

void StreamAnalysis::begin(AudioRing& ring, bool offline, Listener listener) {
    const bool goesOn = !offline && !offline_ && resampler_;
    ring_ = &ring;
    offline_ = offline;
    listener_ = std::move(listener);
    taken_ = 0;
    begun_.origin = 0;
    analysed_ = 0.0;
    skipped_ = 0;
    catchUp_.stop();
    host_ = {};
    hostPosition_ = 0;
    load_.reset(Clock::now());
    history_.update([](Status& status) {
        status.notAnalysed = 0.0;
        status.incomplete = false;
    });
    limitHistory();
    if (goesOn) return resume();
    resampler_.reset();
    history_.follow(ring_, 0);
    if (!analyzer_) return;
    chooseAnalyzer();
    restart(0);
}

// A live stream goes on in the history of the live one before. Where that left kept audio unheard, all of it
// is heard again.
void StreamAnalysis::resume() {
    const double start = history_.resume();
    resampler_.emplace(ring_->sampleRate(), model_.frontend.sampleRate);
    begun_.origin = -std::llround(start * ring_->sampleRate());
    analysed_ = start;
    history_.follow(ring_, begun_.origin);
    if (!analyzer_) return;
    const std::int64_t column = std::llround(start / analyzer_->timeline().secondsPerColumn());
    const bool unheard = column > analyzer_->timeline().columns() + 1;
    if (unheard && beginAgain()) return;
    analyzer_->resume(column);
    addToHistory();
    beginAt(begun_.origin, column);
}

// Begins a new history at the stream position `origin`.
void StreamAnalysis::restart(std::int64_t origin) {
    analyzer_->reset();
    TimeMap times;
    if (ring_ != nullptr && host_.playing) {
        const double since = static_cast<double>(origin - hostPosition_) / ring_->sampleRate();
        times.add(
            {.stream = 0.0, .shown = host_.seconds + host_.rate * since, .host = true, .rate = host_.rate});
    }
    history_.begin(model_.labels, analyzer_->timeline(), model_.frontend, std::move(times),
                   analyzer_->vectors());
    if (ring_ != nullptr) resampler_.emplace(ring_->sampleRate(), model_.frontend.sampleRate);
    beginAt(origin);
}

// The analyzer and the history have begun anew, at the stream position `origin`, or go on with that column.
void StreamAnalysis::beginAt(std::int64_t origin, std::int64_t column) {
    history_.follow(ring_, origin);
    columns_ = column;
    analysed_ = static_cast<double>(column) * analyzer_->timeline().secondsPerColumn();
    begun_ = {.origin = origin, .from = analysed_, .continued = column > 0};
    delays_.reset();
    setHop(hopLimits());
    showAll();
}

// Begins a new history with what is kept of the stream. Returns false if that is nothing, or not at the
// model's rate.
bool StreamAnalysis::beginAgain() {
    if (ring_ == nullptr || offline_ || !resampler_) return false;
    auto past = history_.audio(0.0, std::numeric_limits<double>::infinity());
    if (past.empty() || past.rate() != model_.frontend.sampleRate) return false;
    const double start = past.start();
    analyzer_->reset();
    history_.begin(model_.labels, analyzer_->timeline(), model_.frontend, history_.times().from(start),
                   analyzer_->vectors(), past.first());
    catchUp_.begin(std::move(past));
    beginAt(begun_.origin + std::llround(start * ring_->sampleRate()));
    return true;
}

// Gives the analyzer the next second of what is heard again. At its end the stream goes on.
void StreamAnalysis::hearAgain() {
    if (catchUp_.tooSlow()) {
        catchUp_.stop();
        return restart(taken_);
    }
    if (const auto part = catchUp_.next(); !part.empty()) return analyse(part);
    columns_ = analyzer_->timeline().columns();
    begun_.from = columns_ > 0 ? analyzer_->timeline().end(columns_ - 1) : 0.0;
    setHop(hopLimits());
    showState();
}

double StreamAnalysis::streamSeconds(std::int64_t position) const {
    return static_cast<double>(position - begun_.origin) / ring_->sampleRate();
}

double StreamAnalysis::heard() const { return streamSeconds(ring_->position()); }

bool StreamAnalysis::step() {
    const auto start = Clock::now();
    const bool more = takeAudio();
    if (catchUp_.running() && analyzer_->waiting() == 0) hearAgain();
    const bool ready = analyzer_->waiting() > 0;
    if (ready) runWindow();
    const auto now = Clock::now();
    load_.busy(now - start);
    load_.tick(now);
    if (ready || now - shown_ >= showEvery) showAll();
    return more || ready || catchUp_.running();
}

// Returns true if more audio may wait. Offline, it takes no more than the next window needs, so that the ring
// fills up and pushAndWait() waits, unless it is to take `all`.
bool StreamAnalysis::takeAudio(bool all) {
    const auto most = taken_ + static_cast<std::int64_t>(secondsAtOnce * ring_->sampleRate());
    while (taken_ < most && (all || !offline_ || analyzer_->waiting() == 0)) {
        const auto part = ring_->pop();
        if (!part) return false;
        takePart(*part);
    }
    return true;
}

void StreamAnalysis::takePart(const AudioRing::Part& part) {
    feedSilence(part.gap);
    if (part.host) noteTime(taken_, *part.host);
    feed(part.samples);
}

void StreamAnalysis::feed(std::span<const float> samples) {
    taken_ += static_cast<std::int64_t>(samples.size());
    if (!resampler_) return;
    resampled_.clear();
    resampler_->push(samples, resampled_);
    history_.addAudio(resampled_);
    if (catchUp_.running())
        catchUp_.add(resampled_);
    else if (analyzer_)
        analyse(resampled_);
}

void StreamAnalysis::analyse(std::span<const float> resampled) {
    analyzer_->feed(resampled);
    history_.addFrames(analyzer_->takeFrames());
}

void StreamAnalysis::feedSilence(std::int64_t samples) {
    const std::vector<float> silence(std::min(static_cast<std::size_t>(samples), silenceBlock));
    for (auto left = static_cast<std::size_t>(samples); left > 0; left -= std::min(left, silenceBlock))
        feed(std::span(silence).first(std::min(left, silenceBlock)));
}

void StreamAnalysis::noteTime(std::int64_t position, const HostTime& host) {
    host_ = host;
    hostPosition_ = position;
    if (!resampler_) return;                                              // there is no history yet
    const double stream = std::max(streamSeconds(position), begun_.from); // not before a history that goes on
    history_.addTime({.stream = stream,
                      .shown = host.playing ? host.seconds : stream,
                      .host = host.playing,
                      .rate = host.rate});
}

void StreamAnalysis::runWindow() {
    const bool catchesUp = catchUp_.running();
    if (!offline_ && !catchesUp) adaptHop();
    const auto start = Clock::now();
    const auto passes = analyzer_->passes();
    if (!analyzer_->runNext()) return; // a longer hop may have postponed the window
    // A window that equals the one before (silence) needs no pass, so its duration does not count.
    if (analyzer_->passes() != passes && !catchesUp) governor_.passed(secondsSince(start));
    if (!catchesUp) measureDelays();
    deliver(catchesUp ? Tell::nothing : Tell::goesOn);
}

void StreamAnalysis::adaptHop() {
    const auto late = [this] {
        return static_cast<double>(analyzer_->waiting() - 1) * governor_.hop() *
               analyzer_->timeline().secondsPerColumn();
    };
    const int hop = governor_.hop();
    governor_.decide(late());
    if (governor_.hop() != hop) analyzer_->change(settings_.mode, governor_.hop());
    if (!governor_.mustSkip(late())) return;
    skipped_ += analyzer_->skipLate();
    governor_.skippedWindows();
}

void StreamAnalysis::measureDelays() {
    const detection::Timeline& timeline = analyzer_->timeline();
    const double now = heard();
    for (; columns_ < timeline.columns(); ++columns_)
        if (!offline_) delays_.add(now - 0.5 * (timeline.start(columns_) + timeline.end(columns_)));
}

void StreamAnalysis::publish(bool ended, bool goesOn) {
    if (!listener_) return;
    listener_({.timeline = analyzer_->timeline(),
               .from = begun_.from,
               .labels = *model_.labels,
               .times = history_.times(),
               .heard = heard(),
               .restarted = !std::exchange(begun_.told, true),
               .continued = begun_.continued,
               .ended = ended,
               .goesOn = goesOn});
}

void StreamAnalysis::showNumbers() {
    shown_ = Clock::now();
    history_.update([this](Status& status) { putNumbers(status); });
}

void StreamAnalysis::showState() {
    history_.update([this](Status& status) { putState(status); });
}

// In one update, so that nobody reads numbers beside a state that they contradict.
void StreamAnalysis::showAll() {
    shown_ = Clock::now();
    history_.update([this](Status& status) {
        putNumbers(status);
        putState(status);
    });
}

void StreamAnalysis::putNumbers(Status& status) const {
    const double token = analyzer_->timeline().secondsPerColumn();
    const auto limits = hopLimits();
    status.load = load_.load();
    status.delayMedian = delays_.quantile(0.5);
    status.delayP95 = delays_.quantile(0.95);
    status.hop = governor_.hop() * token;
    status.hopWanted = (limits.automatic ? governor_.hop() : limits.wanted) * token;
    status.droppedChunks = ring_ != nullptr ? ring_->dropped() : 0;
    status.skippedWindows = skipped_;
}

void StreamAnalysis::putState(Status& status) const {
    const bool overloaded = governor_.lengthened() || governor_.skips();
    status.state = overloaded ? State::overloaded : State::running;
    if (ring_ == nullptr) status.state = offline_ ? State::finished : State::stopped;
    if (catchUp_.running())
        status.message = "Hearing the last minutes again with this model";
    else if (status.state != State::overloaded)
        status.message = model_.notice;
    else if (governor_.skips())
        status.message = "The machine is too slow for this model: some sound is skipped. Try a "
                         "smaller model";
    else if (governor_.tooSlow())
        status.message = fmt::format("The machine is too slow for a hop of {:.2f} s: using {:.2f} s",
                                     status.hopWanted, status.hop);
    else
        status.message = fmt::format("Catching up with a hop of {:.2f} s", status.hop);
}

void StreamAnalysis::keepOnly() {
    while (const auto part = ring_->pop()) takePart(*part);
}

void StreamAnalysis::abandon() {
    if (ring_ == nullptr || !analyzer_ || !begun_.told) return;
    publish(true);
    begun_.told = false;
}

void StreamAnalysis::end(Clock::time_point until) {
    if (!analyzer_) return;
    const auto deadline = offline_ ? until : Clock::now() + finishWithin;
    bool late = false;
    for (bool more = true; more;) {
        more = takeAudio(late);
        while (analyzer_->waiting() > 0 && !late) {
            runWindow();
            late = Clock::now() >= deadline;
        }
    }
    skipped_ += analyzer_->skipLate();
    feedSilence(ring_->position() - taken_); // for chunks dropped at the very end
    resampled_.clear();
    resampler_->finish(resampled_);
    history_.addAudio(resampled_);
    if (!catchUp_.running()) analyzer_->feed(resampled_); // else what is left of the kept audio is not heard
    // A bounce is a recording; what is live has been shown repeated all along.
    analyzer_->finish(offline_ ? detection::ShortAudio::byLength : detection::ShortAudio::repeated);
    history_.addFrames(analyzer_->takeFrames());
    deliver(catchUp_.running() ? Tell::nothing : Tell::ended);
    showNumbers();
}

void StreamAnalysis::close() {
    double missing = ring_ == nullptr ? 0.0 : heard() - analysed_;
    if (missing < minMissing) missing = 0.0;
    history_.update([&](Status& status) {
        status.notAnalysed = missing;
        status.incomplete = offline_ && (missing > 0.0 || skipped_ > 0);
    });
    ring_ = nullptr;
    listener_ = nullptr;
    catchUp_.stop();
    history_.follow(nullptr, 0);
    if (analyzer_) showState();
}

} // namespace earshot::streaming
