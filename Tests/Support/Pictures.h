// Pictures of views, drawn off screen. Tests search them for colours, and people can look at them if
// EARSHOT_PICTURES names a folder. Message thread.
#pragma once

#include <juce_gui_basics/juce_gui_basics.h>

namespace earshot::test {

inline juce::Image snapshot(juce::Component& component, float scale = 1.0f) {
    return component.createComponentSnapshot(component.getLocalBounds(), true, scale);
}

// Writes NAME.png if EARSHOT_PICTURES is set.
inline void writePicture(const juce::Image& picture, const juce::String& name) {
    const auto folder = juce::SystemStats::getEnvironmentVariable("EARSHOT_PICTURES", {});
    if (folder.isEmpty()) return;
    const juce::File file = juce::File(folder).getChildFile(name + ".png");
    file.getParentDirectory().createDirectory();
    file.deleteFile();
    juce::FileOutputStream stream(file);
    juce::PNGImageFormat().writeImageToStream(picture, stream);
}

} // namespace earshot::test
