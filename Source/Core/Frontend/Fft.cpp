#include "Core/Frontend/Fft.h"

#include <fftw3.h>

#include <cassert>
#include <mutex>
#include <new>
#include <type_traits>

namespace earshot::frontend {

namespace {

// FFTW executes plans in parallel, but its planner is not thread-safe.
std::mutex& plannerMutex() {
    static std::mutex mutex;
    return mutex;
}

struct FreeBuffer {
    void operator()(void* buffer) const { fftwf_free(buffer); }
};

struct DestroyPlan {
    void operator()(fftwf_plan plan) const {
        const std::lock_guard lock(plannerMutex());
        fftwf_destroy_plan(plan);
    }
};

} // namespace

struct RealFft::Impl {
    explicit Impl(int length)
        : size(static_cast<std::size_t>(length))
        , input(fftwf_alloc_real(size))
        , output(fftwf_alloc_complex(size / 2 + 1)) {
        if (!input || !output) throw std::bad_alloc();
        const std::lock_guard lock(plannerMutex());
        plan.reset(fftwf_plan_dft_r2c_1d(length, input.get(), output.get(), FFTW_ESTIMATE));
        if (!plan) throw std::bad_alloc(); // FFTW plans every size, so only memory can be missing
    }

    std::size_t size;
    std::unique_ptr<float, FreeBuffer> input;          // (size)
    std::unique_ptr<fftwf_complex, FreeBuffer> output; // (size / 2 + 1)
    std::unique_ptr<std::remove_pointer_t<fftwf_plan>, DestroyPlan> plan;
};

RealFft::RealFft(int size) {
    assert(size >= 1);
    impl_ = std::make_unique<Impl>(size);
}
RealFft::~RealFft() = default;
RealFft::RealFft(RealFft&&) noexcept = default;
RealFft& RealFft::operator=(RealFft&&) noexcept = default;

std::span<float> RealFft::input() { return {impl_->input.get(), impl_->size}; }

std::span<const float> RealFft::transform() {
    fftwf_execute(impl_->plan.get());
    return {&impl_->output.get()[0][0], 2 * (impl_->size / 2 + 1)};
}

std::string fftLibrary() {
    // FFTW's own text is "fftw-3.3.10-sse2-avx".
    const std::string text = fftwf_version;
    const auto begin = text.find('-') + 1;
    return "FFTW " + text.substr(begin, text.find('-', begin) - begin);
}

} // namespace earshot::frontend
