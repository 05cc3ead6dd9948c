// The user's judgements of events: a CSV file for each recording in the user's settings folder, named after
// the recording and a hash of its path. Lines that are no judgements stay as they are. Message thread.
#pragma once

#include "Ui/Control/ReviewControl.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace earshot::plugin {

class UserReviews : public ui::ReviewControl {
  public:
    // open: returns the recording that is open, or no file.
    explicit UserReviews(std::function<juce::File()> open)
        : open_(std::move(open)) {}

    // The file; it need not exist.
    static juce::File fileOf(const juce::File& recording);

    const std::vector<ui::Judgement>& judgements() override;
    juce::String set(const std::vector<ui::Judgement>& judgements) override;

  private:
    void read();

    std::function<juce::File()> open_;
    juce::File recording_; // whose judgements these are
    std::vector<ui::Judgement> judgements_;
    std::vector<std::string> others_; // lines that are no judgements
    juce::String problem_;            // why the file cannot be read; empty: it can
};

} // namespace earshot::plugin
