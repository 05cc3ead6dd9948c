#include "Plugin/Recordings/Recordings.h"

#include "Core/Base/Log.h"
#include "Core/Base/Unicode.h"
#include "Plugin/Recordings/JoinedTable.h"
#include "Plugin/Recordings/RecordingBatch.h"
#include "Plugin/Recordings/RecordingListState.h"
#include "Plugin/Recordings/RecordingSearch.h"
#include "Ui/Panels/Widgets.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

namespace earshot::plugin {

namespace {

namespace fs = std::filesystem;

} // namespace

Recordings::Recordings()
    : book_(std::make_shared<SharedListState>()) {}

Recordings::~Recordings() {
    stop();
    for (auto& search : searches_) search.stop();
}

ui::RecordingList Recordings::view() const {
    return book_->with([](RecordingListState& state) { return state.view(); });
}

bool Recordings::running() const {
    return batch_.running() || std::ranges::any_of(searches_, &BackgroundThread::running);
}

bool Recordings::start() {
    if (book_->with([](RecordingListState& state) { return std::exchange(state.runs, true); })) return true;
    try {
        batch_ = BackgroundThread([state = book_](const StopToken& stop) { hearRecordings(*state, stop); });
        return true;
    } catch (...) {
        logCaught("analysing recordings");
        book_->with([cause = caughtCause()](RecordingListState& state) {
            state.runs = false;
            state.hint = cause;
        });
        return false;
    }
}

void Recordings::add(const std::vector<fs::path>& paths, const HowToListen& how) {
    std::erase_if(searches_, [](const BackgroundThread& search) { return !search.running(); });
    book_->with([](RecordingListState& state) {
        ++state.searches;
        state.hint.clear();
    });
    try {
        searches_.emplace_back([state = book_, paths, how](const StopToken& stop) {
            searchRecordings(*state, paths, how, stop);
        });
    } catch (...) {
        logCaught("looking for recordings");
        return book_->with([cause = caughtCause()](RecordingListState& state) {
            --state.searches;
            state.hint = cause;
        });
    }
    start();
}

void Recordings::remove(int id) {
    book_->with([&](RecordingListState& state) {
        for (auto& folder : state.folders)
            std::erase_if(folder.rows, [&](const ListRow& row) { return row.shown.id == id; });
        std::erase_if(state.folders, [](const DroppedFolder& folder) { return folder.rows.empty(); });
        state.forgetEvents({id});
        state.rowsChanged = true;
        state.rowsMade = state.eventsMade = {};
    });
}

std::string Recordings::analyse(const HowToListen& how, bool again) {
    auto problem = book_->with([&](RecordingListState& state) -> std::string {
        if (state.folders.empty()) return "Drop recordings, or a folder of them, first";
        if (state.hearing) return "An analysis is already running: wait for it or stop it first";
        for (auto& folder : state.folders)
            if (!again || folder.otherSettings) folder.wanted = WantedBatch{how, again};
        state.hint.clear();
        return "";
    });
    if (problem.empty() && !start())
        problem = book_->with([](RecordingListState& state) { return state.hint; });
    return problem;
}

std::string Recordings::writeTable(const fs::path& file) {
    if (table_.running()) return "A table is being written: wait until that is done";
    auto finished = book_->with([](RecordingListState& state) { return FinishedRecordings(state); });
    if (book_->with([](RecordingListState& state) { return state.hearing; }))
        return "An analysis is running: wait for it or stop it first";
    if (finished.empty()) return "No recording is finished yet: analyse the list first";
    table_ = BackgroundThread([state = book_, file, finished = std::move(finished)](const StopToken& stop) {
        writeJoinedTable(*state, file, finished, stop);
    });
    return "";
}

void Recordings::stop() { batch_.stop(); }

std::string Recordings::setResults(int id, const fs::path& given) {
    return book_->with([&, results = batch::tidied(given)](RecordingListState& state) -> std::string {
        const auto has = [&](const DroppedFolder& folder) {
            return std::ranges::any_of(folder.rows, [&](const ListRow& row) { return row.shown.id == id; });
        };
        const auto folder = std::ranges::find_if(state.folders, has);
        if (folder == state.folders.end()) return "Choose a recording first";
        if (folder->folder == state.current)
            return "These recordings are being analysed: stop the analysis first";
        for (const auto& other : state.folders)
            if (&other != &*folder && other.results == results)
                return displayName(results) + " is for the results of " + displayName(other.folder) +
                       ": choose another folder";
        folder->results = results;
        folder->resultsChosen = true;
        folder->otherSettings = false;
        std::set<int> ids;
        for (auto& row : folder->rows) {
            row.shown.results = juce::File(ui::toText(results.string()));
            row.shown.state = ui::ListedRecording::State::waiting;
            row.shown.events = 0;
            row.shown.mostly = {};
            row.shown.why = {};
            ids.insert(row.shown.id);
        }
        state.forgetEvents(ids);
        state.rowsChanged = true;
        state.rowsMade = state.eventsMade = {};
        return "";
    });
}

} // namespace earshot::plugin
