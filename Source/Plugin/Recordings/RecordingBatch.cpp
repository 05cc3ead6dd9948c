#include "Plugin/Recordings/RecordingBatch.h"

#include "Core/Base/Counted.h"
#include "Core/Base/Error.h"
#include "Core/Base/Log.h"
#include "Core/Base/Platform/System.h"
#include "Core/Base/Unicode.h"
#include "Core/Batch/Batch.h"
#include "Core/Batch/BatchModel.h"
#include "Core/Detection/Events/Sebbs.h"
#include "Core/Model/ModelLocator.h"
#include "Core/Tensor/Threads.h"
#include "Plugin/Base/Refusal.h"
#include "Ui/Panels/Widgets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace earshot::plugin {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds searchPoll{50};

// What a message of the command line advises, as the app does it.
std::string adviceInApp(std::string why) {
    constexpr std::string_view option = ", or --decode-with ffmpeg";
    if (const auto at = why.find(option); at != std::string::npos)
        why.replace(at, option.size(), ", or let ffmpeg read it (Settings > Audio)");
    return withoutOptions(why);
}

// A folder that the user has not chosen is not shared with other files.
void refuseStrangers(const fs::path& results) {
    std::error_code failure;
    if (!fs::exists(results, failure) || fs::exists(batch::Journal::fileIn(results), failure)) return;
    if (!fs::is_directory(results, failure) || !fs::is_empty(results, failure))
        throw Error(displayName(results) +
                    ": already exists and was not made by Earshot; choose another folder for the results");
}

batch::RuleNames namesOf(const ChosenRules& chosen, const detection::RuleChoice& rules,
                         const detection::Labels& labels, bool byConfidence) {
    batch::RuleNames names{.minDuration = rules.minDuration, .mergeGap = rules.mergeGap};
    if (byConfidence) { // nothing else counts
        names.confidence = "auto";
        return names;
    }
    names.median = rules.median;
    names.threshold = batch::nameOfThreshold(rules.threshold);
    if (rules.release != detection::defaultRelease)
        names.release = fmt::format("the model's, moved to {} of the threshold", rules.release);
    std::vector<std::string> own;
    for (const auto& [name, threshold] : chosen.classThresholds)
        if (labels.find(name)) own.push_back(fmt::format("{}={}", name, threshold));
    if (!own.empty()) names.classThresholds = fmt::format("{}", fmt::join(own, ", "));
    return names;
}

std::string conclusion(const RecordingListState& state) {
    std::size_t done = 0, failed = 0;
    for (const auto& folder : state.folders)
        for (const auto& row : folder.rows) {
            done += row.shown.state == ui::ListedRecording::State::done ? 1u : 0u;
            failed += row.shown.state == ui::ListedRecording::State::failed ? 1u : 0u;
        }
    auto text =
        done == 1 ? std::string("1 recording is done.") : fmt::format("{} recordings are done.", done);
    if (failed > 0) text += fmt::format(" {} could not be analysed: the list says why.", failed);
    return text;
}

void begin(RecordingListState& state, const fs::path& place) {
    auto* folder = state.find(place);
    if (folder == nullptr) return;
    std::set<int> ids;
    for (auto& row : folder->rows) {
        ids.insert(row.shown.id);
        row.shown.state = ui::ListedRecording::State::waiting;
        row.shown.events = 0;
        row.shown.why = {};
        row.shown.mostly = {};
    }
    state.forgetEvents(ids);
    state.rowsChanged = true;
}

// The sound whose events are the longest in all; of a recording without events the likeliest one and how
// likely it is.
std::string mostly(const formats::RecordingEvents& result) {
    std::map<std::string, double> seconds;
    for (const auto& event : result.events) seconds[event.label] += std::max(0.0, event.offset - event.onset);
    const auto longest =
        std::ranges::max_element(seconds, {}, [](const auto& sound) { return sound.second; });
    if (longest != seconds.end()) return longest->first;
    if (result.top.empty()) return {};
    return fmt::format("{} {:.2f}", result.top.front().label, result.top.front().score);
}

void record(RecordingListState& state, const fs::path& place, const batch::JournalEntry& entry) {
    auto* folder = state.find(place);
    auto* row = folder != nullptr ? folder->find(entry.name) : nullptr;
    if (row == nullptr) return; // it was removed meanwhile
    auto& shown = row->shown;
    const auto& why = entry.unreachable.empty() ? entry.failure : entry.unreachable;
    shown.state = why.empty() ? ui::ListedRecording::State::done : ui::ListedRecording::State::failed;
    shown.why = ui::toText(adviceInApp(why));
    if (entry.result) {
        if (entry.result->seconds > 0.0 && entry.result->seconds < latestMoment)
            shown.seconds = entry.result->seconds;
        shown.start = entry.result->start;
        shown.events = static_cast<int>(entry.result->events.size());
        shown.mostly = ui::toText(mostly(*entry.result));
        state.listEvents(shown.id, entry.result->events);
    }
    state.rowsChanged = true;
}

void note(RecordingListState& state, const fs::path& place, const batch::BatchProgress& now) {
    state.progress = now.share;
    state.doing =
        fmt::format("{}: {} of {}", displayName(place.filename()), now.done, counted(now.total, "recording"));
    auto* folder = state.find(place);
    if (folder == nullptr) return;
    for (const auto& [name, share] : now.hearing) {
        auto* row = folder->find(name);
        // It may be done since this was noted.
        if (row == nullptr || row->shown.state == ui::ListedRecording::State::done ||
            row->shown.state == ui::ListedRecording::State::failed)
            continue;
        row->shown.state = ui::ListedRecording::State::hearing;
        row->shown.share = share;
        state.rowsChanged = true;
    }
}

batch::BatchRequest requestFor(SharedListState& shared, const fs::path& place) {
    batch::BatchRequest request;
    const bool chosen = shared.with([&](RecordingListState& state) {
        const auto* folder = state.find(place);
        if (folder == nullptr) return true;
        if (folder->results.empty())
            throw Error(displayName(place) + ": has no folder beside it; choose a folder for the results");
        request.folder = folder->results;
        request.inputs.base = place;
        for (const auto& row : folder->rows) request.inputs.recordings.push_back(row.input);
        if (folder->whole) request.inputs.folders = {place};
        return folder->resultsChosen;
    });
    if (!chosen) refuseStrangers(request.folder);
    return request;
}

void analyse(SharedListState& shared, const fs::path& place, const WantedBatch& wanted,
             const StopToken& stop) {
    auto request = requestFor(shared, place);
    if (request.inputs.recordings.empty()) return;
    const HowToListen& how = wanted.how;
    const auto file = how.model.empty() ? model::defaultModel() : how.model;
    const auto model = detection::openModel(file, how.words, model::Precision::automatic, stop);
    if (!model.notice.empty()) throw Error(model.notice);
    if (model.labels.count() == 0)
        throw Error(displayName(file.filename()) +
                    ": has no classes of its own; type the sounds to detect first, then analyse");
    const auto rules = how.rules.of(model.labels, model.secondsPerToken());
    detection::DetectorOptions listening{.mode = how.mode,
                                         .hop = detection::usualHop(model.shape, how.mode),
                                         .events = detection::eventSettings(rules, model.labels),
                                         .reported = {},
                                         .reading = {.channel = how.channel}};
    const auto sebbs = how.byConfidence ? model.labels.sebbs() : nullptr;
    if (sebbs) detection::useSebbs(listening.events, sebbs, sebbs->minConfidence());
    request.outputs = {batch::documentKind(*formats::formatNamed("csv"))};
    request.model = batch::describeModel(model, stop);
    request.fingerprint = batch::fingerprint(model, request.model, listening,
                                             namesOf(how.rules, rules, model.labels, sebbs != nullptr));
    request.threads = std::max(1, tensor::availableCores() / 2);
    request.restart = wanted.again;
    request.readFiles = {model.weights->file()};
    if (const auto labels = detection::labelFileBeside(model.weights->file()))
        request.readFiles.push_back(*labels);
    const auto recorded = [&](const batch::JournalEntry& entry) {
        shared.with([&](RecordingListState& state) { record(state, place, entry); });
    };
    request.recorded = recorded;

    batch::Batch work(std::move(request));
    stop.check();
    shared.with([&](RecordingListState& state) { begin(state, place); });
    work.eachDone(recorded);
    const auto summary =
        work.run(detection::makeDetector(model, listening), [&](const batch::BatchProgress& now) {
            shared.with([&](RecordingListState& state) { note(state, place, now); });
            return !stop.requested();
        });
    if (summary.stopped) throw Stopped();
}

// Takes the next folder that is to be heard; without one, state.runs says whether any are searched for.
std::optional<std::pair<fs::path, WantedBatch>> takeNext(RecordingListState& state, std::string& problems) {
    const auto next =
        std::ranges::find_if(state.folders, [](const auto& folder) { return folder.wanted.has_value(); });
    if (next == state.folders.end()) {
        if (state.hearing) {
            state.rest();
            state.hint = problems.empty() ? conclusion(state) : problems;
            problems.clear();
        }
        state.runs = state.searches > 0;
        return std::nullopt;
    }
    state.current = next->folder;
    state.hearing = true;
    state.progress = 0.0;
    state.doing = "Loading the model";
    next->otherSettings = false;
    return std::pair(next->folder, *std::exchange(next->wanted, std::nullopt));
}

// Hears the next folder. Returns false if there is none, and none is searched for.
bool hearNext(SharedListState& shared, std::string& problems, const StopToken& stop) {
    bool runs = true;
    const auto next = shared.with([&](RecordingListState& state) {
        auto taken = takeNext(state, problems);
        runs = state.runs;
        return taken;
    });
    if (!next) {
        if (!runs) return false;
        stop.check();
        std::this_thread::sleep_for(searchPoll);
        return true;
    }
    const auto& [place, wanted] = *next;
    const auto add = [&](const std::string& problem) {
        problems += (problems.empty() ? "" : "\n") + problem;
    };
    try {
        analyse(shared, place, wanted, stop);
    } catch (const batch::SettingsError& error) {
        shared.with([&](RecordingListState& state) {
            auto* folder = state.find(next->first);
            if (folder == nullptr) return;
            folder->otherSettings = true;
            add(fmt::format("{}: these results were made with other settings ({}). Analyse again replaces "
                            "them, or choose another folder for the results.",
                            displayName(folder->results), error.differences));
        });
    } catch (const Error& error) {
        logCaught(displayName(place));
        add(withoutOptions(error.what()));
    } catch (const fs::filesystem_error& error) {
        logCaught(displayName(place));
        add(fmt::format("{}: {}; check that its disk is connected", displayName(error.path1()),
                        error.code().message()));
    }
    return true;
}

} // namespace

void hearRecordings(SharedListState& shared, const StopToken& stop) {
    std::string problems;
    std::string ending;
    try {
        platform::yieldToOthers();
        while (hearNext(shared, problems, stop)) {
        }
        return;
    } catch (const Stopped&) {
        ending = "Stopped. Finished results are kept; Analyse all continues from there.";
    } catch (...) {
        logCaught("analysing recordings");
        ending = caughtCause();
    }
    shared.with([&](RecordingListState& state) {
        for (auto& folder : state.folders) folder.wanted.reset();
        state.rest();
        state.runs = false;
        state.hint = ending;
    });
}

} // namespace earshot::plugin
