// One recording from audio to events, in memory that does not grow with its length: final columns are handed
// to observers and then forgotten. (analyzeFile() is for callers that need the whole timeline.) The main path
// of the command line; one thread at a time (the analyzer's).
#pragma once

#include "Core/Audio/AudioFile.h"
#include "Core/Audio/Resampler.h"
#include "Core/Detection/Events/EventStream.h"
#include "Core/Detection/Events/Events.h"
#include "Core/Detection/Windows/Analyzer.h"
#include "Core/Formats/EventFormats.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace earshot::detection {

// Reads recordings in bounded blocks at a model's rate and feeds them to the analyzer. One thread at a time.

// Called after every block (about a second of audio) with the seconds so far and, if the file states it, its
// whole length. Returning false stops the analysis there.
using FileProgress = std::function<bool(double secondsDone, std::optional<double> secondsTotal)>;

struct FileSummary {
    double seconds = 0.0;              // of audio that was analysed
    std::int64_t nonFiniteSamples = 0; // they count as silence
    bool stopped = false;              // before the end of the file
    // Why the recording could not be read to its end. The audio before that was analysed.
    std::optional<std::string> failure;
};

//     BlockReader reader(file, modelRate);
//     while (reader.next()) analyzer.push(reader.block());
class BlockReader {
  public:
    // Reads the rest of the file, mono at modelRate (Hz). `file` must outlive the reader.
    BlockReader(audio::AudioFile& file, double modelRate);

    // Reads one more second. The last block is the rest of the resampler, perhaps empty; after it, next()
    // returns false. If reading fails, the audio ends there and the summary says why.
    bool next();
    std::span<const float> block() const { return block_; } // valid until next()
    // Stops reading: the rest of the resampler is the last block. Does nothing after the end.
    void stop();

    std::optional<double> length() const; // seconds, if the file states its length
    const FileSummary& summary() const { return summary_; }

  private:
    std::size_t read();

    audio::AudioFile& file_;
    audio::Resampler resampler_;
    std::vector<float> second_; // in the file's format
    std::vector<float> block_;
    std::int64_t frames_ = 0; // read so far
    bool ended_ = false;      // the last block was returned
    FileSummary summary_;
};

// Resets the analyzer, feeds it the rest of the file and finishes it: on return its columns and events are
// settled. modelRate: the rate in Hz that the analyzer expects. Throws earshot::Error if the analysis itself
// fails.
FileSummary analyzeFile(audio::AudioFile& file, Analyzer& analyzer, double modelRate,
                        const FileProgress& progress = {});

// Gets every settled column of a recording once, in order. For kept activations and pictures.
class ColumnObserver {
  public:
    virtual ~ColumnObserver() = default;

    // Called before the first column of a recording.
    virtual void begin(int classes, double secondsPerColumn) = 0;
    // probabilities: (classes), valid during the call.
    virtual void column(std::int64_t index, std::span<const float> probabilities) = 0;
    // For recordings that are analysed (not read from kept activations): (frames, melBands) in dB of every
    // log-mel frame once, in order, independent of the columns.
    virtual void frames(std::span<const float>) {}
    // Called after the last column and before end(), with the outcome of reading.
    virtual void heard(const FileSummary&) {}
    // Called after the last column. seconds: the recording's length.
    virtual void end(double seconds) = 0;
};

// The sound that came nearest to an event, if there was none.
struct NearestSound {
    int classIndex = 0;
    float peak = 0.0f;      // probability
    double time = 0.0;      // seconds
    float threshold = 0.0f; // the threshold that it missed; 0 with boxes

    bool operator==(const NearestSound&) const = default;
};

struct RecordingResult {
    FileSummary summary;
    EventList found;                     // equal to deriveEvents() over the whole recording
    std::optional<NearestSound> nearest; // among the classes asked for, also if there are events
};

struct RecordingQuestion {
    EventSettings settings;
    std::vector<bool> reported;             // (classes): whether a class is in the result; empty: all are
    std::vector<ColumnObserver*> observers; // not owned
    bool nearMisses = true;                 // false: the result has none, as there can be very many
};

// Judges columns for analyzeRecording() and for kept activations.
class RecordingJudge {
  public:
    // Begins a recording; `question` must outlive it. Throws earshot::Error when a rule makes no sense.
    RecordingJudge(int classes, double secondsPerColumn, const RecordingQuestion& question);

    // Takes the next final column: (classes) probabilities.
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

// Resets the analyzer, analyses the rest of the file and finishes; the analyzer's timeline forgets columns.
// modelRate: Hz. Throws earshot::Error if the analysis itself fails. A failure to read the recording is in
// the summary.
RecordingResult analyzeRecording(audio::AudioFile& file, Analyzer& analyzer, double modelRate,
                                 const RecordingQuestion& question, const FileProgress& progress = {});

// A model that makes analyzers, with its rules and labels. Immutable: any thread.
struct Detector {
    // Called on the thread that will use the analyzer. threads: its share of them.
    std::function<std::unique_ptr<Analyzer>(int threads)> makeAnalyzer;
    double modelRate = 0.0; // Hz
    EventSettings settings;
    std::vector<bool> reported; // (classes); empty: all
    std::vector<std::string> labels;
    double lowestHz = 0.0; // the lowest frequency that the model uses
    double highestHz = 0.0;
};

// The events in the form of results. labels: of all classes.
std::vector<formats::TimedEvent> timedEvents(std::span<const Event> events,
                                             const std::vector<std::string>& labels);
// file: the recording's name in results.
formats::RecordingEvents recordingEvents(const std::string& file, const audio::AudioFile& audio,
                                         const RecordingResult& result, const Detector& detector);

} // namespace earshot::detection
