// Cuts events out of recordings for the views, in the background, as `earshot cut` does (Core/Batch/Cutting).
// Message thread.
#pragma once

#include "Core/Base/BackgroundThread.h"
#include "Core/Base/Synchronized.h"
#include "Plugin/Recordings/DragClips.h"
#include "Ui/Control/ClipControl.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace earshot::plugin {

class ClipCutter : public ui::ClipControl {
  public:
    ui::ClipProgress state() const override { return progress_->copy(); }
    juce::String cut(const ui::ClipRequest& request) override;
    void stop() override { thread_.stop(); }
    void prepareDrag(const ui::ClipRequest& request, std::uint64_t stream) override;
    ui::DraggedClips dragged() const override { return drag_.clips(); }

    // Copies kept audio, as streaming::LiveHistory::copyAudio().
    std::function<bool(std::uint64_t stream, double from, double to, std::vector<float>& samples,
                       double& start, int& rate)>
        copyAudio;

  private:
    // Shared with the thread, which may outlive this object.
    std::shared_ptr<Synchronized<ui::ClipProgress>> progress_ =
        std::make_shared<Synchronized<ui::ClipProgress>>();
    BackgroundThread thread_;
    DragClips drag_;
};

} // namespace earshot::plugin
