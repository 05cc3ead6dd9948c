#include "Core/Detection/Analyzer.h"

#include "Core/Base/Error.h"
#include "Core/Detection/FrameHistory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace earshot::detection {

namespace {

// Samples taken at a time: bounds the log-mel frames held, whatever the caller pushes.
constexpr std::size_t blockSize = 8192;
// Far above full scale (1.0), and small enough that the power of the longest FFT stays finite.
constexpr float largestSample = 1e12f;

PassShape passShape(const TokenModel& model) {
    return {.windowFrames = model.windowFrames(), .framesPerToken = model.framesPerToken()};
}

float usableSample(float sample) {
    return std::isfinite(sample) ? std::clamp(sample, -largestSample, largestSample) : 0.0f;
}

} // namespace

struct Analyzer::Impl {
    Impl(std::unique_ptr<TokenModel> tokenModel, frontend::LogMelSettings frontend,
         AnalyzerSettings settings);

    template <typename AfterBlock>
    void feed(std::span<const float> input, AfterBlock&& afterBlock);
    template <typename Extract>
    void addFrames(Extract&& extract);
    bool runNext();
    void run(const Window& window);
    void finish();
    void reset();

    std::unique_ptr<TokenModel> model;
    frontend::LogMel logMel;
    PassShape shape;
    WindowSchedule schedule;
    FrameHistory history;
    Timeline timeline;
    std::function<void(std::span<const float>)> observer;
    std::int64_t samples = 0;
    std::int64_t passes = 0;
    std::array<float, blockSize> block{};
    std::vector<float> image;   // (windowFrames, melBands)
    std::vector<float> tokens;  // (tokens, classes)
    std::vector<float> columns; // (columns, classes) of the window that runs
};

Analyzer::Impl::Impl(std::unique_ptr<TokenModel> tokenModel, frontend::LogMelSettings frontend,
                     AnalyzerSettings settings)
    : model(std::move(tokenModel))
    , logMel(std::move(frontend))
    , shape(passShape(*model))
    , schedule(shape, settings.mode, settings.hopTokens, settings.provisional)
    , history(model->melBands())
    , timeline(model->classes(), static_cast<double>(shape.framesPerToken) * logMel.settings().hopSize /
                                     logMel.settings().sampleRate)
    , image(static_cast<std::size_t>(shape.windowFrames) * static_cast<std::size_t>(model->melBands()))
    , tokens(static_cast<std::size_t>(shape.tokens()) * static_cast<std::size_t>(model->classes())) {
    if (logMel.settings().melBands != model->melBands())
        throw Error(fmt::format("the log-mel frontend gives {} bands, the model expects {}",
                                logMel.settings().melBands, model->melBands()));
}

template <typename AfterBlock>
void Analyzer::Impl::feed(std::span<const float> input, AfterBlock&& afterBlock) {
    while (!input.empty()) {
        const auto part = input.first(std::min(input.size(), blockSize));
        std::ranges::transform(part, block.begin(), usableSample);
        addFrames([&] { logMel.push(std::span(block).first(part.size()), history.values()); });
        samples += static_cast<std::int64_t>(part.size());
        afterBlock();
        input = input.subspan(part.size());
    }
}

template <typename Extract>
void Analyzer::Impl::addFrames(Extract&& extract) {
    const std::size_t known = history.values().size();
    extract();
    if (observer && history.values().size() > known) observer(std::span(history.values()).subspan(known));
}

bool Analyzer::Impl::runNext() {
    const auto window = schedule.next(history.end());
    if (!window) return false;
    run(*window);
    timeline.settle(schedule.settledColumns());
    history.discardBefore(schedule.firstNeededFrame());
    return true;
}

void Analyzer::Impl::run(const Window& window) {
    tile(window, history.frames(window.firstFrame, window.heard), model->melBands(), image);
    model->run(image, tokens);
    ++passes;
    // A NaN fails as well.
    if (!std::ranges::all_of(tokens, [](float p) { return p >= 0.0f && p <= 1.0f; }))
        throw Error(
            "the model gave values that are no probabilities: its file is damaged, or is not a detector");

    columns.resize(static_cast<std::size_t>(window.columns) * static_cast<std::size_t>(model->classes()));
    foldTokens(window, shape, tokens, columns);
    // After a change of mode a window may look back on columns that are final.
    const std::int64_t windowColumn = window.firstFrame / shape.framesPerToken;
    const std::int64_t firstColumn = std::max(windowColumn, timeline.settled());
    const auto wanted = std::span<const float>(columns).subspan(
        static_cast<std::size_t>(firstColumn - windowColumn) * static_cast<std::size_t>(model->classes()));
    if (window.provisional)
        timeline.setProvisional(firstColumn, wanted);
    else
        timeline.add(firstColumn, wanted);
}

void Analyzer::Impl::finish() {
    addFrames([&] { logMel.finish(history.values()); });
    while (runNext()) {
    }
    // A column begins within the recording: the frame centred on its very end begins none.
    const std::int64_t samplesPerColumn =
        static_cast<std::int64_t>(shape.framesPerToken) * logMel.settings().hopSize;
    const std::int64_t totalColumns = (samples + samplesPerColumn - 1) / samplesPerColumn;
    if (const auto window = schedule.last(history.end(), totalColumns)) run(*window);
    timeline.finish(static_cast<double>(samples) / logMel.settings().sampleRate);
}

void Analyzer::Impl::reset() {
    logMel.reset();
    schedule.reset();
    history.reset();
    timeline.reset();
    samples = 0;
    passes = 0;
}

Analyzer::Analyzer(std::unique_ptr<TokenModel> model, frontend::LogMelSettings frontend,
                   AnalyzerSettings settings)
    : impl_(std::make_unique<Impl>(std::move(model), std::move(frontend), settings)) {}
Analyzer::~Analyzer() = default;

void Analyzer::push(std::span<const float> samples) {
    impl_->feed(samples, [this] {
        while (impl_->runNext()) {
        }
    });
}

void Analyzer::feed(std::span<const float> samples) {
    impl_->feed(samples, [] {});
}
std::int64_t Analyzer::waiting() const { return impl_->schedule.waiting(impl_->history.end()); }
bool Analyzer::runNext() { return impl_->runNext(); }
std::int64_t Analyzer::skipLate() { return impl_->schedule.skipLate(impl_->history.end()); }
void Analyzer::finish() { impl_->finish(); }
void Analyzer::reset() { impl_->reset(); }

void Analyzer::change(Mode mode, int hopTokens) { impl_->schedule.change(mode, hopTokens); }
void Analyzer::setFrameObserver(std::function<void(std::span<const float>)> observer) {
    impl_->observer = std::move(observer);
}

const Timeline& Analyzer::timeline() const { return impl_->timeline; }
EventList Analyzer::events(const EventSettings& settings) const {
    return deriveEvents(impl_->timeline, settings);
}
std::int64_t Analyzer::passes() const { return impl_->passes; }
PassShape Analyzer::shape() const { return impl_->shape; }

} // namespace earshot::detection
