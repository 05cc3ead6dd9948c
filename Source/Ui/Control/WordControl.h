// What the views ask of the texts that are listened for. Message thread.
#pragma once

#include <juce_core/juce_core.h>

#include <cstddef>
#include <string>
#include <vector>

namespace earshot::ui {

// A text that is listened for.
struct Word {
    int id = 0;       // stable, 1 or more: MIDI notes and the project refer to it
    std::string text; // "a dog barks"
    std::string name; // of its lane: the class's name in streaming::History::labels; unique

    bool operator==(const Word&) const = default;
};

// What can be typed, and what was.
struct Words {
    static constexpr std::size_t most = 256;

    bool possible = false;   // the model can listen for texts
    bool joins = false;      // words stand beside the model's classes, else in their place
    bool busy = false;       // the text half is being read, or texts are embedded
    juce::String hint;       // what to do, or what went wrong: a sentence; may be empty
    juce::String price;      // what listening for words takes, before the first is typed; may be empty
    std::vector<Word> words; // in the order of their lanes

    bool operator==(const Words&) const = default;
};

class WordControl {
  public:
    virtual ~WordControl() = default;

    virtual Words state() const = 0;
    // Listens for a text, "a dog barks", or with a name for its lane, "a dog barks=Dog". Returns why not: a
    // sentence for the user; empty if it is done. The lane appears once the text is embedded.
    virtual juce::String add(const juce::String& given) = 0;
    virtual juce::String rename(int id, const juce::String& name) = 0; // as add()
    virtual void move(int id, int places) = 0;                         // down; negative: up
    virtual void remove(int id) = 0;
    virtual void setJoin(bool join) = 0;
};

} // namespace earshot::ui
