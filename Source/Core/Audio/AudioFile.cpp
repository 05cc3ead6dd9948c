#include "Core/Audio/AudioFile.h"

#include "Core/Audio/ChannelLayout.h"
#include "Core/Audio/ChannelMix.h"
#include "Core/Audio/Containers.h"
#include "Core/Audio/Guano.h"
#include "Core/Audio/InputFile.h"
#include "Core/Audio/TriggeredAudio.h"
#include "Core/Base/Error.h"

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

#include <sndfile.h>

namespace earshot::audio {

namespace {

constexpr int minimumRate = 1000;     // Hz
constexpr int maximumRate = 1000000;  // Hz
constexpr int blockSamples = 1 << 16; // samples of all channels that are decoded at a time

// A lossy file may end this much before the length in its header (codec delay) without being damaged.
constexpr double shortfallTolerance = 0.1; // seconds

constexpr double hardlyAudio = 1.0; // seconds; as much may follow the audio of a WAV without a word

// A WAV counts its audio modulo this. Programs without RF64 do not heed it.
constexpr std::int64_t mostCounted = std::int64_t{1} << 32; // bytes
constexpr std::string_view withoutLength = "(ffmpeg -ignore_length 1 -i FILE -c copy -rf64 auto fixed.wav)";

struct CloseSoundFile {
    void operator()(SNDFILE* file) const { sf_close(file); }
};
using SoundFile = std::unique_ptr<SNDFILE, CloseSoundFile>;

// Lossy decoders need the audio before a position: without it MP3 and Vorbis crackle for a moment.
constexpr sf_count_t lossyLead = 10 * 1152; // frames

// What libsndfile learns when it seeks to the end of a file. For an MP3 without a length header it estimates
// the length from the bit rate of the first frames, and reads no further, if it knows how many bytes there
// are.
enum class End {
    known,
    unknown, // libsndfile 1.2.0 and older: reads to the end
    absent,  // libsndfile 1.2.2: counts the frames of the whole file first
};

// The bytes that libsndfile reads.
struct Source {
    InputFile input;
    End end = End::known;
    std::vector<Correction> corrections = {};
};

Source& source(void* user) { return *static_cast<Source*>(user); }

SF_VIRTUAL_IO sourceCallbacks() {
    SF_VIRTUAL_IO callbacks{};
    callbacks.get_filelen = [](void* user) -> sf_count_t { return source(user).input.size(); };
    callbacks.seek = [](sf_count_t offset, int whence, void* user) -> sf_count_t {
        const End end = source(user).end;
        if (whence == SEEK_END && end != End::known) return end == End::absent ? 0 : -1;
        return source(user).input.seek(offset, whence);
    };
    callbacks.read = [](void* destination, sf_count_t bytes, void* user) -> sf_count_t {
        Source& from = source(user);
        const std::int64_t begin = from.input.position();
        const auto count =
            static_cast<std::int64_t>(from.input.read(destination, static_cast<std::size_t>(bytes)));
        for (const Correction& correction : from.corrections) {
            const auto end = correction.at + static_cast<std::int64_t>(correction.bytes.size());
            for (std::int64_t at = std::max(begin, correction.at); at < std::min(begin + count, end); ++at)
                static_cast<char*>(destination)[at - begin] =
                    correction.bytes[static_cast<std::size_t>(at - correction.at)];
        }
        return count;
    };
    callbacks.tell = [](void* user) -> sf_count_t { return source(user).input.position(); };
    return callbacks;
}

// A file in memory, which an encoder writes. It also goes back, to complete its header.
struct Memory {
    std::string bytes;
    std::size_t position = 0;
};

Memory& memory(void* user) { return *static_cast<Memory*>(user); }

SF_VIRTUAL_IO memoryCallbacks() {
    SF_VIRTUAL_IO callbacks{};
    callbacks.get_filelen = [](void* user) { return static_cast<sf_count_t>(memory(user).bytes.size()); };
    callbacks.seek = [](sf_count_t offset, int whence, void* user) -> sf_count_t {
        Memory& file = memory(user);
        sf_count_t from = 0;
        if (whence == SEEK_CUR) from = static_cast<sf_count_t>(file.position);
        if (whence == SEEK_END) from = static_cast<sf_count_t>(file.bytes.size());
        if (from + offset < 0) return -1;
        file.position = static_cast<std::size_t>(from + offset);
        return from + offset;
    };
    callbacks.read = [](void* destination, sf_count_t bytes, void* user) -> sf_count_t {
        Memory& file = memory(user);
        const std::size_t begin = std::min(file.position, file.bytes.size());
        const std::size_t count = std::min(static_cast<std::size_t>(bytes), file.bytes.size() - begin);
        std::copy_n(file.bytes.data() + begin, count, static_cast<char*>(destination));
        file.position = begin + count;
        return static_cast<sf_count_t>(count);
    };
    callbacks.write = [](const void* source, sf_count_t bytes, void* user) -> sf_count_t {
        Memory& file = memory(user);
        const auto count = static_cast<std::size_t>(bytes);
        try {
            if (file.bytes.size() < file.position + count) file.bytes.resize(file.position + count);
        } catch (const std::exception&) { // no memory, which a library in C must not see
            return 0;
        }
        std::copy_n(static_cast<const char*>(source), count, file.bytes.data() + file.position);
        file.position += count;
        return bytes;
    };
    callbacks.tell = [](void* user) { return static_cast<sf_count_t>(memory(user).position); };
    return callbacks;
}

// Why libsndfile could not open a file lies in a variable that all its threads share, and that every opening
// clears. Held from an opening to the last look at that variable.
std::mutex& openings() {
    static std::mutex mutex;
    return mutex;
}

SoundFile openSound(Source& from, SF_INFO& info) {
    SF_VIRTUAL_IO callbacks = sourceCallbacks();
    from.input.seek(0, SEEK_SET);
    info = {};
    return SoundFile(sf_open_virtual(&callbacks, SFM_READ, &info, &from));
}

// Whether a header means that number of bytes. Programs that write into a pipe put the largest number there,
// or one near it, and SoX 0x7f000000 into AIFF.
bool isCount(std::int64_t bytes) {
    constexpr std::int64_t half = mostCounted / 2; // beyond it programs with signed numbers cannot count
    constexpr std::int64_t endless = 0x7f000000;
    constexpr std::int64_t near = 1 << 16;
    return (bytes + near) % half > near && std::abs(bytes - endless) > near;
}

std::string openFailure(int code) {
    switch (code) {
    case SF_ERR_UNRECOGNISED_FORMAT:
        return "not an audio file of a known format";
    case SF_ERR_MALFORMED_FILE:
        return "the audio header is damaged";
    case SF_ERR_UNSUPPORTED_ENCODING:
        return "its audio encoding is not supported";
    default:
        return "cannot be decoded";
    }
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
        counted = findCountedAudio(source.input);
        if (counted) source.corrections = counted->corrections;
        open();
        if (triggered && !whole) refuseLeftOut();
        chooseSpeed();
        if (info.samplerate < minimumRate || info.samplerate > maximumRate)
            throw Error(name() + ": a sample rate of " + std::to_string(info.samplerate) +
                        " Hz is outside 1000 to 1000000 Hz; " +
                        (speed == 1.0 ? "the header may be damaged" : "choose another --speed"));
        block.resize(static_cast<std::size_t>(blockFrames()) * static_cast<std::size_t>(info.channels));
        chooseChannel(options.channel);
        // The length in the header is not trusted: only a decoded sample shows that there is audio.
        decodeBlock();
        if (source.input.failed()) throw UnreachableError(name() + ": cannot be read; check its disk");
        if (blockEnd == 0)
            throw Error(failure ? *failure
                                : name() + ": holds no audio (0 samples); record or copy it again");
    }

    const std::string& name() const { return source.input.name(); }
    sf_count_t blockFrames() const { return std::max(1, blockSamples / info.channels); }
    bool lengthKnown() const {
        return info.frames > 0 && info.frames < std::numeric_limits<sf_count_t>::max();
    }
    bool isContainer(int type) const { return (info.format & SF_FORMAT_TYPEMASK) == type; }

    void open() {
        const std::lock_guard alone(openings());
        file = openSound(source, info);
        if (file && isContainer(SF_FORMAT_MPEG)) {
            for (const End end : {End::unknown, End::absent}) {
                file.reset();
                source.end = end;
                file = openSound(source, info);
                if (file) break;
            }
        }
        if (source.input.failed()) throw UnreachableError(name() + ": cannot be read; check its disk");
        if (!file || info.channels < 1)
            throw Error(name() + ": " + openFailure(sf_error(nullptr)) + "; convert it to WAV or FLAC");
        info.samplerate = recordedRate();
    }

    // Fills the block. At the end of the audio it stays empty, and `failure` is set if the audio ended too
    // early.
    void decodeBlock() {
        blockBegin = blockEnd = 0;
        if (failure) return;
        blockEnd = sf_readf_float(file.get(), block.data(), blockFrames());
        decoded += blockEnd;
        if (source.input.failed()) {
            failure = name() + ": cannot be read beyond " + seconds(position()) + "; check its disk";
        } else if (sf_error(file.get()) != 0) {
            failure =
                name() + ": cannot be decoded beyond " + seconds(position()) + "; the file is damaged there";
        } else if (blockEnd == 0) {
            failure = prematureEnd();
        }
    }

    double position() const { return static_cast<double>(decoded) / info.samplerate; }

    std::optional<std::string> prematureEnd() {
        if (decoded == 0) return std::nullopt; // a file without samples has a message of its own
        const bool ogg = isContainer(SF_FORMAT_OGG);
        if ((ogg && oggStreamFollows(source.input)) ||
            (isContainer(SF_FORMAT_MPEG) && mpegFramesFollow(source.input)))
            return name() + ": only its first " + seconds(position()) +
                   " were heard, but more audio follows, as when files are joined with cat; make it one "
                   "recording first (ffmpeg -i FILE out.flac)";
        if (uncounted() > hardlyAudio && behindCounted() >= mostCounted) {
            const double share = static_cast<double>(source.input.size() - counted->begin) /
                                 static_cast<double>(counted->bytes);
            return name() + ": its header counts " + seconds(position()) + ", but there is audio for about " +
                   seconds(position() * share) + "; repair it " + std::string(withoutLength);
        }
        if (ogg && !(lengthKnown() && oggStreamEnds(source.input)))
            return name() + ": breaks off at " + seconds(position()) + "; the file is truncated";
        const double promised = lengthKnown() ? static_cast<double>(info.frames) / info.samplerate : 0.0;
        if (promised - position() > shortfallTolerance)
            return name() + ": ends at " + seconds(position()) + " of the " + seconds(promised) +
                   " in its header; the file is truncated or damaged";
        return std::nullopt;
    }

    std::int64_t behindCounted() const { return source.input.size() - counted->begin - counted->bytes; }

    // At the end: how much audio what follows a WAV's audio would be, in seconds.
    double uncounted() const {
        if (!counted || counted->bytes == 0) return 0.0;
        return position() * static_cast<double>(counted->unexplained) / static_cast<double>(counted->bytes);
    }

    std::optional<std::string> oddLength() const {
        if (uncounted() > hardlyAudio)
            return "its header counts " + seconds(position()) + ", and " +
                   std::to_string(counted->unexplained) +
                   " bytes follow that are not known; if audio is missing, repair it " +
                   std::string(withoutLength);
        if (counted && isCount(counted->bytes) && counted->begin < source.input.size()) {
            const double share = static_cast<double>(counted->bytes) /
                                 static_cast<double>(source.input.size() - counted->begin);
            if (position() * (share - 1.0) > shortfallTolerance)
                return "ends at " + seconds(position()) + " of the " + seconds(position() * share) +
                       " in its header, as a copy that was cut; copy it again if the original is longer";
        }
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

    // An AudioMoth recording whose silence cannot be put back must not be analyzed with wrong times.
    void refuseLeftOut() {
        if (info.channels != 1) return;
        std::vector<short> samples(blockSamples);
        LeftOutFinder finder;
        while (const auto count = sf_readf_short(file.get(), samples.data(), blockSamples))
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

    // Calls take(frame, index) for up to `wanted` frames. Returns for how many.
    template <typename Take>
    std::size_t readFrames(std::size_t wanted, Take take) {
        std::size_t done = 0;
        while (done < wanted) {
            if (blockBegin == blockEnd) decodeBlock();
            if (blockEnd == 0) break;
            while (done < wanted && blockBegin < blockEnd)
                take(block.data() + blockBegin++ * info.channels, done++);
        }
        if (done == 0 && wanted > 0 && failure) throw Error(*failure);
        return done;
    }

    void seek(sf_count_t frame) {
        frame = std::max<sf_count_t>(frame, 0);
        if (lengthKnown()) frame = std::min(frame, info.frames);
        failure.reset();
        blockBegin = blockEnd = 0;
        const bool lossy = isContainer(SF_FORMAT_MPEG) || isContainer(SF_FORMAT_OGG);
        const sf_count_t first = std::max<sf_count_t>(frame - (lossy ? lossyLead : 0), 0);
        decoded = sf_seek(file.get(), first, SEEK_SET);
        if (decoded != first) reopen();
        skipTo(frame);
    }

    // For input in which libsndfile cannot seek.
    void reopen() {
        file.reset();
        open();
        decoded = 0;
    }

    void skipTo(sf_count_t frame) {
        while (decoded < frame) {
            decodeBlock();
            if (blockEnd == 0) return;
        }
        blockBegin = blockEnd - (decoded - frame);
    }

    Source source; // outlives `file`, which reads from it
    std::optional<CountedAudio> counted;
    SF_INFO info{};
    SoundFile file;
    std::vector<float> block; // (blockFrames, channels), interleaved
    sf_count_t blockBegin = 0;
    sf_count_t blockEnd = 0;
    sf_count_t decoded = 0; // frames
    std::int64_t nonFinite = 0;
    ReadOptions options;
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

AudioFile::AudioFile(AudioFile&&) noexcept = default;
AudioFile& AudioFile::operator=(AudioFile&&) noexcept = default;
AudioFile::~AudioFile() = default;

int AudioFile::sampleRate() const { return impl_->info.samplerate; }
int AudioFile::channels() const { return impl_->info.channels; }
std::int64_t AudioFile::frames() const { return impl_->lengthKnown() ? impl_->info.frames : 0; }
bool AudioFile::readFailed() const { return impl_->source.input.failed(); }
std::int64_t AudioFile::nonFiniteSamples() const { return impl_->nonFinite; }

std::optional<std::string> AudioFile::oddLength() const { return impl_->oddLength(); }

double AudioFile::mixLoss() const { return impl_->mix->loss(); }

std::vector<std::string> AudioFile::remarks() const {
    auto remarks = impl_->remarks;
    if (impl_->guessedLayout)
        remarks.push_back(
            "its name says that it is ambisonic (AmbiX), so that its first channel, W, is analyzed; "
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
    return impl_->readFrames(mono.size(),
                             [&](float* frame, std::size_t at) { mono[at] = impl_->mixDown(frame); });
}

std::size_t AudioFile::readInterleaved(std::span<float> samples) {
    const auto width = static_cast<std::size_t>(channels());
    assert(samples.size() % width == 0);
    return impl_->readFrames(samples.size() / width, [&](const float* frame, std::size_t at) {
        std::transform(frame, frame + width, samples.begin() + static_cast<std::ptrdiff_t>(at * width),
                       [this](float sample) { return impl_->usable(sample); });
    });
}

void AudioFile::seek(std::int64_t frame) { impl_->seek(frame); }

std::string encodeFlac(std::span<const std::int16_t> mono, int sampleRate) {
    constexpr int anyRateUpTo = 65535; // Hz
    constexpr int highestRate = 655350;
    if (sampleRate < 1 || sampleRate > highestRate || (sampleRate > anyRateUpTo && sampleRate % 10 != 0))
        throw Error("FLAC has no sample rate of " + std::to_string(sampleRate) +
                    " Hz; choose one up to 65535 Hz, or a multiple of 10 up to 655350 Hz");
    Memory encoded;
    SF_VIRTUAL_IO callbacks = memoryCallbacks();
    SF_INFO info{};
    info.samplerate = sampleRate;
    info.channels = 1;
    info.format = SF_FORMAT_FLAC | SF_FORMAT_PCM_16;
    SoundFile file;
    {
        const std::lock_guard alone(openings());
        file.reset(sf_open_virtual(&callbacks, SFM_WRITE, &info, &encoded));
    }
    const auto wanted = static_cast<sf_count_t>(mono.size());
    const bool whole = file && sf_writef_short(file.get(), mono.data(), wanted) == wanted;
    if (!whole || sf_close(file.release()) != 0)
        throw Error("audio cannot be encoded as FLAC at " + std::to_string(sampleRate) +
                    " Hz; close other programs and try again");
    return std::move(encoded.bytes);
}

std::string fileLibrary() {
    std::string text = sf_version_string(); // "libsndfile-1.2.0"
    std::ranges::replace(text, '-', ' ');
    return text;
}

} // namespace earshot::audio
