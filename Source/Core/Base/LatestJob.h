// Background work of which only the newest piece counts. Whoever starts or stops it never waits: what ran
// before is asked to stop, and ends by itself. Only the destructor waits, as BackgroundThread's does. One
// thread at a time.
#pragma once

#include "Core/Base/BackgroundThread.h"

#include <functional>
#include <utility>
#include <vector>

namespace earshot {

class LatestJob {
  public:
    // As BackgroundThread's constructor.
    void start(std::function<void(const StopToken&)> work) {
        std::erase_if(former_, [](const BackgroundThread& job) { return !job.running(); });
        newest_.stop();
        if (newest_.running()) former_.push_back(std::move(newest_));
        newest_ = BackgroundThread(std::move(work));
    }
    void stop() noexcept { newest_.stop(); }
    bool running() const { return newest_.running(); }

  private:
    std::vector<BackgroundThread> former_; // they were asked to stop
    BackgroundThread newest_;
};

} // namespace earshot
