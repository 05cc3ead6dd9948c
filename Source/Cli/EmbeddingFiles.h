// What `earshot embed` writes for one recording: its vectors (NPY) and their times (CSV). Both appear whole
// or not at all, the times first: where vectors are, their times are. Main thread.
#pragma once

#include "Core/Base/WholeFile.h"
#include "Core/Batch/Inputs.h"
#include "Core/Detection/Embeddings.h"
#include "Core/Formats/Npy.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace earshot::cli {

// Without a suffix: NAME as below the folder of all inputs in `folder`, else beside the recording. Standard
// input is called "standard-input", beside which is here.
std::filesystem::path embeddingPath(const batch::Input& input, const std::optional<std::string>& folder);

class EmbeddingFiles {
  public:
    // PATH.embeddings.npy and PATH.embeddings.csv; makes the folders above them. Throws earshot::Error, as
    // all below, when they cannot be written.
    EmbeddingFiles(const std::filesystem::path& path, int dimensions);

    void write(const detection::WindowEmbedding& row);
    void finish();
    std::int64_t rows() const { return vectors_.rows(); }

  private:
    std::vector<WholeFile> files_; // times, vectors
    formats::NpyWriter vectors_;
};

} // namespace earshot::cli
