// Tells a recording from another one of the same name in another folder. Results are known by their
// recording's name below a base folder, so that two cards with a REC001.wav each need two folders of results.
#pragma once

#include "Core/Batch/Journal.h"

#include <filesystem>
#include <map>
#include <span>
#include <string>

namespace earshot::batch {

// A recording that is about to have results.
struct NamedFile {
    std::string name;
    std::filesystem::path base; // empty: not known
    FileStamp stamp;
};

// Throws earshot::Error if a file would take the place of another recording, or has results under another
// name already.
//   known    the results in `folder`
//   restart  files may take the place of recordings that are gone
//   advice   what to do, at the end of a message, if it is the same recording
// Without `restart` they may do so only if most files that lay below the same base have their stamps still:
// then the archive has moved as a whole.
void refuseNamesakes(const std::map<std::string, Journal::Summary>& known, std::span<const NamedFile> files,
                     bool restart, const std::filesystem::path& folder, const std::string& advice);

// Recordings may have moved, or been copied, together with the folder of their results. They lie where they
// lay as seen from it.
void followFolder(Journal& journal, const std::filesystem::path& folder);

} // namespace earshot::batch
