// Analyses a recording in the background, faster than real time, with progress and cancel. The results so far
// can be read meanwhile. Columns and events equal those of `analyzeFile`. With SessionSettings::channel
// audio::ReadOptions::eachChannel, it analyses one channel after the other, as `analyzeRecording` does; each
// has a history of its own, which holds all of its columns, so that there are at most maxChannels.
//   constructor, destructor, cancel(), setWords()    the owner's thread (message thread)
// The destructor waits for the running pass, but not for a file system that does not answer.
#pragma once

#include "Core/Base/BackgroundThread.h"
#include "Core/Streaming/HistoryProvider.h"
#include "Core/Streaming/Session.h"

#include <filesystem>
#include <memory>

namespace earshot::streaming {

class FileSession : public HistoryProvider {
  public:
    static constexpr int maxChannels = 16; // of which each is analysed by itself

    // Returns at once; status() reports failures. A `settings.hopSeconds` of 0 means the usual hop of
    // recordings (detection::usualHop).
    FileSession(std::filesystem::path recording, ModelLoader loader, SessionSettings settings);
    ~FileSession() override;
    FileSession(const FileSession&) = delete;
    FileSession& operator=(const FileSession&) = delete;

    const std::filesystem::path& recording() const;
    bool opened() const; // the file could be opened as a recording; false at first
    // Stops the analysis. Everything analysed so far stays and becomes settled.
    void cancel();
    bool running() const { return job_.running(); } // else the destructor waits for nothing
    // As Session::setWords(); what was heard so far is scored again, also after a cancel.
    void setWords(WordsLoader words);

    Status status() const override;
    bool copySince(History& copy) const override;
    const HistoryProvider& channel(std::size_t index) const override;

  private:
    struct State;
    std::shared_ptr<State> state_;
    BackgroundThread job_;
};

} // namespace earshot::streaming
