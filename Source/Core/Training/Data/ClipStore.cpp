#include "Core/Training/Data/ClipStore.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Core/Tensor/ThreadPool.h"
#include "Core/Training/Data/Augment.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace earshot::training {

namespace {

constexpr double minClip = 0.02;        // seconds
constexpr double maxClip = 600.0;       // seconds
constexpr float silencePeak = 3.16e-4f; // -70 dBFS
constexpr double loudRms = 0.1;         // -20 dBFS
constexpr double loudSeconds = 0.1;

struct Decoded {
    std::optional<StoredClip> clip;
    std::vector<Problem> problems; // of the file
};

// The clip's stretch of the file, or the first ten minutes of it, mono at that rate.
std::vector<float> decode(const Clip& clip, int sampleRate, std::vector<Problem>& problems) {
    const auto& path = clip.file;
    auto reading = clip.reading;
    if (clip.begin > 0.0)
        reading.autoGain = false; // which would measure all of the file; levels are made alike
    audio::AudioFile file(path, Pipes::refused, reading);
    if (clip.begin > 0.0) file.seek(std::llround(clip.begin * file.sampleRate()));
    const double longest = clip.end ? std::min(maxClip, *clip.end - clip.begin) : maxClip;
    detection::BlockReader reader(file, sampleRate);
    const detection::FileSummary& summary = reader.summary();
    std::vector<float> samples;
    while (reader.next()) {
        samples.insert(samples.end(), reader.block().begin(), reader.block().end());
        if (summary.seconds >= longest) reader.stop();
    }
    if (summary.failure) throw Error(*summary.failure);
    if (file.nonFiniteSamples() > 0)
        throw Error(fmt::format("{}: holds {} values that are no numbers; export it again", displayName(path),
                                file.nonFiniteSamples()));
    const auto most = static_cast<std::size_t>(std::ceil(longest * sampleRate));
    if (clip.end && samples.size() > most) samples.resize(most);
    if (summary.stopped && !clip.end)
        problems.push_back({displayName(path),
                            "is longer than ten minutes; its beginning is used, cut it to use all of it",
                            false});
    for (const std::string& warning : summary.warnings)
        problems.push_back({displayName(path), warning, false});
    return samples;
}

// RMS of the loudest 0.1 s.
double loudestRms(std::span<const float> samples, int sampleRate) {
    const auto length = std::min(samples.size(), static_cast<std::size_t>(loudSeconds * sampleRate));
    double energy = 0.0, most = 0.0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        energy += static_cast<double>(samples[i]) * static_cast<double>(samples[i]);
        if (i >= length)
            energy -= static_cast<double>(samples[i - length]) * static_cast<double>(samples[i - length]);
        most = std::max(most, energy);
    }
    return std::sqrt(most / static_cast<double>(length));
}

std::vector<std::int16_t> normalised(std::span<const float> samples, int sampleRate) {
    const double peak = static_cast<double>(peakOf(samples));
    const double gain = 32767.0 * std::min(loudRms / loudestRms(samples, sampleRate), 1.0 / peak);
    std::vector<std::int16_t> result(samples.size());
    std::ranges::transform(samples, result.begin(), [gain](float sample) {
        return static_cast<std::int16_t>(std::lround(gain * static_cast<double>(sample)));
    });
    return result;
}

// Spans within the file. Spans after its end are reported.
std::vector<Activity> activityFrom(const Clip& clip, std::size_t samples, int sampleRate,
                                   std::vector<Problem>& problems) {
    std::vector<Activity> stretches;
    const auto length = static_cast<std::int64_t>(samples);
    const bool isCut = static_cast<double>(length) >= maxClip * sampleRate;
    for (const auto& span : clip.spans) {
        const auto first = std::llround(span.onset * sampleRate);
        const auto last = std::min<std::int64_t>(std::llround(span.offset * sampleRate), length);
        if (first < last)
            stretches.push_back({first, last});
        else
            problems.push_back(
                {displayName(clip.file),
                 fmt::format("{} {:.2f} s, before a sound labelled from {:.2f} s on",
                             isCut ? "is used until" : "ends at",
                             clip.begin + static_cast<double>(length) / sampleRate, clip.begin + span.onset),
                 false});
    }
    return merged(std::move(stretches), 0);
}

// Without the file's name, which the list shows beside it.
std::string reason(std::string_view message, const std::filesystem::path& file) {
    const std::string prefix = displayName(file) + ": ";
    if (message.starts_with(prefix)) message.remove_prefix(prefix.size());
    return std::string(message) + "; it is left out";
}

Decoded load(const Clip& clip, int sampleRate) {
    Decoded result;
    try {
        const auto samples = decode(clip, sampleRate, result.problems);
        const double seconds = static_cast<double>(samples.size()) / sampleRate;
        if (seconds < minClip) {
            result.problems.push_back(
                {displayName(clip.file), fmt::format("is {:.0f} ms short, at least 20 ms are needed; it is "
                                                     "left out",
                                                     1000.0 * seconds)});
        } else if (peakOf(samples) < silencePeak) {
            result.problems.push_back({displayName(clip.file),
                                       "is silent (below -70 dBFS throughout); it is left "
                                       "out (--gain amplifies recordings that are only quiet)"});
        } else {
            StoredClip stored{.clip = &clip, .samples = normalised(samples, sampleRate), .activity = {}};
            stored.activity = clip.strong && !clip.spans.empty()
                                  ? activityFrom(clip, stored.samples.size(), sampleRate, result.problems)
                                  : activityOf(stored.samples, sampleRate);
            result.clip = std::move(stored);
        }
    } catch (const Error& error) {
        result.problems.push_back({displayName(clip.file), reason(error.what(), clip.file), true, true});
    }
    return result;
}

// Loads all clips on several threads. Only this thread reports progress.
std::vector<Decoded> loadAll(std::span<const Clip> clips, int sampleRate, int threads,
                             const std::function<bool(std::size_t, std::size_t)>& progress) {
    std::vector<Decoded> results(clips.size());
    std::atomic<std::size_t> next{0}, done{0};
    std::atomic<bool> stopped{false};
    tensor::ThreadPool team(threads);
    team.run([&](int member) {
        try {
            for (std::size_t i = next++; i < clips.size() && !stopped; i = next++) {
                if (clips[i].split != Split::unused) results[i] = load(clips[i], sampleRate);
                ++done;
                if (member == 0 && progress && !progress(done, clips.size())) stopped = true;
            }
        } catch (...) { // failures that no clip causes, such as too little memory
            stopped = true;
            throw;
        }
    });
    if (stopped) throw Error("stopped");
    if (progress && !progress(clips.size(), clips.size())) throw Error("stopped");
    return results;
}

std::uint64_t hashOf(std::span<const std::int16_t> samples) {
    std::uint64_t hash = 0xcbf29ce484222325 ^ samples.size();
    for (const std::int16_t sample : samples)
        hash = (hash ^ static_cast<std::uint16_t>(sample)) * 0x100000001b3;
    return hash;
}

Problem contradiction(const std::filesystem::path& file, const std::filesystem::path& other) {
    return {.where = displayName(file),
            .what = fmt::format("is the same sound as {}, which is labelled otherwise; both are left out, "
                                "correct or remove one of them",
                                displayName(other)),
            .twin = other};
}

// Drops copies, and equal sounds with different labels.
void dropCopies(std::vector<StoredClip>& clips, std::vector<Problem>& problems) {
    std::map<std::uint64_t, std::vector<StoredClip*>> bySound;
    for (auto& clip : clips) bySound[hashOf(clip.samples)].push_back(&clip);
    for (const auto& [hash, copies] : bySound) {
        if (copies.size() < 2) continue;
        const auto train = std::ranges::find_if(
            copies, [](const StoredClip* copy) { return copy->clip->split == Split::train; });
        StoredClip& kept = train == copies.end() ? *copies.front() : **train;
        const std::string keptName = displayName(kept.clip->file);
        bool contradicted = false;
        for (StoredClip* copy : copies) {
            if (copy == &kept || copy->samples != kept.samples) continue;
            const bool agrees = copy->clip->labels == kept.clip->labels;
            if (agrees)
                problems.push_back({displayName(copy->clip->file),
                                    fmt::format("is a copy of {}; it is left out", keptName)});
            else
                problems.push_back(contradiction(copy->clip->file, kept.clip->file));
            if (!agrees && !contradicted)
                problems.push_back(contradiction(kept.clip->file, copy->clip->file));
            contradicted = contradicted || !agrees;
            copy->clip = nullptr;
        }
        if (contradicted) kept.clip = nullptr;
    }
    std::erase_if(clips, [](const StoredClip& clip) { return clip.clip == nullptr; });
}

} // namespace

ClipStore::ClipStore(DataSet& data, int sampleRate, int threads,
                     const std::function<bool(std::size_t, std::size_t)>& progress)
    : sampleRate_(sampleRate) {
    auto loaded = loadAll(data.clips, sampleRate, threads, progress);
    for (std::size_t i = 0; i < loaded.size(); ++i) {
        std::ranges::move(loaded[i].problems, std::back_inserter(data.problems));
        if (loaded[i].clip) clips_.push_back(std::move(*loaded[i].clip));
    }
    dropCopies(clips_, data.problems);
}

void requireClips(const DataSet& data, const ClipStore& store, int fewest) {
    std::vector<int> counts(data.labels.size(), 0), toTrain(data.labels.size(), 0);
    for (const auto& stored : store.clips())
        for (const int label : stored.clip->labels) {
            ++counts[static_cast<std::size_t>(label)];
            if (stored.clip->split == Split::train) ++toTrain[static_cast<std::size_t>(label)];
        }
    std::string few;
    for (std::size_t label = 0; label < counts.size(); ++label)
        if (counts[label] < fewest)
            few += fmt::format("{}: {} clip{} can be used, at least {} are needed; ",
                               printable(data.labels[label]), counts[label], counts[label] == 1 ? "" : "s",
                               fewest);
        else if (toTrain[label] == 0)
            few += fmt::format("{}: no clip to train on can be used; ", printable(data.labels[label]));
    if (!few.empty()) throw Error(few + "see the problems listed, and add some");
}

} // namespace earshot::training
