// Shared by the tests of collections: examples of noise, and what a collection and its folder hold.
#pragma once

#include "Core/Teaching/Collection.h"
#include "Core/Training/Data/DataSet.h"
#include "Support/AudioMaker.h"

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace earshot::test {

inline constexpr int collectionRate = 16000; // Hz

// A second of noise, of which the stretch from 0.25 s to 0.75 s is marked.
struct Marked {
    explicit Marked(std::string label, std::string against = {}, std::string group = "porch, 7 May")
        : samples(noise(collectionRate, 1))
        , example{.samples = samples,
                  .sampleRate = collectionRate,
                  .onset = 0.25,
                  .offset = 0.75,
                  .label = std::move(label),
                  .against = std::move(against),
                  .group = std::move(group),
                  .licence = "CC0-1.0",
                  .author = "Ada"} {}
    Marked(const Marked&) = delete;
    Marked& operator=(const Marked&) = delete;

    std::vector<float> samples;
    teaching::NewExample example;
};

inline teaching::Example addTo(teaching::Collection& collection, const std::string& label,
                               const std::string& against = {}, const std::string& group = "porch, 7 May") {
    return collection.add(Marked(label, against, group).example);
}

// Adds rows to the CSV, as other programs do.
inline void appendRows(const teaching::Collection& collection, const std::string& rows) {
    writeBytes(collection.table(), readBytes(collection.table()) + rows);
}

inline void touchClip(const std::filesystem::path& file) {
    std::filesystem::create_directories(file.parent_path());
    writeAudio(file, AudioFormat::wavPcm16, collectionRate, 1, noise(collectionRate / 2, 2));
}

// 0 if there is no such folder.
inline std::size_t filesIn(const std::filesystem::path& folder) {
    if (!std::filesystem::exists(folder)) return 0;
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

inline std::set<std::string> labelsOf(const teaching::Collection& collection) {
    std::set<std::string> labels;
    for (const auto& example : collection.examples()) labels.insert(example.label);
    return labels;
}

inline training::DataSet trainingData(const teaching::Collection& collection) {
    training::DataChoice choice;
    choice.sources = {collection.table()};
    choice.minClips = 1;
    choice.validShare = 0.0;
    return training::readDataSet(choice);
}

} // namespace earshot::test
