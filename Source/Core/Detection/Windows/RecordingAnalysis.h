// Analyses one recording, from audio to events, in memory that does not grow with its length: observers get
// each column as soon as it is final, then the column is forgotten. (analyzeFile() keeps the whole timeline.)
// The command line's main path for files; one thread at a time (the analyzer's).
#pragma once

#include "Core/Audio/AudioFile.h"
#include "Core/Audio/LevelMeter.h"
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

// Called after every block (about a second of audio) with the seconds analysed so far and, if the file states
// it, its whole length. Returning false stops the analysis there.
using FileProgress = std::function<bool(double secondsDone, std::optional<double> secondsTotal)>;

struct FileSummary {
    double seconds = 0.0; // of audio analysed
    // RMS of its loudest second in dB below full scale, as it was analysed; null: not known
    std::optional<double> level;
    double gain = 0.0;    // dB by which it was amplified before
    bool stopped = false; // before the end
    // of those, seconds in which one look sufficed (AnalyzerSettings::coarse)
    double passedOver = 0.0;
    // What is odd about its samples or its length, and what to do: clauses for the user. Known at the end.
    std::vector<std::string> warnings;
    // Why the recording could not be read to its end; the audio before the failure has been analysed.
    std::optional<std::string> failure;
};

// Reads a recording in bounded blocks at a model's rate, so that memory does not grow with its length:
//     BlockReader reader(file, modelRate);
//     while (reader.next()) analyzer.push(reader.block());
class BlockReader {
  public:
    // A shorter recording that is repeated to fill a window becomes a tone: nothing is reported of it.
    static constexpr double minSeconds = 0.05;

    // Called at the end of a file, with the seconds read of it: returns the file that continues it, at the
    // same rate and with as many channels, or null. The file before it is not used any more.
    using Following = std::function<audio::AudioFile*(double seconds)>;

    // Reads the rest of the file, mono at modelRate (Hz), with the gain of its ReadOptions, and what follows
    // it without a seam and with the same gain. `file` must outlive the reader, or its reading if others
    // follow.
    BlockReader(audio::AudioFile& file, double modelRate, Following following = {});

    // Reads one more second. With a gain of "auto" all of the file is read twice, and blocks are empty the
    // first time. The last block is the rest in the resampler and may be empty; after it next() returns
    // false. A read error ends the recording there, and the summary tells why.
    bool next();
    // Whether all of the file is shorter than minSeconds: nothing of it should be analysed.
    bool tooShort() const;
    int channel() const;                                    // that is read, from 1; 0: the mix
    std::span<const float> block() const { return block_; } // valid until next()
    // Stops reading the file: the next block is the last and holds the rest in the resampler. Has no effect
    // after the end.
    void stop();

    std::optional<double> length() const; // seconds, if the file states it
    // Of all files together; its warnings are the last file's.
    const FileSummary& summary() const { return summary_; }
    // Each file's own, known at the end.
    const std::vector<FileSummary>& parts() const { return parts_; }

  private:
    std::size_t read();
    void measure();
    void amplify(std::span<float> samples) const;
    void warn();
    bool follow();

    audio::AudioFile* file_;
    Following following_;
    std::vector<FileSummary> parts_; // of the files that have ended
    std::int64_t before_ = 0;        // frames of those before the current one
    audio::LevelMeter meter_;
    std::optional<audio::LevelMeter> measured_; // before the gain is known
    audio::Resampler resampler_;
    std::vector<float> second_; // at the file's rate
    std::vector<float> block_;
    std::int64_t frames_ = 0; // read from the file so far
    bool ended_ = false;      // the last block is there
    FileSummary summary_;
};

// Resets the analyzer, feeds it the rest of the file and finishes it: all columns and events are settled on
// return. modelRate: Hz, the rate that the analyzer expects. Throws earshot::Error if the analysis itself
// fails.
FileSummary analyzeFile(audio::AudioFile& file, Analyzer& analyzer, double modelRate,
                        const FileProgress& progress = {});

// Gets every settled column of a recording once and in order. Kept activations and pictures use it.
class ColumnObserver {
  public:
    virtual ~ColumnObserver() = default;

    // Called before the first column of a recording.
    virtual void begin(int classes, double secondsPerColumn) = 0;
    // probabilities: (classes), valid during the call.
    virtual void column(std::int64_t index, std::span<const float> probabilities) = 0;
    // Called only when audio is analysed, not when kept activations are read: gives every log-mel frame once
    // and in order, (frames, melBands) in dB, independently of the columns.
    virtual void frames(std::span<const float>) {}
    // Called after the last column and before end(): how the reading went.
    virtual void heard(const FileSummary&) {}
    // Called last; seconds: the recording's length.
    virtual void end(double seconds) = 0;
};

// What a recording holds, by index of class. recordingEvents() (Detector.h) makes the form of results of it.
struct RecordingResult {
    FileSummary summary;
    EventList found; // the same as deriveEvents() gives over the whole recording
    // Among the requested classes, with or without events, and without labels.
    std::optional<formats::NearestSound> nearest;
    std::vector<formats::SoundScore> top = {}; // at most formats::maxTopSounds, highest first
};

struct RecordingQuestion {
    EventSettings settings;
    std::vector<bool> reported;             // (classes): the result omits all others; empty: all classes
    std::vector<ColumnObserver*> observers; // not owned
    bool nearMisses = true; // false: the result has no near misses, which can be very numerous
    // If given, gets the events as soon as no later audio can change them, those that end together by onset,
    // and the result has none: for audio without an end.
    std::function<void(std::span<const Event>)> settled = {};
    // If given, sees all columns after windows have run, also those that may still change, before settled
    // ones are forgotten.
    std::function<void(const Timeline&)> watch = {};
};

// The part of analyzeRecording() that consumes columns, for any source of columns.
class EventCollector {
  public:
    // Begins a recording; `question` must outlive the judge. Throws earshot::Error if a rule makes no sense.
    EventCollector(int classes, double secondsPerColumn, const RecordingQuestion& question);

    // Takes the next final column: (classes) probabilities.
    void add(std::span<const float> probabilities);
    std::int64_t columns() const { return events_.columns(); }
    // Hands over the events that are settled, if question.settled is given. channel: theirs.
    void tellSettled(int channel);
    // duration: the timeline's, in seconds; its last column begins before it.
    RecordingResult finish(const FileSummary& summary, double duration);

  private:
    std::vector<formats::SoundScore> topClasses() const;

    const RecordingQuestion& question_;
    double secondsPerColumn_;
    EventStream events_;
    std::vector<int> asked_; // classes
    std::optional<formats::NearestSound> nearest_;
    std::vector<float> peaks_; // (classes)
};

// Takes a recording or a live stream as its samples come: analyzer, judge and observers in their order. All
// audio goes through it.
class RecordingPass {
  public:
    // Resets the analyzer, which must outlive the pass, as must `question`. channel: of the events.
    RecordingPass(Analyzer& analyzer, const RecordingQuestion& question, int channel = 0);

    // Takes mono samples at the model's rate.
    void push(std::span<const float> samples);
    // Settles all that is left. Call it last.
    RecordingResult finish(const FileSummary& summary);

  private:
    void takeSettled();

    Analyzer& analyzer_;
    const RecordingQuestion& question_;
    EventCollector judge_;
    int channel_;
};

// Adds the result of another channel of the same recording.
void addChannel(RecordingResult& all, RecordingResult one);

// Resets the analyzer, analyses the rest of the file and finishes; the analyzer's timeline forgets what it no
// longer needs. If the file's ReadOptions name each channel, all of the file is analysed for one after the
// other, without observers, and events have the number of theirs. modelRate: Hz. Throws earshot::Error if the
// analysis itself fails; a read error is in the summary.
RecordingResult analyzeRecording(audio::AudioFile& file, Analyzer& analyzer, double modelRate,
                                 const RecordingQuestion& question, const FileProgress& progress = {});
// The same for what a reader reads.
RecordingResult analyzeRecording(BlockReader& reader, Analyzer& analyzer, const RecordingQuestion& question,
                                 const FileProgress& progress = {});

} // namespace earshot::detection
