// The texts that the user listens for, as the views ask for them. What is shown goes on with other words.
// Message thread.
#pragma once

#include "Plugin/Model/ModelSlot.h"
#include "Plugin/Playback/Playback.h"
#include "Ui/Control/WordControl.h"

#include <functional>
#include <string>

namespace earshot::plugin {

class TextQueries : public ui::WordControl {
  public:
    TextQueries(ModelSlot& model, const LiveStreams& live, Playback& playback)
        : model_(model)
        , live_(live)
        , playback_(playback) {}

    std::function<void()> onStored; // what a project stores has changed

    ui::Words state() const override;
    juce::String add(const juce::String& given) override;
    juce::String rename(int id, const juce::String& name) override;
    void move(int id, int places) override;
    void remove(int id) override;
    void setJoin(bool join) override;

  private:
    void use(bool restart);

    ModelSlot& model_;
    const LiveStreams& live_;
    Playback& playback_;
};

} // namespace earshot::plugin
