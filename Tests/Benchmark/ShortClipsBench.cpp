// earshot_short_clips_bench: how many labelled clips are named rightly when the clip is repeated until it
// fills a window, and when silence follows it, by the clip's length. detection::repeatedFrom is chosen by it.
// A clip is right if its label has the highest score of all classes of the model: the largest probability of
// its columns, as in `earshot analyze --top 1`, or their mean.
#include "Benchmark/Program.h"
#include "Core/Audio/AudioFile.h"
#include "Core/Base/Csv.h"
#include "Core/Base/RegularFile.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Detection/Windows/CalibrationAudio.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Core/Evaluation/ClipScores.h"
#include "Core/Tensor/Threads.h"
#include "Support/Paths.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <optional>
#include <vector>

using namespace earshot;
using namespace earshot::benchmark;

namespace {

struct Options {
    std::string manifest;
    std::string model = test::defaultModelFile().string();
    int threads = 1;
    double longest = 10.24; // seconds
    std::size_t most = std::numeric_limits<std::size_t>::max();
    std::string json;
};

struct LabelledClip {
    std::filesystem::path file;
    int label = 0;
};

// What fills the window behind a clip.
enum Filling : std::size_t { repeated, silence, fillings };

// Clips of one class of lengths.
struct Tally {
    double below = 0.0; // seconds
    int clips = 0;
    std::array<int, fillings> byPeak{}, byMean{}; // named rightly
};

// The rows of the validation split (all rows where the table has none), of real recordings, with a label that
// the model knows.
std::vector<LabelledClip> readManifest(const Options& options, const detection::Labels& labels) {
    constexpr std::uint64_t largest = 1u << 28; // bytes
    const std::filesystem::path file = options.manifest;
    const auto rows = parseCsv(readWholeFile(file, largest, "manifest", Pipes::refused));
    if (rows.empty())
        throw Error(file.string() + ": has no rows; name a table with the columns file and label");
    const auto field = [&](const CsvRow& row, const char* name) {
        const auto column =
            static_cast<std::size_t>(std::ranges::find(rows.front(), name) - rows.front().begin());
        return column < rows.front().size() && column < row.size() ? row[column] : std::string();
    };
    std::vector<LabelledClip> clips;
    for (std::size_t i = 1; i < rows.size() && clips.size() < options.most; ++i) {
        const auto label = labels.find(field(rows[i], "label"));
        const auto split = field(rows[i], "split"), type = field(rows[i], "source_type");
        if (label && (split == "valid" || split.empty()) && (type == "real" || type.empty()))
            clips.push_back({file.parent_path() / field(rows[i], "file"), *label});
    }
    return clips;
}

class Measurement {
  public:
    explicit Measurement(const Options& options)
        : options_(options)
        , weights_(detection::loadWeights(options.model, model::Precision::automatic))
        , labels_(
              detection::Labels::read(weights_->metadata(), weights_->file(), weights_->config().classes)) {
        for (const double below : {0.25, 0.5, 0.75, 1.0, 2.0, 5.0, options.longest})
            if (below <= options.longest) tallies_.push_back({.below = below});
    }

    const std::vector<Tally>& run() {
        for (const LabelledClip& clip : readManifest(options_, labels_)) hear(clip);
        return tallies_;
    }

  private:
    // Of all columns of the clip; empty if it is as long as a window.
    std::optional<evaluation::Scored> scored(const LabelledClip& clip, Filling filling) {
        detection::Analyzer& analyzer = analyzers_[filling];
        audio::AudioFile file(clip.file);
        analyzer.reset();
        detection::BlockReader reader(file, weights_->config().sampleRate);
        while (reader.next()) {
            analyzer.push(reader.block());
            if (reader.summary().seconds >= options_.longest) return std::nullopt;
        }
        analyzer.finish(filling == repeated ? detection::ShortAudio::repeated
                                            : detection::ShortAudio::byLength);
        evaluation::Scored all;
        all.duration = reader.summary().seconds;
        for (std::int64_t i = 0; i < analyzer.timeline().columns(); ++i) {
            const auto column = analyzer.timeline().column(i);
            all.probabilities.insert(all.probabilities.end(), column.begin(), column.end());
        }
        return all;
    }

    void hear(const LabelledClip& clip) {
        for (const Filling filling : {repeated, silence}) {
            const auto all = scored(clip, filling);
            if (!all) return;
            Tally& tally = *std::ranges::find_if(
                tallies_, [&](const Tally& each) { return all->duration < each.below; });
            const auto isRight = [&](evaluation::ClipScore score) {
                const auto scores = evaluation::clipScores(*all, labels_.count(), score);
                return std::ranges::max_element(scores) - scores.begin() == clip.label;
            };
            if (filling == repeated) ++tally.clips;
            if (isRight(evaluation::ClipScore::peak)) ++tally.byPeak[filling];
            if (isRight(evaluation::ClipScore::mean)) ++tally.byMean[filling];
        }
    }

    detection::Analyzer analyzer(detection::Mode mode) {
        return {detection::makeNetworkTokenModel(weights_),
                detection::logMelSettings(*weights_),
                {.mode = mode, .hopTokens = 1}};
    }

    const Options& options_;
    std::shared_ptr<const model::Weights> weights_;
    detection::Labels labels_;
    std::array<detection::Analyzer, fillings> analyzers_{analyzer(detection::Mode::automatic),
                                                         analyzer(detection::Mode::crop)};
    std::vector<Tally> tallies_;
};

void print(const std::vector<Tally>& tallies) {
    fmt::print(
        "top-1 of real validation clips: repeated, and followed by silence; auto is repeated from {} s on\n",
        detection::repeatedFrom);
    fmt::print("{:>14} {:>6} {:>18} {:>18} {:>6}\n", "seconds", "clips", "largest column", "mean of columns",
               "auto");
    double from = 0.0;
    for (const Tally& tally : tallies) {
        const auto chosen = tally.below <= detection::repeatedFrom ? silence : repeated;
        fmt::print("{:>14} {:>6} {:>9} {:>8} {:>9} {:>8} {:>6}\n", fmt::format("{} to {}", from, tally.below),
                   tally.clips, tally.byPeak[repeated], tally.byPeak[silence], tally.byMean[repeated],
                   tally.byMean[silence], tally.byPeak[chosen]);
        from = tally.below;
    }
}

int run(int argc, char** argv) {
    Options options;
    CLI::App app(
        "Counts the short clips that are named rightly when they are repeated, and when silence follows.");
    app.add_option("MANIFEST", options.manifest,
                   "CSV with the columns file and label, perhaps split and source_type")
        ->required();
    app.add_option("--model", options.model, "model file")->capture_default_str();
    app.add_option("--threads", options.threads, "of a pass")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    app.add_option("--longest", options.longest, "seconds; longer clips are left out")
        ->check(CLI::Range(0.25, 10.24))
        ->capture_default_str();
    app.add_option("--most", options.most, "clips, the table's first");
    app.add_option("--json", options.json, "also write the numbers to this file");
    CLI11_PARSE(app, argc, argv);

    tensor::setThreadCount(options.threads);
    Measurement measurement(options);
    const auto& tallies = measurement.run();
    print(tallies);
    nlohmann::json rows = nlohmann::json::array();
    for (const Tally& tally : tallies)
        rows.push_back({{"below", tally.below},
                        {"clips", tally.clips},
                        {"repeated", tally.byPeak[repeated]},
                        {"silence", tally.byPeak[silence]},
                        {"repeated_mean", tally.byMean[repeated]},
                        {"silence_mean", tally.byMean[silence]}});
    writeJson(options.json, rows);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return runBenchmark("earshot_short_clips_bench", [&] { return run(argc, argv); });
}
