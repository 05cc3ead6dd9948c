#include "Core/Teaching/TaughtModel.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Detection/Events/Boxes.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Model/Network/EventHead.h"
#include "Core/Model/Network/Head.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Model/Reading/ConfigReader.h"
#include "Core/Training/Network/ModelMetadata.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace earshot::teaching {

namespace {

constexpr const char* key = "earshot.taught";
constexpr const char* separator = "; "; // between licences

// A row as the head reads it becomes one as the checkpoint stores it: TSCAM's kernel is (C, rows, 3) there.
std::vector<float> storedRow(const ClassRow& row, const model::Config& config) {
    if (config.head != model::HeadKind::tscam) return row.weights;
    const auto channels = static_cast<std::size_t>(config.latentDim());
    const std::size_t positions = row.weights.size() / channels;
    std::vector<float> stored(row.weights.size());
    for (std::size_t position = 0; position < positions; ++position)
        for (std::size_t channel = 0; channel < channels; ++channel)
            stored[channel * positions + position] = row.weights[position * channels + channel];
    return stored;
}

std::string licenceOfBoth(const std::string& model, const std::string& examples) {
    const auto taught = "taught sounds: " + examples;
    return model.empty() ? taught : model + separator + taught;
}

// Without what a lesson added.
std::string licenceBefore(const std::string& licence) {
    if (licence.starts_with("taught sounds: ")) return {};
    return licence.substr(0, licence.find(std::string(separator) + "taught sounds: "));
}

} // namespace

std::optional<TaughtNote> TaughtNote::read(const std::map<std::string, std::string>& metadata,
                                           const std::filesystem::path& file) {
    const auto found = metadata.find(key);
    if (found == metadata.end()) return std::nullopt;
    const auto object = nlohmann::json::parse(found->second, nullptr, false);
    const auto text = [&](const char* name) {
        const auto value = object.find(name);
        return value != object.end() && value->is_string() ? value->get<std::string>() : std::string();
    };
    TaughtNote note;
    if (object.is_object() && object.contains("classes") && object["classes"].is_number_integer())
        note.classes = object["classes"].get<int>();
    if (note.classes <= 0)
        throw Error(
            fmt::format("{}: {} does not say how many classes the model had", displayName(file), key));
    note.model = text("model");
    note.examples = text("examples");
    return note;
}

std::string TaughtNote::metadata() const {
    const nlohmann::json object = {{"classes", classes}, {"model", model}, {"examples", examples}};
    return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

TeachableModel::TeachableModel(const std::filesystem::path& file)
    : name_(file.stem().string()) {
    const auto checkpoint = model::Checkpoint::open(file);
    const auto found = model::readLayout(*checkpoint);
    if (found.config.head == model::HeadKind::pooled)
        throw Error(fmt::format("{}: has a head that is no good for teaching: it reads whole windows; choose "
                                "another model, such as the one that came with Earshot",
                                displayName(file)));
    metadata_ = checkpoint->metadata();
    const auto labels = detection::Labels::read(metadata_, file, found.config.classes);
    licence_ = licenceBefore(labels.licence());
    boxes_ = labels.boxes();
    auto config = found.config;
    if (const auto note = TaughtNote::read(metadata_, file)) {
        if (note->classes > found.config.classes)
            throw Error(fmt::format("{}: {} says that the model had {} classes, and it has {}",
                                    displayName(file), key, note->classes, found.config.classes));
        config.classes = note->classes;
        if (!note->model.empty()) name_ = note->model;
    }
    for (int c = 0; c < config.classes; ++c) {
        names_.push_back(labels.name(c));
        thresholds_.push_back(labels.threshold(c));
    }
    layout_ = std::make_unique<const training::ParameterLayout>(config);
    values_.resize(layout_->size(), 0.0f);
    statistics_ = training::readParameters(*checkpoint, found.prefix, *layout_, false, values_);
    std::vector<int> known(static_cast<std::size_t>(config.classes));
    std::iota(known.begin(), known.end(), 0);
    training::readHead(*checkpoint, found.prefix, *layout_, found.config.classes, known, values_);
    storage_ = training::Storage::float32;
    for (const training::Parameter& parameter : layout_->parameters())
        if (parameter.ofClasses() && parameter.role == model::TensorRole::matrix &&
            checkpoint->tensors().at(found.prefix + parameter.name).dtype == model::DType::float16)
            storage_ = training::Storage::float16;
    if (const auto filters = found.prefix + "logmel_extractor.melW"; checkpoint->contains(filters)) {
        const auto matrix = checkpoint->read(filters);
        melFilters_.assign(matrix.values().begin(), matrix.values().end());
    }
}

void TeachableModel::write(const std::filesystem::path& file, std::span<const TaughtSound> sounds,
                           const std::string& licence, const std::string& examples) const {
    auto config = layout_->config();
    const auto own = static_cast<std::size_t>(config.classes);
    config.classes += static_cast<int>(sounds.size());
    const training::ParameterLayout layout(config);
    std::vector<float> values(layout.size(), 0.0f);
    for (const training::Parameter& parameter : layout.parameters()) {
        const training::Parameter& before = layout_->find(parameter.name);
        const auto to = values.begin() + static_cast<std::ptrdiff_t>(parameter.offset);
        std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(before.offset), before.size, to);
        if (!parameter.ofClasses()) continue;
        const std::size_t size = before.size / own; // of a class
        for (std::size_t i = 0; i < sounds.size(); ++i) {
            const auto place = to + static_cast<std::ptrdiff_t>((own + i) * size);
            if (parameter.role == model::TensorRole::bias) {
                *place = sounds[i].row.bias;
                continue;
            }
            const auto row = storedRow(sounds[i].row, config);
            assert(row.size() == size);
            std::ranges::copy(row, place);
        }
    }
    training::writeModel(file, layout, values, statistics_, storage_, metadataWith(sounds, licence, examples),
                         melFilters_);
}

std::map<std::string, std::string> TeachableModel::metadataWith(std::span<const TaughtSound> sounds,
                                                                const std::string& licence,
                                                                const std::string& examples) const {
    auto metadata = metadata_;
    auto names = names_;
    auto thresholds = thresholds_;
    for (const TaughtSound& sound : sounds) {
        names.push_back(sound.name);
        thresholds.emplace_back(sound.threshold);
    }
    metadata["earshot.labels"] = training::labelMetadata(names);
    metadata["earshot.thresholds"] = training::thresholdMetadata(thresholds);
    metadata["earshot.licence"] = licenceOfBoth(licence_, licence);
    const auto own = static_cast<int>(names_.size());
    metadata[key] = TaughtNote{.classes = own, .model = name_, .examples = examples}.metadata();
    if (boxes_ != nullptr) {
        // A new sound's box is as likely an event as that of an average class.
        auto network = boxes_->network();
        network.classBiases.resize(static_cast<std::size_t>(own));
        const float mean =
            std::reduce(network.classBiases.begin(), network.classBiases.end()) / static_cast<float>(own);
        network.classBiases.resize(names.size(), mean);
        metadata["earshot.boxes"] =
            detection::BoxScorer(std::move(network), boxes_->leastConfidence()).metadata();
    }
    return metadata;
}

} // namespace earshot::teaching
