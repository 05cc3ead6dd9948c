// Loading a model or text queries on a thread of its own, for a session.
#pragma once

#include "Core/Base/BackgroundThread.h"
#include "Core/Base/Log.h"
#include "Core/Streaming/Loaders.h"
#include "Core/Streaming/Session.h"
#include "Core/Tensor/Threads.h"

#include <memory>
#include <optional>
#include <string>

namespace earshot::streaming {

// The result of a loading thread. The thread shares it, because it may end after the session. It is read once
// the thread has ended.
template <typename Loaded>
struct LoadOutcome {
    std::optional<Loaded> loaded;
    std::string problem;
};

// Throws std::system_error when no thread can be created.
template <typename Loaded>
BackgroundThread startLoading(const Loader<Loaded>& loader,
                              const std::shared_ptr<LoadOutcome<Loaded>>& outcome) {
    return BackgroundThread([loader, outcome](const StopToken& stop) {
        tensor::setThreadCount(SessionSettings{}.threads);
        try {
            outcome->loaded = loader(stop);
        } catch (...) {
            logCaught("loading a model");
            outcome->problem = caughtCause();
        }
    });
}

} // namespace earshot::streaming
