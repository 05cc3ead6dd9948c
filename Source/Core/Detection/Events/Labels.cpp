#include "Core/Detection/Events/Labels.h"

#include "Core/Base/Csv.h"
#include "Core/Base/Error.h"
#include "Core/Base/RegularFile.h"
#include "Core/Base/Unicode.h"
#include "Core/Detection/Events/Sebbs.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <initializer_list>
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

constexpr char audioSetCsv[] =
#include "AudioSetClasses.inc"
    ;

void requireCount(std::size_t found, int classes, const std::string& file) {
    if (found != static_cast<std::size_t>(classes))
        throw Error(fmt::format("{}: expected {} labels, found {}", file, classes, found));
}

std::optional<std::size_t> findColumn(const CsvRow& header, std::initializer_list<std::string_view> names) {
    for (const auto name : names)
        if (const auto found = std::find(header.begin(), header.end(), name); found != header.end())
            return static_cast<std::size_t>(found - header.begin());
    return std::nullopt;
}

// Returns the class that a row belongs to; each index must appear once.
std::size_t classOfRow(const std::string& text, const std::vector<std::string>& labels,
                       const std::string& file) {
    std::size_t index = labels.size();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc() || end != text.data() + text.size() || index >= labels.size())
        throw Error(fmt::format("{}: expected an index from 0 to {}, found \"{}\"", file, labels.size() - 1,
                                printable(text)));
    if (!labels[index].empty()) throw Error(fmt::format("{}: index {} appears twice", file, index));
    return index;
}

} // namespace

std::string AuthorRules::metadata() const {
    auto object = nlohmann::ordered_json::object();
    if (release) object["release"] = std::round(static_cast<double>(*release) * 1000.0) / 1000.0;
    if (mergeGap > 0.0) object["merge_gap"] = mergeGap;
    return object.dump();
}

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
    if (const auto json = metadata.find("earshot.rules"); json != metadata.end())
        labels.readRules(json->second, file);
    if (const auto json = metadata.find("earshot.coarse_bound"); json != metadata.end())
        labels.readCoarseBound(json->second, file);
    labels.sebbs_ = SebbScorer::read(metadata, modelFile, classes);
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

Labels Labels::withWords(Labels labels, const std::vector<std::string>& names, std::vector<int> ids) {
    assert(ids.empty() || names.size() == ids.size());
    const auto isTaken = [&](const std::string& name) { return std::ranges::count(labels.names_, name) > 0; };
    for (const std::string& name : names) {
        std::string own = name;
        while (isTaken(own)) own += " (text)";
        labels.names_.push_back(std::move(own));
    }
    labels.wordIds_ = std::move(ids);
    labels.sebbs_.reset(); // they know the model's classes alone, as the bound does
    labels.coarseBound_.reset();
    return labels;
}

int Labels::wordId(int classIndex) const {
    const int word = classIndex - (count() - static_cast<int>(wordIds_.size()));
    return word < 0 ? 0 : wordIds_[static_cast<std::size_t>(word)];
}

formats::MidiKey Labels::key(int classIndex) const {
    const int id = wordId(classIndex);
    if (id != 0) return firstWordKey + id;
    return {classIndex, name(classIndex)};
}

void Labels::readLicence(const std::map<std::string, std::string>& metadata) {
    if (const auto licence = metadata.find("earshot.licence"); licence != metadata.end())
        licence_ = printable(licence->second);
}

std::optional<int> Labels::find(std::string_view name) const {
    const std::string wanted = printable(composed(name));
    const auto isWanted = [&wanted](const std::string& given) {
        const std::string candidate = composed(given);
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

// Reads an array with one value per class, or an object with values for some labels; null sets nothing.
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

void Labels::readRules(const std::string& text, const std::string& file) {
    const auto object = nlohmann::json::parse(text, nullptr, false);
    if (!object.is_object()) throw Error(fmt::format("{}: earshot.rules is not a JSON object", file));
    const auto number = [&](const char* key, double most) -> std::optional<double> {
        const auto found = object.find(key);
        if (found == object.end()) return std::nullopt;
        const double value = found->is_number() ? found->get<double>() : -1.0;
        if (!(value >= 0.0 && value <= most))
            throw Error(
                fmt::format("{}: earshot.rules: {}: expected a number from 0 to {:g}", file, key, most));
        return value;
    };
    if (const auto release = number("release", 1.0)) rules_.release = static_cast<float>(*release);
    rules_.mergeGap = number("merge_gap", maxAuthorsGap).value_or(0.0);
}

void Labels::readCoarseBound(const std::string& text, const std::string& file) {
    const auto value = nlohmann::json::parse(text, nullptr, false);
    const double bound = value.is_number() ? value.get<double>() : -1.0;
    if (!(bound >= 0.0 && bound <= 1.0))
        throw Error(fmt::format("{}: earshot.coarse_bound: expected a number from 0 to 1, found {}", file,
                                printable(text)));
    coarseBound_ = static_cast<float>(bound);
}

std::vector<std::string> labelsFromJson(const std::string& text, const std::string& file, int classes) {
    const auto array = nlohmann::json::parse(text, nullptr, false);
    const auto isText = [](const nlohmann::json& item) { return item.is_string(); };
    if (!array.is_array() || !std::all_of(array.begin(), array.end(), isText))
        throw Error(fmt::format("{}: earshot.labels is not a JSON array of strings", file));
    requireCount(array.size(), classes, file);
    std::vector<std::string> labels;
    for (const auto& item : array) labels.push_back(printable(item.get_ref<const std::string&>()));
    return labels;
}

std::vector<std::string> labelsFromCsv(std::string_view csv, const std::string& file, int classes) {
    const auto rows = parseCsv(csv);
    const auto nameColumn =
        rows.empty() ? std::nullopt : findColumn(rows.front(), {"display_name", "label", "name"});
    if (!nameColumn)
        throw Error(
            fmt::format("{}: expected a first line that names a column display_name, label or name", file));
    const auto indexColumn = findColumn(rows.front(), {"index"});
    requireCount(rows.size() - 1, classes, file);
    std::vector<std::string> labels(rows.size() - 1);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto& row = rows[i + 1];
        if (row.size() <= std::max(*nameColumn, indexColumn.value_or(0)) || row[*nameColumn].empty())
            throw Error(fmt::format("{}: row {} has no label", file, i + 1));
        const std::size_t index = indexColumn ? classOfRow(row[*indexColumn], labels, file) : i;
        labels[index] = printable(row[*nameColumn]);
    }
    return labels;
}

std::vector<std::string> labelsFromFile(const std::filesystem::path& csvFile, int classes) {
    // AudioSet's list takes 15 kB, so 65,536 classes fit. Parsed short rows need fifty times this memory.
    constexpr std::uint64_t largest = 4u << 20; // bytes
    return labelsFromCsv(readWholeFile(csvFile, largest, "list of labels"), displayName(csvFile), classes);
}

std::vector<std::string> audioSetLabels() { return labelsFromCsv(audioSetCsv, "AudioSet", audioSetClasses); }

} // namespace earshot::detection
