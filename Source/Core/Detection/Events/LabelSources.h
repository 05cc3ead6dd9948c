// Class names from each of the places that can hold them; Labels.h chooses among these.
// Every function gives exactly `classes` names or throws earshot::Error. Any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::detection {

inline constexpr int audioSetClasses = 527;

// json: an array of strings. `file` opens the messages, here and below.
std::vector<std::string> labelsFromJson(const std::string& json, const std::string& file, int classes);
// csv: a header with a column display_name, label or name, and perhaps one named index; then a row per class.
std::vector<std::string> labelsFromCsv(std::string_view csv, const std::string& file, int classes);
// The CSV beside a model that would name its classes, if there is one.
std::optional<std::filesystem::path> labelFileBeside(const std::filesystem::path& modelFile);
std::vector<std::string> labelsFromFile(const std::filesystem::path& csvFile, int classes);
// AudioSet's 527 classes, compiled in from Resources/audioset_classes.csv.
std::vector<std::string> audioSetLabels();

} // namespace earshot::detection
