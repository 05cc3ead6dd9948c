#include "Core/Streaming/KeptAudio.h"

#include "Core/Streaming/LiveHistory.h"
#include "Core/Streaming/Session.h"
#include "Core/Streaming/StreamTools.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <thread>
#include <vector>

using namespace earshot;
using namespace earshot::streaming;

namespace {

constexpr float step = 1.0f / 32768.0f;
constexpr int modelRate = 32000; // of the test's model, Hz

std::vector<float> copyOf(const KeptAudio& audio, double from, double to) {
    std::vector<float> samples;
    audio.stretch(from, to).copyTo(samples);
    return samples;
}

// Whether the samples are those of `sound` from `first` on, as far as 16 bits can tell.
bool equals(std::span<const float> samples, std::span<const float> sound, std::size_t first = 0) {
    if (first + samples.size() > sound.size()) return false;
    for (std::size_t i = 0; i < samples.size(); ++i)
        if (!(std::abs(samples[i] - sound[first + i]) <= step)) return false;
    return true;
}

// A value for each position, so that a reader knows where it is.
float valueAt(std::int64_t position) { return static_cast<float>(position % 30'011) * step; }

std::vector<float> valuesFrom(std::int64_t position, std::size_t count) {
    std::vector<float> values(count);
    for (float& value : values) value = valueAt(position++);
    return values;
}

struct Copy {
    std::vector<float> samples;
    double start = -1.0;
    int rate = 0;
};

// A history whose columns take little, with audio at 1 kHz.
struct Listening {
    Listening() { begin(); }

    // Begins a stream, in place of the one before.
    void begin() {
        frontend::LogMelSettings frontend;
        frontend.sampleRate = 1000;
        frontend.hopSize = 10;
        frontend.melBands = 8;
        timeline = detection::Timeline(1, 1.0);
        history.begin(test::labelsOf({"a"}), timeline, frontend);
        position = 0;
    }

    // Seconds of audio, with its columns and frames.
    void listen(int seconds) {
        for (int i = 0; i < seconds; ++i) {
            history.addAudio(valuesFrom(position, 1000));
            position += 1000;
            history.addFrames(std::vector<float>(100 * 8));
            timeline.add(timeline.columns(), std::vector<float>{0.5f});
            timeline.settle(timeline.columns());
            history.add(timeline);
            timeline.forget(timeline.settled());
        }
    }

    std::uint64_t stream() const {
        History copy;
        history.copySince(copy);
        return copy.stream;
    }
    bool copy(double from, double to, Copy& copy) const {
        return history.copyAudio(stream(), from, to, copy.samples, copy.start, copy.rate);
    }

    LiveHistory history;
    detection::Timeline timeline{1, 1.0};
    std::int64_t position = 0;
};

std::uint64_t streamOf(const Session& session) {
    History history;
    session.copySince(history);
    return history.stream;
}

Copy copyOf(const Session& session, double from, double to) {
    Copy copy;
    session.copyAudio(streamOf(session), from, to, copy.samples, copy.start, copy.rate);
    return copy;
}

void pushAll(Session& session, std::span<const float> sound) {
    std::mt19937 random(7);
    while (!sound.empty()) {
        const auto block = std::min<std::size_t>(1 + random() % 3000, sound.size());
        session.pushAndWait(sound.first(block), {});
        sound = sound.subspan(block);
    }
}

} // namespace

TEST_CASE("kept audio gives any stretch of what was added", "[unit][streaming]") {
    constexpr int rate = 8000;
    const auto sound = test::noise(400'000, 1, 1.0f);
    KeptAudio audio;
    audio.reset(rate);
    audio.keep(true);
    std::mt19937 random(2);
    for (std::span<const float> rest = sound; !rest.empty();) {
        const auto block = std::min<std::size_t>(random() % 100'000, rest.size());
        audio.add(rest.first(block));
        rest = rest.subspan(block);
    }
    REQUIRE(audio.since() == 0.0);
    REQUIRE(equals(copyOf(audio, 0.0, 50.0), sound));
    REQUIRE(copyOf(audio, 0.0, 50.0).size() == sound.size());
    for (int i = 0; i < 200; ++i) {
        const std::size_t first = random() % sound.size();
        const std::size_t end = first + random() % (sound.size() - first);
        CAPTURE(first, end);
        const auto part = audio.stretch(static_cast<double>(first) / rate, static_cast<double>(end) / rate);
        std::vector<float> samples;
        part.copyTo(samples);
        REQUIRE(samples.size() == end - first);
        REQUIRE(part.empty() == samples.empty());
        REQUIRE(part.rate() == rate);
        REQUIRE(part.start() == Approx(static_cast<double>(first) / rate));
        REQUIRE(equals(samples, sound, first));
    }
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    REQUIRE(copyOf(audio, -infinity, infinity).size() == sound.size());
    REQUIRE(copyOf(audio, -1e300, 1.0).size() == rate);
    REQUIRE(copyOf(audio, 3.0, 2.0).empty());
    REQUIRE(copyOf(audio, 60.0, 70.0).empty());
    REQUIRE(copyOf(audio, -2.0, -1.0).empty());
    REQUIRE(copyOf(audio, nan, nan).empty());
}

TEST_CASE("kept audio clips, and what is not finite is silence", "[unit][streaming]") {
    KeptAudio audio;
    audio.reset(1000);
    audio.keep(true);
    audio.add(std::vector<float>{2.0f, -2.0f, std::numeric_limits<float>::quiet_NaN(),
                                 std::numeric_limits<float>::infinity(), 1e30f, 0.25f});
    REQUIRE(copyOf(audio, 0.0, 1.0) ==
            std::vector<float>{1.0f - step, -1.0f, 0.0f, 0.0f, 1.0f - step, 0.25f});
}

TEST_CASE("kept audio goes back ten minutes, and a chunk at most", "[unit][streaming]") {
    constexpr int rate = 1000;
    KeptAudio audio;
    audio.reset(rate);
    audio.keep(true);
    const double chunk = static_cast<double>(KeptAudio::chunkSamples) / rate;
    for (std::int64_t position = 0; position < 3000 * rate; position += rate) {
        audio.add(valuesFrom(position, rate));
        const double seconds = static_cast<double>(position + rate) / rate;
        REQUIRE(audio.since() <= std::max(0.0, seconds - KeptAudio::maxSeconds));
        REQUIRE(audio.since() > seconds - KeptAudio::maxSeconds - chunk - 1e-9);
        REQUIRE(audio.bytes() <= static_cast<std::int64_t>((600 + 2 * chunk) * rate) * 2);
    }
    REQUIRE(copyOf(audio, 2500.0, 2600.0) == valuesFrom(2500 * rate, 100 * rate));
    // What was forgotten is not there, and what is left of a stretch keeps its time.
    const auto part = audio.stretch(0.0, audio.since() + 1.0);
    REQUIRE(part.start() == audio.since());
    std::vector<float> samples;
    part.copyTo(samples);
    REQUIRE(samples == valuesFrom(std::llround(audio.since() * rate), rate));
}

TEST_CASE("those that keep audio in a process share its memory", "[unit][streaming][no-emulator]") {
    constexpr int rate = 48000;
    const auto minute = test::noise(60 * rate, 9, 0.5f);
    KeptAudio audio;
    audio.reset(rate);
    audio.keep(true);
    for (int i = 0; i < 3; ++i) audio.add(minute);
    const std::int64_t alone = audio.bytes();
    REQUIRE(alone >= 3LL * 60 * rate * 2);
    {
        std::vector<KeptAudio> others(63);
        for (KeptAudio& other : others) {
            other.keep(true);
            other.keep(true); // counts once
        }
        audio.add(std::span(minute).first(1000));
        REQUIRE(audio.bytes() <= KeptAudio::processBytes / 64);
        REQUIRE(audio.bytes() > KeptAudio::processBytes / 64 - 2 * 2 * KeptAudio::chunkSamples);
        REQUIRE(copyOf(audio, 0.0, 200.0).size() > 1000);
        others.front().keep(false);
        others.front().keep(false);
    }
    for (int i = 0; i < 3; ++i) audio.add(minute);
    REQUIRE(audio.bytes() >= alone);
}

TEST_CASE("kept audio goes on with positions that begin later", "[unit][streaming]") {
    KeptAudio audio;
    audio.reset(1000);
    audio.add(valuesFrom(0, 500));
    audio.keep(true);
    audio.add(valuesFrom(500, 1500));
    const auto before = audio.stretch(0.0, 2.0);
    REQUIRE(before.first() == 500);
    audio.beginAt(before.first());
    audio.add(valuesFrom(2000, 1000));
    const auto after = audio.stretch(-10.0, 10.0);
    REQUIRE(after.first() == 0);
    REQUIRE(after.size() == 2500);
    std::vector<float> part(700);
    after.copy(600, part);
    REQUIRE(part == valuesFrom(1100, 700));
    REQUIRE(copyOf(audio, 0.0, 2.0) == valuesFrom(500, 2000));
}

TEST_CASE("audio that is not kept takes nothing, and times stay right", "[unit][streaming]") {
    KeptAudio audio;
    audio.reset(1000);
    audio.add(valuesFrom(0, 5000));
    REQUIRE(audio.bytes() == 0);
    REQUIRE(audio.stretch(0.0, 5.0).empty());
    audio.keep(true);
    audio.add(valuesFrom(5000, 2000));
    audio.keep(true);
    audio.add(valuesFrom(7000, 1000));
    REQUIRE(audio.since() == 5.0);
    REQUIRE(copyOf(audio, 0.0, 10.0) == valuesFrom(5000, 3000));
    const auto part = audio.stretch(6.0, 7.5);
    audio.keep(false);
    REQUIRE(audio.bytes() == 0);
    REQUIRE(audio.stretch(0.0, 10.0).empty());
    audio.add(valuesFrom(8000, 1000));
    audio.keep(true);
    audio.add(valuesFrom(9000, 1000));
    REQUIRE(copyOf(audio, 0.0, 10.0) == valuesFrom(9000, 1000));
    audio.reset(2000);
    audio.add(valuesFrom(0, 10));
    REQUIRE(copyOf(audio, 0.0, 10.0) == valuesFrom(0, 10));
    // A stretch outlives what it was taken from.
    std::vector<float> samples;
    part.copyTo(samples);
    REQUIRE(samples == valuesFrom(6000, 1500));
}

TEST_CASE("kept audio shares the history's limit", "[unit][streaming]") {
    Listening stream;
    Copy copy;
    stream.listen(10);
    REQUIRE(stream.history.status().kept.audio == Kept::Part{});
    REQUIRE_FALSE(stream.copy(0.0, 10.0, copy));
    REQUIRE(copy.start == -1.0);
    stream.history.keepAudio(true);
    stream.listen(390);
    const Kept whole = stream.history.status().kept;
    REQUIRE(whole.audio.since == 10.0);
    REQUIRE(whole.audio.bytes >= 390 * 2000);
    REQUIRE(whole.bytes() == whole.columns.bytes + whole.spectrogram.bytes + whole.audio.bytes);

    const std::int64_t limit = whole.bytes() - 300'000;
    stream.history.setLimit(limit);
    for (int i = 0; i < 40; ++i) {
        stream.listen(10);
        const Kept kept = stream.history.status().kept;
        REQUIRE(kept.bytes() <= limit);
        REQUIRE(kept.audio.since > 10.0);
        REQUIRE(kept.audio.bytes > 0);
    }
    const double since = stream.history.status().kept.audio.since;
    REQUIRE(stream.copy(0.0, 800.0, copy));
    REQUIRE(copy.rate == 1000);
    REQUIRE(copy.start == since);
    REQUIRE(copy.samples == valuesFrom(std::llround(since * 1000.0), copy.samples.size()));
    REQUIRE(copy.samples.size() == Approx((800.0 - since) * 1000.0));

    // The chunks that are being written stay under any limit.
    stream.history.setLimit(1);
    REQUIRE(stream.history.status().kept.audio.bytes == 2 * KeptAudio::chunkSamples);
    stream.history.keepAudio(false);
    REQUIRE(stream.history.status().kept.audio == Kept::Part{});
    REQUIRE_FALSE(stream.copy(0.0, 800.0, copy));
}

TEST_CASE("audio of another stream is not given for that of the one before", "[unit][streaming]") {
    Listening stream;
    stream.history.keepAudio(true);
    stream.listen(10);
    const auto before = stream.stream();
    Copy copy;
    const auto copies = [&] {
        return stream.history.copyAudio(before, 2.0, 3.0, copy.samples, copy.start, copy.rate);
    };
    REQUIRE(copies());
    // The same stream for other words.
    detection::Timeline scored(1, 1.0);
    for (int i = 0; i < 10; ++i) scored.add(i, std::vector<float>{0.2f});
    stream.history.rescore(test::labelsOf({"b"}), scored);
    REQUIRE(copies());

    stream.begin();
    stream.listen(10);
    copy = {};
    REQUIRE_FALSE(copies());
    REQUIRE(copy.start == -1.0);
    REQUIRE(stream.copy(2.0, 3.0, copy));
    REQUIRE(copy.samples == valuesFrom(2000, 1000));
}

TEST_CASE("two readers copy beside the writer, and always what was added", "[unit][streaming]") {
    Listening stream;
    stream.history.keepAudio(true);
    stream.history.setLimit(1'000'000);
    std::atomic<bool> done = false;
    std::atomic<int> copied = 0;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> readers;
    for (unsigned seed = 0; seed < 2; ++seed)
        readers.emplace_back([&, seed] {
            std::mt19937 random(seed);
            Copy copy;
            while (!done) {
                const double from = static_cast<double>(random() % 1'500'000) / 1000.0;
                if (!stream.copy(from, from + 200.0, copy)) continue;
                const auto first = std::llround(copy.start * 1000.0);
                if (copy.rate != 1000 || copy.samples != valuesFrom(first, copy.samples.size())) ++wrong;
                ++copied;
            }
        });
    for (int i = 0; i < 300 || copied < 20; ++i) {
        if (i % 300 == 299) stream.begin(); // so that there always is something to copy
        stream.listen(5);
    }
    done = true;
    for (auto& reader : readers) reader.join();
    REQUIRE(wrong == 0);
}

TEST_CASE("a session keeps what was pushed to it, if it is asked to", "[unit][streaming]") {
    const auto sound = test::noise(20 * modelRate + 123, 3, 0.9f);
    Session session;
    session.setModel(test::levelModel());
    session.prepare(modelRate, true);
    pushAll(session, sound);
    session.release();
    REQUIRE(copyOf(session, 0.0, 20.0).samples.empty());
    REQUIRE(session.status().kept.audio.bytes == 0);

    session.setKeepsAudio(true);
    session.prepare(modelRate, true);
    pushAll(session, sound);
    session.release();
    const Copy all = copyOf(session, 0.0, 100.0);
    REQUIRE(all.rate == modelRate);
    REQUIRE(all.start == 0.0);
    REQUIRE(all.samples.size() == sound.size());
    REQUIRE(equals(all.samples, sound));
    const Copy part = copyOf(session, 3.25, 5.5);
    REQUIRE(part.start == 3.25);
    REQUIRE(part.samples.size() == modelRate * 9 / 4);
    REQUIRE(equals(part.samples, sound, modelRate * 13 / 4));
    REQUIRE(session.status().kept.audio.bytes >= static_cast<std::int64_t>(sound.size()) * 2);
    session.setKeepsAudio(false);
    REQUIRE(session.status().kept.audio.bytes == 0);
    REQUIRE(copyOf(session, 0.0, 100.0).samples.empty());
}

TEST_CASE("at another rate kept audio is that of the model, for as long", "[unit][streaming]") {
    const auto sound = test::sine(440.0, 12.0, 48000);
    Session session;
    session.setKeepsAudio(true);
    session.setModel(test::levelModel());
    session.prepare(48000.0, true);
    pushAll(session, sound);
    session.release();
    const Copy copy = copyOf(session, 0.0, 100.0);
    REQUIRE(copy.rate == modelRate);
    const auto expected = test::sine(440.0, 12.0, modelRate);
    REQUIRE(copy.samples.size() == expected.size());
    for (std::size_t i = 1000; i + 1000 < expected.size(); ++i)
        REQUIRE(std::abs(copy.samples[i] - expected[i]) < 0.01f);
}

TEST_CASE("audio that a full ring dropped is silence in what is kept, and times stay right",
          "[unit][streaming][no-emulator]") {
    std::atomic<bool> released = false;
    Session session;
    session.setKeepsAudio(true);
    session.setModel([&] { // the ring fills up while the model is loading
        while (!released) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return test::levelModel()();
    });
    session.prepare(modelRate, false);
    const auto sound = test::noise(24 * modelRate, 4, 0.9f);
    session.push(std::span(sound).first(20 * modelRate), {});
    REQUIRE(test::eventually([&] { return session.status().heard == 20.0; }));
    released = true;
    REQUIRE(test::eventually([&] { return copyOf(session, 0.0, 20.0).samples.size() >= 5 * modelRate; }));
    session.push(std::span(sound).subspan(20 * modelRate), {}); // the ring has room for it
    REQUIRE(test::eventually([&] { return copyOf(session, 0.0, 24.0).samples.size() == sound.size(); }));
    session.release();
    REQUIRE(session.status().droppedChunks > 0);
    const Copy copy = copyOf(session, 0.0, 24.0);
    REQUIRE(copy.start == 0.0);
    REQUIRE(equals(std::span(copy.samples).first(5 * modelRate), sound));
    REQUIRE(std::ranges::count(std::span(copy.samples).subspan(10 * modelRate, 10 * modelRate), 0.0f) ==
            10 * modelRate);
    REQUIRE(equals(std::span(copy.samples).subspan(20 * modelRate), sound, 20 * modelRate));
}

TEST_CASE("another model begins kept audio anew, at its own rate", "[unit][streaming]") {
    const auto sound = test::noise(8 * modelRate, 5, 0.9f);
    Session session;
    session.setKeepsAudio(true);
    session.setModel(test::levelModel());
    session.prepare(modelRate, false);
    session.push(std::span(sound).first(4 * modelRate), {});
    REQUIRE(test::eventually([&] { return copyOf(session, 0.0, 9.0).samples.size() == 4 * modelRate; }));
    session.setModel([] {
        auto model = test::levelModel({}, "slow")();
        model.frontend.sampleRate = 16000;
        model.frontend.hopSize = 160;
        model.frontend.fftSize = 512;
        model.frontend.highHz = 8000.0;
        return model;
    });
    REQUIRE(test::eventually([&] { return session.status().model == "slow"; }));
    REQUIRE(test::eventually([&] { return copyOf(session, 0.0, 9.0).samples.empty(); }));
    session.push(std::span(sound).subspan(4 * modelRate), {});
    session.release();
    const Copy copy = copyOf(session, 0.0, 9.0);
    REQUIRE(copy.rate == 16000);
    REQUIRE(copy.start == 0.0);
    REQUIRE(copy.samples.size() == 4 * 16000);
    session.prepare(modelRate, true);
    REQUIRE(test::eventually([&] { return copyOf(session, 0.0, 9.0).samples.empty(); }));
}
