// From a model's file to what analyses recordings and streams: command line, plugin, app and library open
// their models here, so that the same file and the same settings give the same events everywhere.
// The functions are pure: any thread.
#pragma once

#include "Core/Base/Stop.h"
#include "Core/Detection/Events/Events.h"
#include "Core/Detection/Queries/ListeningModel.h"
#include "Core/Detection/Windows/CoarseBound.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Core/Detection/Windows/Windowing.h"
#include "Core/Model/ModelSource.h"
#include "Core/Model/Precision/Precision.h"

#include <memory>
#include <optional>
#include <vector>

namespace earshot::detection {

// Reads a model, and what it is to listen for. Throws earshot::Error, or Stopped after a stop request.
ListeningModel openModel(const model::ModelSource& source, const QueryChoice& queries = {},
                         model::Precision precision = model::Precision::automatic,
                         const StopToken& stop = {});

struct DetectorOptions {
    Mode mode = Mode::automatic;
    int hop = 0;                     // tokens
    EventSettings events;            // the rules
    std::vector<bool> reported = {}; // (classes); empty: all
    audio::ReadOptions reading = {};
    bool thorough = false; // every window runs, whatever the model's bound
};
// The bound of the two steps in which a recording is analysed (Windows/CoarseBound.h); null: every window
// runs.
std::shared_ptr<const CoarseBound> boundOf(const ListeningModel& model, const DetectorOptions& options);
Detector makeDetector(const ListeningModel& model, const DetectorOptions& options);

// The hop in tokens of so many seconds; without them the mode's usual one. Null if it is not positive or
// would leave gaps between windows.
std::optional<int> hopTokens(const ListeningModel& model, Mode mode, std::optional<double> seconds);

} // namespace earshot::detection
