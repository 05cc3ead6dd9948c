// A recording's probabilities in a file, from which events can be made again with other rules and without the
// network. They are written column by column during the analysis; the same input gives the same bytes. One
// thread at a time for each writer.
//
//   safetensors  tensor `probabilities` float16 (columns, classes); beside it, as metadata, all that events
//                need: see ActivationInfo and ActivationRecording. ActivationReader reads it again.
//   npy          float32 (columns, classes) for NumPy, and nothing beside it. Not read again.
//
// float16 has 11 significant bits: a probability of 0.4 is stored to 0.0001. Events made from stored
// probabilities equal those of the recording wherever no probability lies that close to a threshold. Their
// peaks and means differ by as much.
#pragma once

#include "Core/Base/RegularFile.h"
#include "Core/Base/WholeFile.h"
#include "Core/Detection/Events/Boxes.h"
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

// The model and its settings, which are the same for all recordings of a run.
struct ActivationInfo {
    std::vector<std::string> labels;              // (classes)
    std::vector<std::optional<float>> thresholds; // (classes): the model's own
    std::string boxes;                            // its BoxScorer's metadata(); empty if it has none
    std::string licence;                          // of the model's weights; may be empty
    std::string model;                            // the name of its file
    std::string modelSha256;
    std::string mode;      // "auto", "crop", "repeat"
    double hop = 0.0;      // seconds between windows
    double lowestHz = 0.0; // that the model hears
    double highestHz = 0.0;
};

// What results say of a recording.
struct ActivationRecording {
    std::string name;
    double seconds = 0.0; // of audio heard
    int sampleRate = 0;   // Hz
    int channels = 0;
    bool complete = true; // false: damaged, or stopped

    bool operator==(const ActivationRecording&) const = default;
};

// Gets one recording's columns; where the file cannot be written, all throws earshot::WriteError.
class ActivationWriter : public ColumnObserver {
  public:
    // After end(): the contents are whole from here on, and the file can be committed.
    virtual void finish(const ActivationRecording& recording) = 0;
};

enum class ActivationKind { safetensors, npy };

// ".activations.safetensors", ".activations.npy": behind a recording's name.
const char* suffix(ActivationKind kind);
// The file need not end in that suffix; it outlives the writer. `info` is copied.
std::unique_ptr<ActivationWriter> makeActivationWriter(ActivationKind kind, WholeFile& file,
                                                       const ActivationInfo& info);

// The safetensors header of kept activations: what a writer writes and ActivationReader reads. All
// metadata is text, as the format has it; `earshot.labels`, `earshot.thresholds` and `earshot.licence` are as
// in models (Labels.h), and so is `earshot.boxes` (Boxes.h). Pure functions: any thread.
// What is known of the columns once all are there.
struct ActivationExtent {
    std::int64_t columns = 0;
    double secondsPerColumn = 0.0;
    double duration = 0.0; // seconds; the last column begins before it
};

inline constexpr const char* activationsTensor = "probabilities";
inline constexpr const char* activationsVersion = "1"; // metadata earshot.activations

// JSON, not padded. A name too long for its place loses its folders.
std::string headerText(const ActivationInfo& info, const ActivationRecording& recording,
                       const ActivationExtent& extent);
// Bytes that hold any header with that info; a multiple of 8.
std::size_t mostHeaderBytes(const ActivationInfo& info, double secondsPerColumn);

struct ActivationFacts {
    ActivationInfo info; // without what Labels::read() and BoxScorer::read() have
    ActivationRecording recording;
    double secondsPerColumn = 0.0;
    double duration = 0.0;
};

// Throws earshot::Error, beginning with `file`, when something is missing or makes no sense for so many
// columns.
ActivationFacts parseActivationFacts(const std::map<std::string, std::string>& metadata, std::int64_t columns,
                                     const std::string& file);

// Kept activations read again, a few columns at a time, whatever their number. The file is untrusted: all of
// it is checked before it is used, and every failure is an earshot::Error that names the file. One thread at
// a time.
class ActivationReader {
  public:
    explicit ActivationReader(const std::filesystem::path& file);

    const Labels& labels() const { return labels_; } // with the model's own thresholds
    // The model's own, or null.
    const std::shared_ptr<const BoxScorer>& boxes() const { return boxes_; }
    const ActivationFacts& facts() const { return facts_; }
    int classes() const { return labels_.count(); }
    std::int64_t columns() const { return columns_; }

    // The next columns, (n, classes) for as many as `values` holds and there are; 0 at the end. Each value is
    // 0 to 1.
    std::int64_t read(std::span<float> values);

  private:
    void readHeader();

    RegularFile file_;
    std::uint64_t position_ = 0; // of the next column, in bytes
    Labels labels_;
    std::shared_ptr<const BoxScorer> boxes_;
    ActivationFacts facts_;
    std::int64_t columns_ = 0;
    std::int64_t read_ = 0; // columns
    std::vector<std::byte> stored_;
};

// The rest of the columns judged as analyzeRecording() judges a recording; `proceed` is asked now and then,
// and false stops there: then there is no result.
std::optional<RecordingResult> judgeActivations(ActivationReader& reader, const RecordingQuestion& question,
                                                const std::function<bool()>& proceed = {});

} // namespace earshot::detection
