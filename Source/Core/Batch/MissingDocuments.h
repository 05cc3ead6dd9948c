// Makes the documents of recordings that are done from the journal, without their audio, and the joined
// files. One thread at a time.
#pragma once

#include "Core/Audio/RecordingStart.h"
#include "Core/Batch/Journal.h"
#include "Core/Batch/Outputs.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace earshot::batch {

struct DocumentSettings {
    std::filesystem::path folder;
    OutputKinds outputs;
    audio::Starts starts;        // a stated one is that of `named`
    std::set<std::string> named; // recordings that the inputs name
    bool outdated = false;       // those that are there are to be made again
};

// Writes documents from the results in the journal: those of formats that earlier runs did not have, those
// that somebody deleted, and those whose tables an earlier version made. Finds the starts of recordings whose
// results an earlier version made, or that are stated now. Throws WriteError if no result can be written.
void makeMissingDocuments(Journal& journal, Targets& targets, const std::vector<std::string>& names,
                          const DocumentSettings& settings);

// Brings the start of an entry's recording to the zone in which starts are shown.
void showStart(JournalEntry& entry, const audio::Starts& starts);

struct JoinedSettings {
    std::filesystem::path folder;
    std::vector<std::string> formats;
    BatchFacts facts;
    audio::Starts starts;
};

// Writes the joined files of all these recordings, sorted. They are left alone if they are what they would
// be: in an archive of 100,000 recordings they take longer than everything else. Throws WriteError.
void writeJoinedFiles(Journal& journal, Targets& targets, const std::vector<std::string>& names,
                      const JoinedSettings& settings);

} // namespace earshot::batch
