#include "Plugin/Teach/TeachingDesk.h"

#include "Core/Audio/ReadOptions.h"
#include "Core/Base/Unicode.h"
#include "Plugin/Base/Refusal.h"
#include "Plugin/Base/UserLists.h"
#include "Ui/CatchAll.h"

#include <utility>

namespace earshot::plugin {

using ui::catchAll;

TeachingDesk::TeachingDesk(ModelSlot& model, LiveStreams& live, const Playback& playback)
    : model_(model)
    , live_(live)
    , playback_(playback) {}

ui::Teaching TeachingDesk::state() const {
    ui::Teaching teaching = teacher_.view();
    teaching.keepsAudio = live_.keepsAudio();
    teaching.canUndo = before_.has_value() && !teaching.learning;
    return teaching;
}

juce::String TeachingDesk::teach(const juce::String& sound, std::uint64_t stream, double onset, double offset,
                                 bool is) {
    return whyNotDone([&] {
        HeardStretch stretch;
        stretch.onset = onset;
        stretch.offset = offset;
        auto problem = playback_.isOpen() ? stretchOfRecording(stretch)
                                          : stretchOfStream(stretch, stream, is ? Teacher::context : 0.0);
        if (!problem.empty()) return problem;
        return teacher_.keep(sound.trim().toStdString(), is, std::move(stretch));
    });
}

std::string TeachingDesk::stretchOfRecording(HeardStretch& stretch) const {
    stretch.recording = playback_.recording().getFullPathName().toStdString();
    const int channel = playback_.settings().channel;
    stretch.channel = channel == audio::ReadOptions::eachChannel ? shownChannel() : channel;
    stretch.group = (stretch.recording.parent_path().filename() / stretch.recording.filename()).string();
    return "";
}

std::string TeachingDesk::stretchOfStream(HeardStretch& stretch, std::uint64_t stream, double beside) {
    if (!live_.keepsAudio())
        return "Live audio is not being kept: switch that on in the Teach panel, then mark what you hear "
               "next";
    if (!playback_.history()->copyAudio(stream, stretch.onset - beside, stretch.offset + beside,
                                        stretch.samples, stretch.start, stretch.sampleRate) ||
        stretch.start > stretch.onset + 0.01)
        return "That stretch is no longer kept: mark a newer one";
    const auto now = juce::Time::getCurrentTime().toISO8601(true).toStdString();
    stretch.group = streamNames_.try_emplace(stream, "live " + now).first->second;
    return "";
}

juce::String TeachingDesk::rename(const juce::String& sound, const juce::String& name) {
    return whyNotDone([&] { return teacher_.rename(sound.toStdString(), name.trim().toStdString()); });
}

juce::String TeachingDesk::forget(const juce::String& sound) {
    return whyNotDone([&] { return teacher_.forget(sound.toStdString()); });
}

juce::String TeachingDesk::openCollection(const juce::File& folder) {
    return whyNotDone([&] { return teacher_.open(folder.getFullPathName().toStdString()); });
}

juce::String TeachingDesk::addExamples(const juce::File& folder) {
    return whyNotDone([&] { return teacher_.add(folder.getFullPathName().toStdString()); });
}

juce::String TeachingDesk::restore(int edits) {
    return whyNotDone([&] { return teacher_.restore(edits); });
}

juce::String TeachingDesk::learn() {
    if (onLearn) onLearn(); // takes the model when it is there
    return whyNotDone([this] {
        const auto model = model_.inUse();
        auto problem = teacher_.learn(model);
        if (problem.empty()) lessonModel_ = model;
        return problem;
    });
}

void TeachingDesk::follow() {
    catchAll([this] { takeResult(); });
    catchAll([this] { teacher_.follow(model_.inUse()); });
}

// Loads the model that a lesson has made, unless another one was loaded since it began.
void TeachingDesk::takeResult() {
    const auto result = teacher_.takeResult();
    if (!result) return;
    const juce::File made(ui::toText(result->model.string()));
    if (model_.inUse() != lessonModel_) {
        rememberModel(made);
        return teacher_.notify("another model was loaded meanwhile; to use the trained one, choose " +
                               printable(result->model.stem().string()) + " in the model menu");
    }
    ModelChoice before = model_.choice();
    // A lesson writes its model where that of the lesson before was.
    if (model_.inUse() == result->model) before = {result->before, {}, before.name};
    model_.load(made);
    before_ = std::move(before);
}

juce::String TeachingDesk::undo() {
    if (!before_) return "There is nothing to undo";
    return whyNotDone([this] {
        model_.choose(*std::exchange(before_, std::nullopt));
        if (onStored) onStored();
        return "";
    });
}

void TeachingDesk::panelOpens() {
    if (!keepsAsAsked_) live_.setKeepsAudio(true);
}

void TeachingDesk::setKeepsAudio(bool keeps) {
    keepsAsAsked_ = true;
    live_.setKeepsAudio(keeps);
}

} // namespace earshot::plugin
