#include "Ui/Teach/TeachEntries.h"

#include "Ui/Safe.h"

#include <algorithm>
#include <utility>

namespace earshot::ui {

TeachNews teachSpan(Controller& controller, const juce::String& sound, const Mark& span, bool is) {
    auto refusal = controller.teach(sound, span.onset(), span.offset(), is);
    if (refusal.isNotEmpty()) return {std::move(refusal), false};
    const int decimals = span.seconds() < 0.1 ? 2 : 1;
    return {"Kept " + juce::String(span.seconds(), decimals) + " s as an example of " +
                (is ? sound : "what is not " + sound),
            true};
}

const TaughtSound* taughtSound(const Teaching& teaching, const juce::String& name) {
    const auto found = std::ranges::find_if(teaching.sounds, [&](const TaughtSound& sound) {
        return sound.name.equalsIgnoreCase(name) || (sound.name + " (taught)").equalsIgnoreCase(name);
    });
    return found == teaching.sounds.end() ? nullptr : &*found;
}

void addTeachEntries(juce::PopupMenu& menu, juce::Component& owner, Controller& controller,
                     const juce::String& label, const Mark& span, std::function<void()> name,
                     std::function<void(const TeachNews&)> tell) {
    const juce::Component::SafePointer<juce::Component> safe(&owner);
    menu.addItem("This is...", [safe, name = std::move(name)] {
        if (safe != nullptr) guarded(*safe, name);
    });
    const auto teaching = controller.teaching();
    const auto* taught = taughtSound(teaching, label);
    if (taught == nullptr) return;
    menu.addItem("This is not " + taught->name,
                 [safe, &controller, sound = taught->name, span, tell = std::move(tell)] {
                     if (safe == nullptr) return;
                     guarded(*safe, [&] { tell(teachSpan(controller, sound, span, false)); });
                 });
}

} // namespace earshot::ui
