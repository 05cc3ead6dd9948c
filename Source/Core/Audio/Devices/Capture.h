// Audio from a device, for programs without JUCE: JACK and ALSA, whose libraries are loaded when they are
// asked for, so that nothing needs them to be installed. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace earshot::audio {

// What a device is opened with.
struct CaptureRequest {
    static constexpr int maxChannels = 64;

    std::string device; // JACK: a regular expression for ports; ALSA: a name; empty: the usual one
    int channels = 0;   // 0: as many as are found, at most two
    int rate = 0;       // Hz, of ALSA; 0: 48 kHz
};

class Capture {
  public:
    // A device that gives nothing for this long is gone: seconds.
    static constexpr double silentFor = 3.0;

    virtual ~Capture() = default;

    virtual int sampleRate() const = 0; // Hz
    virtual int channels() const = 0;
    virtual std::string name() const = 0; // "system:capture_1, system:capture_2"
    // Fills (frames, channels), at least a frame, within a quarter of a second. Returns how many frames;
    // 0: nothing came. What was lost on the way is silence, so that times stay right.
    virtual std::size_t read(std::span<float> samples) = 0;
    virtual std::int64_t lostFrames() const = 0;
    // Whether the server has ended, or the device is unplugged or gives nothing any more.
    virtual bool isGone() const = 0;
};

// Both throw earshot::Error if the library is not installed, no server runs, or there is no such device.
std::unique_ptr<Capture> openJack(const CaptureRequest& request);
std::unique_ptr<Capture> openAlsa(const CaptureRequest& request);

} // namespace earshot::audio
