#include "Ui/Teach/TeachEntries.h"

#include "Ui/HistoryViewModel.h"
#include "Ui/NonThrowing.h"

#include <algorithm>
#include <utility>

namespace earshot::ui {

TeachNews teachSpan(Controller& controller, const juce::String& sound, const Mark& span, bool is) {
    const auto stream = controller.viewModel().history().stream;
    auto refusal = controller.teaching().teach(sound, stream, span.onset(), span.offset(), is);
    if (refusal.isNotEmpty()) return {std::move(refusal), false};
    const int decimals = span.seconds() < 0.1 ? 2 : 1;
    return {"Added " + juce::String(span.seconds(), decimals) + " s as an example of " +
                (is ? sound : "what is not " + sound) + ".",
            true};
}

TeachNews teachNot(Controller& controller, const detection::Event& event) {
    const auto& viewModel = controller.viewModel();
    const auto* taught = taughtSound(viewModel.teaching(), viewModel.label(event.classIndex));
    if (taught == nullptr) return {"This sound is not taught any more", false};
    Mark span;
    span.set(event.onset, event.offset, viewModel.end());
    return teachSpan(controller, taught->name, span, false);
}

const TaughtSound* taughtSound(const Teaching& teaching, const juce::String& name) {
    const auto found = std::ranges::find_if(teaching.sounds, [&](const TaughtSound& sound) {
        return sound.name.equalsIgnoreCase(name) || (sound.name + " (taught)").equalsIgnoreCase(name);
    });
    return found == teaching.sounds.end() ? nullptr : &*found;
}

void addTeachEntries(juce::PopupMenu& menu, juce::Component& owner, Controller& controller,
                     const juce::String& label, const Mark& span, std::function<void()> name,
                     std::function<void(const TeachNews&)> notify) {
    const juce::Component::SafePointer<juce::Component> safe(&owner);
    const auto add = [&](const juce::String& text, std::function<void()> act) {
        menu.addItem(text, [safe, &controller, stream = controller.viewModel().history().stream, notify,
                            act = std::move(act)] {
            if (safe == nullptr) return;
            catchAll(*safe, [&] {
                if (controller.viewModel().history().stream == stream)
                    act();
                else
                    notify({"That stretch is no longer shown: mark a newer one", false});
            });
        });
    };
    add("This is...", std::move(name));
    const auto teaching = controller.teaching().state();
    const auto* taught = taughtSound(teaching, label);
    if (taught == nullptr) return;
    add("This is not " + taught->name, [&controller, sound = taught->name, span, notify] {
        notify(teachSpan(controller, sound, span, false));
    });
}

} // namespace earshot::ui
