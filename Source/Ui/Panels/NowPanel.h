// The ten strongest sounds of the moment with bars, values and peak marks. The moment of the live stream is
// its newest column. That of a recording is the pointer's, else the play position; its title says which.
// Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/Panels/Widgets.h"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace earshot::ui {

// The strongest sounds in a calm order: a sound moves up only when it is clearly stronger than the one above
// it, so that names stay readable. Peak marks hold for a while, then fall. One thread at a time.
class Ranking {
  public:
    struct Entry {
        int classIndex = 0;
        float value = 0.0f; // probability now
        float held = 0.0f;  // the peak mark; at least `value`
    };

    static constexpr float margin = 0.06f;       // how much stronger a sound must be to overtake
    static constexpr float fallPerSecond = 0.5f; // of a peak mark after its hold

    explicit Ranking(int places)
        : places_(places) {}

    void clear();
    // values: (classes) probabilities of the newest column; values that are not finite count as 0. shown
    // (classes): which classes take part. elapsed: seconds since the last update. hold: seconds for which
    // marks stand still. A different number of classes starts anew.
    void update(std::span<const float> values, const std::vector<bool>& shown, double elapsed, double hold);

    std::span<const Entry> top() const { return top_; } // at most `places`, strongest first

  private:
    struct Sound {
        float value = 0.0f;
        float smooth = 0.0f; // the smoothed value that decides the order
        float held = 0.0f;
        double sinceHeld = 0.0; // seconds
    };

    void follow(Sound& sound, float value, double elapsed, double hold) const;
    void place(const std::vector<bool>& shown);
    void sort();

    int places_;
    std::vector<Sound> sounds_; // (classes)
    std::vector<int> order_;    // class indices, strongest first
    std::vector<Entry> top_;
};

class NowPanel : public juce::Component, private HistoryViewModel::Listener, private juce::Timer {
  public:
    static constexpr int places = 10;
    static constexpr int widest = 232;
    static constexpr int narrowest = 160;

    NowPanel(Controller& controller, HistoryViewModel& viewModel);
    ~NowPanel() override;

    void setSearch(const juce::String& search);
    // The time under the pointer. moved: the pointer came there; otherwise the timeline moved below it. While
    // a recording plays, a pointer that rests does not count.
    void setPointer(std::optional<double> seconds, bool moved);
    void updateShown(); // Call it when the view state shows other sounds.
    // Does the timer's work, `seconds` after the last time. Tests call it themselves.
    void advance(double seconds);
    std::span<const Ranking::Entry> strongest() const { return ranking_.top(); }

    void paint(juce::Graphics& graphics) override;
    void resized() override;

  private:
    class Row;

    void historyChanged(const HistoryViewModel::Changes& changes) override;
    void timerCallback() override;
    void tick();
    bool isLive() const;
    bool points() const;
    bool movesOn() const; // whether the moment does, by itself // the moment is the newest column
    std::int64_t momentColumn() const;
    bool sounds(int classIndex, double seconds) const;
    void showRows();

    Controller& controller_;
    HistoryViewModel& viewModel_;
    Ranking ranking_{places};
    juce::String search_;
    std::vector<bool> shown_;       // (classes)
    std::optional<double> pointer_; // seconds
    double lastPointed_ = 0.0;      // seconds: where the pointer left
    double sincePointed_ = 0.0;     // seconds since the pointer moved
    std::size_t used_ = 0;          // rows that show a sound
    double lastTick_ = 0.0;         // ms
    Caption title_{"Now", Caption::Role::secondary};
    std::array<std::unique_ptr<Row>, places> rows_;
};

} // namespace earshot::ui
