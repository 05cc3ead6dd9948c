// earshot_delay_bench: how long after a sound begins its note is sent, how many are found, and how many notes
// are false. Scenes of labelled clips follow one another in one live stream. The clock is simulated: sound
// comes at its own pace, and a pass takes as long as the median pass took, or as --pass-ms says. Also tells
// how good the newest columns are, which have been heard without what follows them.
#include "Benchmark/Goals.h"
#include "Benchmark/Program.h"
#include "Core/Detection/Events/Rules.h"
#include "Core/Detection/Windows/Analyzer.h"
#include "Core/Streaming/LiveEvents.h"
#include "Core/Streaming/Session.h"
#include "Core/Tensor/Threads.h"
#include "Core/Training/Data/Example.h"
#include "Core/Training/Scenes/SceneMixer.h"
#include "Core/Training/SoundLibrary.h"
#include "Support/Paths.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

using namespace earshot;
using namespace earshot::benchmark;
using training::LabelledSpan;

namespace {

constexpr double step = 0.01; // seconds of sound that arrive at once
constexpr double sceneSeconds = 30.0;
// A note belongs to a sound if it comes from `early` seconds before its onset to `late` after its offset.
constexpr double early = 0.1, late = 2.0;
constexpr std::size_t newest = 12; // columns whose quality is told

struct Options {
    std::string model = test::defaultModelFile().string();
    std::string data;
    int scenes = 40;
    double hop = 0.32, mergeGap = 1.0, passMs = 0.0;
    std::uint64_t seed = 1;
    std::string json;
};

// The newest columns of every window: found, false and missed ones, by distance from the window's end.
struct NewestColumns {
    std::vector<std::vector<float>> targets; // by column of the stream, (classes)
    std::vector<float> thresholds;           // by class
    struct Counts {
        std::int64_t found = 0, wrong = 0, missed = 0;
    };
    std::vector<Counts> counts = std::vector<Counts>(newest);
    std::int64_t end = 0; // columns of the stream at the end of the next window

    void add(std::span<const float> probabilities) {
        const std::size_t classes = thresholds.size(), columns = probabilities.size() / classes;
        for (std::size_t k = 0; k < std::min(newest, columns); ++k) {
            const auto column = end - 1 - static_cast<std::int64_t>(k);
            if (column < 0 || column >= static_cast<std::int64_t>(targets.size())) continue;
            const auto& wanted = targets[static_cast<std::size_t>(column)];
            for (std::size_t c = 0; c < classes; ++c) {
                const bool heard = probabilities[(columns - 1 - k) * classes + c] >= thresholds[c];
                const bool sounds = wanted[c] > 0.0f;
                counts[k].found += heard && sounds;
                counts[k].wrong += heard && !sounds;
                counts[k].missed += !heard && sounds;
            }
        }
    }
};

// Passes a model's results on, and times them.
class WatchedModel : public detection::TokenModel {
  public:
    WatchedModel(std::unique_ptr<TokenModel> model, NewestColumns& columns, std::vector<double>& seconds)
        : model_(std::move(model))
        , columns_(columns)
        , seconds_(seconds) {}

    int melBands() const override { return model_->melBands(); }
    int windowFrames() const override { return model_->windowFrames(); }
    int framesPerToken() const override { return model_->framesPerToken(); }
    int classes() const override { return model_->classes(); }
    void expectHop(int hop, int stretch) override { model_->expectHop(hop, stretch); }
    void run(std::span<const float> logMel, std::span<float> probabilities) override {
        const auto start = std::chrono::steady_clock::now();
        model_->run(logMel, probabilities);
        seconds_.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        columns_.add(probabilities);
    }

  private:
    std::unique_ptr<TokenModel> model_;
    NewestColumns& columns_;
    std::vector<double>& seconds_;
};

double quantile(std::vector<double> values, double share) {
    if (values.empty()) return 0.0;
    const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(at));
    return values[at];
}

// The scenes, one after another, with the model's classes as labels.
struct Stream {
    std::vector<float> samples;
    std::vector<LabelledSpan> sounds; // by onset; pauses below the merge gap are part of a sound
};

// Tones in the place of three of the model's sounds, so that the program runs without data.
std::filesystem::path writeTones(const test::TemporaryDirectory& folder, const detection::Labels& labels) {
    for (int c = 0; c < std::min(3, labels.count()); ++c)
        for (int i = 0; i < 4; ++i)
            test::writeMono(folder / labels.name(c) / (std::to_string(i) + ".wav"),
                            test::toneBetweenSilence(400.0 + 300.0 * c + 10.0 * i, 0.1, 1.0, 0.1));
    return folder.path();
}

Stream makeStream(const Options& options, const streaming::LoadedModel& model) {
    const test::TemporaryDirectory folder;
    training::DataChoice choice;
    choice.sources = {options.data.empty() ? writeTones(folder, *model.labels)
                                           : std::filesystem::path(options.data)};
    choice.minClips = 0;
    choice.validShare = options.data.empty() ? 0.5 : 0.0;
    auto data = training::readDataSet(choice);
    std::vector<int> classOf;
    for (const auto& label : data.labels) classOf.push_back(model.labels->find(label).value_or(-1));
    std::erase_if(data.clips, [&](const training::Clip& clip) {
        return clip.split != training::Split::valid || clip.labels.size() != 1 ||
               classOf[static_cast<std::size_t>(clip.labels.front())] < 0;
    });
    const int rate = model.frontend.sampleRate;
    const training::ClipStore store(data, rate, 2, nullptr);
    training::SceneSettings settings;
    settings.seconds = sceneSeconds;
    settings.maxEvents = 2;
    settings.minSnr = 10.0f;
    settings.levelSpread = 6.0f;
    model::Config config;
    config.sampleRate = rate;
    const training::SceneMixer mixer(store, data, config, settings, training::Split::valid, options.seed);
    Stream stream;
    std::vector<training::Sounding> soundings;
    for (int i = 0; i < options.scenes; ++i) {
        const auto scene = mixer.makeScene(static_cast<std::uint64_t>(i));
        const auto begin = static_cast<std::int64_t>(stream.samples.size());
        for (const auto& span : scene.annotations)
            soundings.push_back(
                {{begin + std::llround(span.onset * rate), begin + std::llround(span.offset * rate)},
                 classOf[static_cast<std::size_t>(span.label)]});
        stream.samples.insert(stream.samples.end(), scene.samples.begin(), scene.samples.end());
    }
    stream.sounds = training::annotationsOf(soundings, rate, options.mergeGap);
    return stream;
}

struct Found {
    std::vector<double> delays; // seconds from a sound's onset to its first note
    int sounds = 0, notes = 0, again = 0, wrong = 0;
    double passSeconds = 0.0;
};

Found listen(const Options& options, streaming::LoadedModel model, const Stream& stream,
             NewestColumns& columns) {
    const double token = model.network->framesPerToken() * model.frontend.hopSize /
                         static_cast<double>(model.frontend.sampleRate);
    const int tokens = model.network->windowFrames() / model.network->framesPerToken();
    detection::RuleChoice choice;
    choice.mergeGap = options.mergeGap;
    const auto rules = detection::eventSettings(choice, *model.labels);
    const auto classes = static_cast<std::size_t>(model.labels->count());
    for (std::size_t c = 0; c < classes; ++c)
        columns.thresholds.push_back(rules.ruleFor(static_cast<int>(c)).on);
    const auto total = static_cast<std::size_t>(static_cast<double>(stream.samples.size()) /
                                                model.frontend.sampleRate / token);
    columns.targets.assign(total, std::vector<float>(classes, 0.0f));
    for (const auto& sound : stream.sounds)
        for (auto i = static_cast<std::size_t>(sound.onset / token + 0.5);
             i < std::min(total, static_cast<std::size_t>(sound.offset / token + 0.5)); ++i)
            columns.targets[i][static_cast<std::size_t>(sound.label)] = 1.0f;

    std::vector<double> passes;
    const int hop = detection::hopOf(options.hop, token, tokens);
    detection::Analyzer analyzer(std::make_unique<WatchedModel>(std::move(model.network), columns, passes),
                                 model.frontend, {.hopTokens = hop, .provisional = true});
    streaming::LiveEvents live;
    std::vector<streaming::LiveChange> changes;
    std::vector<std::pair<double, std::vector<streaming::LiveChange>>> told; // when it was sent
    const auto block = static_cast<std::size_t>(step * model.frontend.sampleRate);
    for (std::size_t at = 0; at < stream.samples.size(); at += block) {
        const auto count = std::min(block, stream.samples.size() - at);
        analyzer.feed(std::span(stream.samples).subspan(at, count));
        const double now = static_cast<double>(at + count) / model.frontend.sampleRate;
        while (analyzer.waiting() > 0) {
            columns.end = analyzer.timeline().columns() + hop;
            if (analyzer.timeline().columns() < tokens) columns.end = -1; // stand-ins
            if (!analyzer.runNext()) break;
            changes.clear();
            live.follow(analyzer.timeline(), rules, changes);
            if (!changes.empty()) told.emplace_back(now, changes);
            analyzer.forget(analyzer.timeline().settled());
        }
    }

    Found found;
    found.sounds = static_cast<int>(stream.sounds.size());
    found.passSeconds = options.passMs > 0.0 ? options.passMs / 1000.0 : quantile(passes, 0.5);
    std::vector<bool> taken(stream.sounds.size(), false);
    for (const auto& [when, all] : told)
        for (const auto& change : all) {
            if (change.kind != streaming::LiveChange::Kind::onset) continue;
            const double sent = when + found.passSeconds;
            ++found.notes;
            std::optional<std::size_t> own;
            for (std::size_t i = 0; i < stream.sounds.size(); ++i) {
                const auto& sound = stream.sounds[i];
                if (sound.label != change.event.classIndex || sent < sound.onset - early ||
                    change.event.onset > sound.offset || sent > sound.offset + late)
                    continue;
                if (!own || !taken[i]) own = i;
            }
            if (!own) {
                ++found.wrong;
            } else if (taken[*own]) {
                ++found.again;
            } else {
                taken[*own] = true;
                found.delays.push_back(sent - stream.sounds[*own].onset);
            }
        }
    return found;
}

int run(int argc, char** argv) {
    Options options;
    CLI::App app("Says how long after a sound begins its note is sent.");
    app.add_option("--model", options.model, "model file")->capture_default_str();
    app.add_option("--data", options.data,
                   "CSV of clips as for 'earshot train'; those of split valid are mixed");
    app.add_option("--scenes", options.scenes, "of 30 s")->check(CLI::Range(1, 10000))->capture_default_str();
    app.add_option("--hop", options.hop, "seconds")->check(CLI::Range(0.01, 10.24))->capture_default_str();
    app.add_option("--merge-gap", options.mergeGap, "seconds")
        ->check(CLI::Range(0.0, 60.0))
        ->capture_default_str();
    app.add_option("--pass-ms", options.passMs, "takes the place of the measured pass");
    app.add_option("--seed", options.seed, "of the scenes")->capture_default_str();
    app.add_option("--json", options.json, "also write the numbers to this file");
    CLI11_PARSE(app, argc, argv);

    tensor::setThreadCount(1);
    auto model = streaming::loaderFor(options.model)({});
    const Stream stream = makeStream(options, model);
    NewestColumns columns;
    const Found found = listen(options, std::move(model), stream, columns);
    const auto share = [](auto part, auto whole) {
        return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
    };
    std::vector<Goal> goals = {
        {"sounds", static_cast<double>(found.sounds), "", {}, {}},
        {"of which have a note", share(found.delays.size(), found.sounds), "%", {}, {}},
        {"a note after its sound's onset, median", quantile(found.delays, 0.5), "s", {}, {}},
        {"the same, 95 of 100", quantile(found.delays, 0.95), "s", {}, {}},
        {"notes", static_cast<double>(found.notes), "", {}, {}},
        {"of which are false", share(found.wrong, found.notes), "%", {}, {}},
        {"of which repeat one", share(found.again, found.notes), "%", {}, {}},
        {"a pass", 1000.0 * found.passSeconds, "ms", {}, {}}};
    for (std::size_t k = 0; k < newest; ++k) {
        const auto& counts = columns.counts[k];
        goals.push_back({fmt::format("columns {} before a window's end: F1", k + 1),
                         share(2 * counts.found, 2 * counts.found + counts.wrong + counts.missed),
                         "%",
                         {},
                         {}});
        goals.push_back({fmt::format("columns {} before a window's end: found", k + 1),
                         share(counts.found, counts.found + counts.missed),
                         "%",
                         {},
                         {}});
    }
    fmt::print("{}", asTable(goals));
    writeJson(options.json, {{"goals", asJson(goals)}});
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return runBenchmark("earshot_delay_bench", [&] { return run(argc, argv); });
}
