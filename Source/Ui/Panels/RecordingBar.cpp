#include "Ui/Panels/RecordingBar.h"

#include "Core/Streaming/FilePlayer.h"
#include "Ui/NonThrowing.h"
#include "Ui/TimeAxis.h"

#include <algorithm>
#include <array>

namespace earshot::ui {

namespace {

constexpr int positionsPerSecond = 20;

constexpr int wholeSpeed = 100; // percent
constexpr std::array<int, 6> speeds{50, 75, wholeSpeed, 125, 150, 200};
constexpr int minWidthWithSpeed = 760; // logical pixels

bool isRunning(streaming::State state) {
    return state == streaming::State::running || state == streaming::State::overloaded ||
           state == streaming::State::loading || state == streaming::State::stopped;
}

} // namespace

RecordingBar::RecordingBar(PlaybackControl& playback, HistoryViewModel& viewModel)
    : playback_(playback)
    , viewModel_(viewModel)
    , play_(Sign::play, "Play", "Play or stop the recording (Space)") {
    describe(*this, "Recording");
    setFocusContainerType(FocusContainerType::focusContainer);
    for (juce::Component* child :
         {static_cast<juce::Component*>(&name_), static_cast<juce::Component*>(&progress_),
          static_cast<juce::Component*>(&cancel_), static_cast<juce::Component*>(&channel_),
          static_cast<juce::Component*>(&play_), static_cast<juce::Component*>(&loop_),
          static_cast<juce::Component*>(&speed_), static_cast<juce::Component*>(&position_),
          static_cast<juce::Component*>(&time_), static_cast<juce::Component*>(&close_)})
        addAndMakeVisible(child);
    name_.setInterceptsMouseClicks(true, false); // it has a tooltip, because it may be cut
    describeWithTooltip(cancel_, "Cancel", "Stop analysing the recording; results so far are kept");
    cancel_.onClick = [this] { playback_.cancel(); };
    play_.onClick = [this] { playOrStop(); };
    describeWithTooltip(loop_, "Loop", "Play the mark again and again; drag its ends to change it (Shift+L)");
    loop_.onClick = [this] {
        if (onLoop) onLoop();
        showPosition();
    };
    describeWithTooltip(speed_, "Playback speed", "Playback speed. The pitch changes with it, as on a tape");
    for (const int percent : speeds)
        speed_.addItem(juce::String(percent / 100.0) + juce::String::fromUTF8(" ×"), percent);
    speed_.setSelectedId(wholeSpeed, juce::dontSendNotification);
    speed_.onChange = [this] {
        catchAll(*this, [this] {
            if (auto* player = playback_.player()) player->setSpeed(speed_.getSelectedId() / 100.0);
        });
    };
    describeWithTooltip(position_, "Position", "Playback position");
    position_.setWantsKeyboardFocus(true);
    position_.onValueChange = [this] {
        catchAll(*this, [this] {
            if (auto* player = playback_.player()) player->jump(position_.getValue());
            if (onPosition) onPosition(position_.getValue());
            showPosition();
        });
    };
    describeWithTooltip(channel_, "Channel shown",
                        "The channel shown; the list has the events of all channels");
    channel_.onChange = [this] {
        catchAll(*this, [this] {
            viewModel_.showChannel(channel_.getSelectedId());
            viewModel_.update();
        });
    };
    describeWithTooltip(close_, "Back to live", "Show the live input");
    close_.onClick = [this] { playback_.close(); };
    viewModel_.addListener(this);
    startTimerHz(positionsPerSecond);
    refresh();
}

RecordingBar::~RecordingBar() { viewModel_.removeListener(this); }

bool RecordingBar::running() const {
    return playback_.showsRecording() && isRunning(viewModel_.status().state);
}

void RecordingBar::playOrStop() {
    auto* player = playback_.playable();
    if (player == nullptr) return;
    if (player->playing()) {
        player->stop();
    } else if (const auto why = viewModel_.whyNotPlayed(); why.isNotEmpty()) {
        if (onProblem) onProblem(why);
    } else {
        // At the end, playing starts again from the beginning.
        if (player->position() >= player->length() - 0.05) player->seek(0.0);
        player->play();
    }
    showPosition();
}

void RecordingBar::historyChanged(const HistoryViewModel::Changes& changes) {
    if (changes.status || changes.replaced) refresh();
}

void RecordingBar::timerCallback() {
    catchAll(*this, [this] { tick(); });
}

void RecordingBar::tick() {
    if (isShowing()) showPosition();
}

void RecordingBar::refresh() {
    const auto& status = viewModel_.status();
    const bool bounce = playback_.showsRecording() && playback_.recording() == juce::File();
    name_.setText(bounce ? juce::String("Last bounce") : playback_.recording().getFileName());
    cancels_ = running() && !bounce;
    progress_.show("Analysed", status.progress.value_or(0.0),
                   status.progress ? juce::String(juce::roundToInt(*status.progress * 100.0)) + " %"
                                   : clockText(status.heard, 0) + " analysed");
    name_.setTooltip(name_.text());
    showChannels();
    showPosition();
    resized();
}

void RecordingBar::showChannels() {
    const auto& channels = viewModel_.channels();
    if (channel_.getNumItems() != static_cast<int>(channels.size())) {
        channel_.clear(juce::dontSendNotification);
        for (const int channel : channels) channel_.addItem("Channel " + juce::String(channel), channel);
    }
    channel_.setVisible(channels.size() > 1);
    channel_.setSelectedId(viewModel_.channel(), juce::dontSendNotification);
}

void RecordingBar::showPosition() {
    const auto* player = playback_.playable();
    if (player == nullptr) return;
    if (!position_.isMouseButtonDown()) {
        position_.setRange(0.0, player->length());
        position_.setValue(player->position(), juce::dontSendNotification);
    }
    speed_.setSelectedId(juce::roundToInt(player->speed() * wholeSpeed), juce::dontSendNotification);
    loop_.setToggleState(player->looped().has_value(), juce::dontSendNotification);
    play_.setSign(player->playing() ? Sign::stop : Sign::play);
    play_.setTitle(player->playing() ? "Stop" : "Play");
    time_.setText(clockText(player->position()) + " / " + clockText(player->length()));
}

void RecordingBar::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    graphics.fillAll(palette.panel.interpolatedWith(palette.background, 0.5f));
    graphics.setColour(palette.line);
    graphics.fillRect(getLocalBounds().removeFromBottom(1));
}

void RecordingBar::resized() {
    auto area = getLocalBounds().withTrimmedLeft(size::margin + 4).withTrimmedRight(size::margin);
    area = area.withSizeKeepingCentre(area.getWidth(), size::control);
    close_.setBounds(area.removeFromRight(96));
    area.removeFromRight(size::gap);
    const bool hears = running();
    const bool plays = playback_.playable() != nullptr;
    cancel_.setVisible(cancels_);
    if (cancels_) {
        cancel_.setBounds(area.removeFromRight(72));
        area.removeFromRight(size::gap);
    }
    const int name = std::min(name_.textWidth(), std::max(80, area.getWidth() / (hears || plays ? 4 : 2)));
    name_.setBounds(area.removeFromLeft(name));
    area.removeFromLeft(size::margin);
    if (channel_.isVisible()) {
        channel_.setBounds(area.removeFromLeft(112));
        area.removeFromLeft(size::margin);
    }

    play_.setVisible(plays);
    loop_.setVisible(plays);
    speed_.setVisible(plays && getWidth() >= minWidthWithSpeed);
    position_.setVisible(plays && !hears);
    time_.setVisible(plays);
    if (plays) {
        play_.setBounds(area.removeFromLeft(32));
        area.removeFromLeft(size::gap);
        loop_.setBounds(area.removeFromLeft(52));
        area.removeFromLeft(size::gap);
        if (speed_.isVisible()) {
            speed_.setBounds(area.removeFromLeft(76));
            area.removeFromLeft(size::gap);
        }
        time_.setBounds(area.removeFromRight(std::min(area.getWidth() / 2, time_.textWidth() + 4)));
        area.removeFromRight(size::gap);
    }
    progress_.setVisible(hears);
    (hears ? static_cast<juce::Component&>(progress_) : position_)
        .setBounds(area.withTrimmedRight(hears ? 0 : size::gap));
}

} // namespace earshot::ui
