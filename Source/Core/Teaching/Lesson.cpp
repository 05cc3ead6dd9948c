#include "Core/Teaching/Lesson.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Detection/Events/Events.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Model/Network/Network.h"
#include "Core/Model/Network/NetworkWeights.h"
#include "Core/Teaching/Collection.h"
#include "Core/Teaching/HeardWindows.h"
#include "Core/Teaching/LessonClips.h"
#include "Core/Tensor/ThreadPool.h"
#include "Core/Training/Data/ClipRoles.h"
#include "Core/Training/Data/ClipStore.h"
#include "Core/Training/Data/Example.h"
#include "Core/Training/Data/NearCopies.h"
#include "Core/Training/Data/RecordingSource.h"
#include "Core/Training/Scenes/SceneMixer.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace earshot::teaching {

namespace {

using training::Clip;
using training::DataSet;
using training::Split;

constexpr int maxBuckets = 24;      // into which sources are put
constexpr int scenesOfAll = 240;    // mixed of examples, at most
constexpr int scenesOfOne = 96;     // of one bucket, at most
constexpr int plainOfOne = 8;       // windows of examples as they were recorded, of one bucket, at most
constexpr int scenesOfOthers = 120; // without examples
// A sound that is in fewer windows, because there are many, is heard in more, in a few rounds.
constexpr int minWindows = 4;
constexpr int moreOfSound = 5;
constexpr int maxRounds = 4;
constexpr std::size_t maxBytes = 128u << 20;
constexpr double hearingShare = 0.9;                    // of the progress
constexpr std::uint64_t lessonPurpose = 0x6c6573736f6e; // of seedFor

training::SceneSettings sceneSettings(bool hasNots) {
    training::SceneSettings scenes;
    scenes.maxEvents = 3;
    scenes.emptyShare = 0.04f;
    scenes.distractorShare = hasNots ? 0.5f : 0.0f;
    scenes.minSnr = 0.0f;
    scenes.levelSpread = 10.0f;
    scenes.stripeShare = 0.0f;
    scenes.backgroundLabels.clear();
    return scenes;
}

} // namespace

struct Lesson::Impl {
    Impl(DataSet examples, const LessonSettings& theSettings)
        : settings(theSettings)
        , teachable(theSettings.model)
        , team(theSettings.threads) {
        sounds = examples.labels.size();
        if (sounds == 0) throw Error("there is no example to learn from; mark a sound first");
        for (const Clip& clip : examples.clips)
            hasNots = hasNots || (clip.kind == training::ClipKind::sound && clip.labels.empty());
        auto chosen = chooseClips(std::move(examples), settings.others);
        data = std::move(chosen.data);
        names = chooseNames();
        requireNames();
        limits = std::move(chosen.limits);
        const auto weights = model::loadWeights(settings.model, model::Precision::float32);
        training::ExampleShape shape(weights->config());
        shape.frontend = detection::logMelSettings(*weights);
        store.emplace(data, shape.frontend.sampleRate, settings.threads,
                      [this](std::size_t, std::size_t) { return notify(0.0); });
        explainCopies();
        timeRecordings();
        joinCopies();
        chooseBuckets();
        analyse(weights, shape);
        for (std::size_t i = 0; i < sounds; ++i)
            if (!heard.canFit(i)) throw Error(cannotFit(i));
    }

    std::string cannotFit(std::size_t sound) const {
        const bool isShort = heard.windowsWith(sound) == 0;
        const auto cause =
            isShort ? fmt::format("its examples are shorter than a step of {:.2f} s", heard.secondsPerStep)
                    : std::string("there is nothing else");
        return fmt::format("{} cannot be told from what is around it: {}; mark a longer example with "
                           "something else before or after it",
                           printable(data.labels[sound]), cause);
    }

    bool notify(double done) { return !settings.progress || settings.progress(done); }

    bool isExample(const Clip& clip) const {
        return !clip.labels.empty() && static_cast<std::size_t>(clip.labels.front()) < sounds;
    }

    // Clips that come with Earshot are not the user's to correct, but the examples that are copies of them.
    void explainCopies() {
        std::set<std::string> others;
        for (const Clip& clip : data.clips)
            if (clip.group.starts_with(groupOfOthers)) others.insert(displayName(clip.file));
        std::erase_if(data.problems, [&](const training::Problem& problem) {
            return !problem.twin.empty() && others.contains(problem.where);
        });
        for (training::Problem& problem : data.problems)
            if (!problem.twin.empty() && others.contains(displayName(problem.twin)))
                problem.what =
                    fmt::format("is a copy of {}, which comes with Earshot as a sound to compare new ones "
                                "with; use other recordings",
                                displayName(problem.twin.filename()));
    }

    // A recording of several sounds without their times: each is where the recording is loud.
    void timeRecordings() {
        for (const training::StoredClip& stored : store->clips()) {
            Clip& clip = clipOf(stored);
            if (clip.strong || clip.labels.size() < 2) continue;
            const double rate = store->sampleRate();
            for (const auto& stretch : stored.activity)
                for (const int label : clip.labels)
                    clip.spans.push_back({static_cast<double>(stretch.first) / rate,
                                          static_cast<double>(stretch.last) / rate, label});
            clip.strong = true;
        }
    }

    // Near copies of an example are of its source: who learnt from one finds the other.
    void joinCopies() {
        std::vector<const training::StoredClip*> examples;
        for (const training::StoredClip& stored : store->clips())
            if (isExample(*stored.clip)) examples.push_back(&stored);
        training::joinNearCopies(data, examples, store->sampleRate(), [this] { return notify(0.0); });
        if (!notify(0.0)) throw Error("stopped");
    }

    Clip& clipOf(const training::StoredClip& stored) {
        return data.clips[static_cast<std::size_t>(stored.clip - data.clips.data())];
    }

    void chooseBuckets() {
        std::map<std::string, int> numbers;
        heard.examples.assign(sounds, 0);
        for (const training::StoredClip& stored : store->clips()) {
            if (!isExample(*stored.clip)) continue;
            const int number = static_cast<int>(numbers.size());
            const int bucket = numbers.try_emplace(stored.clip->group, number).first->second % maxBuckets;
            bucketOf[stored.clip] = bucket;
            heard.buckets = std::max(heard.buckets, bucket + 1);
            for (const int label : stored.clip->labels)
                if (static_cast<std::size_t>(label) < sounds &&
                    secondsOf(stored, static_cast<std::size_t>(label)) > 0.0)
                    ++heard.examples[static_cast<std::size_t>(label)];
        }
        for (std::size_t i = 0; i < sounds; ++i)
            if (heard.examples[i] == 0) throw Error(unusable(i));
    }

    // With the first problem of its examples: one that left it out, if there is one.
    std::string unusable(std::size_t sound) const {
        const auto firstProblem = [&](bool leftOut) {
            return std::ranges::find_if(data.problems, [&](const training::Problem& listed) {
                return std::ranges::any_of(data.clips, [&](const Clip& clip) {
                    return listed.leftOut == leftOut && holds(clip, sound) &&
                           displayName(clip.file) == listed.where;
                });
            });
        };
        auto problem = firstProblem(true);
        if (problem == data.problems.end()) problem = firstProblem(false);
        return fmt::format("no example of {} can be used{}; mark another", printable(data.labels[sound]),
                           problem == data.problems.end() ? std::string() : " (" + problem->what + ")");
    }

    static bool holds(const Clip& clip, std::size_t sound) {
        return std::ranges::binary_search(clip.labels, static_cast<int>(sound));
    }

    // Lets the clips of one bucket and the other sounds take part in what is mixed next; -1: no bucket.
    // only: if not empty, the sounds of the bucket that take part.
    void cast(int bucket, const std::set<std::size_t>& only = {}) {
        for (const training::StoredClip& stored : store->clips()) {
            const auto own = bucketOf.find(stored.clip);
            const auto isHeld = [&](std::size_t sound) { return holds(*stored.clip, sound); };
            const bool takesPart =
                own == bucketOf.end() ||
                (own->second == bucket && (only.empty() || std::ranges::any_of(only, isHeld)));
            clipOf(stored).split = takesPart ? Split::train : Split::unused;
        }
    }

    std::set<int> bucketsWith(std::size_t sound) const {
        std::set<int> buckets;
        for (const auto& [clip, bucket] : bucketOf)
            if (holds(*clip, sound)) buckets.insert(bucket);
        return buckets;
    }

    struct Part {
        int bucket = -1;
        bool plain = false;
        std::shared_ptr<const training::ExampleSource> source;
        int count = 0;
    };

    // Adds windows of what was cast: scenes, and recordings as they are. number: tells its scenes from
    // others.
    void addParts(std::vector<Part>& parts, const training::ExampleShape& shape, int bucket, int number,
                  int mixed, int plain) const {
        const auto scenes = sceneSettings(hasNots);
        const auto seed =
            training::seedFor(settings.seed, lessonPurpose, static_cast<std::uint64_t>(number) + 1);
        const auto counted = [&](int count) {
            return std::max(1, static_cast<int>(std::lround(settings.scenes * count)));
        };
        if (training::hasScenes(*store, Split::train))
            parts.push_back({bucket, false,
                             std::make_shared<const training::SceneMixer>(*store, data, shape, scenes,
                                                                          Split::train, seed),
                             counted(mixed)});
        if (plain > 0 && training::hasRecordings(*store, Split::train))
            parts.push_back({bucket, true,
                             std::make_shared<const training::RecordingSource>(*store, data, shape, scenes,
                                                                               Split::train, seed),
                             counted(plain)});
    }

    // What is to be heard: windows of each bucket's scenes and recordings, and of other sounds alone.
    std::vector<Part> usualParts(const training::ExampleShape& shape) {
        const int perBucket = std::clamp(scenesOfAll / heard.buckets, 1, scenesOfOne);
        std::vector<Part> parts;
        for (int bucket = 0; bucket < heard.buckets; ++bucket) {
            cast(bucket);
            addParts(parts, shape, bucket, bucket, perBucket, std::min(plainOfOne, perBucket));
        }
        cast(-1);
        addParts(parts, shape, -1, -1, scenesOfOthers, 0);
        return parts;
    }

    // More of the sounds that are in few windows, each from one of its buckets.
    std::vector<Part> moreParts(const training::ExampleShape& shape, int round) {
        const int fewest = std::max(1, static_cast<int>(std::lround(settings.scenes * minWindows)));
        std::map<int, std::set<std::size_t>> rare; // by bucket
        for (std::size_t sound = 0; sound < sounds; ++sound)
            if (heard.windowsWith(sound) < fewest) rare[*bucketsWith(sound).begin()].insert(sound);
        std::vector<Part> parts;
        for (const auto& [bucket, few] : rare) {
            cast(bucket, few);
            const int count = moreOfSound * static_cast<int>(few.size());
            addParts(parts, shape, bucket, round * maxBuckets + bucket, count, count);
        }
        return parts;
    }

    void analyse(const std::shared_ptr<const model::Weights>& weights, const training::ExampleShape& shape) {
        heard.kind = settings.rows;
        heard.sounds = sounds;
        heard.width = weights->network().head.inputs();
        heard.secondsPerStep = static_cast<double>(shape.tokenSamples()) / shape.frontend.sampleRate;
        analyse(usualParts(shape), 0.0, weights);
        for (int round = 1; round < maxRounds; ++round)
            if (const auto more = moreParts(shape, round); !more.empty())
                analyse(more, hearingShare, weights);
    }

    // Beyond maxBytes of all windows only a part is heard. before: the progress that was told already
    void analyse(std::vector<Part> parts, double before,
                 const std::shared_ptr<const model::Weights>& weights) {
        const auto steps = static_cast<std::size_t>(weights->config().stepsPerWindow());
        const std::size_t size = steps * static_cast<std::size_t>(heard.width);
        int windows = 0;
        for (const Part& part : parts) windows += part.count;
        const std::size_t first = heard.windows.size();
        const std::size_t room = maxBytes / (size * sizeof(float));
        const int most = first < room ? static_cast<int>(room - first) : 0;
        if (windows > most)
            for (Part& part : parts) part.count = std::max(1, part.count * most / windows);
        std::vector<std::pair<const Part*, int>> order;
        for (const Part& part : parts)
            for (int i = 0; i < part.count; ++i) order.emplace_back(&part, i);
        heard.windows.resize(first + order.size());
        std::atomic<std::size_t> next = 0, done = 0;
        std::atomic<bool> stopped = false;
        team.run([&](int thread) {
            model::Network network(weights);
            const Part* part = nullptr;
            std::unique_ptr<training::ExampleMaker> maker;
            training::Example example;
            for (std::size_t i = next++; i < order.size() && !stopped; i = next++) {
                if (order[i].first != part) {
                    part = order[i].first;
                    maker = part->source->newMaker();
                }
                maker->make(static_cast<std::uint64_t>(order[i].second), example);
                const auto output = network.run(example.logMel);
                HeardWindow& window = heard.windows[first + i];
                window.bucket = part->bucket;
                window.plain = part->plain;
                window.inputs.resize(size);
                network.classInputs(window.inputs);
                keepTargets(example, steps, window);
                if (part->plain) window.keepDetected(output.tokens, thresholds, sounds);
                ++done;
                const double share = static_cast<double>(done) / static_cast<double>(order.size());
                if (thread == 0 && !notify(before > 0.0 ? before : hearingShare * share)) stopped = true;
            }
        });
        if (stopped) throw Error("stopped");
    }

    void keepTargets(const training::Example& example, std::size_t steps, HeardWindow& window) const {
        const std::size_t classes = data.labels.size();
        window.sounds.resize(steps * sounds);
        for (std::size_t step = 0; step < steps; ++step)
            for (std::size_t sound = 0; sound < sounds; ++sound)
                window.sounds[step * sounds + sound] = example.targets[step * classes + sound];
    }

    int sourcesOf(std::size_t sound) const {
        std::set<std::string> groups;
        for (const auto& [clip, bucket] : bucketOf)
            if (holds(*clip, sound)) groups.insert(clip->group);
        return static_cast<int>(groups.size());
    }

    // For how long the sound is marked in the clip. A clip without marks counts where it is loud.
    double secondsOf(const training::StoredClip& stored, std::size_t sound) const {
        const int rate = store->sampleRate();
        const double length = static_cast<double>(stored.samples.size()) / rate;
        const auto sampleAt = [&](double seconds) { return std::llround(std::min(seconds, length) * rate); };
        std::vector<training::Activity> marked;
        for (const auto& span : stored.clip->spans)
            if (static_cast<std::size_t>(span.label) == sound)
                marked.push_back({sampleAt(span.onset), sampleAt(span.offset)});
        std::int64_t samples = 0;
        for (const auto& stretch :
             stored.clip->strong ? training::merged(std::move(marked), 0) : stored.activity)
            samples += stretch.last - stretch.first;
        return static_cast<double>(samples) / rate;
    }

    // Those of the examples, each once, as far as there is room; without a licence examples are for private
    // use.
    std::string licence() const {
        static constexpr std::string_view others = "and others", between = ", ";
        std::set<std::string> licences;
        for (const auto& [clip, bucket] : bucketOf)
            licences.insert(clip->licence.empty() ? "private use" : clip->licence);
        std::string text;
        for (const std::string& one : licences) {
            if (!text.empty()) text += between;
            if (text.size() + one.size() + between.size() + others.size() > TaughtPart::maxLicenceLength)
                return text.append(others);
            text += one;
        }
        return text;
    }

    // A project could not carry others (TaughtPart::valid()).
    void requireNames() const {
        if (sounds > TaughtPart::maxSounds)
            throw Error(fmt::format("there are {} new sounds, and a model takes {} at most; teach fewer, or "
                                    "train a model of its own (earshot train)",
                                    sounds, TaughtPart::maxSounds));
        for (const std::string& name : names)
            if (const auto why = validName(name); !why.empty())
                throw Error(fmt::format("\"{}\": {}", printable(name), why));
    }

    // A name that the model has already, or a sound before, gets " (taught)". Upper and lower case are alike,
    // as where classes are found by name.
    std::vector<std::string> chooseNames() const {
        auto taken = teachable.names();
        for (std::size_t sound = 0; sound < sounds; ++sound) {
            auto name = data.labels[sound];
            while (detection::Labels::named(taken, {}, {}).find(name)) name += " (taught)";
            taken.push_back(std::move(name));
        }
        return {taken.end() - static_cast<std::ptrdiff_t>(sounds), taken.end()};
    }

    std::optional<Reliability> judge(std::size_t sound) const {
        if (sourcesOf(sound) < minSources) return std::nullopt;
        return heard.judge(sound, bucketsWith(sound));
    }

    // Calls work(sound) for each of them, on all threads.
    void forSounds(const std::function<void(std::size_t)>& work) {
        std::atomic<std::size_t> next = 0, done = 0;
        std::atomic<bool> stopped = false;
        team.run([&](int thread) {
            for (std::size_t sound = next++; sound < sounds && !stopped; sound = next++) {
                work(sound);
                ++done;
                if (thread == 0 && !notify(hearingShare + (1.0 - hearingShare) * static_cast<double>(done) /
                                                              static_cast<double>(sounds)))
                    stopped = true;
            }
        });
        if (stopped) throw Error("stopped");
    }

    LessonSettings settings;
    TeachableModel teachable;
    std::vector<float> thresholds = teachable.thresholds();
    DataSet data; // the examples, then the other sounds
    tensor::ThreadPool team;
    std::size_t sounds = 0;
    std::vector<std::string> names;  // of the sounds' classes
    std::vector<std::string> limits; // LessonClips::limits
    bool hasNots = false;            // there are clips that are none of the new sounds
    std::optional<training::ClipStore> store;
    std::map<const Clip*, int> bucketOf; // of the examples' clips
    HeardWindows heard;
};

Lesson::Lesson(DataSet examples, const LessonSettings& settings)
    : impl_(std::make_unique<Impl>(std::move(examples), settings)) {}

Lesson::~Lesson() = default;

const std::string& Lesson::modelName() const { return impl_->teachable.name(); }

const std::vector<training::Problem>& Lesson::problems() const { return impl_->data.problems; }

const std::vector<std::string>& Lesson::limits() const { return impl_->limits; }

void Lesson::write(const std::filesystem::path& model, const std::string& identity) {
    std::vector<TaughtSound> taught(impl_->sounds);
    impl_->forSounds([&](std::size_t sound) {
        taught[sound] = {.name = impl_->names[sound],
                         .row = impl_->heard.fit(sound),
                         .threshold = detection::defaultThreshold};
    });
    impl_->teachable.write(
        model,
        {.note = impl_->teachable.note(identity), .licence = impl_->licence(), .sounds = std::move(taught)});
}

std::vector<LearntSound> Lesson::judge() {
    std::vector<LearntSound> judged(impl_->sounds);
    impl_->forSounds([&](std::size_t sound) {
        LearntSound& result = judged[sound];
        result.label = impl_->data.labels[sound];
        result.name = impl_->names[sound];
        result.examples = impl_->heard.examples[sound];
        result.sources = impl_->sourcesOf(sound);
        for (const training::StoredClip& stored : impl_->store->clips())
            if (Impl::holds(*stored.clip, sound)) result.seconds += impl_->secondsOf(stored, sound);
        result.reliability = impl_->judge(sound);
        for (const int other : impl_->heard.alsoDetected(sound))
            result.alsoDetected.push_back(impl_->teachable.names()[static_cast<std::size_t>(other)]);
    });
    return judged;
}

std::string Lesson::card(const std::filesystem::path& model, const std::vector<LearntSound>& judged) const {
    const TeachableModel& before = impl_->teachable;
    std::string text = fmt::format(
        "# {}\n\n`{}` with sounds that were taught to it. Its own {} sounds and its network are as they "
        "were; its "
        "card names the\nrecordings that it learnt from and their authors. The taught sounds were told from "
        "the "
        "recordings that come with Earshot\nin `Models/others`.\n\nLicence of the model before: {}. Of the "
        "examples: "
        "{}.\n",
        printable(model.stem().string()), printable(before.name()), before.names().size(),
        before.licence().empty() ? "not stated" : printable(before.licence()), printable(impl_->licence()));
    if (judged.empty()) return text;
    text += "\n| sound | examples | seconds | sources | found, of 100 | false alarms in an hour of other "
            "sounds |\n"
            "|---|---|---|---|---|---|\n";
    for (const LearntSound& sound : judged)
        text += fmt::format(
            "| {} | {} | {:.1f} | {} | {} | {} |\n", printable(sound.name), sound.examples, sound.seconds,
            sound.sources, sound.reliability ? fmt::format("{:.0f}", 100.0 * sound.reliability->found) : "",
            sound.reliability ? fmt::format("{:.0f}", sound.reliability->falseAlarmsPerHour) : "");
    std::set<std::string> credits;
    for (const auto& [clip, bucket] : impl_->bucketOf)
        if (!clip->author.empty())
            credits.insert(fmt::format("{} ({})", printable(clip->author),
                                       clip->licence.empty() ? "private use" : printable(clip->licence)));
    if (!credits.empty()) text += fmt::format("\nAuthors of the examples: {}.\n", fmt::join(credits, ", "));
    return text;
}

} // namespace earshot::teaching
