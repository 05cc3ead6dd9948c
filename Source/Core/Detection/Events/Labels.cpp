#include "Core/Detection/Events/Labels.h"

#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Detection/Events/LabelSources.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>
#include <utility>

namespace earshot::detection {

namespace {

char lowerCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

float thresholdOf(const nlohmann::json& value, const std::string& label, const std::string& file) {
    const double number = value.is_number() ? value.get<double>() : -1.0;
    if (!(number >= 0.0 && number <= 1.0))
        throw Error(
            fmt::format("{}: earshot.thresholds: {}: expected a number from 0 to 1", file, printable(label)));
    return static_cast<float>(number);
}

} // namespace

Labels Labels::read(const std::map<std::string, std::string>& metadata,
                    const std::filesystem::path& modelFile, int classes) {
    assert(classes >= 0);
    const auto file = displayName(modelFile);
    Labels labels;
    if (const auto json = metadata.find("earshot.labels"); json != metadata.end()) {
        labels.names_ = labelsFromJson(json->second, file, classes);
        labels.source_ = "the model";
    } else if (const auto csv = labelFileBeside(modelFile)) {
        labels.names_ = labelsFromFile(*csv, classes);
        labels.source_ = displayName(csv->filename());
    } else if (classes == audioSetClasses) {
        labels.names_ = audioSetLabels();
        labels.source_ = "AudioSet";
    } else {
        for (int i = 0; i < classes; ++i) labels.names_.push_back(fmt::format("class {}", i));
        labels.source_ = "numbers";
    }
    if (const auto json = metadata.find("earshot.thresholds"); json != metadata.end())
        labels.readThresholds(json->second, file);
    labels.readLicence(metadata);
    return labels;
}

Labels Labels::named(std::vector<std::string> names, const std::map<std::string, std::string>& metadata,
                     std::string source) {
    Labels labels;
    labels.names_ = std::move(names);
    labels.source_ = std::move(source);
    labels.readLicence(metadata);
    return labels;
}

void Labels::readLicence(const std::map<std::string, std::string>& metadata) {
    if (const auto licence = metadata.find("earshot.licence"); licence != metadata.end())
        licence_ = printable(licence->second);
}

std::optional<int> Labels::find(std::string_view name) const {
    const std::string wanted = printable(name);
    const auto isWanted = [&wanted](const std::string& candidate) {
        return std::equal(candidate.begin(), candidate.end(), wanted.begin(), wanted.end(),
                          [](char a, char b) { return lowerCase(a) == lowerCase(b); });
    };
    const auto found = std::find_if(names_.begin(), names_.end(), isWanted);
    if (found == names_.end()) return std::nullopt;
    return static_cast<int>(found - names_.begin());
}

std::optional<float> Labels::threshold(int classIndex) const {
    const auto found = thresholds_.find(classIndex);
    if (found == thresholds_.end()) return std::nullopt;
    return found->second;
}

// An array with one value for each class, or an object by label for some of them; null says nothing.
void Labels::readThresholds(const std::string& text, const std::string& file) {
    const auto values = nlohmann::json::parse(text, nullptr, false);
    if (values.is_array()) {
        if (values.size() != names_.size())
            throw Error(
                fmt::format("{}: expected {} thresholds, found {}", file, names_.size(), values.size()));
        for (int i = 0; i < count(); ++i)
            if (const auto& value = values[static_cast<std::size_t>(i)]; !value.is_null())
                thresholds_[i] = thresholdOf(value, name(i), file);
    } else if (values.is_object()) {
        for (const auto& [label, value] : values.items()) {
            const auto index = find(label);
            if (!index)
                throw Error(
                    fmt::format("{}: earshot.thresholds: no class is called \"{}\"", file, printable(label)));
            if (!value.is_null()) thresholds_[*index] = thresholdOf(value, label, file);
        }
    } else {
        throw Error(fmt::format("{}: earshot.thresholds is neither a JSON array nor an object", file));
    }
}

} // namespace earshot::detection
