#include "Plugin/Shell.h"

#include "Core/Base/Log.h"
#include "Plugin/Base/UserLists.h"
#include "Plugin/EarshotEditor.h"
#include "Ui/CatchAll.h"

namespace earshot::plugin {

int Shell::zoom() const { return zoomOfViews(); }

void Shell::setZoom(int percent) {
    rememberZoom(percent);
    if (auto* editor = dynamic_cast<EarshotEditor*>(processor_.getActiveEditor())) editor->zoomTo(percent);
}

bool Shell::hasLog() const { return !logFile().empty(); }

// The first message makes the file. It is shown a moment later, because nothing here waits for a disk.
void Shell::showLog() {
    logMessage("The log is shown");
    constexpr int writeMilliseconds = 200;
    juce::Timer::callAfterDelay(writeMilliseconds, [] {
        ui::catchAll([] {
            if (const auto file = logFile(); !file.empty())
                juce::File(juce::String::fromUTF8(file.string().c_str())).revealToUser();
        });
    });
}

void Shell::showManual() { juce::URL("https://earshot-audio.github.io/earshot").launchInDefaultBrowser(); }

void Shell::showAudioSettings() {
    if (audioSettings) audioSettings();
}

} // namespace earshot::plugin
