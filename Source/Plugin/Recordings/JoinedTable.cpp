#include "Plugin/Recordings/JoinedTable.h"

#include "Core/Base/Counted.h"
#include "Core/Base/Error.h"
#include "Core/Base/Log.h"
#include "Core/Base/Unicode.h"
#include "Core/Base/WholeFile.h"
#include "Core/Batch/Journal.h"
#include "Plugin/Base/Refusal.h"
#include "Ui/Panels/Widgets.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

namespace earshot::plugin {

namespace {

namespace fs = std::filesystem;

struct TableCounts {
    std::size_t events = 0;
    int recordings = 0;
};

TableCounts writeAll(WholeFile& file, const FinishedRecordings& finished, const StopToken& stop) {
    const auto document = formats::formatNamed("csv")->makeDocument({});
    TableCounts counts;
    file.write(document->begin());
    for (const auto& folder : finished.folders) {
        std::error_code failure;
        if (!fs::exists(batch::Journal::fileIn(folder.results), failure)) continue; // it was moved away
        batch::Journal journal(folder.results);
        journal.each(folder.names, [&](batch::JournalEntry& entry) {
            stop.check();
            if (!entry.result) return;
            auto& result = *entry.result;
            if (finished.folders.size() > 1) result.file = (entry.base / result.file).generic_string();
            file.write(document->add(result));
            counts.events += result.events.size();
            ++counts.recordings;
        });
    }
    file.write(document->end());
    return counts;
}

std::string sentence(const TableCounts& counts, const FinishedRecordings& finished, const fs::path& file) {
    auto text = fmt::format("Wrote {} of {} to {}", counted(counts.events, "event"),
                            counted(counts.recordings, "recording"), displayName(file));
    auto left = static_cast<std::size_t>(finished.leftOut);
    for (const auto& folder : finished.folders) left += folder.names.size();
    left -= static_cast<std::size_t>(counts.recordings);
    if (left > 0) text += fmt::format("; {} without results left out", counted(left, "recording"));
    return text;
}

} // namespace

FinishedRecordings::FinishedRecordings(const RecordingListState& state) {
    for (const auto& folder : state.folders) {
        Folder part{folder.results, {}};
        for (const auto& row : folder.rows)
            if (row.shown.state == ui::ListedRecording::State::done)
                part.names.push_back(row.name());
            else
                ++leftOut;
        if (!part.names.empty()) folders.push_back(std::move(part));
    }
}

void writeJoinedTable(SharedListState& shared, const fs::path& file, const FinishedRecordings& finished,
                      const StopToken& stop) {
    std::string outcome;
    bool failed = false;
    try {
        WholeFile whole(file);
        const auto counts = writeAll(whole, finished, stop);
        whole.commit();
        outcome = sentence(counts, finished, file);
    } catch (...) {
        logCaught("writing a table of all recordings");
        failed = true;
        outcome = withoutOptions(caughtCause());
    }
    shared.with([&](RecordingListState& state) {
        state.table = {state.table.work + 1, juce::File(ui::toText(file.string())), ui::toText(outcome),
                       failed};
    });
}

} // namespace earshot::plugin
