#include "Core/Detection/Windowing.h"

#include "Core/Base/Error.h"
#include "Core/Frontend/LogMelSettings.h"
#include "Core/Frontend/Reflection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace earshot::detection {

namespace {

constexpr std::array<std::pair<Mode, const char*>, 3> modeNames = {
    {{Mode::automatic, "auto"}, {Mode::crop, "crop"}, {Mode::repeat, "repeat"}}};

constexpr int repeatCopies = 4;
constexpr int firstBeginningTokens = 2; // 0.64 s: what a first answer needs

} // namespace

Mode parseMode(std::string_view text) {
    for (const auto& [mode, modeName] : modeNames)
        if (text == modeName) return mode;
    throw Error(fmt::format("mode '{}' is unknown: use auto, crop or repeat", text));
}

const char* name(Mode mode) {
    for (const auto& [candidate, modeName] : modeNames)
        if (candidate == mode) return modeName;
    return "";
}

WindowSchedule::WindowSchedule(PassShape shape, Mode mode, int hopTokens, bool provisional)
    : shape_(shape)
    , mode_(mode)
    , stretch_(mode == Mode::repeat ? shape.windowFrames / repeatCopies : shape.windowFrames)
    , hop_(hopTokens * shape.framesPerToken)
    , provisional_(provisional) {
    assert(shape.framesPerToken >= 1 && shape.windowFrames >= shape.framesPerToken &&
           shape.windowFrames % shape.framesPerToken == 0);
    if (mode == Mode::repeat && shape.tokens() % repeatCopies != 0)
        throw Error(
            fmt::format("mode repeat needs a model whose window can be split in {}, found one of {} tokens",
                        repeatCopies, shape.tokens()));
    const int stretchTokens = stretch_ / shape.framesPerToken;
    if (hopTokens < 1 || hopTokens > stretchTokens)
        throw Error(fmt::format("hop in mode {}: expected 1 to {} tokens, found {}", name(mode),
                                stretchTokens, hopTokens));
    reset();
}

void WindowSchedule::reset() {
    nextFirst_ = 0;
    nextBeginning_ = firstBeginningTokens * shape_.framesPerToken;
}

std::optional<Window> WindowSchedule::next(std::int64_t knownFrames) {
    // Before the first whole stretch even if that is known by now: what runs must not depend on the block
    // size.
    if (provisional_ && nextBeginning_ < stretch_ && nextBeginning_ <= knownFrames) {
        const int heard = static_cast<int>(nextBeginning_);
        Window window = shortBeginning(heard, heard / shape_.framesPerToken);
        window.provisional = true;
        nextBeginning_ += hop_;
        return window;
    }
    if (nextFirst_ + stretch_ <= knownFrames) {
        const Window window{.firstFrame = nextFirst_,
                            .heard = stretch_,
                            .frames = stretch_,
                            .columns = stretch_ / shape_.framesPerToken};
        nextFirst_ += hop_;
        return window;
    }
    return std::nullopt;
}

std::optional<Window> WindowSchedule::last(std::int64_t totalFrames, std::int64_t totalColumns) const {
    if (totalFrames <= 0 || totalColumns <= 0) return std::nullopt;
    const std::int64_t end = totalColumns * shape_.framesPerToken;
    assert(totalFrames > end - shape_.framesPerToken && totalFrames <= end + 1);
    if (totalFrames < stretch_)
        return shortBeginning(static_cast<int>(std::min(totalFrames, end)), static_cast<int>(totalColumns));

    const bool covered = nextFirst_ > 0 && nextFirst_ - hop_ + stretch_ == end;
    if (covered) return std::nullopt;
    const std::int64_t first = end - stretch_;
    return Window{.firstFrame = first,
                  .heard = static_cast<int>(std::min<std::int64_t>(totalFrames - first, stretch_)),
                  .frames = stretch_,
                  .columns = stretch_ / shape_.framesPerToken};
}

Window WindowSchedule::shortBeginning(int heard, int columns) const {
    if (mode_ == Mode::crop)
        return {
            .heard = heard, .frames = shape_.windowFrames, .columns = columns, .padding = Padding::silence};
    return {.heard = heard, .frames = columns * shape_.framesPerToken, .columns = columns};
}

std::int64_t WindowSchedule::firstNeededFrame() const { return settledColumns() * shape_.framesPerToken; }

std::int64_t WindowSchedule::settledColumns() const {
    // The window aligned to the end may begin right after the last regular one, before the next would.
    return nextFirst_ == 0 ? 0 : (nextFirst_ - hop_) / shape_.framesPerToken + 1;
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

} // namespace earshot::detection
