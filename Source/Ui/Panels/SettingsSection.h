// One part of a panel at the side: a heading with rows below it. Message thread.
#pragma once

#include "Ui/Panels/Widgets.h"

#include <memory>
#include <vector>

namespace earshot::ui {

class SettingsSection : public juce::Component {
  public:
    explicit SettingsSection(const juce::String& heading);
    ~SettingsSection() override;

    // Adds a row with a name at the left and a control beside it. The caller keeps the control.
    void addRow(const juce::String& name, juce::Component& control, int width = 0);
    // Adds a row that is a control of the whole width. An invisible control takes no room.
    void addWide(juce::Component& control, int height);
    // Adds text that wraps to as many lines as it needs.
    Caption& addText(const juce::String& text, Caption::Role role = Caption::Role::secondary);

    // Adds a row of a name and a text that wraps beside it.
    void addLine(const juce::String& name, const juce::String& text);

    // Places a control at the right end of the heading. The caller keeps it.
    void addToHeading(juce::Component& control, int width);

    // Hides all rows below the heading, or shows them again.
    void setFolded(bool folded);

    int heightFor(int width) const;
    void resized() override;

  private:
    struct Row {
        std::unique_ptr<Caption> name; // null where the control has the whole width
        juce::Component* control;
        int width;  // 0: all the room there is
        int height; // 0: as high as its text
    };

    static int nameWidth(const Row& row, int width);
    int rowHeight(const Row& row, int width) const;

    Caption heading_;
    juce::Component* beside_ = nullptr; // the heading
    int besideWidth_ = 0;
    std::vector<std::unique_ptr<Caption>> texts_;
    std::vector<Row> rows_;
};

} // namespace earshot::ui
