#include "Cli/CsvWriter.h"

#include <fmt/format.h>

namespace earshot::cli {

namespace {

std::string csvField(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

} // namespace

void CsvWriter::begin() {
    output_.write("file,onset_s,offset_s,label,class_index,peak,mean\n");
    output_.flush();
}

void CsvWriter::write(const FileResult& result) {
    const std::string file = csvField(result.name);
    for (const detection::Event& event : result.found.events) {
        const std::string label = csvField(labels_[static_cast<std::size_t>(event.classIndex)]);
        output_.write(fmt::format("{},{:.3f},{:.3f},{},{},{:.6f},{:.6f}\n", file, event.onset, event.offset,
                                  label, event.classIndex, event.peak, event.mean));
    }
    output_.flush();
}

} // namespace earshot::cli
