#include "Core/Audio/Resampler.h"

#include "Core/Base/Error.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <string>

#include <soxr.h>

namespace earshot::audio {

namespace {

constexpr std::size_t scratchSamples = 4096; // output samples of one call into libsoxr

struct DeleteSoxr {
    void operator()(soxr_t converter) const { soxr_delete(converter); }
};

void require(soxr_error_t failure) {
    if (failure != nullptr)
        throw Error(std::string("sample-rate conversion failed: ") + soxr_strerror(failure));
}

} // namespace

struct Resampler::Impl {
    Impl(double input, double output)
        : inputRate(input)
        , outputRate(output) {
        create();
    }

    bool passesThrough() const { return inputRate == outputRate; }

    // Makes a new converter for each stream, because soxr_clear() does not promise a fresh state in all
    // versions.
    void create() {
        consumed = produced = 0;
        if (passesThrough()) return;
        const soxr_io_spec_t io = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I);
        const soxr_quality_spec_t quality = soxr_quality_spec(SOXR_HQ, 0);
        const soxr_runtime_spec_t runtime = soxr_runtime_spec(1);
        soxr_error_t failure = nullptr;
        converter.reset(soxr_create(inputRate, outputRate, 1, &failure, &io, &quality, &runtime));
        require(failure);
    }

    // Null input with length 0 tells libsoxr that the stream ends. Returns the samples produced.
    std::size_t process(const float* input, std::size_t length, std::size_t& used,
                        std::vector<float>& output) {
        std::size_t count = 0;
        require(soxr_process(converter.get(), input, length, &used, scratch.data(), scratch.size(), &count));
        output.insert(output.end(), scratch.begin(), scratch.begin() + static_cast<std::ptrdiff_t>(count));
        produced += static_cast<std::int64_t>(count);
        return count;
    }

    std::int64_t wholeLength() const {
        return std::llround(static_cast<double>(consumed) * outputRate / inputRate);
    }

    double inputRate; // Hz
    double outputRate;
    std::unique_ptr<::soxr, DeleteSoxr> converter;
    std::vector<float> scratch = std::vector<float>(scratchSamples);
    std::int64_t consumed = 0; // input samples of this stream
    std::int64_t produced = 0; // output samples of this stream
};

Resampler::Resampler(double inputRate, double outputRate) {
    assert(inputRate > 0.0 && outputRate > 0.0);
    impl_ = std::make_unique<Impl>(inputRate, outputRate);
}

Resampler::~Resampler() = default;
Resampler::Resampler(Resampler&&) noexcept = default;
Resampler& Resampler::operator=(Resampler&&) noexcept = default;

void Resampler::push(std::span<const float> input, std::vector<float>& output) {
    Impl& impl = *impl_;
    if (impl.passesThrough()) {
        output.insert(output.end(), input.begin(), input.end());
        return;
    }
    impl.consumed += static_cast<std::int64_t>(input.size());
    while (!input.empty()) {
        std::size_t used = 0;
        impl.process(input.data(), input.size(), used, output);
        input = input.subspan(used);
    }
}

void Resampler::finish(std::vector<float>& output) {
    Impl& impl = *impl_;
    if (impl.passesThrough() || impl.consumed == 0) return;
    std::size_t used = 0;
    while (impl.process(nullptr, 0, used, output) > 0) {
    }
    // libsoxr's own count is off by one sample if the exact length lies half-way between two.
    const std::int64_t missing = impl.wholeLength() - impl.produced;
    const auto length = static_cast<std::int64_t>(output.size()) + missing;
    if (length < 0)
        throw Error("sample-rate conversion failed: libsoxr gave " + std::to_string(impl.produced) +
                    " samples where " + std::to_string(impl.wholeLength()) + " were due");
    output.resize(static_cast<std::size_t>(length));
    impl.produced += missing;
}

void Resampler::reset() { impl_->create(); }

std::string resamplerLibrary() {
    std::string text = soxr_version(); // "libsoxr-0.1.3"
    std::ranges::replace(text, '-', ' ');
    return text;
}

} // namespace earshot::audio
