#include "Core/Audio/SoundFile.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Audio/SoundWriter.h"
#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"

#include <algorithm>
#include <cmath>
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
    std::exception_ptr failure = {};
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
            file.failure = std::current_exception();
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

Samples samplesOf(int format) {
    switch (format & SF_FORMAT_SUBMASK) {
    case SF_FORMAT_PCM_S8:
    case SF_FORMAT_PCM_U8:
    case SF_FORMAT_DPCM_8:
        return Samples::int8;
    case SF_FORMAT_PCM_24:
    case SF_FORMAT_DWVW_24:
    case SF_FORMAT_ALAC_20:
    case SF_FORMAT_ALAC_24:
        return Samples::int24;
    case SF_FORMAT_PCM_32:
    case SF_FORMAT_ALAC_32:
        return Samples::int32;
    case SF_FORMAT_DOUBLE:
        return Samples::float64;
    case SF_FORMAT_FLOAT:
    case SF_FORMAT_VORBIS:
    case SF_FORMAT_OPUS:
        return Samples::float32;
    default:
        return kindOf(format) == SoundInfo::Kind::mpeg ? Samples::float32 : Samples::int16;
    }
}

StoredFormat storedFormat(SNDFILE* file, const SF_INFO& info) {
    const int container = info.format & SF_FORMAT_TYPEMASK;
    StoredFormat stored{.samples = samplesOf(info.format),
                        .flac = container == SF_FORMAT_FLAC,
                        .extensible = container == SF_FORMAT_WAVEX};
    std::vector<int> speakers(static_cast<std::size_t>(std::max(info.channels, 0)));
    const int bytes = static_cast<int>(speakers.size() * sizeof(int));
    if (sf_command(file, SFC_GET_CHANNEL_MAP_INFO, speakers.data(), bytes) == SF_TRUE)
        stored.speakers = std::move(speakers);
    return stored;
}

bool hasFlacRate(int sampleRate) {
    constexpr int anyRateUpTo = 65535; // Hz
    constexpr int maxRate = 655350;
    return sampleRate >= 1 && sampleRate <= maxRate && (sampleRate <= anyRateUpTo || sampleRate % 10 == 0);
}

int bitsOf(Samples samples) {
    constexpr int byte = 8;
    return samples < Samples::float32 ? byte * (static_cast<int>(samples) + 1) : 0;
}

// A file that libsndfile writes. What fails there is kept from a library in C.
struct Growing {
    WholeFile& file;
    std::int64_t position = 0, size = 0;
    std::exception_ptr failure = {};
};

Growing& growing(void* user) { return *static_cast<Growing*>(user); }

SF_VIRTUAL_IO growingCallbacks() {
    SF_VIRTUAL_IO callbacks{};
    callbacks.get_filelen = [](void* user) -> sf_count_t { return growing(user).size; };
    callbacks.seek = [](sf_count_t offset, int whence, void* user) -> sf_count_t {
        Growing& to = growing(user);
        if (whence == SEEK_CUR) offset += to.position;
        if (whence == SEEK_END) offset += to.size;
        if (offset < 0 || to.failure) return -1;
        try {
            if (offset != to.position) to.file.seek(static_cast<std::uint64_t>(offset));
        } catch (const std::exception&) {
            to.failure = std::current_exception();
            return -1;
        }
        return to.position = offset;
    };
    callbacks.read = [](void*, sf_count_t, void*) -> sf_count_t { return 0; };
    callbacks.write = [](const void* bytes, sf_count_t count, void* user) -> sf_count_t {
        Growing& to = growing(user);
        if (to.failure) return 0;
        try {
            to.file.write(bytes, static_cast<std::size_t>(count));
        } catch (const std::exception&) {
            to.failure = std::current_exception();
            return 0;
        }
        to.position += count;
        to.size = std::max(to.size, to.position);
        return count;
    };
    callbacks.tell = [](void* user) -> sf_count_t { return growing(user).position; };
    return callbacks;
}

int formatFor(const SoundShape& shape) {
    constexpr std::int64_t maxWav = (std::int64_t{1} << 32) - (1 << 16); // bytes, less the header
    constexpr int byte = 8;
    int width = bitsOf(shape.stored.samples) / byte;
    if (width == 0) width = shape.stored.samples == Samples::float32 ? sizeof(float) : sizeof(double);
    const bool large = shape.frames > maxWav / width / shape.channels;
    const bool extensible = shape.stored.extensible || !shape.stored.speakers.empty();
    const int container = shape.stored.flac ? SF_FORMAT_FLAC
                          : large           ? SF_FORMAT_RF64
                          : extensible      ? SF_FORMAT_WAVEX
                                            : SF_FORMAT_WAV;
    switch (shape.stored.samples) {
    case Samples::int8:
        return container | (shape.stored.flac ? SF_FORMAT_PCM_S8 : SF_FORMAT_PCM_U8);
    case Samples::int16:
        return container | SF_FORMAT_PCM_16;
    case Samples::int24:
        return container | SF_FORMAT_PCM_24;
    case Samples::int32:
        return container | SF_FORMAT_PCM_32;
    case Samples::float32:
        return container | SF_FORMAT_FLOAT;
    case Samples::float64:
        break;
    }
    return container | SF_FORMAT_DOUBLE;
}

void requireFlacShape(const SoundShape& shape, const std::filesystem::path& file) {
    constexpr int maxChannels = 8;
    if (shape.channels > maxChannels)
        throw Error(displayName(file) + ": FLAC has at most 8 channels, and the recording has " +
                    std::to_string(shape.channels) + "; choose WAV");
    if (!hasFlacRate(shape.sampleRate))
        throw Error(displayName(file) + ": FLAC has no sample rate of " + std::to_string(shape.sampleRate) +
                    " Hz; choose WAV");
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
            .kind = kindOf(found.format),
            .stored = file ? storedFormat(file.get(), found) : StoredFormat{}};
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
std::int64_t SoundFile::read(double* samples, std::int64_t frames) {
    return sf_readf_double(handle(file_.get()), samples, frames);
}
bool SoundFile::failed() const { return sf_error(handle(file_.get())) != 0; }
std::int64_t SoundFile::seek(std::int64_t frame) { return sf_seek(handle(file_.get()), frame, SEEK_SET); }

std::string encodeFlac(std::span<const std::int16_t> mono, int sampleRate) {
    if (!hasFlacRate(sampleRate))
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
    const std::string why = sf_strerror(file.get());
    const bool closed = sf_close(file.release()) == 0;
    if (encoded.failure) std::rethrow_exception(encoded.failure);
    if (!whole || !closed)
        throw Error("audio cannot be encoded as FLAC at " + std::to_string(sampleRate) + " Hz: " + why);
    return std::move(encoded.bytes);
}

SoundShape SoundShape::asFlac() const {
    SoundShape shape = *this;
    shape.stored.flac = true;
    shape.stored.extensible = false;
    shape.stored.speakers.clear();
    shape.stored.samples = std::min(stored.samples, Samples::int24);
    return shape;
}

std::int32_t storedInteger(double sample, Samples samples) {
    constexpr int width = 32;
    const int bits = bitsOf(samples);
    const double fullScale = std::ldexp(1.0, bits - 1);
    if (std::isnan(sample)) return 0;
    const auto value = std::llrint(std::clamp(sample * fullScale, -fullScale, fullScale - 1.0));
    return static_cast<std::int32_t>(value * (std::int64_t{1} << (width - bits)));
}

struct SoundWriter::Impl {
    Impl(WholeFile& target, const SoundShape& wanted)
        : to{target}
        , shape(wanted) {}

    void check(bool written) const {
        if (to.failure) std::rethrow_exception(to.failure);
        if (!written)
            throw Error(displayName(to.file.target()) + ": cannot be encoded: " + sf_strerror(file.get()));
    }

    Growing to;
    SoundShape shape;
    Opened file;
    std::vector<std::int32_t> integers;
    std::vector<float> floats;
};

SoundWriter::SoundWriter(WholeFile& file, const SoundShape& shape)
    : impl_(std::make_unique<Impl>(file, shape)) {
    if (shape.stored.flac) requireFlacShape(shape, file.target());
    SF_VIRTUAL_IO callbacks = growingCallbacks();
    SF_INFO info{};
    info.samplerate = shape.sampleRate;
    info.channels = shape.channels;
    info.format = formatFor(shape);
    {
        const std::lock_guard alone(openings());
        impl_->file.reset(sf_open_virtual(&callbacks, SFM_WRITE, &info, &impl_->to));
    }
    impl_->check(impl_->file != nullptr);
    SNDFILE* const opened = impl_->file.get();
    // It has the time of writing in it, so that no two files would be the same.
    sf_command(opened, SFC_SET_ADD_PEAK_CHUNK, nullptr, SF_FALSE);
    auto speakers = shape.stored.speakers;
    if (!speakers.empty())
        sf_command(opened, SFC_SET_CHANNEL_MAP_INFO, speakers.data(),
                   static_cast<int>(speakers.size() * sizeof(int)));
    if (!shape.title.empty()) sf_set_string(opened, SF_STR_TITLE, shape.title.c_str());
    if (!shape.date.empty()) sf_set_string(opened, SF_STR_DATE, shape.date.c_str());
}

SoundWriter::~SoundWriter() = default;

void SoundWriter::write(std::span<const double> samples) {
    const auto frames = static_cast<sf_count_t>(samples.size()) / impl_->shape.channels;
    const Samples form = impl_->shape.stored.samples;
    SNDFILE* const file = impl_->file.get();
    sf_count_t written = 0;
    if (form == Samples::float64) {
        written = sf_writef_double(file, samples.data(), frames);
    } else if (form == Samples::float32) {
        impl_->floats.resize(samples.size());
        std::ranges::transform(samples, impl_->floats.begin(),
                               [](double sample) { return static_cast<float>(sample); });
        written = sf_writef_float(file, impl_->floats.data(), frames);
    } else {
        impl_->integers.resize(samples.size());
        std::ranges::transform(samples, impl_->integers.begin(),
                               [form](double sample) { return storedInteger(sample, form); });
        written = sf_writef_int(file, impl_->integers.data(), frames);
    }
    impl_->check(written == frames);
}

void SoundWriter::finish() { impl_->check(sf_close(impl_->file.release()) == 0); }

std::string fileLibrary() {
    std::string text = sf_version_string(); // "libsndfile-1.2.0"
    std::ranges::replace(text, '-', ' ');
    return text;
}

} // namespace earshot::audio
