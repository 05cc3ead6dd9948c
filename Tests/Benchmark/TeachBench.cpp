// earshot_teach_bench: what a lesson costs a live stream beside it, and how long a model takes to hear again
// what was kept of a stream.
#include "Benchmark/Goals.h"
#include "Benchmark/Program.h"
#include "Core/Base/BackgroundThread.h"
#include "Core/Base/Platform/System.h"
#include "Core/Streaming/Session.h"
#include "Core/Teaching/Lesson.h"
#include "Core/Tensor/Threads.h"
#include "Support/AudioMaker.h"
#include "Support/Paths.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace earshot;
using namespace earshot::benchmark;

namespace {

constexpr double rate = 48000.0;
constexpr std::size_t blockSize = 480; // 10 ms

struct Options {
    std::string model = test::defaultModelFile().string();
    double seconds = 60.0;
    double minutes = 10.0;
    std::string json;
};

// Three examples of a sound, in a file each.
training::DataSet makeExamples(const std::filesystem::path& folder) {
    training::DataSet data;
    data.labels = {"Tone"};
    for (int i = 0; i < 3; ++i) {
        const auto samples = test::sine(400.0 + 50.0 * i, 1.0, static_cast<int>(rate));
        training::Clip clip;
        clip.file = folder / fmt::format("{}.wav", i);
        clip.labels = {0};
        clip.group = fmt::format("{}", i);
        test::writeAudio(clip.file, test::AudioFormat::wavPcm16, static_cast<int>(rate), 1, samples);
        data.clips.push_back(std::move(clip));
    }
    return data;
}

// Lessons, one after another, until it is destroyed: on half of the cores at the lowest priority, as plugin
// and app teach.
class Lessons {
  public:
    Lessons(std::filesystem::path model, std::filesystem::path folder)
        : job_([model = std::move(model), folder = std::move(folder)](const StopToken& stop) {
            const StopToken::Computing computing(stop);
            platform::yieldToOthers();
            teaching::LessonSettings settings;
            settings.model = model;
            settings.threads = std::max(1, tensor::availableCores() / 2);
            settings.progress = [&](double) { return !stop.requested(); };
            while (!stop.requested()) {
                try {
                    teaching::Lesson lesson(makeExamples(folder), settings);
                    lesson.write(folder / "taught.safetensors", "");
                    lesson.judge();
                } catch (const Error&) {
                    if (!stop.requested()) throw;
                }
            }
        }) {}
    Lessons(const Lessons&) = delete;
    Lessons& operator=(const Lessons&) = delete;
    ~Lessons() {
        job_.stop();
        job_.end();
    }

  private:
    BackgroundThread job_;
};

void waitFor(const streaming::Session& session, streaming::State state) {
    for (;;) {
        const auto status = session.status();
        if (status.state == streaming::State::failed) throw Error(status.message);
        if (status.state == state) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

// The status of a stream that was fed in real time.
streaming::Status listen(const Options& options) {
    streaming::Session session;
    session.setSettings({.hopSeconds = 0.0});
    session.setModel(streaming::loaderFor(options.model));
    session.prepare(rate, false);
    waitFor(session, streaming::State::running);
    const auto sound = test::noise(blockSize * 64, 3, 0.1f);
    const auto start = std::chrono::steady_clock::now();
    const auto blocks = static_cast<std::size_t>(options.seconds * rate / blockSize);
    for (std::size_t block = 0; block < blocks; ++block) {
        session.push(std::span(sound).subspan(block % 64 * blockSize, blockSize), {});
        std::this_thread::sleep_until(start + std::chrono::milliseconds(10) * (block + 1));
    }
    auto status = session.status();
    session.release();
    return status;
}

// Seconds until another model has heard what was kept.
double hearAgain(const Options& options) {
    streaming::Session session;
    session.setKeepsAudio(true);
    session.setSettings({.hopSeconds = 10.24});
    session.setModel(streaming::loaderFor(options.model));
    session.prepare(rate, false);
    waitFor(session, streaming::State::running);
    streaming::History history;
    // Waits for the columns of all that was pushed, as far as the hop lets them come.
    const auto follow = [&](double pushed) {
        for (;;) {
            session.copySince(history);
            const auto& timeline = *history.timeline;
            if (timeline.columns() > 0 && timeline.end(timeline.columns() - 1) >= pushed - 12.0) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    };
    const auto sound = test::noise(static_cast<std::size_t>(rate), 1, 0.1f);
    double pushed = 0.0;
    session.copySince(history);
    std::vector<float> newest;
    double start = 0.0;
    int keptRate = 0;
    for (; pushed < 60.0 * options.minutes; pushed += 1.0) {
        session.push(sound, {}); // and waits until it is taken, so that the ring has room
        while (!session.copyAudio(history.stream, pushed + 0.5, pushed + 1.0, newest, start, keptRate))
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    follow(pushed);
    const auto stream = history.stream;
    session.setSettings({.hopSeconds = 0.0});
    return timed([&] {
        session.setModel(streaming::loaderFor(options.model));
        while (history.stream == stream) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            session.copySince(history);
        }
        follow(pushed);
    });
}

int run(int argc, char** argv) {
    Options options;
    CLI::App app("Says what a lesson costs a live stream beside it.");
    app.add_option("--model", options.model, "that hears and is taught")->capture_default_str();
    app.add_option("--seconds", options.seconds, "of each stream")
        ->check(CLI::Range(1.0, 3600.0))
        ->capture_default_str();
    app.add_option("--minutes", options.minutes, "of sound that are heard again")
        ->check(CLI::Range(0.2, 10.0))
        ->capture_default_str();
    app.add_option("--json", options.json, "also write the numbers to this file");
    CLI11_PARSE(app, argc, argv);

    const test::TemporaryDirectory folder;
    const auto alone = listen(options);
    const auto beside = [&] {
        const Lessons lessons(options.model, std::filesystem::path(folder / "."));
        return listen(options);
    }();
    fmt::print("{} cores; a lesson on {} thread(s) at the lowest priority\n", tensor::availableCores(),
               std::max(1, tensor::availableCores() / 2));
    const std::vector<Goal> goals{
        {"delay of a column, median", alone.delayMedian, "s", {}, {}},
        {"delay of a column, 95 %", alone.delayP95, "s", {}, {}},
        {"beside lessons, median", beside.delayMedian, "s", {}, {}},
        {"beside lessons, 95 %", beside.delayP95, "s", {}, {}},
        {"hop", alone.hop, "s", {}, {}},
        {"hop beside lessons", beside.hop, "s", {}, {}},
        {"chunks dropped beside lessons", static_cast<double>(beside.droppedChunks), "", {}, {}},
        {fmt::format("{:g} minutes heard again by another model", options.minutes),
         hearAgain(options),
         "s",
         {},
         {}}};
    fmt::print("{}", asTable(goals));
    writeJson(options.json, {{"goals", asJson(goals)}});
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return runBenchmark("earshot_teach_bench", [&] { return run(argc, argv); });
}
