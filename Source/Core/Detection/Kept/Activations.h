// A recording's probabilities kept in a file, so that events can be made from them again with other rules and
// without the network. Written column by column while the recording is heard; the same input gives the same
// bytes. One thread at a time for each writer.
//
//   safetensors  tensor `probabilities` float16 (columns, classes); beside it, as metadata, all that events
//                need: see ActivationInfo and ActivationRecording. ActivationReader reads it again.
//   npy          float32 (columns, classes) for NumPy, and nothing beside it. Not read again.
//
// float16 keeps 11 significant bits: a probability of 0.4 is kept to 0.0001. Events made from what was kept
// are those of the recording wherever no probability lies that close to a threshold; their peaks and means
// differ by as much.
#pragma once

#include "Core/Base/WholeFile.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earshot::detection {

// The model, and how it listened: the same for all recordings of a run.
struct ActivationInfo {
    std::vector<std::string> labels;              // (classes)
    std::vector<std::optional<float>> thresholds; // (classes): the model's own
    std::string boxes;                            // its BoxScorer's metadata(); empty where it has none
    std::string licence;                          // of the model's weights; may be empty
    std::string model;                            // its file's name
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

} // namespace earshot::detection
