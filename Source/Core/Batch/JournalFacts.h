// What a journal says of its batch, so that a merge can do without the command line that made it. One thread
// at a time.
#pragma once

#include "Core/Batch/Journal.h"
#include "Core/Formats/SqliteDatabase.h"

#include <string>
#include <vector>

namespace earshot::batch {

struct JournalFacts {
    std::vector<std::string> suffixes; // of the files of each recording
    std::vector<std::string> joined;   // formats
    std::string documents;             // version of Earshot's tables that the files of recordings have
    formats::DatabaseModel model;
};

// Counted up when tables change: those of an older version are written anew from the journal.
inline constexpr const char* documentsVersion = "2";

void describe(Journal& journal, const JournalFacts& facts);
JournalFacts factsOf(Journal& journal);

} // namespace earshot::batch
