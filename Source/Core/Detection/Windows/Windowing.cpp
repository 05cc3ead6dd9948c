#include "Core/Detection/Windows/Windowing.h"

#include "Core/Base/Error.h"
#include "Core/Frontend/Framer.h"
#include "Core/Frontend/LogMelSettings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace earshot::detection {

namespace {

constexpr int repeatCopies = 4;
constexpr int windowsPerColumn = 4;      // that overlap at the usual hop
constexpr int firstBeginningFrames = 64; // 0.64 s: the shortest provisional beginning, at least two tokens

std::int64_t firstBeginning(PassShape shape) {
    return std::max((firstBeginningFrames + shape.framesPerToken - 1) / shape.framesPerToken, 2) *
           shape.framesPerToken;
}

} // namespace

const char* name(Mode mode) { return mode == Mode::crop ? "crop" : mode == Mode::repeat ? "repeat" : "auto"; }

int maxHop(PassShape shape, Mode mode) {
    return mode == Mode::repeat ? shape.tokens() / repeatCopies : shape.tokens();
}

int usualHop(PassShape shape, Mode mode) { return std::max(1, maxHop(shape, mode) / windowsPerColumn); }

int hopOf(double seconds, double secondsPerToken, int longest) {
    const double tokens = seconds / secondsPerToken;
    return std::isnan(tokens) ? 1 : static_cast<int>(std::lround(std::clamp<double>(tokens, 1.0, longest)));
}

WindowSchedule::WindowSchedule(PassShape shape, Mode mode, int hopTokens, bool provisional)
    : shape_(shape)
    , provisional_(provisional) {
    assert(shape.framesPerToken >= 1 && shape.windowFrames >= shape.framesPerToken &&
           shape.windowFrames % shape.framesPerToken == 0);
    change(mode, hopTokens);
}

void WindowSchedule::change(Mode mode, int hopTokens) {
    if (mode == Mode::repeat && shape_.tokens() % repeatCopies != 0)
        throw Error(
            fmt::format("mode repeat needs a model whose window can be split in {}, found one of {} tokens",
                        repeatCopies, shape_.tokens()));
    const int stretchTokens = maxHop(shape_, mode);
    if (hopTokens < 1 || hopTokens > stretchTokens)
        throw Error(fmt::format("hop in mode {}: expected 1 to {} tokens, found {}", name(mode),
                                stretchTokens, hopTokens));
    mode_ = mode;
    stretch_ = stretchTokens * shape_.framesPerToken;
    hop_ = hopTokens * shape_.framesPerToken;
    schedule();
}

void WindowSchedule::reset() {
    end_ = 0;
    beginning_ = 0;
    settled_ = 0;
    schedule();
}

// Derives the next window from the last one.
void WindowSchedule::schedule() {
    nextEnd_ = end_ == 0 ? stretch_ : std::max(end_ + hop_, stretch_);
    nextBeginning_ = beginning_ == 0 ? firstBeginning(shape_) : beginning_ + hop_;
    // After a change of mode, shorter windows may already cover the beginning.
    if (end_ > 0) nextBeginning_ = std::max(nextBeginning_, end_ + hop_);
}

bool WindowSchedule::beginningReady(std::int64_t knownFrames) const {
    return provisional_ && end_ < stretch_ && nextBeginning_ < stretch_ && nextBeginning_ <= knownFrames;
}

std::optional<Window> WindowSchedule::next(std::int64_t knownFrames) {
    // A provisional beginning runs before the first whole stretch, even if that stretch is already known: the
    // passes must not depend on the block size.
    if (beginningReady(knownFrames)) {
        const int heard = static_cast<int>(nextBeginning_);
        Window window = shortBeginning(heard, heard / shape_.framesPerToken);
        window.provisional = true;
        beginning_ = nextBeginning_;
        nextBeginning_ += hop_;
        return window;
    }
    if (nextEnd_ > knownFrames) return std::nullopt;
    const Window window{.firstFrame = nextEnd_ - stretch_,
                        .heard = static_cast<int>(stretch_),
                        .frames = static_cast<int>(stretch_),
                        .columns = static_cast<int>(stretch_ / shape_.framesPerToken)};
    end_ = nextEnd_;
    nextEnd_ += hop_;
    // The window aligned to the end may begin right after this one, before the next regular window.
    settled_ = std::max(settled_, window.firstFrame / shape_.framesPerToken + 1);
    return window;
}

std::int64_t WindowSchedule::waiting(std::int64_t knownFrames) const {
    const auto ready = [&](std::int64_t next, std::int64_t limit) {
        return next > limit ? 0 : (limit - next) / hop_ + 1;
    };
    std::int64_t count = ready(nextEnd_, knownFrames);
    if (beginningReady(knownFrames)) count += ready(nextBeginning_, std::min(knownFrames, stretch_ - 1));
    return count;
}

std::int64_t WindowSchedule::skipLate(std::int64_t knownFrames) {
    const std::int64_t before = waiting(knownFrames);
    if (before <= 1) return 0;
    if (nextEnd_ <= knownFrames) {
        nextEnd_ += (knownFrames - nextEnd_) / hop_ * hop_;
        nextBeginning_ = stretch_;
    } else {
        nextBeginning_ += (before - 1) * hop_;
    }
    return before - 1;
}

std::optional<Window> WindowSchedule::last(std::int64_t totalFrames, std::int64_t totalColumns,
                                           bool silenceFollows) const {
    if (totalFrames <= 0 || totalColumns <= 0) return std::nullopt;
    const std::int64_t end = totalColumns * shape_.framesPerToken;
    assert(totalFrames > end - shape_.framesPerToken && totalFrames <= end + 1);
    const bool covered = end_ == end;
    if (covered) return std::nullopt;
    if (totalFrames < stretch_)
        return shortBeginning(static_cast<int>(std::min(totalFrames, end)), static_cast<int>(totalColumns),
                              silenceFollows);

    const std::int64_t first = end - stretch_;
    return Window{.firstFrame = first,
                  .heard = static_cast<int>(std::min(totalFrames - first, stretch_)),
                  .frames = static_cast<int>(stretch_),
                  .columns = static_cast<int>(stretch_ / shape_.framesPerToken)};
}

Window WindowSchedule::shortBeginning(int heard, int columns, bool silenceFollows) const {
    if (mode_ == Mode::crop || (silenceFollows && mode_ == Mode::automatic))
        return {
            .heard = heard, .frames = shape_.windowFrames, .columns = columns, .padding = Padding::silence};
    return {.heard = heard, .frames = columns * shape_.framesPerToken, .columns = columns};
}

std::int64_t WindowSchedule::firstNeededFrame() const {
    // The window aligned to the end may have the longest stretch of all modes.
    return end_ == 0 ? 0 : std::max<std::int64_t>(end_ + shape_.framesPerToken - shape_.windowFrames, 0);
}

void tile(const Window& window, std::span<const float> heard, int bands, std::span<float> image) {
    const auto width = static_cast<std::size_t>(bands);
    const auto stretch = static_cast<std::size_t>(window.frames) * width;
    assert(heard.size() == static_cast<std::size_t>(window.heard) * width);
    assert(window.heard >= 1 && window.heard <= window.frames && stretch <= image.size());

    std::copy(heard.begin(), heard.end(), image.begin());
    const auto frameAt = [&](std::int64_t index) {
        return image.subspan(static_cast<std::size_t>(index) * width, width);
    };
    for (std::int64_t i = window.heard; i < window.frames; ++i) {
        const auto frame = frameAt(i);
        if (window.padding == Padding::silence)
            std::fill(frame.begin(), frame.end(), frontend::silenceDecibels);
        else
            std::ranges::copy(frameAt(frontend::reflectedIndex(i, window.heard)), frame.begin());
    }
    for (std::size_t i = stretch; i < image.size(); i += stretch)
        std::ranges::copy(image.first(std::min(stretch, image.size() - i)),
                          image.begin() + static_cast<std::ptrdiff_t>(i));
}

void foldTokens(const Window& window, PassShape shape, std::span<const float> tokens,
                std::span<float> columns) {
    const auto tokenCount = static_cast<std::size_t>(shape.tokens());
    const auto period = static_cast<std::size_t>(window.frames / shape.framesPerToken);
    const auto kept = static_cast<std::size_t>(window.columns);
    const std::size_t classes = tokens.size() / tokenCount;
    assert(tokens.size() == tokenCount * classes && columns.size() == kept * classes && kept <= period);

    for (std::size_t column = 0; column < kept; ++column) {
        const auto mean = columns.subspan(column * classes, classes);
        std::ranges::copy(tokens.subspan(column * classes, classes), mean.begin());
        float copies = 1.0f;
        for (std::size_t token = column + period; token < tokenCount; token += period, copies += 1.0f) {
            const float* probabilities = tokens.data() + token * classes;
            for (std::size_t c = 0; c < classes; ++c) mean[c] += probabilities[c];
        }
        for (float& value : mean) value /= copies;
    }
}

void weighColumns(const Window& window, PassShape shape, double secondsPerColumn, std::span<float> weights) {
    constexpr double rampSeconds = 0.64;
    const auto period = static_cast<std::size_t>(window.frames / shape.framesPerToken);
    assert(weights.size() <= period);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double fromEnd = (static_cast<double>(std::min(i, period - 1 - i)) + 0.5) * secondsPerColumn;
        weights[i] = static_cast<float>(std::min(1.0, fromEnd / rampSeconds));
    }
}

} // namespace earshot::detection
