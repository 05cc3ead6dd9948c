// One table of the events of all finished recordings of the app's list, as `earshot analyze --joined csv`
// writes it: from the journals of their folders of results, without their audio. Any thread.
#pragma once

#include "Core/Base/Stop.h"
#include "Plugin/Recordings/RecordingListState.h"

#include <filesystem>
#include <string>
#include <vector>

namespace earshot::plugin {

// The recordings of the list that are finished, by their folder of results.
struct FinishedRecordings {
    struct Folder {
        std::filesystem::path results;
        std::vector<std::string> names; // batch::Input::name, sorted
    };

    explicit FinishedRecordings(const RecordingListState& state);
    bool empty() const { return folders.empty(); }

    std::vector<Folder> folders;
    int leftOut = 0; // recordings that are not finished
};

// Writes the whole file or nothing, and says in the list's state how it ended. Recordings of several folders
// are called by their paths, so that their names are unique.
void writeJoinedTable(SharedListState& shared, const std::filesystem::path& file,
                      const FinishedRecordings& finished, const StopToken& stop);

} // namespace earshot::plugin
