#include "Cli/Listen/LiveInput.h"

#include "Cli/ExitCode.h"
#include "Cli/Opening.h"
#include "Cli/Signals.h"
#include "Core/Base/Error.h"

#include <bit>
#include <vector>

namespace earshot::cli {

namespace {

std::shared_ptr<audio::Capture> openDevice(const ListenOptions& options) {
    const std::string kind = options.input.substr(0, options.input.find(':'));
    if (kind == "jack") return audio::openJack(options.request());
    if (kind == "alsa") return audio::openAlsa(options.request());
    throw UsageError("'" + options.input +
                     "' is none of -, jack, jack:PORTS, alsa and alsa:DEVICE; recordings are for 'earshot "
                     "analyze'");
}

audio::RawFormat formatOf(const audio::Capture& device) {
    return {.kind = audio::RawFormat::Kind::real,
            .bytes = sizeof(float),
            .bigEndian = std::endian::native == std::endian::big,
            .rate = device.sampleRate(),
            .channels = device.channels()};
}

// The device's samples as the bytes of a pipe that ends when it is gone.
std::shared_ptr<audio::PipeInput> pipeOf(const std::shared_ptr<audio::Capture>& device,
                                         const std::string& name) {
    const auto receive = [device, block = std::vector<float>()](char* destination,
                                                                std::size_t bytes) mutable -> std::ptrdiff_t {
        const auto channels = static_cast<std::size_t>(device->channels());
        const std::size_t frames = bytes / sizeof(float) / channels;
        block.resize(std::max<std::size_t>(frames, 1) * channels);
        const std::size_t count = device->read(block) * channels * sizeof(float);
        std::copy_n(reinterpret_cast<const char*>(block.data()), count, destination);
        if (count > 0) return static_cast<std::ptrdiff_t>(count);
        return device->isGone() ? 0 : -1;
    };
    return std::make_shared<audio::PipeInput>(receive, name, interrupted);
}

} // namespace

LiveInput::LiveInput(const ListenOptions& options)
    : input_(options.input) {
    const auto& reading = options.analysis.reading;
    if (reading.autoGain) throw UsageError("--gain auto needs the whole recording; give a number of dB");
    if (options.fromStandardInput()) {
        audio_ = openLiveInput(pipe_, reading, options.rawFormat());
        if (!audio_ && pipe_->position() == 0)
            throw Error("standard input: is empty (0 bytes); pipe audio into it");
        if (!audio_)
            throw Error(
                "standard input: expected WAV with PCM or float samples, or FLAC, found something else; "
                "convert it (ffmpeg -i - -f wav -), or use --sample-format and --rate");
        return;
    }
    options.rawFormat(); // refuses options of standard input
    device_ = openDevice(options);
    pipe_ = pipeOf(device_, input_);
    audio_ = audio::AudioFile::fromPipe(pipe_, reading, formatOf(*device_));
}

std::string LiveInput::name() const {
    return device_ ? input_.substr(0, input_.find(':')) + " (" + device_->name() + ")" : "standard input";
}

std::int64_t LiveInput::lostFrames() const { return device_ ? device_->lostFrames() : 0; }

} // namespace earshot::cli
