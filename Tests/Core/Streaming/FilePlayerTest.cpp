#include "Core/Streaming/FilePlayer.h"

#include "Core/Base/Error.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/RealtimeGuard.h"
#include "Support/Skip.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace earshot;
using streaming::FilePlayer;
using test::AudioFormat;

namespace {

constexpr int rate = 48000;

struct Heard {
    std::vector<float> left, right;
};

// Reads as an audio thread does, until it stops or so many frames were heard; silence of waiting left out.
Heard listen(FilePlayer& player, std::size_t most = std::numeric_limits<std::size_t>::max(),
             int outputRate = rate, std::size_t block = 100) {
    Heard heard;
    std::vector<float> left(block), right(block);
    while (heard.left.size() < most) {
        const double before = player.position();
        if (!player.read(left, right)) break;
        const auto frames = std::llround((player.position() - before) * outputRate);
        REQUIRE(frames >= 0);
        REQUIRE(frames <= static_cast<long long>(block));
        heard.left.insert(heard.left.end(), left.begin(), left.begin() + frames);
        heard.right.insert(heard.right.end(), right.begin(), right.begin() + frames);
        for (auto i = static_cast<std::size_t>(frames); i < block; ++i) REQUIRE(left[i] == 0.0f);
        if (frames == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return heard;
}

std::vector<float> channel(const std::vector<float>& interleaved, std::size_t index, std::size_t channels,
                           std::size_t first = 0) {
    std::vector<float> result;
    for (std::size_t i = first * channels + index; i < interleaved.size(); i += channels)
        result.push_back(interleaved[i]);
    return result;
}

} // namespace

TEST_CASE("a recording is played sample by sample, its first two channels", "[unit]") {
    const test::TemporaryDirectory directory;
    for (const std::size_t channels : {1u, 2u, 3u})
        for (const std::size_t frames : {1u, 511u, 512u, 1024u, 5000u, 100'000u}) {
            CAPTURE(channels, frames);
            const auto samples = test::noise(frames * channels, 1);
            test::writeAudio(directory / "sound.wav", AudioFormat::wavFloat, rate, static_cast<int>(channels),
                             samples);
            FilePlayer player;
            player.prepare(rate);
            player.open(directory / "sound.wav");
            REQUIRE_FALSE(player.playing());
            REQUIRE(player.position() == 0.0);
            REQUIRE(player.length() == Approx(static_cast<double>(frames) / rate));
            player.play();
            REQUIRE(player.playing());
            const Heard heard = listen(player);
            REQUIRE(heard.left == channel(samples, 0, channels));
            REQUIRE(heard.right == channel(samples, channels > 1 ? 1 : 0, channels));
            REQUIRE_FALSE(player.playing());
            REQUIRE(player.position() == Approx(player.length()));
            // And again from the beginning.
            player.play();
            REQUIRE(listen(player).left == heard.left);
        }
}

TEST_CASE("seeking lands at exactly that sample, playing or not", "[unit]") {
    const test::TemporaryDirectory directory;
    constexpr std::size_t frames = 200'000;
    const auto samples = test::noise(frames * 2, 2);
    test::writeAudio(directory / "sound.wav", AudioFormat::wavFloat, rate, 2, samples);
    FilePlayer player;
    player.prepare(rate);
    player.open(directory / "sound.wav");
    std::mt19937 random(3);
    for (int round = 0; round < 40; ++round) {
        const std::size_t target = round == 0 ? 0 : random() % frames;
        CAPTURE(round, target);
        if (random() % 2 == 0) player.stop();
        player.seek(static_cast<double>(target) / rate);
        REQUIRE(player.position() == Approx(static_cast<double>(target) / rate));
        player.play();
        const Heard heard = listen(player, 1 + random() % 60'000);
        const auto left = channel(samples, 0, 2, target), right = channel(samples, 1, 2, target);
        REQUIRE(heard.left.size() <= left.size());
        REQUIRE(std::equal(heard.left.begin(), heard.left.end(), left.begin()));
        REQUIRE(std::equal(heard.right.begin(), heard.right.end(), right.begin()));
    }
    player.seek(-3.0);
    REQUIRE(player.position() == 0.0);
    player.seek(std::numeric_limits<double>::quiet_NaN());
    REQUIRE(player.position() == 0.0);
    player.seek(1e300);
    REQUIRE(player.position() == Approx(player.length()));
    player.play();
    REQUIRE(listen(player).left.empty());
    REQUIRE_FALSE(player.playing());
}

TEST_CASE("stopping pauses, and playing goes on there", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto samples = test::noise(20'000, 4);
    test::writeAudio(directory / "sound.wav", AudioFormat::wavFloat, rate, 1, samples);
    FilePlayer player;
    player.prepare(rate);
    player.open(directory / "sound.wav");
    std::vector<float> left(64, 7.0f), right(64, 7.0f);
    REQUIRE_FALSE(player.read(left, right));
    REQUIRE(left == std::vector<float>(64, 7.0f));
    player.play();
    Heard heard = listen(player, 3000);
    player.stop();
    REQUIRE_FALSE(player.read(left, right));
    REQUIRE(left == std::vector<float>(64, 7.0f));
    player.play();
    const Heard rest = listen(player);
    heard.left.insert(heard.left.end(), rest.left.begin(), rest.left.end());
    REQUIRE(heard.left == samples);
}

TEST_CASE("another output rate gives the same sound for as long, from where it was", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto samples = test::sine(440.0, 3.0, 44100);
    test::writeAudio(directory / "sound.wav", AudioFormat::wavFloat, 44100, 1, samples);
    FilePlayer player;
    player.open(directory / "sound.wav");
    for (const int output : {48000, 44100, 96000, 8000}) {
        CAPTURE(output);
        player.prepare(output);
        player.seek(0.0);
        player.play();
        const auto expected = test::sine(440.0, 3.0, output);
        const Heard heard = listen(player, std::numeric_limits<std::size_t>::max(), output);
        REQUIRE(heard.left.size() == expected.size());
        for (std::size_t i = expected.size() / 10; i < expected.size() * 9 / 10; ++i)
            REQUIRE(std::abs(heard.left[i] - expected[i]) < 0.01f);
    }
    player.seek(1.5);
    player.play();
    player.prepare(32000.0);
    REQUIRE_FALSE(player.playing());
    REQUIRE(player.position() == Approx(1.5).margin(0.01));
    player.prepare(0.0); // a host without a device
    player.play();
    REQUIRE(listen(player, std::numeric_limits<std::size_t>::max(), 32000).left.size() ==
            Approx(48000).margin(400));
}

TEST_CASE("at another speed a recording plays on from where it is, with another pitch", "[unit]") {
    const test::TemporaryDirectory directory;
    test::writeAudio(directory / "sound.wav", AudioFormat::wavFloat, rate, 1, test::sine(440.0, 3.0, rate));
    FilePlayer player;
    player.prepare(rate);
    player.open(directory / "sound.wav");
    REQUIRE(player.speed() == 1.0);
    for (const double speed : {0.5, 2.0, 1.0, 1.25}) {
        CAPTURE(speed);
        player.setSpeed(speed);
        REQUIRE_FALSE(player.playing());
        player.seek(0.0);
        player.play();
        const auto expected = test::sine(440.0 * speed, 3.0 / speed, rate);
        const Heard heard = listen(player, std::numeric_limits<std::size_t>::max(),
                                   static_cast<int>(std::lround(rate / speed)));
        REQUIRE(heard.left.size() == Approx(static_cast<double>(expected.size())).margin(2));
        for (std::size_t i = expected.size() / 10; i < expected.size() * 9 / 10; ++i)
            REQUIRE(std::abs(heard.left[i] - expected[i]) < 0.01f);
        REQUIRE(player.position() == Approx(3.0).margin(0.01));
    }
    player.seek(1.5);
    player.play();
    player.setSpeed(0.5);
    REQUIRE(player.playing());
    REQUIRE(player.position() == Approx(1.5).margin(0.01));
    player.loop(1.0, 1.25);
    player.setSpeed(2.0);
    std::vector<float> left(100), right(100);
    for (int block = 0; block < 500; ++block) {
        REQUIRE(player.read(left, right));
        REQUIRE(player.position() >= 1.0 - 1e-3);
        REQUIRE(player.position() <= 1.25 + 1e-3);
    }
    player.prepare(44100.0);
    REQUIRE(player.speed() == 2.0);
    player.setSpeed(100.0);
    REQUIRE(player.speed() == FilePlayer::maxSpeed);
    player.setSpeed(std::nan(""));
    REQUIRE(player.speed() == FilePlayer::maxSpeed);
    player.setSpeed(0.0);
    REQUIRE(player.speed() == FilePlayer::minSpeed);
}

TEST_CASE("values that are not finite are silence", "[unit]") {
    const test::TemporaryDirectory directory;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    test::writeAudio(directory / "nan.wav", AudioFormat::wavFloat, rate, 1,
                     std::vector<float>{0.5f, nan, std::numeric_limits<float>::infinity(), 0.25f});
    FilePlayer player;
    player.prepare(rate);
    player.open(directory / "nan.wav");
    player.play();
    REQUIRE(listen(player).left == std::vector<float>{0.5f, 0.0f, 0.0f, 0.25f});
}

TEST_CASE("a file that cannot be opened says so, and what was open stays", "[unit]") {
    const test::TemporaryDirectory directory;
    test::writeAudio(directory / "good.wav", AudioFormat::wavFloat, rate, 1, test::noise(1000, 1));
    test::writeBytes(directory / "bad.wav", "no audio at all");
    FilePlayer player;
    player.prepare(rate);
    player.play(); // nothing is open
    REQUIRE_FALSE(player.playing());
    player.open(directory / "good.wav");
    REQUIRE_THROWS_WITH(player.open(directory / "bad.wav"), ContainsSubstring("bad.wav"));
    REQUIRE_THROWS_AS(player.open(directory / "missing.wav"), Error);
    player.play();
    REQUIRE(listen(player).left.size() == 1000);

    player.close();
    REQUIRE(player.length() == 0.0);
    REQUIRE(player.position() == 0.0);
    player.play();
    player.seek(1.0);
    REQUIRE_FALSE(player.playing());
    REQUIRE(player.position() == 0.0);
}

TEST_CASE("a damaged recording plays up to its damage", "[unit]") {
    const test::TemporaryDirectory directory;
    test::writeAudio(directory / "cut.flac", AudioFormat::flacPcm16, rate, 1, test::noise(4 * rate, 1));
    test::truncate(directory / "cut.flac", 0.5);
    FilePlayer player;
    player.prepare(rate);
    player.open(directory / "cut.flac");
    player.play();
    const auto heard = listen(player).left.size();
    REQUIRE(heard > rate);
    REQUIRE(heard < 3 * rate);
    REQUIRE_FALSE(player.playing());
}

TEST_CASE("the owner may do anything while the audio thread reads", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto samples = test::noise(60'000, 5);
    test::writeAudio(directory / "a.wav", AudioFormat::wavFloat, rate, 1, samples);
    test::writeAudio(directory / "b.wav", AudioFormat::wavFloat, 44100, 2, samples);
    FilePlayer player;
    player.prepare(rate);
    std::atomic<bool> done{false};
    std::atomic<int> wrong{0};
    std::thread audio([&] {
        std::vector<float> left(64), right(64);
        while (!done) {
            const bool played = player.read(left, right);
            for (const float sample : left)
                if (!(std::abs(sample) <= 1.0f)) ++wrong;
            if (!(player.position() >= 0.0)) ++wrong;
            if (!played) std::this_thread::yield();
        }
    });
    std::mt19937 random(6);
    for (int i = 0; i < 300; ++i) {
        switch (random() % 13) {
        case 10:
            player.scrub(static_cast<double>(random() % 1500) / 1000.0);
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 1000));
            break;
        case 11:
            player.endScrub();
            break;
        case 12:
            player.setLoop(static_cast<double>(random() % 1500) / 1000.0, 1.0);
            break;
        case 0:
            player.open(directory / (random() % 2 == 0 ? "a.wav" : "b.wav"));
            break;
        case 1:
            player.close();
            break;
        case 2:
            player.stop();
            break;
        case 8:
            player.loop(static_cast<double>(random() % 1500) / 1000.0,
                        static_cast<double>(random() % 1500) / 1000.0);
            break;
        case 9:
            player.stopLoop();
            break;
        case 3:
        case 4:
            player.seek(static_cast<double>(random() % 1500) / 1000.0);
            break;
        default:
            player.play();
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 1000));
        }
        REQUIRE(player.position() >= 0.0);
    }
    // Whatever happened, it still plays exactly.
    player.endScrub();
    player.open(directory / "a.wav");
    done = true;
    audio.join();
    player.play();
    REQUIRE(listen(player).left == samples);
    REQUIRE(wrong == 0);
}

TEST_CASE("a loop plays its stretch again and again, without a gap", "[unit]") {
    const test::TemporaryDirectory directory;
    constexpr std::size_t frames = 100'000;
    const auto samples = test::noise(frames * 2, 7);
    test::writeAudio(directory / "sound.wav", AudioFormat::wavFloat, rate, 2, samples);
    const auto left = channel(samples, 0, 2), right = channel(samples, 1, 2);
    FilePlayer player;
    player.prepare(rate);
    player.loop(0.1, 0.5); // nothing is open
    REQUIRE_FALSE(player.playing());
    player.open(directory / "sound.wav");

    // Reads with the pauses of a slow reader left out, each frame as one block. The position tells them
    // apart.
    const auto hear = [&](std::size_t first, std::size_t end, std::size_t count) {
        std::vector<float> one(1), other(1);
        double before = player.position();
        for (std::size_t at = first, done = 0; done < count;) {
            REQUIRE(player.read(one, other));
            if (player.position() == before) { // the reader is not ready yet
                std::this_thread::sleep_for(std::chrono::microseconds(200));
                continue;
            }
            before = player.position();
            ++done;
            const bool fits = one[0] == left[at] && other[0] == right[at];
            if (++at == end) at = first;
            const auto place = at == first ? end : at;
            if (fits && std::llround(before * rate) == static_cast<long long>(place)) continue;
            CAPTURE(at, done, before);
            REQUIRE(one[0] == left[at]);
            REQUIRE(std::llround(before * rate) == static_cast<long long>(place));
        }
    };
    const auto seconds = [](std::size_t frame) { return static_cast<double>(frame) / rate; };
    using Stretch = std::pair<std::size_t, std::size_t>;
    for (const auto& [first, end] :
         {Stretch{0, 2400}, {1, 5000}, {512, 512 + 4096}, {30'001, 60'000}, {90'000, frames}, {0, frames}}) {
        CAPTURE(first, end);
        player.loop(seconds(first), seconds(end));
        REQUIRE(player.playing());
        REQUIRE(player.position() == Approx(seconds(first)));
        hear(first, end, 2 * (end - first) + 1000);
    }

    // A loop is at least minLoop long, lies within the recording, and takes any numbers.
    const auto shortest = static_cast<std::size_t>(FilePlayer::minLoop * rate);
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    player.loop(1.0, 1.0);
    hear(rate, rate + shortest, 5 * shortest);
    player.loop(1.0, nan);
    hear(rate, rate + shortest, 2 * shortest);
    player.loop(nan, 0.25);
    hear(0, rate / 4, rate);
    player.loop(2.0, std::numeric_limits<double>::infinity());
    hear(96'000, frames, 10'000);
    player.loop(1e300, 0.0);
    hear(frames - shortest, frames, 4 * shortest);

    // It pauses and goes on, and ends where it is.
    player.loop(0.5, 1.0);
    hear(24'000, 48'000, 24'001);
    player.stop();
    REQUIRE_FALSE(player.playing());
    player.play();
    REQUIRE(player.position() == Approx(0.5).margin(1.5 / rate));
    player.stopLoop();
    player.stopLoop();
    REQUIRE(player.playing());
    REQUIRE(listen(player).left == channel(samples, 0, 2, 24'001));
    REQUIRE_FALSE(player.playing());
    player.play();
    REQUIRE(listen(player).left == left);

    // A seek ends it, too, and so does opening a recording.
    player.loop(0.5, 1.0);
    player.seek(0.75);
    REQUIRE(listen(player).left == channel(samples, 0, 2, 36'000));
    player.loop(0.5, 1.0);
    player.open(directory / "sound.wav");
    REQUIRE_FALSE(player.playing());
    player.play();
    REQUIRE(listen(player).left == left);
    player.loop(0.5, 1.0);
    player.close();
    REQUIRE_FALSE(player.playing());
    REQUIRE(player.position() == 0.0);
}

TEST_CASE("a loop goes on at another output rate, and in a recording that breaks off", "[unit]") {
    const test::TemporaryDirectory directory;
    test::writeAudio(directory / "sound.wav", AudioFormat::wavFloat, rate, 1, test::sine(440.0, 3.0, rate));
    test::writeAudio(directory / "cut.flac", AudioFormat::flacPcm16, rate, 1, test::noise(4 * rate, 1));
    test::truncate(directory / "cut.flac", 0.5);
    FilePlayer player;
    player.prepare(rate);
    // Counts how often the loop begins again, while so many frames are heard.
    const auto wraps = [&](int outputRate, double onset, double offset, double secondsHeard) {
        std::vector<float> left(1), right(1);
        int count = 0;
        double before = player.position();
        for (auto rest = std::llround(secondsHeard * outputRate); rest > 0;) {
            REQUIRE(player.read(left, right));
            const double now = player.position();
            if (now == before) {
                std::this_thread::sleep_for(std::chrono::microseconds(200));
                continue;
            }
            REQUIRE(now >= onset - 1.0 / outputRate);
            REQUIRE(now <= offset + 1.0 / outputRate);
            if (now < before) ++count;
            before = now;
            --rest;
        }
        return count;
    };
    player.open(directory / "sound.wav");
    player.loop(1.0, 1.5);
    REQUIRE(wraps(rate, 1.0, 1.5, 1.25) == 2);
    player.prepare(44100.0);
    REQUIRE_FALSE(player.playing());
    REQUIRE(player.position() == Approx(1.25).margin(0.001));
    player.play();
    REQUIRE(wraps(44100, 1.0, 1.5, 1.5) == 3);

    player.open(directory / "cut.flac");
    player.loop(0.5, 4.0);
    REQUIRE(wraps(44100, 0.5, 3.0, 6.0) >= 2);
    // There is nothing to play again behind the damage.
    player.loop(3.5, 3.9);
    REQUIRE(listen(player, std::numeric_limits<std::size_t>::max(), 44100).left.empty());
    REQUIRE_FALSE(player.playing());
    player.play();
    REQUIRE(listen(player, std::numeric_limits<std::size_t>::max(), 44100).left.size() > 44100);
}

TEST_CASE("a loop is moved while it plays, and a jump within it keeps it", "[unit]") {
    const test::TemporaryDirectory directory;
    test::writeAudio(directory / "sound.wav", AudioFormat::wavFloat, rate, 1, test::noise(3 * rate, 7));
    FilePlayer player;
    player.prepare(rate);
    REQUIRE_FALSE(player.looped());
    player.open(directory / "sound.wav");
    player.setLoop(1.0, 2.0);
    REQUIRE_FALSE(player.playing());
    REQUIRE(player.position() == Approx(1.0)); // it was outside
    REQUIRE(player.looped() == FilePlayer::Loop{1.0, 2.0});
    player.play();
    listen(player, 24'000);
    const double before = player.position();
    player.setLoop(0.5, 1.8);
    REQUIRE(player.position() == Approx(before));
    REQUIRE(player.looped() == FilePlayer::Loop{0.5, 1.8});
    player.jump(1.7);
    REQUIRE(player.looped());
    REQUIRE(player.position() == Approx(1.7));
    player.jump(2.5);
    REQUIRE_FALSE(player.looped());
    player.loop(1.0, 2.0);
    player.close();
    REQUIRE_FALSE(player.looped());
}

TEST_CASE("scrubbing plays a moment at each place, without a step in the sound", "[unit]") {
    const test::TemporaryDirectory directory;
    // A low tone: from frame to frame it changes by 0.0036 at most.
    const auto tone = test::sine(27.5, 4.0, rate);
    test::writeAudio(directory / "tone.wav", AudioFormat::wavFloat, rate, 1, tone);
    FilePlayer player;
    player.prepare(rate);
    player.open(directory / "tone.wav");
    float last = 0.0f, largest = 0.0f, step = 0.0f;
    const auto read = [&](int blocks) {
        std::vector<float> left(64), right(64);
        for (int i = 0; i < blocks; ++i) {
            if (!player.read(left, right)) left.assign(64, 0.0f);
            for (const float sample : left) {
                step = std::max(step, std::abs(sample - last));
                largest = std::max(largest, std::abs(sample));
                last = sample;
            }
            std::this_thread::sleep_for(std::chrono::microseconds(1500));
        }
    };
    const auto settle = [&] { // until the reader is ready again
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
    };
    const auto scrubs = [&](bool plays) {
        CAPTURE(plays);
        last = 0.0f, largest = 0.0f, step = 0.0f;
        if (plays) {
            player.play();
            read(200);
            last = 0.0f, largest = 0.0f, step = 0.0f;
            read(1); // its first step is none of the sound's
            step = 0.0f;
        }
        for (const double seconds : {0.505, 1.203, 0.717, 3.311, 2.009}) {
            player.scrub(seconds);
            REQUIRE(player.position() == Approx(seconds));
            settle();
            read(60);
            REQUIRE(player.position() > seconds);
            REQUIRE(player.position() < seconds + 0.13);
        }
        read(200); // held still, it is silent
        REQUIRE(last == 0.0f);
        REQUIRE(player.position() == Approx(2.009 + 6144.0 / rate).margin(0.01));
        player.endScrub();
        REQUIRE(player.position() == Approx(2.009));
        settle();
        read(60);
        REQUIRE(player.playing() == plays);
        REQUIRE(player.position() >= 2.009 - 1e-9);
        REQUIRE((player.position() > 2.02) == plays);
        REQUIRE(largest > 0.3f); // something was heard
        return step < 0.01f;
    };
    // On a busy machine the reader may be late, and a gap is a step, too.
    for (const bool plays : {false, true}) {
        int tries = 1;
        while (!scrubs(plays)) REQUIRE(++tries < 100);
    }
    // Further on it is played exactly, and a seek is exact at once.
    player.seek(1.0);
    const auto heard = listen(player, 1000);
    REQUIRE(heard.left[0] == tone[rate]);
    player.scrub(1e300); // to the end
    player.endScrub();
    player.close();
    player.scrub(1.0);
    player.endScrub();
    REQUIRE_FALSE(player.playing());
}

TEST_CASE("scrubbing without an audio thread leaves a stopped player stopped", "[unit]") {
    const test::TemporaryDirectory directory;
    test::writeAudio(directory / "a.wav", AudioFormat::wavFloat, rate, 1, test::noise(rate, 5));
    FilePlayer player;
    player.prepare(rate);
    player.open(directory / "a.wav");
    player.scrub(0.5);
    player.endScrub();
    REQUIRE_FALSE(player.playing());
    REQUIRE(player.position() == Approx(0.5));
}

TEST_CASE("reading allocates nothing, locks nothing and waits for nobody", "[unit][no-emulator]") {
    if (!test::RealtimeGuard::available()) return test::skip("not in this build");
    const test::TemporaryDirectory directory;
    test::writeAudio(directory / "a.wav", AudioFormat::wavFloat, rate, 2, test::noise(60'000, 5));
    FilePlayer player;
    player.prepare(rate);
    player.open(directory / "a.wav");
    std::vector<float> left(700), right(700);
    std::vector<std::string> calls;
    const auto read = [&] {
        test::RealtimeGuard guard;
        const bool played = player.read(left, right);
        player.position();
        const auto found = guard.violations();
        calls.insert(calls.end(), found.begin(), found.end());
        return played;
    };
    REQUIRE_FALSE(read());
    for (const double seconds : {0.0, 0.3, 0.1}) {
        player.seek(seconds);
        player.play();
        for (int i = 0; i < 20; ++i) REQUIRE(read());
    }
    for (const double seconds : {0.4, 0.2, 0.6}) {
        player.scrub(seconds);
        for (int i = 0; i < 20; ++i) REQUIRE(read());
    }
    player.endScrub();
    while (read()) std::this_thread::yield(); // to the end
    player.loop(0.1, 0.2);
    for (int i = 0; i < 50; ++i) REQUIRE(read());
    REQUIRE(calls == std::vector<std::string>{});
}

TEST_CASE("a player can go at any moment", "[unit]") {
    const test::TemporaryDirectory directory;
    test::writeAudio(directory / "a.wav", AudioFormat::wavFloat, rate, 1, test::noise(200'000, 5));
    for (int i = 0; i < 50; ++i) {
        FilePlayer player;
        player.prepare(rate);
        player.open(directory / "a.wav");
        if (i % 2 == 0) player.play();
        if (i % 3 == 0) player.seek(1.0);
    }
}
