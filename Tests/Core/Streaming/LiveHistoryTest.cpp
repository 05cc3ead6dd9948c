#include "Core/Streaming/LiveHistory.h"

#include "Core/Detection/Windows/ScoredTimeline.h"
#include "Core/Streaming/StreamTools.h"
#include "Support/Catch.h"

#include <cmath>
#include <random>

using namespace earshot;
using namespace earshot::streaming;
using detection::Timeline;

namespace {

constexpr double secondsPerColumn = 0.32;
constexpr int framesPerColumn = 32;

frontend::LogMelSettings frontendOf(int bands) {
    frontend::LogMelSettings settings;
    settings.melBands = bands;
    return settings;
}

float levelAt(std::int64_t column, int classIndex) {
    return static_cast<float>((column * 7 + classIndex * 13) % 1000) / 1000.0f;
}

// What a worker does: columns and their frames, settled four columns later, then forgotten by the analyzer.
struct Writer {
    Writer(LiveHistory& target, int classCount, int bandCount)
        : history(target)
        , timeline(classCount, secondsPerColumn)
        , classes(classCount)
        , bands(bandCount) {
        std::vector<std::string> names;
        for (int i = 0; i < classes; ++i) names.push_back("sound " + std::to_string(i));
        TimeMap times;
        times.add({.stream = 0.0, .shown = classes * 1.0, .host = true});
        history.begin(test::labelsOf(names), timeline, frontendOf(bands), times);
    }

    void write(int columns) {
        for (int i = 0; i < columns; ++i) {
            const auto next = timeline.columns();
            std::vector<float> column;
            for (int c = 0; c < classes; ++c) column.push_back(levelAt(next, c));
            timeline.add(next, column);
            timeline.settle(std::max<std::int64_t>(0, next - 4));
            history.addFrames(std::vector<float>(static_cast<std::size_t>(bands * framesPerColumn),
                                                 static_cast<float>(bands)));
        }
        history.add(timeline);
        timeline.forget(timeline.settled());
    }

    LiveHistory& history;
    Timeline timeline;
    int classes;
    int bands;
};

} // namespace

TEST_CASE("Nobody sees parts of two histories", "[unit][streaming]") {
    LiveHistory history;
    std::atomic<bool> done = false;
    std::atomic<int> seen = 0;
    std::atomic<bool> right = true;
    std::thread viewModel([&] {
        History mirror;
        while (!done) {
            if (!history.copySince(mirror)) continue;
            const int classes = mirror.labels->count();
            bool fits = mirror.timeline->classes() == classes && mirror.spectrogram.bands() == classes + 10 &&
                        mirror.generation == mirror.timeline->generation() &&
                        mirror.times.shown(0.0) == classes * 1.0;
            const auto columns = mirror.timeline->columns();
            // Frames come before the columns that are made of them.
            fits = fits && mirror.spectrogram.frames() >= columns * framesPerColumn;
            for (std::int64_t i = 0; i < columns; ++i)
                for (int c = 0; c < classes; ++c)
                    fits = fits && mirror.timeline->column(i)[static_cast<std::size_t>(c)] == levelAt(i, c);
            for (std::int64_t i = 0; i < mirror.spectrogram.frames(); i += 5)
                fits = fits && mirror.spectrogram.frame(i)[0] == mirror.spectrogram.frame(0)[0];
            if (!fits) right = false;
            ++seen;
        }
    });
    std::mt19937 random(3);
    for (int round = 0; round < 40 || seen < 40; ++round) {
        const int classes = 1 + static_cast<int>(random() % 5);
        Writer writer(history, classes, classes + 10);
        for (int i = 0; i < 20; ++i) writer.write(static_cast<int>(random() % 30));
    }
    done = true;
    viewModel.join();
    REQUIRE(right);
}

TEST_CASE("Within its limit a history keeps the same stretch of columns and spectrogram",
          "[unit][streaming]") {
    constexpr std::int64_t limit = 6'000'000;
    constexpr double maxChunk = 4096 * 8 * 0.01; // seconds
    LiveHistory history;
    history.setLimit(limit);
    Writer writer(history, 100, 16);
    History mirror, rare;
    std::mt19937 random(5);
    bool full = false;
    while (writer.timeline.columns() < 60'000) {
        writer.write(1 + static_cast<int>(random() % 40));
        const Kept kept = history.status().kept;
        REQUIRE(kept.limit == limit);
        REQUIRE(kept.bytes() <= limit);
        full = full || kept.columns.since > 0.0;
        if (full) REQUIRE(kept.bytes() >= limit * 9 / 10);
        REQUIRE(std::abs(kept.columns.since - kept.spectrogram.since) <= maxChunk);
        if (random() % 4 != 0) continue;
        REQUIRE(history.copySince(mirror));
        REQUIRE_FALSE(history.copySince(mirror));
        REQUIRE(mirror.timeline->bytes() == kept.columns.bytes);
        REQUIRE(mirror.spectrogram.bytes() == kept.spectrogram.bytes);
        REQUIRE(mirror.timeline->start(mirror.timeline->firstKept()) == kept.columns.since);
        if (random() % 200 == 0) history.copySince(rare);
    }
    REQUIRE(full);
    history.copySince(mirror);
    history.copySince(rare);
    for (const History* copy : {&mirror, &rare}) {
        const Timeline& timeline = *copy->timeline;
        REQUIRE(timeline.columns() == writer.timeline.columns());
        REQUIRE(timeline.firstKept() > 40'000);
        const double exact = timeline.start(timeline.settled()) - timeline.start(timeline.rounded());
        REQUIRE(exact >= 600.0);
        REQUIRE(exact <= 600.0 + 82.0);
        for (std::int64_t i = timeline.firstKept(); i < timeline.columns(); i += 3)
            for (int c = 0; c < 100; c += 7) {
                const float value = timeline.column(i)[static_cast<std::size_t>(c)];
                if (i < timeline.rounded())
                    REQUIRE(std::abs(value - levelAt(i, c)) <= 0.00025f);
                else
                    REQUIRE(value == levelAt(i, c));
            }
    }
    // A lower limit holds at once, for what is being written cannot be forgotten.
    history.setLimit(1);
    const Kept least = history.status().kept;
    REQUIRE(least.columns.bytes <= 3 * 256 * 100 * 4);
    REQUIRE(least.spectrogram.bytes == 2 * 4096 * 16);
    writer.write(600);
    REQUIRE(history.status().kept.columns.bytes <= 4 * 256 * 100 * 4);
}

TEST_CASE("Without a limit a history keeps all as it was, and outlives who wrote it", "[unit][streaming]") {
    LiveHistory history;
    {
        Writer writer(history, 3, 8);
        for (int i = 0; i < 300; ++i) writer.write(37);
        writer.timeline.finish(11'100 * secondsPerColumn - 0.1);
        history.add(writer.timeline);
    }
    History mirror;
    REQUIRE(history.copySince(mirror));
    REQUIRE(mirror.timeline->firstKept() == 0);
    REQUIRE(mirror.timeline->rounded() == 0);
    REQUIRE(mirror.timeline->columns() == 11'100);
    REQUIRE(mirror.timeline->settled() == 11'100);
    REQUIRE(mirror.timeline->duration() == 11'100 * secondsPerColumn - 0.1);
    REQUIRE(mirror.spectrogram.firstKept() == 0);
    for (std::int64_t i = 0; i < 11'100; ++i)
        for (int c = 0; c < 3; ++c)
            REQUIRE(mirror.timeline->column(i)[static_cast<std::size_t>(c)] == levelAt(i, c));
    const Kept kept = history.status().kept;
    REQUIRE(kept.limit == 0);
    REQUIRE(kept.columns.since == 0.0);
    REQUIRE(kept.bytes() > 0);
}

TEST_CASE("Vectors share the limit, and give the same stretch for other words", "[unit][streaming]") {
    LiveHistory history;
    Timeline timeline(3, secondsPerColumn), vectors(100, secondsPerColumn);
    history.begin(test::labelsOf({"a", "b", "c"}), timeline, frontendOf(8), {}, &vectors);
    history.setLimit(1 << 20);
    for (std::int64_t i = 0; i < 20'000; ++i) {
        timeline.add(i, std::vector<float>(3, levelAt(i, 0)));
        vectors.add(i, std::vector<float>(100, levelAt(i, 1)));
        if (i < 4) continue;
        timeline.settle(i - 4);
        vectors.settle(i - 4);
        history.add(timeline, &vectors);
        timeline.forget(timeline.settled());
        vectors.forget(vectors.settled());
    }
    const Kept kept = history.status().kept;
    CHECK(kept.bytes() <= 1 << 20);
    CHECK(kept.vectors.bytes > kept.columns.bytes);
    CHECK(kept.vectors.since == kept.columns.since);
    CHECK(kept.columns.since > 0.0);
    REQUIRE(history.vectors() != nullptr);

    class Last : public detection::ColumnScorer {
      public:
        int values() const override { return 100; }
        int classes() const override { return 1; }
        void score(std::span<const float> values, std::span<float> probabilities) const override {
            probabilities[0] = values[99];
        }
    };
    History mirror;
    history.copySince(mirror);
    detection::ScoredTimeline scored(std::make_shared<Last>(), secondsPerColumn);
    scored.follow(*history.vectors());
    history.rescore(test::labelsOf({"other"}), scored.timeline());
    const auto generation = mirror.generation;
    REQUIRE(history.copySince(mirror));
    CHECK(mirror.generation != generation);
    CHECK(mirror.labels->names() == std::vector<std::string>{"other"});
    CHECK(history.status().classes == 1);
    CHECK(mirror.timeline->classes() == 1);
    CHECK(mirror.timeline->columns() == 20'000);
    CHECK(mirror.timeline->start(mirror.timeline->firstKept()) == kept.columns.since);
    for (auto i = mirror.timeline->firstKept(); i < 20'000; ++i)
        REQUIRE(std::abs(mirror.timeline->column(i).front() - levelAt(i, 1)) <= 0.0005f);
}
