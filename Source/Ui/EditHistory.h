// What the user changed and can take back: a preset, its rules, thresholds of single sounds, pins, hidden and
// solo sounds, the mark in the timeline, the review, and examples of taught sounds. Changes of one thing in
// quick succession are one step, and so is a slider that is dragged, or a preset. Automation is no step.
// Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/Timeline/MarkedSpan.h"

#include <juce_events/juce_events.h>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace earshot::ui {

class EditHistory : private juce::ChangeListener, private juce::AudioProcessorParameter::Listener {
  public:
    static constexpr std::size_t maxSteps = 100;
    std::function<void()> onChange; // after each step, new, undone or redone
    bool canUndo() const { return !undo_.empty(); }
    bool canRedo() const { return !redo_.empty(); }

    explicit EditHistory(Controller& controller);
    ~EditHistory() override;

    void noteMark(const std::optional<MarkedSpan>& mark); // Call it when the mark changed.
    void forgetMarks();                                   // Call it when other audio is shown.
    void noteExamples();                                  // Call it when examples may have changed.
    // Return what was changed, as in "threshold of Rain"; empty: there is nothing to undo or redo, or it
    // failed and onRefusal was called.
    juce::String undo() { return go(undo_, redo_); }
    juce::String redo() { return go(redo_, undo_); }

    std::function<void(const std::optional<MarkedSpan>&)> onMark; // sets or removes the mark
    std::function<void(const juce::String&)> onRefusal;           // why nothing was undone or redone
    std::function<juce::int64()> clock;                           // milliseconds; tests set another

  private:
    struct Edited {
        std::map<std::string, float> thresholds;
        std::set<std::string> pinned, hidden, solo;
        std::optional<MarkedSpan> mark;
        std::string preset;
        PresetRules rules;
        Judgements review; // of the recording that is open
        int examples = 0;  // TeachingControl::edits()

        bool operator==(const Edited&) const = default;
    };

    static juce::String changeOf(const Edited& before, const Edited& after);

    void changeListenerCallback(juce::ChangeBroadcaster* source) override;
    void parameterValueChanged(int, float) override {}
    void parameterGestureChanged(int index, bool starts) override;
    Edited viewNow() const;
    void noteView() { note(viewNow()); }
    void noteRules(bool done);
    void takeRules(const PresetRules& rules);
    void note(const Edited& now);
    bool restoreReview(const Edited& to);
    bool restoreExamples(const Edited& to);
    juce::String go(std::vector<Edited>& from, std::vector<Edited>& to);

    ViewState& view_;
    juce::AudioProcessorValueTreeState& parameters_;
    PlaybackControl& playback_;
    ReviewControl& reviews_;
    TeachingControl& teaching_;
    juce::File recording_; // that is open, since forgetMarks()
    Edited present_;
    std::vector<Edited> undo_, redo_; // the newest last
    juce::String last_;               // what the newest step changed
    juce::int64 lastTime_ = 0;        // milliseconds
    bool applying_ = false;
};

} // namespace earshot::ui
