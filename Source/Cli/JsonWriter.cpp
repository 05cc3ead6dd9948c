#include "Cli/JsonWriter.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace earshot::cli {

namespace {

// With quotes; bytes that are not UTF-8 become U+FFFD.
std::string jsonString(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace

void JsonWriter::begin() { output_.write("["); }

void JsonWriter::write(const FileResult& result) {
    const std::string file = jsonString(result.name);
    for (const detection::Event& event : result.found.events) {
        const std::string label = jsonString(labels_[static_cast<std::size_t>(event.classIndex)]);
        output_.write(fmt::format(
            R"({}{{"file": {}, "onset_s": {:.3f}, "offset_s": {:.3f}, "label": {}, "class_index": {}, "peak": {:.6f}, "mean": {:.6f}}})",
            empty_ ? "\n  " : ",\n  ", file, event.onset, event.offset, label, event.classIndex, event.peak,
            event.mean));
        empty_ = false;
    }
    output_.flush();
}

void JsonWriter::end() {
    output_.write(empty_ ? "]\n" : "\n]\n");
    output_.flush();
}

} // namespace earshot::cli
