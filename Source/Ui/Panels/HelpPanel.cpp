#include "Ui/Panels/HelpPanel.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Audio/Resampler.h"
#include "Core/Base/Database.h"
#include "Core/Base/Version.h"
#include "Core/Frontend/Fft.h"
#include "Core/Tensor/Primitives.h"
#include "Ui/Panels/Shortcuts.h"
#include "Ui/Panels/Widgets.h"

#include <memory>
#include <string>
#include <utility>

namespace earshot::ui {

namespace {

juce::String libraries() {
    juce::StringArray names{juce::SystemStats::getJUCEVersion()};
    for (const std::string& library : {tensor::productsLibrary(), frontend::fftLibrary(),
                                       audio::fileLibrary(), audio::resamplerLibrary(), databaseLibrary()})
        if (!library.empty()) names.add(toText(library));
    return names.joinIntoString(", ");
}

} // namespace

HelpPanel::HelpPanel(ShellControl& shell, HistoryViewModel& viewModel)
    : SidePanel(viewModel, "Keys and help", "Close the help")
    , viewModel_(viewModel) {
    auto manual = std::make_unique<NonThrowing<SettingsSection>>("Manual");
    describeWithTooltip(manual_, "Open the manual", "Opens the manual in the browser");
    manual_.onClick = [&shell] { shell.showManual(); };
    manual->addWide(manual_, size::control);
    add(std::move(manual));
    for (const auto& group : shortcuts(shell.hasAudioSettings())) {
        auto keys = std::make_unique<NonThrowing<SettingsSection>>(group.place);
        for (const auto& shortcut : group.keys) keys->addLine(shortcut.keys, shortcut.does);
        add(std::move(keys));
    }
    auto about = std::make_unique<NonThrowing<SettingsSection>>("About");
    about->addText("Earshot " + toText(std::string(versionAndCommit())), Caption::Role::text);
    about->addText(
        "Detects what is sounding, and when, with HTS-AT (Chen et al., 2022). Free software under the "
        "GNU General Public License, version 3 or later: see the file LICENSE.");
    about->addText("It uses " + libraries() +
                   ". The file copyright has the licences of all parts. Groups of "
                   "sounds: AudioSet's ontology, Google, CC BY-SA 4.0.");
    model_ = &about->addText({});
    if (shell.hasLog()) {
        describeWithTooltip(
            log_, "Open log",
            "Shows the log of messages and failures in the file manager. It contains names of "
            "files and folders");
        log_.onClick = [&shell] { shell.showLog(); };
        about->addWide(log_, size::control);
    }
    add(std::move(about));
    showModel();
}

void HelpPanel::showModel() {
    const auto* labels = viewModel_.history().labels.get();
    const auto& licence = labels != nullptr ? labels->licence() : std::string();
    model_->setText(licence.empty() ? juce::String()
                                    : "Licence of the model " + toText(viewModel_.status().model) + ": " +
                                          toText(licence));
    resized();
}

void HelpPanel::historyChanged(const HistoryViewModel::Changes& changes) {
    if (changes.replaced) showModel();
}

} // namespace earshot::ui
