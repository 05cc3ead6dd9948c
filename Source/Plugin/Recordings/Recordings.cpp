#include "Plugin/Recordings/Recordings.h"

#include "Core/Base/Log.h"
#include "Core/Base/Unicode.h"
#include "Plugin/Recordings/RecordingBatch.h"
#include "Plugin/Recordings/RecordingBook.h"
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
    : book_(std::make_shared<SharedBook>()) {}

Recordings::~Recordings() {
    stop();
    for (auto& search : searches_) search.stop();
}

ui::RecordingList Recordings::view() const {
    return book_->with([](RecordingBook& book) { return book.view(); });
}

bool Recordings::running() const { return batch_.running() || std::ranges::any_of(searches_, &Job::running); }

bool Recordings::start() {
    if (book_->with([](RecordingBook& book) { return std::exchange(book.runs, true); })) return true;
    try {
        batch_ = Job([book = book_](const StopToken& stop) { hearRecordings(*book, stop); });
        return true;
    } catch (...) {
        logCaught("analysing recordings");
        book_->with([cause = caughtCause()](RecordingBook& book) {
            book.runs = false;
            book.hint = cause;
        });
        return false;
    }
}

void Recordings::add(const std::vector<fs::path>& paths, const HowToListen& how) {
    std::erase_if(searches_, [](const Job& search) { return !search.running(); });
    book_->with([](RecordingBook& book) {
        ++book.searches;
        book.hint.clear();
    });
    try {
        searches_.emplace_back(
            [book = book_, paths, how](const StopToken& stop) { searchRecordings(*book, paths, how, stop); });
    } catch (...) {
        logCaught("looking for recordings");
        return book_->with([cause = caughtCause()](RecordingBook& book) {
            --book.searches;
            book.hint = cause;
        });
    }
    start();
}

void Recordings::remove(int id) {
    book_->with([&](RecordingBook& book) {
        for (auto& folder : book.folders)
            std::erase_if(folder.rows, [&](const ListRow& row) { return row.shown.id == id; });
        std::erase_if(book.folders, [](const DroppedFolder& folder) { return folder.rows.empty(); });
        book.forgetEvents({id});
        book.rowsChanged = true;
        book.rowsMade = book.eventsMade = {};
    });
}

std::string Recordings::analyse(const HowToListen& how, bool again) {
    auto problem = book_->with([&](RecordingBook& book) -> std::string {
        if (book.folders.empty()) return "Drop recordings, or a folder of them, first";
        if (book.hearing) return "An analysis is already running: wait for it or stop it first";
        for (auto& folder : book.folders)
            if (!again || folder.otherSettings) folder.wanted = WantedBatch{how, again};
        book.hint.clear();
        return "";
    });
    if (problem.empty() && !start()) problem = book_->with([](RecordingBook& book) { return book.hint; });
    return problem;
}

void Recordings::stop() { batch_.stop(); }

std::string Recordings::setResults(int id, const fs::path& given) {
    return book_->with([&, results = batch::tidied(given)](RecordingBook& book) -> std::string {
        const auto has = [&](const DroppedFolder& folder) {
            return std::ranges::any_of(folder.rows, [&](const ListRow& row) { return row.shown.id == id; });
        };
        const auto folder = std::ranges::find_if(book.folders, has);
        if (folder == book.folders.end()) return "Choose a recording first";
        if (folder->folder == book.current)
            return "These recordings are being analysed: stop the analysis first";
        for (const auto& other : book.folders)
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
        book.forgetEvents(ids);
        book.rowsChanged = true;
        book.rowsMade = book.eventsMade = {};
        return "";
    });
}

} // namespace earshot::plugin
