// `earshot analyze --plot`: one picture for each recording (Core/Pictures/RecordingPicture.h), as one of a
// batch's kinds of files or beside the results of a single recording.
#pragma once

#include "Core/Batch/Inputs.h"
#include "Core/Batch/Outputs.h"
#include "Core/Detection/Detector.h"
#include "Core/Pictures/RecordingPicture.h"

#include <memory>
#include <string>
#include <vector>

namespace earshot::cli {

// A picture NAME.wav.svg (or .png) for each recording. It keeps the parts of the model that it needs. Throws
// UsageError if this build cannot draw such pictures.
std::shared_ptr<const batch::OutputKind> plotKind(pictures::PictureFormat format,
                                                  const detection::Detector& detector);

// Returns the picture's path in the current folder, for a single recording.
std::filesystem::path plotPath(pictures::PictureFormat format, const std::filesystem::path& recording);

// Main thread.
class PlotFile {
  public:
    PlotFile(pictures::PictureFormat format, const detection::Detector& detector,
             const std::filesystem::path& recording);

    detection::ColumnObserver* observer() { return writer_->observer(); }
    // Writes the picture after the recording was analysed. Throws earshot::Error if that fails.
    void finish(const formats::RecordingEvents& recording);

  private:
    WholeFile file_; // outlives its writer
    std::unique_ptr<batch::OutputWriter> writer_;
};

// Throws UsageError unless the input is one recording with a name.
void checkPlotFile(const std::vector<batch::Input>& inputs);

} // namespace earshot::cli
