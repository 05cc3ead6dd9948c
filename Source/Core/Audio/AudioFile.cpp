#include "Core/Audio/AudioFile.h"

#include "Core/Audio/ChannelLayout.h"
#include "Core/Audio/ChannelMix.h"
#include "Core/Audio/Containers.h"
#include "Core/Audio/ExternalDecoder.h"
#include "Core/Audio/FileKinds.h"
#include "Core/Audio/Guano.h"
#include "Core/Audio/InputFile.h"
#include "Core/Audio/OggPages.h"
#include "Core/Audio/Repairs.h"
#include "Core/Audio/SoundFile.h"
#include "Core/Audio/TriggeredAudio.h"
#include "Core/Base/Error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace earshot::audio {

namespace {

constexpr int minimumRate = 1000;     // Hz
constexpr int maximumRate = 1000000;  // Hz
constexpr int blockSamples = 1 << 16; // samples of all channels that are decoded at a time

// A lossy file may end this much before the length in its header (codec delay) without being damaged.
constexpr double shortfallTolerance = 0.1; // seconds

// As much may follow the audio of a WAV without being audio: seconds, and a share of what is counted.
constexpr double hardlyAudio = 1.0, hardlyShare = 0.5;

// A WAV counts its audio modulo this. Programs without RF64 do not heed it.
constexpr std::int64_t maxCountedBytes = std::int64_t{1} << 32; // bytes

// Lossy decoders need the audio before a position: without it MP3 and Vorbis crackle for a moment.
constexpr std::int64_t lossyLead = 10 * 1152; // frames

// Whether a header means that number of bytes. Programs that write into a pipe put the largest number there,
// or one near it, and SoX 0x7f000000 into AIFF.
bool isCount(std::int64_t bytes) {
    constexpr std::int64_t half = maxCountedBytes / 2; // beyond it programs with signed numbers cannot count
    constexpr std::int64_t endless = 0x7f000000;
    constexpr std::int64_t near = 1 << 16;
    return (bytes + near) % half > near && std::abs(bytes - endless) > near;
}

std::string seconds(double value) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.2f s", value);
    return text;
}

} // namespace

struct AudioFile::Impl {
    Impl(InputFile input, const ReadOptions& how)
        : source{std::move(input)}
        , options(how) {
        const bool triggered = namesTriggeredAudio(source.input);
        const bool whole = triggered && putSilenceBack(source.input);
        repairs = repair(source.input);
        source.corrections = repairs.corrections;
        open();
        readWhatIsNotCounted();
        if (triggered && !whole) refuseLeftOut();
        begin(blockSamples);
    }

    // A pipe, whose audio is not looked at before it is decoded. `head`: of WAV, or of raw samples.
    Impl(std::shared_ptr<PipeInput> from, const std::optional<WavHead>& head, const ReadOptions& how)
        : source{head ? InputFile::inMemory(
                            std::string(from->kept().substr(0, static_cast<std::size_t>(head->begin))),
                            from->name())
                      : InputFile::flowing(from)}
        , options(how)
        , pipe(std::move(from)) {
        if (head) {
            raw.emplace(pipe, *head);
            info.samplerate = head->format.rate;
            info.channels = head->format.channels;
        } else {
            open();
        }
        constexpr int blocksPerSecond = 10;
        begin(std::max(1, info.samplerate / blocksPerSecond * info.channels));
    }

    // Once the rate in the file and the channels are known.
    void begin(int samples) {
        chooseSpeed();
        if (info.samplerate < minimumRate || info.samplerate > maximumRate)
            throw Error(name() + ": a sample rate of " + std::to_string(info.samplerate) +
                        " Hz is outside 1000 to 1000000 Hz; " +
                        (speed == 1.0 ? "the header may be damaged" : "choose another --speed"));
        blockFrames = std::max(1, samples / info.channels);
        block.resize(static_cast<std::size_t>(blockFrames) * static_cast<std::size_t>(info.channels));
        chooseChannel(options.channel);
        // The length in the header is not trusted: only a decoded sample shows that there is audio.
        decodeBlock();
        if (source.input.failed()) throw UnreachableError(name() + ": cannot be read; check its disk");
        if (blockEnd == 0)
            throw Error(failure ? *failure
                                : name() + ": holds no audio (0 samples); record or copy it again");
    }

    const std::string& name() const { return source.input.name(); }
    bool lengthKnown() const {
        return info.frames > 0 && info.frames < std::numeric_limits<std::int64_t>::max();
    }
    std::int64_t frames() const { return lengthKnown() ? info.frames : 0; }
    bool isKind(SoundInfo::Kind kind) const { return info.kind == kind; }

    void open() {
        std::string why;
        file = SoundFile::open(source, info, why);
        if (source.input.failed()) throw UnreachableError(name() + ": cannot be read; check its disk");
        if (!file && decodesWithFfmpeg())
            openExternal();
        else if (!file || info.channels < 1)
            throw Error(name() + ": " + whyNot(why));
        info.samplerate = recordedRate();
    }

    void openExternal() {
        external.reset();
        external = std::make_unique<ExternalDecoder>(source.input);
        info = {};
        info.samplerate = external->sampleRate();
        info.channels = external->channels();
    }

    std::string whyNot(const std::string& why) const {
        constexpr int maxBits = 24;
        if (repairs.flac && repairs.flac->bits > maxBits)
            return "its samples have " + std::to_string(repairs.flac->bits) +
                   " bits, which libsndfile does not read; convert it (flac -d -o out.wav FILE)";
        if (hasForeignAudioExtension(name()))
            return "libsndfile does not read this format; convert it (ffmpeg -i FILE out.flac), or "
                   "--decode-with ffmpeg";
        return why + "; convert it to WAV or FLAC";
    }

    // Reads on where what follows the counted audio can only be more of it.
    void readWhatIsNotCounted() {
        countedFrames = frames();
        if (!counted || counted->bytes <= 0 || counted->extension.empty()) return;
        const double share = static_cast<double>(counted->unexplained) / static_cast<double>(counted->bytes);
        if (share <= hardlyShare &&
            share * static_cast<double>(countedFrames) <= hardlyAudio * info.samplerate)
            return;
        if (source.input.size() - counted->begin >= maxCountedBytes && isKind(SoundInfo::Kind::wav) &&
            widenWav(source.input, *counted))
            source.corrections.clear();
        else
            source.corrections = counted->extension;
        file.reset();
        open();
        recounted = true;
    }

    // Fills the block. At the end of the audio it stays empty, and `failure` is set if the audio ended too
    // early.
    void decodeBlock() {
        blockBegin = blockEnd = 0;
        if (failure) return;
        if (external) return decodeExternal();
        blockEnd = raw            ? static_cast<std::int64_t>(raw->read(block))
                   : wide.empty() ? file.read(block.data(), blockFrames)
                                  : file.read(wide.data(), blockFrames);
        decoded += blockEnd;
        if (pipe && pipe->stopped()) return;
        if (source.input.failed() || (pipe && !pipe->failure().empty())) {
            failure = name() + ": cannot be read beyond " + seconds(position()) + "; check its disk";
        } else if (file.failed()) {
            failure = repairs.flac && flacFollows(source.input)
                          ? moreFollows()
                          : name() + ": cannot be decoded beyond " + seconds(position()) +
                                "; the file is damaged there";
        } else if (blockEnd == 0) {
            failure = prematureEnd();
        }
    }

    void decodeExternal() {
        try {
            blockEnd = static_cast<std::int64_t>(external->read(block));
        } catch (const Error& error) {
            failure = error.what();
        }
        if (!wide.empty()) std::ranges::copy(block, wide.begin());
        decoded += blockEnd;
    }

    double position() const { return static_cast<double>(decoded) / info.samplerate; }

    std::string moreFollows() const {
        return name() + ": only its first " + seconds(position()) +
               " were read, but more audio follows, as when files are joined with cat; make it one "
               "recording first (ffmpeg -i FILE out.flac)";
    }

    // Behind the audio of a pipe, where it is too late.
    std::optional<std::string> lateTimeExpansion() const {
        constexpr std::size_t chunkHead = 8;
        const auto at = raw->trailer().find("guan");
        if (at == std::string::npos || options.speed) return std::nullopt;
        const auto text =
            std::string_view(raw->trailer()).substr(std::min(at + chunkHead, raw->trailer().size()));
        const double factor = timeExpansion(parseGuano(text), raw->format().rate).factor;
        if (factor == 1.0) return std::nullopt;
        return name() +
               ": says behind its audio that it plays slower than it sounded (GUANO's TE), so that its "
               "times are wrong; use --speed " +
               fmt::format("{:g}", factor);
    }

    std::optional<std::string> prematureEnd() {
        if (raw) return lateTimeExpansion();
        if (decoded == 0) return std::nullopt; // a file without samples has a message of its own
        const bool ogg = isKind(SoundInfo::Kind::ogg);
        if ((ogg && oggStreamFollows(source.input)) ||
            (isKind(SoundInfo::Kind::mpeg) && mpegFramesFollow(source.input)))
            return moreFollows();
        const bool flac = repairs.flac.has_value();
        if (repairs.joined || (flac && flacFollows(source.input))) return moreFollows();
        if ((ogg && !(lengthKnown() && !repairs.cut)) || (flac && repairs.cut && repairs.flac->counted == 0))
            return name() + ": breaks off at " + seconds(position()) + "; the file is truncated";
        if (flac && repairs.flac->present == decoded) return std::nullopt;
        const double promised = lengthKnown() ? static_cast<double>(info.frames) / info.samplerate : 0.0;
        if (promised - position() > shortfallTolerance)
            return name() + ": ends at " + seconds(position()) + " of the " + seconds(promised) +
                   " in its header; the file is truncated or damaged";
        return std::nullopt;
    }

    std::optional<std::string> oddLength() const {
        if (raw)
            return raw->counted()
                       ? oddCount(static_cast<double>(*raw->counted()) /
                                  static_cast<double>(raw->format().frameBytes()) / info.samplerate)
                       : std::nullopt;
        if (external && external->complaint())
            return "ffmpeg complains: " + *external->complaint() + "; check that the recording is whole";
        if (repairs.wrongPositions)
            return "the times in its Ogg pages do not fit the audio that they hold; all " +
                   seconds(position()) + " of it were read";
        if (repairs.flac && repairs.flac->counted > 0)
            return oddCount(static_cast<double>(repairs.flac->counted) / info.samplerate);
        if (recounted) return oddCount(static_cast<double>(countedFrames) / info.samplerate);
        if (!counted || !isCount(counted->bytes) || counted->begin >= source.input.size())
            return std::nullopt;
        const double share =
            static_cast<double>(counted->bytes) / static_cast<double>(source.input.size() - counted->begin);
        return share > 1.0 ? oddCount(position() * share) : std::nullopt;
    }

    std::optional<std::string> oddCount(double inHeader) const {
        if (position() - inHeader > shortfallTolerance)
            return "its header counts " + seconds(inHeader) + ", but the audio goes on to " +
                   seconds(position()) + "; all of it was read";
        if (inHeader - position() > shortfallTolerance)
            return "ends at " + seconds(position()) + " of the " + seconds(inHeader) +
                   " in its header, as a copy that was cut; copy it again if the original is longer";
        return std::nullopt;
    }

    float usable(float sample) {
        if (std::isfinite(sample)) return sample;
        ++nonFinite;
        return 0.0f;
    }

    float mixDown(float* frame) {
        for (const std::size_t channel : mix->channels()) frame[channel] = usable(frame[channel]);
        return mix->mix(frame);
    }

    void chooseChannel(int channel) {
        if (channel > info.channels)
            throw Error(name() + ": has " + std::to_string(info.channels) +
                        (info.channels == 1 ? " channel" : " channels") + ", but channel " +
                        std::to_string(channel) + " is chosen; choose one that it has, or the mix");
        options.channel = channel;
        auto layout = channelLayout(source.input, info.channels);
        if (channel > 0) layout = {.mixed = {static_cast<std::size_t>(channel - 1)}};
        guessedLayout = layout.byName;
        mix.emplace(std::move(layout.mixed), info.samplerate);
    }

    // An AudioMoth recording whose silence cannot be put back must not be analysed with wrong times.
    void refuseLeftOut() {
        if (info.channels != 1) return;
        std::vector<std::int16_t> samples(blockSamples);
        LeftOutFinder finder;
        while (const auto count = file.read(samples.data(), blockSamples))
            finder.push(std::span(samples).first(static_cast<std::size_t>(count)));
        if (finder.hasFound()) throw Error(leftOutMessage(name()));
        reopen();
    }

    // The rate that the sound was recorded at, where the file plays it slower.
    void chooseSpeed() {
        if (options.speed) {
            speed = *options.speed;
        } else {
            const auto expansion = timeExpansion(readGuano(source.input), info.samplerate);
            speed = expansion.factor;
            if (!expansion.problem.empty()) remarks.push_back(expansion.problem);
        }
        info.samplerate = recordedRate();
    }

    int recordedRate() const {
        return static_cast<int>(std::lround(std::clamp(info.samplerate * speed, 0.0, 2.0 * maximumRate)));
    }

    // From here on blocks are exact.
    void widen() {
        if (!wide.empty()) return;
        wide.resize(block.size());
        seek(decoded - (blockEnd - blockBegin));
    }

    // Calls take(frame, index) for up to `wanted` frames of the block. Returns for how many.
    template <typename Sample, typename Take>
    std::size_t readFrames(std::vector<Sample>& from, std::size_t wanted, Take take) {
        std::size_t done = 0;
        while (done < wanted) {
            if (blockBegin == blockEnd) decodeBlock();
            if (blockEnd == 0) break;
            while (done < wanted && blockBegin < blockEnd)
                take(from.data() + blockBegin++ * info.channels, done++);
        }
        if (done == 0 && wanted > 0 && failure) throw Error(*failure);
        return done;
    }

    void seek(std::int64_t frame) {
        frame = std::max<std::int64_t>(frame, 0);
        if (lengthKnown()) frame = std::min(frame, info.frames);
        failure.reset();
        blockBegin = blockEnd = 0;
        if (external) {
            external->seek(frame);
            decoded = frame;
            return;
        }
        const bool lossy = isKind(SoundInfo::Kind::mpeg) || isKind(SoundInfo::Kind::ogg);
        const std::int64_t first = std::max<std::int64_t>(frame - (lossy ? lossyLead : 0), 0);
        decoded = file.seek(first);
        if (decoded != first) reopen();
        skipTo(frame);
    }

    // For input in which libsndfile cannot seek.
    void reopen() {
        file.reset();
        open();
        decoded = 0;
    }

    void skipTo(std::int64_t frame) {
        while (decoded < frame) {
            decodeBlock();
            if (blockEnd == 0) return;
        }
        blockBegin = blockEnd - (decoded - frame);
    }

    Source source; // outlives `file`, which reads from it
    std::int64_t blockFrames = 0;
    Repairs repairs;
    std::optional<CountedAudio>& counted = repairs.counted;
    bool recounted = false;         // more is read than the header counts
    std::int64_t countedFrames = 0; // by the header
    SoundInfo info;
    SoundFile file;
    std::unique_ptr<ExternalDecoder> external; // instead of it
    std::optional<RawReader> raw;              // instead of them
    std::vector<float> block;                  // (blockFrames, channels), interleaved
    std::vector<double> wide;                  // instead of it, once exact samples are wanted
    std::int64_t blockBegin = 0;
    std::int64_t blockEnd = 0;
    std::int64_t decoded = 0; // frames
    std::int64_t nonFinite = 0;
    ReadOptions options;
    std::shared_ptr<PipeInput> pipe; // that audio comes through; null: a file
    double speed = 1.0;
    std::optional<ChannelMix> mix;
    bool guessedLayout = false;         // from the file's name
    std::vector<std::string> remarks;   // see AudioFile::remarks()
    std::optional<std::string> failure; // thrown after everything that was decoded before it has been read
};

AudioFile::AudioFile(const std::filesystem::path& file, Pipes pipes, const ReadOptions& options)
    : AudioFile(std::make_unique<Impl>(InputFile::open(file, pipes), options)) {}

AudioFile::AudioFile(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}

AudioFile AudioFile::fromStandardInput(const ReadOptions& options) {
    return AudioFile(std::make_unique<Impl>(InputFile::standardInput(), options));
}

std::optional<AudioFile> AudioFile::fromPipe(const std::shared_ptr<PipeInput>& pipe,
                                             const ReadOptions& options,
                                             const std::optional<RawFormat>& format) {
    if (options.autoGain || options.channel == ReadOptions::eachChannel) return std::nullopt;
    if (format) return AudioFile(std::make_unique<Impl>(pipe, WavHead{*format}, options));
    constexpr std::string_view flac = "fLaC";
    constexpr std::size_t streamInfo =
        42; // bytes: what each FLAC file begins with, and libsndfile reads at once
    pipe->keep(streamInfo);
    if (pipe->kept().starts_with(flac)) return AudioFile(std::make_unique<Impl>(pipe, std::nullopt, options));
    const auto head = readWavHead(*pipe);
    if (!head) return std::nullopt;
    return AudioFile(std::make_unique<Impl>(pipe, head, options));
}

AudioFile AudioFile::copyOf(PipeInput& pipe, const ReadOptions& options) {
    return AudioFile(std::make_unique<Impl>(InputFile::copyOf(pipe), options));
}

AudioFile::AudioFile(AudioFile&&) noexcept = default;
AudioFile& AudioFile::operator=(AudioFile&&) noexcept = default;
AudioFile::~AudioFile() = default;

int AudioFile::sampleRate() const { return impl_->info.samplerate; }
int AudioFile::channels() const { return impl_->info.channels; }
std::int64_t AudioFile::frames() const { return impl_->frames(); }
const StoredFormat& AudioFile::stored() const { return impl_->info.stored; }
bool AudioFile::readFailed() const { return impl_->source.input.failed(); }
std::int64_t AudioFile::nonFiniteSamples() const { return impl_->nonFinite; }

std::optional<std::string> AudioFile::oddLength() const { return impl_->oddLength(); }

double AudioFile::mixLoss() const { return impl_->mix->loss(); }

std::vector<std::string> AudioFile::remarks() const {
    auto remarks = impl_->remarks;
    if (impl_->guessedLayout)
        remarks.push_back(
            "its name says that it is ambisonic (AmbiX), so that its first channel, W, is analysed; "
            "--channel, or Channel in the settings, chooses another one");
    if (auto cancelled = impl_->mix->warning()) remarks.push_back(std::move(*cancelled));
    return remarks;
}

const ReadOptions& AudioFile::options() const { return impl_->options; }
std::span<const std::size_t> AudioFile::mixedChannels() const { return impl_->mix->channels(); }

void AudioFile::chooseChannel(int channel) {
    impl_->chooseChannel(channel);
    impl_->nonFinite = 0;
    impl_->seek(0);
}

std::size_t AudioFile::read(std::span<float> mono) {
    return impl_->readFrames(impl_->block, mono.size(),
                             [&](float* frame, std::size_t at) { mono[at] = impl_->mixDown(frame); });
}

std::size_t AudioFile::readInterleaved(std::span<float> samples) {
    const auto width = static_cast<std::size_t>(channels());
    assert(samples.size() % width == 0);
    return impl_->readFrames(impl_->block, samples.size() / width, [&](const float* frame, std::size_t at) {
        std::transform(frame, frame + width, samples.begin() + static_cast<std::ptrdiff_t>(at * width),
                       [this](float sample) { return impl_->usable(sample); });
    });
}

std::size_t AudioFile::readStored(std::span<double> samples) {
    impl_->widen();
    const auto width = static_cast<std::size_t>(channels());
    assert(samples.size() % width == 0);
    return impl_->readFrames(impl_->wide, samples.size() / width, [&](const double* frame, std::size_t at) {
        std::copy_n(frame, width, samples.begin() + static_cast<std::ptrdiff_t>(at * width));
    });
}

void AudioFile::seek(std::int64_t frame) { impl_->seek(frame); }

} // namespace earshot::audio
