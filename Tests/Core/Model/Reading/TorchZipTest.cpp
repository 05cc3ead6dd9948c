#include "Core/Model/Reading/TorchZip.h"

#include "Core/Base/Error.h"
#include "Core/Model/Reading/ImageModel.h"
#include "Core/Model/Reading/Networks.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/FileBreaker.h"
#include "Support/Paths.h"
#include "Support/TorchMaker.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace earshot;
using namespace std::string_literals;
namespace pickled = test::pickled;

namespace {

std::vector<float> valuesOf(model::Checkpoint& file, const std::string& name) {
    const auto values = file.read(name);
    return {values.values().begin(), values.values().end()};
}

std::string floats(const std::vector<float>& values) {
    std::string bytes(values.size() * sizeof(float), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

const std::vector<float> sixValues = {0, 1, 2, 3, 4, 5};
const std::string sixStored = pickled::storage("FloatStorage", "0", 6);

// A checkpoint whose one tensor is a view of the six values.
std::string viewFile(std::int64_t offset, const std::vector<std::int64_t>& shape,
                     const std::vector<std::int64_t>& strides) {
    return test::torchFile(pickled::document(pickled::dictionary(
                               {{"view", pickled::tensor(sixStored, offset, shape, strides)}})),
                           {{"0", floats(sixValues)}});
}

class TorchFolder {
  public:
    std::unique_ptr<model::Checkpoint> open(const std::string& bytes) const {
        test::writeBytes(file(), bytes);
        return model::openTorchZip(RegularFile(file()));
    }
    void requireRefused(const std::string& bytes, const std::string& message) const {
        INFO(message);
        REQUIRE_THROWS_AS(open(bytes), Error);
        REQUIRE_THROWS_WITH(open(bytes), ContainsSubstring(message) && ContainsSubstring("model.ckpt"));
    }
    std::filesystem::path file() const { return folder_ / "model.ckpt"; }

  private:
    test::TemporaryDirectory folder_;
};

} // namespace

TEST_CASE("a Lightning checkpoint gives its state dictionary, whatever lies beside it", "[unit]") {
    const auto file = model::openTorchZip(RegularFile(test::goldenDirectory() / "lightning_small.ckpt"));
    REQUIRE(file->format() == "PyTorch");
    REQUIRE(file->metadata().empty());
    REQUIRE(file->tensors().size() == 11);

    std::vector<float> quarters(16);
    for (std::size_t i = 0; i < quarters.size(); ++i) quarters[i] = static_cast<float>(i) / 4 - 2;
    const auto weight = file->read("sed_model.patch_embed.proj.weight"); // not the average of the same name
    REQUIRE(weight.shape() == tensor::Shape{4, 1, 2, 2});
    REQUIRE(std::equal(quarters.begin(), quarters.end(), weight.values().begin()));

    constexpr float infinity = std::numeric_limits<float>::infinity();
    const auto half = valuesOf(*file, "sed_model.half");
    REQUIRE(file->tensors().at("sed_model.half").dtype == model::DType::float16);
    REQUIRE(std::vector(half.begin(), half.end() - 1) ==
            std::vector<float>{0x1p-24f, 0x3ffp-24f, 0x1p-14f, 1.0f, -0.0f, 65504.0f, infinity, -infinity});
    REQUIRE(std::isnan(half.back()));
    REQUIRE(file->tensors().at("sed_model.brain").dtype == model::DType::bfloat16);
    const auto brain = valuesOf(*file, "sed_model.brain");
    REQUIRE(brain[0] == 1.0f);
    REQUIRE(brain[1] == -2.5f);
    REQUIRE(brain[2] == Approx(3.0e38f).epsilon(0.005));
    REQUIRE(brain[3] == Approx(1.0e-40f).epsilon(0.5));
    REQUIRE(file->tensors().at("sed_model.double").dtype == model::DType::float64);
    REQUIRE(valuesOf(*file, "sed_model.double") ==
            std::vector<float>{0.1f, -infinity, 1.0f / 3.0f, 0x1p-149f});

    REQUIRE(file->tensors().at("sed_model.transposed").shape == tensor::Shape{4, 3});
    REQUIRE(valuesOf(*file, "sed_model.transposed") ==
            std::vector<float>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
    REQUIRE(valuesOf(*file, "sed_model.slice") == std::vector<float>{4, 6, 8, 10});
    REQUIRE(valuesOf(*file, "sed_model.expanded") == std::vector<float>{7, 7, 7, 8, 8, 8});
    REQUIRE(file->tensors().at("sed_model.batches").shape.empty());
    for (const std::string integers : {"sed_model.batches", "sed_model.flags"})
        REQUIRE_THROWS_WITH(file->read(integers), ContainsSubstring(integers + ": expected weights, found "));
    REQUIRE(file->read("sed_model.empty").shape() == tensor::Shape{0, 3});
    REQUIRE_THROWS_WITH(file->read("exp_avg"), ContainsSubstring("has no tensor exp_avg"));
}

TEST_CASE("the network's dictionary is found by content and name", "[unit]") {
    const TorchFolder folder;
    const auto at = [](int offset) { return pickled::tensor(sixStored, offset, {1}, {1}); };
    const auto network = [&](int offset) {
        return pickled::dictionary({{"patch_embed.proj.weight", at(offset)}});
    };
    const auto many = pickled::dictionary({{"a", at(0)}, {"b", at(0)}, {"c", at(0)}});
    const auto chosen = [&](const std::string& value) {
        const auto file = folder.open(test::torchFile(pickled::document(value), {{"0", floats(sixValues)}}));
        return file->contains("patch_embed.proj.weight") ? valuesOf(*file, "patch_embed.proj.weight")[0]
                                                         : -1.0f;
    };
    REQUIRE(chosen(network(1)) == 1.0f);
    REQUIRE(chosen(pickled::dictionary({{"optimizer", many}, {"net", network(2)}})) == 2.0f);
    REQUIRE(chosen(pickled::dictionary(
                {{"ema", network(1)}, {"model", network(2)}, {"state_dict", network(3)}})) == 3.0f);
    REQUIRE(chosen(pickled::dictionary(
                {{"module", network(1)}, {"model", network(2)}, {"ema", network(3)}})) == 2.0f);
    REQUIRE(chosen(pickled::dictionary({{"outer", pickled::dictionary({{"model", network(4)}})}})) == 4.0f);
    REQUIRE(chosen(pickled::dictionary({{"few", pickled::dictionary({{"a", at(0)}})}, {"many", many}})) ==
            -1.0f);
    // A dictionary that contains itself
    REQUIRE(chosen("}q\x01(" + pickled::text("self") + "h\x01" + pickled::text("model") + network(5) + "u") ==
            5.0f);
    folder.requireRefused(test::torchFile(pickled::document(pickled::dictionary({{"epoch", "K\x07"}})), {}),
                          "holds no named tensors");
    folder.requireRefused(test::torchFile(pickled::document(at(0)), {{"0", floats(sixValues)}}),
                          "holds no named tensors");
}

TEST_CASE("other dictionaries with networks keep their names, and shared ones count once", "[unit]") {
    const TorchFolder folder;
    const auto at = [](int offset) { return pickled::tensor(sixStored, offset, {1}, {1}); };
    const auto network = [&](int offset) {
        return pickled::dictionary({{"patch_embed.proj.weight", at(offset)}, {"norm.bias", at(0)}});
    };
    const auto opened = [&](const std::string& value) {
        return folder.open(test::torchFile(pickled::document(value), {{"0", floats(sixValues)}}));
    };
    const auto values = [&](model::Checkpoint& file, const std::string& prefix) {
        return valuesOf(file, prefix + "patch_embed.proj.weight")[0];
    };
    const auto two = opened(pickled::dictionary({{"model_ema", network(1)}, {"model", network(2)}}));
    CHECK(two->dictionary() == "model");
    CHECK(two->otherDictionaries() == std::vector<std::string>{"model_ema"});
    CHECK(values(*two, "") == 2.0f);
    CHECK(values(*two, "model_ema.") == 1.0f);
    CHECK(two->tensors().size() == 4);

    // The average never takes the names of the raw network, however deep it lies.
    const auto deep = opened(pickled::dictionary(
        {{"ema", pickled::dictionary({{"state_dict", network(3)}})}, {"net", network(4)}}));
    CHECK(deep->dictionary() == "net");
    CHECK(values(*deep, "") == 4.0f);
    CHECK(values(*deep, "ema.state_dict.") == 3.0f);

    const auto moved =
        opened(pickled::dictionary({{"state_dict", network(5)}, {"current_model_state", network(1)}}));
    const auto found = model::findNetworks(*moved);
    CHECK(found.describe() == "2 networks, current_model_state (raw) and state_dict (ema)");
    CHECK(found.network().prefix.empty());

    CHECK(
        opened(pickled::dictionary({{"model", network(2)}, {"state_dict", network(2)}}))->tensors().size() ==
        2);
}

TEST_CASE("dictionaries nested without end take no time of their own", "[unit]") {
    const TorchFolder folder;
    std::string nested =
        pickled::dictionary({{"patch_embed.proj.weight", pickled::tensor(sixStored, 1, {1}, {1})}});
    for (int i = 0; i < 3000; ++i)
        nested = "}(" + pickled::text("") + nested + pickled::text("patch_embed.proj.weight") +
                 pickled::tensor(sixStored, i % 6, {1}, {1}) + "u";
    const auto file = folder.open(test::torchFile(pickled::document(nested), {{"0", floats(sixValues)}}));
    CHECK(file->contains("patch_embed.proj.weight"));
}

TEST_CASE("a checkpoint of Swin's own training gives its model, whatever lies beside it", "[unit]") {
    const auto numbers = [](std::int64_t offset) {
        return pickled::tensor(pickled::storage("FloatStorage", "0", 6), offset, {1, 3, 1, 1}, {3, 1, 1, 1});
    };
    const auto table = pickled::tensor(sixStored, 0, {1, 2}, {2, 1});
    const auto network =
        pickled::dictionary({{"patch_embed.proj.weight", numbers(3)},
                             {"layers.0.blocks.0.attn.relative_position_bias_table", table}});
    // An object of a class of the library "yacs": a dictionary with attributes.
    const auto node = [](const std::string& module, const std::string& value) {
        return pickled::call(pickled::global(module, "CfgNode"), {}) + "(" + pickled::text("MODEL") + value +
               "u" + pickled::dictionary({{"__immutable__", pickled::integer(1)}}) + "b";
    };
    const auto state = pickled::dictionary({{"exp_avg", numbers(0)}, {"exp_avg_sq", numbers(0)}});
    const auto training = [&](const std::string& config) {
        return test::torchFile(
            pickled::document(pickled::dictionary(
                {{"model", network},
                 {"optimizer", pickled::dictionary({{"state", pickled::dictionary({{"0", state}})},
                                                    {"param_groups", pickled::list({})}})},
                 {"lr_scheduler", pickled::dictionary({{"t_initial", pickled::integer(300)}})},
                 {"scaler", pickled::dictionary({{"scale", pickled::integer(65536)}})},
                 {"epoch", pickled::integer(299)},
                 {"config", config}})),
            {{"0", floats(sixValues)}});
    };
    const TorchFolder folder;
    const std::string yacs = "yacs.config";
    const auto file = folder.open(training(node(yacs, node(yacs, pickled::text("swin")))));
    REQUIRE(file->tensors().size() == 2);
    CHECK(valuesOf(*file, "patch_embed.proj.weight") == std::vector<float>{3, 4, 5});
    CHECK(model::findImageModel(*file).value().version == 1);
    // Another class is not stepped over.
    folder.requireRefused(training(node("yacs.loader", pickled::integer(1))),
                          "asks to run code that Earshot does not know (yacs.loader.CfgNode)");
}

TEST_CASE("views are read row-major, in any order and from any place", "[unit]") {
    const TorchFolder folder;
    const auto read = [&](std::int64_t offset, const std::vector<std::int64_t>& shape,
                          const std::vector<std::int64_t>& strides) {
        return valuesOf(*folder.open(viewFile(offset, shape, strides)), "view");
    };
    REQUIRE(read(0, {2, 3}, {3, 1}) == sixValues);
    REQUIRE(read(0, {3, 2}, {1, 3}) == std::vector<float>{0, 3, 1, 4, 2, 5});
    REQUIRE(read(2, {3}, {1}) == std::vector<float>{2, 3, 4});
    REQUIRE(read(1, {2, 2}, {2, 2}) == std::vector<float>{1, 3, 3, 5});
    REQUIRE(read(5, {2, 2}, {0, 0}) == std::vector<float>{5, 5, 5, 5});
    REQUIRE(read(0, {1, 6}, {std::numeric_limits<std::int64_t>::max(), 1}) ==
            sixValues); // a stride never taken
    REQUIRE(read(0, {2, 1, 3}, {3, std::numeric_limits<std::int64_t>::max(), 1}) == sixValues);
    REQUIRE(read(0, {2, 1, 2}, {3, std::numeric_limits<std::int64_t>::max(), 1}) ==
            std::vector<float>{0, 1, 3, 4});
    REQUIRE(read(3, {}, {}) == std::vector<float>{3});
    REQUIRE(read(9, {0}, {1}).empty());
    REQUIRE(read(0, {0, std::int64_t{1} << 62, 2}, {1, 1, 1}).empty());
}

TEST_CASE("views that reach outside their storage are refused", "[unit]") {
    const TorchFolder folder;
    constexpr auto huge = std::numeric_limits<std::int64_t>::max();
    folder.requireRefused(viewFile(0, {7}, {1}), "reach outside");
    folder.requireRefused(viewFile(1, {6}, {1}), "reach outside");
    folder.requireRefused(viewFile(6, {}, {}), "reach outside");
    folder.requireRefused(viewFile(-1, {2}, {1}), "reach outside");
    folder.requireRefused(viewFile(huge, {2}, {1}), "reach outside");
    folder.requireRefused(viewFile(5, {2}, {-1}), "reach outside");
    folder.requireRefused(viewFile(0, {3, 3}, {2, 1}), "reach outside");
    folder.requireRefused(viewFile(0, {3}, {huge}), "reach outside");
    folder.requireRefused(viewFile(0, {2, 2, 2}, {huge, huge, 2}), "reach outside");
    folder.requireRefused(viewFile(0, {6}, {}), "reach outside");
    folder.requireRefused(viewFile(0, {-6}, {1}), "too large");
    folder.requireRefused(viewFile(0, {huge, huge}, {0, 0}), "too large");
    folder.requireRefused(viewFile(0, {std::int64_t{1} << 25}, {0}), "too large");
}

TEST_CASE("a storage must be in the archive, as long as it is declared", "[unit]") {
    const TorchFolder folder;
    const auto declared = [](const std::string& type, std::int64_t elements, const std::string& bytes) {
        const auto tensor = pickled::tensor(pickled::storage(type, "0", elements), 0, {1}, {1});
        return test::torchFile(pickled::document(pickled::dictionary({{"a", tensor}})), {{"0", bytes}});
    };
    REQUIRE_NOTHROW(folder.open(declared("FloatStorage", 2, floats({1, 2}))));
    folder.requireRefused(declared("FloatStorage", 3, floats({1, 2})), "takes 8 bytes, expected 12");
    folder.requireRefused(declared("FloatStorage", 1, floats({1, 2})), "takes 8 bytes, expected 4");
    folder.requireRefused(declared("DoubleStorage", 2, floats({1, 2})), "takes 8 bytes, expected 16");
    folder.requireRefused(declared("FloatStorage", -2, floats({1, 2})), "reach outside");
    folder.requireRefused(declared("FloatStorage", std::int64_t{1} << 62, floats({1, 2})), "reach outside");
    folder.requireRefused(declared("ComplexFloatStorage", 1, floats({1, 2})), "type ComplexFloatStorage");
    const auto dangling = pickled::tensor(pickled::storage("FloatStorage", "../0", 2), 0, {1}, {1});
    folder.requireRefused(
        test::torchFile(pickled::document(pickled::dictionary({{"a", dangling}})), {{"0", floats({1, 2})}}),
        "archive/data/../0: is missing");
}

TEST_CASE("archives that are no checkpoint say what they are", "[unit]") {
    const TorchFolder folder;
    const auto document =
        pickled::document(pickled::dictionary({{"view", pickled::tensor(sixStored, 0, {6}, {1})}}));
    folder.requireRefused(test::zipArchive({{"model.ckpt", "x"}}), "unpack it first");
    folder.requireRefused(test::zipArchive({{"m/data.pkl", document}, {"m/constants.pkl", "x"}}),
                          "TorchScript");
    folder.requireRefused(test::zipArchive({{"m/data.pkl", document}, {"m/byteorder", "big"}}),
                          "little-endian");
    folder.requireRefused(test::zipArchive({{"m/data.pkl", document}, {"m/byteorder", ""}}), "little-endian");
    const test::ZipEntry storage{"Ünï/data/0", floats(sixValues)};
    const auto good =
        folder.open(test::zipArchive({{"Ünï/data.pkl", document}, {"Ünï/byteorder", "little"}, storage}));
    REQUIRE(valuesOf(*good, "view") == sixValues);
}

TEST_CASE("packed entries are unpacked, and may not claim more than they can hold", "[unit]") {
    const TorchFolder folder;
    const auto document =
        pickled::document(pickled::dictionary({{"view", pickled::tensor(sixStored, 0, {6}, {1})}}));
    const auto archive =
        test::zipArchive({{"m/data.pkl", document, true}, {"m/data/0", floats(sixValues), true}});
    REQUIRE(valuesOf(*folder.open(archive), "view") == sixValues);

    // The declared size of data/0 in the directory, made a gigabyte
    auto bomb = archive;
    const auto directory = bomb.rfind("PK\x01\x02");
    bomb.replace(directory + 24, 4, "\0\0\0\x40"s);
    folder.requireRefused(bomb, "packed in a way");
    auto stored = viewFile(0, {6}, {1});
    stored.replace(stored.rfind("PK\x01\x02") + 24, 4, "\0\0\0\x40"s);
    folder.requireRefused(stored, "packed in a way");
}

TEST_CASE("damaged values are noticed by their checksum", "[unit]") {
    const TorchFolder folder;
    auto bytes = viewFile(0, {6}, {1});
    const auto position = bytes.find(floats(sixValues));
    bytes[position + 7] = '\x40';
    const auto file = folder.open(bytes);
    REQUIRE_THROWS_WITH(file->read("view"), ContainsSubstring("archive/data/0: is damaged"));
}

TEST_CASE("a PyTorch file cut anywhere is refused", "[unit]") {
    const TorchFolder folder;
    const auto whole = viewFile(0, {2, 3}, {3, 1});
    REQUIRE(test::readToTheEnd(folder.file(), whole));
    for (std::size_t length = 0; length < whole.size(); ++length) {
        INFO("cut to " << length << " bytes");
        REQUIRE_FALSE(test::readToTheEnd(folder.file(), whole.substr(0, length)));
    }
}

TEST_CASE("no damage to a PyTorch file does more than raise an error", "[unit]") {
    const TorchFolder folder;
    const auto whole = test::readBytes(test::goldenDirectory() / "lightning_small.ckpt");
    int opened = 0;
    for (std::uint32_t seed = 0; seed < 3000; ++seed)
        opened += test::readToTheEnd(folder.file(), test::mutated(whole, seed)) ? 1 : 0;
    REQUIRE(opened > 100);
}

TEST_CASE("tensors that share a storage are read from it once", "[unit]") {
    const TorchFolder folder;
    const auto view = [](std::int64_t offset, const std::vector<std::int64_t>& shape,
                         const std::vector<std::int64_t>& strides) {
        return pickled::tensor(sixStored, offset, shape, strides);
    };
    const auto bytes =
        test::torchFile(pickled::document(pickled::dictionary({{"whole", view(0, {6}, {1})},
                                                               {"end", view(4, {2}, {1})},
                                                               {"columns", view(1, {2, 2}, {1, 2})},
                                                               {"nothing", view(6, {0}, {1})}})),
                        {{"0", floats(sixValues)}});
    const auto file = folder.open(bytes);
    REQUIRE(valuesOf(*file, "end") == std::vector<float>{4, 5});
    // Were it read again, the change would be noticed by its checksum.
    auto changed = bytes;
    const auto place = changed.find(floats({4, 5}));
    REQUIRE(place != std::string::npos);
    changed[place] = '\x7f';
    test::writeBytes(folder.file(), changed);
    REQUIRE(valuesOf(*file, "whole") == sixValues);
    REQUIRE(valuesOf(*file, "columns") == std::vector<float>{1, 3, 2, 4});
    REQUIRE(valuesOf(*file, "nothing").empty());
    REQUIRE_THROWS_WITH(valuesOf(*folder.open(changed), "end"), ContainsSubstring("damaged"));
}

TEST_CASE("only the part of a storage that tensors are in is kept", "[unit]") {
    const TorchFolder folder;
    std::vector<float> values(1'000'000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    const auto stored = pickled::storage("FloatStorage", "0", 1'000'000);
    const auto file = folder.open(test::torchFile(
        pickled::document(pickled::dictionary({{"a", pickled::tensor(stored, 999'000, {3}, {1})},
                                               {"b", pickled::tensor(stored, 998'000, {2}, {1500})}})),
        {{"0", floats(values)}}));
    REQUIRE(valuesOf(*file, "a") == std::vector<float>{999'000, 999'001, 999'002});
    REQUIRE(valuesOf(*file, "b") == std::vector<float>{998'000, 999'500});
}

TEST_CASE("an archive that would unpack to far more than its size is refused", "[unit]") {
    const TorchFolder folder;
    // Each storage is named by tensors of its own, and the archive says that all lie in the same bytes.
    const auto archive = [](std::size_t claimed) {
        const auto stored = pickled::storage("FloatStorage", "0", static_cast<std::int64_t>(claimed / 4));
        return test::zipArchive({{"archive/data.pkl", pickled::document(pickled::dictionary(
                                                          {{"a", pickled::tensor(stored, 0, {4}, {1})}}))},
                                 {"archive/data/0", std::string(60'000, '\0'), true, claimed}});
    };
    folder.requireRefused(archive(40'000'000), "would unpack to more than");
    REQUIRE_NOTHROW(folder.open(archive(1'400'000)));
}

TEST_CASE("names in a PyTorch file are bounded", "[unit]") {
    const TorchFolder folder;
    // One long key for each of many tensors: every copy would take a megabyte.
    const std::string key(1'000'000, 'k');
    std::string items = pickled::text(key) + "q\x01" + "0}(";
    for (int i = 0; i < 6000; ++i)
        items += pickled::text(std::to_string(i)) +
                 pickled::tensor(
                     pickled::tuple({pickled::text("storage"), pickled::global("torch", "FloatStorage"),
                                     "h\x01", pickled::text("cpu"), pickled::integer(1)}) +
                         "Q",
                     0, {1}, {1});
    folder.requireRefused(test::torchFile(pickled::document(items + "u"), {}), "key is too long");

    const auto named = [&](const std::string& name) {
        return test::torchFile(
            pickled::document(pickled::dictionary({{name, pickled::tensor(sixStored, 0, {6}, {1})}})),
            {{"0", floats(sixValues)}});
    };
    REQUIRE_NOTHROW(folder.open(named(std::string(model::maxTensorNameLength, 'n'))));
    folder.requireRefused(named(std::string(model::maxTensorNameLength + 1, 'n')), "takes 1025 bytes");

    // The same tensor under more and more names.
    std::string many = "}" + pickled::tensor(sixStored, 0, {6}, {1}) + "q\x01" + "0(";
    for (std::size_t i = 0; i <= model::maxTensors; ++i) many += pickled::text(std::to_string(i)) + "h\x01";
    folder.requireRefused(test::torchFile(pickled::document(many + "u"), {{"0", floats(sixValues)}}),
                          "more than 100000 tensors");
}

TEST_CASE("rows of a tensor are read without the others", "[unit]") {
    const TorchFolder folder;
    const auto rowsOf = [](model::Checkpoint& file, std::vector<std::int64_t> rows) {
        const auto values = file.readRows("view", rows);
        return std::pair(values.shape(), std::vector(values.values().begin(), values.values().end()));
    };
    using Rows = std::pair<tensor::Shape, std::vector<float>>;
    const auto plain = folder.open(viewFile(0, {3, 2}, {2, 1}));
    CHECK(rowsOf(*plain, {0, 2}) == Rows({2, 2}, {0, 1, 4, 5}));
    CHECK(rowsOf(*plain, {1}) == Rows({1, 2}, {2, 3}));
    CHECK(rowsOf(*plain, {}) == Rows({0, 2}, {}));
    const auto part = folder.open(viewFile(2, {2, 2}, {2, 1}));
    CHECK(rowsOf(*part, {1}) == Rows({1, 2}, {4, 5}));
    const auto transposed = folder.open(viewFile(0, {2, 3}, {1, 2}));
    CHECK(rowsOf(*transposed, {1}) == Rows({1, 3}, {1, 3, 5}));
}

TEST_CASE("the memory of a tensor serves another of the same shape", "[unit][no-emulator]") {
    const TorchFolder folder;
    tensor::Tensor kept;
    const auto valuesFrom = [&](std::int64_t offset, std::vector<std::int64_t> shape,
                                std::vector<std::int64_t> strides) {
        folder.open(viewFile(offset, std::move(shape), std::move(strides)))->readInto("view", kept);
        return std::vector(kept.values().begin(), kept.values().end());
    };
    CHECK(valuesFrom(0, {2, 2}, {2, 1}) == std::vector<float>{0, 1, 2, 3});
    const float* const memory = kept.data();
    CHECK(valuesFrom(2, {2, 2}, {2, 1}) == std::vector<float>{2, 3, 4, 5});
    CHECK(valuesFrom(0, {2, 2}, {1, 2}) == std::vector<float>{0, 2, 1, 3});
    CHECK(kept.data() == memory);
    CHECK(valuesFrom(0, {3, 2}, {2, 1}) == std::vector<float>{0, 1, 2, 3, 4, 5});
    CHECK(kept.shape() == tensor::Shape{3, 2});
}
