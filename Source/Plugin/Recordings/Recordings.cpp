#include "Plugin/Recordings/Recordings.h"

#include "Core/Base/Unicode.h"
#include "Plugin/Recordings/RecordingBatch.h"
#include "Plugin/Recordings/RecordingBook.h"
#include "Plugin/Recordings/RecordingSearch.h"
#include "Ui/Panels/Widgets.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

namespace earshot::plugin {

namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

// A pass of the network that runs is waited for so long, and a disk that does not answer as well.
constexpr std::chrono::seconds endPatience{10};
constexpr std::chrono::milliseconds endPoll{5};

} // namespace

Recordings::Recordings()
    : book_(std::make_shared<RecordingBook>()) {}

Recordings::~Recordings() {
    stop();
    for (auto& search : searches_) search.stop();
    const auto since = SteadyClock::now();
    while (batch_.running() && SteadyClock::now() - since < endPatience) std::this_thread::sleep_for(endPoll);
}

ui::RecordingList Recordings::view() const { return book_->view(); }

bool Recordings::start() {
    {
        const std::scoped_lock lock(book_->mutex);
        if (std::exchange(book_->runs, true)) return true;
    }
    try {
        batch_ = Job([book = book_](const StopToken& stop) { hearRecordings(*book, stop); });
        return true;
    } catch (const std::system_error&) {
        const std::scoped_lock lock(book_->mutex);
        book_->runs = false;
        book_->hint = "No thread could be started: close other programs and try again";
        return false;
    }
}

void Recordings::add(const std::vector<fs::path>& paths, const HowToListen& how) {
    std::erase_if(searches_, [](const Job& search) { return !search.running(); });
    {
        const std::scoped_lock lock(book_->mutex);
        ++book_->searches;
        book_->hint.clear();
    }
    try {
        searches_.emplace_back(
            [book = book_, paths, how](const StopToken& stop) { searchRecordings(*book, paths, how, stop); });
    } catch (const std::system_error&) {
        const std::scoped_lock lock(book_->mutex);
        --book_->searches;
        book_->hint = "No thread could be started: close other programs and try again";
        return;
    }
    start();
}

void Recordings::remove(int id) {
    const std::scoped_lock lock(book_->mutex);
    for (auto& folder : book_->folders)
        std::erase_if(folder.rows, [&](const ListRow& row) { return row.shown.id == id; });
    std::erase_if(book_->folders, [](const DroppedFolder& folder) { return folder.rows.empty(); });
    book_->forgetEvents({id});
    book_->rowsChanged = true;
    book_->rowsMade = book_->eventsMade = {};
}

std::string Recordings::analyse(const HowToListen& how, bool again) {
    {
        const std::scoped_lock lock(book_->mutex);
        if (book_->folders.empty()) return "Drop recordings, or a folder of them, first";
        if (book_->hearing) return "Recordings are heard already: wait, or stop first";
        for (auto& folder : book_->folders)
            if (!again || folder.otherSettings) folder.wanted = WantedBatch{how, again};
        book_->hint.clear();
    }
    return start() ? "" : "No thread could be started: close other programs and try again";
}

void Recordings::stop() { batch_.stop(); }

std::string Recordings::setResults(int id, const fs::path& given) {
    const std::scoped_lock lock(book_->mutex);
    const auto results = batch::tidied(given);
    const auto has = [&](const DroppedFolder& folder) {
        return std::ranges::any_of(folder.rows, [&](const ListRow& row) { return row.shown.id == id; });
    };
    const auto folder = std::ranges::find_if(book_->folders, has);
    if (folder == book_->folders.end()) return "Choose a recording first";
    if (folder->folder == book_->current) return "These recordings are heard just now: stop first";
    for (const auto& other : book_->folders)
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
    book_->forgetEvents(ids);
    book_->rowsChanged = true;
    book_->rowsMade = book_->eventsMade = {};
    return "";
}

} // namespace earshot::plugin
