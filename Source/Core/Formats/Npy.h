// Arrays as NumPy's .npy files (format 1.0, little-endian, C order), written row by row: how many rows there
// are need not be known before. The file appears whole or not at all; the same rows give the same bytes.
// One thread at a time. Reference: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
//
//     NpyWriter writer("scores.npy", NpyType::float32, {527}); // (rows, 527)
//     writer.write(row);
//     writer.finish();
#pragma once

#include "Core/Base/PartialFile.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace earshot::formats {

enum class NpyType { float32, float64 };

class NpyWriter {
  public:
    // rowShape: of one element along the first axis; empty for an array of one dimension. At most four
    // extents, each at least 1. Throws earshot::WriteError, as all below, when the file cannot be written.
    NpyWriter(const std::filesystem::path& file, NpyType type, std::vector<std::int64_t> rowShape);

    // Whole rows, any number of them, in the type of the array.
    void write(std::span<const float> rows);
    void write(std::span<const double> rows);
    // The file is there from here on; without it, nothing is.
    void finish();

    std::int64_t rows() const { return rows_; }

  private:
    template <typename Value>
    void writeValues(NpyType type, std::span<const Value> values);
    void writeHeader();

    PartialFile file_;
    NpyType type_;
    std::vector<std::int64_t> rowShape_;
    std::int64_t rows_ = 0;
};

} // namespace earshot::formats
