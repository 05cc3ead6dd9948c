// Hears the listed recordings, a dropped folder after the other, each into its folder of results. One job.
#pragma once

#include "Core/Base/Stop.h"
#include "Plugin/Recordings/RecordingListState.h"

namespace earshot::plugin {

// Hears folders as long as any are wanted or searched for. The caller has set the state's `runs`, which is
// reset at the end. Nothing is thrown: how it ended is said as a hint.
void hearRecordings(SharedListState& state, const StopToken& stop);

} // namespace earshot::plugin
