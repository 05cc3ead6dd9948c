#include "Ui/EditHistory.h"

#include "Ui/CatchAll.h"
#include "Ui/PresetChoice.h"

#include <utility>

namespace earshot::ui {

namespace {

constexpr juce::int64 oneStep = 1000; // milliseconds

// The one sound whose thresholds differ; empty if there are several.
std::string soundOfChange(const std::map<std::string, float>& before,
                          const std::map<std::string, float>& after) {
    std::set<std::string> names;
    const auto compare = [&names](const auto& from, const auto& to) {
        for (const auto& [name, threshold] : from)
            if (const auto other = to.find(name); other == to.end() || other->second != threshold)
                names.insert(name);
    };
    compare(before, after);
    compare(after, before);
    return names.size() == 1 ? *names.begin() : std::string();
}

} // namespace

EditHistory::EditHistory(Controller& controller)
    : clock([] { return juce::Time::currentTimeMillis(); })
    , view_(controller.view())
    , parameters_(controller.parameters())
    , playback_(controller.playback())
    , reviews_(controller.reviews())
    , teaching_(controller.teaching())
    , recording_(playback_.recording()) {
    present_ = viewNow();
    view_.addChangeListener(this);
    view_.onPreset = [this](bool done) {
        noteRules(done);
        applying_ = !done;
    };
    for (const char* id : presetParameters) parameters_.getParameter(id)->addListener(this);
}

EditHistory::~EditHistory() {
    for (const char* id : presetParameters) parameters_.getParameter(id)->removeListener(this);
    view_.onPreset = nullptr;
    view_.removeChangeListener(this);
}

void EditHistory::changeListenerCallback(juce::ChangeBroadcaster*) {
    catchAll([this] { noteView(); });
}

EditHistory::Edited EditHistory::viewNow() const {
    const ViewSettings& settings = view_.get();
    return {settings.classThresholds,
            settings.pinned,
            settings.hidden,
            settings.solo,
            present_.mark,
            settings.preset,
            present_.rules,
            playback_.recording() == recording_ ? reviews_.judgements() : present_.review,
            teaching_.edits()};
}

// Only gestures are the user's, and what automation does between them is no step.
void EditHistory::parameterGestureChanged(int, bool starts) {
    if (applying_ || !juce::MessageManager::existsAndIsCurrentThread()) return;
    catchAll([this, starts] { noteRules(!starts); });
}

// done: a change of the rules, with what else it changed, is one step.
void EditHistory::noteRules(bool done) {
    if (!done) noteView();
    auto now = viewNow();
    now.rules = presetRules(parameters_);
    if (done)
        note(now);
    else
        takeRules(now.rules);
}

// Other steps leave what automation has moved as it is.
void EditHistory::takeRules(const PresetRules& rules) {
    const auto before = std::exchange(present_.rules, rules);
    // Clang 14 cannot reverse a view with this standard library.
    for (auto step = undo_.rbegin(); step != undo_.rend() && step->rules == before; ++step)
        step->rules = rules;
}

void EditHistory::noteMark(const std::optional<MarkedSpan>& mark) {
    if (applying_) return;
    noteView(); // its listeners hear of a change later
    auto now = present_;
    now.mark = mark;
    note(now);
}

void EditHistory::noteExamples() {
    if (teaching_.edits() != present_.examples) noteView();
}

void EditHistory::forgetMarks() {
    recording_ = playback_.recording();
    present_.mark.reset();
    present_.review = reviews_.judgements();
    for (auto* steps : {&undo_, &redo_})
        for (Edited& step : *steps) {
            step.mark.reset();
            step.review = present_.review;
        }
}

void EditHistory::note(const Edited& now) {
    if (now == present_) return;
    const auto change = changeOf(present_, now);
    const auto time = clock();
    const bool soon = !undo_.empty() && time - lastTime_ < oneStep;
    const bool alike = now.mark.has_value() == present_.mark.has_value() && now.preset == present_.preset &&
                       now.review == present_.review && now.examples == present_.examples;
    // A mark that is made or removed is a step of its own, and so is an example, with the mark that it was.
    const bool goesOn =
        soon && ((change == last_ && alike) || (change == "mark" && last_ == "examples" && !now.mark));
    if (!goesOn) undo_.push_back(present_);
    if (undo_.size() > maxSteps) undo_.erase(undo_.begin());
    redo_.clear();
    present_ = now;
    last_ = change;
    lastTime_ = time;
    if (onChange) onChange();
}

juce::String EditHistory::changeOf(const Edited& before, const Edited& after) {
    if (before.examples != after.examples) return "examples";
    if (before.preset != after.preset) return "preset";
    if (before.rules.sensitivity != after.rules.sensitivity) return "sensitivity";
    if (before.rules != after.rules) return "shortest event or gap";
    if (before.review != after.review) return "review";
    if (before.mark != after.mark) return "mark";
    if (before.thresholds != after.thresholds) {
        const auto sound = soundOfChange(before.thresholds, after.thresholds);
        return sound.empty() ? juce::String("thresholds")
                             : "threshold of " + juce::String::fromUTF8(sound.c_str());
    }
    if (before.pinned != after.pinned) return "pins";
    return before.solo != after.solo ? "solo sounds" : "hidden sounds";
}

// Returns whether it is kept.
bool EditHistory::restoreReview(const Edited& to) {
    if (to.review == present_.review) return true;
    const auto why = playback_.recording() == recording_ ? reviews_.set(to.review) : juce::String();
    if (why.isNotEmpty() && onRefusal) onRefusal(why);
    return why.isEmpty();
}

bool EditHistory::restoreExamples(const Edited& to) {
    if (to.examples == present_.examples) return true;
    const auto why = teaching_.restore(to.examples);
    if (why.isNotEmpty() && onRefusal) onRefusal(why);
    return why.isEmpty();
}

juce::String EditHistory::go(std::vector<Edited>& from, std::vector<Edited>& to) {
    noteView();
    while (!from.empty() && from.back() == present_) from.pop_back(); // its mark was forgotten
    if (from.empty() || !restoreReview(from.back()) || !restoreExamples(from.back())) return {};
    const auto before = std::exchange(present_, from.back());
    from.pop_back();
    to.push_back(before);
    last_ = {}; // the next change is a step of its own
    const juce::ScopedValueSetter<bool> applying(applying_, true);
    view_.edit([this](ViewSettings& settings) {
        settings.classThresholds = present_.thresholds;
        settings.pinned = present_.pinned;
        settings.hidden = present_.hidden;
        settings.solo = present_.solo;
        settings.preset = present_.preset;
    });
    if (before.review != present_.review) view_.sendChangeMessage();
    if (before.rules != present_.rules) setPresetRules(parameters_, present_.rules);
    if (before.mark != present_.mark && onMark) onMark(present_.mark);
    if (onChange) onChange();
    return changeOf(before, present_);
}

} // namespace earshot::ui
