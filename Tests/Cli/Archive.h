// A small archive of recordings in folders, and batches over it by the built program.
#pragma once

#include "Cli/Earshot.h"
#include "Support/Folders.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace earshot::test {

class Archive {
  public:
    explicit Archive(int recordings) {
        for (int i = 0; i < recordings; ++i) {
            const auto file = in() / ("disc " + std::to_string(i % 3)) / (std::to_string(i) + ".wav");
            std::filesystem::create_directories(file.parent_path());
            const auto seconds = static_cast<std::size_t>(1 + i % 3);
            writeAudio(file, AudioFormat::wavPcm16, 32000, 1,
                       noise(32000 * seconds, static_cast<unsigned>(i + 1)));
        }
    }

    std::filesystem::path in() const { return folder_ / "in"; }
    std::filesystem::path folder(const std::string& name) const { return folder_ / name; }

    // So low that noise is full of events, and there is much to lose.
    static constexpr const char* threshold = "0.00003";

    std::vector<std::string> command(const std::string& output,
                                     const std::vector<std::string>& more = {}) const {
        std::vector<std::string> words = {
            "analyze",        in().string(), "--output-dir",     folder(output).string(), "--format",
            "csv,raven,midi", "--joined",    "csv,jsonl,sqlite", "--threshold",           threshold};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }

    ProcessResult run(const std::string& output, const std::vector<std::string>& more = {},
                      const ProcessOptions& options = {}) const {
        return runEarshot(command(output, more), options);
    }

  private:
    TemporaryDirectory folder_;
};

} // namespace earshot::test
