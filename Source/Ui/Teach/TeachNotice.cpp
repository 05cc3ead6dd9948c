#include "Ui/Teach/TeachNotice.h"

#include "Ui/Teach/TeachPanel.h"

#include <algorithm>
#include <utility>

namespace earshot::ui {

namespace {

int countOf(const TaughtSound& sound) { return sound.examples + sound.counterExamples; }

// The sound that has more examples than before; null: none.
const TaughtSound* grown(const std::vector<TaughtSound>& before, const std::vector<TaughtSound>& now) {
    const auto found = std::ranges::find_if(now, [&](const TaughtSound& sound) {
        const auto old = std::ranges::find(before, sound.name, &TaughtSound::name);
        return countOf(sound) > (old == before.end() ? 0 : countOf(*old));
    });
    return found == now.end() ? nullptr : &*found;
}

} // namespace

TeachNotice::TeachNotice(Controller& controller, const HistoryViewModel& viewModel, NoticeBar& notice)
    : controller_(controller)
    , viewModel_(viewModel)
    , notice_(notice)
    , refusals_(controller.teaching().state().refusals)
    , edits_(controller.teaching().edits()) {}

void TeachNotice::update() {
    showRefusal();
    const auto& sounds = viewModel_.teaching().sounds;
    const int edits = controller_.teaching().edits();
    added_ = added_ || edits > std::exchange(edits_, edits);
    const auto before = std::exchange(sounds_, sounds);
    if (!added_) return;
    if (const auto* sound = grown(before, sounds)) showExample(*sound);
}

// What was marked or renamed is kept in the background, which may fail after all.
void TeachNotice::showRefusal() {
    const auto& teaching = viewModel_.teaching();
    if (std::exchange(refusals_, teaching.refusals) < teaching.refusals)
        notice_.say(teaching.refusal, Tone::trouble);
}

void TeachNotice::showExample(const TaughtSound& sound) {
    added_ = false;
    NoticeBar::Action action;
    if (viewModel_.teaching().canLearn) action = {"Train", [this] { train(); }};
    notice_.say("Added to " + sound.name + ": " + examplesText(sound), Tone::fine, action);
}

void TeachNotice::train() {
    if (const auto why = controller_.teaching().learn(); why.isNotEmpty())
        notice_.say(why, Tone::busy);
    else if (onTrain)
        onTrain();
}

} // namespace earshot::ui
