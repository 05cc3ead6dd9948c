#include "Core/Model/Reading/Pickle.h"

#include "Core/Base/Error.h"
#include "Core/Model/Reading/PickleCalls.h"
#include "Support/Catch.h"
#include "Support/FileBreaker.h"
#include "Support/TorchMaker.h"

#include <chrono>

using namespace earshot;
using namespace std::string_literals;
namespace pickle = model::pickle;
namespace pickled = test::pickled;

namespace {

pickle::Document parsed(const std::string& bytes) {
    return pickle::parse({bytes.begin(), bytes.end()}, "m.ckpt");
}

// Items of the list or tuple that a pickle holds.
const std::vector<pickle::Ref>& items(const pickle::Document& document) {
    const auto* sequence = document.as<pickle::Sequence>(document.root);
    REQUIRE(sequence != nullptr);
    return sequence->items;
}

void requireRefused(const std::string& bytes, const std::string& message) {
    INFO(message);
    REQUIRE_THROWS_AS(parsed(bytes), Error);
    REQUIRE_THROWS_WITH(parsed(bytes), ContainsSubstring(message) && ContainsSubstring("m.ckpt"));
}

} // namespace

TEST_CASE("numbers of every opcode have Python's values", "[unit]") {
    const auto document = parsed("\x80\x02(K\xffM\xff\xffJ\xff\xff\xff\xff"
                                 "J\xff\xff\xff\x7f\x8a\x00\x8a\x01\x80\x8a\x02\x80\x00"
                                 "\x8b\x01\x00\x00\x00\x07\x88\x89t."s);
    const std::vector<std::int64_t> expected = {255, 65535, -1, 2147483647, 0, -128, 128, 7};
    const auto& values = items(document);
    REQUIRE(values.size() == expected.size() + 2);
    for (std::size_t i = 0; i < expected.size(); ++i)
        REQUIRE(*document.as<std::int64_t>(values[i]) == expected[i]);
    REQUIRE(*document.as<bool>(values[expected.size()]));
    REQUIRE_FALSE(*document.as<bool>(values[expected.size() + 1]));

    const auto real = parsed("\x80\x02G\xbf\xf8\x00\x00\x00\x00\x00\x00."s);
    REQUIRE(*real.as<double>(real.root) == -1.5);
    const auto least = parsed(pickled::document(pickled::integer(std::numeric_limits<std::int64_t>::min())));
    REQUIRE(*least.as<std::int64_t>(least.root) == std::numeric_limits<std::int64_t>::min());
    const auto huge = parsed("\x80\x02\x8a\x09"s + std::string(9, '\x7f') + ".");
    REQUIRE(huge.as<pickle::Opaque>(huge.root) != nullptr);
}

TEST_CASE("protocols 2 to 5 give the same containers", "[unit]") {
    // {"a": [1, (None, b"x")], "s": {2}}, by the opcodes of each protocol
    const auto bytes = GENERATE("\x80\x02}q\x00(X\x01\x00\x00\x00"
                                "aq\x01]q\x02(K\x01NU\x01x\x86q\x03"
                                "eX\x01\x00\x00\x00sc__builtin__\nset\n]K\x02"
                                "a\x85Ru."s,
                                "\x80\x04\x95\x20\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01"
                                "a\x94]\x94(K\x01NC\x01x\x86\x94"
                                "e\x8c\x01s\x8f\x94(K\x02\x90u."s,
                                "\x80\x05}\x94\x8c\x01"
                                "a\x94]\x94K\x01"
                                "aN\x96\x01\x00\x00\x00\x00\x00\x00\x00x\x86\x94"
                                "as\x8c\x01s(K\x02\x91s."s);
    const auto document = parsed(bytes);
    const auto* dictionary = document.as<pickle::Dictionary>(document.root);
    REQUIRE(dictionary != nullptr);
    REQUIRE(dictionary->entries.size() == 2);
    REQUIRE(document.as<pickle::Text>(dictionary->entries[0].first)->utf8 == "a");
    const auto* list = document.as<pickle::Sequence>(dictionary->entries[0].second);
    REQUIRE(list->items.size() == 2);
    REQUIRE(*document.as<std::int64_t>(list->items[0]) == 1);
    const auto* tuple = document.as<pickle::Sequence>(list->items[1]);
    REQUIRE(document.as<pickle::None>(tuple->items[0]) != nullptr);
    REQUIRE(document.as<pickle::Text>(dictionary->entries[1].first)->utf8 == "s");
}

TEST_CASE("a pickle that asks for code is refused by the code's name", "[unit]") {
    const auto command = pickled::text("touch /tmp/owned");
    requireRefused(pickled::document(pickled::call(pickled::global("posix", "system"), {command})),
                   "posix.system");
    requireRefused("\x80\x02(" + command + "iposix\nsystem\n.", "posix.system");                 // INST
    requireRefused("\x80\x02(" + pickled::global("nt", "system") + command + "o.", "nt.system"); // OBJ
    requireRefused("\x80\x02" + pickled::global("subprocess", "Popen") + command + "\x85\x81.",
                   "subprocess.Popen");
    requireRefused("\x80\x04" + pickled::text("builtins") + pickled::text("eval") + "\x93" + command +
                       "\x85R.",
                   "builtins.eval");
    requireRefused("\x80\x04" + pickled::text("builtins") + pickled::text("getattr") + "\x93.",
                   "builtins.getattr");
    requireRefused(pickled::document(pickled::global("__builtin__", "exec")), "__builtin__.exec");
    // Known packages vouch for plain names only, and only whole packages.
    requireRefused(pickled::document(pickled::global("lightning", "os.system")), "lightning.os.system");
    requireRefused(pickled::document(pickled::global("lightning_evil", "run")), "lightning_evil.run");
    requireRefused(pickled::document(pickled::global("torch", "load")), "torch.load");
    requireRefused(pickled::document(pickled::global("torch.hub", "load")), "torch.hub.load");
    requireRefused(pickled::document(pickled::global("torch.nnx", "run")), "torch.nnx.run");
    requireRefused(pickled::document(pickled::global("functools", "reduce")), "functools.reduce");
    // What is harmless itself hides nothing.
    requireRefused(pickled::document(pickled::call(pickled::global("functools", "partial"),
                                                   {pickled::global("os", "system"), command})),
                   "os.system");
    requireRefused(pickled::document(pickled::global("a\x1b[2J", "b")), "a?[2J.b");
}

TEST_CASE("what trainings note beside their weights is stepped over", "[unit]") {
    for (const auto& [module, name] : {std::pair{"datetime", "datetime"},
                                       {"functools", "partial"},
                                       {"torch._C._nn", "gelu"},
                                       {"torch.nn.modules.activation", "GELU"},
                                       {"pathlib._local", "PosixPath"},
                                       {"omegaconf.dictconfig", "DictConfig"},
                                       {"torch", "bool"},
                                       {"torch.torch_version", "TorchVersion"},
                                       {"__builtin__", "max"}}) {
        CAPTURE(module, name);
        const auto document =
            parsed(pickled::document(pickled::call(pickled::global(module, name), {pickled::integer(1)})));
        CHECK(document.as<pickle::Opaque>(document.root) != nullptr);
    }
}

TEST_CASE("known names are not called either", "[unit]") {
    const auto path = pickled::call(pickled::global("pathlib", "PosixPath"), {pickled::text("/")});
    const auto document = parsed(pickled::document(path + "}b")); // with a state
    REQUIRE(document.as<pickle::Opaque>(document.root) != nullptr);
    const auto filled =
        parsed("\x80\x02" + pickled::global("pytorch_lightning.utilities.parsing", "AttributeDict") +
               ")\x81K\x01K\x02sK\x01"
               "a.");
    REQUIRE(filled.as<pickle::Opaque>(filled.root) != nullptr);
}

TEST_CASE("a malformed pickle is refused with what is wrong", "[unit]") {
    const auto storage = pickled::storage("FloatStorage", "0", 4);
    requireRefused("", "ends too early");
    requireRefused("\x80\x02K\x01", "ends too early"); // no STOP
    requireRefused("\x80\x02.", "stack is empty");
    requireRefused("\x80\x02R.", "stack is empty");
    requireRefused("\x80\x02K\x01R.", "stack is empty");
    requireRefused("\x80\x02(.", "stack is empty");
    requireRefused("\x80\x02K\x01(s.", "stack is empty"); // a mark guards what lies below
    requireRefused("\x80\x02t.", "mark is missing");
    requireRefused("\x80\x02u.", "mark is missing");
    requireRefused("\x80\x02h\x07.", "never stored");
    requireRefused("\x80\x02q\x07.", "stack is empty");
    requireRefused("\x80\x02X\xff\xff\xff\xff"
                   "a.",
                   "ends too early");
    requireRefused("\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff"
                   "a.",
                   "ends too early");
    requireRefused("\x80\x02"
                   "cposix",
                   "name has no end");
    requireRefused("\x80\x01.", "protocol 1");
    requireRefused("\x80\x06.", "protocol 6");
    requireRefused("\x80\x02I1\n.", "opcode 0x49");
    requireRefused("\x80\x02\x82\x01.", "opcode 0x82"); // EXT1
    requireRefused("\x80\x02K\x01K\x02"
                   "a.",
                   "no list");
    requireRefused("\x80\x02K\x01K\x02K\x03s.", "no dictionary");
    requireRefused("\x80\x02}(K\x01u.", "no value");
    requireRefused("\x80\x04K\x01K\x02\x93.", "name is not text");
    requireRefused("\x80\x02K\x01)R.", "not of a function");
    requireRefused(pickled::document(pickled::global("torch", "Size") + "K\x01R"), "not of a function");
    requireRefused(pickled::document(pickled::call(pickled::global("torch", "Size"), {})), "wrong arguments");
    requireRefused(pickled::document("K\x01Q"), "persistent id is not a tuple");
    requireRefused(
        pickled::document(pickled::tuple({pickled::text("module"), pickled::global("torch", "FloatStorage"),
                                          pickled::text("0"), "N", "K\x01"}) +
                          "Q"),
        "not that of a storage");
    requireRefused(pickled::document(pickled::tensor("K\x01", 0, {1}, {1})), "wrong arguments");
    requireRefused(pickled::document(pickled::tensor(storage, 0, {1, 1, 1, 1, 1, 1, 1, 1, 1}, {1})),
                   "too many dimensions");
    requireRefused(
        pickled::document(pickled::call(pickled::global("collections", "OrderedDict"), {pickled::list({})})),
        "made from a list");
    requireRefused("\x80\x02"
                   "c" +
                       std::string(300, 'a') + "\nb\n.",
                   "too long");
}

TEST_CASE("a function that rebuilds itself comes to an end", "[unit]") {
    // f = _rebuild_from_type_v2; arguments = [f, None, arguments, None], a list that contains itself
    const auto loop = pickled::global("torch._tensor", "_rebuild_from_type_v2") + "q\x01]q\x02(h\x01Nh\x02Ne";
    requireRefused(pickled::document(loop + "R"), "nested too deeply");
}

TEST_CASE("lists that contain themselves are read and released", "[unit]") {
    const auto document = parsed("\x80\x02]q\x01h\x01"
                                 "a}q\x02K\x01h\x02sh\x01\x86.");
    REQUIRE(items(document).size() == 2);
}

TEST_CASE("nesting costs no call stack, and size is bounded", "[unit]") {
    const auto nested = [](std::size_t depth) {
        return "\x80\x02" + std::string(depth, ']') + std::string(depth - 1, 'a') + ".";
    };
    REQUIRE_NOTHROW(parsed(nested(1'000'000)));
    requireRefused(nested(pickle::maxValues + 1), "too many values");
    std::string tuples = "\x80\x02)";
    for (int i = 0; i < 1'000'000; ++i) tuples += '\x85';
    REQUIRE_NOTHROW(parsed(tuples + "."));
    requireRefused("\x80\x02" + std::string(pickle::maxValues + 1, '('), "too many marks");
    requireRefused("\x80\x02N" + std::string(pickle::maxValues, '2') + ".", "stack grows too high");
    requireRefused("\x80\x04N" + std::string(pickle::maxValues + 1, '\x94') + ".", "stores too many");
    requireRefused(std::string(pickle::maxPickleBytes + 1, 'N'), "at most");
}

TEST_CASE("repeating stored values does not multiply them", "[unit]") {
    // A tuple of two of the one before it, 200 times over: 2^200 leaves if anything copied them.
    std::string bomb = "\x80\x02N";
    for (int i = 0; i < 200; ++i) bomb += "2\x86";
    const auto document = parsed(bomb + ".");
    REQUIRE(document.values.size() == 201);
}

TEST_CASE("no damage to a pickle does more than raise an error", "[unit]") {
    const auto tensor = pickled::tensor(pickled::storage("FloatStorage", "0", 4), 0, {2, 2}, {2, 1});
    const auto whole = pickled::document(
        pickled::dictionary(
            {{"state_dict", pickled::dictionary({{"patch_embed.proj.weight", tensor}})},
             {"callbacks", pickled::call(pickled::global("collections", "OrderedDict"), {}) + "}b"},
             {"epochs", pickled::list({pickled::integer(7), "G\x3f\xf8\0\0\0\0\0\0"s, "h\x01"})}}) +
        "q\x01"
        "h\x01\x86");
    int accepted = 0;
    for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
        try {
            parsed(test::mutated(whole, seed));
            ++accepted;
        } catch (const Error&) { // as it should be
        }
    }
    REQUIRE(accepted > 0);
    for (std::size_t length = 0; length < whole.size(); ++length)
        REQUIRE_THROWS_AS(parsed(whole.substr(0, length)), Error);
}

TEST_CASE("containers are not filled without end with what was stored once", "[unit]") {
    std::string again = "\x80\x02Nq\x01";
    std::string items = "(";
    for (int i = 0; i < 500'000; ++i) items += "h\x01";
    for (int i = 0; i < 5; ++i) again += "]" + items + "e";
    requireRefused(again + ".", "hold too many values");
}
