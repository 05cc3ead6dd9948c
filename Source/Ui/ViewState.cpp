#include "Ui/ViewState.h"

namespace earshot::ui {

void ViewState::set(const ViewSettings& settings) {
    if (settings == settings_) return;
    settings_ = settings;
    sendChangeMessage();
}

} // namespace earshot::ui
