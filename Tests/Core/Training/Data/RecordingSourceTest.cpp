#include "Core/Training/Data/RecordingSource.h"

#include "Core/Base/Error.h"
#include "Core/Training/Data/ClipRoles.h"
#include "Core/Training/Scenes/SceneMixer.h"
#include "Core/Training/SoundLibrary.h"
#include "Support/Catch.h"

#include <algorithm>
#include <cmath>

using namespace earshot::training;
using earshot::model::Config;
using earshot::test::choiceOf;
using earshot::test::libraryRate;
using earshot::test::TemporaryDirectory;
using earshot::test::toneBetweenSilence;
using earshot::test::writeMono;

namespace {

struct Recordings {
    explicit Recordings(const std::string& table) {
        writeMono(folder / "long.wav", longRecording());
        writeMono(folder / "weak.wav", toneBetweenSilence(1000.0, 0.5, 2.0, 0.5));
        writeMono(folder / "single.wav", toneBetweenSilence(700.0, 0.2, 1.0, 0.2));
        earshot::test::writeBytes(folder / "labels.csv", table);
        data = readDataSet(choiceOf(folder / "labels.csv"));
        store = std::make_unique<ClipStore>(data, libraryRate, 2, nullptr);
    }

    // A second of tone every ten, for 60 s.
    static std::vector<float> longRecording() {
        std::vector<float> samples;
        for (int i = 0; i < 6; ++i) {
            const auto part = toneBetweenSilence(500.0, 4.0, 1.0, 5.0);
            samples.insert(samples.end(), part.begin(), part.end());
        }
        return samples;
    }

    TemporaryDirectory folder;
    DataSet data;
    std::unique_ptr<ClipStore> store;
};

std::string strongRows() {
    std::string rows = "file,onset,offset,label,split\n";
    for (int i = 0; i < 6; ++i)
        rows += "long.wav," + std::to_string(10 * i + 4) + "," + std::to_string(10 * i + 5) + "," +
                (i % 2 == 0 ? "A" : "B") + ",train\n";
    return rows;
}

} // namespace

TEST_CASE("windows of strong recordings have targets where they sound", "[unit]") {
    const Recordings recordings(strongRows());
    const RecordingSource source(*recordings.store, recordings.data, Config(), {}, Split::train, 4);
    Example example;
    int withSound = 0;
    for (std::uint64_t i = 0; i < 40; ++i) {
        source.newMaker()->make(i, example);
        REQUIRE_FALSE(example.weak);
        REQUIRE(example.logMel.size() == 1024 * 64);
        REQUIRE(example.targets.size() == 64);
        REQUIRE(std::ranges::all_of(example.logMel, [](float v) { return std::isfinite(v); }));
        const float loudest = *std::ranges::max_element(example.logMel);
        if (loudest < -60.0f) continue;
        ++withSound;
        for (std::size_t token = 0; token < 32; ++token) {
            int heard = 0;
            for (std::size_t at = 64 * 32 * token; at < 64 * 32 * (token + 1); at += 64)
                if (*std::max_element(example.logMel.begin() + static_cast<std::ptrdiff_t>(at),
                                      example.logMel.begin() + static_cast<std::ptrdiff_t>(at) + 64) >
                    loudest - 20.0f)
                    ++heard;
            INFO("example " << i << ", token " << token << ", " << heard << " frames");
            if (example.targets[2 * token] + example.targets[2 * token + 1] > 0.0f)
                REQUIRE(heard >= 1);
            else
                REQUIRE(heard <= 12);
        }
    }
    REQUIRE(withSound > 25);
}

TEST_CASE("files with several labels and no times are weak examples of the whole window", "[unit]") {
    const Recordings recordings(
        "file,label,split\nweak.wav,A;C,train\nlong.wav,B;C,train\nsingle.wav,D,train\n");
    REQUIRE(hasScenes(*recordings.store, Split::train));
    REQUIRE(hasRecordings(*recordings.store, Split::train));
    REQUIRE_FALSE(hasRecordings(*recordings.store, Split::valid));
    const RecordingSource source(*recordings.store, recordings.data, Config(), {}, Split::train, 4);
    Example example;
    const std::vector<float> ac = {1, 0, 1, 0}, bc = {0, 1, 1, 0};
    bool first = false, second = false;
    for (std::uint64_t i = 0; i < 30; ++i) {
        source.newMaker()->make(i, example);
        REQUIRE(example.weak);
        REQUIRE((example.targets == ac || example.targets == bc));
        (example.targets == ac ? first : second) = true;
    }
    REQUIRE(first);
    REQUIRE(second);
    REQUIRE_THROWS_AS(RecordingSource(*recordings.store, recordings.data, Config(), {}, Split::valid, 4),
                      earshot::Error);
}

TEST_CASE("recordings that validate are shown as they are", "[unit]") {
    const Recordings recordings("file,label,split\nweak.wav,A;C,valid\nsingle.wav,A;C,train\n");
    const RecordingSource source(*recordings.store, recordings.data, Config(), {}, Split::valid, 4);
    Example example;
    const auto& stored = *std::ranges::find_if(recordings.store->clips(), [](const StoredClip& each) {
        return isRecording(each) && each.clip->split == Split::valid;
    });
    for (std::uint64_t i = 0; i < 8; ++i) {
        source.newMaker()->make(i, example);
        REQUIRE(example.stripes.empty());
        // 2 s of a tone, somewhere
        int heard = 0;
        const float loudest = *std::ranges::max_element(example.logMel);
        for (std::size_t frame = 0; frame < 1024; ++frame)
            if (*std::max_element(example.logMel.begin() + static_cast<std::ptrdiff_t>(64 * frame),
                                  example.logMel.begin() + static_cast<std::ptrdiff_t>(64 * frame + 64)) >
                loudest - 20.0f)
                ++heard;
        REQUIRE(std::abs(heard - 200) <= 6);
    }
    REQUIRE(stored.clip->labels.size() == 2);
}

TEST_CASE("combined sources keep their shares and their own examples", "[unit]") {
    class Numbered : public ExampleSource {
      public:
        explicit Numbered(float number)
            : number_(number) {}
        std::unique_ptr<ExampleMaker> newMaker() const override {
            class Maker : public ExampleMaker {
              public:
                explicit Maker(float number)
                    : number_(number) {}
                void make(std::uint64_t index, Example& example) override {
                    example.logMel = {number_, static_cast<float>(index)};
                }

              private:
                float number_;
            };
            return std::make_unique<Maker>(number_);
        }

      private:
        float number_;
    };
    const CombinedSource combined(
        {{std::make_shared<Numbered>(0.0f), 1.0}, {std::make_shared<Numbered>(1.0f), 3.0}}, 7);
    const auto maker = combined.newMaker();
    Example example, again;
    int ones = 0;
    for (std::uint64_t i = 0; i < 4000; ++i) {
        maker->make(i, example);
        REQUIRE(example.logMel[1] == static_cast<float>(i));
        if (example.logMel[0] == 1.0f) ++ones;
        if (i % 100 == 0) {
            combined.newMaker()->make(i, again);
            REQUIRE(again.logMel == example.logMel);
        }
    }
    REQUIRE(std::abs(ones - 3000) < 150);
}
