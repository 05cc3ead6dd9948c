// Arrays from NumPy's .npy files (formats 1.0 to 3.0; float16, float32 and float64, little-endian, C order)
// as float32. Files are untrusted: every size is checked before it is used, and every failure is an
// earshot::Error that names the file and says what to do. Any thread. Reference:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace earshot::formats {

struct NpyArray {
    std::vector<std::int64_t> shape; // at most eight extents
    std::vector<float> values;       // row-major, as many as the shape says
};

// Of the array as float32; a file that holds more is refused.
inline constexpr std::uint64_t mostNpyBytes = std::uint64_t{1} << 28;

NpyArray readNpy(const std::filesystem::path& file);

} // namespace earshot::formats
