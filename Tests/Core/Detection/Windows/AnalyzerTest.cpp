#include "Core/Detection/Windows/Analyzer.h"

#include "Core/Base/Error.h"
#include "Core/Detection/FakeModels.h"
#include "Support/Catch.h"
#include "Support/ReferenceFrontend.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

using namespace earshot;
using namespace earshot::detection;
using namespace earshot::fake;

TEST_CASE("A burst gives an event when it sounds", "[unit]") {
    auto clip = test::testSignal(15 * 32000);
    for (float& sample : clip) sample *= 1e-4f;
    const auto noise = test::testSignal(clip.size(), 3);
    // 6.4 to 7.68 s: columns 20 to 23
    for (std::size_t i = 20 * samplesPerColumn; i < 24 * samplesPerColumn; ++i) clip[i] += 30.0f * noise[i];
    for (const Mode mode : modes) {
        CAPTURE(name(mode));
        auto subject = analyzer<LevelModel>({.mode = mode});
        subject.push(clip);
        subject.finish();
        std::vector<float> row(static_cast<std::size_t>(subject.timeline().columns()));
        subject.timeline().row(0, 0, row);
        const float middle = 0.5f * (row[10] + row[22]);
        const auto list = subject.events({{.on = middle, .off = middle}, {{1, {.on = 1.0f, .off = 1.0f}}}});
        REQUIRE(list.events.size() == 1);
        REQUIRE(list.events[0].classIndex == 0);
        REQUIRE(std::abs(list.events[0].onset - 6.4) <= 0.3201);
        REQUIRE(std::abs(list.events[0].offset - 7.68) <= 0.3201);
        REQUIRE(row[22] > row[10] + 0.1f);
        REQUIRE(subject.timeline().duration().value() == 15.0);
    }
}

TEST_CASE("A column says what its own 32 frames hold", "[unit]") {
    const auto clip = test::testSignal(14 * 32000 + 777);
    const auto frames = frontend::logMelSpectrogram({}, clip);
    for (const Mode mode : modes)
        for (const int hop : {1, 3, 8}) {
            const auto columns = analyse<LevelModel>({.mode = mode, .hopTokens = hop}, clip);
            const std::size_t whole = frames.size() / 64 / 32; // columns without reflected frames
            REQUIRE(columns.size() / 2 == whole + 1);
            for (std::size_t i = 0; i < whole; ++i) {
                double mean = 0.0;
                for (std::size_t j = 0; j < 32 * 64; ++j) mean += frames[i * 32 * 64 + j] / (32.0 * 64.0);
                CAPTURE(name(mode), hop, i);
                REQUIRE(std::abs(columns[2 * i] - (mean + 100.0) / 200.0) <= 1e-5);
            }
        }
}

TEST_CASE("The same samples in any blocks give the same columns and events", "[unit]") {
    const auto clip = test::testSignal(420000);
    std::mt19937 random(21);
    for (const Mode mode : modes)
        for (const bool provisional : {false, true}) {
            const AnalyzerSettings settings{.mode = mode, .hopTokens = 5, .provisional = provisional};
            auto subject = analyzer<ContextModel>(settings);
            subject.push(clip);
            subject.finish();
            const auto columns = allColumns(subject);
            const auto passes = subject.passes();
            const EventSettings rules{{.on = 0.4f, .off = 0.35f}, {}};
            const auto events = subject.events(rules).events;
            REQUIRE_FALSE(events.empty());
            for (const std::size_t fixed : {1, 7, 64, 513, 4096, 0}) { // 0: random
                subject.reset();
                for (std::size_t i = 0; i < clip.size();) {
                    const std::size_t block = std::min(fixed > 0 ? fixed : random() % 50000, clip.size() - i);
                    subject.push(std::span(clip).subspan(i, block));
                    i += block;
                }
                subject.finish();
                CAPTURE(name(mode), provisional, fixed);
                REQUIRE(allColumns(subject) == columns);
                REQUIRE(subject.passes() == passes);
                const auto again = subject.events(rules).events;
                REQUIRE(again.size() == events.size());
                for (std::size_t i = 0; i < events.size(); ++i) {
                    REQUIRE(again[i].classIndex == events[i].classIndex);
                    REQUIRE(again[i].onset == events[i].onset);
                    REQUIRE(again[i].offset == events[i].offset);
                    REQUIRE(again[i].peak == events[i].peak);
                    REQUIRE(again[i].mean == events[i].mean);
                }
            }
        }
}

TEST_CASE("Provisional columns come early and leave no trace", "[unit]") {
    const auto clip = test::testSignal(450000);
    for (const Mode mode : modes)
        for (const std::size_t length : {15000, 50000, 200000, 330000, 450000}) {
            CAPTURE(name(mode), length);
            auto settled = analyzer<ContextModel>({.mode = mode});
            auto early = analyzer<ContextModel>({.mode = mode, .provisional = true});
            bool sawProvisional = false;
            for (std::size_t i = 0; i < length; i += 1000) {
                const auto block = std::span(clip).subspan(i, std::min<std::size_t>(1000, length - i));
                settled.push(block);
                early.push(block);
                REQUIRE(early.timeline().settled() == settled.timeline().settled());
                REQUIRE(columnsOf(early.timeline(), 0, early.timeline().settled()) ==
                        columnsOf(settled.timeline(), 0, settled.timeline().settled()));
                if (early.timeline().columns() > 0 && early.timeline().provisional(0)) {
                    sawProvisional = true;
                    REQUIRE(settled.timeline().columns() == 0);
                } else {
                    // Nothing provisional before 0.64 s, nor after the first settled window.
                    REQUIRE((i + 1000 < 64 * 320 + 512 || settled.timeline().columns() > 0));
                }
            }
            REQUIRE(sawProvisional == (length > 64 * 320 + 1000));
            settled.finish();
            early.finish();
            REQUIRE(allColumns(early) == allColumns(settled));
            for (std::int64_t i = 0; i < early.timeline().columns(); ++i)
                REQUIRE_FALSE(early.timeline().provisional(i));
        }
}

TEST_CASE("Settled columns never change", "[unit]") {
    const auto clip = test::testSignal(700000);
    for (const int hop : {1, 8, 32}) {
        auto subject = analyzer<ContextModel>({.mode = Mode::crop, .hopTokens = hop});
        std::vector<float> kept;
        for (std::size_t i = 0; i < clip.size(); i += 10000) {
            subject.push(std::span(clip).subspan(i, 10000));
            const auto now = columnsOf(subject.timeline(), 0, subject.timeline().settled());
            REQUIRE(now.size() >= kept.size());
            REQUIRE(std::equal(kept.begin(), kept.end(), now.begin()));
            kept = now;
        }
        REQUIRE(kept.size() > 2 * 30);
        subject.finish();
        REQUIRE(subject.timeline().settled() == subject.timeline().columns());
        const auto now = allColumns(subject);
        REQUIRE(std::equal(kept.begin(), kept.end(), now.begin()));
    }
}

TEST_CASE("Audio shifted by whole columns gives columns shifted alike", "[unit]") {
    const auto clip = test::testSignal(80 * samplesPerColumn);
    const AnalyzerSettings settings{.mode = Mode::crop, .hopTokens = 1};
    const auto columns = analyse<ContextModel>(settings, clip);
    for (const std::size_t shift : {1, 3, 10}) {
        auto shifted = test::testSignal(shift * samplesPerColumn, 99);
        shifted.insert(shifted.end(), clip.begin(), clip.end());
        const auto later = analyse<ContextModel>(settings, shifted);
        REQUIRE(later.size() == columns.size() + 2 * shift);
        // Every window over these columns lies within the clip, clear of its padded ends.
        for (std::size_t i = 2 * 33; i < 2 * 47; ++i) REQUIRE(later[i + 2 * shift] == columns[i]);
    }
}

TEST_CASE("Clips from one sample on work in every mode", "[unit]") {
    const auto clip = test::testSignal(400000);
    for (const Mode mode : modes)
        for (const std::size_t length :
             {1,     2,     10,     319,    320,    512,    513,    10239,  10240,  10241,  20480,
              81920, 82000, 100000, 327359, 327360, 327680, 327681, 328000, 337920, 337921, 400000}) {
            CAPTURE(name(mode), length);
            auto subject = analyzer<ContextModel>({.mode = mode});
            subject.push(std::span(clip).first(length));
            subject.finish();
            const auto& timeline = subject.timeline();
            const auto samples = static_cast<std::int64_t>(length);
            REQUIRE(timeline.columns() == (samples + samplesPerColumn - 1) / samplesPerColumn);
            REQUIRE(timeline.settled() == timeline.columns());
            REQUIRE(timeline.end(timeline.columns() - 1) == static_cast<double>(length) / 32000.0);
            REQUIRE(timeline.start(timeline.columns() - 1) < timeline.end(timeline.columns() - 1));
            for (const float p : allColumns(subject)) REQUIRE((p >= 0.0f && p <= 1.0f));
            const auto list = subject.events({{.on = 0.0f, .off = 0.0f}, {}});
            REQUIRE(list.events.size() == 2); // everything, in each class
            REQUIRE(list.events[0].onset == 0.0);
            REQUIRE(list.events[0].offset == static_cast<double>(length) / 32000.0);
        }
}

TEST_CASE("Silence follows recordings below the switch, longer ones are repeated", "[unit]") {
    const auto clip = test::testSignal(100000);
    const auto columns = [&](AnalyzerSettings settings, std::size_t samples, ShortAudio how) {
        auto subject = analyzer<ContextModel>(settings);
        subject.push(std::span(clip).first(samples));
        subject.finish(how);
        return allColumns(subject);
    };
    const auto limit = static_cast<std::size_t>(repeatedFrom * 32000.0);
    for (const std::size_t samples :
         {std::size_t{1}, std::size_t{700}, limit - 1, limit, std::size_t{100000}})
        for (const bool provisional : {false, true}) {
            CAPTURE(samples, provisional);
            const AnalyzerSettings automatic{.mode = Mode::automatic, .provisional = provisional};
            const auto silent = columns({.mode = Mode::crop}, samples, ShortAudio::byLength);
            const auto repeated = columns(automatic, samples, ShortAudio::repeated);
            REQUIRE(silent != repeated);
            CHECK(columns(automatic, samples, ShortAudio::byLength) == (samples < limit ? silent : repeated));
            CHECK(columns({.mode = Mode::repeat}, samples, ShortAudio::byLength) ==
                  columns({.mode = Mode::repeat}, samples, ShortAudio::repeated));
        }
    // A model that was trained on repeated clips gets no others.
    class RepeatingModel : public ContextModel {
        bool repeatsShortAudio() const override { return true; }
    };
    auto repeating = analyzer<RepeatingModel>({});
    repeating.push(std::span(clip).first(700));
    repeating.finish();
    CHECK(allColumns(repeating) == columns({}, 700, ShortAudio::repeated));
}

TEST_CASE("No samples give an empty timeline", "[unit]") {
    auto subject = analyzer<LevelModel>({});
    subject.push({});
    subject.finish();
    REQUIRE(subject.timeline().columns() == 0);
    REQUIRE(subject.timeline().duration().value() == 0.0);
    REQUIRE(subject.passes() == 0);
    REQUIRE(subject.events({}).events.empty());
}

TEST_CASE("Only the passes that are needed are run", "[unit]") {
    const auto passes = [](AnalyzerSettings settings, std::size_t samples) {
        auto subject = analyzer<LevelModel>(settings);
        subject.push(test::testSignal(samples));
        subject.finish();
        return subject.passes();
    };
    REQUIRE(passes({.mode = Mode::automatic}, 32000) == 1);
    REQUIRE(passes({.mode = Mode::automatic}, 327680) == 1);                 // exactly a window
    REQUIRE(passes({.mode = Mode::automatic}, 327681) == 2);                 // one more aligned to the end
    REQUIRE(passes({.mode = Mode::crop, .hopTokens = 32}, 2 * 327680) == 2); // side by side
    REQUIRE(passes({.mode = Mode::repeat, .hopTokens = 8}, 4 * 81920) == 4); // side by side
    REQUIRE(passes({.mode = Mode::crop, .hopTokens = 8}, 40 * 10240) == 2);  // 0 and 8
    REQUIRE(passes({.mode = Mode::automatic, .provisional = true}, 327680) ==
            5); // 2, 10, 18, 26 tokens, then all
}

TEST_CASE("Samples that are not finite count as silence, huge ones do not overflow", "[unit]") {
    const auto clean = test::testSignal(50000);
    auto zeroed = clean;
    auto broken = clean;
    const float values[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity()};
    for (std::size_t i = 0; i < 300; ++i) {
        zeroed[i * 150] = 0.0f;
        broken[i * 150] = values[i % 3];
    }
    REQUIRE(analyse<ContextModel>({}, broken) == analyse<ContextModel>({}, zeroed));
    REQUIRE(analyse<ContextModel>({}, zeroed) != analyse<ContextModel>({}, clean));

    const std::vector<float> huge(50000, std::numeric_limits<float>::max());
    for (const float p : analyse<ContextModel>({}, huge)) REQUIRE((p >= 0.0f && p <= 1.0f));
}

TEST_CASE("A model that gives no probabilities is an error", "[unit]") {
    class BrokenModel : public FakeModel {
        void run(std::span<const float>, std::span<float> probabilities) override {
            std::ranges::fill(probabilities, 0.5f);
            probabilities.back() = std::numeric_limits<float>::quiet_NaN();
        }
    };
    auto subject = analyzer<BrokenModel>({});
    subject.push(std::vector<float>(1000));
    REQUIRE_THROWS_AS(subject.finish(), Error);
}

TEST_CASE("Frontend and model must agree on the mel bands", "[unit]") {
    frontend::LogMelSettings settings;
    settings.melBands = 40;
    REQUIRE_THROWS_AS(Analyzer(std::make_unique<LevelModel>(), settings, {}), Error);
    REQUIRE_THROWS_AS(analyzer<LevelModel>({.hopTokens = 33}), Error);
}

TEST_CASE("Fed piece by piece, windows run one at a time and say the same", "[unit]") {
    const auto clip = test::testSignal(450000);
    for (const Mode mode : modes) {
        const AnalyzerSettings settings{.mode = mode, .hopTokens = 3, .provisional = true};
        auto whole = analyzer<ContextModel>(settings);
        auto pieces = analyzer<ContextModel>(settings);
        std::vector<float> frames;
        const auto observe = [&] {
            const auto logMel = pieces.takeFrames();
            frames.insert(frames.end(), logMel.begin(), logMel.end());
        };
        std::mt19937 random(7);
        for (std::size_t i = 0; i < clip.size();) {
            const auto block = std::min<std::size_t>(random() % 60000, clip.size() - i);
            whole.push(std::span(clip).subspan(i, block));
            pieces.feed(std::span(clip).subspan(i, block));
            i += block;
            while (pieces.waiting() > 0 && random() % 8 != 0) {
                const auto waiting = pieces.waiting();
                REQUIRE(pieces.runNext());
                REQUIRE(pieces.waiting() == waiting - 1);
            }
            observe();
        }
        whole.finish();
        pieces.finish();
        observe();
        REQUIRE(allColumns(pieces) == allColumns(whole));
        REQUIRE(pieces.passes() == whole.passes());
        REQUIRE(frames == frontend::logMelSpectrogram({}, clip)); // each once
    }
}

TEST_CASE("A change of mode or hop keeps what was settled and goes on", "[unit]") {
    const auto clip = test::testSignal(1'200'000);
    std::mt19937 random(31);
    for (int round = 0; round < 12; ++round) {
        auto subject =
            analyzer<LevelModel>({.mode = modes[random() % 3], .hopTokens = 2, .provisional = true});
        std::vector<float> kept;
        std::size_t pushed = 0;
        for (int step = 0; step < 16; ++step) {
            const std::size_t block = random() % 70'000;
            subject.push(std::span(clip).subspan(pushed, block));
            pushed += block;
            const auto before = subject.timeline().columns();
            const Mode mode = modes[random() % 3];
            subject.change(mode, 1 + static_cast<int>(random() % static_cast<unsigned>(maxHop({}, mode))));
            REQUIRE(subject.timeline().columns() == before);
            const auto now = columnsOf(subject.timeline(), 0, subject.timeline().settled());
            REQUIRE(now.size() >= kept.size());
            REQUIRE(std::equal(kept.begin(), kept.end(), now.begin()));
            kept = now;
        }
        subject.finish();
        // Every column says how loud it is, whichever windows it was in.
        const auto columns = allColumns(subject);
        const auto expected = analyse<LevelModel>({.mode = Mode::crop}, std::span(clip).first(pushed));
        REQUIRE(columns.size() == expected.size());
        for (std::size_t i = 0; i + 2 < columns.size(); ++i) // the last one has reflected frames
            REQUIRE(std::abs(columns[i] - expected[i]) <= 1e-5f);
    }
}

TEST_CASE("Skipped windows leave zeros where nothing else was heard", "[unit]") {
    const auto clip = test::testSignal(100 * samplesPerColumn);
    auto subject = analyzer<LevelModel>({.mode = Mode::repeat, .hopTokens = 8});
    subject.feed(clip);
    REQUIRE(subject.waiting() == 12);
    REQUIRE(subject.skipLate() == 11);
    REQUIRE(subject.runNext());
    REQUIRE_FALSE(subject.runNext());
    const Timeline& timeline = subject.timeline();
    REQUIRE(timeline.columns() == 96);
    REQUIRE(timeline.settled() == 89);
    for (const float p : columnsOf(timeline, 0, 88)) REQUIRE(p == 0.0f);
    REQUIRE_FALSE(timeline.provisional(0));
    REQUIRE(timeline.column(88)[1] > 0.0f);
    subject.finish();
    REQUIRE(timeline.columns() == 100);
    for (const float p : columnsOf(timeline, 0, 88)) REQUIRE(p == 0.0f);
}

TEST_CASE("Models are told how windows overlap, those of other threads as well", "[unit][threads]") {
    using Hops = std::vector<std::pair<int, int>>;
    class ToldModel : public LevelModel {
      public:
        explicit ToldModel(std::shared_ptr<Hops> told)
            : told_(std::move(told)) {}
        void expectHop(int hop, int stretch) override { told_->emplace_back(hop, stretch); }
        std::unique_ptr<TokenModel> clone() const override { return std::make_unique<ToldModel>(told_); }

      private:
        std::shared_ptr<Hops> told_;
    };
    const auto told = std::make_shared<Hops>();
    Analyzer alone(std::make_unique<ToldModel>(told), {}, {.hopTokens = 8});
    alone.change(Mode::repeat, 2);
    REQUIRE_THROWS(alone.change(Mode::repeat, 9));
    REQUIRE(*told == Hops{{256, 1024}, {64, 256}});

    told->clear();
    Analyzer onThree(std::make_unique<ToldModel>(told), {},
                     {.mode = Mode::crop, .hopTokens = 2, .threads = 3});
    REQUIRE(*told == Hops{{64, 1024}, {64, 1024}, {64, 1024}});
    onThree.change(Mode::crop, 8); // all go on alike
    REQUIRE(told->size() == 3);
}
