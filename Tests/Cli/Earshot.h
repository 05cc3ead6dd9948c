// The built program, run with arguments, and readers for what it prints.
#pragma once

#include "Cli/Paths.h"
#include "Support/AudioMaker.h"
#include "Support/Process.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace earshot::test {

inline ProcessResult runEarshot(const std::vector<std::string>& arguments,
                                const ProcessOptions& options = {}) {
    return runProcess(programPath(), arguments, options);
}

// Sounds the default model knows.
inline std::size_t soundCount() {
    const auto result = runEarshot({"info", "--format", "json"});
    return nlohmann::json::parse(result.output).at("labels").size();
}

inline std::ptrdiff_t lineCount(const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
}

using CsvRow = std::vector<std::string>;

// RFC 4180, with lines that end in \n.
inline std::vector<CsvRow> parseCsv(const std::string& text) {
    std::vector<CsvRow> rows;
    CsvRow row;
    std::string field;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
                field += text[++i];
            } else if (c == '"') {
                quoted = false;
            } else {
                field += c;
            }
        } else if (c == '"' && field.empty()) {
            quoted = true;
        } else if (c == ',' || c == '\n') {
            row.push_back(field);
            field.clear();
            if (c == '\n') {
                rows.push_back(row);
                row.clear();
            }
        } else {
            field += c;
        }
    }
    return rows;
}

// A second and a half of noise: five columns at the model's 0.32 s.
inline std::string makeNoise(const std::filesystem::path& path) {
    writeAudio(path, AudioFormat::wavFloat, 32000, 1, noise(48000, 1));
    return path.string();
}

} // namespace earshot::test
