#include "Cli/JsonWriter.h"

namespace earshot::cli {

void JsonWriter::begin() { output_.write("["); }

void JsonWriter::write(const FileResult& result) {
    for (const detection::Event& event : result.found.events) {
        output_.write((empty_ ? "\n  " : ",\n  ") + formats::jsonObject(timedEvent(result, event, labels_)));
        empty_ = false;
    }
    output_.flush();
}

void JsonWriter::end() {
    output_.write(empty_ ? "]\n" : "\n]\n");
    output_.flush();
}

} // namespace earshot::cli
