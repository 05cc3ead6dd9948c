// What is known of the app's recordings: the dropped folders, their rows, the events that were found in them,
// and how far the batch is. Recordings, the searches (RecordingSearch) and the batch (RecordingBatch) share
// one (Core/Base/Synchronized.h): any thread.
#pragma once

#include "Core/Base/Synchronized.h"
#include "Core/Batch/Inputs.h"
#include "Core/Formats/EventFormats.h"
#include "Plugin/Recordings/Recordings.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace earshot::plugin {

// How often the rows are copied for the views.
inline constexpr std::chrono::milliseconds rowsEvery{200};
inline constexpr double latestMoment = 1e9; // seconds; a folder of results may be a stranger's

struct ListRow {
    batch::Input input;
    ui::ListedRecording shown;

    const std::string& name() const { return input.name; }
};

struct WantedBatch {
    HowToListen how;
    bool again = false;
};

// A dropped folder, or that of dropped files. Its recordings have one folder of results.
struct DroppedFolder {
    std::filesystem::path folder;
    std::filesystem::path results; // empty: the user has to choose
    bool whole = false;            // the folder itself was dropped
    bool resultsChosen = false;
    bool otherSettings = false; // its results were made with
    std::optional<WantedBatch> wanted = std::nullopt;
    std::vector<ListRow> rows = {}; // by name

    ListRow* find(const std::string& name);
};

struct RecordingListState {
    std::vector<DroppedFolder> folders;
    int lastId = 0;
    int searches = 0;              // that run
    bool runs = false;             // the batch's thread
    bool hearing = false;          // it hears
    std::filesystem::path current; // the dropped folder that it hears
    double progress = 0.0;
    std::string doing, hint;
    ui::JoinedTable table;
    std::vector<ui::ListedEvent> events;
    std::vector<std::string> sounds; // names
    std::map<std::string, int> soundPlaces;
    bool sebbs = false;
    // What view() gives, until it has changed and some time has passed.
    bool rowsChanged = false, eventsChanged = false;
    std::chrono::steady_clock::time_point rowsMade, eventsMade;
    std::shared_ptr<const std::vector<ui::ListedRecording>> rowsShown;
    std::shared_ptr<const ui::ListedEvents> eventsShown;

    ui::RecordingList view();
    DroppedFolder* find(const std::filesystem::path& folder);
    void forgetEvents(const std::set<int>& ids);
    void listEvents(int id, const std::vector<formats::TimedEvent>& found);
    void rest(); // no recording is heard any more
    void showRows();
    void showEvents();
};

struct SharedListState : Synchronized<RecordingListState> {};

} // namespace earshot::plugin
