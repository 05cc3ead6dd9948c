#include "Plugin/Shell.h"

#include "Plugin/Base/UserLists.h"
#include "Plugin/EarshotEditor.h"

namespace earshot::plugin {

int Shell::zoom() const { return zoomOfViews(); }

void Shell::setZoom(int percent) {
    rememberZoom(percent);
    if (auto* editor = dynamic_cast<EarshotEditor*>(processor_.getActiveEditor())) editor->zoomTo(percent);
}

void Shell::showAudioSettings() {
    if (audioSettings) audioSettings();
}

} // namespace earshot::plugin
