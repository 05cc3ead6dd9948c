#include "Core/Audio/Devices/Capture.h"

#include "Core/Audio/Devices/FrameRing.h"
#include "Core/Base/Error.h"
#include "Core/Base/Platform/System.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace earshot::audio {

namespace {

using Clock = std::chrono::steady_clock;

// The functions of libjack that are used, with its own types as it hands them out
// (https://jackaudio.org/api/jack_8h.html). JACK 2 and PipeWire have them alike.
struct JackClient;
struct JackPort;
struct JackLibrary {
    JackClient* (*open)(const char* name, int options, int* status, ...) = nullptr;
    int (*close)(JackClient*) = nullptr;
    int (*activate)(JackClient*) = nullptr;
    std::uint32_t (*sampleRate)(JackClient*) = nullptr;
    int (*setProcess)(JackClient*, int (*)(std::uint32_t frames, void*), void*) = nullptr;
    void (*onShutdown)(JackClient*, void (*)(void*), void*) = nullptr;
    JackPort* (*registerPort)(JackClient*, const char* name, const char* type, unsigned long flags,
                              unsigned long bufferSize) = nullptr;
    void* (*buffer)(JackPort*, std::uint32_t frames) = nullptr;
    const char* (*portName)(const JackPort*) = nullptr;
    int (*isConnected)(const JackPort*) = nullptr;
    const char** (*ports)(JackClient*, const char* name, const char* type, unsigned long flags) = nullptr;
    int (*connect)(JackClient*, const char* from, const char* to) = nullptr;
    void (*release)(void*) = nullptr;
    void (*setError)(void (*)(const char*)) = nullptr;
    void (*setInfo)(void (*)(const char*)) = nullptr;
};

constexpr const char* audioType = "32 bit float mono audio";
constexpr int noStartServer = 1;
constexpr unsigned long portIsInput = 1, portIsOutput = 2, portIsPhysical = 4;

template <typename Function>
bool take(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(platform::functionOf(library, name));
    return function != nullptr;
}

JackLibrary loadJack() {
    void* library = platform::openLibrary("libjack.so.0");
    JackLibrary jack;
    const bool whole =
        library != nullptr && take(library, "jack_client_open", jack.open) &&
        take(library, "jack_client_close", jack.close) && take(library, "jack_activate", jack.activate) &&
        take(library, "jack_get_sample_rate", jack.sampleRate) &&
        take(library, "jack_set_process_callback", jack.setProcess) &&
        take(library, "jack_on_shutdown", jack.onShutdown) &&
        take(library, "jack_port_register", jack.registerPort) &&
        take(library, "jack_port_get_buffer", jack.buffer) &&
        take(library, "jack_port_name", jack.portName) &&
        take(library, "jack_port_connected", jack.isConnected) &&
        take(library, "jack_get_ports", jack.ports) && take(library, "jack_connect", jack.connect) &&
        take(library, "jack_free", jack.release) && take(library, "jack_set_error_function", jack.setError) &&
        take(library, "jack_set_info_function", jack.setInfo);
    if (!whole)
        throw Error("jack: its library, libjack.so.0, is not installed; install it (apt install "
                    "libjack-jackd2-0), or listen to alsa or -");
    return jack;
}

class JackCapture : public Capture {
  public:
    explicit JackCapture(const CaptureRequest& request)
        : jack_(loadJack())
        , pattern_(request.device) {
        jack_.setError([](const char*) {});
        jack_.setInfo([](const char*) {});
        int status = 0;
        client_ = jack_.open("earshot", noStartServer, &status);
        if (client_ == nullptr) throw Error("jack: no server runs; start one, or listen to alsa or -");
        try {
            begin(request.channels);
        } catch (...) {
            jack_.close(client_);
            throw;
        }
    }
    ~JackCapture() override { jack_.close(client_); }
    JackCapture(const JackCapture&) = delete;
    JackCapture& operator=(const JackCapture&) = delete;

    int sampleRate() const override { return rate_; }
    int channels() const override { return static_cast<int>(ports_.size()); }
    std::string name() const override { return name_; }
    std::int64_t lostFrames() const override { return ring_->lost(); }

    std::size_t read(std::span<float> samples) override {
        constexpr int tries = 25;
        constexpr std::chrono::milliseconds rest{10};
        for (int i = 0; i < tries; ++i) {
            if (const std::size_t frames = ring_->pop(samples); frames > 0) {
                lastBlock_ = Clock::now();
                return frames;
            }
            std::this_thread::sleep_for(rest);
        }
        return 0;
    }

    bool isGone() const override {
        return shutDown_ || std::chrono::duration<double>(Clock::now() - lastBlock_).count() > silentFor;
    }

  private:
    void begin(int wanted) {
        auto sources = sourcePorts();
        if (sources.empty() && !pattern_.empty())
            throw Error("jack: no port that gives audio is named like '" + pattern_ +
                        "'; jack_lsp lists the ports");
        constexpr int usual = 2;
        const int found = static_cast<int>(sources.size());
        const int channels = wanted > 0 ? wanted : std::clamp(found, 1, usual);
        rate_ = static_cast<int>(jack_.sampleRate(client_));
        constexpr std::size_t seconds = 10;
        ring_ = std::make_unique<FrameRing>(channels, seconds * static_cast<std::size_t>(rate_));
        for (int i = 0; i < channels; ++i) {
            JackPort* const port = jack_.registerPort(client_, ("in_" + std::to_string(i + 1)).c_str(),
                                                      audioType, portIsInput, 0);
            if (port == nullptr) throw Error("jack: gives no port; close some of its clients");
            ports_.push_back(port);
        }
        buffers_.resize(ports_.size());
        jack_.setProcess(
            client_,
            [](std::uint32_t frames, void* self) { return static_cast<JackCapture*>(self)->process(frames); },
            this);
        jack_.onShutdown(
            client_, [](void* self) { static_cast<JackCapture*>(self)->shutDown_ = true; }, this);
        if (jack_.activate(client_) != 0) throw Error("jack: the server takes no more clients; close some");
        for (std::size_t i = 0; i < std::min(sources.size(), ports_.size()); ++i) {
            jack_.connect(client_, sources[i].c_str(), jack_.portName(ports_[i]));
            name_ += (i == 0 ? "" : ", ") + sources[i];
        }
        if (name_.empty()) name_ = "ports that are not connected yet";
    }

    std::vector<std::string> sourcePorts() const {
        const unsigned long flags = portIsOutput | (pattern_.empty() ? portIsPhysical : 0);
        const char** const names =
            jack_.ports(client_, pattern_.empty() ? nullptr : pattern_.c_str(), audioType, flags);
        std::vector<std::string> sources;
        for (const char** name = names; name != nullptr && *name != nullptr; ++name)
            sources.emplace_back(*name);
        if (names != nullptr) jack_.release(static_cast<void*>(names));
        return sources;
    }

    // The audio thread.
    int process(std::uint32_t frames) noexcept EARSHOT_REALTIME {
        for (std::size_t i = 0; i < ports_.size(); ++i)
            buffers_[i] = static_cast<const float*>(jack_.buffer(ports_[i], frames));
        ring_->push(frames,
                    [this](std::size_t frame, std::size_t channel) { return buffers_[channel][frame]; });
        return 0;
    }

    JackLibrary jack_;
    std::string pattern_;
    JackClient* client_ = nullptr;
    int rate_ = 0;
    std::string name_;
    std::vector<JackPort*> ports_;
    std::vector<const float*> buffers_; // the audio thread's
    std::unique_ptr<FrameRing> ring_;
    std::atomic<bool> shutDown_ = false;
    Clock::time_point lastBlock_ = Clock::now();
};

} // namespace

std::unique_ptr<Capture> openJack(const CaptureRequest& request) {
    return std::make_unique<JackCapture>(request);
}

} // namespace earshot::audio
