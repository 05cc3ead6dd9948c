#include "VampPlugin.h"

#include <vamp-sdk/PluginAdapter.h>
#include <vamp/vamp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <exception>
#include <iostream>

namespace earshot::vamp {

namespace {

enum Output { eventsOutput, activationsOutput, strongestOutput };

void complain(const std::string& message) { std::cerr << "earshot (Vamp): " << message << '\n'; }

// What work() returns, or what `otherwise` is if memory ends: hosts are not made for exceptions.
template <typename Value, typename Work>
Value withoutExceptions(Value otherwise, const Work& work) {
    try {
        return work();
    } catch (const std::exception& error) {
        complain(error.what());
        return otherwise;
    }
}

std::vector<std::string> labelsOf(const earshot_model* model) {
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < earshot_model_class_count(model); ++i)
        labels.emplace_back(earshot_model_label(model, static_cast<std::int32_t>(i)));
    return labels;
}

Vamp::Plugin::ParameterDescriptor parameter(const char* identifier, const char* name, const char* description,
                                            float most) {
    Vamp::Plugin::ParameterDescriptor made;
    made.identifier = identifier;
    made.name = name;
    made.description = description;
    made.maxValue = most;
    return made;
}

// Probabilities at columns of the model.
Vamp::Plugin::OutputDescriptor columnOutput(const char* identifier, const char* name, const char* description,
                                            const earshot_model* model) {
    Vamp::Plugin::OutputDescriptor made;
    made.identifier = identifier;
    made.name = name;
    made.description = description;
    made.hasFixedBinCount = true;
    made.binCount = 1;
    made.hasKnownExtents = true;
    made.maxValue = 1.0f;
    made.sampleType = Vamp::Plugin::OutputDescriptor::FixedSampleRate;
    made.sampleRate = model != nullptr ? static_cast<float>(1.0 / earshot_model_step(model)) : 1.0f;
    return made;
}

// Hosts draw events of one value in one row, so that is the number of the class.
Vamp::Plugin::OutputDescriptor eventOutput(const earshot_model* model) {
    auto made =
        columnOutput("events", "Sound Events",
                     "Each sound from its onset to its offset; the value is the number of its class", model);
    made.sampleType = Vamp::Plugin::OutputDescriptor::VariableSampleRate;
    made.sampleRate = 0.0f; // times have no grid
    made.maxValue = static_cast<float>(earshot_model_class_count(model));
    made.isQuantized = true;
    made.quantizeStep = 1.0f;
    made.hasDuration = true;
    return made;
}

Vamp::Plugin::Feature featureOf(const Vamp::RealTime& time, std::vector<float> values, std::string label) {
    Vamp::Plugin::Feature feature;
    feature.hasTimestamp = true;
    feature.timestamp = time;
    feature.values = std::move(values);
    feature.label = std::move(label);
    return feature;
}

} // namespace

VampPlugin::VampPlugin(float rate)
    : Plugin(rate) {}

const earshot_model* VampPlugin::model() const {
    if (model_ == nullptr) model_ = sharedModel(program_);
    return model_.get();
}

VampPlugin::ParameterList VampPlugin::getParameterDescriptors() const {
    return withoutExceptions(ParameterList(), [this] {
        auto threshold =
            parameter("threshold", "Threshold",
                      "The probability from which a sound counts; 0: the model's own for each sound", 1.0f);
        auto shortest = parameter("shortest", "Shortest event", "Shorter events are left out", 10.0f);
        shortest.unit = "s";
        auto names = labelsOf(model());
        auto only =
            parameter("class", "Class", "The sound to report: all, or one", static_cast<float>(names.size()));
        only.isQuantized = true;
        only.quantizeStep = 1.0f;
        only.valueNames = std::move(names);
        only.valueNames.insert(only.valueNames.begin(), "All");
        return ParameterList{threshold, shortest, only};
    });
}

float VampPlugin::getParameter(std::string identifier) const {
    if (identifier == "threshold") return threshold_;
    if (identifier == "shortest") return shortest_;
    return identifier == "class" ? only_ : 0.0f;
}

void VampPlugin::setParameter(std::string identifier, float value) {
    if (!std::isfinite(value)) return;
    if (identifier == "threshold") threshold_ = std::clamp(value, 0.0f, 1.0f);
    if (identifier == "shortest") shortest_ = std::clamp(value, 0.0f, 10.0f);
    if (identifier == "class") only_ = std::max(0.0f, std::round(value));
}

// Before initialise(), as Vamp says.
void VampPlugin::selectProgram(std::string name) {
    if (name == program_) return;
    program_ = std::move(name);
    model_.reset();
}

VampPlugin::OutputList VampPlugin::getOutputDescriptors() const {
    return withoutExceptions(OutputList(), [this] {
        const auto* known = model();
        auto activations =
            columnOutput("activations", "Activations", "The probability of each class over time", known);
        activations.binNames = labelsOf(known);
        activations.binCount = activations.binNames.size();
        auto strongest = columnOutput("strongest", "Strongest Class",
                                      "The likeliest class over time, with its probability", known);
        return OutputList{eventOutput(known), activations, strongest};
    });
}

VampPlugin::Stream VampPlugin::openStream() const {
    Stream stream(nullptr, earshot_stream_close);
    std::vector<std::uint8_t> reported(earshot_model_class_count(model()), only_ == 0.0f ? 1 : 0);
    const auto only = static_cast<std::size_t>(only_);
    if (only > reported.size()) return complain("the model has no class of that number"), std::move(stream);
    if (only > 0) reported[only - 1] = 1;
    earshot_rules rules = EARSHOT_RULES_INIT;
    if (threshold_ > 0.0f) rules.threshold = static_cast<double>(threshold_);
    rules.min_duration = static_cast<double>(shortest_);
    rules.reported = reported.data();
    earshot_analysis analysis = EARSHOT_ANALYSIS_INIT;
    analysis.rules = &rules;
    analysis.keep_activations = 1;
    earshot_stream* opened = nullptr;
    if (earshot_stream_open(model(), static_cast<double>(m_inputSampleRate),
                            static_cast<std::int32_t>(channels_), &analysis, &opened) != EARSHOT_OK)
        complain(earshot_last_error());
    stream.reset(opened);
    return stream;
}

bool VampPlugin::initialise(std::size_t channels, std::size_t step, std::size_t block) {
    return withoutExceptions(false, [=, this] {
        if (channels < getMinChannelCount() || channels > getMaxChannelCount() || model() == nullptr)
            return false;
        if (step == 0 || step > block)
            return complain("the step must be from 1 to the size of a block"), false;
        channels_ = channels;
        step_ = step;
        block_ = block;
        reset();
        return stream_ != nullptr;
    });
}

void VampPlugin::reset() {
    stream_ = withoutExceptions(Stream(nullptr, earshot_stream_close), [this] { return openStream(); });
    origin_.reset();
    held_.assign(channels_, {});
}

void VampPlugin::push(const float* const* planes, std::size_t frames) {
    if (earshot_stream_push_planar(stream_.get(), planes, frames) == EARSHOT_OK) return;
    complain(earshot_last_error());
    stream_.reset();
}

void VampPlugin::pushHeld(std::size_t frames) {
    std::vector<const float*> planes;
    for (const auto& plane : held_) planes.push_back(plane.data());
    if (frames > 0) push(planes.data(), frames);
}

// How many frames of the held block are audio.
std::size_t VampPlugin::heldAudio() const {
    std::size_t frames = 0;
    for (const auto& plane : held_) {
        const auto last =
            std::find_if(plane.rbegin(), plane.rend(), [](float sample) { return sample != 0.0f; });
        frames = std::max(frames, static_cast<std::size_t>(plane.rend() - last));
    }
    return frames;
}

Vamp::RealTime VampPlugin::timeOf(double seconds) const {
    return origin_.value_or(Vamp::RealTime::zeroTime) + Vamp::RealTime::fromSeconds(seconds);
}

void VampPlugin::takeEvents(FeatureSet& features) const {
    std::array<earshot_event, 64> events;
    for (std::size_t count = events.size(); count == events.size();) {
        if (earshot_stream_poll_events(stream_.get(), events.data(), events.size(), &count) != EARSHOT_OK)
            return;
        for (std::size_t i = 0; i < count; ++i) {
            const auto index = events[i].class_index;
            auto feature = featureOf(timeOf(events[i].onset), {static_cast<float>(index)},
                                     earshot_model_label(model(), index));
            feature.hasDuration = true;
            feature.duration = Vamp::RealTime::fromSeconds(events[i].offset - events[i].onset);
            features[eventsOutput].push_back(std::move(feature));
        }
    }
}

void VampPlugin::takeColumns(FeatureSet& features) const {
    std::vector<float> column(earshot_model_class_count(model()));
    std::size_t count = 0;
    std::uint64_t first = 0;
    while (earshot_stream_poll_activations(stream_.get(), column.data(), 1, &count, &first) == EARSHOT_OK &&
           count == 1) {
        const auto time = timeOf(static_cast<double>(first) * earshot_model_step(model()));
        const auto strongest = std::ranges::max_element(column);
        const auto index = static_cast<std::int32_t>(strongest - column.begin());
        features[strongestOutput].push_back(
            featureOf(time, {*strongest}, earshot_model_label(model(), index)));
        features[activationsOutput].push_back(featureOf(time, column, {}));
    }
}

VampPlugin::FeatureSet VampPlugin::take() const {
    FeatureSet features;
    if (stream_ == nullptr) return features;
    takeEvents(features);
    takeColumns(features);
    return features;
}

VampPlugin::FeatureSet VampPlugin::process(const float* const* blocks, Vamp::RealTime timestamp) {
    return withoutExceptions(FeatureSet(), [&] {
        if (stream_ == nullptr) return FeatureSet();
        if (!origin_)
            origin_ = timestamp;
        else
            pushHeld(step_);
        for (std::size_t channel = 0; channel < channels_; ++channel)
            held_[channel].assign(blocks[channel], blocks[channel] + block_);
        return take();
    });
}

VampPlugin::FeatureSet VampPlugin::getRemainingFeatures() {
    return withoutExceptions(FeatureSet(), [this] {
        if (stream_ == nullptr) return FeatureSet();
        pushHeld(heldAudio());
        if (stream_ != nullptr && earshot_stream_finish(stream_.get()) != EARSHOT_OK)
            complain(earshot_last_error());
        auto features = take();
        stream_.reset(); // reset() opens another one
        return features;
    });
}

} // namespace earshot::vamp

// What hosts look up.
[[gnu::visibility("default")]] const VampPluginDescriptor* vampGetPluginDescriptor(unsigned int version,
                                                                                   unsigned int index) {
    static Vamp::PluginAdapter<earshot::vamp::VampPlugin> adapter;
    return version >= 1 && index == 0 ? adapter.getDescriptor() : nullptr;
}
