// Finds the recordings that were dropped and lists them; then reads how long they are. A job for each drop.
#pragma once

#include "Core/Base/Stop.h"
#include "Plugin/Recordings/RecordingListState.h"

#include <filesystem>
#include <vector>

namespace earshot::plugin {

// Ends one of the state's searches, which the caller has counted. What cannot be listed is said as a hint.
// Throws Stopped.
void searchRecordings(SharedListState& state, const std::vector<std::filesystem::path>& paths,
                      const HowToListen& how, const StopToken& stop);

} // namespace earshot::plugin
