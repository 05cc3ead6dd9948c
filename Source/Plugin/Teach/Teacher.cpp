#include "Plugin/Teach/Teacher.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Base/Counted.h"
#include "Core/Base/Error.h"
#include "Core/Base/Log.h"
#include "Core/Base/Platform/Files.h"
#include "Core/Base/Platform/System.h"
#include "Core/Base/Synchronized.h"
#include "Core/Base/WholeFile.h"
#include "Core/Model/ModelLocator.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Model/Reading/ConfigReader.h"
#include "Core/Teaching/Collection.h"
#include "Core/Teaching/Lesson.h"
#include "Core/Teaching/TaughtModel.h"
#include "Core/Tensor/Threads.h"
#include "Plugin/Base/UserLists.h"
#include "Plugin/Teach/LessonModels.h"
#include "Ui/EditHistory.h"
#include "Ui/Panels/Widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

namespace earshot::plugin {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds pausePoll{50}; // of a lesson during a bounce

std::string describe(const teaching::Reliability& reliability, int examples) {
    const auto alarms = std::lround(reliability.falseAlarmsPerHour);
    return fmt::format("Detects {:.0f} % in cross-validation on {}; {} per hour among other sounds",
                       100.0 * reliability.found, counted(examples, "example"),
                       alarms == 0 ? std::string("less than one false alarm")
                                   : counted(alarms, "false alarm"));
}

// What is missing before a sound can be judged.
std::string describeMissing(int groups) {
    const int missing = teaching::minSources - groups;
    return fmt::format("Cannot be judged yet: mark it in {} more recording{}", missing,
                       missing == 1 ? "" : "s");
}

std::vector<float> readStretch(const fs::path& recording, int channel, double from, double to, int& rate,
                               double& start) {
    audio::AudioFile file(recording, Pipes::refused, {.channel = channel});
    rate = file.sampleRate();
    const auto first = static_cast<std::int64_t>(std::floor(std::max(0.0, from) * rate));
    const auto last = static_cast<std::int64_t>(std::ceil(to * rate));
    file.seek(first);
    start = static_cast<double>(first) / rate;
    std::vector<float> samples(static_cast<std::size_t>(std::max<std::int64_t>(0, last - first)));
    std::size_t count = 0;
    while (count < samples.size()) {
        const std::size_t read = file.read(std::span(samples).subspan(count));
        if (read == 0) break;
        count += read;
    }
    samples.resize(count);
    return samples;
}

// While it lives, no other lesson runs for this user.
class RunningLesson {
  public:
    RunningLesson() {
        const fs::path lock = lessonLock().getFullPathName().toStdString();
        std::error_code failure; // where there is no lock, lessons may run beside each other
        fs::create_directories(lock.parent_path(), failure);
        file_ = platform::openOrCreate(lock);
        if (file_.isOpen() && !platform::lock(file_.number()) && errno == EWOULDBLOCK)
            throw Error("Another Earshot is training; try again when it has finished");
    }

  private:
    platform::Descriptor file_;
};

} // namespace

struct Teacher::State {
    fs::path folder;
    std::string hint;
    std::string refusal; // why the last change was not made
    int refusals = 0;
    std::vector<teaching::ClassSummary> sounds;
    std::string examples;  // the collection's fingerprint
    bool possible = false; // the model can be taught
    std::string why;       // it cannot
    RetrainOffer retrainOffer;
    std::string learnt; // the fingerprint that the model has learnt; may be empty
    std::string judged; // the fingerprint to which `learntSounds` belong
    std::map<std::string, teaching::LearntSound> learntSounds; // by name
    bool learning = false;
    double progress = 0.0;
    std::string doing, outcome;
    std::optional<Result> result;
};

struct Teacher::Shared {
    Synchronized<State> state;
    std::atomic<bool> paused = false;
    std::function<void()> beforeDisk;
    std::vector<std::optional<teaching::Collection::Edit>> edits; // null: cannot be undone; the disk's thread

    void edit(const std::function<void(State&)>& change) { state.with(change); }
    fs::path folderNow() const {
        return state.with([](const State& s) { return s.folder; });
    }

    void take(const teaching::Collection& collection) {
        auto summaries = collection.summaries();
        auto fingerprint = collection.fingerprint();
        std::string problem;
        if (!collection.problems().empty())
            problem = fmt::format("{} left out: {}: {}", counted(collection.problems().size(), "example"),
                                  collection.problems().front().where, collection.problems().front().what);
        edit([&](State& s) {
            s.sounds = std::move(summaries);
            s.examples = std::move(fingerprint);
            s.hint = std::move(problem);
        });
    }

    void lookAt(const fs::path& model) {
        bool can = false;
        std::string reason, fingerprint;
        try {
            const auto file = model.empty() ? model::defaultModel() : model;
            const auto checkpoint = model::Checkpoint::open(file);
            can = model::readLayout(*checkpoint).config.head != model::HeadKind::pooled;
            if (!can)
                reason = "This model cannot be taught, because it only scores whole windows. Load another "
                         "one, such as the "
                         "default model.";
            if (const auto note = teaching::TaughtNote::read(checkpoint->metadata(), file))
                fingerprint = note->examples;
        } catch (const Error& error) {
            logCaught("looking whether the model can be taught");
            reason = error.what();
        }
        edit([&](State& s) {
            s.possible = can;
            s.why = reason;
            s.learnt = fingerprint;
        });
    }

    void lookForRenewal(const fs::path& model, const fs::path& place) {
        RetrainOffer found;
        try {
            found = RetrainOffer::find(model, place);
        } catch (const Error&) { // a model that cannot be taught
            logCaught("comparing the model with the collection");
        }
        edit([&](State& s) { s.retrainOffer = found; });
    }

    // Makes room for the next change; those that were taken back are lost.
    void beginEdit(int place) {
        edits.resize(static_cast<std::size_t>(place));
        edits.emplace_back();
        if (edits.size() > ui::EditHistory::maxSteps)
            edits[edits.size() - 1 - ui::EditHistory::maxSteps] = {};
    }

    // Takes a change back, or makes it again.
    void flip(int place) {
        auto& edit = edits.at(static_cast<std::size_t>(place));
        const auto before = std::exchange(edit, std::nullopt);
        if (!before)
            throw Error("This change of the examples failed or cannot be undone: another collection was "
                        "opened");
        teaching::Collection collection(folderNow());
        collection.revert(*before);
        edit = collection.lastEdit();
        take(collection);
    }

    void teach(const fs::path& model, const StopToken& stop);
};

Teacher::Teacher(std::function<void()> beforeDisk)
    : shared_(std::make_shared<Shared>()) {
    shared_->beforeDisk = std::move(beforeDisk);
}

Teacher::~Teacher() { stop(); }

void Teacher::look(const fs::path& model) {
    model_ = model;
    disk_.add([shared = shared_, model] {
        if (shared->beforeDisk) shared->beforeDisk();
        shared->lookAt(model);
        auto folder = shared->folderNow();
        if (folder.empty()) folder = collectionFolder().getFullPathName().toStdString();
        try {
            const teaching::Collection collection(folder);
            shared->take(collection);
            shared->edit([&](State& s) { s.folder = folder; });
            shared->lookForRenewal(model, folder);
        } catch (const Error& error) {
            logCaught("reading the collection of sounds");
            shared->edit([&](State& s) { s.hint = error.what(); });
        }
    });
}

void Teacher::follow(const fs::path& model) {
    if (model_ && *model_ != model) look(model);
}

ui::Teaching Teacher::view() const {
    const State state = shared_->state.copy();
    const bool hasExamples =
        std::ranges::any_of(state.sounds, [](const auto& sound) { return sound.examples > 0; });
    const bool canRenew = hasExamples && !state.retrainOffer.offer.empty();
    ui::Teaching teaching;
    teaching.possible = state.possible;
    teaching.hint = ui::toText(state.possible || state.why.empty() ? state.hint : state.why);
    if (state.possible && canRenew)
        teaching.hint = ui::toText(state.retrainOffer.offer + " " + state.hint).trim();
    teaching.refusal = ui::toText(state.refusal);
    teaching.refusals = state.refusals;
    teaching.folder = juce::File(ui::toText(state.folder.string()));
    const bool isLearnt = !state.examples.empty() && state.learnt == state.examples;
    const bool isJudged = state.judged == state.examples;
    for (const auto& summary : state.sounds) {
        ui::TaughtSound sound;
        sound.name = ui::toText(summary.label);
        sound.examples = summary.examples;
        sound.counterExamples = summary.counterExamples;
        sound.seconds = summary.seconds;
        sound.sources = summary.groups;
        sound.learnt = isLearnt && summary.examples > 0;
        const auto found = state.learntSounds.find(summary.label);
        const auto* learnt = isJudged && found != state.learntSounds.end() ? &found->second : nullptr;
        if (summary.examples == 0)
            sound.reliability = "No examples yet";
        else if (summary.groups < teaching::minSources)
            sound.reliability = ui::toText(describeMissing(summary.groups));
        else if (learnt != nullptr && learnt->reliability)
            sound.reliability = ui::toText(describe(*learnt->reliability, learnt->examples));
        if (learnt != nullptr)
            for (const auto& name : learnt->alsoDetected) sound.alsoDetected.add(ui::toText(name));
        teaching.sounds.push_back(std::move(sound));
    }
    teaching.learning = state.learning;
    teaching.progress = state.progress;
    teaching.doing = ui::toText(state.doing);
    // A sentence, in which clips are called by their place in the collection.
    teaching.outcome = ui::toText(state.outcome)
                           .replace(teaching.folder.getFullPathName() + juce::File::getSeparatorString(), "");
    if (teaching.outcome.isNotEmpty())
        teaching.outcome = teaching.outcome.substring(0, 1).toUpperCase() + teaching.outcome.substring(1);
    teaching.canLearn = state.possible && !state.learning && hasExamples && (!isLearnt || canRenew);
    return teaching;
}

// Adds `work` to what is done on the disk.
std::string Teacher::change(std::function<void(Shared&)> work) {
    if (shared_->folderNow().empty()) return "The collection is being read; try again in a moment";
    if (shared_->paused)
        return "A bounce is running, and nothing is written meanwhile; try again when it has finished";
    disk_.add([shared = shared_, work = std::move(work)] {
        std::string problem;
        try {
            if (shared->beforeDisk) shared->beforeDisk();
            work(*shared);
        } catch (...) {
            logCaught("changing the collection of sounds");
            problem = caughtCause();
        }
        shared->edit([&](State& s) {
            if (!problem.empty()) {
                s.hint = problem;
                ++s.refusals;
            }
            s.refusal = problem;
        });
    });
    return "";
}

// A change that restore() can take back.
std::string Teacher::edit(std::function<void(teaching::Collection&)> work) {
    auto problem = change([work = std::move(work), place = edits_](Shared& shared) {
        shared.beginEdit(place);
        teaching::Collection collection(shared.folderNow());
        work(collection);
        shared.edits.back() = collection.lastEdit();
        shared.take(collection);
    });
    if (problem.empty()) ++edits_;
    return problem;
}

std::string Teacher::restore(int edits) {
    auto problem = change([from = edits_, to = edits](Shared& shared) {
        for (int place = from; place > to; --place) shared.flip(place - 1);
        for (int place = from; place < to; ++place) shared.flip(place);
    });
    if (problem.empty()) edits_ = edits;
    return problem;
}

std::string Teacher::keep(const std::string& sound, bool is, HeardStretch stretch) {
    if (auto problem = teaching::validName(sound); !problem.empty()) return problem;
    return edit([sound, is, stretch = std::move(stretch)](teaching::Collection& collection) mutable {
        // What surrounds a counter-example may be the sound itself.
        const double beside = is ? context : 0.0;
        if (!stretch.recording.empty())
            stretch.samples = readStretch(stretch.recording, stretch.channel, stretch.onset - beside,
                                          stretch.offset + beside, stretch.sampleRate, stretch.start);
        const double length = static_cast<double>(stretch.samples.size()) / stretch.sampleRate;
        const double onset = std::max(0.0, stretch.onset - stretch.start);
        const double offset = std::min(length, stretch.offset - stretch.start);
        if (!(offset - onset >= 0.02)) throw Error("That stretch cannot be read; mark another one");
        teaching::NewExample example;
        example.samples = stretch.samples;
        example.sampleRate = stretch.sampleRate;
        example.onset = onset;
        example.offset = offset;
        (is ? example.label : example.against) = sound;
        example.group = stretch.group;
        collection.add(example);
    });
}

std::string Teacher::rename(const std::string& sound, const std::string& name) {
    if (auto problem = teaching::validName(name); !problem.empty()) return problem;
    return edit([sound, name](teaching::Collection& collection) { collection.rename(sound, name); });
}

std::string Teacher::forget(const std::string& sound) {
    return edit([sound](teaching::Collection& collection) { collection.forget(sound); });
}

std::string Teacher::open(const fs::path& folder) { return takeFolder(folder, true); }
std::string Teacher::add(const fs::path& folder) { return takeFolder(folder, false); }

std::string Teacher::takeFolder(const fs::path& folder, bool opens) {
    auto problem = change([folder, opens, model = model_, edits = edits_](Shared& shared) {
        shared.beginEdit(edits);
        std::error_code failure;
        const bool isCollection = fs::exists(teaching::Collection(folder).table(), failure);
        const fs::path place = opens || isCollection ? folder : shared.folderNow();
        teaching::Collection collection(place);
        if (!isCollection) collection.addFolder(folder); // of class folders
        if (place == folder)                             // whose changes cannot be undone
            for (auto& edit : shared.edits) edit.reset();
        else
            shared.edits.back() = collection.lastEdit();
        shared.edit([&](State& s) { s.folder = place; });
        shared.take(collection);
        if (place == folder) rememberCollection(juce::File(ui::toText(folder.string())));
        if (model) shared.lookForRenewal(*model, place); // other lessons lie there
    });
    if (problem.empty()) ++edits_;
    return problem;
}

std::string Teacher::learn(const fs::path& model) {
    if (!view().canLearn) return "There is nothing new to train on";
    fs::path before = model;
    shared_->edit([&](State& s) {
        if (s.retrainOffer.fromDefault) before.clear();
        s.learning = true;
        s.progress = 0.0;
        s.doing = "Analysing the examples";
        s.outcome.clear();
    });
    const auto ended = [](Shared& shared, const std::string& outcome) {
        shared.edit([&](State& s) {
            s.learning = false;
            s.doing.clear();
            if (!outcome.empty()) s.outcome = outcome;
        });
    };
    try {
        lesson_ = BackgroundThread([shared = shared_, model = before, ended](const StopToken& stop) {
            std::string outcome;
            try {
                shared->teach(model, stop);
            } catch (const Stopped&) {
                outcome = "Stopped; nothing has changed";
            } catch (...) {
                logCaught("teaching");
                outcome = caughtCause();
            }
            ended(*shared, outcome);
        });
    } catch (...) {
        logCaught("teaching");
        ended(*shared_, "");
        return caughtCause();
    }
    return "";
}

void Teacher::Shared::teach(const fs::path& modelFile, const StopToken& stop) {
    platform::yieldToOthers();
    const RunningLesson alone; // throws if another lesson runs on this computer
    const StopToken::Computing computing(stop);
    const auto place = folderNow();
    const teaching::Collection collection(place);
    const auto identity = collection.fingerprint();
    training::DataChoice choice;
    choice.sources = {collection.table()};
    choice.minClips = 1;

    const auto start = std::chrono::steady_clock::now();
    teaching::LessonSettings settings;
    settings.model = modelFile.empty() ? model::defaultModel() : modelFile;
    settings.threads = std::max(1, tensor::availableCores() / 2);
    settings.progress = [&](double done) {
        while (paused && !stop.requested()) std::this_thread::sleep_for(pausePoll);
        edit([&](State& s) { s.progress = done; });
        return !stop.requested();
    };
    const auto run = [&](auto&& work) {
        try {
            return work();
        } catch (const Error&) {
            if (stop.requested()) throw Stopped();
            throw;
        }
    };
    const auto lesson =
        run([&] { return std::make_unique<teaching::Lesson>(training::readDataSet(choice), settings); });
    const auto file = placeFor(place, lesson->modelName());
    Result made{file, {}};
    std::error_code failure;
    run([&] {
        if (fs::exists(file, failure)) {
            // Kept for undoing.
            made.before = file;
            made.before.replace_extension(".before.safetensors");
            WholeFile kept(made.before);
            kept.takeFrom(file);
            kept.commit();
        }
        lesson->write(file, identity);
        writeWholeFile(cardOf(file), lesson->card(file, {}));
    });
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    edit([&](State& s) {
        s.result = made;
        s.progress = 1.0;
        s.doing = "Measuring the result";
        s.outcome = fmt::format("Trained in {:.0f} s", std::max(1.0, took.count()));
        for (const auto& limit : lesson->limits()) s.outcome += "; " + limit;
    });
    try {
        const auto learntSounds = lesson->judge();
        writeWholeFile(cardOf(file), lesson->card(file, learntSounds));
        edit([&](State& s) {
            s.judged = identity;
            s.learntSounds.clear();
            for (const auto& sound : learntSounds) s.learntSounds[sound.label] = sound;
        });
    } catch (const Error& error) {
        // What was learnt stays.
        logCaught("judging what was learnt");
        const std::string why = stop.requested() ? "it was stopped" : error.what();
        edit([&](State& s) { s.outcome += "; its reliability was not measured: " + why; });
    }
}

void Teacher::stop() { lesson_.stop(); }

void Teacher::setPaused(bool paused) noexcept { shared_->paused = paused; }

std::optional<Teacher::Result> Teacher::takeResult() {
    return shared_->state.with([](State& s) { return std::exchange(s.result, std::nullopt); });
}

void Teacher::notify(const std::string& more) {
    shared_->edit([&](State& s) { s.outcome += "; " + more; });
}

} // namespace earshot::plugin
