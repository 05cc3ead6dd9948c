#include "Core/Formats/Npy.h"

#include "Core/Base/Error.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Process.h"
#include "Support/Skip.h"

#include <nlohmann/json.hpp>

#include <numeric>

using namespace earshot;
using namespace earshot::formats;

namespace {

constexpr const char* python = "/usr/bin/python3";

bool numpyThere() {
    return std::filesystem::exists(python) && test::runProcess(python, {"-c", "import numpy"}).exitCode == 0;
}

// What NumPy finds in the files: of each its type, shape and values in C order.
nlohmann::json readByNumpy(const std::vector<std::string>& files) {
    std::vector<std::string> arguments = {
        "-c", "import json, sys, numpy\n"
              "found = []\n"
              "for file in sys.argv[1:]:\n"
              "    a = numpy.load(file, allow_pickle=False)\n"
              "    assert a.flags.c_contiguous\n"
              "    found.append({'type': a.dtype.str, 'shape': a.shape, 'values': a.ravel().tolist()})\n"
              "print(json.dumps(found))"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    const auto result = test::runProcess(python, arguments);
    CAPTURE(result.errors);
    REQUIRE(result.exitCode == 0);
    return nlohmann::json::parse(result.output);
}

std::int64_t product(const std::vector<std::int64_t>& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

template <typename Value>
std::vector<Value> someValues(std::int64_t count) {
    std::vector<Value> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<Value>(i) / static_cast<Value>(7) - static_cast<Value>(3);
    return values;
}

template <typename Value>
void roundTrip(NpyType type, const std::string& typeName) {
    const test::TemporaryDirectory directory;
    const std::vector<std::vector<std::int64_t>> rowShapes = {{}, {1}, {527}, {3, 4}, {2, 1, 3, 2}};
    std::vector<std::string> files;
    auto expected = nlohmann::json::array();
    for (const auto& rowShape : rowShapes)
        for (const std::int64_t rows : {0, 1, 10, 123}) {
            files.push_back((directory / std::to_string(files.size())).string() + ".npy");
            const auto values = someValues<Value>(rows * product(rowShape));
            WholeFile file(files.back());
            NpyWriter writer(file, type, rowShape);
            // A few rows at a time.
            const auto few = 7 * static_cast<std::size_t>(product(rowShape));
            for (std::size_t first = 0; first < values.size(); first += few)
                writer.write(
                    std::span<const Value>(values).subspan(first, std::min(few, values.size() - first)));
            REQUIRE(writer.rows() == rows);
            writer.finish();
            file.commit();
            REQUIRE(std::filesystem::file_size(files.back()) % 64 == values.size() * sizeof(Value) % 64);
            std::vector<std::int64_t> shape = {rows};
            shape.insert(shape.end(), rowShape.begin(), rowShape.end());
            expected.push_back({{"type", typeName}, {"shape", shape}, {"values", values}});
        }
    REQUIRE(readByNumpy(files) == expected);
}

} // namespace

TEST_CASE("arrays of any shape are read back by NumPy", "[unit]") {
    if (!numpyThere()) return test::skip("NumPy is not installed (Debian: python3-numpy)");
    roundTrip<float>(NpyType::float32, "<f4");
    roundTrip<double>(NpyType::float64, "<f8");
}

TEST_CASE("the same rows give the same array file", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto write = [&](const std::string& name, std::size_t rowsAtOnce) {
        WholeFile file(directory / name);
        NpyWriter writer(file, NpyType::float32, {4});
        const auto values = someValues<float>(400);
        for (std::size_t i = 0; i < 400; i += 4 * rowsAtOnce)
            writer.write(std::span(values).subspan(i, 4 * rowsAtOnce));
        writer.finish();
        file.commit();
        return test::readBytes(directory / name);
    };
    const auto bytes = write("a.npy", 1);
    CHECK(write("b.npy", 50) == bytes);
    CHECK(write("a.npy", 20) == bytes); // in place of the one that was there
}
