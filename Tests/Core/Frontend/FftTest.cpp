#include "Core/Frontend/Fft.h"

#include "Support/Catch.h"
#include "Support/ReferenceFrontend.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <thread>
#include <vector>

using namespace earshot;
using frontend::RealFft;

namespace {

std::vector<float> transformed(RealFft& fft, const std::vector<float>& samples) {
    std::ranges::copy(samples, fft.input().begin());
    const auto spectrum = fft.transform();
    return {spectrum.begin(), spectrum.end()};
}

} // namespace

TEST_CASE("The FFT is the discrete Fourier transform", "[unit]") {
    for (const int size : {1, 2, 16, 30, 1024, 1102}) {
        CAPTURE(size);
        const auto samples = test::testSignal(static_cast<std::size_t>(size));
        RealFft fft(size);
        REQUIRE(fft.input().size() == samples.size());
        const auto spectrum = transformed(fft, samples);
        REQUIRE(spectrum.size() == static_cast<std::size_t>(2 * (size / 2 + 1)));
        for (int bin = 0; bin <= size / 2; ++bin) {
            double real = 0.0;
            double imaginary = 0.0;
            for (int n = 0; n < size; ++n) {
                const double angle = 2.0 * std::numbers::pi * bin * n / size;
                real += samples[static_cast<std::size_t>(n)] * std::cos(angle);
                imaginary -= samples[static_cast<std::size_t>(n)] * std::sin(angle);
            }
            const auto index = static_cast<std::size_t>(2 * bin);
            REQUIRE(std::abs(spectrum[index] - real) <= 2e-5);
            REQUIRE(std::abs(spectrum[index + 1] - imaginary) <= 2e-5);
        }
    }
}

TEST_CASE("Threads may plan and transform at the same time, each with its own object", "[unit][threads]") {
    const auto samples = test::testSignal(1024);
    RealFft fft(1024);
    const auto expected = transformed(fft, samples);
    std::vector<int> equal(4, 0);
    std::vector<std::thread> threads;
    for (int& result : equal)
        threads.emplace_back([&] {
            result = 1;
            for (int i = 0; i < 50; ++i) {
                RealFft own(1024);
                if (transformed(own, samples) != expected) result = 0;
            }
        });
    for (auto& thread : threads) thread.join();
    REQUIRE(equal == std::vector<int>(4, 1));
}
