// Makes one picture of one recording, which may last from half a second to days. It observes an analysis and
// keeps only what a picture can show: a few megabytes for any length.
//
//     RecordingPicture picture(frontend);
//     question.observers.push_back(&picture);
//     ... analyzeRecording(...) ...
//     writeWholeFile("dawn.wav.svg", picture.encoded(PictureFormat::svg, subject, result.found.events));
//
// One thread at a time (the analyzer's). The same recording gives the same bytes.
#pragma once

#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Core/Frontend/LogMelSettings.h"
#include "Core/Pictures/Cells.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace earshot::pictures {

enum class PictureFormat { svg, png };

struct PictureSubject {
    std::string recording;           // its name
    std::string model;               // its name
    std::vector<std::string> labels; // (classes); a class without a label is called "class 7"
    std::vector<bool> shown;         // (classes): whether a class may be shown; empty: all may
};

class RecordingPicture : public detection::ColumnObserver {
  public:
    explicit RecordingPicture(const frontend::LogMelSettings& frontend);

    void frames(std::span<const float> logMel) override;
    void begin(int classes, double secondsPerColumn) override;
    void column(std::int64_t index, std::span<const float> probabilities) override;
    void end(double seconds) override;

    // Returns the bytes of a file; call it after end(). events: sorted by onset.
    std::string encoded(PictureFormat format, const PictureSubject& subject,
                        std::span<const detection::Event> events) const;
    std::string svg(const PictureSubject& subject, std::span<const detection::Event> events) const;

    // Memory of the data that is kept so far.
    std::size_t bytes() const { return spectrogram_.bytes() + heat_.bytes(); }

  private:
    frontend::LogMelSettings frontend_;
    SpectrogramCells spectrogram_;
    HeatCells heat_;
    double secondsPerColumn_ = 0.32;
    double seconds_ = 0.0;
};

} // namespace earshot::pictures
