#include "Core/Streaming/SpectrogramHistory.h"

#include "Support/Catch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using earshot::streaming::SpectrogramHistory;

namespace {

constexpr int bands = 5;

// A value a frame and band, the same each time.
float decibelsAt(std::int64_t frame, int band) {
    return -80.0f + static_cast<float>((frame * 7 + band * 31) % 241) * 0.5f;
}

int byteAt(std::int64_t frame, int band) {
    return static_cast<int>((decibelsAt(frame, band) + 80.0f) / 120.0f * 255.0f + 0.5f);
}

std::vector<float> frames(std::int64_t first, std::int64_t count) {
    std::vector<float> values;
    for (std::int64_t frame = first; frame < first + count; ++frame)
        for (int band = 0; band < bands; ++band) values.push_back(decibelsAt(frame, band));
    return values;
}

void requireFrame(const SpectrogramHistory& history, std::int64_t frame) {
    const auto values = history.frame(frame);
    REQUIRE(values.size() == bands);
    for (int band = 0; band < bands; ++band)
        REQUIRE(int(values[static_cast<std::size_t>(band)]) == byteAt(frame, band));
}

bool equal(const SpectrogramHistory& a, const SpectrogramHistory& b) {
    if (a.frames() != b.frames() || a.bands() != b.bands() || a.firstFineFrame() != b.firstFineFrame())
        return false;
    for (std::int64_t frame = a.firstFineFrame(); frame < a.frames(); ++frame)
        if (!std::ranges::equal(a.frame(frame), b.frame(frame))) return false;
    return true;
}

} // namespace

TEST_CASE("a spectrogram's frames come back as bytes, however they were appended", "[unit]") {
    SpectrogramHistory history;
    history.reset(bands, 0.01, 50.0, 14000.0);
    std::mt19937 random(3);
    std::int64_t count = 0;
    while (count < 9000) {
        const auto more = static_cast<std::int64_t>(random() % 700);
        history.append(frames(count, more));
        count += more;
    }
    REQUIRE(history.frames() == count);
    REQUIRE(history.firstFineFrame() == 0);
    for (std::int64_t frame = 0; frame < count; frame += 13) requireFrame(history, frame);
    requireFrame(history, 4095);
    requireFrame(history, 4096);
}

TEST_CASE("levels out of range and values that are none are clipped", "[unit]") {
    SpectrogramHistory history;
    history.reset(4, 0.01, 50.0, 14000.0);
    const float infinity = std::numeric_limits<float>::infinity();
    history.append(std::vector<float>{-200.0f, 100.0f, std::nanf(""), -infinity});
    const auto values = history.frame(0);
    REQUIRE(std::vector<int>(values.begin(), values.end()) == std::vector<int>{0, 255, 0, 0});
    // What is no number spoils its own cell only.
    for (int i = 0; i < 15; ++i) history.append(std::vector<float>{40.0f, 40.0f, 40.0f, 40.0f});
    std::vector<std::uint8_t> largest(4);
    history.largest(8, 16, largest);
    REQUIRE(largest == std::vector<std::uint8_t>{255, 255, 255, 255});
}

TEST_CASE("the largest values over a stretch are those of its frames", "[unit]") {
    SpectrogramHistory history;
    history.reset(bands, 0.01, 50.0, 14000.0);
    history.append(frames(0, 500));
    std::vector<std::uint8_t> values(bands);
    for (const auto& [first, last] :
         {std::pair<std::int64_t, std::int64_t>{0, 1}, {3, 9}, {470, 495}, {490, 900}, {-5, 4}}) {
        history.largest(first, last, values);
        for (int band = 0; band < bands; ++band) {
            int expected = 0;
            for (auto frame = std::max<std::int64_t>(first, 0); frame < std::min<std::int64_t>(last, 500);
                 ++frame)
                expected = std::max(expected, byteAt(frame, band));
            REQUIRE(int(values[static_cast<std::size_t>(band)]) == expected);
        }
    }
    history.largest(500, 600, values);
    REQUIRE(std::ranges::all_of(values, [](int value) { return value == 0; }));
}

TEST_CASE("a long stretch is the largest of its cells' means", "[unit]") {
    SpectrogramHistory history;
    history.reset(1, 0.01, 50.0, 14000.0);
    std::vector<float> values(80, -80.0f);
    std::fill(values.begin() + 40, values.begin() + 48, 40.0f); // one whole cell
    history.append(values);
    std::vector<std::uint8_t> largest(1);
    history.largest(0, 80, largest);
    REQUIRE(int(largest[0]) == 255);
    history.largest(0, 40, largest);
    REQUIRE(int(largest[0]) == 0);
}

TEST_CASE("old frames are kept as means and hours stay small", "[unit]") {
    SpectrogramHistory history;
    history.reset(1, 0.01, 50.0, 14000.0);
    const std::vector<float> quiet(1000, -80.0f), loud(1000, 40.0f);
    for (int i = 0; i < 140; ++i) history.append(i == 2 ? loud : quiet); // 140,000 frames
    REQUIRE(history.firstFineFrame() > 2999);
    REQUIRE(history.frames() - history.firstFineFrame() >= SpectrogramHistory::fineFrames);
    REQUIRE(int(history.frame(2500)[0]) == 255); // the cell's
    REQUIRE(int(history.frame(3500)[0]) == 0);
    std::vector<std::uint8_t> largest(1);
    history.largest(2400, 2401, largest);
    REQUIRE(int(largest[0]) == 255);
}

TEST_CASE("a mirror is the same as its original after every copy", "[unit]") {
    SpectrogramHistory history, mirror;
    REQUIRE(!history.copySince(mirror));
    history.reset(bands, 0.01, 50.0, 14000.0);
    std::mt19937 random(5);
    std::int64_t count = 0;
    for (int round = 0; round < 60; ++round) {
        const auto more = static_cast<std::int64_t>(random() % 400) + 1;
        history.append(frames(count, more));
        count += more;
        if (random() % 3 == 0) continue; // sometimes several appends to a copy
        REQUIRE(history.copySince(mirror));
        REQUIRE(!history.copySince(mirror));
        REQUIRE(equal(history, mirror));
    }
    history.copySince(mirror);
    history.reset(2, 0.02, 20.0, 8000.0);
    REQUIRE(history.copySince(mirror));
    REQUIRE(mirror.frames() == 0);
    REQUIRE(mirror.bands() == 2);
    REQUIRE(mirror.highHz() == 8000.0);
    REQUIRE(mirror.secondsPerFrame() == 0.02);
}

TEST_CASE("a mirror forgets old frames with its original", "[unit]") {
    SpectrogramHistory history, mirror;
    history.reset(1, 0.01, 50.0, 14000.0);
    const std::vector<float> second(1000, 0.0f);
    for (int i = 0; i < 140; ++i) {
        history.append(second);
        history.copySince(mirror);
    }
    REQUIRE(mirror.firstFineFrame() > 0);
    REQUIRE(equal(history, mirror));
}

TEST_CASE("the oldest chunks are forgotten in turn, and mirrors forget them too", "[unit]") {
    SpectrogramHistory history, mirror;
    history.reset(bands, 0.01, 50.0, 14000.0);
    for (std::int64_t count = 0; count < 150'000; count += 500) {
        history.append(frames(count, 500));
        if (count % 3500 == 0) history.copySince(mirror);
    }
    std::vector<std::uint8_t> before(bands), after(bands);
    history.largest(140'000, 150'000, before);
    for (auto bytes = history.bytes(), first = history.firstKept(); history.forgetOldest();) {
        REQUIRE(history.bytes() < bytes);
        REQUIRE(history.firstKept() >= first);
        REQUIRE(history.firstFineFrame() >= history.firstKept());
        bytes = history.bytes();
        first = history.firstKept();
        history.largest(0, 10, after);
        REQUIRE(std::ranges::all_of(after, [&](int value) { return value == 0 || first == 0; }));
        REQUIRE(history.copySince(mirror));
        REQUIRE_FALSE(history.copySince(mirror));
        REQUIRE(mirror.firstKept() == first);
        REQUIRE(mirror.bytes() == bytes);
        REQUIRE(equal(history, mirror));
    }
    REQUIRE(history.bytes() == 2 * 4096 * bands);
    history.largest(140'000, 150'000, after);
    REQUIRE(after == before);
    history.append(frames(150'000, 500)); // goes on
    REQUIRE(history.copySince(mirror));
    REQUIRE(equal(history, mirror));
    for (std::int64_t frame = 149'000; frame < 150'500; frame += 7) requireFrame(mirror, frame);
}
