// What Earshot does with files that are dropped on it, told by their names alone. Pure: any thread.
#pragma once

#include <juce_core/juce_core.h>

namespace earshot::ui {

struct Drop {
    enum class Kind { nothing, model, recording };
    Kind kind = Kind::nothing;
    juce::File file;    // the one that would be taken
    juce::String words; // what letting go does, or what could be dropped instead
};

Drop dropOf(const juce::StringArray& files);

// "*.wav;*.flac;..." for file choosers
juce::String recordingPattern();
juce::String modelPattern();

} // namespace earshot::ui
