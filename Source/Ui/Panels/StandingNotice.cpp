#include "Ui/Panels/StandingNotice.h"

#include "Ui/Panels/Widgets.h"
#include "Ui/PresetChoice.h"

namespace earshot::ui {

bool isEmptyApp(Controller& controller, const HistoryViewModel& viewModel) {
    const auto* timeline = viewModel.history().timeline.get();
    return viewModel.recordings().possible && !controller.playback().showsRecording() &&
           viewModel.status().state != streaming::State::failed &&
           (timeline == nullptr || timeline->columns() == 0);
}

StandingNotice standingNotice(Controller& controller, const HistoryViewModel& viewModel) {
    const auto& status = viewModel.status();
    const bool ended = status.state == streaming::State::finished;
    const auto reason = // the bar of a recording names its file
        toText(withoutPath(status.message, controller.playback().recording().getFileName().toStdString()));
    if (status.state == streaming::State::failed)
        return {reason.isEmpty() ? toText(statusText(status).detail) : reason, Tone::trouble};
    if (const auto problem = controller.outputs().problem(); problem.isNotEmpty())
        return {problem, Tone::trouble};
    if (const auto& words = viewModel.words(); !words.words.empty() && words.hint.isNotEmpty())
        return {words.hint, Tone::busy}; // there are words that are not listened for
    const bool recording = controller.playback().showsRecording();
    // A recording needs no device until it is played. Why it ended matters more.
    if (!recording && viewModel.audioProblem().isNotEmpty() && !isEmptyApp(controller, viewModel))
        return {viewModel.audioProblem(), Tone::trouble};
    const bool saysReason = reason.isNotEmpty() && (!recording || ended);
    if (!saysReason && viewModel.unstoredProblem().isNotEmpty())
        return {viewModel.unstoredProblem(), Tone::trouble};
    return {saysReason ? reason : missingSounds(controller, viewModel.history().labels.get()), Tone::busy};
}

} // namespace earshot::ui
