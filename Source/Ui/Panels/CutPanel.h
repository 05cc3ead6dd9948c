// Asks how events are cut out as audio files: format, handles and folder. It stands in a box beside what
// opened it. Message thread.
#pragma once

#include "Ui/Control/ClipControl.h"
#include "Ui/NonThrowing.h"
#include "Ui/Panels/Widgets.h"

#include <functional>
#include <memory>

namespace earshot::ui {

// Where the clips of a recording go unless the user chooses: "dawn clips" beside dawn.flac.
juce::File clipFolderFor(const juce::File& recording);

class CutPanel : public juce::Component {
  public:
    static constexpr double maxHandles = 10.0; // seconds

    explicit CutPanel(ClipRequest request);

    // Called with what the user chose. Returns why nothing is cut; on an empty text the box closes.
    std::function<juce::String(const ClipRequest&)> onCut;

    void resized() override;
    void paint(juce::Graphics& graphics) override;

    NonThrowing<juce::ComboBox> format;
    NonThrowing<juce::Slider> handles{juce::Slider::LinearHorizontal, juce::Slider::TextBoxRight};
    NonThrowing<juce::TextButton> choose{"Choose..."};
    NonThrowing<juce::TextButton> cut;

  private:
    juce::String title() const;
    void showFolder();
    void chooseFolder();
    void begin();

    ClipRequest request_;
    Caption folder_{{}, Caption::Role::text};
    Caption refusal_{{}, Caption::Role::trouble};
    std::unique_ptr<juce::FileChooser> chooser_;
};

} // namespace earshot::ui
