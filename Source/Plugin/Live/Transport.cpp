#include "Plugin/Live/Transport.h"

#include <cmath>
#include <utility>

namespace earshot::plugin {

namespace {

constexpr double notPlaying = std::numeric_limits<double>::quiet_NaN();

streaming::HostTime hostTime(juce::AudioPlayHead* head, double sampleRate) noexcept {
    streaming::HostTime host;
    if (head == nullptr) return host;
    const auto position = head->getPosition();
    if (!position || !position->getIsPlaying()) return host;
    if (const auto seconds = position->getTimeInSeconds()) {
        host.seconds = *seconds;
    } else if (const auto samples = position->getTimeInSamples()) {
        host.seconds = static_cast<double>(*samples) / sampleRate;
    } else {
        return host;
    }
    host.playing = std::isfinite(host.seconds);
    if (!host.playing) host.seconds = 0.0;
    return host;
}

} // namespace

// A host that says that it plays and stays where it is knows no position: Audacity 3.2 applies effects so.
streaming::HostTime Transport::next(juce::AudioPlayHead* head, double sampleRate) noexcept {
    const streaming::HostTime host = hostTime(head, sampleRate);
    const double before = std::exchange(seconds_, host.playing ? host.seconds : notPlaying);
    return host.playing && host.seconds == before ? streaming::HostTime{} : host;
}

} // namespace earshot::plugin
