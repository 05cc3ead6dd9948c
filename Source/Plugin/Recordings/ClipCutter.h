// Cuts events out of recordings for the views, in the background, as `earshot cut` does (Core/Batch/Cutting).
// Message thread.
#pragma once

#include "Core/Base/BackgroundThread.h"
#include "Core/Base/Synchronized.h"
#include "Ui/Control/ClipControl.h"

#include <memory>

namespace earshot::plugin {

class ClipCutter : public ui::ClipControl {
  public:
    ui::ClipProgress state() const override { return progress_->copy(); }
    juce::String cut(const ui::ClipRequest& request) override;
    void stop() override { thread_.stop(); }

  private:
    // Shared with the thread, which may outlive this object.
    std::shared_ptr<Synchronized<ui::ClipProgress>> progress_ =
        std::make_shared<Synchronized<ui::ClipProgress>>();
    BackgroundThread thread_;
};

} // namespace earshot::plugin
