// A part of the settings: a heading, and rows below each other. Message thread.
#pragma once

#include "Ui/Panels/Widgets.h"

#include <memory>
#include <vector>

namespace earshot::ui {

class SettingsSection : public juce::Component {
  public:
    explicit SettingsSection(const juce::String& heading);
    ~SettingsSection() override;

    // A name at the left, a control beside it (kept by whoever adds it).
    void addRow(const juce::String& name, juce::Component& control, int width = 0);
    // The whole width; nothing while it is invisible.
    void addWide(juce::Component& control, int height);
    // Text in as many lines as it needs.
    Caption& addText(const juce::String& text, Caption::Role role = Caption::Role::secondary);

    int heightFor(int width) const;
    void resized() override;

  private:
    struct Row {
        std::unique_ptr<Caption> name; // null where the control has the whole width
        juce::Component* control;
        int width;  // 0: what there is
        int height; // 0: text, as high as it is
    };

    int rowHeight(const Row& row, int width) const;

    Caption heading_;
    std::vector<std::unique_ptr<Caption>> texts_;
    std::vector<Row> rows_;
};

} // namespace earshot::ui
