// How the user arranged the view. The project keeps it apart from parameters, by class name, so that it
// survives a change of model. Message thread; listeners hear of every change.
#pragma once

#include <juce_events/juce_events.h>

#include <functional>
#include <map>
#include <set>
#include <string>

namespace earshot::ui {

enum class ThemeChoice { dark, light };

struct ViewSettings {
    std::set<std::string> pinned;
    std::set<std::string> hidden;
    std::set<std::string> solo;        // if not empty, only these are shown
    std::string preset = "Everything"; // that was applied last, by name; empty: none
    bool quietLanes = false;           // sounds without an event or near miss in view have lanes, too
    std::map<std::string, float> classThresholds; // 0 to 1
    bool byConfidence = false;     // chooses the events of recordings by confidence, where the model has it
    bool clock = false;            // the app's live times are those of the computer's clock
    double visibleSeconds = 30.0;  // 5 s to days
    double spectrogramShare = 0.5; // of the height of spectrogram and lanes
    double minHertz = 0.0, maxHertz = 0.0; // of the spectrogram, as far as the model has it; max 0: all
    int contrast = 0;                      // of the spectrogram: -1, 0 or 1
    ThemeChoice theme = ThemeChoice::dark;
    int width = 1200; // of the editor, in logical pixels
    int height = 720;
    int historyMegabytes = 128; // the limit of a live stream's history

    bool operator==(const ViewSettings&) const = default;
};

class ViewState : public juce::ChangeBroadcaster {
  public:
    std::function<void()> onSet;             // called at once, while listeners hear of it later
    std::function<void(bool done)> onPreset; // called before and after a preset is applied

    const ViewSettings& get() const { return settings_; }
    // Broadcasts (asynchronously) if something differs.
    void set(const ViewSettings& settings) {
        if (settings == settings_) return;
        settings_ = settings;
        if (onSet) onSet();
        sendChangeMessage();
    }
    template <typename Change>
    void edit(Change&& change) {
        ViewSettings edited = settings_;
        change(edited);
        set(edited);
    }

  private:
    ViewSettings settings_;
};

} // namespace earshot::ui
