#include "Ui/NonThrowing.h"

#include "Core/Base/Log.h"
#include "Ui/MainView.h"
#include "Ui/Panels/Widgets.h"

#include <typeinfo>

namespace earshot::ui {

// Asynchronously, because the failure may have come in the middle of painting or of a layout.
void tellTrouble(juce::Component& where) noexcept {
    logCaught(typeid(where).name());
    catchAll([&] {
        const juce::String cause = toText(caughtCause());
        auto* view = dynamic_cast<MainView*>(&where);
        if (view == nullptr) view = where.findParentComponentOfClass<MainView>();
        if (view == nullptr) return;
        juce::MessageManager::callAsync([self = juce::Component::SafePointer<MainView>(view), cause] {
            if (self != nullptr) catchAll([&] { self->showTrouble(cause); });
        });
    });
}

} // namespace earshot::ui
