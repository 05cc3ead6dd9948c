#include "Core/Detection/Windows/CoarseBound.h"

#include "Core/Detection/FakeModels.h"
#include "Core/Detection/Windows/CoarseBoundChoice.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/ReferenceFrontend.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <set>

using namespace earshot;
using namespace earshot::detection;
using namespace earshot::fake;

namespace {

// Of how loud a column is and, less, of how loud its window is, so that windows differ.
class SurroundedModel : public FakeModel {
  public:
    void run(std::span<const float> logMel, std::span<float> probabilities) override {
        float mean = 0.0f;
        for (std::size_t k = 0; k < 32; ++k) mean += level(logMel, k) / 32.0f;
        for (std::size_t k = 0; k < 32; ++k) {
            probabilities[2 * k] = std::clamp(0.9f * level(logMel, k) + 0.1f * mean, 0.0f, 1.0f);
            probabilities[2 * k + 1] = 0.001f * static_cast<float>(k);
        }
    }
    std::unique_ptr<TokenModel> clone() const override { return std::make_unique<SurroundedModel>(); }
};

constexpr std::int64_t windowColumns = 32;

// Quiet noise with some loud bursts.
std::vector<float> sparseClip(std::size_t samples, unsigned seed, double burstsPerMinute) {
    auto clip = test::testSignal(samples, seed);
    for (float& sample : clip) sample *= 1e-4f;
    std::mt19937 random(seed);
    const auto bursts = static_cast<int>(burstsPerMinute * static_cast<double>(samples) / 32000.0 / 60.0);
    for (int burst = 0; burst < bursts; ++burst) {
        const std::size_t first = random() % samples, length = 3000 + random() % 60000;
        for (std::size_t i = first; i < std::min(samples, first + length); ++i) clip[i] *= 1e3f;
    }
    return clip;
}

EventSettings rules() { return {{.on = 0.5f, .off = 0.45f}, {{1, {.on = 0.9f, .off = 0.8f}}}}; }

std::shared_ptr<const CoarseBound> boundOf(float share) {
    return std::make_shared<const CoarseBound>(rules(), 2, share);
}

// What the header of the analyzer says, in plain loops over whole lists.
struct Plain {
    std::vector<float> columns; // (columns, 2)
    std::int64_t passedOver = 0;
    std::size_t windows = 0;

    Plain(std::span<const float> clip, int hop, const CoarseBound& bound) {
        const auto frames = frontend::logMelSpectrogram({}, clip);
        const auto frameCount = static_cast<std::int64_t>(frames.size() / 64);
        const auto count = (static_cast<std::int64_t>(clip.size()) + samplesPerColumn - 1) / samplesPerColumn;
        std::vector<std::int64_t> firsts; // columns
        for (std::int64_t first = 0; 32 * (first + windowColumns) <= frameCount; first += hop)
            firsts.push_back(first);
        const bool aligned = firsts.back() + windowColumns < count;
        if (aligned) firsts.push_back(count - windowColumns);
        std::vector<std::vector<float>> tokens;
        for (const auto first : firsts) {
            Window window{.firstFrame = 32 * first,
                          .heard = static_cast<int>(std::min<std::int64_t>(1024, frameCount - 32 * first)),
                          .frames = 1024,
                          .columns = 32};
            std::vector<float> image(1024 * 64);
            tile(window,
                 std::span(frames).subspan(static_cast<std::size_t>(32 * first) * 64,
                                           static_cast<std::size_t>(window.heard) * 64),
                 64, image);
            SurroundedModel().run(image, tokens.emplace_back(64));
        }
        std::vector<std::size_t> looks;
        for (std::size_t i = 0; i < firsts.size(); i += static_cast<std::size_t>(windowColumns / hop))
            if (!aligned || i + 1 < firsts.size()) looks.push_back(i);
        if (looks.back() + 1 != firsts.size()) looks.push_back(firsts.size() - 1);
        std::set<std::size_t> runs(looks.begin(), looks.end());
        for (std::size_t look = 0; look + 1 < looks.size(); ++look) {
            const auto begin = firsts[looks[look]], second = firsts[looks[look + 1]];
            std::vector<float> both(static_cast<std::size_t>(second + windowColumns - begin) * 2);
            for (const auto at : {looks[look], looks[look + 1]})
                for (std::size_t i = 0; i < 64; ++i) {
                    float& value = both[static_cast<std::size_t>(firsts[at] - begin) * 2 + i];
                    value = std::max(value, tokens[at][i]);
                }
            const auto suspects = bound.suspects(both);
            for (auto i = looks[look] + 1; i < looks[look + 1]; ++i)
                for (std::int64_t c = firsts[i]; c < firsts[i] + windowColumns; ++c)
                    if (c - begin < static_cast<std::int64_t>(suspects.size()) &&
                        suspects[static_cast<std::size_t>(c - begin)])
                        runs.insert(i);
        }
        windows = runs.size();
        Timeline timeline(2, 0.32);
        std::vector<int> fine(static_cast<std::size_t>(count)), left(fine);
        for (std::size_t i = 0; i < firsts.size(); ++i) {
            const bool look = std::ranges::count(looks, i) > 0;
            for (std::int64_t c = firsts[i]; c < firsts[i] + windowColumns && !look; ++c)
                ++(runs.contains(i) ? fine : left)[static_cast<std::size_t>(c)];
            if (!runs.contains(i)) continue;
            std::vector<float> weights(32);
            weighColumns({.frames = 1024, .columns = 32}, {}, 0.32, weights);
            timeline.add(firsts[i], tokens[i], weights);
        }
        columns = columnsOf(timeline, 0, timeline.columns());
        for (std::size_t c = 0; c < fine.size(); ++c)
            if (fine[c] == 0 && left[c] > 0) ++passedOver;
    }
};

} // namespace

TEST_CASE("a run of columns is suspected from its first to its last above the lower level", "[unit]") {
    std::mt19937 random(5);
    const CoarseBound bound(EventSettings{{.on = 0.6f, .off = 0.3f}, {{1, {.on = 0.9f, .off = 0.9f}}}}, 2,
                            1.0f);
    int some = 0;
    for (int round = 0; round < 300; ++round) {
        const std::size_t count = random() % 40;
        std::vector<float> columns(2 * count);
        for (float& value : columns) value = static_cast<float>(random() % 100) / 100.0f;
        const auto found = bound.suspects(columns);
        REQUIRE(found.size() == count);
        for (std::size_t i = 0; i < count; ++i) {
            const auto inRun = [&](std::size_t c, float low, float high) {
                if (columns[2 * i + c] < low) return false;
                std::size_t first = i, last = i;
                while (first > 0 && columns[2 * (first - 1) + c] >= low) --first;
                while (last + 1 < count && columns[2 * (last + 1) + c] >= low) ++last;
                for (; first <= last; ++first)
                    if (columns[2 * first + c] >= high) return true;
                return false;
            };
            const bool expected =
                inRun(0, bound.extend[0], bound.begin[0]) || inRun(1, bound.extend[1], bound.begin[1]);
            REQUIRE(found[i] == expected);
            some += expected ? 1 : 0;
        }
    }
    REQUIRE(some > 100);
}

TEST_CASE("a bound is a share of odds", "[unit]") {
    CHECK(shareOfOdds(0.5f, 1.0f) == 0.5f);
    CHECK(std::abs(shareOfOdds(0.5f, 0.5f) - 1.0f / 3.0f) < 1e-6f);
    CHECK(shareOfOdds(0.7f, 0.0f) == 0.0f);
    CHECK(shareOfOdds(1.0f, 0.5f) == 1.0f);
    CHECK(shareOfOdds(1.0f, 0.0f) == 0.0f);
    const CoarseBound all({{.on = 1.0f, .off = 0.5f}, {}}, 3, 0.0f);
    CHECK(std::ranges::count(all.suspects(std::vector<float>(30)), true) == 10);
}

TEST_CASE("windows between looks run where a look suspects a sound, and nothing else changes", "[unit]") {
    std::int64_t passed = 0;
    bool anyDense = false;
    for (unsigned seed = 1; seed <= 8; ++seed)
        for (const int hop : {8, 16, 5}) {
            const auto clip =
                sparseClip(32000 * (11 + 7 * seed) + 977 * seed, seed, seed % 4 == 0 ? 90.0 : 4.0);
            const auto bound = boundOf(0.8f);
            const Plain plain(clip, hop, *bound);
            auto subject = analyzer<SurroundedModel>({.hopTokens = hop, .coarse = bound});
            subject.push(clip);
            subject.finish();
            CAPTURE(seed, hop);
            CHECK(allColumns(subject) == plain.columns);
            CHECK(static_cast<std::size_t>(subject.passes()) == plain.windows);
            CHECK(std::abs(subject.passedOver() - plain.passedOver) <= hop); // at seams
            passed += plain.passedOver;
            anyDense = anyDense || plain.passedOver == 0;
        }
    CHECK(passed > 1000);
    CHECK(anyDense);
}

TEST_CASE("two steps give the same columns for any blocks and threads", "[unit]") {
    std::mt19937 random(3);
    for (const double bursts : {1.0, 8.0, 60.0})
        for (const std::size_t seconds : {9u, 40u, 41u, 90u}) {
            const auto clip = sparseClip(32000 * seconds + 100, static_cast<unsigned>(seconds), bursts);
            auto alone = analyzer<SurroundedModel>({.coarse = boundOf(0.8f)});
            alone.push(clip);
            alone.finish();
            for (const int threads : {1, 2, 5}) {
                auto subject = analyzer<SurroundedModel>({.threads = threads, .coarse = boundOf(0.8f)});
                for (int round = 0; round < 3; ++round) { // again after the same and after silence
                    subject.reset();
                    if (round == 2) subject.push(std::vector<float>(500000));
                    if (round == 2) subject.finish();
                    subject.reset();
                    for (std::size_t i = 0; i < clip.size();) {
                        const std::size_t block =
                            round == 0 ? clip.size()
                                       : std::min<std::size_t>(random() % 90000, clip.size() - i);
                        subject.push(std::span(clip).subspan(i, block));
                        i += block;
                    }
                    subject.finish();
                    CAPTURE(bursts, seconds, threads, round);
                    CHECK(allColumns(subject) == allColumns(alone));
                    CHECK(subject.passedOver() == alone.passedOver());
                    CHECK(subject.timeline().settled() == subject.timeline().columns());
                }
            }
        }
}

TEST_CASE("with a bound of 0 all windows run", "[unit]") {
    for (const std::size_t seconds : {3u, 10u, 13u, 25u, 100u}) {
        const auto clip = sparseClip(32000 * seconds + 4321, 7, 2.0);
        for (const int threads : {1, 3}) {
            auto all = analyzer<ContextModel>({.threads = threads});
            auto two = analyzer<ContextModel>({.threads = threads, .coarse = boundOf(0.0f)});
            for (auto* const subject : {&all, &two}) {
                subject->push(clip);
                subject->finish();
            }
            CAPTURE(seconds, threads);
            CHECK(allColumns(two) == allColumns(all));
            CHECK(two.passes() == all.passes());
            CHECK(two.passedOver() == 0);
            CHECK(all.passedOver() == 0);
        }
    }
}

TEST_CASE("settled columns of two steps never change, and come within two windows", "[unit]") {
    const auto clip = sparseClip(32000 * 120, 9, 6.0);
    auto subject = analyzer<SurroundedModel>({.coarse = boundOf(0.8f)});
    std::vector<float> kept;
    for (std::size_t i = 0; i < clip.size(); i += 16000) {
        subject.push(std::span(clip).subspan(i, 16000));
        const auto now = columnsOf(subject.timeline(), 0, subject.timeline().settled());
        REQUIRE(now.size() >= kept.size());
        REQUIRE(std::equal(kept.begin(), kept.end(), now.begin()));
        kept = now;
        const double heard = static_cast<double>(i + 16000) / 32000.0;
        REQUIRE(static_cast<double>(subject.timeline().settled()) * 0.32 >= heard - 2 * 10.24 - 0.64);
    }
}

TEST_CASE("digital silence is computed once", "[unit]") {
    // Sound, silence, sound, silence: windows that are silent throughout lie apart.
    std::vector<float> clip = test::testSignal(32000 * 12, 1);
    for (int i = 0; i < 3; ++i) {
        clip.resize(clip.size() + 32000 * 25);
        const auto sound = test::testSignal(32000 * 12, static_cast<unsigned>(i) + 2);
        clip.insert(clip.end(), sound.begin(), sound.end());
    }
    const auto frames = frontend::logMelSpectrogram({}, clip);
    const auto isSilent = [&](std::size_t first) {
        const auto image = std::span(frames).subspan(first * 64, 1024 * 64);
        return std::ranges::all_of(image, [](float value) { return value == -100.0f; });
    };
    int silent = 0, windows = 0;
    for (std::size_t first = 0; first + 1024 <= frames.size() / 64; first += 256) {
        ++windows;
        silent += isSilent(first) ? 1 : 0;
    }
    REQUIRE(silent > 12);
    auto subject = analyzer<ContextModel>({});
    subject.push(clip);
    subject.finish();
    CHECK(subject.passes() == windows + 1 - silent + 1); // one at the end
    const auto columns = allColumns(subject);
    subject.reset();
    subject.push(clip);
    subject.finish();
    CHECK(allColumns(subject) == columns);
    CHECK(subject.passes() == windows + 1 - silent);
    // The same silence as a recording of its own, computed and not.
    const std::vector<float> silence(32000 * 21);
    auto fresh = analyzer<ContextModel>({.threads = 2});
    for (auto* const one : {&subject, &fresh}) {
        one->reset();
        one->push(silence);
        one->finish();
    }
    CHECK(allColumns(subject) == allColumns(fresh));
    CHECK(subject.passes() == 0);
    CHECK(fresh.passes() == 1);
}

TEST_CASE("models and rules that the bound was not chosen for run all windows", "[unit]") {
    const auto labelsWith = [](const char* bound) {
        std::map<std::string, std::string> metadata = {{"earshot.labels", R"(["a", "b"])"}};
        if (bound != nullptr) metadata["earshot.coarse_bound"] = bound;
        return Labels::read(metadata, "m.safetensors", 2);
    };
    const auto settings = rules();
    CHECK(coarseBound(labelsWith("0.5"), settings, Mode::automatic) != nullptr);
    CHECK(coarseBound(labelsWith("0.5"), settings, Mode::crop) != nullptr);
    CHECK(coarseBound(labelsWith("0.5"), settings, Mode::repeat) == nullptr);
    CHECK(coarseBound(labelsWith(nullptr), settings, Mode::automatic) == nullptr);
    CHECK(coarseBound(Labels::withWords(labelsWith("0.5"), {"c"}, {}), settings, Mode::automatic) == nullptr);
    CHECK(coarseBound(Labels::named({"a"}, {{"earshot.coarse_bound", "0.5"}}, "texts"), settings,
                      Mode::automatic) == nullptr);
    for (const char* const wrong : {"-0.1", "1.01", "nan", "\"0.5\"", "[0.5]", "", "null", "1e999"}) {
        CAPTURE(wrong);
        CHECK_THROWS_WITH(labelsWith(wrong),
                          ContainsSubstring("earshot.coarse_bound: expected a number from 0 to 1"));
    }
}

TEST_CASE("the chosen bound keeps 999 of 1000 events, with a margin", "[unit]") {
    std::mt19937 random(8);
    const std::vector<float> thresholds = {0.3f, 0.6f};
    CoarseBoundChoice choice;
    std::vector<std::vector<float>> looks;
    std::vector<Event> events;
    for (int i = 0; i < 3000; ++i) {
        // Five columns of 0.32 s; the event lasts from the second to the fourth.
        std::vector<float> columns(10);
        for (float& value : columns) value = 0.05f + static_cast<float>(random() % 900) / 1000.0f;
        const int label = i % 2;
        // Two looks in 3000 find next to nothing, and one column beyond the event does not count.
        if (i == 100 || i == 2000)
            for (std::size_t k = 1; k < 4; ++k) columns[2 * k + static_cast<std::size_t>(label)] = 0.001f;
        looks.push_back(columns);
        events.push_back({.classIndex = label, .onset = 0.32, .offset = 1.28});
        choice.add(std::span(events).last(1), columns, 0.32, thresholds);
        if (i + 1 < static_cast<int>(CoarseBoundChoice::minEvents)) REQUIRE_FALSE(choice.bound());
    }
    REQUIRE(choice.events() == 3000);
    const float bound = choice.bound().value();
    REQUIRE(bound > 0.02f);
    const auto lost = [&](float share) {
        int count = 0;
        for (std::size_t i = 0; i < events.size(); ++i) {
            const auto label = static_cast<std::size_t>(events[i].classIndex);
            bool kept = false;
            for (std::size_t k = 1; k < 4; ++k)
                kept = kept || looks[i][2 * k + label] >= shareOfOdds(thresholds[label], share);
            count += kept ? 0 : 1;
        }
        return count;
    };
    CHECK(lost(bound) <= 3);
    CHECK(lost(bound) >= 2);
    CHECK(lost(bound / CoarseBoundChoice::margin * 0.98f) <= 3);
    CHECK(lost(bound / CoarseBoundChoice::margin * 1.1f) > 3); // no larger bound does
    // Events that the looks show as clearly as all windows ask for no more than the threshold.
    CoarseBoundChoice sure;
    for (int i = 0; i < 300; ++i)
        sure.add(std::span(events).first(1), std::vector<float>(10, 0.95f), 0.32, thresholds);
    CHECK(sure.bound() == CoarseBoundChoice::margin);
}
