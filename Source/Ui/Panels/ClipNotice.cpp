#include "Ui/Panels/ClipNotice.h"

#include <utility>

namespace earshot::ui {

NoticeBar::Action showFolder(ShellControl& shell, const juce::File& file) {
    return {"Show folder", [&shell, file] { shell.reveal(file); }};
}

// What ended before the view opened is no news.
ClipNotice::ClipNotice(Controller& controller, const HistoryViewModel& viewModel, NoticeBar& notice)
    : controller_(controller)
    , viewModel_(viewModel)
    , notice_(notice)
    , tables_(controller.recordings().state().table.work) {
    const auto clips = controller.clips().state();
    said_ = clips.running ? clips.work - 1 : clips.work;
}

void ClipNotice::update() {
    const auto& table = viewModel_.recordings().table;
    if (std::exchange(tables_, table.work) != table.work)
        notice_.say(table.outcome, table.failed ? Tone::trouble : Tone::fine,
                    showFolder(controller_.shell(), table.file));
    const auto& clips = viewModel_.clips();
    if (clips.running) {
        notice_.setWork("Cutting: " + juce::String(clips.done) + " of " + juce::String(clips.all) +
                            (clips.all == 1 ? " clip" : " clips"),
                        {"Stop", [this] { controller_.clips().stop(); }});
        return;
    }
    notice_.setWork({});
    if (std::exchange(said_, clips.work) == clips.work) return;
    notice_.say(clips.outcome, clips.failed ? Tone::trouble : Tone::fine,
                showFolder(controller_.shell(), clips.folder));
}

} // namespace earshot::ui
