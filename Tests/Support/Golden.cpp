#include "Support/Golden.h"

#include "Core/Audio/AudioFile.h"
#include "Support/Paths.h"

#include <cmath>
#include <stdexcept>

namespace earshot::test {

namespace {

// A NaN wins, unlike with std::max.
double larger(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

} // namespace

Golden::Golden(const std::string& fileName)
    : file_(model::Checkpoint::open(goldenDirectory() / fileName)) {}

std::vector<float> Golden::values(const std::string& tensor) {
    const auto stored = file_->read(tensor);
    return {stored.values().begin(), stored.values().end()};
}

Golden::Thinned Golden::expected(const std::string& tensor, std::size_t wholeSize) {
    const auto step = file_->metadata().find("step." + tensor);
    const auto stored = file_->read(tensor);
    const Thinned golden{.values = {stored.values().begin(), stored.values().end()},
                         .step = step == file_->metadata().end() ? 1 : std::stoul(step->second)};
    if (golden.values.empty() || golden.values.size() != (wholeSize + golden.step - 1) / golden.step)
        throw std::runtime_error(tensor + ": " + std::to_string(wholeSize) + " values, golden has " +
                                 std::to_string(golden.values.size()) + " at a step of " +
                                 std::to_string(golden.step));
    return golden;
}

double Golden::absoluteDifference(const std::string& tensor, std::span<const float> values) {
    const auto golden = expected(tensor, values.size());
    double difference = 0.0;
    for (std::size_t i = 0; i < golden.values.size(); ++i)
        difference =
            larger(std::abs(static_cast<double>(values[i * golden.step]) - golden.values[i]), difference);
    return difference;
}

double Golden::relativeDifference(const std::string& tensor, std::span<const float> values) {
    const auto golden = expected(tensor, values.size());
    double scale = 0.0;
    for (const float value : golden.values) scale = larger(std::abs(value), scale);
    return absoluteDifference(tensor, values) / scale;
}

std::vector<float> loadClip(const std::string& fileName) {
    audio::AudioFile file(goldenDirectory() / fileName);
    std::vector<float> clip;
    std::vector<float> block(16384);
    for (std::size_t count = file.read(block); count > 0; count = file.read(block))
        clip.insert(clip.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(count));
    return clip;
}

} // namespace earshot::test
