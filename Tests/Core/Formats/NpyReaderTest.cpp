
#include "Core/Base/Error.h"
#include "Core/Formats/Npy.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Compare.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

using namespace earshot;

namespace {

std::string npy(const std::string& header, const std::string& values, char version = 1) {
    std::string file = "\x93NUMPY";
    file += {version, '\0'};
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
        file += static_cast<char>(header.size() >> (8 * i) & 0xff);
    return file + header + values;
}

std::string header(const std::string& type, const std::string& shape) {
    return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
}

template <typename T>
std::string bytesOf(const std::vector<T>& values) {
    std::string bytes(values.size() * sizeof(T), '\0');
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

class Folder {
  public:
    formats::NpyArray read(const std::string& bytes) const {
        test::writeBytes(file, bytes);
        return formats::readNpy(file);
    }
    test::TemporaryDirectory directory;
    std::filesystem::path file = directory / "array.npy";
};

} // namespace

TEST_CASE("arrays come back as they were written", "[unit]") {
    const Folder folder;
    const auto values = test::randomValues(35, 1);
    {
        WholeFile file(folder.file);
        formats::NpyWriter writer(file, formats::NpyType::float32, {7});
        writer.write(values);
        writer.finish();
        file.commit();
    }
    const auto found = formats::readNpy(folder.file);
    CHECK(found.shape == std::vector<std::int64_t>{5, 7});
    CHECK(found.values == values);
    {
        WholeFile file(folder.file);
        formats::NpyWriter writer(file, formats::NpyType::float64, {});
        writer.write(test::widened(values));
        writer.finish();
        file.commit();
    }
    CHECK(formats::readNpy(folder.file).shape == std::vector<std::int64_t>{35});
    CHECK(formats::readNpy(folder.file).values == values);
}

TEST_CASE("halves become the floats they stand for", "[unit]") {
    const Folder folder;
    const std::vector<std::uint16_t> halves = {0x0000, 0x8000, 0x3c00, 0xc000, 0x7bff,
                                               0x0400, 0x0001, 0x83ff, 0x3555, 0x7c00};
    const std::vector<float> expected = {0.0f,
                                         -0.0f,
                                         1.0f,
                                         -2.0f,
                                         65504.0f,
                                         6.103515625e-05f,
                                         5.9604644775390625e-08f,
                                         -6.097555160522461e-05f,
                                         0.333251953125f,
                                         std::numeric_limits<float>::infinity()};
    const auto found = folder.read(npy(header("<f2", "(10,)"), bytesOf(halves))).values;
    CHECK(found == expected);
    CHECK(std::signbit(found[1]));
    const std::vector<std::uint16_t> nan = {0x7e00};
    CHECK(std::isnan(folder.read(npy(header("<f2", "(1,)"), bytesOf(nan))).values.front()));
}

TEST_CASE("headers are read however NumPy writes them", "[unit]") {
    const Folder folder;
    const auto four = bytesOf(std::vector<float>{1, 2, 3, 4});
    const auto shapeOf = [&](const std::string& text, char version = 1) {
        return folder.read(npy(text, four, version)).shape;
    };
    using Shape = std::vector<std::int64_t>;
    CHECK(shapeOf("{\"shape\":(2,2),\"descr\":\"<f4\",\"fortran_order\":False}") == Shape{2, 2});
    CHECK(shapeOf(header("<f4", "(1, 4, 1)"), 2) == Shape{1, 4, 1});
    CHECK(shapeOf(header("<f4", "( 4 ,)"), 3) == Shape{4});
    CHECK(shapeOf("{'descr': '<f4', 'fortran_order': True, 'shape': (4,), }") == Shape{4});
    CHECK(folder.read(npy(header("<f4", "(0, 5)"), "")).values.empty());
    CHECK(folder.read(npy(header("<f8", "()"), bytesOf(std::vector<double>{0.5}))).values ==
          std::vector<float>{0.5f});
}

TEST_CASE("what is no array is refused in one line that names the file", "[unit]") {
    const Folder folder;
    const auto expectError = [&](const std::string& bytes, const std::string& message) {
        CAPTURE(message);
        try {
            folder.read(bytes);
            FAIL("read");
        } catch (const Error& error) {
            CHECK_THAT(error.what(), ContainsSubstring(folder.file.string()) && ContainsSubstring(message));
            CHECK(std::string(error.what()).find('\n') == std::string::npos);
        }
    };
    const std::string one(4, '\0');
    expectError("", "no NumPy array");
    expectError("PK\x03\x04 a zip archive", "no NumPy array");
    expectError(npy(header("<f4", "(1,)"), one, 9), "format 9");
    expectError(npy(header("<f4", "(2,)"), one), "cut or damaged");
    expectError(npy(header("<f4", "(1,)"), one + one), "cut or damaged");
    expectError(npy(header("<i8", "(1,)"), one + one), "float32");
    expectError(npy(header(">f4", "(1,)"), one), "float32");
    expectError(npy(header("|O", "(1,)"), one), "float32");
    expectError(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", one), "header");
    expectError(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1)}", one), "ascontiguousarray");
    expectError(npy(header("<f4", "(4611686018427387904, 4)"), one), "right file");
    expectError(npy(header("<f4", "(4294967296, 4294967296)"), one), "right file");
    expectError(npy(header("<f4", "(99999999999999999999,)"), one), "header");
    expectError(npy(header("<f4", "(-1,)"), one), "header");
    expectError(npy(header("<f4", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"), one), "header");
    expectError(npy(header("<f4", "1"), one), "header");
    expectError(npy("{}", one), "header");
    expectError(npy("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", one),
                "header");
    expectError(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} + 1", one), "header");
    test::writeBytes(folder.directory / "short.npy", "\x93NUMPY\x02\x01\xff\xff\xff\x7f");
    CHECK_THROWS_AS(formats::readNpy(folder.directory / "short.npy"), Error);
    CHECK_THROWS_WITH(formats::readNpy(folder.directory / "none.npy"), ContainsSubstring("no such file"));
    CHECK_THROWS_WITH(formats::readNpy(folder.directory.path()), ContainsSubstring("regular file"));
}

TEST_CASE("no cut and no changed byte of an array does more than fail", "[unit]") {
    const Folder folder;
    const auto whole = npy(header("<f4", "(2, 3)"), bytesOf(test::randomValues(6, 2)));
    for (std::size_t length = 0; length < whole.size(); ++length)
        CHECK_THROWS_AS(folder.read(whole.substr(0, length)), Error);
    std::mt19937 random(1);
    for (int i = 0; i < 3000; ++i) {
        auto broken = whole;
        for (int flips = 0; flips < 3; ++flips)
            broken[random() % broken.size()] = static_cast<char>(random());
        try {
            const auto array = folder.read(broken);
            CHECK(array.values.size() * 2 <= whole.size());
        } catch (const Error&) {
            SUCCEED();
        }
    }
}
