// A source of a history whose columns the test writes. Message thread.
#pragma once

#include "Core/Detection/Events/Sebbs.h"
#include "Core/Streaming/HistoryProvider.h"
#include "Ui/Control/WordControl.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earshot::test {

class FakeSource : public streaming::HistoryProvider {
  public:
    explicit FakeSource(std::vector<std::string> labels, double secondsPerColumn = 0.32);

    // probabilities: (classes) of the next column. The newest `unsettled` columns are open.
    void addColumn(const std::vector<float>& probabilities, int unsettled = 4);
    // A scene for screenshots: sounds that come and go, with a spectrogram of their harmonics.
    void addScene(double seconds, unsigned seed = 1);

    // Gives the model confidences. Views notice it when they are shown another source.
    void setBoxes(const detection::SebbScorer& sebbs);
    void finish(); // the recording ends with its last column
    // Another stream begins, and has heard the same.
    void beginStream() {
        ++stream_;
        ++generation_;
    }

    // Gives the source these words beside its classes, or none. What was heard of a word stays with its id.
    void setWords(const std::vector<ui::Word>& words);

    // Copies all that the other source has heard.
    void copyOf(const FakeSource& other);

    // Of a channel of the same recording.
    void shareLabels(FakeSource& other) const { other.labels_ = labels_; }

    bool isNamed(const std::string& name) const; // whether a class of the model has this name

    streaming::Status status() const override { return statusNow; }
    const streaming::HistoryProvider& channel(std::size_t index) const override {
        return index == 0 ? *this : *others[index - 1];
    }
    bool copySince(streaming::History& copy) const override;

    streaming::Status statusNow;
    std::vector<std::unique_ptr<FakeSource>>
        others; // of the channels behind the first; name them in statusNow
    streaming::TimeMap times;

  private:
    std::shared_ptr<const detection::Labels> classes_; // without words
    std::shared_ptr<const detection::Labels> labels_;
    std::vector<int> wordIds_;
    std::uint64_t generation_ = 1;
    std::uint64_t stream_ = 1;
    double secondsPerColumn_;
    std::vector<std::vector<float>> columns_;
    std::int64_t settled_ = 0;
    std::optional<double> duration_;
    streaming::SpectrogramHistory spectrogram_;
};

} // namespace earshot::test
