#include "Cli/Embed/EmbeddingFiles.h"

#include "Core/Batch/Targets.h"

#include <fmt/format.h>

#include <string_view>

namespace earshot::cli {

namespace {

std::vector<WholeFile> filesFor(const EmbeddingPaths& paths) {
    std::vector<WholeFile> files;
    for (const auto& path : paths) files.emplace_back(path, WholeFile::MissingFolders::made);
    return files;
}

} // namespace

EmbeddingPaths embeddingPaths(const batch::Input& input, const std::optional<std::string>& folder) {
    const bool isStandardInput = input.name == "-";
    const std::filesystem::path into = folder ? std::filesystem::path(*folder) : input.path.parent_path();
    const std::string name = isStandardInput ? "standard-input"
                             : folder        ? input.name
                                             : input.path.filename().string();
    return {batch::outputFile(into, name, ".embeddings.csv"),
            batch::outputFile(into, name, ".embeddings.npy")};
}

EmbeddingFiles::EmbeddingFiles(const EmbeddingPaths& paths, int dimensions)
    : files_(filesFor(paths))
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
