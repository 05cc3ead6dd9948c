// One recording from audio to events, in memory that does not grow with its length: columns are handed to
// whoever wants them as soon as they are final, and then forgotten. (analyzeFile() is for those who want the
// whole timeline.)
// Main path of the command line over files; one thread at a time (the analyzer's).
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

// Recordings in bounded blocks at a model's rate, so that memory does not grow with their length, and one
// recording through the analyzer. One thread at a time.

// Called after every block (about a second of audio) with the seconds heard so far and, where the file tells,
// its whole length. Returning false stops the analysis there.
using FileProgress = std::function<bool(double secondsDone, std::optional<double> secondsTotal)>;

struct FileSummary {
    double seconds = 0.0;              // of audio heard
    std::int64_t nonFiniteSamples = 0; // taken as silence
    bool stopped = false;              // before the end
    // Why the recording could not be read to its end; what came before it has been heard.
    std::optional<std::string> failure;
};

//     BlockReader reader(file, modelRate);
//     while (reader.next()) analyzer.push(reader.block());
class BlockReader {
  public:
    // The rest of the file, mono at modelRate (Hz). `file` must outlive the reader.
    BlockReader(audio::AudioFile& file, double modelRate);

    // Reads a second more. The last block is what the resampler still held, perhaps nothing; false behind
    // it. A file that cannot be read on ends there, and the summary says why.
    bool next();
    std::span<const float> block() const { return block_; } // valid until next()
    // Reads no more of the file: what the resampler holds is the last block. Nothing once it has ended.
    void stop();

    std::optional<double> length() const; // seconds, where the file tells
    const FileSummary& summary() const { return summary_; }

  private:
    std::size_t read();

    audio::AudioFile& file_;
    audio::Resampler resampler_;
    std::vector<float> second_; // as the file has it
    std::vector<float> block_;
    std::int64_t frames_ = 0; // of the file so far
    bool ended_ = false;      // the last block is there
    FileSummary summary_;
};

// Resets the analyzer, feeds it the rest of the file and finishes it: its columns and events are settled on
// return. modelRate: Hz, the rate the analyzer expects. Throws earshot::Error when the analysis itself fails.
FileSummary analyzeFile(audio::AudioFile& file, Analyzer& analyzer, double modelRate,
                        const FileProgress& progress = {});

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
