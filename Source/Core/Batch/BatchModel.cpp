#include "Core/Batch/BatchModel.h"

#include "Core/Base/Sha256.h"
#include "Core/Base/Version.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Model/Reading/Frontend.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace earshot::batch {

namespace {

// How the model's file was read, where it is not as before there was a choice: results of then go on.
void addModelReading(Fingerprint& all, const model::Weights& weights) {
    const auto& layout = weights.layout();
    const auto& config = layout.config;
    const auto before = model::publishedFrontend(layout.kind);
    const auto differs = [](model::Origin origin, int value, int usual) {
        return origin != model::Origin::file && value != usual;
    };
    if (differs(layout.origins.sampleRate, config.sampleRate, before.sampleRate) ||
        differs(layout.origins.hopSize, config.hopSize, before.hopSize))
        all.emplace_back("frontend", fmt::format("{} Hz, hop of {}", config.sampleRate, config.hopSize));
    if (layout.networks.all.size() > 1) all.emplace_back("weights", layout.networks.network().shownName());
}

} // namespace

std::string nameOfThreshold(float common) {
    if (common == detection::defaultThreshold) return "default";
    return fmt::format("the model's, moved to {}", common);
}

formats::DatabaseModel describeModel(const detection::ListeningModel& model, const StopToken& stop) {
    return {.file = model.weights->file().filename().string(),
            .sha256 = sha256OfFile(model.weights->file(), stop),
            .licence = model.labels.licence(),
            .labels = model.labels.names()};
}

Fingerprint fingerprint(const detection::ListeningModel& model, const formats::DatabaseModel& described,
                        const detection::DetectorOptions& how, const RuleNames& rules) {
    Fingerprint all = {
        {"earshot", std::string(version())},
        {"model", described.sha256},
        {"precision", std::string(model::plainName(model.weights->precision()))},
        {"mode", detection::name(how.mode)},
        {"hop", fmt::format("{:.2f} s", how.hop * model.secondsPerToken())},
        {"queries", model.queries},
        {"threshold", rules.threshold},
        {"release threshold", rules.release},
        {"class thresholds", rules.classThresholds},
        {"confidence", rules.confidence},
        {"sounds", rules.sounds},
        {"shortest event", fmt::format("{} s", rules.minDuration)},
        {"merge gap", fmt::format("{} s", rules.mergeGap)},
        {"median", std::to_string(rules.median)},
        // The labels may come from a file beside the model, which the model's hash does not cover.
        {"labels", sha256(fmt::format("{}", fmt::join(described.labels, "\n")))}};
    // Earlier versions had no choice: their folders go on with these defaults.
    const audio::ReadOptions usual;
    if (how.reading.channel != usual.channel)
        all.emplace_back("channel", audio::channelText(how.reading.channel));
    if (how.reading.autoGain || how.reading.gain != usual.gain)
        all.emplace_back("gain", audio::gainText(how.reading));
    if (how.reading.speed) all.emplace_back("speed", audio::speedText(how.reading));
    if (how.mode == detection::Mode::automatic && !detection::repeatsShortAudio(*model.weights))
        all.emplace_back(shortRecordings, fmt::format("silence follows below {} s", detection::repeatedFrom));
    // Results without it are those of all windows.
    if (detection::boundOf(model, how))
        all.emplace_back("passes", fmt::format("in two steps, bound {:.4g}", *model.labels.coarseBound()));
    addModelReading(all, *model.weights);
    return all;
}

} // namespace earshot::batch
