#include "Core/Training/Data/NearCopies.h"

#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <cmath>
#include <numbers>

using namespace earshot;
using training::StoredClip;

namespace {

constexpr int rate = 32000;

// A glide with overtones and some noise; another number is another recording of such a sound.
std::vector<float> sound(int number, double seconds = 1.5) {
    auto samples =
        test::noise(static_cast<std::size_t>(seconds * rate), static_cast<unsigned>(number + 1), 0.01f);
    double phase = 0.3 * number;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const double t = static_cast<double>(i) / rate;
        phase += 2.0 * std::numbers::pi * (900.0 + 30.0 * number + 500.0 * std::sin(9.0 * t + number)) / rate;
        samples[i] += static_cast<float>(std::sin(std::numbers::pi * t / seconds) *
                                         (0.3 * std::sin(phase) + 0.1 * std::sin(2.0 * phase)));
    }
    return samples;
}

class Clips {
  public:
    void add(const std::vector<float>& samples) {
        StoredClip clip;
        for (const float x : samples)
            clip.samples.push_back(static_cast<std::int16_t>(std::lround(20000.0f * x)));
        clips_.push_back(std::move(clip));
    }
    // By index of the copy.
    std::vector<std::pair<std::size_t, std::size_t>> copies() const {
        std::vector<const StoredClip*> all;
        for (const auto& clip : clips_) all.push_back(&clip);
        std::vector<std::pair<std::size_t, std::size_t>> found;
        for (const auto& [copy, original] : training::findNearCopies(
                 all, rate, [](std::size_t, std::size_t) { return true; }, [] { return true; }))
            found.emplace_back(copy, original);
        return found;
    }

  private:
    std::vector<StoredClip> clips_;
};

std::vector<float> padded(const std::vector<float>& samples, std::size_t before) {
    std::vector<float> result(before, 0.0f);
    result.insert(result.end(), samples.begin(), samples.end());
    result.resize(result.size() + 7000, 0.0f);
    return result;
}

} // namespace

TEST_CASE("softer, padded, shifted and filtered copies are found", "[unit]") {
    Clips clips;
    const auto original = sound(0);
    clips.add(original);
    auto softer = original;
    for (float& x : softer) x *= 0.5f;
    clips.add(softer);
    clips.add(padded(original, 12345));
    // By half a sample, as resamplers and encoders shift.
    auto between = original;
    for (std::size_t i = 1; i < between.size(); ++i) between[i] = 0.5f * (original[i] + original[i - 1]);
    clips.add(between);
    auto noisy = original; // what a coder adds
    const auto added = test::noise(noisy.size(), 99, 0.02f);
    for (std::size_t i = 0; i < noisy.size(); ++i) noisy[i] += added[i];
    clips.add(noisy);
    auto turned = original;
    for (float& x : turned) x = -x;
    clips.add(turned);
    CHECK(clips.copies() ==
          std::vector<std::pair<std::size_t, std::size_t>>{{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}});
}

TEST_CASE("other recordings of a sound are no copies", "[unit]") {
    Clips clips;
    for (int i = 0; i < 12; ++i) clips.add(sound(i));
    for (unsigned i = 0; i < 6; ++i)
        clips.add(test::noise(std::size_t{rate}, 500 + i, 0.3f)); // steady, alike
    CHECK(clips.copies().empty());
}

TEST_CASE("copies are found among many", "[unit]") {
    Clips clips;
    for (int i = 0; i < 60; ++i) clips.add(sound(i, 0.5));
    auto copy = sound(25, 0.5);
    for (float& x : copy) x *= 0.7f;
    clips.add(padded(copy, 3000));
    CHECK(clips.copies() == std::vector<std::pair<std::size_t, std::size_t>>{{60, 25}});
}
