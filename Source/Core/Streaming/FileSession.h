// A recording analysed in the background, faster than real time, with progress and cancel; what it has heard
// so far can be watched meanwhile. Columns and events are those of `analyzeFile`.
// Owner's thread (message thread): constructor, cancel(), destructor (which waits for the pass that
// runs, and not for a file system that does not answer).
#pragma once

#include "Core/Base/Job.h"
#include "Core/Streaming/Session.h"
#include "Core/Streaming/Source.h"

#include <filesystem>
#include <memory>

namespace earshot::streaming {

class FileSession : public Source {
  public:
    // Returns at once; failures show in status(). hopTokens as in SessionSettings, or 0: the usual hop of
    // recordings (detection::usualHop).
    FileSession(std::filesystem::path recording, ModelLoader loader, SessionSettings settings);
    ~FileSession() override;
    FileSession(const FileSession&) = delete;
    FileSession& operator=(const FileSession&) = delete;

    const std::filesystem::path& recording() const;
    // What was heard so far stays and is settled.
    void cancel();

    Status status() const override;
    bool copySince(History& copy) const override;

  private:
    struct State;
    std::shared_ptr<State> state_;
    Job job_;
};

} // namespace earshot::streaming
