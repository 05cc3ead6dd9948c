// Arrays as NumPy's .npy files (format 1.0, little-endian, C order), written row by row: how many rows there
// are need not be known before. The same rows give the same bytes.
// One thread at a time. Reference: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
//
//     WholeFile file("scores.npy");
//     NpyWriter writer(file, NpyType::float32, {527}); // (rows, 527)
//     writer.write(row);
//     writer.finish();
//     file.commit();
#pragma once

#include "Core/Base/WholeFile.h"

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::formats {

enum class NpyType { float32, float64 };

class NpyWriter {
  public:
    // rowShape: of one element along the first axis; empty for an array of one dimension. At most four
    // extents, each at least 1. `file` is empty, and outlives the writer. Throws earshot::WriteError, as all
    // below, when it cannot be written.
    NpyWriter(WholeFile& file, NpyType type, std::vector<std::int64_t> rowShape);

    // Whole rows, any number of them, in the type of the array.
    void write(std::span<const float> rows);
    void write(std::span<const double> rows);
    // The contents are whole from here on, and the file can be committed.
    void finish();

    std::int64_t rows() const { return rows_; }

  private:
    template <typename Value>
    void writeValues(NpyType type, std::span<const Value> values);
    void writeHeader();

    WholeFile& file_;
    NpyType type_;
    std::vector<std::int64_t> rowShape_;
    std::int64_t rows_ = 0;
};

} // namespace earshot::formats
