#include "Core/Training/Data/ClipStore.h"

#include "Core/Base/Error.h"
#include "Core/Training/SoundLibrary.h"
#include "Support/Catch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <thread>

using namespace earshot::training;
using earshot::test::AudioFormat;
using earshot::test::choiceOf;
using earshot::test::TemporaryDirectory;
using earshot::test::toneBetweenSilence;
using earshot::test::writeAudio;
using earshot::test::writeBytes;
using earshot::test::writeMono;

namespace {

constexpr int rate = 32000;

const StoredClip* find(const ClipStore& store, const std::string& name) {
    for (const auto& stored : store.clips())
        if (stored.clip->file.filename() == name) return &stored;
    return nullptr;
}

bool listed(const DataSet& data, const std::string& where, const std::string& what) {
    return std::ranges::any_of(data.problems, [&](const Problem& problem) {
        return std::filesystem::path(problem.where).generic_string().find(where) != std::string::npos &&
               problem.what.find(what) != std::string::npos;
    });
}

} // namespace

TEST_CASE("every kind of bad file is listed and left out, and the good ones stay", "[unit][threads]") {
    const TemporaryDirectory folder;
    const auto good = toneBetweenSilence(500.0, 0.2, 0.5, 0.2);
    writeMono(folder / "Dog/good.wav", good);
    writeMono(folder / "Dog/silent.wav", std::vector<float>(rate, 0.0f));
    writeMono(folder / "Dog/nearly silent.wav", earshot::test::sine(500.0, 1.0, rate, 0.0002f));
    writeMono(folder / "Dog/short.wav", earshot::test::sine(500.0, 0.015, rate));
    auto broken = good;
    broken[1000] = std::numeric_limits<float>::quiet_NaN();
    broken[2000] = std::numeric_limits<float>::infinity();
    writeAudio(folder / "Dog/nan.wav", AudioFormat::wavFloat, rate, 1, broken);
    writeBytes(folder / "Dog/text.wav", "this is no recording");
    writeBytes(folder / "Dog/empty.wav", "");
    writeAudio(folder / "Dog/cut.flac", AudioFormat::flacPcm16, rate, 1, earshot::test::noise(5 * rate, 1));
    earshot::test::truncate(folder / "Dog/cut.flac", 0.5);
    auto choice = choiceOf(folder.path());
    choice.validShare = 0.0;
    auto data = readDataSet(choice);
    REQUIRE(data.problems.empty());
    const ClipStore store(data, rate, 2, nullptr);
    REQUIRE(store.clips().size() == 1);
    REQUIRE(find(store, "good.wav") != nullptr);
    REQUIRE(data.problems.size() == 7);
    REQUIRE(listed(data, "Dog/silent.wav", "silent"));
    REQUIRE(listed(data, "nearly silent.wav", "silent"));
    REQUIRE(listed(data, "short.wav", "15 ms short"));
    REQUIRE(listed(data, "nan.wav", "2 values that are no numbers"));
    REQUIRE(listed(data, "text.wav", "left out"));
    REQUIRE(listed(data, "empty.wav", "left out"));
    REQUIRE(listed(data, "cut.flac", "left out"));
    for (const auto& problem : data.problems)
        REQUIRE(problem.what.find(folder.path().string()) == std::string::npos);
    REQUIRE_THROWS_WITH(requireClips(data, store, 2),
                        ContainsSubstring("Dog: 1 clip can be used, at least 2"));
    REQUIRE_NOTHROW(requireClips(data, store, 1));
}

TEST_CASE("clips are read by the channel, the gain and the speed that their data set states", "[unit]") {
    const TemporaryDirectory folder;
    const auto tone = toneBetweenSilence(500.0, 0.2, 0.5, 0.2);
    const auto hiss = earshot::test::noise(tone.size(), 1, 0.3f);
    std::vector<float> both;
    for (std::size_t i = 0; i < tone.size(); ++i) both.insert(both.end(), {hiss[i], tone[i]});
    std::filesystem::create_directories(folder / "Beep");
    writeAudio(folder / "Beep/both.wav", AudioFormat::wavFloat, rate, 2, both);
    writeAudio(folder / "Beep/slow.wav", AudioFormat::wavFloat, rate / 4, 1, tone);
    auto quiet = tone;
    for (float& sample : quiet) sample *= 1e-4f;
    writeAudio(folder / "Beep/quiet.wav", AudioFormat::wavFloat, rate, 1, quiet);
    const auto samplesOf = [&](const std::string& name, const earshot::audio::ReadOptions& reading) {
        auto choice = choiceOf(folder.path());
        choice.validShare = 0.0;
        choice.reading = reading;
        auto data = readDataSet(choice);
        const ClipStore store(data, rate, 1, nullptr);
        const auto* const clip = find(store, name);
        if (clip == nullptr) CHECK(std::ranges::any_of(data.problems, &Problem::leftOut));
        return clip == nullptr ? std::vector<std::int16_t>() : clip->samples;
    };
    writeAudio(folder / "Beep/mono.wav", AudioFormat::wavFloat, rate, 1, tone);
    const auto expected = samplesOf("mono.wav", {});
    std::filesystem::remove(folder / "Beep/mono.wav"); // copies are left out
    REQUIRE_FALSE(expected.empty());
    CHECK(samplesOf("both.wav", {}) != expected);
    CHECK(samplesOf("both.wav", {.channel = 2}) == expected);
    CHECK(samplesOf("slow.wav", {.speed = 4.0}) == expected);
    CHECK(samplesOf("quiet.wav", {}).empty());
    for (const auto& reading : {earshot::audio::ReadOptions{.gain = 80.0}, {.autoGain = true}})
        CHECK(samplesOf("quiet.wav", reading).size() == expected.size());

    auto choice = choiceOf(folder.path());
    choice.reading.channel = 2;
    auto data = readDataSet(choice);
    const ClipStore store(data, rate, 1, nullptr);
    CHECK(listed(data, "slow.wav", "has 1 channel, but channel 2 is chosen"));
}

TEST_CASE("clips to validate with do not make up for those to train on", "[unit]") {
    const TemporaryDirectory folder;
    std::string text = "file,label,split\n";
    for (int i = 0; i < 6; ++i) {
        const std::string name = std::to_string(i) + ".wav";
        if (i < 2)
            writeBytes(folder / name, "this is no recording");
        else
            writeMono(folder / name, toneBetweenSilence(300.0 + 20.0 * i, 0.1, 0.2, 0.1));
        text += name + ",Dog," + (i < 2 ? "train" : "valid") + "\n";
    }
    writeBytes(folder / "labels.csv", text);
    auto data = readDataSet(choiceOf(folder / "labels.csv"));
    const ClipStore store(data, rate, 2, nullptr);
    REQUIRE_THROWS_WITH(requireClips(data, store, 4),
                        ContainsSubstring("Dog: no clip to train on can be used; see the problems listed"));
}

TEST_CASE("clips come at the store's rate and one loudness", "[unit]") {
    const TemporaryDirectory folder;
    for (const int fileRate : {8000, 22050, 32000, 48000}) {
        std::vector<float> stereo;
        for (const float sample : earshot::test::sine(300.0, 1.0, fileRate, 0.01f)) {
            stereo.push_back(sample);
            stereo.push_back(sample);
        }
        std::filesystem::create_directories(folder / "Tone");
        writeAudio(folder / ("Tone/" + std::to_string(fileRate) + ".wav"), AudioFormat::wavFloat, fileRate, 2,
                   stereo);
    }
    auto click = std::vector<float>(rate, 0.0f);
    click[500] = 0.25f;
    writeMono(folder / "Tone/click.wav", click);
    auto data = readDataSet(choiceOf(folder.path()));
    const ClipStore store(data, rate, 1, nullptr);
    REQUIRE(data.problems.empty());
    REQUIRE(store.sampleRate() == rate);
    for (const auto& stored : store.clips()) {
        INFO(stored.clip->file);
        const auto [lowest, highest] = std::ranges::minmax(stored.samples);
        REQUIRE(stored.samples.size() == rate);
        if (stored.clip->file.stem() == "click") {
            REQUIRE(highest == 32767); // full scale comes before -20 dBFS
            continue;
        }
        const double peak = 32767.0 * 0.1 * std::sqrt(2.0);
        REQUIRE(std::abs(highest / peak - 1.0) < 0.02);
        REQUIRE(std::abs(lowest / -peak - 1.0) < 0.02);
    }
}

TEST_CASE("strong labels take the place of the envelope, within the file", "[unit]") {
    const TemporaryDirectory folder;
    writeMono(folder / "a.wav", toneBetweenSilence(500.0, 0.5, 1.0, 0.5));
    writeMono(folder / "b.wav", toneBetweenSilence(600.0, 0.5, 1.0, 0.5));
    writeBytes(folder / "labels.csv", "file,onset,offset,label\na.wav,0.25,0.75,Dog\na.wav,0.5,1,Dog\n"
                                      "a.wav,1.5,9,Dog\na.wav,3,4,Dog\nb.wav,,,Dog\n");
    auto data = readDataSet(choiceOf(folder / "labels.csv"));
    const ClipStore store(data, rate, 1, nullptr);
    const auto& strong = find(store, "a.wav")->activity;
    REQUIRE(strong.size() == 2);
    REQUIRE(strong[0].first == rate / 4);
    REQUIRE(strong[0].last == rate);
    REQUIRE(strong[1].first == 3 * rate / 2);
    REQUIRE(strong[1].last == 2 * rate);
    REQUIRE(listed(data, "a.wav", "ends at 2.00 s, before a sound labelled from 3.00 s"));
    REQUIRE(find(store, "b.wav")->activity.size() == 1);
}

TEST_CASE("copies of a sound are found: under one label the first stays, under two none", "[unit][threads]") {
    const TemporaryDirectory folder;
    const auto sound = [](double hertz) { return toneBetweenSilence(hertz, 0.1, 0.5, 0.1); };
    writeMono(folder / "a.wav", sound(500.0));
    writeMono(folder / "b.wav", sound(500.0));
    writeMono(folder / "c.wav", sound(700.0));
    writeMono(folder / "d.wav", sound(700.0));
    writeMono(folder / "e.wav", sound(900.0));
    writeBytes(folder / "labels.csv", "file,label,split\na.wav,Dog,valid\nb.wav,Dog,train\nc.wav,Dog,"
                                      "train\nd.wav,Cat,train\ne.wav,Cat,train\n");
    auto data = readDataSet(choiceOf(folder / "labels.csv"));
    const ClipStore store(data, rate, 2, nullptr);
    REQUIRE(store.clips().size() == 2);
    REQUIRE(find(store, "b.wav") != nullptr); // else what is learnt by heart would validate
    REQUIRE(find(store, "e.wav") != nullptr);
    REQUIRE(listed(data, "a.wav", "copy of"));
    REQUIRE(listed(data, "d.wav", "labelled otherwise"));
    REQUIRE(listed(data, "c.wav", "labelled otherwise")); // both are left out
}

TEST_CASE("clips are the same for any number of threads, and unused ones are not decoded",
          "[unit][threads]") {
    const TemporaryDirectory folder;
    std::string text = "file,label,split\n";
    for (int i = 0; i < 24; ++i) {
        const std::string name = std::to_string(i) + ".wav";
        writeMono(folder / name, toneBetweenSilence(300.0 + 20.0 * i, 0.1, 0.2 + 0.01 * i, 0.1));
        text += name + ",Dog," + (i % 6 == 5 ? "test" : "train") + "\n";
    }
    writeBytes(folder / "labels.csv", text);
    auto data = readDataSet(choiceOf(folder / "labels.csv"));
    const ClipStore one(data, rate, 1, nullptr);
    const auto caller = std::this_thread::get_id();
    std::size_t last = 0;
    const ClipStore many(data, rate, 7, [&](std::size_t done, std::size_t total) {
        REQUIRE(std::this_thread::get_id() == caller);
        REQUIRE(done <= total);
        REQUIRE(total == 24);
        last = done;
        return true;
    });
    REQUIRE(last == 24);
    REQUIRE(one.clips().size() == 20);
    REQUIRE(many.clips().size() == 20);
    for (std::size_t i = 0; i < one.clips().size(); ++i) {
        REQUIRE(one.clips()[i].clip == many.clips()[i].clip);
        REQUIRE(one.clips()[i].samples == many.clips()[i].samples);
    }
}

TEST_CASE("decoding stops when it is told to", "[unit][threads]") {
    const TemporaryDirectory folder;
    earshot::test::writeToneClasses(folder.path(), 4);
    auto data = readDataSet(choiceOf(folder.path()));
    for (const int threads : {1, 3}) {
        std::size_t calls = 0;
        REQUIRE_THROWS_WITH(ClipStore(data, rate, threads,
                                      [&](std::size_t, std::size_t) {
                                          ++calls;
                                          return false;
                                      }),
                            "stopped");
        REQUIRE(calls >= 1);
    }
}
