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

constexpr const char* tooLong = "This is too long: write a few words";

auto findId(std::vector<ui::Word>& words, int id) { return std::ranges::find(words, id, &ui::Word::id); }

} // namespace

WordsState WordList::state() const {
    const std::scoped_lock lock(mutex_);
    WordsState state{.words = words_, .joins = joins_, .space = space_, .vectors = {}};
    if (words_.empty()) return state;
    const auto keep = [&](const std::string& text) {
        if (auto vector = known_->find(space_, text)) state.vectors[text] = *std::move(vector);
    };
    for (const ui::Word& word : words_) keep(word.text);
    for (const std::string& rival : detection::TextChoice{}.rivals) keep(rival);
    return state;
}

void WordList::set(const WordsState& state) {
    const std::scoped_lock lock(mutex_);
    words_ = state.words;
    joins_ = state.joins;
    for (const ui::Word& word : words_) lastId_ = std::max(lastId_, word.id);
    if (state.space.empty()) return;
    space_ = state.space;
    for (const auto& [text, vector] : state.vectors) known_->add(space_, text, vector);
}

std::string WordList::refusal(const std::string& name, int exceptId) const {
    if (name.size() > WordsState::longestText) return tooLong;
    const auto isOther = [&](const ui::Word& word) { return word.name == name && word.id != exceptId; };
    if (std::ranges::any_of(words_, isOther))
        return fmt::format("\"{}\" is there already: type another text, or text=name", name);
    return {};
}

std::string WordList::add(const std::string& given) {
    ui::Word word;
    try {
        const auto parsed = detection::parseListened(visibleText(given, "?"));
        word = {0, parsed.text, parsed.name};
    } catch (const Error& error) {
        return error.what();
    }
    const std::scoped_lock lock(mutex_);
    if (!support_) return "The model is still loading: try again in a moment";
    if (!support_->possible) return support_->hint;
    if (words_.size() >= ui::Words::most || lastId_ >= WordsState::mostId)
        return fmt::format("{} words are the most: remove some first", ui::Words::most);
    if (word.text.size() > WordsState::longestText) return tooLong;
    if (auto problem = refusal(word.name, 0); !problem.empty()) return problem;
    word.id = ++lastId_;
    words_.push_back(std::move(word));
    return {};
}

std::string WordList::rename(int id, const std::string& name) {
    const std::string shown = printable(name);
    const std::scoped_lock lock(mutex_);
    if (shown.empty()) return "Write a name";
    if (auto problem = refusal(shown, id); !problem.empty()) return problem;
    if (const auto word = findId(words_, id); word != words_.end()) word->name = shown;
    return {};
}

void WordList::move(int id, int places) {
    const std::scoped_lock lock(mutex_);
    const auto word = findId(words_, id);
    if (word == words_.end()) return;
    const auto from = std::distance(words_.begin(), word);
    const auto last = static_cast<std::ptrdiff_t>(words_.size()) - 1;
    const auto to = std::clamp<std::ptrdiff_t>(from + places, 0, last);
    const auto at = [this](std::ptrdiff_t place) { return words_.begin() + place; };
    if (from < to)
        std::rotate(at(from), at(from + 1), at(to + 1));
    else
        std::rotate(at(to), at(from), at(from + 1));
}

void WordList::remove(int id) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(words_, [&](const ui::Word& word) { return word.id == id; });
}

void WordList::setJoins(bool joins) {
    const std::scoped_lock lock(mutex_);
    joins_ = joins;
}

bool WordList::empty() const {
    const std::scoped_lock lock(mutex_);
    return words_.empty();
}

bool WordList::joins() const {
    const std::scoped_lock lock(mutex_);
    return joins_;
}

ui::Words WordList::view() const {
    const std::scoped_lock lock(mutex_);
    return {.possible = support_ && support_->possible,
            .joins = joins_,
            .busy = busy_ > 0,
            .hint = support_ ? ui::toText(support_->hint) : juce::String(),
            .price = {},
            .words = words_};
}

detection::QueryChoice WordList::choice() const {
    const std::scoped_lock lock(mutex_);
    detection::QueryChoice choice;
    for (const ui::Word& word : words_) choice.listen.texts.push_back({word.text, word.name, word.id});
    choice.listen.known = known_;
    choice.scores = detection::QueryScores::each; // a new word changes no other lane
    choice.joins = joins_;
    return choice;
}

WordList::Busy::Busy(std::shared_ptr<WordList> list)
    : list_(std::move(list)) {
    const std::scoped_lock lock(list_->mutex_);
    ++list_->busy_;
}

WordList::Busy::~Busy() {
    const std::scoped_lock lock(list_->mutex_);
    --list_->busy_;
}

void WordList::modelChosen() {
    const std::scoped_lock lock(mutex_);
    ++modelNumber_;
    support_.reset();
}

int WordList::modelNumber() const {
    const std::scoped_lock lock(mutex_);
    return modelNumber_;
}

void WordList::modelLoaded(int number, const detection::TextSupport& support) {
    const std::scoped_lock lock(mutex_);
    if (number != modelNumber_) return; // another was chosen meanwhile
    support_ = support;
    if (!support.space.empty()) space_ = support.space;
}

std::optional<bool> WordList::heard() const {
    const std::scoped_lock lock(mutex_);
    if (!support_) return std::nullopt;
    return !support_->space.empty();
}

} // namespace earshot::plugin
