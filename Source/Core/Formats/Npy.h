// Arrays as NumPy's .npy files. They are written (format 1.0, little-endian, C order) row by row, so the
// number of rows need not be known before. The same rows give the same bytes. One thread at a time.
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
    // rowShape: the shape of one element along the first axis, at most four extents, each at least 1; empty
    // for an array of one dimension. `file` is empty, and outlives the writer. Like all functions below, it
    // throws earshot::WriteError when the file cannot be written.
    NpyWriter(WholeFile& file, NpyType type, std::vector<std::int64_t> rowShape);

    // Writes whole rows, any number of them, in the array's type.
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

// An array of a file (formats 1.0 to 3.0; float16, float32 and float64, little-endian, C order) as float32.
// Files are untrusted: every size is checked before it is used, and every failure is an earshot::Error that
// names the file and says what to do. Any thread.
struct NpyArray {
    std::vector<std::int64_t> shape; // at most eight extents
    std::vector<float> values;       // row-major, as many as the shape says
};

// Reads the array as float32. A file with more data than its shape says is refused.
inline constexpr std::uint64_t mostNpyBytes = std::uint64_t{1} << 28;

NpyArray readNpy(const std::filesystem::path& file);

} // namespace earshot::formats
