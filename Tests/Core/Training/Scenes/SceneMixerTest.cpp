#include "Core/Training/Scenes/SceneMixer.h"

#include "Core/Base/Error.h"
#include "Core/Frontend/LogMel.h"
#include "Core/Training/Data/Augment.h"
#include "Core/Training/SoundLibrary.h"
#include "Support/Catch.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <thread>

using namespace earshot::training;
using earshot::model::Config;
using earshot::test::choiceOf;
using earshot::test::libraryRate;
using earshot::test::TemporaryDirectory;
using earshot::test::toneBetweenSilence;
using earshot::test::writeMono;

namespace {

struct Library {
    explicit Library(int clips = 6, std::vector<std::string> distractors = {}) {
        earshot::test::writeToneClasses(folder.path(), clips);
        auto choice = choiceOf(folder.path());
        choice.distractors = std::move(distractors);
        data = readDataSet(choice);
        store = std::make_unique<ClipStore>(data, libraryRate, 2, nullptr);
    }

    TemporaryDirectory folder;
    DataSet data;
    std::unique_ptr<ClipStore> store;
};

// Only tones, so that what is heard can be told from the spectrum.
SceneSettings plain() {
    SceneSettings settings;
    settings.noBackgroundShare = 1.0f;
    settings.distractorShare = 0.0f;
    settings.lowPassShare = settings.sceneLowPassShare = settings.reverbShare = 0.0f;
    settings.tiltShare = settings.cutOffShare = 0.0f;
    return settings;
}

bool same(const Example& a, const Example& b) {
    const auto stripes = std::ranges::equal(a.stripes, b.stripes, [](const Stripe& x, const Stripe& y) {
        return x.inTime == y.inTime && x.first == y.first && x.count == y.count;
    });
    return a.logMel == b.logMel && a.targets == b.targets && a.known == b.known && a.weak == b.weak &&
           stripes;
}

// The mel bands in which the classes' tones lie, by the frontend itself.
int bandOf(double hertz) {
    const auto frames = earshot::frontend::logMelSpectrogram(ExampleShape(Config()).frontend,
                                                             earshot::test::sine(hertz, 0.5, libraryRate));
    const auto middle = frames.begin() + 25 * 64;
    return static_cast<int>(std::max_element(middle, middle + 64) - middle);
}

} // namespace

TEST_CASE("an example is the same whoever asks, in any order and on any thread", "[unit][threads]") {
    const Library library;
    const SceneMixer mixer(*library.store, library.data, Config(), {}, Split::train, 11);
    const SceneMixer again(*library.store, library.data, Config(), {}, Split::train, 11);
    const SceneMixer other(*library.store, library.data, Config(), {}, Split::train, 12);
    constexpr std::uint64_t count = 12;
    std::vector<Example> first(count), second(count);
    const auto maker = mixer.newMaker();
    for (std::uint64_t i = 0; i < count; ++i) maker->make(i, first[i]);
    std::vector<std::thread> threads;
    for (std::uint64_t begin = 0; begin < 3; ++begin)
        threads.emplace_back([&, begin] {
            const auto own = again.newMaker();
            Example used;
            own->make(99, used);
            for (std::uint64_t i = begin; i < count; i += 3) {
                const auto index = count - 1 - i;
                own->make(index, used);
                second[index] = used;
            }
        });
    for (auto& thread : threads) thread.join();
    int different = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        REQUIRE(same(first[i], second[i]));
        Example example;
        other.newMaker()->make(i, example);
        if (!same(example, first[i])) ++different;
    }
    REQUIRE(different == count);
}

TEST_CASE("examples have the model's shape and finite values", "[unit]") {
    const Library library(5, {"High"});
    SceneSettings settings;
    settings.reverbShare = settings.tiltShare = settings.lowPassShare = settings.humShare = 0.7f;
    settings.sceneLowPassShare = settings.cutOffShare = 0.4f;
    settings.distractorShare = 0.6f;
    settings.loudestEvent = 6.0f;
    const Config config;
    const SceneMixer mixer(*library.store, library.data, config, settings, Split::train, 1);
    const auto maker = mixer.newMaker();
    Example example;
    bool anyStripes = false;
    for (std::uint64_t i = 0; i < 30; ++i) {
        maker->make(i, example);
        REQUIRE(example.logMel.size() == 1024 * 64);
        REQUIRE(std::ranges::all_of(example.logMel, [](float v) { return v >= -100.0f && v < 60.0f; }));
        REQUIRE(example.targets.size() == 32 * 2);
        REQUIRE(std::ranges::all_of(example.targets, [](float v) { return v == 0.0f || v == 1.0f; }));
        REQUIRE_FALSE(example.weak);
        REQUIRE(example.known.empty());
        anyStripes = anyStripes || !example.stripes.empty();
        for (const auto& stripe : example.stripes) {
            REQUIRE(stripe.first >= 0);
            REQUIRE(stripe.count >= 1);
            REQUIRE(stripe.count <= (stripe.inTime ? settings.maxTimeStripe : settings.maxMelStripe));
            REQUIRE(stripe.first + stripe.count <= (stripe.inTime ? 1024 : 64));
        }
        const auto scene = mixer.makeScene(i);
        REQUIRE(std::ranges::all_of(scene.samples, [](float s) { return std::abs(s) <= 1.0f; }));
    }
    REQUIRE(anyStripes);
}

TEST_CASE("targets are on where a class is heard, and off where it is not", "[unit]") {
    const Library library;
    auto settings = plain();
    settings.fastest = 1.01f;
    settings.slowest = 0.99f;
    settings.levelSpread = 0.0f;
    settings.layerShare = GENERATE(0.0f, 1.0f);
    const SceneMixer mixer(*library.store, library.data, Config(), settings, Split::train, 5);
    REQUIRE(library.data.labels == std::vector<std::string>{"High", "Low", "Middle"});
    const int bands[] = {bandOf(6400.0), bandOf(400.0), bandOf(1600.0)};
    const auto maker = mixer.newMaker();
    Example example;
    std::size_t on = 0, off = 0, lost = 0;
    for (std::uint64_t i = 0; i < 80; ++i) {
        maker->make(i, example);
        const float loudest = *std::ranges::max_element(example.logMel);
        if (loudest < -60.0f) { // nothing sounds
            REQUIRE(std::ranges::count(example.targets, 0.0f) == 96);
            continue;
        }
        for (std::size_t token = 0; token < 32; ++token)
            for (std::size_t label = 0; label < 3; ++label) {
                int heard = 0; // frames
                for (std::size_t frame = 32 * token; frame < 32 * (token + 1); ++frame) {
                    float level = -100.0f;
                    for (int k = -2; k <= 2; ++k)
                        level = std::max(
                            level, example.logMel[64 * frame + static_cast<std::size_t>(bands[label] + k)]);
                    if (level > loudest - 20.0f) ++heard;
                }
                INFO("example " << i << ", token " << token << ", class " << label << ", " << heard
                                << " frames");
                if (example.targets[3 * token + label] > 0.0f) {
                    ++on;
                    if (heard == 0) ++lost;
                } else {
                    ++off;
                    REQUIRE(heard <= 12); // 80 ms and what the analysis window smears
                }
            }
    }
    REQUIRE(on > 300);
    REQUIRE(off > 300);
    // Two tones of one pitch may wipe each other out for a moment.
    REQUIRE(lost <= (settings.layerShare > 0.0f ? on / 100 : 0));
}

TEST_CASE("a layered sound lasts as long as both recordings that make it, and is of their class", "[unit]") {
    const Library library;
    auto settings = plain();
    settings.maxEvents = 1;
    settings.emptyShare = settings.repeatShare = settings.edgeShare = settings.speedShare = 0.0f;
    const auto secondsOf = [&](float layerShare) {
        settings.layerShare = layerShare;
        const SceneMixer mixer(*library.store, library.data, Config(), settings, Split::train, 5);
        double seconds = 0.0;
        for (std::uint64_t i = 0; i < 60; ++i) {
            const auto annotations = mixer.makeScene(i).annotations;
            REQUIRE(annotations.size() == 1);
            seconds += annotations[0].offset - annotations[0].onset;
        }
        return seconds;
    };
    const double alone = secondsOf(0.0f), layered = secondsOf(1.0f);
    REQUIRE(layered > 1.2 * alone);
    REQUIRE(layered < 2.0 * alone);
}

TEST_CASE("scenes to validate with are never layered", "[unit]") {
    const Library library;
    auto settings = plain();
    const SceneMixer mixer(*library.store, library.data, Config(), settings, Split::valid, 5);
    settings.vary(3.0f);
    const SceneMixer varied(*library.store, library.data, Config(), settings, Split::valid, 5);
    for (std::uint64_t i = 0; i < 5; ++i) REQUIRE(mixer.makeScene(i).samples == varied.makeScene(i).samples);
}

TEST_CASE("annotations of scenes say to 30 ms where there is sound", "[unit]") {
    const Library library;
    auto settings = plain();
    settings.maxEvents = 1;
    settings.repeatShare = 0.0f;
    settings.emptyShare = 0.3f;
    for (const Split split : {Split::train, Split::valid}) {
        const SceneMixer mixer(*library.store, library.data, Config(), settings, split, 3);
        int empty = 0;
        for (std::uint64_t i = 0; i < 60; ++i) {
            const Scene scene = mixer.makeScene(i);
            REQUIRE(scene.samples.size() == 327680);
            const auto heard = [](float s) { return std::abs(s) > 1e-3f; };
            const auto first = std::ranges::find_if(scene.samples, heard);
            if (first == scene.samples.end()) {
                REQUIRE(scene.annotations.empty());
                ++empty;
                continue;
            }
            const auto last = std::find_if(scene.samples.rbegin(), scene.samples.rend(), heard);
            REQUIRE(scene.annotations.size() == 1);
            const auto seconds = [](auto samples) { return static_cast<double>(samples) / libraryRate; };
            REQUIRE(std::abs(scene.annotations[0].onset - seconds(first - scene.samples.begin())) < 0.03);
            REQUIRE(std::abs(scene.annotations[0].offset - seconds(scene.samples.rend() - last)) < 0.03);
        }
        REQUIRE(empty > 5);
        REQUIRE(empty < 40);
    }
}

TEST_CASE("scenes are of their own split's clips", "[unit]") {
    const TemporaryDirectory folder;
    // What is for training is low, what validates is high.
    std::string text = "file,label,split\n";
    for (int i = 0; i < 4; ++i)
        for (const bool train : {true, false}) {
            const std::string name = (train ? "t" : "v") + std::to_string(i) + ".wav";
            writeMono(folder / name, toneBetweenSilence(train ? 300.0 : 5000.0, 0.1, 0.5 + 0.1 * i, 0.1));
            text += name + (train ? ",A,train\n" : ",A,valid\n");
        }
    earshot::test::writeBytes(folder / "labels.csv", text);
    auto data = readDataSet(choiceOf(folder / "labels.csv"));
    const ClipStore store(data, libraryRate, 2, nullptr);
    auto settings = plain();
    settings.emptyShare = 0.0f;
    for (const Split split : {Split::train, Split::valid}) {
        const SceneMixer mixer(store, data, Config(), settings, split, 3);
        Example example;
        for (std::uint64_t i = 0; i < 20; ++i) {
            mixer.newMaker()->make(i, example);
            const auto loudest = std::ranges::max_element(example.logMel) - example.logMel.begin();
            REQUIRE((loudest % 64 < bandOf(1000.0)) == (split == Split::train));
            if (split == Split::valid) REQUIRE(example.stripes.empty());
        }
    }
}

TEST_CASE("classes are drawn evenly, and groups within a class, however many clips they have", "[unit]") {
    const TemporaryDirectory folder;
    std::string text = "file,label,group,split\n";
    const auto add = [&](const std::string& label, const std::string& group, double hertz, int clips) {
        for (int i = 0; i < clips; ++i) {
            const std::string name = label + group + std::to_string(i) + ".wav";
            writeMono(folder / name, toneBetweenSilence(hertz + i, 0.0, 0.1, 0.02));
            text += name + "," + label + "," + group + ",train\n";
        }
    };
    add("A", "one", 300.0, 1);
    add("A", "two", 1000.0, 30);
    add("B", "three", 3000.0, 10);
    earshot::test::writeBytes(folder / "labels.csv", text);
    auto data = readDataSet(choiceOf(folder / "labels.csv"));
    const ClipStore store(data, libraryRate, 2, nullptr);
    REQUIRE(store.clips().size() == 41);
    const SceneMaterial material(store, data, Split::train, {});
    Dice dice(1);
    int one = 0, two = 0, three = 0;
    for (int i = 0; i < 4000; ++i) {
        const auto& group = material.drawClip(dice).clip->group;
        ++(group == "one" ? one : group == "two" ? two : three);
    }
    REQUIRE(std::abs(one - 1000) < 120);
    REQUIRE(std::abs(two - 1000) < 120);
    REQUIRE(std::abs(three - 2000) < 150);
    REQUIRE(material.drawDistractor(dice) == nullptr);
}

TEST_CASE("sounds of no class are heard but not labelled", "[unit]") {
    const Library library(4, {"Low", "High"});
    auto settings = plain();
    settings.distractorShare = 1.0f;
    settings.emptyShare = 1.0f;
    const SceneMixer mixer(*library.store, library.data, Config(), settings, Split::train, 1);
    for (std::uint64_t i = 0; i < 10; ++i) {
        const Scene scene = mixer.makeScene(i);
        REQUIRE(scene.annotations.empty());
        REQUIRE(std::ranges::any_of(scene.samples, [](float s) { return std::abs(s) > 1e-3f; }));
    }
}

TEST_CASE("recorded backgrounds are heard from end to end, and never labelled", "[unit]") {
    const TemporaryDirectory folder;
    earshot::test::writeToneClasses(folder.path(), 3);
    for (int i = 0; i < 3; ++i)
        writeMono(folder / "_background" / (std::to_string(i) + ".wav"),
                  earshot::test::sine(3000.0 + 10.0 * i, i == 2 ? 20.0 : 1.5 + i, libraryRate));
    auto data = readDataSet(choiceOf(folder.path()));
    const ClipStore store(data, libraryRate, 2, nullptr);
    auto settings = plain();
    settings.noBackgroundShare = 0.0f;
    settings.emptyShare = 1.0f;
    settings.humShare = 0.0f;
    settings.recordedShare = 1.0f;
    settings.distractorShare = 1.0f; // a background is no distractor
    settings.speedShare = 0.0f;
    settings.quietestBackground = -30.0f;
    const SceneMixer mixer(store, data, Config(), settings, Split::train, 1);
    const auto maker = mixer.newMaker();
    const int band = bandOf(3000.0);
    Example example;
    for (std::uint64_t i = 0; i < 6; ++i) {
        maker->make(i, example);
        REQUIRE(std::ranges::all_of(example.targets, [](float v) { return v == 0.0f; }));
        for (std::size_t frame = 1; frame + 1 < 1024; ++frame) {
            const auto row = example.logMel.begin() + static_cast<std::ptrdiff_t>(64 * frame);
            const auto loudest = static_cast<int>(std::max_element(row, row + 64) - row);
            INFO("example " << i << ", frame " << frame);
            REQUIRE(std::abs(loudest - band) <= 1);
        }
        const Scene scene = mixer.makeScene(i);
        double energy = 0.0;
        for (const float sample : scene.samples)
            energy += static_cast<double>(sample) * static_cast<double>(sample);
        const double level = 10.0 * std::log10(energy / static_cast<double>(scene.samples.size()));
        REQUIRE(std::abs(level + 30.0) < 0.1);
    }
}

TEST_CASE("a recorded room is heard after a sound, and not labelled", "[unit]") {
    const TemporaryDirectory folder;
    earshot::test::writeToneClasses(folder.path(), 3);
    // A direct sound and an echo as loud half a second later, behind silence.
    std::vector<float> response(libraryRate, 0.0f);
    response[5000] = 0.5f;
    response[5000 + libraryRate / 2] = 0.5f;
    writeMono(folder / "_rooms/canyon.wav", response);
    auto data = readDataSet(choiceOf(folder.path()));
    const ClipStore store(data, libraryRate, 2, nullptr);
    const SceneMaterial material(store, data, Split::train, {});
    Dice dice(1);
    const auto room = material.drawRoom(dice);
    REQUIRE(room.size() == static_cast<std::size_t>(libraryRate) - 5000 + 32);
    REQUIRE(std::abs(room[32] - room[32 + libraryRate / 2]) < 1e-3f);
    REQUIRE(std::abs(room[32] - std::sqrt(0.5f)) < 1e-3f);
    REQUIRE(SceneMaterial(store, data, Split::valid, {}).drawRoom(dice).empty());

    auto settings = plain();
    settings.emptyShare = 0.0f;
    settings.maxEvents = 1;
    settings.edgeShare = settings.repeatShare = settings.partShare = settings.speedShare = 0.0f;
    settings.reverbShare = settings.roomShare = 1.0f;
    const SceneMixer mixer(store, data, Config(), settings, Split::train, 1);
    int echoes = 0;
    for (std::uint64_t i = 0; i < 10; ++i) {
        const Scene scene = mixer.makeScene(i);
        REQUIRE(scene.annotations.size() == 1);
        const auto at = static_cast<std::size_t>((scene.annotations.front().offset + 0.2) * libraryRate);
        if (at + 6400 > scene.samples.size()) continue;
        if (peakOf(std::span(scene.samples).subspan(at, 6400)) > 0.1f * peakOf(scene.samples)) ++echoes;
    }
    REQUIRE(echoes > 5);
}

TEST_CASE("late onsets lie in the last second of examples, and not in validation", "[unit]") {
    const Library library;
    auto settings = plain();
    settings.emptyShare = 0.0f;
    settings.lateShare = 1.0f;
    const SceneMixer mixer(*library.store, library.data, Config(), settings, Split::train, 1);
    Example example;
    int sounding = 0;
    for (std::uint64_t i = 0; i < 20; ++i) {
        mixer.newMaker()->make(i, example);
        const std::size_t tokens = 32, classes = example.targets.size() / tokens;
        const auto late = example.targets.begin() + static_cast<std::ptrdiff_t>((tokens - 4) * classes);
        REQUIRE(std::all_of(example.targets.begin(), late, [](float target) { return target == 0.0f; }));
        if (std::any_of(late, example.targets.end(), [](float target) { return target > 0.0f; })) ++sounding;
    }
    CHECK(sounding > 15);
    const SceneMixer valid(*library.store, library.data, Config(), settings, Split::valid, 1);
    auto usual = settings;
    usual.lateShare = 0.0f;
    const SceneMixer other(*library.store, library.data, Config(), usual, Split::valid, 1);
    for (std::uint64_t i = 0; i < 5; ++i) CHECK(valid.makeScene(i).samples == other.makeScene(i).samples);
}

TEST_CASE("a background that may be taken for a class leaves it unknown unless it sounds", "[unit]") {
    const Library library;
    SceneSettings settings;
    settings.noBackgroundShare = 0.0f;
    settings.maxSnr = 10.0f;
    settings.backgroundLabels = {"middle", "Nothing"};
    const SceneMixer mixer(*library.store, library.data, Config(), settings, Split::train, 1);
    Example example;
    int unknown = 0;
    for (std::uint64_t i = 0; i < 40; ++i) {
        mixer.newMaker()->make(i, example);
        if (example.known.empty()) continue;
        REQUIRE(example.known.size() == 3);
        REQUIRE(example.known[0] == 1.0f);
        REQUIRE(example.known[1] == 1.0f);
        bool sounds = false;
        for (std::size_t token = 0; token < 32; ++token)
            sounds = sounds || example.targets[3 * token + 2] > 0.0f;
        if (example.known[2] == 0.0f) ++unknown;
        if (sounds) REQUIRE(example.known[2] == 1.0f);
    }
    REQUIRE(unknown > 10);
}

TEST_CASE("longer scenes are as long as asked and as dense", "[unit]") {
    const Library library;
    auto settings = plain();
    settings.seconds = 30.0;
    settings.emptyShare = 0.0f;
    const SceneMixer mixer(*library.store, library.data, Config(), settings, Split::valid, 9);
    std::size_t events = 0;
    for (std::uint64_t i = 0; i < 10; ++i) {
        const Scene scene = mixer.makeScene(i);
        REQUIRE(scene.samples.size() == 960000);
        double last = 0.0;
        for (const auto& span : scene.annotations) {
            REQUIRE(span.onset >= last);
            REQUIRE(span.offset > span.onset);
            REQUIRE(span.offset <= 30.0);
            last = span.onset;
        }
        events += scene.annotations.size();
        REQUIRE(scene.samples == mixer.makeScene(i).samples);
    }
    REQUIRE(events > 50);
}

TEST_CASE("sounds without labels are what a teacher says, and never validated with", "[unit]") {
    TemporaryDirectory folder;
    writeMono(folder / "Low" / "1.wav", toneBetweenSilence(300.0, 0.1, 3.0, 0.1));
    writeMono(folder / "Low" / "2.wav", toneBetweenSilence(310.0, 0.1, 3.0, 0.1));
    writeMono(folder / "High" / "1.wav", toneBetweenSilence(3000.0, 0.1, 3.0, 0.1));
    for (const char* name : {"a.wav", "b.wav", "c.wav", "d.wav"})
        writeMono(folder / "_unlabelled" / name, toneBetweenSilence(1000.0, 0.1, 3.0, 0.1));
    earshot::test::writeBytes(folder / "soft.csv",
                              "file,High,Low\na.wav,0.75,0.125\nb.wav,0.75,0.125\nc.wav,0.75,0.125\n");
    auto choice = choiceOf(folder.path());
    choice.validShare = 0.3;
    auto data = readDataSet(choice);
    const auto unlabelled = [&](Split split) {
        return std::ranges::count_if(data.clips, [&](const Clip& clip) {
            return clip.kind == ClipKind::unlabelled && clip.split == split;
        });
    };
    CHECK(unlabelled(Split::train) == 4);
    const TeacherTable teacher({.softLabels = folder / "soft.csv", .embeddings = {}}, data);
    CHECK(teacher.leaveOutUnknown(data) == 1);
    CHECK(unlabelled(Split::train) == 3);
    const ClipStore store(data, libraryRate, 1, nullptr);
    auto settings = plain();
    settings.emptyShare = 0.0f;
    settings.maxEvents = 1;
    settings.unlabelledShare = 1.0f;
    Example example;
    const auto targetsAt = [&](const SceneMixer& mixer, std::uint64_t index) {
        mixer.newMaker()->make(index, example);
        return std::set<float>(example.targets.begin(), example.targets.end());
    };
    const SceneMixer taught(store, data, Config(), settings, Split::train, 1, &teacher);
    const SceneMixer alone(store, data, Config(), settings, Split::train, 1);
    for (std::uint64_t i = 0; i < 10; ++i) {
        CHECK(targetsAt(taught, i) == std::set<float>{0.0f, 0.125f, 0.75f});
        CHECK(targetsAt(alone, i).contains(1.0f));
    }
}

TEST_CASE("nothing to mix is an error that says what to add", "[unit]") {
    const TemporaryDirectory folder;
    writeMono(folder / "a.wav", toneBetweenSilence(300.0, 0.1, 0.5, 0.1));
    earshot::test::writeBytes(folder / "labels.csv", "file,label,split\na.wav,A;B,train\n");
    auto data = readDataSet(choiceOf(folder / "labels.csv"));
    const ClipStore store(data, libraryRate, 1, nullptr);
    REQUIRE_THROWS_AS(SceneMixer(store, data, Config(), {}, Split::train, 1), earshot::Error);
}

TEST_CASE("a clean scene is one recording as it is, in silence", "[unit]") {
    TemporaryDirectory folder;
    writeMono(folder / "Long" / "1.wav", toneBetweenSilence(400.0, 0.2, 3.0, 0.3));
    writeMono(folder / "Short" / "1.wav", toneBetweenSilence(1600.0, 0.0, 0.4, 0.1));
    auto choice = choiceOf(folder.path());
    choice.validShare = 0.0;
    auto data = readDataSet(choice);
    const ClipStore store(data, libraryRate, 1, nullptr);
    SceneSettings settings;
    settings.vary(2.0f);
    settings.cleanShare = 1.0f;
    const SceneMixer mixer(store, data, Config(), settings, Split::train, 3);
    const auto maker = mixer.newMaker();
    Example example;
    int shortAtStart = 0, shortRepeated = 0, longSounds = 0;
    for (std::uint64_t i = 0; i < 60; ++i) {
        const auto scene = mixer.makeScene(i);
        REQUIRE(scene.annotations.size() >= 1);
        const auto& first = scene.annotations.front();
        const bool isLong = first.label == data.clips[0].labels.front();
        maker->make(i, example);
        CHECK(example.stripes.empty());
        if (isLong) {
            ++longSounds;
            REQUIRE(scene.annotations.size() == 1);
            CHECK(first.offset - first.onset == Approx(3.0).margin(0.05)); // its speed is its own
            continue;
        }
        CHECK(first.onset < 0.05);
        const auto sounding =
            std::ranges::count_if(scene.samples, [](float s) { return std::abs(s) > 1e-4f; });
        if (sounding < libraryRate / 2)
            ++shortAtStart;
        else if (sounding > 6 * libraryRate)
            ++shortRepeated;
    }
    CHECK(longSounds > 10);
    CHECK(shortAtStart > 3);
    CHECK(shortRepeated > 3);
    CHECK(longSounds + shortAtStart + shortRepeated == 60);
}

TEST_CASE("scenes carry what a teacher says of their recordings, and those to validate with do not",
          "[unit]") {
    const Library library;
    std::string table = "file,High,Low,Middle\n";
    for (const Clip& clip : library.data.clips) table += clip.file.generic_string() + ",0.25,0.25,0.25\n";
    earshot::test::writeBytes(library.folder / "soft.csv", table);
    const TeacherTable teacher({.softLabels = library.folder / "soft.csv", .embeddings = {}}, library.data);
    auto settings = plain();
    settings.emptyShare = 0.0f;
    settings.softShare = 0.5f;
    settings.layerShare = 0.5f;
    const SceneMixer train(*library.store, library.data, Config(), settings, Split::train, 1, &teacher);
    const SceneMixer valid(*library.store, library.data, Config(), settings, Split::valid, 1, &teacher);
    const SceneMixer hard(*library.store, library.data, Config(), settings, Split::train, 1);
    Example taught, plainly, validating;
    for (std::uint64_t i = 0; i < 20; ++i) {
        train.newMaker()->make(i, taught);
        hard.newMaker()->make(i, plainly);
        valid.newMaker()->make(i, validating);
        CHECK(taught.logMel == plainly.logMel);
        CHECK_FALSE(taught.taught.empty());
        CHECK(plainly.taught.empty());
        CHECK(validating.taught.empty());
        REQUIRE(std::ranges::all_of(validating.targets, [](float t) { return t == 0.0f || t == 1.0f; }));
        for (std::size_t token = 0; token < taught.targets.size(); token += 3) {
            const auto any = std::ranges::any_of(std::span(plainly.targets).subspan(token, 3),
                                                 [](float t) { return t > 0.0f; });
            for (std::size_t c = token; c < token + 3; ++c)
                CHECK(taught.targets[c] == Approx(plainly.targets[c] > 0.0f ? 0.625f : any ? 0.125f : 0.0f));
        }
    }
}
