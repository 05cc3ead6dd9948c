#include "Core/Audio/Devices/Capture.h"

#include "Core/Base/Error.h"
#include "Core/Base/Platform/System.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

namespace earshot::audio {

namespace {

// The functions of libasound that are used (https://www.alsa-project.org/alsa-doc/alsa-lib).
struct Pcm;
struct AlsaLibrary {
    int (*open)(Pcm**, const char* name, int direction, int mode) = nullptr;
    int (*close)(Pcm*) = nullptr;
    int (*setParameters)(Pcm*, int format, int access, unsigned channels, unsigned rate, int resample,
                         unsigned latency) = nullptr;
    int (*start)(Pcm*) = nullptr;
    int (*wait)(Pcm*, int milliseconds) = nullptr;
    long (*read)(Pcm*, void* samples, unsigned long frames) = nullptr;
    int (*recover)(Pcm*, int error, int silent) = nullptr;
    const char* (*text)(int error) = nullptr;
    int (*setError)(void (*)(const char*, int, const char*, int, const char*, ...)) = nullptr;
};

constexpr int capture = 1, nonBlocking = 1, floatLittleEndian = 14, interleaved = 3;

template <typename Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(platform::functionOf(library, name));
    return function != nullptr;
}

// libasound prints to standard error otherwise.
void ignoreMessage(const char*, int, const char*, int, const char*, ...) {}

AlsaLibrary loadAlsa() {
    void* library = platform::openLibrary("libasound.so.2");
    AlsaLibrary alsa;
    const bool whole =
        library != nullptr && find(library, "snd_pcm_open", alsa.open) &&
        find(library, "snd_pcm_close", alsa.close) &&
        find(library, "snd_pcm_set_params", alsa.setParameters) &&
        find(library, "snd_pcm_start", alsa.start) && find(library, "snd_pcm_wait", alsa.wait) &&
        find(library, "snd_pcm_readi", alsa.read) && find(library, "snd_pcm_recover", alsa.recover) &&
        find(library, "snd_strerror", alsa.text) && find(library, "snd_lib_error_set_handler", alsa.setError);
    if (!whole)
        throw Error("alsa: its library, libasound.so.2, is not installed; install it (apt install "
                    "libasound2), or listen to jack or -");
    return alsa;
}

class AlsaCapture : public Capture {
  public:
    explicit AlsaCapture(const CaptureRequest& request)
        : alsa_(loadAlsa())
        , name_(request.device.empty() ? "default" : request.device)
        , channels_(request.channels > 0 ? request.channels : 2)
        , rate_(request.rate > 0 ? request.rate : usualRate) {
        alsa_.setError(ignoreMessage);
        require(alsa_.open(&pcm_, name_.c_str(), capture, nonBlocking), "cannot be opened");
        try {
            begin(request.channels == 0);
        } catch (...) {
            alsa_.close(pcm_);
            throw;
        }
    }
    ~AlsaCapture() override { alsa_.close(pcm_); }
    AlsaCapture(const AlsaCapture&) = delete;
    AlsaCapture& operator=(const AlsaCapture&) = delete;

    int sampleRate() const override { return rate_; }
    int channels() const override { return channels_; }
    std::string name() const override { return name_; }
    std::int64_t lostFrames() const override { return lost_; }

    std::size_t read(std::span<float> samples) override {
        const auto room = samples.size() / static_cast<std::size_t>(channels_);
        if (silence_ > 0) return giveSilence(samples, room);
        constexpr int patience = 200; // ms
        const int ready = alsa_.wait(pcm_, patience);
        const long got = ready < 0 ? ready : ready == 0 ? -EAGAIN : alsa_.read(pcm_, samples.data(), room);
        const auto now = Clock::now();
        if (got > 0) {
            lastBlock_ = now;
            return static_cast<std::size_t>(got);
        }
        if (got == -EPIPE || got == -ESTRPIPE) { // the program was too slow, or the computer slept
            owe(std::chrono::duration<double>(now - lastBlock_).count());
            gone_ = alsa_.recover(pcm_, static_cast<int>(got), 1) < 0 || alsa_.start(pcm_) < 0;
        } else if (got < 0 && got != -EAGAIN && got != -EINTR) {
            gone_ = true;
        }
        if (gone_) std::this_thread::sleep_for(std::chrono::milliseconds(patience));
        return 0;
    }

    bool isGone() const override {
        return gone_ || std::chrono::duration<double>(Clock::now() - lastBlock_).count() > silentFor;
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr int usualRate = 48000;

    void require(int result, const char* what) const {
        if (result < 0)
            throw Error("alsa: " + name_ + " " + what + " (" + alsa_.text(result) +
                        "); arecord -L lists the devices, and plughw: converts what a card does not have");
    }

    // mayBeMono: the number of channels was not asked for.
    void begin(bool mayBeMono) {
        constexpr unsigned latency = 500'000; // microseconds: half a second of room
        const auto set = [&](int channels) {
            return alsa_.setParameters(pcm_, floatLittleEndian, interleaved, static_cast<unsigned>(channels),
                                       static_cast<unsigned>(rate_), 1, latency);
        };
        int result = set(channels_);
        if (result < 0 && mayBeMono) result = set(channels_ = 1);
        require(result, "does not give this rate and these channels");
        require(alsa_.start(pcm_), "does not start");
    }

    // Silence for as long as nothing came.
    void owe(double seconds) {
        const auto frames = static_cast<std::int64_t>(seconds * rate_);
        silence_ += frames;
        lost_ += frames;
        lastBlock_ = Clock::now();
    }

    std::size_t giveSilence(std::span<float> samples, std::size_t room) {
        const auto count =
            static_cast<std::size_t>(std::min<std::int64_t>(silence_, static_cast<std::int64_t>(room)));
        std::ranges::fill(samples.first(count * static_cast<std::size_t>(channels_)), 0.0f);
        silence_ -= static_cast<std::int64_t>(count);
        return count;
    }

    AlsaLibrary alsa_;
    std::string name_;
    int channels_;
    int rate_;
    Pcm* pcm_ = nullptr;
    std::int64_t silence_ = 0; // frames that are still to be given
    std::int64_t lost_ = 0;
    bool gone_ = false;
    Clock::time_point lastBlock_ = Clock::now();
};

} // namespace

std::unique_ptr<Capture> openAlsa(const CaptureRequest& request) {
    return std::make_unique<AlsaCapture>(request);
}

} // namespace earshot::audio
