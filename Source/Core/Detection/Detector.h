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
#include "Core/Formats/EventFormats.h"
#include "Core/Model/ModelSource.h"
#include "Core/Model/Precision/Precision.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
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

// What analyses recordings: a model, as a maker of analyzers, and what to report of its results. Immutable:
// any thread.
struct Detector {
    ListeningModel model;
    DetectorOptions how;
    // Called on the thread that will use the analyzer; the analyzer uses `threads` threads in all.
    std::function<std::unique_ptr<Analyzer>(int threads)> makeAnalyzer;
    // The same for audio without an end: every window runs as soon as it can, on the calling thread.
    std::function<std::unique_ptr<Analyzer>()> makeLiveAnalyzer;
    double modelRate = 0.0; // Hz
    std::vector<std::string> labels;
    double minHz = 0.0; // the lowest frequency that the model receives
    double maxHz = 0.0;

    // What to report of a recording, by the rules.
    RecordingQuestion question(bool nearMisses = false) const;
};

// The bound of the two steps in which a recording is analysed (Windows/CoarseBound.h); null: every window
// runs.
std::shared_ptr<const CoarseBound> boundOf(const ListeningModel& model, const DetectorOptions& options);
Detector makeDetector(ListeningModel model, DetectorOptions options);

// Events with their names, as results hold them. labels: of all classes.
std::vector<formats::TimedEvent> timedEvents(std::span<const Event> events,
                                             const std::vector<std::string>& labels);
// Adds what was found to a recording of which the rest is known: its name, form, start and place.
formats::RecordingEvents recordingEvents(formats::RecordingEvents recording, const RecordingResult& result,
                                         const std::vector<std::string>& labels);

// The hop in tokens of so many seconds; without them the mode's usual one. Null if it is not positive or
// would leave gaps between windows.
std::optional<int> hopTokens(const ListeningModel& model, Mode mode, std::optional<double> seconds);

} // namespace earshot::detection
