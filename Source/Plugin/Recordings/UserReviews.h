// The user's judgements of events: a CSV file for each recording in the user's settings folder, named after
// the recording and a hash of its path. Lines that are no judgements stay as they are. It is written in the
// background, in the order of the changes. Message thread.
#pragma once

#include "Core/Base/JobQueue.h"
#include "Core/Base/Synchronized.h"
#include "Ui/Control/ReviewControl.h"

#include <functional>
#include <map>
#include <memory>
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

    ui::Judgements judgements() override;
    juce::String set(const ui::Judgements& judgements) override;
    juce::String problem() const override { return unstored_->copy(); }
    bool busy() const { return disk_.busy(); } // judgements are being stored

  private:
    void read();
    void readFile(std::vector<ui::Judgement>& judgements);
    void forgetWritten();

    std::function<juce::File()> open_;
    juce::File recording_; // whose judgements these are
    ui::Judgements judgements_ = std::make_shared<const std::vector<ui::Judgement>>();
    std::vector<std::string> others_; // lines that are no judgements
    juce::String unreadable_;         // why the file cannot be read; empty: it can
    // Why it was not written; shared with the thread that writes.
    const std::shared_ptr<Synchronized<juce::String>> unstored_ =
        std::make_shared<Synchronized<juce::String>>();
    // What files will hold once all is written: judgements, and lines that are none, by the recording's path.
    std::map<juce::String, std::pair<ui::Judgements, std::vector<std::string>>> unwritten_;
    JobQueue disk_;
};

} // namespace earshot::plugin
