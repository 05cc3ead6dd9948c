#include "Core/Detection/Windows/Windowing.h"

#include "Core/Base/Error.h"
#include "Core/Frontend/LogMelSettings.h"
#include "Support/Catch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

using namespace earshot;
using namespace earshot::detection;

namespace {

constexpr PassShape shape{.windowFrames = 1024, .framesPerToken = 32};
constexpr int samplesPerFrame = 320;

struct Recording {
    std::int64_t frames = 0;
    std::int64_t columns = 0;
};

Recording recordingOf(std::int64_t samples) {
    const std::int64_t perColumn = samplesPerFrame * shape.framesPerToken;
    return {samples / samplesPerFrame + 1, (samples + perColumn - 1) / perColumn};
}

auto fields(const Window& w) {
    return std::tuple(w.firstFrame, w.heard, w.frames, w.columns, w.padding, w.provisional);
}

// Every window of a recording whose frames become known `step` at a time, checked against what the schedule
// promised beforehand.
std::vector<Window> windowsOf(WindowSchedule schedule, Recording recording, std::int64_t step) {
    std::vector<Window> windows;
    std::int64_t settled = 0;
    std::int64_t needed = 0;
    const auto take = [&](const Window& window) {
        REQUIRE(window.firstFrame / shape.framesPerToken >= settled);
        REQUIRE(window.firstFrame >= needed);
        windows.push_back(window);
    };
    for (std::int64_t known = 0; known < recording.frames;) {
        known = std::min(known + step, recording.frames);
        while (const auto window = schedule.next(known)) {
            REQUIRE(window->firstFrame + window->heard <= known);
            take(*window);
            REQUIRE(schedule.settledColumns() >= settled);
            REQUIRE(schedule.firstNeededFrame() >= needed);
            settled = schedule.settledColumns();
            needed = schedule.firstNeededFrame();
        }
    }
    if (const auto window = schedule.last(recording.frames, recording.columns)) take(*window);
    return windows;
}

std::vector<float> numbered(std::size_t count) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i + 1);
    return values;
}

} // namespace

TEST_CASE("Modes are named as on the command line", "[unit]") {
    std::vector<std::string> names;
    for (const Mode mode : allModes) names.emplace_back(name(mode));
    REQUIRE(names == std::vector<std::string>{"auto", "crop", "repeat"});
    for (std::size_t i = 0; i < allModes.size(); ++i) REQUIRE(static_cast<std::size_t>(allModes[i]) == i);
}

TEST_CASE("Windows lie on the grid and cover every column, for any length, hop and mode", "[unit]") {
    std::mt19937 random(11);
    for (int round = 0; round < 600; ++round) {
        const Mode mode = std::array{Mode::automatic, Mode::crop, Mode::repeat}[random() % 3];
        const int stretch = mode == Mode::repeat ? 256 : 1024;
        const int hop = 1 + static_cast<int>(random() % (mode == Mode::repeat ? 8 : 32));
        const bool provisional = random() % 2 == 0;
        const std::uint32_t longest = random() % 3 == 0 ? 20000 : 1000000;
        std::int64_t samples = 1 + random() % longest;
        if (random() % 3 == 0) samples = (samples / 10240 + 1) * 10240; // whole columns
        const auto recording = recordingOf(samples);
        CAPTURE(name(mode), hop, provisional, samples, recording.frames);

        const WindowSchedule schedule(shape, mode, hop, provisional);
        const auto windows = windowsOf(schedule, recording, 1 + random() % 2000);
        const auto frameByFrame = windowsOf(schedule, recording, 1);
        REQUIRE(std::ranges::equal(windows, frameByFrame, {}, fields, fields));

        std::vector<int> covered(static_cast<std::size_t>(recording.columns));
        for (const auto& window : windows) {
            REQUIRE(window.firstFrame % 32 == 0);
            REQUIRE(window.frames % 32 == 0);
            REQUIRE((window.heard >= 1 && window.heard <= window.frames));
            REQUIRE(window.firstFrame + window.heard <= recording.frames);
            REQUIRE(window.columns * 32 <= window.frames);
            REQUIRE((provisional || !window.provisional));
            const bool whole = window.heard == stretch;
            const bool reachesEnd = window.firstFrame / 32 + window.columns == recording.columns;
            REQUIRE((whole || window.provisional || reachesEnd));
            if (window.provisional) {
                REQUIRE((window.firstFrame == 0 && window.heard >= 64 && !whole));
                continue;
            }
            if (recording.frames >= stretch) REQUIRE(window.frames == stretch);
            for (int i = 0; i < window.columns; ++i)
                ++covered.at(static_cast<std::size_t>(window.firstFrame / 32 + i));
        }
        REQUIRE(std::ranges::min(covered) >= 1);
        // Regular windows begin at every hop as long as they fit, and at most one more is aligned to the end.
        const auto regular = recording.frames < stretch ? 0 : (recording.frames - stretch) / (32 * hop) + 1;
        const auto settling = std::ranges::count(windows, false, &Window::provisional);
        REQUIRE((settling == regular || settling == regular + 1));
    }
}

TEST_CASE("Modes treat a short beginning each in their way", "[unit]") {
    const auto only = [](Mode mode, std::int64_t samples) {
        const auto windows = windowsOf(WindowSchedule(shape, mode, 8, false), recordingOf(samples), 10);
        REQUIRE(windows.size() == 1);
        return fields(windows[0]);
    };
    const auto expect = [](Window w) { return fields(w); };
    const auto silence = Padding::silence;
    // 101 frames, 4 columns
    REQUIRE(only(Mode::automatic, 32000) == expect({.heard = 101, .frames = 128, .columns = 4}));
    REQUIRE(only(Mode::repeat, 32000) == expect({.heard = 101, .frames = 128, .columns = 4}));
    REQUIRE(only(Mode::crop, 32000) ==
            expect({.heard = 101, .frames = 1024, .columns = 4, .padding = silence}));
    // One sample: one frame, one column
    REQUIRE(only(Mode::automatic, 1) == expect({.heard = 1, .frames = 32, .columns = 1}));
    REQUIRE(only(Mode::crop, 1) == expect({.heard = 1, .frames = 1024, .columns = 1, .padding = silence}));
    // 10.24 s: exactly a window, though it has 1025 frames
    REQUIRE(only(Mode::automatic, 327680) == expect({.heard = 1024, .frames = 1024, .columns = 32}));
    REQUIRE(only(Mode::crop, 327680) == expect({.heard = 1024, .frames = 1024, .columns = 32}));
    // 10 s: 1001 frames
    REQUIRE(only(Mode::automatic, 320000) == expect({.heard = 1001, .frames = 1024, .columns = 32}));
}

TEST_CASE("Silence follows a short recording in mode automatic where it is asked for", "[unit]") {
    const auto last = [](Mode mode, std::int64_t samples) {
        const auto recording = recordingOf(samples);
        return WindowSchedule(shape, mode, 8, false).last(recording.frames, recording.columns, true).value();
    };
    CHECK(fields(last(Mode::automatic, 9600)) == fields(last(Mode::crop, 9600)));
    CHECK(last(Mode::automatic, 9600).padding == Padding::silence);
    CHECK(fields(last(Mode::repeat, 9600)) == fields(Window{.heard = 31, .frames = 32, .columns = 1}));
    // What fills a window has nothing behind it.
    WindowSchedule schedule(shape, Mode::automatic, 8, false);
    CHECK_FALSE(schedule.next(1023));
    CHECK(schedule.last(1024, 32, true).value().padding == Padding::reflect);
}

TEST_CASE("Provisional windows run from 0.64 s on at every hop until the first whole one", "[unit]") {
    WindowSchedule schedule(shape, Mode::automatic, 8, true);
    REQUIRE_FALSE(schedule.next(63));
    for (const int heard : {64, 320, 576, 832}) {
        const auto window = schedule.next(2000);
        REQUIRE(window);
        REQUIRE(fields(*window) ==
                fields({.heard = heard, .frames = heard, .columns = heard / 32, .provisional = true}));
        REQUIRE(schedule.settledColumns() == 0);
    }
    REQUIRE(fields(schedule.next(2000).value()) == fields({.heard = 1024, .frames = 1024, .columns = 32}));
    REQUIRE(schedule.settledColumns() == 1);
}

TEST_CASE("A hop that would leave gaps is refused", "[unit]") {
    REQUIRE_THROWS_AS(WindowSchedule(shape, Mode::crop, 0, false), Error);
    REQUIRE_THROWS_AS(WindowSchedule(shape, Mode::crop, -1, false), Error);
    REQUIRE_THROWS_AS(WindowSchedule(shape, Mode::crop, 33, false), Error);
    REQUIRE_THROWS_AS(WindowSchedule(shape, Mode::repeat, 9, false), Error);
    REQUIRE_NOTHROW(WindowSchedule(shape, Mode::crop, 32, false));
    REQUIRE_NOTHROW(WindowSchedule(shape, Mode::repeat, 8, false));
    REQUIRE_THROWS_AS(WindowSchedule({.windowFrames = 96, .framesPerToken = 16}, Mode::repeat, 1, false),
                      Error);
}

TEST_CASE("A hop in seconds becomes the nearest number of tokens", "[unit]") {
    CHECK(hopOf(0.32, 0.32, 32) == 1);
    CHECK(hopOf(0.32, 0.08, 128) == 4);
    CHECK(hopOf(0.32, 0.232, 32) == 1);
    CHECK(hopOf(2.6, 0.32, 32) == 8);
    CHECK(hopOf(1000.0, 0.32, 32) == 32);
    CHECK(hopOf(-1.0, 0.32, 32) == 1);
    CHECK(hopOf(std::numeric_limits<double>::quiet_NaN(), 0.32, 32) == 1);
}

TEST_CASE("A finer clock begins as early as a coarse one, and then at every hop", "[unit]") {
    WindowSchedule schedule({.windowFrames = 1024, .framesPerToken = 8}, Mode::automatic, 1, true);
    REQUIRE_FALSE(schedule.next(63));
    for (const int heard : {64, 72, 80}) {
        const auto window = schedule.next(heard);
        REQUIRE(window);
        REQUIRE(fields(*window) ==
                fields({.heard = heard, .frames = heard, .columns = heard / 8, .provisional = true}));
    }
}

TEST_CASE("Tiling repeats the stretch and pads what was not heard", "[unit]") {
    constexpr int bands = 3;
    std::vector<float> image(1024 * bands, -7.0f);
    const auto bandsOf = [&](std::size_t frame) { return std::span(image).subspan(frame * bands, bands); };
    for (const auto [heard, frames] :
         {std::array{1, 32}, {2, 32}, {5, 32}, {40, 64}, {96, 96}, {256, 256}, {1001, 1024}}) {
        CAPTURE(heard, frames);
        const auto values = numbered(static_cast<std::size_t>(heard * bands));
        Window window{.heard = heard, .frames = frames, .columns = frames / 32};
        tile(window, values, bands, image);
        // Walks to and fro over what was heard.
        int position = -1;
        int step = 1;
        for (int i = 0; i < 1024; ++i) {
            if (i % frames == 0) {
                position = 0;
                step = 1;
            } else if (heard > 1) {
                if (position + step >= heard || position + step < 0) step = -step;
                position += step;
            }
            REQUIRE(std::ranges::equal(
                bandsOf(static_cast<std::size_t>(i)),
                std::span(values).subspan(static_cast<std::size_t>(position * bands), bands)));
        }

        window.padding = Padding::silence;
        window.frames = 1024;
        tile(window, values, bands, image);
        REQUIRE(std::ranges::equal(std::span(image).first(values.size()), values));
        REQUIRE(std::ranges::all_of(std::span(image).subspan(values.size()),
                                    [](float v) { return v == frontend::silenceDecibels; }));
    }
}

TEST_CASE("Tokens that saw the same frames fold to their mean", "[unit]") {
    constexpr std::size_t classes = 2;
    const auto tokens = numbered(32 * classes);
    for (const int period : {1, 2, 3, 5, 8, 31, 32})
        for (const int kept : {1, period}) {
            std::vector<float> columns(static_cast<std::size_t>(kept) * classes, -1.0f);
            foldTokens({.heard = 1, .frames = period * 32, .columns = kept}, shape, tokens, columns);
            for (std::size_t column = 0; column < static_cast<std::size_t>(kept); ++column)
                for (std::size_t c = 0; c < classes; ++c) {
                    double sum = 0.0;
                    int count = 0;
                    for (std::size_t k = 0; k < 32; ++k)
                        if (k % static_cast<std::size_t>(period) == column) {
                            sum += tokens[k * classes + c];
                            ++count;
                        }
                    CAPTURE(period, column, c);
                    REQUIRE(std::abs(columns[column * classes + c] - sum / count) <= 1e-5);
                }
        }
}

TEST_CASE("Columns weigh less towards a window's ends", "[unit]") {
    const auto weightsOf = [](const Window& window, PassShape passShape, double seconds) {
        std::vector<float> weights(static_cast<std::size_t>(window.columns));
        weighColumns(window, passShape, seconds, weights);
        return weights;
    };
    const auto coarse = weightsOf({.heard = 1024, .frames = 1024, .columns = 32}, shape, 0.32);
    CHECK(coarse[0] == Approx(0.25));
    CHECK(coarse[1] == Approx(0.75));
    CHECK(coarse[2] == 1.0f);
    CHECK(coarse[29] == 1.0f);
    CHECK(coarse[31] == coarse[0]);
    const auto fine = weightsOf({.heard = 1024, .frames = 1024, .columns = 128}, {1024, 8}, 0.08);
    for (std::size_t i = 0; i < 128; ++i) {
        CHECK(fine[i] == fine[127 - i]);
        CHECK(fine[i] == Approx(std::min(1.0, (static_cast<double>(std::min(i, 127 - i)) + 0.5) / 8.0)));
    }
    // A stretch whose columns are not all kept ends where its frames do.
    const auto part = weightsOf({.heard = 100, .frames = 256, .columns = 4}, shape, 0.32);
    CHECK(part == std::vector<float>{coarse[0], coarse[1], 1.0f, 1.0f});
    CHECK(weightsOf({.heard = 1, .frames = 32, .columns = 1}, shape, 0.32)[0] > 0.0f);
}

TEST_CASE("Changing mode and hop keeps what is settled and leaves no gap", "[unit]") {
    std::mt19937 random(17);
    const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
    for (int round = 0; round < 400; ++round) {
        WindowSchedule schedule(shape, Mode::automatic, 1 + below(32), true);
        std::vector<int> covered;
        std::int64_t settled = 0;
        std::int64_t needed = 0;
        std::int64_t lastEnd = 0;
        const auto take = [&](const Window& window) {
            REQUIRE(window.firstFrame % 32 == 0);
            REQUIRE(window.firstFrame >= needed);
            const std::int64_t first = window.firstFrame / 32;
            REQUIRE(first + window.columns > settled); // it says something new
            covered.resize(std::max(covered.size(), static_cast<std::size_t>(first + window.columns)));
            if (window.provisional) return;
            REQUIRE(window.firstFrame + window.frames > lastEnd);
            lastEnd = window.firstFrame + window.frames;
            for (std::int64_t i = first; i < first + window.columns; ++i)
                ++covered[static_cast<std::size_t>(i)];
        };
        std::int64_t known = 0;
        for (int step = 0; step < 60; ++step) {
            known += below(200);
            if (below(4) == 0) {
                const Mode mode = std::array{Mode::automatic, Mode::crop, Mode::repeat}[random() % 3];
                schedule.change(mode, 1 + below(maxHop(shape, mode)));
                REQUIRE(schedule.mode() == mode);
            }
            const std::int64_t waiting = schedule.waiting(known);
            std::int64_t ran = 0;
            while (const auto window = schedule.next(known)) {
                REQUIRE(window->firstFrame + window->heard <= known);
                take(*window);
                ++ran;
                REQUIRE(schedule.settledColumns() >= settled);
                REQUIRE(schedule.firstNeededFrame() >= needed);
                settled = schedule.settledColumns();
                needed = schedule.firstNeededFrame();
                for (std::int64_t i = 0; i < settled; ++i) REQUIRE(covered[static_cast<std::size_t>(i)] >= 1);
            }
            REQUIRE(ran == waiting);
            REQUIRE(schedule.waiting(known) == 0);
        }
        if (known < 2) continue;
        const std::int64_t columns = (known - 1 + 31) / 32;
        if (const auto window = schedule.last(known, columns)) take(*window);
        REQUIRE(covered.size() >= static_cast<std::size_t>(columns));
        for (std::int64_t i = 0; i < columns; ++i) REQUIRE(covered[static_cast<std::size_t>(i)] >= 1);
    }
}

TEST_CASE("A refused change leaves the schedule as it was", "[unit]") {
    WindowSchedule schedule(shape, Mode::crop, 4, false);
    REQUIRE_THROWS_AS(schedule.change(Mode::repeat, 9), Error);
    REQUIRE(schedule.mode() == Mode::crop);
    REQUIRE(schedule.hopTokens() == 4);
    REQUIRE(schedule.next(1024).value().frames == 1024);
}

TEST_CASE("Skipping late windows leaves the newest", "[unit]") {
    std::mt19937 random(18);
    for (int round = 0; round < 300; ++round) {
        const Mode mode = std::array{Mode::automatic, Mode::crop, Mode::repeat}[random() % 3];
        const int hop = 1 + static_cast<int>(random() % static_cast<unsigned>(maxHop(shape, mode)));
        WindowSchedule all(shape, mode, hop, true);
        WindowSchedule skipping(shape, mode, hop, true);
        std::int64_t known = 0;
        for (int step = 0; step < 10; ++step) {
            known += static_cast<std::int64_t>(random() % 3000);
            std::optional<Window> newest;
            while (const auto window = all.next(known)) newest = window;
            const auto waiting = skipping.waiting(known);
            REQUIRE(skipping.skipLate(known) == std::max<std::int64_t>(waiting - 1, 0));
            const auto only = skipping.next(known);
            REQUIRE(only.has_value() == newest.has_value());
            if (only) REQUIRE(fields(*only) == fields(*newest));
            REQUIRE_FALSE(skipping.next(known));
            REQUIRE(skipping.settledColumns() == all.settledColumns());
        }
    }
}
