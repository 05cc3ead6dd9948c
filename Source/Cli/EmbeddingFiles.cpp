#include "Cli/EmbeddingFiles.h"

#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"

#include <fmt/format.h>

#include <string_view>
#include <system_error>

namespace earshot::cli {

namespace {

std::filesystem::path withSuffix(std::filesystem::path path, const char* suffix) { return path += suffix; }

std::filesystem::path inExistingFolder(std::filesystem::path file) {
    std::error_code failure;
    const auto folder = file.parent_path();
    if (!folder.empty()) std::filesystem::create_directories(folder, failure);
    if (failure)
        throw Error(fmt::format("{}: cannot be created ({}); choose a folder that can be written with "
                                "--output-dir",
                                displayName(folder), failure.message()));
    return file;
}

} // namespace

std::filesystem::path embeddingPath(const batch::Input& input, const std::optional<std::string>& folder) {
    const bool isStandardInput = input.name == "-";
    if (!folder) return isStandardInput ? "standard-input" : input.path;
    return std::filesystem::path(*folder) / (isStandardInput ? "standard-input" : input.name);
}

EmbeddingFiles::EmbeddingFiles(const std::filesystem::path& path, int dimensions)
    : times_(inExistingFolder(withSuffix(path, ".embeddings.csv")))
    , vectors_(withSuffix(path, ".embeddings.npy"), formats::NpyType::float32, {dimensions}) {
    constexpr std::string_view header = "row,start_s,end_s\n";
    times_.write(header.data(), header.size());
}

void EmbeddingFiles::write(const detection::WindowEmbedding& row) {
    const auto line = fmt::format("{},{:.6f},{:.6f}\n", vectors_.rows(), row.start, row.end);
    times_.write(line.data(), line.size());
    vectors_.write(row.values);
}

void EmbeddingFiles::finish() {
    times_.complete();
    vectors_.finish();
}

} // namespace earshot::cli
