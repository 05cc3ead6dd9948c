#include "Core/Teaching/TaughtModel.h"

#include "Core/Base/Error.h"
#include "Core/Base/Sha256.h"
#include "Core/Base/Unicode.h"
#include "Core/Detection/Events/Events.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Detection/Events/Sebbs.h"
#include "Core/Model/Network/EventHead.h"
#include "Core/Model/Network/Head.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Model/Reading/ConfigReader.h"
#include "Core/Teaching/Collection.h"
#include "Core/Training/Network/ModelMetadata.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

namespace earshot::teaching {

namespace {

constexpr const char* key = "earshot.taught";
constexpr const char* taughtLicence = "taught sounds: "; // before the examples' licence
constexpr const char* separator = "; ";                  // between licences

// (rows, width) as (width, rows).
std::vector<float> transposed(std::span<const float> values, std::size_t rows) {
    const std::size_t width = values.size() / rows;
    std::vector<float> result(values.size());
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t i = 0; i < width; ++i) result[i * rows + row] = values[row * width + i];
    return result;
}

// A row as the head reads it becomes one as the checkpoint stores it: TSCAM's kernel is (C, rows, 3) there.
std::vector<float> storedRow(const ClassRow& row, const model::Config& config) {
    if (config.head != model::HeadKind::tscam) return row.weights;
    return transposed(row.weights, row.weights.size() / static_cast<std::size_t>(config.latentDim()));
}

std::vector<float> readRow(std::span<const float> stored, const model::Config& config) {
    if (config.head != model::HeadKind::tscam) return {stored.begin(), stored.end()};
    return transposed(stored, static_cast<std::size_t>(config.latentDim()));
}

void requireClasses(const TaughtNote& note, const model::Config& config, const std::filesystem::path& file) {
    if (note.classes > config.classes)
        throw Error(fmt::format("{}: {} says that the model had {} classes, and it has {}", displayName(file),
                                key, note.classes, config.classes));
}

std::string_view bytesOf(std::span<const float> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

std::string licenceOfBoth(const std::string& model, const std::string& examples) {
    const auto taught = taughtLicence + examples;
    return model.empty() ? taught : model + separator + taught;
}

// Without what a lesson added.
std::string licenceBefore(const std::string& licence) {
    if (licence.starts_with(taughtLicence)) return {};
    return licence.substr(0, licence.find(std::string(separator) + taughtLicence));
}

// What a lesson added.
std::string licenceOfExamples(const std::map<std::string, std::string>& metadata) {
    const auto found = metadata.find("earshot.licence");
    if (found == metadata.end()) return {};
    const auto place = found->second.find(taughtLicence);
    if (place == std::string::npos) return {};
    return found->second.substr(place + std::string_view(taughtLicence).size());
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
    note.base = text("base");
    note.examples = text("examples");
    return note;
}

std::string TaughtNote::metadata() const {
    const nlohmann::json object = {
        {"classes", classes}, {"model", model}, {"base", base}, {"examples", examples}};
    return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool TaughtPart::valid() const {
    constexpr std::size_t maxNameLength = 500;                                    // bytes
    const auto isValue = [](float value) { return std::abs(value) <= maxValue; }; // NaN is none
    const auto isSound = [&](const TaughtSound& sound) {
        return validName(sound.name).empty() && sound.threshold >= 0.0f && sound.threshold <= 1.0f &&
               isValue(sound.row.bias) && isValue(sound.boxBias.value_or(0.0f)) &&
               !sound.row.weights.empty() && sound.row.weights.size() == sounds.front().row.weights.size() &&
               std::ranges::all_of(sound.row.weights, isValue);
    };
    return note.classes > 0 && !note.base.empty() && note.base.size() <= maxNameLength &&
           note.model.size() <= maxNameLength && note.examples.size() <= maxNameLength &&
           licence.size() <= maxLicenceLength && !sounds.empty() && sounds.size() <= maxSounds &&
           std::ranges::all_of(sounds, isSound);
}

std::string TaughtPart::fingerprint() const {
    std::string text = note.metadata() + sha256(licence);
    for (const TaughtSound& sound : sounds) {
        const std::array values = {sound.threshold, sound.row.bias, sound.boxBias.value_or(0.0f)};
        text += sha256(sound.name) + sha256(bytesOf(values)) + sha256(bytesOf(sound.row.weights));
        text += sound.boxBias ? '1' : '0';
    }
    return sha256(text);
}

std::optional<TaughtPart> TaughtPart::read(const std::filesystem::path& file) {
    const auto checkpoint = model::Checkpoint::open(file);
    const auto& metadata = checkpoint->metadata();
    auto note = TaughtNote::read(metadata, file);
    if (!note) return std::nullopt;
    const auto found = model::openLayout(*checkpoint);
    requireClasses(*note, found.config, file);
    if (note->base.empty()) note->base = TeachableModel(file).base();
    TaughtPart part{.note = *note, .licence = licenceOfExamples(metadata), .sounds = {}};
    const auto own = static_cast<std::size_t>(note->classes);
    const auto all = static_cast<std::size_t>(found.config.classes);
    const auto labels = detection::Labels::read(metadata, file, found.config.classes);
    const auto sebbs = detection::SebbScorer::read(metadata, file, found.config.classes);
    part.sounds.resize(all - own);
    for (std::size_t i = 0; i < part.sounds.size(); ++i) {
        TaughtSound& sound = part.sounds[i];
        const auto index = static_cast<int>(own + i);
        sound.name = labels.name(index);
        sound.threshold = labels.threshold(index).value_or(detection::defaultThreshold);
        if (sebbs != nullptr) sound.boxBias = sebbs->network().classBiases[own + i];
    }
    const training::ParameterLayout layout(found.config);
    for (const training::Parameter& parameter : layout.parameters()) {
        if (!parameter.ofClasses()) continue;
        const auto read = training::readStart(*checkpoint, found.prefix + parameter.name, parameter.shape);
        const std::size_t size = parameter.size / all; // of a class
        for (std::size_t i = 0; i < part.sounds.size(); ++i) {
            const auto stored = read.values().subspan((own + i) * size, size);
            if (parameter.role == model::TensorRole::bias)
                part.sounds[i].row.bias = stored.front();
            else
                part.sounds[i].row.weights = readRow(stored, found.config);
        }
    }
    if (!part.valid()) return std::nullopt;
    return part;
}

TeachableModel::TeachableModel(const model::ModelSource& source)
    : name_(source.file.stem().string()) {
    const auto& file = source.file;
    const auto checkpoint = model::Checkpoint::open(source);
    const auto found = model::openLayout(*checkpoint);
    if (found.config.head == model::HeadKind::pooled)
        throw Error(fmt::format("{}: has a head that is no good for teaching: it reads whole windows; choose "
                                "another model, such as the one that came with Earshot",
                                displayName(file)));
    metadata_ = checkpoint->metadata();
    metadata_.erase("earshot.coarse_bound"); // it was chosen for the model's own sounds
    const auto labels = detection::Labels::read(metadata_, file, found.config.classes);
    licence_ = licenceBefore(labels.licence());
    sebbs_ = labels.sebbs();
    auto config = found.config;
    if (const auto note = TaughtNote::read(metadata_, file)) {
        requireClasses(*note, found.config, file);
        config.classes = note->classes;
        if (!note->model.empty()) name_ = note->model;
        base_ = note->base;
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
    if (base_.empty()) base_ = computedBase();
}

// The values count, not the file: a taught file holds the same values in other bytes.
std::string TeachableModel::computedBase() const {
    auto metadata = metadataWith({});
    metadata.erase("format");
    metadata["earshot.config"] = training::configMetadata(layout_->config());
    std::string text = storage_ == training::Storage::float16 ? "float16" : "float32";
    for (const std::span<const float> values : {std::span(values_), std::span(statistics_.mean),
                                                std::span(statistics_.variance), std::span(melFilters_)})
        text += sha256(bytesOf(values));
    for (const auto& [name, value] : metadata) text += sha256(name) + sha256(value);
    return sha256(text);
}

TaughtNote TeachableModel::note(const std::string& examples) const {
    return {.classes = static_cast<int>(names_.size()), .model = name_, .base = base_, .examples = examples};
}

bool TeachableModel::isBaseOf(const TaughtPart& part) const {
    if (part.note.base != base_ || part.note.classes != layout_->config().classes) return false;
    for (const training::Parameter& parameter : layout_->parameters()) {
        if (!parameter.ofClasses() || parameter.role == model::TensorRole::bias) continue;
        const std::size_t width = parameter.size / names_.size();
        if (std::ranges::any_of(part.sounds,
                                [&](const TaughtSound& sound) { return sound.row.weights.size() != width; }))
            return false;
    }
    return true;
}

void TeachableModel::write(const std::filesystem::path& file, const TaughtPart& part) const {
    const auto& sounds = part.sounds;
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
    training::writeModel(file, layout, values, statistics_, storage_, metadataWith(part), melFilters_);
}

std::vector<float> TeachableModel::thresholds() const {
    std::vector<float> all;
    for (const auto& own : thresholds_) all.push_back(own.value_or(detection::defaultThreshold));
    return all;
}

std::map<std::string, std::string> TeachableModel::metadataWith(const TaughtPart& part) const {
    auto metadata = metadata_;
    auto names = names_;
    auto thresholds = thresholds_;
    for (const TaughtSound& sound : part.sounds) {
        names.push_back(sound.name);
        thresholds.emplace_back(sound.threshold);
    }
    metadata["earshot.labels"] = training::labelMetadata(names);
    metadata["earshot.thresholds"] = training::thresholdMetadata(thresholds);
    metadata["earshot.licence"] = licenceOfBoth(licence_, part.licence);
    metadata[key] = part.note.metadata();
    if (sebbs_ != nullptr) {
        // A new sound's box is as likely an event as that of an average class.
        auto network = sebbs_->network();
        network.classBiases.resize(names_.size());
        const float mean = std::reduce(network.classBiases.begin(), network.classBiases.end()) /
                           static_cast<float>(names_.size());
        for (const TaughtSound& sound : part.sounds)
            network.classBiases.push_back(sound.boxBias.value_or(mean));
        metadata["earshot.boxes"] =
            detection::SebbScorer(std::move(network), sebbs_->minConfidence()).metadata();
    }
    return metadata;
}

} // namespace earshot::teaching
