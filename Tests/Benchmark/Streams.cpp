#include "Benchmark/Streams.h"

#include "Benchmark/Processes.h"
#include "Core/Streaming/Session.h"
#include "Support/Compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <thread>

namespace earshot::benchmark {

namespace {

constexpr int instances = 4;
constexpr double rate = 48000.0;
constexpr std::size_t blockSize = 480; // 10 ms

using Clock = std::chrono::steady_clock;
using Sessions = std::array<std::unique_ptr<streaming::Session>, instances>;

enum class Sound { noise, silence, none };

// Processor time of the process while so many seconds of audio come in, in shares of one core per instance.
double load(const Sessions& sessions, Sound sound, double seconds) {
    const auto noise = test::randomValues(blockSize * 64, 3, -0.1f, 0.1f);
    const std::vector<float> silence(blockSize);
    const double before = processSeconds();
    const auto start = Clock::now();
    const auto blocks = static_cast<std::size_t>(seconds * rate / blockSize);
    for (std::size_t block = 0; block < blocks; ++block) {
        const std::span<const float> loud = std::span(noise).subspan(block % 64 * blockSize, blockSize);
        if (sound != Sound::none)
            for (const auto& session : sessions)
                session->push(sound == Sound::noise ? loud : std::span<const float>(silence), {});
        std::this_thread::sleep_until(start + std::chrono::milliseconds(10) * (block + 1));
    }
    const double wall = std::chrono::duration<double>(Clock::now() - start).count();
    return (processSeconds() - before) / wall / instances;
}

bool haveColumns(const Sessions& sessions) {
    return std::ranges::all_of(sessions, [](const auto& session) {
        streaming::History history;
        session->copySince(history);
        return history.timeline && history.timeline->columns() > 0;
    });
}

bool keepUp(const Sessions& sessions) {
    return std::ranges::all_of(sessions, [](const auto& session) {
        const auto status = session->status();
        return status.state == streaming::State::running && status.droppedChunks == 0 &&
               status.skippedWindows == 0;
    });
}

} // namespace

std::vector<Goal> measureStreams(const std::filesystem::path& model, double seconds) {
    std::vector<Goal> goals;
    for (const int threads : {1, 2}) {
        const int threadsBefore = runningThreads();
        Sessions sessions;
        for (auto& session : sessions) {
            session = std::make_unique<streaming::Session>();
            session->setModel(streaming::loaderFor(model));
            session->setSettings({.hopSeconds = 0.32, .threads = threads});
            session->prepare(rate, false);
        }
        for (const auto& session : sessions)
            while (session->status().state == streaming::State::loading)
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
        const auto name = fmt::format("four instances, {} thread{} each: ", threads, threads == 1 ? "" : "s");
        const auto hear = [&](Sound sound) { return 100.0 * load(sessions, sound, seconds); };
        goals.push_back({name + "load of each, no audio", hear(Sound::none), "%", {}, {}});
        // The first window is not free.
        for (int tries = 0; tries < 20 && !haveColumns(sessions); ++tries)
            load(sessions, Sound::silence, 0.5);
        goals.push_back({name + "load of each, silence", hear(Sound::silence), "%", {}, {}});
        goals.push_back({name + "load of each, sound", hear(Sound::noise), "%", {}, {}});
        goals.push_back({name + "threads",
                         static_cast<double>(runningThreads() - threadsBefore),
                         "",
                         threads * instances, // a worker each, and what its passes ask for
                         {}});
        goals.push_back({name + "all keep up (1: yes)", keepUp(sessions) ? 1.0 : 0.0, "", {}, {}});
    }
    return goals;
}

} // namespace earshot::benchmark
