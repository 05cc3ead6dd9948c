#include "Core/Audio/SoundFile.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Base/Error.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <mutex>
#include <utility>

#include <sndfile.h>

namespace earshot::audio {

namespace {

struct CloseSound {
    void operator()(SNDFILE* file) const { sf_close(file); }
};
using Opened = std::unique_ptr<SNDFILE, CloseSound>;

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

Opened openSound(Source& from, SF_INFO& info) {
    SF_VIRTUAL_IO callbacks = sourceCallbacks();
    from.input.seek(0, SEEK_SET);
    info = {};
    return Opened(sf_open_virtual(&callbacks, SFM_READ, &info, &from));
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

SoundInfo::Kind kindOf(int format) {
    switch (format & SF_FORMAT_TYPEMASK) {
    case SF_FORMAT_WAV:
        return SoundInfo::Kind::wav;
    case SF_FORMAT_MPEG:
        return SoundInfo::Kind::mpeg;
    case SF_FORMAT_OGG:
        return SoundInfo::Kind::ogg;
    default:
        return SoundInfo::Kind::other;
    }
}

SNDFILE* handle(void* file) { return static_cast<SNDFILE*>(file); }

} // namespace

void SoundFile::Close::operator()(void* file) const { sf_close(handle(file)); }

SoundFile SoundFile::open(Source& from, SoundInfo& info, std::string& why) {
    const std::lock_guard alone(openings());
    SF_INFO found{};
    auto file = openSound(from, found);
    if (file && kindOf(found.format) == SoundInfo::Kind::mpeg) {
        for (const End end : {End::unknown, End::absent}) {
            file.reset();
            from.end = end;
            file = openSound(from, found);
            if (file) break;
        }
    }
    info = {.frames = found.frames,
            .samplerate = found.samplerate,
            .channels = found.channels,
            .kind = kindOf(found.format)};
    why = openFailure(sf_error(nullptr));
    SoundFile opened;
    opened.file_.reset(file.release());
    return opened;
}

std::int64_t SoundFile::read(float* samples, std::int64_t frames) {
    return sf_readf_float(handle(file_.get()), samples, frames);
}
std::int64_t SoundFile::read(std::int16_t* samples, std::int64_t frames) {
    return sf_readf_short(handle(file_.get()), samples, frames);
}
bool SoundFile::failed() const { return sf_error(handle(file_.get())) != 0; }
std::int64_t SoundFile::seek(std::int64_t frame) { return sf_seek(handle(file_.get()), frame, SEEK_SET); }

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
    Opened file;
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
