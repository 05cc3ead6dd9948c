// The settings that a batch's results depend on, and how those of two runs differ. Pure functions: any
// thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace earshot::batch {

// Everything that a batch's results depend on, except its recordings: all settings and the model. Results
// with equal fingerprints may lie in one folder. Pairs of a name and a value, both readable for the user, in
// a fixed order: {"threshold", "0.4"}.
using Fingerprint = std::vector<std::pair<std::string, std::string>>;

// The setting that says what follows recordings that are shorter than detection::repeatedFrom. Results
// without it are those of a version that repeated every short recording.
inline constexpr const char* shortRecordings = "short recordings";

// Returns "threshold was 0.4 and is 0.5 now, model was ...", or nothing if the two are equal.
std::string differences(const Fingerprint& before, const Fingerprint& now);
// Whether they are equal but for the version of Earshot ("earshot"). All versions from 0.1.0 on give the same
// results for the same settings; one that does not adds a setting.
bool sameResults(const Fingerprint& before, const Fingerprint& now);

} // namespace earshot::batch
