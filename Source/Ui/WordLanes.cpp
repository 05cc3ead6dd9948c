#include "Ui/WordLanes.h"

#include "Ui/Panels/Widgets.h"
#include "Ui/SoundFilter.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace earshot::ui {

namespace {

std::optional<Word> wordWith(const WordControl& words, int id) {
    const auto all = words.state().words;
    const auto found = std::ranges::find(all, id, &Word::id);
    return found == all.end() ? std::nullopt : std::optional(*found);
}

// What the view keeps by name stands under the new one afterwards, or goes if there is none.
void follow(ViewSettings& view, const std::string& from, const std::optional<std::string>& to) {
    for (auto* names : {&view.pinned, &view.hidden, &view.solo})
        if (names->erase(from) > 0 && to) names->insert(*to);
    if (auto kept = view.classThresholds.extract(from); !kept.empty() && to)
        view.classThresholds.insert_or_assign(*to, kept.mapped());
}

bool isNamed(const detection::Labels* labels, const std::string& name) {
    return labels != nullptr && std::ranges::find(labels->names(), name) != labels->names().end();
}

bool hasWord(const Words& words, const std::string& text) {
    return std::ranges::any_of(words.words,
                               [&](const Word& word) { return word.text == text || word.name == text; });
}

juce::String lines(const juce::String& first, const juce::String& second) {
    return second.isEmpty() ? first : first + "\n" + second;
}

} // namespace

const Word* wordOf(const Words& words, const detection::Labels& labels, int classIndex) {
    if (classIndex < 0 || classIndex >= labels.count()) return nullptr;
    const int id = labels.wordId(classIndex);
    if (id == 0) return nullptr;
    const auto found = std::ranges::find(words.words, id, &Word::id);
    return found == words.words.end() ? nullptr : &*found;
}

std::vector<int> wordLanes(const Words& words, const detection::Labels& labels) {
    std::vector<int> lanes(words.words.size(), -1);
    for (int i = 0; i < labels.count(); ++i)
        if (const auto* word = wordOf(words, labels, i))
            lanes[static_cast<std::size_t>(word - words.words.data())] = i;
    std::erase(lanes, -1);
    return lanes;
}

bool canListenFor(const Words& words, const detection::Labels* labels, const juce::String& search) {
    const auto text = search.trim();
    return words.possible && text.isNotEmpty() && !isNamed(labels, text.toStdString());
}

juce::String wordHint(const Words& words, const detection::Labels* labels, const juce::String& search,
                      bool found) {
    const auto text = search.trim();
    const bool known = hasWord(words, text.toStdString());
    if (words.busy && (text.isEmpty() || known)) return juce::String::fromUTF8("Embedding words…");
    if (text.isEmpty()) return {};
    if (!words.possible) return found ? juce::String() : words.hint;
    if (known || !canListenFor(words, labels, text)) return {};
    return lines("Press Return to listen for " + inQuotes(text) + ".",
                 words.words.empty() ? words.price : juce::String());
}

juce::String firstWordHint(const Words& words, const detection::Labels* labels) {
    if (labels != nullptr ? labels->count() > 0 : words.joins) return {};
    if (words.busy || !words.words.empty()) return wordHint(words, labels, {}, false);
    if (!words.possible) return {};
    return lines(
        juce::String::fromUTF8("Type a sound to listen for below, such as “a dog barks”, and press Return."),
        words.price);
}

juce::String addLane(Controller& controller, const detection::Labels* labels, const juce::String& text) {
    auto refusal = controller.words().add(text);
    const auto words = controller.words().state().words;
    if (refusal.isEmpty() && !words.empty() && labels != nullptr && anySolo(*labels, controller.view().get()))
        controller.view().edit([&](ViewSettings& view) { view.solo.insert(words.back().name); });
    return refusal;
}

juce::String renameLane(Controller& controller, int id, const juce::String& name) {
    const auto before = wordWith(controller.words(), id);
    auto refusal = controller.words().rename(id, name);
    const auto after = wordWith(controller.words(), id);
    if (refusal.isEmpty() && before && after && before->name != after->name)
        controller.view().edit([&](ViewSettings& view) { follow(view, before->name, after->name); });
    return refusal;
}

void removeLane(Controller& controller, int id) {
    const auto word = wordWith(controller.words(), id);
    if (!word) return;
    controller.words().remove(id);
    controller.view().edit([&](ViewSettings& view) { follow(view, word->name, {}); });
}

void removeAllWords(Controller& controller) {
    for (const auto& word : controller.words().state().words) removeLane(controller, word.id);
}

juce::String shortened(const juce::String& text, int most) {
    if (text.length() <= most) return text;
    return text.substring(0, most).trimEnd() + juce::String::fromUTF8("…");
}

juce::String inQuotes(const juce::String& text, int most) {
    return juce::String::fromUTF8("“") + shortened(text, most) + juce::String::fromUTF8("”");
}

} // namespace earshot::ui
