// What `earshot listen` listens to: standard input or a device, as an AudioFile that has no end. Main thread.
#pragma once

#include "Cli/Listen/ListenOptions.h"
#include "Core/Audio/AudioFile.h"

#include <memory>
#include <optional>
#include <string>

namespace earshot::cli {

class LiveInput {
  public:
    // Throws earshot::Error and UsageError; waits for the first audio of standard input.
    explicit LiveInput(const ListenOptions& options);

    audio::AudioFile& audio() { return *audio_; }
    std::string name() const; // for people: "standard input", "jack (system:capture_1)"
    std::int64_t lostFrames() const;

  private:
    std::string input_;
    std::shared_ptr<audio::Capture> device_; // null: standard input
    std::shared_ptr<audio::PipeInput> pipe_;
    std::optional<audio::AudioFile> audio_;
};

} // namespace earshot::cli
