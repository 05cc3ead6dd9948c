// How a training drew the clips that it validates with, as its model notes it (metadata `earshot.split`), so
// that others draw the same clips from the same data. Pure functions: any thread.
#pragma once

#include "Core/Training/Data/DataSet.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace earshot::training {

// Adds the note. It holds what decides the draw: the seed, the share, and which clips take part.
void noteSplit(const DataChoice& choice, std::map<std::string, std::string>& metadata);

// Returns the noted choice without its sources, or nothing if there is no note. Throws earshot::Error, which
// names the file, if the note is damaged.
std::optional<DataChoice> notedSplit(const std::map<std::string, std::string>& metadata,
                                     const std::filesystem::path& modelFile);

} // namespace earshot::training
