// earshot_listen_soak [--hours N]: N hours of audio without an end, as `earshot listen` hears it and as fast
// as possible: samples through a pipe, analysed, and the events appended to a log that is moved
// away every hour. The audio repeats every 102.4 s, a whole number of windows' steps. Each period must
// therefore bring the events of the one before it to the bit: had a sample been lost or added in between,
// levels would differ. Prints memory hour by hour. Exit code 0: no event differs, and resident memory did not
// grow after the first hour.
#include "Benchmark/Processes.h"
#include "Core/Audio/AudioFile.h"
#include "Core/Detection/Detector.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Core/Formats/EventLog.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <random>

namespace {

using namespace earshot;

constexpr double megabyte = 1 << 20;
constexpr int rate = 32000;      // the model's: a resampler rounds in blocks of its own
constexpr double period = 102.4; // seconds: 40 steps of 2.56 s
constexpr int sounds = 24;       // in a period

// A token's probabilities follow from its own frames, in a few bands each.
class BandModel : public detection::TokenModel {
  public:
    int melBands() const override { return bands; }
    int windowFrames() const override { return 1024; }
    int framesPerToken() const override { return frames; }
    int classes() const override { return 4; }
    void run(std::span<const float> logMel, std::span<float> tokens) override {
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            const std::size_t token = i / 4, band = i % 4 * (bands / 4);
            double sum = 0.0;
            for (std::size_t frame = 0; frame < frames; ++frame)
                for (std::size_t b = 0; b < bands / 4; ++b)
                    sum += logMel[(token * frames + frame) * bands + band + b];
            const double mean = sum / (frames * bands / 4.0);
            tokens[i] = static_cast<float>(std::clamp((mean + 70.0) / 80.0, 0.0, 1.0));
        }
    }

  private:
    static constexpr std::size_t bands = 64, frames = 32;
};

// A period of tones of 0.5 to 4 s in noise, at any sample.
std::vector<float> makePeriod(unsigned seed) {
    std::mt19937 random(seed);
    std::vector<float> samples(static_cast<std::size_t>(std::llround(period * rate)));
    for (float& sample : samples) sample = static_cast<float>(random() % 2001) / 1e6f - 0.001f;
    for (int i = 0; i < sounds; ++i) {
        const auto length = rate / 2 + random() % (7 * rate / 2);
        const auto begin = random() % (samples.size() - length);
        const double step = 2.0 * 3.14159265358979 * (100.0 + static_cast<double>(random() % 12000)) / rate;
        for (std::size_t k = 0; k < length; ++k)
            samples[begin + k] += 0.3f * static_cast<float>(std::sin(step * static_cast<double>(k)));
    }
    return samples;
}

// The events of each period, compared with those of the third: the first have nothing before them.
class Periods {
  public:
    void add(const detection::Event& event) {
        const auto number = static_cast<std::int64_t>(event.onset / period + 1e-6);
        if (number != number_) next(number);
        detection::Event inPeriod = event;
        inPeriod.onset -= static_cast<double>(number) * period;
        inPeriod.offset -= static_cast<double>(number) * period;
        present_.push_back(inPeriod);
        ++events_;
    }
    std::int64_t events() const { return events_; }
    std::int64_t compared() const { return compared_; }
    std::int64_t different() const { return different_; }

  private:
    static bool same(const detection::Event& a, const detection::Event& b) {
        constexpr double tolerance = 1e-6; // seconds: what doubles leave after days
        return a.classIndex == b.classIndex && a.peak == b.peak && a.mean == b.mean &&
               std::abs(a.onset - b.onset) < tolerance && std::abs(a.offset - b.offset) < tolerance;
    }
    void next(std::int64_t number) {
        constexpr std::int64_t first = 2;
        if (number_ == first) expected_ = present_;
        if (number_ > first) {
            ++compared_;
            if (!std::ranges::equal(present_, expected_, same)) ++different_;
        }
        present_.clear();
        number_ = number;
    }

    std::int64_t number_ = -1, events_ = 0, compared_ = 0, different_ = 0;
    std::vector<detection::Event> expected_, present_;
};

} // namespace

int main(int argc, char* argv[]) {
    double hours = 24.0;
    CLI::App command("Audio without an end for hours, and what memory it takes");
    command.add_option("--hours", hours, "Of audio")->check(CLI::Range(0.2, 1000.0));
    CLI11_PARSE(command, argc, argv);

    const auto begun = std::chrono::steady_clock::now();
    const auto samples = makePeriod(1);
    const auto total = static_cast<std::int64_t>(hours * 3600.0 * rate);
    const auto pipe = std::make_shared<audio::PipeInput>(
        [&, at = std::int64_t{0}, random = std::mt19937(2)](char* to, std::size_t bytes) mutable {
            const auto left = static_cast<std::size_t>(total - at),
                       offset = static_cast<std::size_t>(at) % samples.size();
            const std::size_t count =
                std::min({bytes / sizeof(float), 1 + random() % 8000, left, samples.size() - offset});
            std::copy_n(reinterpret_cast<const char*>(samples.data() + offset), count * sizeof(float), to);
            at += static_cast<std::int64_t>(count);
            return static_cast<std::ptrdiff_t>(count * sizeof(float));
        },
        "soak", [] { return false; });
    auto file = audio::AudioFile::fromPipe(
        pipe, {},
        audio::RawFormat{.kind = audio::RawFormat::Kind::real, .bytes = 4, .rate = rate, .channels = 1});
    detection::Analyzer analyzer(std::make_unique<BandModel>(), {}, {});
    const auto folder = std::filesystem::temp_directory_path() /
                        fmt::format("earshot-soak-{}", begun.time_since_epoch().count());
    std::filesystem::create_directory(folder);
    Periods periods;
    double first = 0.0, last = 0.0;
    std::uintmax_t largest = 0;
    {
        formats::EventLog log(folder / "log.csv", "--event-log");
        log.begin();
        const detection::RecordingQuestion question{
            .settings = {{.on = 0.3f, .off = 0.25f}, {}},
            .reported = {},
            .observers = {},
            .nearMisses = false,
            .settled = [&](std::span<const detection::Event> events) {
                for (const auto& event : events) periods.add(event);
                formats::RecordingEvents rows;
                rows.file = "soak";
                rows.events = detection::timedEvents(events, {"low", "middle", "high", "highest"});
                log.add(rows);
            }};
        double next = 1.0;
        const auto result = detection::analyzeRecording(
            *file, analyzer, 32000.0, question, [&](double done, std::optional<double>) {
                if (done < 3600.0 * next) return true;
                log.flush();
                largest = std::max(largest, std::filesystem::file_size(folder / "log.csv"));
                std::filesystem::rename(folder / "log.csv", folder / "log.csv.1");
                last = benchmark::residentMemory();
                if (first == 0.0) first = last;
                fmt::print("{:5.1f} h: resident {:.1f} MB, {} events, log of {} bytes\n", next,
                           last / megabyte, periods.events(), largest);
                std::fflush(stdout);
                next += 1.0;
                return true;
            });
        if (std::llround(result.summary.seconds * rate) != total) {
            fmt::print("{} samples were heard, {} came\n", std::llround(result.summary.seconds * rate),
                       total);
            return 1;
        }
    }
    std::filesystem::remove_all(folder);
    fmt::print(
        "{} h in {:.0f} s: {} events, {} periods compared, {} of them differ; memory grew by {:.1f} MB\n",
        hours, std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count(),
        periods.events(), periods.compared(), periods.different(), (last - first) / megabyte);
    return periods.compared() > 0 && periods.different() == 0 && last - first < 1.0 * megabyte ? 0 : 1;
}
