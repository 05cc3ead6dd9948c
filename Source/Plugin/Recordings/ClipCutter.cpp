#include "Plugin/Recordings/ClipCutter.h"

#include "Core/Base/Unicode.h"
#include "Core/Batch/Cutting.h"
#include "Plugin/Base/Refusal.h"
#include "Plugin/Recordings/ClipRequests.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace earshot::plugin {

namespace {

using SharedProgress = std::shared_ptr<Synchronized<ui::ClipProgress>>;

// What a work has done, for the user.
class ClipSummary {
  public:
    void add(const batch::Clip& clip) {
        if (clip.state == batch::Clip::State::written) ++written_;
        if (clip.state == batch::Clip::State::present) ++present_;
        if (clip.state != batch::Clip::State::failed) return;
        ++failed_;
        if (problem_.empty()) problem_ = withoutOptions(clip.problem);
    }
    void fail(const std::string& why) { problem_ = withoutOptions(why); }
    bool failed() const { return !problem_.empty(); }

    std::string text(bool whole, const std::filesystem::path& folder,
                     const std::vector<std::string>& remarks) const {
        auto text = fmt::format("{}{} {} cut into {}", whole ? "" : "Stopped: ", written_,
                                written_ == 1 ? "clip" : "clips", displayName(folder));
        if (present_ > 0) text += fmt::format(", {} already there", present_);
        if (failed_ > 0) text += fmt::format(", {} not cut", failed_);
        for (const auto& remark : remarks) text += ". " + remark;
        return problem_.empty() ? text : text + ". " + problem_;
    }

  private:
    int written_ = 0, present_ = 0, failed_ = 0;
    std::string problem_; // the first one
};

void cutAll(const ui::ClipRequest& request, const SharedProgress& progress, const StopToken& stop) {
    ClipSummary summary;
    bool whole = false;
    std::vector<std::string> remarks;
    const auto proceed = [&stop] {
        stop.alive();
        return !stop.requested();
    };
    try {
        batch::Cutter cutter(settingsFor(request));
        const auto events = eventsOf(request);
        whole = cutter.cut(pathOf(request.recording), events, proceed, [&](const batch::Clip& clip) {
            summary.add(clip);
            progress->with([](auto& shared) { ++shared.done; });
            return proceed();
        });
        remarks = cutter.remarks();
    } catch (...) {
        logCaught("cutting events out of a recording");
        whole = true; // the problem says how far it came
        summary.fail(caughtCause());
    }
    const auto text = ui::toText(summary.text(whole, pathOf(request.folder), remarks));
    progress->with([&](auto& shared) {
        shared.running = false;
        shared.outcome = text;
        shared.failed = summary.failed();
    });
}

} // namespace

void ClipCutter::prepareDrag(const ui::ClipRequest& request, std::uint64_t stream) {
    double seconds = 0.0;
    for (const auto& event : request.events) seconds += event.offset - event.onset;
    if (!(seconds <= maxDragged))
        return drag_.refuse(
            "Events of more than 2 minutes cannot be dragged: use Export > Cut events out as audio "
            "files");
    if (request.recording != juce::File()) return drag_.cut(request);
    std::vector<KeptClip> clips;
    for (const auto& event : request.events) {
        KeptClip clip{event, {}, 0};
        double start = 0.0;
        if (!copyAudio ||
            !copyAudio(stream, event.onset, event.offset, clip.samples, start, clip.sampleRate) ||
            start > event.onset + 0.01)
            return drag_.refuse(
                "The audio of this event is not kept: switch on Keep ten minutes of live audio in "
                "the Teach panel");
        clips.push_back(std::move(clip));
    }
    drag_.write(std::move(clips));
}

juce::String ClipCutter::cut(const ui::ClipRequest& request) {
    return whyNotDone([&]() -> std::string {
        if (state().running) return "Clips are being cut: wait until that is done, or stop it";
        progress_->with([&](auto& shared) {
            const int work = shared.work + 1;
            shared = {};
            shared.work = work;
            shared.running = true;
            shared.all = static_cast<int>(request.events.size());
            shared.folder = request.folder;
        });
        try {
            thread_ = BackgroundThread(
                [request, progress = progress_](const StopToken& stop) { cutAll(request, progress, stop); });
        } catch (...) {
            progress_->with([](auto& shared) { shared.running = false; });
            throw;
        }
        return {};
    });
}

} // namespace earshot::plugin
