// `earshot analyze --plot`: a picture for each recording (Core/Pictures/RecordingPicture.h), as one more file
// of a batch, or beside the results of a single recording.
#pragma once

#include "Cli/Analyze/AnalyzeModel.h"
#include "Core/Batch/Inputs.h"
#include "Core/Batch/Outputs.h"
#include "Core/Pictures/RecordingPicture.h"

#include <memory>
#include <string>
#include <vector>

namespace earshot::cli {

// NAME.wav.svg for each recording. Copies what it needs of the model. Throws UsageError if this build cannot
// draw such pictures.
std::shared_ptr<const batch::OutputKind> plotKind(pictures::PictureFormat format, const AnalyzeModel& model);

// The picture of a single recording, in the current folder.
std::filesystem::path plotPath(pictures::PictureFormat format, const std::filesystem::path& recording);

// Main thread.
class PlotFile {
  public:
    PlotFile(pictures::PictureFormat format, const AnalyzeModel& model,
             const std::filesystem::path& recording);

    detection::ColumnObserver* observer() { return writer_->observer(); }
    // Call it after the recording. Throws earshot::Error when the picture cannot be written.
    void finish(const formats::RecordingEvents& recording);

  private:
    WholeFile file_; // outlives its writer
    std::unique_ptr<batch::OutputWriter> writer_;
};

// Throws UsageError unless there is exactly one recording, with a name.
void checkPlotFile(const std::vector<batch::Input>& inputs);

} // namespace earshot::cli
