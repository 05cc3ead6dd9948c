// Which files of a results folder Earshot made, so that it never replaces or deletes another's. A file is
// claimed in the journal before it is renamed into place: a program that is killed between the two leaves no
// file of unknown origin. One thread at a time.
#pragma once

#include "Core/Batch/Journal.h"

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace earshot::batch {

// A recording's result: NAME and the suffix behind it. Where that is no name for a file (over 255 bytes),
// NAME is cut and ends in '~' and the first 16 digits of the SHA-256 of the recording's whole relative name,
// so that the result's name follows from the recording's alone. Throws earshot::Error for a recording that is
// called by a name which leads out of the folder, or into Earshot's own.
std::filesystem::path outputFile(const std::filesystem::path& folder, const std::string& recording,
                                 const std::string& suffix);
// Relative, normalised, without "..", and in no folder of Earshot's own (".earshot").
bool staysInside(const std::string& name);

class Targets {
  public:
    // overwrite: files of others may be replaced too.
    Targets(Journal& journal, std::filesystem::path folder, bool overwrite);

    // Before anything is written. Throws earshot::Error that names the wanted files which are there and not
    // ours.
    void refuseOthers(std::span<const std::filesystem::path> wanted) const;
    // Right before they are written. Throws WriteError when another's file has come meanwhile.
    void claim(std::span<const std::filesystem::path> files);
    // The file holds what would be written, whoever made it: it is ours from now on.
    void adopt(const std::filesystem::path& file);
    // Removes those that are ours, and gives up the claim to them.
    void remove(std::span<const std::filesystem::path> files);

  private:
    bool isOthers(const std::filesystem::path& file) const;
    std::string key(const std::filesystem::path& file) const;

    Journal& journal_;
    std::filesystem::path folder_;
    bool overwrite_;
    std::set<std::string> ours_;
};

// As Targets::refuseOthers, for a folder without a journal.
void refuseOthersInNewFolder(std::span<const std::filesystem::path> wanted);

} // namespace earshot::batch
