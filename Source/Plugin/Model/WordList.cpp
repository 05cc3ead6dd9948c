#include "Plugin/Model/WordList.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Ui/Panels/Widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace earshot::plugin {

namespace {

constexpr const char* tooLong = "This is too long: type a few words";

auto findId(std::vector<ui::Word>& words, int id) { return std::ranges::find(words, id, &ui::Word::id); }

} // namespace

WordsState WordList::state() const {
    return state_.with([this](const State& state) {
        WordsState stored{.words = state.words, .joins = state.joins, .space = state.space, .vectors = {}};
        if (state.words.empty()) return stored;
        const auto keep = [&](const std::string& text) {
            if (auto vector = known_->find(state.space, text)) stored.vectors[text] = *std::move(vector);
        };
        for (const ui::Word& word : state.words) keep(word.text);
        for (const std::string& negative : detection::TextChoice{}.negatives) keep(negative);
        return stored;
    });
}

void WordList::set(const WordsState& stored) {
    state_.with([&](State& state) {
        state.words = stored.words;
        state.joins = stored.joins;
        for (const ui::Word& word : state.words) state.lastId = std::max(state.lastId, word.id);
        if (stored.space.empty()) return;
        state.space = stored.space;
        for (const auto& [text, vector] : stored.vectors) known_->add(stored.space, text, vector);
    });
}

std::string WordList::State::refusal(const std::string& name, int exceptId) const {
    if (name.size() > WordsState::maxTextLength) return tooLong;
    const auto isOther = [&](const ui::Word& word) { return word.name == name && word.id != exceptId; };
    if (std::ranges::any_of(words, isOther))
        return fmt::format("\"{}\" already exists: type another text, or text=name", name);
    return {};
}

std::string WordList::add(const std::string& given) {
    ui::Word word;
    try {
        const auto parsed = detection::parseTextPrompt(visibleText(given, "?"));
        word = {0, parsed.text, parsed.name};
    } catch (const Error& error) {
        return error.what();
    }
    return state_.with([&](State& state) -> std::string {
        if (!state.support) return "The model is still loading: try again in a moment";
        if (!state.support->possible) return state.support->hint;
        if (state.words.size() >= ui::Words::most || state.lastId >= WordsState::maxId)
            return fmt::format("At most {} words are possible: remove some first", ui::Words::most);
        if (word.text.size() > WordsState::maxTextLength) return tooLong;
        if (auto problem = state.refusal(word.name, 0); !problem.empty()) return problem;
        word.id = ++state.lastId;
        state.words.push_back(std::move(word));
        return {};
    });
}

std::string WordList::rename(int id, const std::string& name) {
    const std::string shown = printable(name);
    if (shown.empty()) return "Type a name";
    return state_.with([&](State& state) {
        auto problem = state.refusal(shown, id);
        const auto word = findId(state.words, id);
        if (problem.empty() && word != state.words.end()) word->name = shown;
        return problem;
    });
}

void WordList::move(int id, int places) {
    state_.with([&](State& state) {
        auto& words = state.words;
        const auto word = findId(words, id);
        if (word == words.end()) return;
        const auto from = std::distance(words.begin(), word);
        const auto last = static_cast<std::ptrdiff_t>(words.size()) - 1;
        const auto to = std::clamp<std::ptrdiff_t>(from + places, 0, last);
        const auto at = [&](std::ptrdiff_t place) { return words.begin() + place; };
        if (from < to)
            std::rotate(at(from), at(from + 1), at(to + 1));
        else
            std::rotate(at(to), at(from), at(from + 1));
    });
}

void WordList::remove(int id) {
    state_.with([&](State& state) {
        std::erase_if(state.words, [&](const ui::Word& word) { return word.id == id; });
    });
}

void WordList::setJoins(bool joins) {
    state_.with([&](State& state) { state.joins = joins; });
}

bool WordList::empty() const {
    return state_.with([](const State& state) { return state.words.empty(); });
}

bool WordList::joins() const {
    return state_.with([](const State& state) { return state.joins; });
}

ui::Words WordList::view() const {
    return state_.with([](const State& state) -> ui::Words {
        return {.possible = state.support && state.support->possible,
                .joins = state.joins,
                .busy = state.busy > 0,
                .hint = state.support ? ui::toText(state.support->hint) : juce::String(),
                .price = {},
                .words = state.words};
    });
}

detection::QueryChoice WordList::choice() const {
    detection::QueryChoice choice;
    choice.listen.known = known_;
    choice.scores = detection::QueryScores::each; // a new word changes no other lane
    state_.with([&](const State& state) {
        for (const ui::Word& word : state.words)
            choice.listen.texts.push_back({word.text, word.name, word.id});
        choice.joins = state.joins;
    });
    return choice;
}

WordList::Busy::Busy(std::shared_ptr<WordList> list)
    : list_(std::move(list)) {
    list_->state_.with([](State& state) { ++state.busy; });
}

WordList::Busy::~Busy() {
    list_->state_.with([](State& state) { --state.busy; });
}

void WordList::modelChosen() {
    state_.with([](State& state) {
        ++state.modelNumber;
        state.support.reset();
    });
}

int WordList::modelNumber() const {
    return state_.with([](const State& state) { return state.modelNumber; });
}

void WordList::modelLoaded(int number, const detection::TextSupport& support) {
    state_.with([&](State& state) {
        if (number != state.modelNumber) return; // another was chosen meanwhile
        state.support = support;
        if (!support.space.empty()) state.space = support.space;
    });
}

std::optional<bool> WordList::heard() const {
    return state_.with([](const State& state) {
        return state.support ? std::optional(!state.support->space.empty()) : std::nullopt;
    });
}

} // namespace earshot::plugin
