#include "Cli/Analyze/PlotOutput.h"

#include "Cli/ExitCode.h"
#include "Core/Base/Unicode.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Pictures/Png.h"

#include <utility>

namespace earshot::cli {

namespace {

using pictures::PictureFormat;

class PlotWriter : public batch::OutputWriter {
  public:
    PlotWriter(WholeFile& file, PictureFormat format, const pictures::PictureSubject& subject,
               const frontend::LogMelSettings& frontend)
        : file_(file)
        , format_(format)
        , subject_(subject)
        , picture_(frontend) {}

    detection::ColumnObserver* observer() override { return &picture_; }

    void finish(const formats::RecordingEvents& recording) override {
        subject_.recording = recording.file;
        std::vector<detection::Event> events;
        for (const auto& event : recording.events)
            events.push_back({event.classIndex, event.onset, event.offset, event.peak, event.mean});
        file_.write(picture_.encoded(format_, subject_, events));
    }

  private:
    WholeFile& file_;
    PictureFormat format_;
    pictures::PictureSubject subject_;
    pictures::RecordingPicture picture_;
};

std::string suffixOf(PictureFormat format) { return format == PictureFormat::svg ? ".svg" : ".png"; }

class PlotKind : public batch::OutputKind {
  public:
    PlotKind(PictureFormat format, const detection::Detector& detector)
        : format_(format)
        , frontend_(detection::logMelSettings(*detector.model.weights)) {
        frontend_.filters.clear(); // the picture does not need the filters, only their bands
        subject_.model = displayName(detector.model.weights->file().stem());
        subject_.labels = detector.labels;
        subject_.shown = detector.how.reported;
    }

    std::string suffix() const override { return suffixOf(format_); }
    bool needsAudio() const override { return true; }
    std::unique_ptr<batch::OutputWriter> write(WholeFile& file) const override {
        return std::make_unique<PlotWriter>(file, format_, subject_, frontend_);
    }

  private:
    PictureFormat format_;
    frontend::LogMelSettings frontend_;
    pictures::PictureSubject subject_;
};

} // namespace

std::shared_ptr<const batch::OutputKind> plotKind(PictureFormat format, const detection::Detector& detector) {
    if (format == PictureFormat::png && !pictures::canRender())
        throw UsageError("--plot png: this Earshot was built without librsvg; --plot svg works");
    return std::make_shared<PlotKind>(format, detector);
}

std::filesystem::path plotPath(PictureFormat format, const std::filesystem::path& recording) {
    return batch::outputFile({}, recording.filename().string(), suffixOf(format));
}

PlotFile::PlotFile(PictureFormat format, const detection::Detector& detector,
                   const std::filesystem::path& recording)
    : file_(plotPath(format, recording))
    , writer_(plotKind(format, detector)->write(file_)) {}

void PlotFile::finish(const formats::RecordingEvents& recording) {
    // The folder is no part of a picture, which may be passed on.
    formats::RecordingEvents named = recording;
    named.file = std::filesystem::path(recording.file).filename().string();
    writer_->finish(named);
    file_.commit();
}

void checkPlotFile(const std::vector<batch::Input>& inputs) {
    if (inputs.size() != 1)
        throw UsageError("--plot of several recordings needs --output-dir, where the pictures go");
    if (inputs.front().isStandardInput())
        throw UsageError("--plot: standard input has no name for a picture; name the recording's file");
}

} // namespace earshot::cli
