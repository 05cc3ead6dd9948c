#include "Cli/Evaluate/EvaluationData.h"

#include "Cli/Output/Terminal.h"
#include "Core/Audio/AudioFile.h"
#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Training/Data/ClipActivity.h"
#include "Core/Training/Data/DataSetReaders.h"
#include "Core/Training/Run/SplitNote.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace earshot::cli {

namespace {

constexpr double maxClip = 600.0; // seconds

training::DataSet readData(const EvaluateOptions& options, training::DataChoice choice) {
    choice.keepsMoments = options.scenes == 0;
    choice.sources.assign(options.data.begin(), options.data.end());
    choice.labelColumn = options.labelColumn;
    choice.reading = options.reading;
    choice.minClips = 0;
    return training::readDataSet(choice);
}

// No validation share is drawn: `valid` holds only clips that the data itself marks.
training::DataSet readMarked(const EvaluateOptions& options) {
    training::DataChoice choice;
    choice.validShare = 0.0;
    return readData(options, std::move(choice));
}

// Draws the split as the model's training did. labels: of the data
training::DataSet readDrawn(const EvaluateOptions& options, const std::filesystem::path& model,
                            const std::vector<std::string>& labels) {
    auto choice = training::notedSplit(model::Checkpoint::open(model)->metadata(), model);
    if (!choice && !options.quiet)
        printNote(fmt::format("{} does not note which clips its training kept for validation; a fifth is "
                              "drawn, and it may have been trained on some of them",
                              displayName(model.filename())));
    if (!choice) choice.emplace();
    // The training may have had other data, too.
    const auto isAbsent = [&](const std::string& name) {
        const auto wanted = training::lowerCase(printable(training::trimmed(name)));
        return std::ranges::none_of(labels,
                                    [&](const auto& label) { return training::lowerCase(label) == wanted; });
    };
    std::erase_if(choice->only, isAbsent);
    std::erase_if(choice->distractors, isAbsent);
    return readData(options, *std::move(choice));
}

bool has(const training::DataSet& set, training::Split split) {
    return std::ranges::any_of(set.clips, [&](const auto& clip) { return clip.split == split; });
}

// Returns the chosen part and its name.
std::pair<training::DataSet, std::string> readPart(const EvaluateOptions& options,
                                                   const std::filesystem::path& model) {
    training::DataSet set = readMarked(options);
    const bool named = has(set, training::Split::valid);
    DataPart part = options.part;
    if (part == DataPart::automatic) part = named ? DataPart::valid : DataPart::all;
    if (!named && part != DataPart::all) set = readDrawn(options, model, set.labels);
    if (part != DataPart::all) {
        const auto wanted = part == DataPart::valid ? training::Split::valid : training::Split::train;
        std::erase_if(set.clips, [&](const auto& clip) { return clip.split != wanted; });
    }
    std::erase_if(set.clips, [](const auto& clip) {
        return clip.kind == training::ClipKind::room || clip.kind == training::ClipKind::unlabelled;
    });
    for (training::Clip& clip : set.clips) clip.split = training::Split::valid;
    const char* name = part == DataPart::valid ? "valid" : part == DataPart::train ? "train" : "all";
    if (set.clips.empty())
        throw Error(std::string("the data has no recordings in the split ") + name + "; try --split all");
    return {std::move(set), name};
}

KnownRecording recordingOf(const training::Clip& clip, const std::vector<int>& classOf) {
    KnownRecording recording;
    recording.file = clip.file;
    recording.reading = clip.reading;
    for (const int label : clip.labels)
        if (const int own = classOf[static_cast<std::size_t>(label)]; own >= 0)
            recording.labels.push_back(own);
    std::ranges::sort(recording.labels);
    if (clip.strong) {
        recording.timing = Timing::annotated;
        for (const auto& span : clip.spans)
            if (const int own = classOf[static_cast<std::size_t>(span.label)]; own >= 0)
                recording.annotations.push_back({span.onset, span.offset, own});
    } else if (clip.labels.size() == 1) {
        recording.timing = Timing::envelope;
    }
    return recording;
}

} // namespace

EvaluationData readEvaluationData(const EvaluateOptions& options, const std::filesystem::path& model) {
    EvaluationData data;
    std::tie(data.set, data.part) = readPart(options, model);
    return data;
}

void relateTo(const detection::Labels& labels, EvaluationData& data, const std::vector<int>& scored) {
    const auto isScored = [&](int c) {
        return scored.empty() || std::ranges::find(scored, c) != scored.end();
    };
    using Groups = std::set<std::string_view>;
    std::vector<Groups> groups(data.set.labels.size()); // of each label, in the chosen part
    for (const training::Clip& clip : data.set.clips)
        for (const int label : clip.labels) groups[static_cast<std::size_t>(label)].insert(clip.group);
    const auto present = std::ranges::count_if(groups, [](const Groups& own) { return !own.empty(); });
    std::vector<Groups> known(static_cast<std::size_t>(labels.count())); // the same of the model's classes
    for (std::size_t label = 0; label < groups.size(); ++label) {
        const std::string& name = data.set.labels[label];
        const auto found = labels.find(name);
        const auto own = found && isScored(*found) ? found : std::nullopt;
        data.classOf.push_back(own.value_or(-1));
        if (own)
            known[static_cast<std::size_t>(*own)].merge(groups[label]);
        else if (!groups[label].empty())
            data.unknown.push_back(name);
    }
    for (int c = 0; c < labels.count(); ++c) {
        data.sources.push_back(known[static_cast<std::size_t>(c)].size());
        if (data.sources.back() == 0 && isScored(c)) data.absent.push_back(labels.name(c));
    }
    const bool silent = std::ranges::all_of(
        data.set.clips, [](const auto& clip) { return clip.strong && clip.labels.empty(); });
    if (present == 0 && !silent)
        throw Error(
            "none of the chosen recordings has a label, so that there is no sound to score; try --split "
            "all, or add recordings of sounds");
    if (!silent && std::ranges::count(data.sources, 0u) == labels.count())
        throw Error((scored.empty() ? "the model knows none of the data's "
                                    : "the models know none in common of the data's ") +
                    std::to_string(present) +
                    " labels; 'earshot info' lists the sounds it knows, name them alike in the data");
    for (const training::Clip& clip : data.set.clips)
        data.recordings.push_back(recordingOf(clip, data.classOf));
}

void makeDistractors(EvaluationData& data) {
    for (training::Clip& clip : data.set.clips) {
        const auto labels = clip.labels.size();
        std::erase_if(clip.labels,
                      [&](int label) { return data.classOf[static_cast<std::size_t>(label)] < 0; });
        // A clip of several sounds would seem to hold only the known one.
        if (labels > 1 && clip.labels.size() < labels) clip.split = training::Split::unused;
    }
}

std::vector<evaluation::Annotation> timedByEnvelope(const KnownRecording& recording) {
    audio::AudioFile audio(recording.file, Pipes::refused, recording.reading);
    const auto rate = static_cast<double>(audio.sampleRate());
    std::vector<float> samples;
    std::vector<float> block(65536);
    while (const std::size_t count = audio.read(block)) {
        samples.insert(samples.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(count));
        if (static_cast<double>(samples.size()) > maxClip * rate) return {};
    }
    float peak = 0.0f;
    for (const float sample : samples) peak = std::max(peak, std::abs(sample));
    if (peak <= 0.0f) return {};
    std::vector<std::int16_t> scaled(samples.size());
    std::ranges::transform(samples, scaled.begin(), [&](float sample) {
        return static_cast<std::int16_t>(std::lround(sample / peak * 32767.0f));
    });
    std::vector<evaluation::Annotation> annotations;
    for (const training::Activity& activity : training::activityOf(scaled, audio.sampleRate()))
        annotations.push_back({static_cast<double>(activity.first) / rate,
                               static_cast<double>(activity.last) / rate, recording.labels.front()});
    return annotations;
}

} // namespace earshot::cli
