#include "Core/Audio/ExternalDecoder.h"

#include "Core/Audio/FileKinds.h"
#include "Core/Base/Error.h"
#include "Core/Base/Platform/Process.h"
#include "Core/Base/Unicode.h"

#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace earshot::audio {

namespace {

std::atomic<bool> ffmpegWanted{false};

constexpr platform::Process::Limits limits{.memory = std::uint64_t{4} << 30, .seconds = 6 * 3600};
constexpr std::chrono::milliseconds patience{60'000};

// Containers and streams of audio that ffmpeg may take a file for. What leads to other files is not among
// them (HLS, DASH, "concat", sequences of pictures).
constexpr std::string_view formats = "3dostr,aa,aac,ac3,aea,aiff,alac,amr,amrnb,amrwb,ape,asf,ast,au,avi,caf,"
                                     "dsf,dts,dtshd,eac3,flac,flv,gsm,iff,"
                                     "loas,matroska,webm,mlp,mov,mp3,mpc,mpc8,mpeg,mpegts,nut,oga,ogg,oma,rm,"
                                     "shn,sox,tak,truehd,tta,voc,w64,wav,wsaud,"
                                     "wv,xwma";

constexpr std::size_t headerBytes = 24; // of a Sun file, which is the shortest there is

std::uint32_t bigEndian(const char* bytes) {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

std::vector<std::string> command(double seconds) {
    std::vector<std::string> words = {"ffmpeg",
                                      "-nostdin",
                                      "-hide_banner",
                                      "-loglevel",
                                      "error",
                                      "-threads",
                                      "1",
                                      "-protocol_whitelist",
                                      "file",
                                      "-format_whitelist",
                                      std::string(formats)};
    if (seconds > 0.0) words.insert(words.end(), {"-ss", std::to_string(seconds)});
    words.insert(words.end(), {"-i", "file:/dev/stdin", "-map", "0:a:0", "-vn", "-sn", "-dn", "-map_metadata",
                               "-1", "-f", "au", "-c:a", "pcm_f32be", "pipe:1"});
    return words;
}

std::string firstLine(const std::string& text) {
    std::string_view line = std::string_view(text).substr(0, text.find('\n'));
    // "[aac @ 0x5591] what is wrong"
    if (line.starts_with('[') && line.find("] ") != std::string_view::npos)
        line.remove_prefix(line.find("] ") + 2);
    return printable(line);
}

} // namespace

void decodeWithFfmpeg(bool wanted) { ffmpegWanted = wanted; }
bool decodesWithFfmpeg() { return ffmpegWanted; }

bool hasReadableExtension(const std::filesystem::path& file) {
    return hasAudioExtension(file) || (decodesWithFfmpeg() && hasForeignAudioExtension(file));
}

bool ffmpegIsInstalled() {
    const InputFile nothing = InputFile::temporary("ffmpeg");
    auto process = platform::Process::start({"ffmpeg", "-version"}, nothing.descriptor(), limits);
    if (!process) return false;
    std::array<char, 4096> text{};
    while (process->read(text.data(), text.size(), patience) > 0) {
    }
    return process->finish() == 0;
}

struct ExternalDecoder::Impl {
    explicit Impl(const InputFile& file)
        : input(file) {
        start(0.0);
    }

    [[noreturn]] void fail(const std::string& what) const {
        const std::string said = process ? firstLine(process->messages()) : "";
        throw Error(input.name() + ": " + what + (said.empty() ? "" : " (" + said + ")"));
    }

    void start(double seconds) {
        ended = false;
        process.reset();
        process = platform::Process::start(command(seconds), input.descriptor(), limits);
        if (!process)
            fail(std::string("ffmpeg cannot be started (") + std::strerror(errno) +
                 "); install it (apt install ffmpeg)");
        std::string header(headerBytes, '\0');
        if (readBytes(header.data(), header.size()) < header.size() || !header.starts_with(".snd")) {
            if (seconds > 0.0 && rate > 0) { // behind the end
                ended = true;
                return;
            }
            process->finish();
            fail("holds no audio that ffmpeg reads");
        }
        constexpr std::size_t maxText = 4096; // behind the header, before the samples
        const std::size_t samplesAt = bigEndian(header.data() + 4);
        if (samplesAt < headerBytes || samplesAt > headerBytes + maxText)
            fail("ffmpeg gives a damaged header");
        std::string text(samplesAt - headerBytes, '\0');
        if (readBytes(text.data(), text.size()) < text.size()) fail("ffmpeg ended early");
        constexpr std::uint32_t maxChannels = 1024, maxRate = 100'000'000;
        const std::uint32_t hz = bigEndian(header.data() + 16), count = bigEndian(header.data() + 20);
        if (count < 1 || count > maxChannels || hz > maxRate) fail("has an impossible number of channels");
        rate = static_cast<int>(hz);
        channels = static_cast<int>(count);
    }

    std::size_t readBytes(char* to, std::size_t count) {
        std::size_t done = 0;
        while (done < count) {
            const auto got = process->read(to + done, count - done, patience);
            if (got < 0 && errno == EINTR) throw Error(input.name() + ": interrupted while reading");
            if (got < 0) fail("ffmpeg gives no audio for a minute; convert it to WAV or FLAC");
            if (got == 0) break;
            done += static_cast<std::size_t>(got);
        }
        return done;
    }

    std::size_t read(std::span<float> samples) {
        if (ended) return 0;
        const std::size_t frameBytes = sizeof(float) * static_cast<std::size_t>(channels);
        const std::size_t wanted = samples.size_bytes() / frameBytes * frameBytes;
        bytes.resize(wanted);
        const std::size_t got = readBytes(bytes.data(), wanted) / frameBytes * frameBytes;
        for (std::size_t at = 0; at < got; at += sizeof(float))
            samples[at / sizeof(float)] = std::bit_cast<float>(bigEndian(bytes.data() + at));
        if (got < wanted) {
            ended = true;
            const int code = process->finish();
            const std::string said = firstLine(process->messages());
            if (!said.empty()) complaint = said;
            if (code != 0 && got == 0) fail("ffmpeg fails part-way; convert it to WAV or FLAC");
        }
        return got / frameBytes;
    }

    const InputFile& input;
    std::optional<platform::Process> process;
    std::vector<char> bytes;
    bool ended = false;
    int rate = 0, channels = 0;
    std::optional<std::string> complaint;
};

ExternalDecoder::ExternalDecoder(const InputFile& input)
    : impl_(std::make_unique<Impl>(input)) {}
ExternalDecoder::~ExternalDecoder() = default;

int ExternalDecoder::sampleRate() const { return impl_->rate; }
int ExternalDecoder::channels() const { return impl_->channels; }
std::size_t ExternalDecoder::read(std::span<float> samples) { return impl_->read(samples); }
void ExternalDecoder::seek(std::int64_t frame) { impl_->start(static_cast<double>(frame) / impl_->rate); }
std::optional<std::string> ExternalDecoder::complaint() const { return impl_->complaint; }

} // namespace earshot::audio
