// Keeps a recording's probabilities in a file, so that events can be derived again with other rules and
// without the network. Columns are written one by one during the analysis; the same input gives the same
// bytes. One thread at a time uses a writer.
//
//   safetensors  tensor `probabilities` float16 (columns, classes); beside it, as metadata, all that events
//                need: see ActivationInfo and ActivationRecording. ActivationReader reads it again.
//   npy          float32 (columns, classes) for NumPy, and nothing beside it. Not read again.
//
// float16 keeps 11 significant bits: a probability of 0.4 has an error of up to 0.0001. Kept activations give
// the same events as the recording unless a probability lies that close to a threshold; peaks and means have
// the same error.
#pragma once

#include "Core/Base/RegularFile.h"
#include "Core/Base/WholeFile.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace earshot::detection {

// The model and its settings: the same for all recordings of a run.
struct ActivationInfo {
    std::vector<std::string> labels;              // (classes)
    std::vector<std::optional<float>> thresholds; // (classes): the model's own thresholds
    AuthorRules rules;                            // and its own rules
    std::string sebbs;                            // its SebbScorer's metadata(); empty if there is none
    std::string licence;                          // of the model's weights; may be empty
    std::string model;                            // its file's name
    std::string modelSha256;
    std::string mode;   // "auto", "crop", "repeat"
    double hop = 0.0;   // seconds between windows
    double minHz = 0.0; // the lowest frequency that the model receives
    double maxHz = 0.0;
};

// The facts about a recording that results contain.
struct ActivationRecording {
    std::string name;
    double seconds = 0.0; // of audio analysed
    int sampleRate = 0;   // Hz
    int channels = 0;
    bool complete = true;               // false: damaged, or stopped
    std::optional<WallTime> start = {}; // when its first sample was recorded, if that is known
    std::string folder = {};            // that the run's recordings lie in, absolute; empty: not known

    bool operator==(const ActivationRecording&) const = default;
};

// Writes one recording's columns. Every function throws earshot::WriteError if the file cannot be written.
class ActivationWriter : public ColumnObserver {
  public:
    // Call after end(). Completes the contents, so that the file can be committed.
    virtual void finish(const ActivationRecording& recording) = 0;
};

enum class ActivationKind { safetensors, npy };

// Returns ".activations.safetensors" or ".activations.npy", which follows a recording's name.
const char* suffix(ActivationKind kind);
// `file` may have another suffix; it must outlive the writer. `info` is copied.
std::unique_ptr<ActivationWriter> makeActivationWriter(ActivationKind kind, WholeFile& file,
                                                       const ActivationInfo& info);

// The safetensors header of kept activations, which a writer writes and ActivationReader reads. All metadata
// is text, as the format requires. `earshot.labels`, `earshot.thresholds`, `earshot.rules` and
// `earshot.licence` have the same form as in models (Labels.h), and so has `earshot.boxes` (Boxes.h). Pure
// functions: any thread.

// The totals, known once all columns are there.
struct ActivationExtent {
    std::int64_t columns = 0;
    double secondsPerColumn = 0.0;
    double duration = 0.0; // seconds; the last column begins before it
};

inline constexpr const char* activationsTensor = "probabilities";
inline constexpr const char* activationsVersion = "1"; // metadata earshot.activations

// Returns JSON without padding. A name that is too long for the reserved header loses its folders.
std::string headerText(const ActivationInfo& info, const ActivationRecording& recording,
                       const ActivationExtent& extent);
// Returns a size in bytes that any header with that info fits in; a multiple of 8.
std::size_t maxHeaderBytes(const ActivationInfo& info, double secondsPerColumn);

struct ActivationFacts {
    ActivationInfo info; // without the parts that Labels::read() reads
    ActivationRecording recording;
    double secondsPerColumn = 0.0;
    double duration = 0.0;
};

// Throws earshot::Error, beginning with `file`, if something is missing or does not fit the number of
// columns.
ActivationFacts parseActivationFacts(const std::map<std::string, std::string>& metadata, std::int64_t columns,
                                     const std::string& file);

// Reads kept activations a few columns at a time, for any number of columns. The file is untrusted:
// everything is checked before use, and every failure is an earshot::Error that names the file. One thread at
// a time.
class ActivationReader {
  public:
    explicit ActivationReader(const std::filesystem::path& file);

    const Labels& labels() const { return labels_; } // with the model's own thresholds and boxes
    const ActivationFacts& facts() const { return facts_; }
    int classes() const { return labels_.count(); }
    std::int64_t columns() const { return columns_; }

    // Reads the next columns, (n, classes): as many as `values` holds, or as are left. Returns n; 0 at the
    // end. Each value is 0 to 1.
    std::int64_t read(std::span<float> values);

  private:
    void readHeader();

    RegularFile file_;
    std::uint64_t position_ = 0; // byte offset of the next column
    Labels labels_;
    ActivationFacts facts_;
    std::int64_t columns_ = 0;
    std::int64_t read_ = 0; // columns read so far
    std::vector<std::byte> stored_;
};

// Derives the result of the remaining columns as analyzeRecording() does for a recording. Calls `proceed`
// from time to time; if it returns false, the function stops and returns no result.
std::optional<RecordingResult> judgeActivations(ActivationReader& reader, const RecordingQuestion& question,
                                                const std::function<bool()>& proceed = {});

} // namespace earshot::detection
