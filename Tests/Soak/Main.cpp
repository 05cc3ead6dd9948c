// earshot_soak [--hours N] [--limit MB] [--seed N]: one live stream of 527 sounds for N hours of audio, as
// fast as possible, with a random rate, random block sizes, a transport that loops, a listener to live
// events, and a view that mirrors the history and its events. It prints the memory hour by hour, then the
// first hour with a full history beside the last. Exit code 0: the history never exceeded its limit, and
// resident memory grew by no more than events and time segments take.
#include "Benchmark/Processes.h"
#include "Core/Detection/Events/EventIndex.h"
#include "Core/Streaming/LiveEvents.h"
#include "Core/Streaming/Session.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>

namespace {

using namespace earshot;

constexpr int classes = 527;
constexpr double megabyte = 1 << 20;

// Noise that now and then becomes sounds.
class RandomModel : public detection::TokenModel {
  public:
    explicit RandomModel(unsigned seed)
        : random_(seed) {}

    int melBands() const override { return 64; }
    int windowFrames() const override { return 1024; }
    int framesPerToken() const override { return 32; }
    int classes() const override { return ::classes; }
    void run(std::span<const float>, std::span<float> probabilities) override {
        for (float& p : probabilities) p = static_cast<float>(random_() % 1024) / 8192.0f;
        for (const float level : {0.9f, 0.7f, 0.45f, 0.3f}) { // events, and near misses
            const auto sound = random_() % ::classes;
            const auto first = random_() % 32;
            for (auto token = first; token < std::min(first + 1 + random_() % 8, 32ul); ++token)
                probabilities[token * ::classes + sound] = level;
        }
    }

  private:
    std::mt19937_64 random_;
};

streaming::LoadedModel makeModel(unsigned seed) {
    std::vector<std::string> names;
    for (int i = 0; i < classes; ++i) names.push_back(fmt::format("sound {}", i));
    return {.network = std::make_unique<RandomModel>(seed),
            .frontend = {},
            .labels = std::make_shared<detection::Labels>(detection::Labels::read(
                {{"earshot.labels", nlohmann::json(names).dump()}}, "random.safetensors", classes)),
            .name = "random",
            .notice = {}};
}

// At the end of an hour of the stream.
struct Sample {
    double hours = 0.0;
    double resident = 0.0; // bytes
    streaming::Kept kept;
    std::size_t events = 0;
    std::size_t segments = 0;

    bool full() const { return kept.columns.since > 0.0; }
    // Of resident memory beside the history: events stay, time segments up to their limit; each is in a list
    // of a class and in one of all, or in a mirror, and lists grow by doubling.
    double mayHold() const {
        return 250.0 * static_cast<double>(events) + 100.0 * static_cast<double>(segments);
    }
};

void print(const Sample& sample) {
    const auto part = [](const streaming::Kept::Part& one) {
        return fmt::format("{:6.1f} MB from {:7.0f} s on", static_cast<double>(one.bytes) / megabyte,
                           one.since);
    };
    fmt::print("{:5.2f} h: resident {:6.1f} MB, columns {}, spectrogram {}, {} events, {} time segments\n",
               sample.hours, sample.resident / megabyte, part(sample.kept.columns),
               part(sample.kept.spectrogram), sample.events, sample.segments);
    std::fflush(stdout);
}

class Stream {
  public:
    Stream(double rate, int limit, unsigned seed)
        : random_(seed)
        , rate_(rate)
        , limit_(std::int64_t{limit} << 20)
        , sound_(static_cast<std::size_t>(rate)) {
        for (float& sample : sound_) sample = static_cast<float>(random_() % 2001) / 10'000.0f - 0.1f;
        session_.setModel([seed] { return makeModel(seed); });
        session_.setSettings({.hopSeconds = 10.24, .historyBytes = limit_});
        session_.setListener([this](const streaming::Published& published) {
            changes_.clear();
            live_.follow(published.timeline, settings_, changes_);
        });
        session_.prepare(rate, false);
        while (session_.status().state == streaming::State::loading) std::this_thread::yield();
    }

    // Goes on to that time of the stream, in seconds.
    void listen(double until) {
        for (double watched = seconds_; seconds_ < until;) {
            const auto block = 1 + random_() % 4096;
            const auto first = random_() % (sound_.size() - block);
            constexpr double loop = 1.3; // seconds
            session_.pushAndWait(std::span(sound_).subspan(first, block), {true, std::fmod(seconds_, loop)});
            seconds_ += static_cast<double>(block) / rate_;
            if (seconds_ - watched < 1.0) continue;
            watched = seconds_;
            session_.copySince(mirror_);
            judged_.rule.on = std::fmod(seconds_, 7200.0) < 3600.0 ? 0.4f : 0.5f; // other rules every hour
            if (mirror_.timeline) events_.update(*mirror_.timeline, judged_);
            within_ = within_ && session_.status().kept.bytes() <= limit_;
        }
    }

    Sample sample() const {
        return {seconds_ / 3600.0, benchmark::residentMemory(), session_.status().kept,
                events_.list().events.size() + events_.list().nearMisses.size(),
                mirror_.times.segments().size()};
    }
    bool within() const { return within_; }
    std::int64_t dropped() const { return session_.status().droppedChunks; }
    std::int64_t skipped() const { return session_.status().skippedWindows; }

  private:
    std::mt19937_64 random_;
    double rate_;
    std::int64_t limit_;
    std::vector<float> sound_;
    detection::EventSettings settings_;
    streaming::LiveEvents live_; // the worker's, and its changes
    std::vector<streaming::LiveChange> changes_;
    streaming::Session session_;
    streaming::History mirror_;
    detection::EventIndex events_;
    detection::EventSettings judged_;
    double seconds_ = 0.0;
    bool within_ = true;
};

} // namespace

int main(int argc, char* argv[]) {
    double hours = 24.0;
    int limit = 32;
    unsigned seed = 1;
    CLI::App command("A live stream for hours, and what memory it takes");
    command.add_option("--hours", hours, "Of audio")->check(CLI::Range(0.1, 1000.0));
    command.add_option("--limit", limit, "Of the history, in MB")->check(CLI::Range(16, 65'536));
    command.add_option("--seed", seed, "Of rate, blocks and probabilities");
    CLI11_PARSE(command, argc, argv);

    constexpr double rates[] = {16'000.0, 22'050.0, 32'000.0, 44'100.0, 48'000.0};
    const double rate = rates[std::mt19937(seed)() % std::size(rates)];
    fmt::print("{} h at {} Hz, {} sounds, a limit of {} MB\n", hours, rate, classes, limit);
    const auto begun = std::chrono::steady_clock::now();
    Stream stream(rate, limit, seed);
    std::optional<Sample> full;
    Sample last;
    for (double hour = std::min(1.0, hours / 4.0), next = hour; last.hours < hours; next += hour) {
        stream.listen(3600.0 * std::min(next, hours));
        last = stream.sample();
        print(last);
        if (!full && last.full()) full = last;
    }
    fmt::print("{:.0f} s, {} chunks dropped, {} windows skipped\n",
               std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count(),
               stream.dropped(), stream.skipped());
    if (!full) {
        fmt::print("the history never reached its limit: choose more hours or a lower limit\n");
        return 1;
    }
    fmt::print("side by side:\n");
    print(*full);
    print(last);
    const double grown = last.resident - full->resident;
    const double mayGrow = last.mayHold() - full->mayHold() + 2.0 * megabyte; // what malloc keeps
    fmt::print("the history {} its limit; resident memory grew by {:.1f} MB\n",
               stream.within() ? "kept to" : "went over", grown / megabyte);
    return stream.within() && grown <= mayGrow ? 0 : 1;
}
