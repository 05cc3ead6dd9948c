#include "Cli/EmbeddingFiles.h"

#include <fmt/format.h>

#include <string_view>

namespace earshot::cli {

namespace {

std::filesystem::path withSuffix(std::filesystem::path path, const char* suffix) { return path += suffix; }

std::vector<WholeFile> filesFor(const std::filesystem::path& path) {
    std::vector<WholeFile> files;
    for (const char* suffix : {".embeddings.csv", ".embeddings.npy"})
        files.emplace_back(withSuffix(path, suffix), WholeFile::MissingFolders::made);
    return files;
}

} // namespace

std::filesystem::path embeddingPath(const batch::Input& input, const std::optional<std::string>& folder) {
    const bool isStandardInput = input.name == "-";
    if (!folder) return isStandardInput ? "standard-input" : input.path;
    return std::filesystem::path(*folder) / (isStandardInput ? "standard-input" : input.name);
}

EmbeddingFiles::EmbeddingFiles(const std::filesystem::path& path, int dimensions)
    : files_(filesFor(path))
    , vectors_(files_[1], formats::NpyType::float32, {dimensions}) {
    constexpr std::string_view header = "row,start_s,end_s\n";
    files_[0].write(header);
}

void EmbeddingFiles::write(const detection::WindowEmbedding& row) {
    const auto line = fmt::format("{},{:.6f},{:.6f}\n", vectors_.rows(), row.start, row.end);
    files_[0].write(line);
    vectors_.write(row.values);
}

void EmbeddingFiles::finish() {
    vectors_.finish();
    WholeFile::commit(files_);
}

} // namespace earshot::cli
