#include "Core/Training/Scenes/SceneRenderer.h"

#include "Core/Training/Data/ClipRoles.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace earshot::training {

namespace {

// When a background could be taken for a sound: it is not far below the events, and audible.
constexpr float heardBelowEvents = 20.0f; // dB
constexpr float heardAlone = -60.0f;      // dB full scale

constexpr double longSound = 1.5;       // seconds from which a part may be used
constexpr double minPart = 1.0;         // seconds
constexpr double maxLead = 0.05;        // seconds of a clip before its sound
constexpr double maxTail = 0.3;         // and behind it
constexpr double maxFade = 0.08;        // seconds, where a sound is cut
constexpr double minVisible = 0.3;      // seconds of an event that must lie within the scene
constexpr float minShareOfLate = 0.04f; // and of one that begins in the last second
constexpr float maxGap = 1.5f;          // seconds between repetitions
constexpr float repeatSpread = 3.0f;    // dB between them
constexpr float layerSpread = 6.0f;     // dB between two layered recordings
constexpr double crossFade = 0.1;       // seconds between repetitions of a background
constexpr float minWet = 0.3f;          // of a sound in a recorded room
constexpr float hardestPeak = 0.99f;
constexpr float silentRms = 1e-9f;

float gainOf(float decibels) { return std::pow(10.0f, 0.05f * decibels); }

void limitPeak(std::span<float> samples) {
    const float peak = peakOf(samples);
    if (peak > hardestPeak)
        for (float& sample : samples) sample *= hardestPeak / peak;
}

} // namespace

SceneRenderer::SceneRenderer(const SceneMaterial& material, const SceneSettings& settings,
                             std::int64_t windowSamples, bool augmented, const TeacherTable* teacher)
    : material_(material)
    , settings_(settings)
    , windowSamples_(windowSamples)
    , augmented_(augmented)
    , teacher_(augmented ? teacher : nullptr) // scores are of the labels alone
    , varied_(augmented) {}

std::int64_t SceneRenderer::samplesOf(double seconds) const {
    return std::llround(seconds * material_.sampleRate());
}

void SceneRenderer::render(Dice& dice, std::int64_t length, RenderedScene& scene) {
    scene.samples.resize(static_cast<std::size_t>(length));
    scene.soundings.clear();
    scene.clean = augmented_ && settings_.cleanShare > 0.0f && dice.chance(settings_.cleanShare);
    varied_ = augmented_ && !scene.clean;
    if (scene.clean) return renderClean(dice, scene);
    const int events = eventCount(dice, length);
    const StoredClip* distractor =
        dice.chance(settings_.distractorShare) ? material_.drawDistractor(dice) : nullptr;
    const float loudest = dice.between(settings_.quietestEvent, settings_.loudestEvent);

    const float background = backgroundLevel(dice, events > 0, loudest);
    scene.backgroundHeard =
        background > (events > 0 ? std::max(heardAlone, loudest - heardBelowEvents) : heardAlone);
    addBackground(dice, background, scene);

    const auto lower = [&] { return loudest - dice.between(0.0f, settings_.levelSpread); };
    for (int i = 0; i < events; ++i) {
        const float level = i == 0 ? loudest : lower();
        addEvent(dice, drawSound(dice), level, scene);
    }
    if (distractor != nullptr) addEvent(dice, *distractor, lower(), scene);
    finish(dice, scene);
}

// Of a class, or one that the teacher names.
const StoredClip& SceneRenderer::drawSound(Dice& dice) const {
    const bool canAsk = teacher_ != nullptr && settings_.unlabelledShare > 0.0f && material_.hasUnlabelled();
    return canAsk && dice.chance(settings_.unlabelledShare) ? *material_.drawUnlabelled(dice)
                                                            : material_.drawClip(dice);
}

// The whole recording of one sound in silence; the middle of one that is longer than the scene. A recording
// of less than a second is at the beginning, as a file of its own is, or repeated until the scene ends.
void SceneRenderer::renderClean(Dice& dice, RenderedScene& scene) {
    const auto length = static_cast<std::int64_t>(scene.samples.size());
    scene.backgroundHeard = false;
    std::ranges::fill(scene.samples, 0.0f);
    const StoredClip& clip = drawSound(dice);
    const int label = labelOf(*clip.clip);
    const auto size = static_cast<std::int64_t>(clip.samples.size());
    teachers_ = {teacherOf(clip), nullptr};
    renderSound(dice, clip, size > length ? choosePart(dice, clip, length) : Part{.first = 0, .last = size});
    const float rms = activeRms();
    if (!(rms > silentRms)) return;
    const float gain = gainOf(dice.between(settings_.quietestEvent, settings_.loudestEvent)) / rms;
    const bool isShort = size < samplesOf(minPart);
    if (isShort && dice.chance(0.5f))
        for (std::int64_t onset = 0; onset < length; onset += size) place(onset, gain, label, scene);
    else
        place(isShort || size >= length ? 0 : dice.from(0, static_cast<int>(length - size)), gain, label,
              scene);
    limitPeak(scene.samples);
}

const TeacherRow* SceneRenderer::teacherOf(const StoredClip& clip) const {
    return teacher_ == nullptr ? nullptr : teacher_->find(*clip.clip);
}

// Longer scenes are as dense as a window.
int SceneRenderer::eventCount(Dice& dice, std::int64_t length) const {
    const bool empty = dice.chance(settings_.emptyShare);
    const auto windows = std::max<std::int64_t>(1, (length + windowSamples_ / 2) / windowSamples_);
    int count = 0;
    for (std::int64_t i = 0; i < windows; ++i) count += dice.from(1, std::max(1, settings_.maxEvents));
    return empty || settings_.maxEvents < 1 ? 0 : count;
}

// In dB; far below hearing if there is none.
float SceneRenderer::backgroundLevel(Dice& dice, bool anyEvent, float loudest) const {
    const float low = settings_.quietestBackground, high = settings_.loudestBackground;
    const float alone = dice.between(low, high);
    const float below = loudest - dice.between(settings_.minSnr, settings_.maxSnr);
    if (dice.chance(settings_.noBackgroundShare)) return -200.0f;
    return anyEvent ? std::clamp(below, low, high) : alone;
}

void SceneRenderer::addBackground(Dice& dice, float level, RenderedScene& scene) {
    if (level <= -200.0f) {
        std::ranges::fill(scene.samples, 0.0f);
        return;
    }
    const float gain = gainOf(level);
    const bool recorded = material_.hasBackgrounds() && dice.chance(settings_.recordedShare) &&
                          fillRecorded(dice, scene.samples);
    if (!recorded) material_.noise().fill(scene.samples, dice);
    for (float& sample : scene.samples) sample *= gain;
    if (dice.chance(settings_.humShare))
        NoiseBed::addHum(scene.samples, gain * gainOf(dice.between(-6.0f, 6.0f)), material_.sampleRate(),
                         dice);
}

// Sets `samples` to a recording from a random place on, repeated with cross-fades, with an RMS of 1. Returns
// false if the recording is silent there.
bool SceneRenderer::fillRecorded(Dice& dice, std::span<float> samples) {
    const StoredClip& clip = *material_.drawBackground(dice);
    const bool changed = augmented_ && dice.chance(settings_.speedShare);
    const double speed =
        changed ? static_cast<double>(dice.betweenOctaves(settings_.slowest, settings_.fastest)) : 1.0;
    // Of a long recording no more is rendered than is heard.
    const auto whole = static_cast<std::int64_t>(clip.samples.size());
    const auto heard = static_cast<std::int64_t>(samples.size()) + samplesOf(crossFade);
    const auto needed = std::llround(static_cast<double>(heard) * speed) + 1;
    const bool isLong = whole > needed;
    const auto first =
        isLong ? static_cast<std::int64_t>(dice.below(static_cast<std::size_t>(whole - needed))) : 0;
    sound_.clear();
    appendAtSpeed(clip.samples, first, isLong ? first + needed : whole, speed, sound_);
    if (augmented_) colour(dice);
    const auto fade = std::min(static_cast<std::size_t>(samplesOf(crossFade)), sound_.size() / 3);
    const auto gain = [fade](std::size_t i) {
        return i >= fade ? 1.0f : std::sqrt(static_cast<float>(i + 1) / static_cast<float>(fade + 1));
    };
    std::ranges::fill(samples, 0.0f);
    std::size_t at = isLong ? 0 : dice.below(sound_.size() - fade);
    for (std::size_t begin = 0;;) {
        const std::size_t length = sound_.size() - at;
        const std::size_t count = std::min(length, samples.size() - begin);
        for (std::size_t i = 0; i < count; ++i)
            samples[begin + i] += (begin == 0 ? 1.0f : gain(i)) * gain(length - 1 - i) * sound_[at + i];
        if (count < length || begin + count == samples.size()) break;
        begin += length - fade;
        at = 0;
    }
    const auto rms = static_cast<float>(std::sqrt(energyOf(samples) / static_cast<double>(samples.size())));
    if (!(rms > silentRms)) return false;
    for (float& sample : samples) sample /= rms;
    return true;
}

void SceneRenderer::addEvent(Dice& dice, const StoredClip& clip, float level, RenderedScene& scene) {
    const auto length = static_cast<std::int64_t>(scene.samples.size());
    const int label = labelOf(*clip.clip);
    teachers_ = {teacherOf(clip), nullptr};
    renderSound(dice, clip, choosePart(dice, clip, length));
    if (augmented_ && label >= 0 && settings_.layerShare > 0.0f && dice.chance(settings_.layerShare))
        layer(dice, label, length);
    const float rms = activeRms();
    if (!(rms > silentRms)) return; // too quiet to be heard
    const float gain = (dice.chance(0.5f) ? 1.0f : -1.0f) * gainOf(level) / rms;

    const auto duration = static_cast<std::int64_t>(sound_.size());
    const bool repeats = active_.back().last - active_.front().first < samplesOf(longSound) &&
                         dice.chance(settings_.repeatShare);
    const int times = repeats ? dice.from(2, 4) : 1;
    std::int64_t onsets[4] = {};
    for (int i = 1; i < times; ++i)
        onsets[i] = onsets[i - 1] + duration + samplesOf(static_cast<double>(maxGap * dice.unit()));
    const auto begin = chooseOnset(dice, onsets[times - 1] + duration, length);
    for (int i = 0; i < times; ++i) {
        const float jitter = i == 0 ? 1.0f : gainOf(-repeatSpread * dice.unit());
        place(begin + onsets[i], gain * jitter, label, scene);
    }
}

SceneRenderer::Part SceneRenderer::choosePart(Dice& dice, const StoredClip& clip, std::int64_t length) const {
    const auto size = static_cast<std::int64_t>(clip.samples.size());
    const auto begin = clip.activity.front().first, end = clip.activity.back().last;
    const auto range = end - begin;
    Part part{.first = begin - samplesOf(maxLead * static_cast<double>(dice.unit())),
              .last = end + samplesOf(maxTail * static_cast<double>(dice.unit()))};
    if (range > length || (range > samplesOf(longSound) && dice.chance(settings_.partShare))) {
        // Chooses a place around a sounding part.
        const auto& stretch = clip.activity[dice.below(clip.activity.size())];
        const auto anchor =
            stretch.first +
            static_cast<std::int64_t>(dice.unit() * static_cast<float>(stretch.last - stretch.first));
        const auto longest = std::min(range, length);
        const auto shortest = std::min(samplesOf(minPart), longest);
        const auto wanted =
            shortest + static_cast<std::int64_t>(dice.unit() * static_cast<float>(longest - shortest));
        const auto first =
            std::clamp(anchor - static_cast<std::int64_t>(dice.unit() * static_cast<float>(wanted)), begin,
                       end - wanted);
        part.cutAtFirst = first > begin;
        part.cutAtLast = first + wanted < end;
        if (part.cutAtFirst) part.first = first;
        if (part.cutAtLast) part.last = first + wanted;
    }
    part.first = std::max<std::int64_t>(part.first, 0);
    part.last = std::min(part.last, size);
    return part;
}

// Sets sound_ and active_.
void SceneRenderer::renderSound(Dice& dice, const StoredClip& clip, const Part& part) {
    const bool changed = varied_ && dice.chance(settings_.speedShare);
    const double speed =
        changed ? static_cast<double>(dice.betweenOctaves(settings_.slowest, settings_.fastest)) : 1.0;
    sound_.clear();
    appendAtSpeed(clip.samples, part.first, part.last, speed, sound_);
    const auto size = static_cast<std::int64_t>(sound_.size());
    active_.clear();
    for (const auto& stretch : clip.activity) {
        const auto first = std::max(stretch.first, part.first), last = std::min(stretch.last, part.last);
        if (first >= last) continue;
        const auto scaled = [&](std::int64_t at) {
            return std::min(size, static_cast<std::int64_t>(static_cast<double>(at - part.first) / speed));
        };
        if (scaled(first) < scaled(last)) active_.push_back({scaled(first), scaled(last)});
    }
    if (active_.empty()) return;
    const auto fade = [&](bool cut) {
        const double seconds = cut ? 0.005 + maxFade * static_cast<double>(dice.unit()) : 0.002;
        return static_cast<std::size_t>(samplesOf(seconds));
    };
    fadeIn(sound_, fade(part.cutAtFirst));
    // The clip fades out after the sound.
    const auto behind = static_cast<std::size_t>(size - active_.back().last);
    fadeOut(sound_, std::max(behind, fade(part.cutAtLast)));
    if (varied_) colour(dice);
}

// Layers another recording of the class over sound_ where it sounds. The result is a new source.
void SceneRenderer::layer(Dice& dice, int label, std::int64_t length) {
    const float underRms = activeRms();
    if (!(underRms > silentRms)) return;
    std::swap(sound_, under_);
    std::swap(active_, underActive_);
    const StoredClip& other = material_.drawClipOf(label, dice);
    renderSound(dice, other, choosePart(dice, other, length));
    const float level = dice.between(-layerSpread, layerSpread);
    const float position = dice.unit();
    if (const float rms = activeRms(); rms > silentRms) {
        teachers_[1] = teacherOf(other);
        const float gain = gainOf(level) * underRms / rms;
        const auto begin = underActive_.front().first, end = underActive_.back().last;
        const auto at = begin + static_cast<std::int64_t>(position * static_cast<float>(end - begin)) -
                        active_.front().first;
        // samples of its lead that would begin before under_
        const auto skipped = std::max<std::int64_t>(0, -at);
        const auto added = std::span(sound_).subspan(static_cast<std::size_t>(skipped));
        const auto first = static_cast<std::size_t>(at + skipped);
        under_.resize(std::max(under_.size(), first + added.size()), 0.0f);
        for (std::size_t i = 0; i < added.size(); ++i) under_[first + i] += gain * added[i];
        for (const auto& stretch : active_) underActive_.push_back({stretch.first + at, stretch.last + at});
        underActive_ = merged(std::move(underActive_), 0);
    }
    std::swap(sound_, under_);
    std::swap(active_, underActive_);
}

void SceneRenderer::colour(Dice& dice) {
    const double rate = material_.sampleRate();
    if (dice.chance(settings_.tiltShare))
        tilt(sound_, static_cast<double>(dice.betweenOctaves(300.0f, 4000.0f)),
             static_cast<double>(dice.between(-settings_.tiltRange, settings_.tiltRange)), rate);
    if (dice.chance(settings_.lowPassShare)) {
        const auto cut = static_cast<double>(dice.betweenOctaves(settings_.minCut, settings_.maxCut));
        lowPass(sound_, cut, dice.from(1, 5), rate);
    }
    if (dice.chance(settings_.reverbShare)) {
        if (material_.hasRooms() && dice.chance(settings_.roomShare)) {
            const auto room = material_.drawRoom(dice);
            sound_.resize(sound_.size() + room.size() / 2, 0.0f);
            convolver_.process(sound_, room, dice.between(minWet, 1.0f));
            return;
        }
        Reverb::Room room;
        room.size = static_cast<double>(dice.between(0.5f, 1.6f));
        room.seconds = static_cast<double>(dice.betweenOctaves(0.15f, 0.9f));
        room.wet = dice.between(0.1f, 0.6f);
        sound_.resize(sound_.size() + static_cast<std::size_t>(samplesOf(0.5 * room.seconds)), 0.0f);
        reverb_.process(sound_, room, rate);
    }
}

float SceneRenderer::activeRms() const {
    double energy = 0.0;
    std::int64_t count = 0;
    for (const auto& [first, last] : active_) {
        energy += energyOf(std::span(sound_).subspan(static_cast<std::size_t>(first),
                                                     static_cast<std::size_t>(last - first)));
        count += last - first;
    }
    return count == 0 ? 0.0f : static_cast<float>(std::sqrt(energy / static_cast<double>(count)));
}

std::int64_t SceneRenderer::chooseOnset(Dice& dice, std::int64_t total, std::int64_t length) const {
    if (augmented_ && settings_.lateShare > 0.0f && dice.chance(settings_.lateShare))
        return length - active_.front().first -
               samplesOf(static_cast<double>(dice.between(minShareOfLate, 1.0f)));
    const bool fits = total <= length;
    const bool overEdge = dice.chance(settings_.edgeShare);
    const auto visible = std::min(samplesOf(minVisible), total / 2);
    const auto earliest = fits && !overEdge ? 0 : visible - total;
    const auto latest = fits && !overEdge ? length - total : length - visible;
    return earliest + static_cast<std::int64_t>(dice.unit() * static_cast<float>(latest - earliest));
}

void SceneRenderer::place(std::int64_t onset, float gain, int label, RenderedScene& scene) const {
    const auto length = static_cast<std::int64_t>(scene.samples.size());
    const auto first = std::max<std::int64_t>(onset, 0);
    const auto last = std::min(onset + static_cast<std::int64_t>(sound_.size()), length);
    if (first >= last) return;
    const auto out = std::span(scene.samples).subspan(static_cast<std::size_t>(first));
    const auto in = std::span(sound_).subspan(static_cast<std::size_t>(first - onset));
    const auto count = static_cast<std::size_t>(last - first);
    for (std::size_t i = 0; i < count; ++i) out[i] += gain * in[i];
    if (label < 0 && teachers_[0] == nullptr) return;
    for (const auto& stretch : active_) {
        const Activity visible{std::max<std::int64_t>(stretch.first + onset, 0),
                               std::min(stretch.last + onset, length)};
        if (visible.first < visible.last) scene.soundings.push_back({visible, label, teachers_});
    }
}

void SceneRenderer::finish(Dice& dice, RenderedScene& scene) const {
    if (augmented_ && dice.chance(settings_.sceneLowPassShare)) {
        const auto cut = static_cast<double>(dice.betweenOctaves(settings_.minCut, settings_.maxCut));
        lowPass(scene.samples, cut, dice.from(1, 3), material_.sampleRate());
    }
    if (augmented_ && dice.chance(settings_.cutOffShare)) {
        const auto length = static_cast<std::int64_t>(scene.samples.size());
        const auto end = static_cast<std::int64_t>(static_cast<float>(length) * dice.between(0.1f, 0.95f));
        std::fill(scene.samples.begin() + end, scene.samples.end(), 0.0f);
        for (auto& sounding : scene.soundings) sounding.span.last = std::min(sounding.span.last, end);
        std::erase_if(scene.soundings, [](const Sounding& s) { return s.span.first >= s.span.last; });
    }
    limitPeak(scene.samples);
}

} // namespace earshot::training
