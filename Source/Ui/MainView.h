// Everything a user sees: the plugin's editor and the app's frame hold one of these. Message thread.
#pragma once

#include "Ui/Controller.h"

#include <juce_gui_basics/juce_gui_basics.h>

#include <memory>

namespace earshot::ui {

class MainView : public juce::Component,
                 public juce::FileDragAndDropTarget,
                 public juce::DragAndDropContainer {
  public:
    static constexpr int minWidth = 640;
    static constexpr int minHeight = 360;

    explicit MainView(Controller& controller);
    ~MainView() override;

    // Shows that a callback failed.
    void showTrouble(const juce::String& cause); // why something was not shown or done
    // Brings everything up to date at once, as the timer does. For tests and screenshots.
    void refresh();

    void paint(juce::Graphics& graphics) override;
    void resized() override;
    bool keyPressed(const juce::KeyPress& key) override;
    void showRecordings(); // opens their list
    std::unique_ptr<juce::ComponentTraverser> createKeyboardFocusTraverser() override;
    bool isInterestedInFileDrag(const juce::StringArray& files) override;
    void filesDropped(const juce::StringArray& files, int x, int y) override;
    void fileDragEnter(const juce::StringArray& files, int x, int y) override;
    void fileDragExit(const juce::StringArray& files) override;
    // A drag of events leaves the window.
    bool shouldDropFilesWhenDraggedExternally(const juce::DragAndDropTarget::SourceDetails& details,
                                              juce::StringArray& files, bool& canMove) override;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::ui
