// earshot_archive_bench: a long recording from its file to events, on the path of `earshot analyze`. It
// prints the multiple of real time, the memory, and the share of processor time outside the network.
#include "Benchmark/Goals.h"
#include "Benchmark/ModelChoice.h"
#include "Benchmark/Processes.h"
#include "Benchmark/Program.h"
#include "Core/Detection/Windows/Analyzer.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Core/Detection/Windows/Windowing.h"
#include "Core/Tensor/Threads.h"
#include "Support/AudioMaker.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sndfile.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

using namespace earshot;
using namespace earshot::benchmark;

namespace {

constexpr int sampleRate = 44100;

struct Options {
    ModelChoice model;
    int threads = 2;
    double minutes = 60.0;
    std::string json;
};

// Stereo FLAC, 16 bit: noise that swells and fades.
void writeRecording(const std::filesystem::path& file, double minutes) {
    SF_INFO info{};
    info.samplerate = sampleRate;
    info.channels = 2;
    info.format = SF_FORMAT_FLAC | SF_FORMAT_PCM_16;
    const std::unique_ptr<SNDFILE, int (*)(SNDFILE*)> sound(sf_open(file.c_str(), SFM_WRITE, &info),
                                                            sf_close);
    if (!sound) throw Error(file.string() + ": " + sf_strerror(nullptr));
    const auto seconds = static_cast<int>(std::lround(minutes * 60.0));
    for (int second = 0; second < seconds; ++second) {
        const float level = 0.05f + 0.4f * std::abs(std::sin(0.31f * static_cast<float>(second)));
        const auto samples = test::noise(2 * sampleRate, static_cast<std::uint32_t>(second), level);
        sf_writef_float(sound.get(), samples.data(), sampleRate);
    }
}

// Processor time inside the network, over all threads.
class TimedModel : public detection::TokenModel {
  public:
    TimedModel(std::unique_ptr<TokenModel> model, std::atomic<std::int64_t>& nanoseconds)
        : model_(std::move(model))
        , nanoseconds_(nanoseconds) {}

    int melBands() const override { return model_->melBands(); }
    int windowFrames() const override { return model_->windowFrames(); }
    int framesPerToken() const override { return model_->framesPerToken(); }
    int classes() const override { return model_->classes(); }
    void run(std::span<const float> logMel, std::span<float> probabilities) override {
        const double before = threadSeconds();
        model_->run(logMel, probabilities);
        nanoseconds_ += static_cast<std::int64_t>((threadSeconds() - before) * 1e9);
    }
    void expectHop(int hop, int stretch) override { model_->expectHop(hop, stretch); }
    std::unique_ptr<TokenModel> clone() const override {
        return std::make_unique<TimedModel>(model_->clone(), nanoseconds_);
    }

  private:
    std::unique_ptr<TokenModel> model_;
    std::atomic<std::int64_t>& nanoseconds_;
};

std::vector<Goal> measure(const Options& options) {
    const test::TemporaryDirectory folder;
    writeRecording(folder / "recording.flac", options.minutes);
    tensor::setThreadCount(1);
    const auto weights = makeWeights(options.model);
    fmt::print("model {}: {:.1f} M parameters, {}, {} threads, {:.1f} minutes of stereo FLAC at {} Hz\n",
               options.model.model, static_cast<double>(weights->parameterCount()) * 1e-6,
               model::plainName(weights->precision()), options.threads, options.minutes, sampleRate);

    std::atomic<std::int64_t> nanoseconds = 0;
    const detection::PassShape shape{weights->config().windowFrames(), weights->config().framesPerToken()};
    detection::Analyzer analyzer(
        std::make_unique<TimedModel>(detection::makeNetworkTokenModel(weights), nanoseconds),
        detection::logMelSettings(*weights),
        {.hopTokens = detection::usualHop(shape, detection::Mode::automatic), .threads = options.threads});
    audio::AudioFile file((folder / "recording.flac").string());
    const double before = processSeconds();
    const auto start = std::chrono::steady_clock::now();
    const auto result = detection::analyzeRecording(file, analyzer, weights->config().sampleRate, {});
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double busy = processSeconds() - before;
    const double network = static_cast<double>(nanoseconds) * 1e-9;
    const bool full = options.model.model == "full";
    return {{"the recording, from its file to events", wall, "s", {}, {}},
            {"times real time", result.summary.seconds / wall, "x", {}, {}},
            {"processor time outside the network",
             100.0 * (busy - network) / busy,
             "%",
             full ? std::optional(15.0) : std::nullopt,
             {}},
            {"peak memory of the process", peakMemory() * 1e-6, "MB", {}, {}},
            {"of which weights", static_cast<double>(weights->memoryBytes()) * 1e-6, "MB", {}, {}}};
}

int run(int argc, char** argv) {
    Options options;
    CLI::App app("Analyses a long recording and says how fast that goes and what it takes.");
    addModelOptions(app, options.model);
    app.add_option("--threads", options.threads, "windows at once, one thread each")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    app.add_option("--minutes", options.minutes, "of the recording")
        ->check(CLI::Range(0.1, 6000.0))
        ->capture_default_str();
    app.add_option("--json", options.json, "also write the numbers to this file");
    CLI11_PARSE(app, argc, argv);

    const auto goals = measure(options);
    fmt::print("{}", asTable(goals));
    writeJson(options.json, {{"goals", asJson(goals)}});
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return runBenchmark("earshot_archive_bench", [&] { return run(argc, argv); });
}
