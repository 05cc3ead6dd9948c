// One picture for one recording, from half a second to days: it listens to an analysis and keeps what a
// picture can show, a few megabytes whatever the recording's length.
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
    std::string recording;           // as it is called
    std::string model;               // likewise
    std::vector<std::string> labels; // (classes); others are called "class 7"
    std::vector<bool> shown;         // (classes): others are left out; empty: all may be shown
};

class RecordingPicture : public detection::ColumnObserver {
  public:
    explicit RecordingPicture(const frontend::LogMelSettings& frontend);

    void frames(std::span<const float> logMel) override;
    void begin(int classes, double secondsPerColumn) override;
    void column(std::int64_t index, std::span<const float> probabilities) override;
    void end(double seconds) override;

    // The bytes of a file. After end(). events: by onset.
    std::string encoded(PictureFormat format, const PictureSubject& subject,
                        std::span<const detection::Event> events) const;
    std::string svg(const PictureSubject& subject, std::span<const detection::Event> events) const;

    // Of what is kept so far.
    std::size_t bytes() const { return spectrogram_.bytes() + heat_.bytes(); }

  private:
    frontend::LogMelSettings frontend_;
    SpectrogramCells spectrogram_;
    HeatCells heat_;
    double secondsPerColumn_ = 0.32;
    double seconds_ = 0.0;
};

} // namespace earshot::pictures
