// What `earshot embed` writes for one recording: its vectors (NPY) and their times (CSV). Both appear whole
// or not at all, the times first: where vectors are, their times are. Main thread.
#pragma once

#include "Core/Base/WholeFile.h"
#include "Core/Batch/Inputs.h"
#include "Core/Detection/Kept/Embeddings.h"
#include "Core/Formats/Npy.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace earshot::cli {

// Times, vectors.
using EmbeddingPaths = std::array<std::filesystem::path, 2>;

// NAME.embeddings.csv and NAME.embeddings.npy, with NAME as below the folder of all inputs in `folder`, else
// beside the recording. Standard input is called "standard-input", beside which is here.
EmbeddingPaths embeddingPaths(const batch::Input& input, const std::optional<std::string>& folder);

class EmbeddingFiles {
  public:
    // Makes the folders above them. Throws WriteError, as all below, when they cannot be written.
    EmbeddingFiles(const EmbeddingPaths& paths, int dimensions);

    void write(const detection::WindowEmbedding& row);
    void finish();
    std::int64_t rows() const { return vectors_.rows(); }

  private:
    std::vector<WholeFile> files_; // times, vectors
    formats::NpyWriter vectors_;
};

} // namespace earshot::cli
