// What sounds now: the strongest ten with bars, values and peak marks; under a recording that plays, what
// sounds where it plays. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/Panels/Ranking.h"
#include "Ui/Panels/Widgets.h"
#include "Ui/Watcher.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace earshot::ui {

class NowPanel : public juce::Component, private Watcher::Listener, private juce::Timer {
  public:
    static constexpr int places = 10;
    static constexpr int widest = 232;
    static constexpr int narrowest = 160;

    NowPanel(Controller& controller, Watcher& watcher);
    ~NowPanel() override;

    void setSearch(const juce::String& search);
    void updateShown(); // the view state says otherwise which sounds take part
    // What the timer does, `seconds` after the last time; tests call it themselves.
    void advance(double seconds);
    std::span<const Ranking::Entry> strongest() const { return ranking_.top(); }

    void paint(juce::Graphics& graphics) override;
    void resized() override;

  private:
    class Row;

    void heardMore(const Watcher::Changes& changes) override;
    void timerCallback() override;
    void tick();
    std::int64_t momentColumn() const;
    bool sounds(int classIndex, double seconds) const;
    void showRows();

    Controller& controller_;
    Watcher& watcher_;
    Ranking ranking_{places};
    juce::String search_;
    std::vector<bool> shown_; // (classes)
    double lastTick_ = 0.0;   // ms
    Caption title_{"Now", Caption::Role::secondary};
    std::array<std::unique_ptr<Row>, places> rows_;
};

} // namespace earshot::ui
