// What the views ask of the sounds that the user teaches. Message thread.
#pragma once

#include <juce_core/juce_core.h>

#include <cstdint>
#include <vector>

namespace earshot::ui {

// A sound that the user teaches by examples.
struct TaughtSound {
    juce::String name;
    int examples = 0;         // stretches that are it
    int counterExamples = 0;  // stretches that are not
    double seconds = 0.0;     // of the examples
    int sources = 0;          // recordings or streams they come from
    bool learnt = false;      // the present model has it, from just these examples
    juce::String reliability; // "finds about 8 in 10", or what is missing: a sentence; may be empty
    juce::StringArray alsoDetected = {}; // the model's sounds that the examples are detected as, too

    bool operator==(const TaughtSound&) const = default;
};

// The user's collection of examples, and what was learnt from it.
struct Teaching {
    bool possible = false;           // the model can be taught; else `hint` says why not
    juce::String hint;               // what to do, or what went wrong: sentences; may be empty
    juce::String refusal;            // why the last change could not be made; empty: it was
    int refusals = 0;                // changes that could not be made, so far
    juce::File folder;               // the collection's; it need not exist yet
    std::vector<TaughtSound> sounds; // by name
    bool keepsAudio = false;         // live audio is kept, so that sounds in it can be marked
    bool learning = false;
    double progress = 0.0; // 0 to 1, while learning
    juce::String doing;    // "Analysing the examples", while learning
    juce::String outcome;  // how the last learning ended: a sentence; empty before
    bool canLearn = false; // the present model has not learnt something, or there is a newer one to learn
    bool canUndo = false;  // there is a model from before the last learning

    bool operator==(const Teaching&) const = default;
};

class TeachingControl {
  public:
    virtual ~TeachingControl() = default;

    virtual Teaching state() const = 0;
    // Keeps a stretch of what is shown (seconds of the stream or recording) as an example of `sound`, or,
    // with `is` false, as one of what is not that sound. Nothing is kept of a live stream that is not the one
    // shown (streaming::History::stream), as in a frozen view. Where this and the functions below return a
    // text, it says why nothing was begun: a sentence for the user. Else it is done in the background, and
    // Teaching::refusal says if it cannot be.
    virtual juce::String teach(const juce::String& sound, std::uint64_t stream, double onset, double offset,
                               bool is) = 0;
    virtual juce::String rename(const juce::String& sound, const juce::String& name) = 0;
    virtual juce::String forget(const juce::String& sound) = 0; // its examples go to the trash
    virtual juce::String openCollection(const juce::File& folder) = 0;
    // Adds a folder that holds a folder of clips for each sound. One that is a collection itself is opened.
    virtual juce::String addExamples(const juce::File& folder) = 0;
    // How many changes of the collection are in effect, of those made here: each of the functions above makes
    // one. restore() takes the last ones back, or makes them again; one that was made instead ends that.
    virtual int edits() const = 0;
    virtual juce::String restore(int edits) = 0;
    virtual juce::String learn() = 0; // in the background; the model that results is loaded at once
    virtual void stop() = 0;
    virtual juce::String undo() = 0; // loads the model from before
    virtual void setKeepsAudio(bool keeps) = 0;
    // The panel opens: from here on live audio is kept, unless that was switched off.
    virtual void panelOpens() = 0;
};

} // namespace earshot::ui
