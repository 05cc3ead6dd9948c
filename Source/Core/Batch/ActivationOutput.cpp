#include "Core/Batch/ActivationOutput.h"

#include <utility>

namespace earshot::batch {

namespace {

class ActivationFile : public OutputWriter {
  public:
    explicit ActivationFile(std::unique_ptr<detection::ActivationWriter> writer)
        : writer_(std::move(writer)) {}

    detection::ColumnObserver* observer() override { return writer_.get(); }
    void finish(const formats::RecordingEvents& recording) override {
        writer_->finish({.name = recording.file,
                         .seconds = recording.seconds,
                         .sampleRate = recording.sampleRate,
                         .channels = recording.channels,
                         .complete = recording.complete});
    }

  private:
    std::unique_ptr<detection::ActivationWriter> writer_;
};

class ActivationOutput : public OutputKind {
  public:
    ActivationOutput(detection::ActivationKind kind, detection::ActivationInfo info)
        : kind_(kind)
        , info_(std::move(info)) {}

    std::string suffix() const override { return detection::suffix(kind_); }
    bool needsAudio() const override { return true; }
    std::unique_ptr<OutputWriter> write(WholeFile& file) const override {
        return std::make_unique<ActivationFile>(detection::makeActivationWriter(kind_, file, info_));
    }

  private:
    detection::ActivationKind kind_;
    detection::ActivationInfo info_;
};

} // namespace

std::shared_ptr<const OutputKind> activationOutput(detection::ActivationKind kind,
                                                   detection::ActivationInfo info) {
    return std::make_shared<ActivationOutput>(kind, std::move(info));
}

} // namespace earshot::batch
