#include "Core/Training/Run/ModelCard.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Model/Reading/Checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

namespace earshot::training {

namespace {

struct ClassMaterial {
    int train = 0, valid = 0; // clips
    std::set<std::string> groups, validGroups;
    double seconds = 0.0; // to train on
};

std::vector<ClassMaterial> materialOf(const CardFacts& facts) {
    std::vector<ClassMaterial> material(facts.data->labels.size());
    for (const StoredClip& stored : facts.store->clips())
        for (const int label : stored.clip->labels) {
            auto& own = material[static_cast<std::size_t>(label)];
            if (stored.clip->split == Split::valid) {
                ++own.valid;
                own.validGroups.insert(stored.clip->group);
                continue;
            }
            ++own.train;
            own.groups.insert(stored.clip->group);
            own.seconds += static_cast<double>(stored.samples.size()) / facts.store->sampleRate();
        }
    return material;
}

// A cell of a Markdown table.
std::string cell(const std::string& text) {
    std::string out;
    for (const char c : printable(text)) {
        if (c == '|' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

// Text of any length on one line.
std::string oneLine(std::string text) {
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == '`') c = ' ';
    return text;
}

std::string share(const evaluation::Counts& counts) {
    const bool nothing = counts.truePositives + counts.falsePositives + counts.falseNegatives == 0;
    return nothing ? "" : fmt::format("{:.2f}", counts.f1());
}

// Nothing if all classes are of one part.
std::string partTable(const CardFacts& facts, std::span<const ClassMaterial> material) {
    std::vector<std::size_t> sources;
    for (const ClassMaterial& own : material) sources.push_back(own.validGroups.size());
    const auto& boxScores = facts.scores->boxScores;
    const auto byThresholds = evaluation::partsBySources(facts.scores->scores, sources);
    if (byThresholds.many.classes == 0 || byThresholds.few.classes == 0) return {};
    std::string text =
        "\nA class of few sources is scored apart, because chance decides whether the model knows "
        "just these:\n\n| Classes | Event F1, 0.5 s | 0.2 s | Segment F1 | Mean average precision |"
        "\n|---|--:|--:|--:|--:|\n";
    const auto row = [&](const std::string& name, const evaluation::PartScores& part) {
        text += fmt::format("| {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} |\n", name, part.looseEvents.f1(),
                            part.events.f1(), part.segments.f1(), part.meanAveragePrecision);
    };
    const auto rows = [&](const evaluation::PartsBySources& parts, std::string_view how) {
        row(fmt::format("{} with at least {} sources to validate with, {}", parts.many.classes,
                        evaluation::minSources, how),
            parts.many);
        row(fmt::format("{} with fewer, {}", parts.few.classes, how), parts.few);
    };
    rows(byThresholds, "by thresholds");
    if (boxScores) rows(evaluation::partsBySources(*boxScores, sources), "as boxes");
    return text;
}

std::string scoreSection(const CardFacts& facts, std::span<const ClassMaterial> material) {
    if (!facts.scores)
        return facts.settings->validScenes > 0
                   ? "## Scores\n\nNone: there were no recordings apart from those it was trained on.\n\n"
                   : "## Scores\n\nNone: no validation was asked for.\n\n";
    const auto& scores = facts.scores->scores;
    const auto& sebbs = facts.scores->boxScores;
    std::string text = fmt::format(
        "## Scores\n\nOn {} of scenes mixed of the validation recordings (or of these "
        "themselves, where they say "
        "what sounds when), which the model was not trained on. The thresholds were chosen on other scenes "
        "of the "
        "same recordings{}.\n\n",
        describeTime(scores.seconds), sebbs ? ", and boxes (`--confidence auto`) learnt on them" : "");
    text +=
        sebbs ? "| Score | By thresholds | As boxes |\n|---|---|---|\n" : "| Score | Value |\n|---|---|\n";
    const auto row = [&](std::string_view name, auto value, int digits = 3) {
        text += fmt::format("| {} | {:.{}f} |", name, value(scores), digits);
        if (sebbs) text += fmt::format(" {:.{}f} |", value(*sebbs), digits);
        text += '\n';
    };
    using evaluation::Scores;
    row("Event F1, onset and offset within 0.5 s (or half the length)",
        [](const Scores& own) { return own.looseEvents.f1(); });
    row("Event F1, onset and offset within 0.2 s (or 20 % of the length)",
        [](const Scores& own) { return own.events.f1(); });
    row("Segment F1, 1 s", [](const Scores& own) { return own.segments.f1(); });
    row("PSDS1", [](const Scores& own) { return own.psds1; });
    row("PSDS2", [](const Scores& own) { return own.psds2; });
    row("Mean average precision, whole scenes", [](const Scores& own) { return own.meanAveragePrecision; });
    row(
        "False alarms an hour in these scenes", [](const Scores& own) { return own.falseAlarmsPerHour; }, 1);
    if (facts.scores->noiseHours > 0.0) {
        text +=
            fmt::format("| False alarms an hour in noise, hum and silence ({}) | {:.1f} |",
                        describeTime(3600.0 * facts.scores->noiseHours), facts.scores->noiseAlarmsPerHour);
        if (sebbs) text += fmt::format(" {:.1f} |", facts.scores->boxNoiseAlarmsPerHour);
        text += '\n';
        if (!facts.scores->notAlarms.empty()) {
            std::vector<std::string> names;
            for (const int label : facts.scores->notAlarms)
                names.push_back(printable(facts.data->labels[static_cast<std::size_t>(label)]));
            text += fmt::format("\nIn noise, {} is no false alarm.\n", fmt::join(names, " or "));
        }
    }
    return text + partTable(facts, material) + "\n";
}

std::string classSection(const CardFacts& facts, std::span<const ClassMaterial> material) {
    std::string text =
        "## Classes\n\n| Class | Clips | Groups | Seconds | Validation clips | Validation groups | "
        "Threshold | Events | Event F1 | Segment F1 | Average precision |\n|---|--:|--:|--:|--:|"
        "--:|--:|--:|--:|--:|--:|\n";
    for (std::size_t i = 0; i < material.size(); ++i) {
        text += fmt::format("| {} | {} | {} | {:.0f} | {} | {} |", cell(facts.data->labels[i]),
                            material[i].train, material[i].groups.size(), material[i].seconds,
                            material[i].valid, material[i].validGroups.size());
        if (facts.scores) {
            const auto& scores = facts.scores->scores.classes[i];
            text += fmt::format(" {:.2f} | {} | {} | {} | {} |", facts.scores->thresholds[i],
                                scores.annotated, share(scores.looseEvents), share(scores.segments),
                                scores.averagePrecision ? fmt::format("{:.2f}", *scores.averagePrecision)
                                                        : std::string());
        } else {
            text += " | | | | |";
        }
        text += "\n";
    }
    return text + "\nEvent F1: onset and offset within 0.5 s, or half the length.\n\n";
}

std::string sourceSection(const CardFacts& facts) {
    constexpr std::size_t maxSources = 2000; // licences ask for all of them
    constexpr std::size_t maxAuthors = 1000;
    std::map<std::string, int> licences;
    struct Source {
        int clips = 0;
        std::set<std::string> authors;
    };
    std::map<std::string, Source> sources;
    for (const StoredClip& stored : facts.store->clips()) {
        const Clip& clip = *stored.clip;
        ++licences[clip.licence.empty() ? "not stated" : clip.licence];
        if (clip.source.empty() && clip.author.empty()) continue;
        auto& source = sources[clip.source.empty() ? "other" : clip.source];
        ++source.clips;
        if (!clip.author.empty()) source.authors.insert(printable(clip.author));
    }
    std::string text = "## Recordings\n\n| Licence | Clips |\n|---|--:|\n";
    for (const auto& [licence, count] : licences) text += fmt::format("| {} | {} |\n", cell(licence), count);
    text += "\n";
    if (sources.empty()) return text;
    std::vector<std::pair<std::string, Source>> bySize(sources.begin(), sources.end());
    std::stable_sort(bySize.begin(), bySize.end(),
                     [](const auto& a, const auto& b) { return a.second.clips > b.second.clips; });
    text += "With thanks to those who recorded and shared them:\n\n";
    for (std::size_t i = 0; i < std::min(maxSources, bySize.size()); ++i) {
        const auto& [name, source] = bySize[i];
        std::vector<std::string> authors(source.authors.begin(), source.authors.end());
        const std::size_t more = authors.size() > maxAuthors ? authors.size() - maxAuthors : 0;
        authors.resize(authors.size() - more);
        text +=
            fmt::format("- {} ({} clip{}){}{}{}\n", printable(name), source.clips,
                        source.clips == 1 ? "" : "s", authors.empty() ? "" : ": ", fmt::join(authors, "; "),
                        more > 0 ? fmt::format("; and {} more", more) : std::string());
    }
    if (bySize.size() > maxSources)
        text += fmt::format("- and {} more sources\n", bySize.size() - maxSources);
    return text + "\n";
}

std::string describeStart(const CardFacts& facts) {
    const RunSettings& run = *facts.settings;
    if (!run.from) return "from first values";
    const bool knowsAll = facts.knownClasses == facts.config.classes;
    auto start = "from " + displayName(run.from->file.filename());
    if (!facts.imageModel.empty())
        return start + ", a " + facts.imageModel + ", whose encoder was trained further on sounds";
    if (run.freezeEncoder)
        start += ", whose encoder is kept as it is: only the head was trained";
    else
        start += knowsAll ? ", which was trained further" : ", whose encoder was trained further";
    if (!knowsAll && facts.knownClasses > 0)
        start += fmt::format("; it knew {} of the classes", facts.knownClasses);
    return start;
}

// Of the table of settings.
std::string teacherRows(const CardFacts& facts) {
    const RunSettings& run = *facts.settings;
    std::string rows;
    if (run.scenes.cleanShare > 0.0f)
        rows += fmt::format("| Scenes of one unchanged recording | {:g} |\n", run.scenes.cleanShare);
    if (facts.teacher.empty()) return rows;
    rows += fmt::format("| Teacher | {} |\n| Learnt from it | {} |\n",
                        run.teacherName.empty() ? "not named" : cell(run.teacherName), cell(facts.teacher));
    if (run.teacher.softLabels)
        rows += fmt::format("| Share of soft labels in the targets | {:g} |\n", run.scenes.softShare);
    const auto unlabelled = std::ranges::count_if(facts.data->clips, [](const Clip& clip) {
        return clip.kind == ClipKind::unlabelled && clip.split == Split::train;
    });
    if (unlabelled > 0)
        rows += fmt::format("| Recordings without labels; their share of the sounds | {}; {:g} |\n",
                            unlabelled, run.scenes.unlabelledShare);
    if (run.teacher.embeddings)
        rows += fmt::format("| Gradient of embeddings beside that of labels | {:g} |\n",
                            facts.trainer->embeddingWeight);
    return rows;
}

std::string trainingSection(const CardFacts& facts) {
    const RunSettings& run = *facts.settings;
    const TrainerSettings& trainer = *facts.trainer;
    const auto start = describeStart(facts);
    return fmt::format(
        "## Training\n\n{} epoch{} of {} scenes ({} examples) in {} on {} thread{}, {}; the model is that of "
        "epoch {}, {}. Seed {}.\n\n"
        "| Setting | Value |\n|---|---|\n| Batch | {} |\n| Peak rate | {:g} |\n| Warm-up | {} steps |\n"
        "| Weight decay | {:g} |\n| Averaging | {:g} |\n| Stochastic depth | {:g} |\n| Label smoothing | "
        "{:g} "
        "|\n| Weight of positives | {:g} |\n| Weight of a window's last 0.96 s | {:g} |\n| Mixup | {:g} of "
        "the examples, alpha {:g} |\n| Arithmetic | {} "
        "|\n| Start | {} |\n{}\n```\n{}\n```\n",
        facts.epochs, facts.epochs == 1 ? "" : "s", run.scenesPerEpoch, facts.examples,
        describeTime(facts.seconds), trainer.threads, trainer.threads == 1 ? "" : "s", start, facts.bestEpoch,
        facts.scores ? "the best on the validation scenes" : "the last one; nothing was validated",
        trainer.seed, trainer.batch, trainer.peakRate, trainer.warmUp, trainer.weightDecay, trainer.average,
        trainer.dropPath, trainer.loss.labelSmoothing, trainer.loss.positiveWeight, trainer.loss.newestWeight,
        trainer.mixup, trainer.mixupAlpha,
        trainer.arithmetic == Arithmetic::bfloat16 ? "bfloat16 products, float32 sums" : "float32", start,
        teacherRows(facts), oneLine(run.commandLine));
}

constexpr const char* notesKey = "earshot.training.run";
constexpr const char* logKey = "earshot.training.log";
constexpr const char* optionsKey = "earshot.training.options";

} // namespace

std::string describeTime(double seconds) {
    if (seconds < 120.0) return fmt::format("{:.0f} second{}", seconds, std::lround(seconds) == 1 ? "" : "s");
    if (seconds < 7200.0) return fmt::format("{:.0f} minutes", seconds / 60.0);
    return fmt::format("{:.1f} hours", seconds / 3600.0);
}

std::string modelCard(const CardFacts& facts) {
    const model::Config& config = facts.config;
    std::string text = fmt::format(
        "# {}\n\nA sound event detector for Earshot: it says {} present, and when, in steps of {:.2f} "
        "s.\n\nHTS-AT (Chen et al. 2022){}: width {}, depths {}, heads {}; {:.2f} million "
        "parameters, {:.1f} MB. It analyses {:.2f} s at a time, at {} Hz.\n\n",
        printable(facts.title),
        config.classes == 1 ? "whether one sound is" : fmt::format("which of {} sounds are", config.classes),
        config.secondsPerToken(), config.block == model::BlockKind::v2 ? " of Swin V2 blocks" : "",
        config.embedDim, fmt::join(config.depths, ", "), fmt::join(config.heads, ", "),
        static_cast<double>(facts.parameters) / 1e6, static_cast<double>(facts.bytes) / 1e6,
        config.windowFrames() * config.secondsPerFrame(), config.sampleRate);
    text += "Licence of the weights: " +
            (facts.licence.empty() ? std::string("not stated; the recordings' licences are below")
                                   : printable(facts.licence)) +
            ".\n\n";
    const auto material = materialOf(facts);
    return text + scoreSection(facts, material) + classSection(facts, material) + sourceSection(facts) +
           trainingSection(facts);
}

std::map<std::string, std::string> RunNotes::asMetadata() const {
    const nlohmann::json object = {
        {"epochs", epochs},        {"fingerprint", fingerprint}, {"best_score", bestScore},
        {"best_epoch", bestEpoch}, {"model", modelDigest},       {"seconds", seconds},
        {"loss_sum", lossSum},     {"loss_steps", lossSteps},    {"embedding_sum", embeddingSum}};
    return {{notesKey, object.dump()}, {logKey, logAsCsv(log)}, {optionsKey, options}};
}

RunNotes RunNotes::read(const std::filesystem::path& file) {
    const auto checkpoint = model::Checkpoint::open(file);
    const auto& metadata = checkpoint->metadata();
    try {
        const auto object = nlohmann::json::parse(metadata.at(notesKey));
        RunNotes notes;
        notes.log = logFromCsv(metadata.at(logKey));
        if (const auto found = metadata.find(optionsKey); found != metadata.end())
            notes.options = found->second;
        notes.epochs = object.at("epochs").get<int>();
        notes.fingerprint = object.at("fingerprint").get<std::string>();
        notes.bestScore = object.at("best_score").get<double>();
        notes.bestEpoch = object.at("best_epoch").get<int>();
        notes.modelDigest = object.value("model", std::string()); // not in files of version 0.2
        notes.seconds = object.at("seconds").get<double>();
        notes.lossSum = object.at("loss_sum").get<double>();
        notes.embeddingSum = object.value("embedding_sum", 0.0); // not in files of version 0.2
        notes.lossSteps = object.at("loss_steps").get<std::int64_t>();
        return notes;
    } catch (const std::exception&) { // from nlohmann, or for a missing key
        throw Error(displayName(file) +
                    ": is no file of a stopped training, or damaged; train again without --resume");
    }
}

} // namespace earshot::training
