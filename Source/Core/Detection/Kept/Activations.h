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
    double lowestHz = 0.0; // the lowest frequency that the model uses
    double highestHz = 0.0;
};

// The data of one recording that results contain.
struct ActivationRecording {
    std::string name;
    double seconds = 0.0; // of audio heard
    int sampleRate = 0;   // Hz
    int channels = 0;
    bool complete = true; // false: the recording is damaged, or the analysis was stopped

    bool operator==(const ActivationRecording&) const = default;
};

// Gets the columns of one recording. All functions throw earshot::WriteError when the file cannot be written.
class ActivationWriter : public ColumnObserver {
  public:
    // Completes the contents after end(), so that the file can be committed.
    virtual void finish(const ActivationRecording& recording) = 0;
};

enum class ActivationKind { safetensors, npy };

// ".activations.safetensors", ".activations.npy": the suffix after a recording's name.
const char* suffix(ActivationKind kind);
// The file outlives the writer and need not have that suffix. `info` is copied.
std::unique_ptr<ActivationWriter> makeActivationWriter(ActivationKind kind, WholeFile& file,
                                                       const ActivationInfo& info);

// The safetensors header of kept activations, which the writer writes and ActivationReader reads. All
// metadata are text, as the format demands; `earshot.labels`, `earshot.thresholds` and `earshot.licence` are
// those of models (Labels.h), and so is `earshot.boxes` (Boxes.h). Pure functions: any thread.
// What is known about the columns when all are written.
struct ActivationExtent {
    std::int64_t columns = 0;
    double secondsPerColumn = 0.0;
    double duration = 0.0; // seconds; the last column begins before it
};

inline constexpr const char* activationsTensor = "probabilities";
inline constexpr const char* activationsVersion = "1"; // metadata earshot.activations

// The header as JSON without padding. A path that is too long for its place loses its folders.
std::string headerText(const ActivationInfo& info, const ActivationRecording& recording,
                       const ActivationExtent& extent);
// Room for any header with that info, in bytes; a multiple of 8.
std::size_t mostHeaderBytes(const ActivationInfo& info, double secondsPerColumn);

struct ActivationFacts {
    ActivationInfo info; // without the parts that Labels::read() and BoxScorer::read() return
    ActivationRecording recording;
    double secondsPerColumn = 0.0;
    double duration = 0.0;
};

// Throws earshot::Error, beginning with `file`, when a value is missing or does not fit this number of
// columns.
ActivationFacts parseActivationFacts(const std::map<std::string, std::string>& metadata, std::int64_t columns,
                                     const std::string& file);

// Reads kept activations a few columns at a time, however many there are. The file is untrusted: everything
// is checked before use, and every failure is an earshot::Error that names the file. One thread at a time.
class ActivationReader {
  public:
    explicit ActivationReader(const std::filesystem::path& file);

    const Labels& labels() const { return labels_; } // with the model's own thresholds
    // The model's own scorer, or null.
    const std::shared_ptr<const BoxScorer>& boxes() const { return boxes_; }
    const ActivationFacts& facts() const { return facts_; }
    int classes() const { return labels_.count(); }
    std::int64_t columns() const { return columns_; }

    // Reads the next columns, (n, classes), as many as fit into `values`; 0 at the end. Each value is in [0,
    // 1].
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

// Judges the remaining columns as analyzeRecording() does. It calls `proceed` now and then. If that returns
// false, it stops without a result.
std::optional<RecordingResult> judgeActivations(ActivationReader& reader, const RecordingQuestion& question,
                                                const std::function<bool()>& proceed = {});

} // namespace earshot::detection
