// One recording from audio to events, in memory that does not grow with its length: columns are handed to
// whoever wants them as soon as they are final, and then forgotten. (analyzeFile() is for those who want the
// whole timeline.)
// Main path of the command line over files; one thread at a time (the analyzer's).
#pragma once

#include "Core/Detection/Events/EventStream.h"
#include "Core/Detection/Events/Events.h"
#include "Core/Detection/Windows/FileAnalysis.h"
#include "Core/Formats/EventFormats.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace earshot::detection {

// Gets every settled column of a recording once, in order: kept activations, pictures.
class ColumnObserver {
  public:
    virtual ~ColumnObserver() = default;

    // Before the first column of a recording.
    virtual void begin(int classes, double secondsPerColumn) = 0;
    // probabilities: (classes), valid during the call.
    virtual void column(std::int64_t index, std::span<const float> probabilities) = 0;
    // Of recordings that are heard, not read from kept activations: (frames, melBands) in dB of every log-mel
    // frame once, in order, apart from the columns.
    virtual void frames(std::span<const float>) {}
    // After the last, and before end(): how the reading went.
    virtual void heard(const FileSummary&) {}
    // After the last; seconds: the recording's length.
    virtual void end(double seconds) = 0;
};

// What came nearest to being heard where nothing was.
struct NearestSound {
    int classIndex = 0;
    float peak = 0.0f;      // probability
    double time = 0.0;      // seconds
    float threshold = 0.0f; // that it would have had to reach; 0 where boxes were chosen

    bool operator==(const NearestSound&) const = default;
};

struct RecordingResult {
    FileSummary summary;
    EventList found;                     // equal to deriveEvents() over the whole recording
    std::optional<NearestSound> nearest; // of the classes asked for, whether or not there are events
};

struct RecordingQuestion {
    EventSettings settings;
    std::vector<bool> reported;             // (classes): others are left out of the result; empty: all
    std::vector<ColumnObserver*> observers; // not owned
    bool nearMisses = true;                 // false: the result has none; there can be very many
};

// What analyzeRecording() does with columns, whoever gives them.
class RecordingJudge {
  public:
    // Begins a recording; `question` must outlive it. Throws earshot::Error when a rule makes no sense.
    RecordingJudge(int classes, double secondsPerColumn, const RecordingQuestion& question);

    // The next column, final: (classes) probabilities.
    void add(std::span<const float> probabilities);
    std::int64_t columns() const { return events_.columns(); }
    // duration: of the timeline, in seconds; its last column begins before it.
    RecordingResult finish(const FileSummary& summary, double duration);

  private:
    const RecordingQuestion& question_;
    double secondsPerColumn_;
    EventStream events_;
    std::vector<int> asked_; // classes
    std::optional<NearestSound> nearest_;
};

// Resets the analyzer, hears the rest of the file and finishes; the analyzer's timeline forgets. modelRate:
// Hz. Throws earshot::Error when the analysis itself fails; what cannot be read of the recording is in the
// summary.
RecordingResult analyzeRecording(audio::AudioFile& file, Analyzer& analyzer, double modelRate,
                                 const RecordingQuestion& question, const FileProgress& progress = {});

// What hears recordings: a model, as a maker of analyzers, and what of it is reported. Immutable: any thread.
struct Detector {
    // Called on the thread that will use it; of so many threads in all.
    std::function<std::unique_ptr<Analyzer>(int threads)> makeAnalyzer;
    double modelRate = 0.0; // Hz
    EventSettings settings;
    std::vector<bool> reported; // (classes); empty: all
    std::vector<std::string> labels;
    double lowestHz = 0.0; // that the model hears
    double highestHz = 0.0;
};

// What was found, as results have it. labels: of all classes.
std::vector<formats::TimedEvent> timedEvents(std::span<const Event> events,
                                             const std::vector<std::string>& labels);
// `file`: as results name the recording.
formats::RecordingEvents recordingEvents(const std::string& file, const audio::AudioFile& audio,
                                         const RecordingResult& result, const Detector& detector);

} // namespace earshot::detection
