// Writes and reads arrays as NumPy's .npy files. Arrays are written (format 1.0, little-endian, C order) row
// by row, and the number of rows need not be known in advance. The same rows give the same bytes. One thread
// at a time.
// Reference: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
//
//     WholeFile file("scores.npy");
//     NpyWriter writer(file, NpyType::float32, {527}); // (rows, 527)
//     writer.write(row);
//     writer.finish();
//     file.commit();
#pragma once

#include "Core/Base/WholeFile.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace earshot::formats {

enum class NpyType { float32, float64 };

class NpyWriter {
  public:
    // rowShape: the shape of one row, which is one element along the first axis; empty for a one-dimensional
    // array. At most four extents, each at least 1. `file` is empty and must outlive the writer. All
    // functions throw earshot::WriteError if it cannot be written.
    NpyWriter(WholeFile& file, NpyType type, std::vector<std::int64_t> rowShape);

    // Writes any number of whole rows, in the type of the array.
    void write(std::span<const float> rows);
    void write(std::span<const double> rows);
    // Completes the contents, so that the file can be committed.
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

// The array of a file (formats 1.0 to 3.0; float16, float32 and float64, little-endian, C order), read as
// float32. Files are untrusted: every size is checked before use, and every failure is an earshot::Error that
// names the file and advises the user. Any thread.
struct NpyArray {
    std::vector<std::int64_t> shape; // at most eight extents
    std::vector<float> values;       // row-major, their number follows from the shape
};

// The size limit of the array as float32; readNpy() refuses larger ones.
inline constexpr std::uint64_t maxNpyBytes = std::uint64_t{1} << 28;

NpyArray readNpy(const std::filesystem::path& file);

} // namespace earshot::formats
