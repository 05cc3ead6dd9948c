#include "Core/Training/Scenes/SceneMaterial.h"

#include "Core/Base/Error.h"
#include "Core/Training/Data/Augment.h"
#include "Core/Training/Data/ClipRoles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numbers>
#include <utility>

namespace earshot::training {

namespace {

constexpr std::size_t tableLength = std::size_t{1} << 19; // 16 s at 32 kHz
constexpr std::uint64_t tableSeed = 0x6e6f697365;

// The sum of uniform values is close enough to a normal distribution for noise.
float normal(Dice& dice) {
    constexpr int terms = 4;
    float sum = 0.0f;
    for (int i = 0; i < terms; ++i) sum += dice.between(-1.0f, 1.0f);
    return sum;
}

void normalise(std::vector<float>& table) {
    double energy = 0.0;
    for (const float value : table) energy += static_cast<double>(value) * static_cast<double>(value);
    const auto gain = static_cast<float>(1.0 / std::sqrt(energy / static_cast<double>(table.size())));
    for (float& value : table) value *= gain;
}

// Copies samples from a random place on, and wraps around.
void addTable(std::span<float> samples, const std::vector<float>& table, float gain, std::size_t at) {
    while (!samples.empty()) {
        const std::size_t count = std::min(samples.size(), table.size() - at);
        for (std::size_t i = 0; i < count; ++i) samples[i] += gain * table[at + i];
        samples = samples.subspan(count);
        at = 0;
    }
}

// From the direct sound on, cut after a second, of energy 1.
std::vector<float> responseOf(const StoredClip& stored, int sampleRate) {
    constexpr double lead = 0.001; // seconds before the direct sound
    const std::span<const std::int16_t> samples = stored.samples;
    const auto loudest = std::ranges::max_element(samples, {}, [](int value) { return std::abs(value); });
    const auto direct = static_cast<std::size_t>(loudest - samples.begin());
    const std::size_t begin = direct - std::min(direct, static_cast<std::size_t>(lead * sampleRate));
    const std::size_t length = std::min(samples.size() - begin, static_cast<std::size_t>(sampleRate));
    std::vector<float> response(samples.begin() + static_cast<std::ptrdiff_t>(begin),
                                samples.begin() + static_cast<std::ptrdiff_t>(begin + length));
    fadeOut(response, length / 4);
    const auto gain = static_cast<float>(1.0 / std::sqrt(std::max(energyOf(response), 1.0)));
    for (float& value : response) value *= gain;
    return response;
}

} // namespace

SceneMaterial::SceneMaterial(const ClipStore& store, const DataSet& data, Split split,
                             std::vector<int> backgroundClasses)
    : sampleRate_(store.sampleRate())
    , pools_(data.labels.size())
    , backgroundClasses_(std::move(backgroundClasses)) {
    std::map<std::pair<int, std::string>, std::vector<const StoredClip*>> groups;
    std::map<std::string, std::vector<const StoredClip*>> backgrounds;
    for (const auto& stored : store.clips()) {
        const Clip& clip = *stored.clip;
        if (clip.split != split) continue;
        if (clip.kind == ClipKind::room) rooms_.push_back(responseOf(stored, sampleRate_));
        if (clip.kind == ClipKind::background) backgrounds[clip.group].push_back(&stored);
        if (!canBeMixed(stored)) continue;
        groups[{labelOf(clip), clip.group}].push_back(&stored);
    }
    for (auto& [key, clips] : groups) poolOf(key.first).push_back(std::move(clips));
    for (auto& [group, clips] : backgrounds) backgrounds_.push_back(std::move(clips));
    for (int label = 0; label < classes(); ++label)
        if (!pools_[static_cast<std::size_t>(label)].empty()) drawn_.push_back(label);
    if (drawn_.empty())
        throw Error("there are no recordings of a single class to mix scenes of; add some, or label what "
                    "sounds when (file,onset,offset,label)");
}

const StoredClip& SceneMaterial::drawFrom(const Pool& pool, Dice& dice) {
    const auto& group = pool[dice.below(pool.size())];
    return *group[dice.below(group.size())];
}

const StoredClip& SceneMaterial::drawClip(Dice& dice) const {
    return drawClipOf(drawn_[dice.below(drawn_.size())], dice);
}

const StoredClip& SceneMaterial::drawClipOf(int label, Dice& dice) const {
    return drawFrom(pools_[static_cast<std::size_t>(label)], dice);
}

const StoredClip* SceneMaterial::drawDistractor(Dice& dice) const {
    return distractors_.empty() ? nullptr : &drawFrom(distractors_, dice);
}

const StoredClip* SceneMaterial::drawUnlabelled(Dice& dice) const {
    return unlabelled_.empty() ? nullptr : &drawFrom(unlabelled_, dice);
}

SceneMaterial::Pool& SceneMaterial::poolOf(int label) {
    if (label == teacherOnly) return unlabelled_;
    return label == noLabel ? distractors_ : pools_[static_cast<std::size_t>(label)];
}

const StoredClip* SceneMaterial::drawBackground(Dice& dice) const {
    return backgrounds_.empty() ? nullptr : &drawFrom(backgrounds_, dice);
}

std::span<const float> SceneMaterial::drawRoom(Dice& dice) const {
    if (rooms_.empty()) return {};
    return rooms_[dice.below(rooms_.size())];
}

NoiseBed::NoiseBed()
    : white_(tableLength)
    , pink_(tableLength)
    , brown_(tableLength) {
    Dice dice(tableSeed);
    // Pink by P. Kellet's filter (-3 dB an octave), brown by a leaky integrator (-6 dB above some 30 Hz).
    float b0 = 0.0f, b1 = 0.0f, b2 = 0.0f, integral = 0.0f;
    for (std::size_t i = 0; i < tableLength; ++i) {
        const float value = normal(dice);
        white_[i] = value;
        b0 = 0.99765f * b0 + value * 0.0990460f;
        b1 = 0.96300f * b1 + value * 0.2965164f;
        b2 = 0.57000f * b2 + value * 1.0526913f;
        pink_[i] = b0 + b1 + b2 + value * 0.1848f;
        integral = 0.995f * integral + value;
        brown_[i] = integral;
    }
    normalise(white_);
    normalise(pink_);
    normalise(brown_);
}

void NoiseBed::fill(std::span<float> samples, Dice& dice) const {
    std::ranges::fill(samples, 0.0f);
    std::array<float, 3> weights{};
    float energy = 0.0f;
    for (float& weight : weights) {
        const float value = dice.unit();
        weight = value * value * value; // so that one colour mostly prevails
        energy += weight * weight;
    }
    const float scale = 1.0f / std::sqrt(std::max(energy, 1e-6f));
    const std::array tables = {&white_, &pink_, &brown_};
    for (std::size_t i = 0; i < tables.size(); ++i)
        addTable(samples, *tables[i], scale * weights[i], dice.below(tableLength));
}

void NoiseBed::addHum(std::span<float> samples, float rms, int sampleRate, Dice& dice) {
    constexpr int harmonics = 12;
    constexpr std::size_t period = 2048;
    std::array<float, period + 1> wave{};
    const float decay = dice.between(0.3f, 0.9f);
    float amplitude = 1.0f, energy = 0.0f;
    for (int k = 1; k <= harmonics; ++k) {
        const float phase = dice.between(0.0f, 2.0f * std::numbers::pi_v<float>);
        const float own = amplitude * dice.unit();
        energy += 0.5f * own * own;
        for (std::size_t i = 0; i <= period; ++i) {
            const float angle =
                2.0f * std::numbers::pi_v<float> * static_cast<float>(i) / static_cast<float>(period);
            wave[i] += own * std::sin(static_cast<float>(k) * angle + phase);
        }
        amplitude *= decay;
    }
    const float gain = rms / std::sqrt(std::max(energy, 1e-6f));
    const float hertz = dice.chance(0.5f) ? 50.0f : 60.0f;
    const float step = hertz / static_cast<float>(sampleRate) * static_cast<float>(period);
    float at = 0.0f;
    for (float& sample : samples) {
        const auto index = static_cast<std::size_t>(at);
        const float x = at - static_cast<float>(index);
        sample += gain * (wave[index] + x * (wave[index + 1] - wave[index]));
        at += step;
        if (at >= static_cast<float>(period)) at -= static_cast<float>(period);
    }
}

} // namespace earshot::training
