// Words that are listened for, as the views know them: which lanes are theirs, what a search says about them,
// and how the view's settings follow them. Message thread.
#pragma once

#include "Core/Detection/Events/Labels.h"
#include "Ui/Controller.h"

#include <juce_core/juce_core.h>

#include <vector>

namespace earshot::ui {

// The word that a class is made of; null for a class of the model.
const Word* wordOf(const Words& words, const detection::Labels& labels, int classIndex);
// Class indices of the words' lanes, in the words' order. A word that is not embedded yet has none.
std::vector<int> wordLanes(const Words& words, const detection::Labels& labels);

// What Return does with a text in the search field: listens for it, if words are possible and no lane has
// exactly this name. labels: may be null.
bool canListenFor(const Words& words, const detection::Labels* labels, const juce::String& search);
// What the search says about words, for the user: how to listen for its text, or why that is not possible if
// it finds nothing. While nothing is searched: that words are being embedded. May be empty.
juce::String wordHint(const Words& words, const detection::Labels* labels, const juce::String& search,
                      bool found);
// What to do first with a model that has no classes of its own; empty for other models.
juce::String firstWordHint(const Words& words, const detection::Labels* labels);

// These change a word and let what the view keeps by its name follow; a new word is shown beside solo sounds.
// The first two return why not, as WordControl does. labels: may be null.
juce::String addLane(Controller& controller, const detection::Labels* labels, const juce::String& text);
juce::String renameLane(Controller& controller, int id, const juce::String& name);
void removeLane(Controller& controller, int id);
void removeAllWords(Controller& controller);

// A text that has at most so many characters and an ellipsis, and the same in quotation marks.
juce::String shortened(const juce::String& text, int most);
juce::String inQuotes(const juce::String& text, int most = 40);

} // namespace earshot::ui
