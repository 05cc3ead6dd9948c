#include "Plugin/Recordings/RecordingSearch.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Audio/FileKinds.h"
#include "Core/Base/Error.h"
#include "Core/Base/Log.h"
#include "Core/Base/Unicode.h"
#include "Ui/Panels/Widgets.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <system_error>
#include <utility>

namespace earshot::plugin {

namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

// Beside the folder, or in the user's documents if nothing can be written there, as beside a memory card.
// Empty where there is no such place.
fs::path proposedResults(const fs::path& folder) {
    if (!folder.has_filename()) return {};
    auto name = folder.filename();
    name += " earshot results";
    const auto documents = juce::File::getSpecialLocation(juce::File::userDocumentsDirectory);
    const bool beside = juce::File(folder.parent_path().string()).hasWriteAccess();
    return (beside ? folder.parent_path() : fs::path(documents.getFullPathName().toStdString())) / name;
}

// 0 if it cannot be told.
double lengthOf(const fs::path& recording) {
    try {
        const audio::AudioFile file(recording);
        return static_cast<double>(file.frames()) / file.sampleRate();
    } catch (const Error&) {
        logCaught("reading the length of a recording");
        return 0.0;
    }
}

// Lists a folder that was dropped. Recordings that are listed already keep what is known of them.
void take(RecordingListState& state, const DroppedFolder& dropped, std::vector<batch::Input> inputs,
          const HowToListen& how) {
    const fs::path& place = dropped.folder;
    if (state.find(place) == nullptr) state.folders.push_back(dropped);
    batch::sortByName(inputs);
    std::map<fs::path, ui::ListedRecording> known;
    std::set<fs::path> found;
    for (const auto& input : inputs) found.insert(input.path);
    std::set<int> changed; // they are gone, or have another folder of results now
    for (auto& folder : state.folders) {
        const bool same = folder.folder == place;
        std::erase_if(folder.rows, [&](const ListRow& row) {
            const bool stays = found.contains(row.input.path);
            if (!same && !stays) return false;
            if (same != stays) changed.insert(row.shown.id);
            if (stays) known[row.input.path] = row.shown;
            return true;
        });
    }
    state.forgetEvents(changed);
    auto& folder = *state.find(place);
    folder.whole = true;
    for (auto& input : inputs) {
        ui::ListedRecording shown;
        if (const auto before = known.find(input.path); before != known.end()) shown = before->second;
        if (shown.id == 0 || changed.contains(shown.id)) {
            const int id = shown.id == 0 ? ++state.lastId : shown.id;
            const double seconds = shown.seconds;
            shown = {};
            shown.id = id;
            shown.seconds = seconds;
        }
        shown.file = juce::File(ui::toText(input.path.string()));
        shown.name = ui::toText(displayText(input.name));
        shown.results = juce::File(ui::toText(folder.results.string()));
        if (input.problem) {
            shown.state = ui::ListedRecording::State::failed;
            shown.why = ui::toText(*input.problem);
        }
        folder.rows.push_back({std::move(input), std::move(shown)});
    }
    folder.wanted = WantedBatch{how, false};
    std::erase_if(state.folders, [&](const DroppedFolder& each) { return each.rows.empty(); });
    state.rowsChanged = true;
}

void takeFile(RecordingListState& state, const DroppedFolder& dropped, batch::Input input) {
    for (const auto& folder : state.folders)
        if (std::ranges::any_of(folder.rows,
                                [&](const ListRow& row) { return row.input.path == input.path; }))
            return;
    if (state.find(dropped.folder) == nullptr) state.folders.push_back(dropped);
    auto& folder = *state.find(dropped.folder);
    ui::ListedRecording shown;
    shown.id = ++state.lastId;
    shown.file = juce::File(ui::toText(input.path.string()));
    shown.name = ui::toText(displayText(input.name));
    shown.results = juce::File(ui::toText(folder.results.string()));
    const auto at = std::ranges::lower_bound(folder.rows, input.name, {}, &ListRow::name);
    folder.rows.insert(at, {std::move(input), std::move(shown)});
    state.rowsChanged = true;
}

void look(SharedListState& shared, const fs::path& path, const HowToListen& how) {
    std::error_code failure;
    const auto status = fs::status(path, failure);
    if (!fs::exists(status))
        throw Error(displayName(path) + ": cannot be found; check that its disk is connected");
    const bool isFolder = fs::is_directory(status);
    if (!isFolder && !audio::hasAudioExtension(path) && !audio::hasForeignAudioExtension(path))
        throw Error(displayName(path.filename()) +
                    ": is neither a recording (WAV, FLAC, MP3, OGG...) nor a folder of recordings");
    const auto whole = batch::tidied(path);
    auto inputs = batch::findInputs({}, std::vector<std::string>{whole.string()}).recordings;
    if (!isFolder && inputs.empty()) return;
    const fs::path place = isFolder ? whole : whole.parent_path();
    const DroppedFolder dropped{place,
                                proposedResults(place)}; // looks at the disk, before the list is locked
    shared.with([&](RecordingListState& state) {
        if (isFolder)
            take(state, dropped, std::move(inputs), how);
        else
            takeFile(state, dropped, std::move(inputs.front()));
    });
}

// Reads the lengths of all that are listed.
void measure(SharedListState& shared, const StopToken& stop) {
    std::vector<std::pair<int, fs::path>> unknown;
    shared.with([&](const RecordingListState& state) {
        for (const auto& folder : state.folders)
            for (const auto& row : folder.rows)
                if (row.shown.seconds == 0.0 && !row.input.problem)
                    unknown.emplace_back(row.shown.id, row.input.path);
    });
    std::map<int, double> lengths;
    const auto keep = [&] {
        shared.with([&](RecordingListState& state) {
            for (auto& folder : state.folders)
                for (auto& row : folder.rows)
                    if (const auto length = lengths.find(row.shown.id); length != lengths.end())
                        row.shown.seconds = length->second;
            state.rowsChanged = true;
        });
        lengths.clear();
    };
    auto kept = SteadyClock::now();
    for (const auto& [id, path] : unknown) {
        stop.check();
        if (const double length = lengthOf(path); length > 0.0) lengths[id] = length;
        if (SteadyClock::now() - kept < rowsEvery) continue;
        keep();
        kept = SteadyClock::now();
    }
    keep();
}

} // namespace

void searchRecordings(SharedListState& shared, const std::vector<fs::path>& paths, const HowToListen& how,
                      const StopToken& stop) {
    struct Searching {
        SharedListState& shared;
        explicit Searching(SharedListState& owner)
            : shared(owner) {}
        ~Searching() {
            shared.with([](RecordingListState& state) { --state.searches; });
        }
        Searching(const Searching&) = delete;
        Searching& operator=(const Searching&) = delete;
    };
    {
        const auto say = [&](const std::string& text) {
            shared.with([&](RecordingListState& state) { state.hint = text; });
        };
        const Searching searching(shared);
        for (const fs::path& path : paths) {
            stop.check();
            try {
                look(shared, path, how);
            } catch (const Error& error) {
                logCaught("looking for recordings");
                say(error.what());
            } catch (const fs::filesystem_error&) {
                logCaught("looking for recordings");
                say(displayName(path) + ": cannot be searched; check that its disk is connected");
            }
        }
    }
    measure(shared, stop);
}

} // namespace earshot::plugin
