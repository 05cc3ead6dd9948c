#include "Core/Model/Reading/Checkpoint.h"

#include "Core/Base/Error.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Paths.h"
#include "Support/Skip.h"

#include <iterator>

#include <sys/stat.h>

using namespace earshot;
using model::Checkpoint;

TEST_CASE("the reader is chosen by content, whatever the file is called", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto lightning = folder / "训练 модель.safetensors";
    std::filesystem::copy_file(test::goldenDirectory() / "lightning_small.ckpt", lightning);
    REQUIRE(Checkpoint::open(lightning)->format() == "PyTorch");
    const auto tensors = folder / "modèle.ckpt";
    std::filesystem::copy_file(test::goldenDirectory() / "outputs.safetensors", tensors);
    const auto opened = Checkpoint::open(tensors);
    REQUIRE(opened->format() == "safetensors");
    REQUIRE(opened->file() == tensors);
}

TEST_CASE("what is no model is refused with what it looks like", "[unit]") {
    struct Case {
        std::string bytes;
        std::string message;
    };
    const auto check = GENERATE(
        Case{"", "is empty"}, Case{"PK\x03\x04 and no more", "not a complete zip archive"},
        Case{"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", "torch.save(torch.load('old.pth'"},
        Case{std::string(257, '\0') + "ustar", "torch.save(torch.load('old.pth'"},
        Case{"\x80\x02}q.", "a bare Python pickle"}, Case{"\x89HDF\r\n", "HDF5"}, Case{"GGUF....", "GGUF"},
        Case{"\x1f\x8b\x08", "unpack it first"},
        Case{"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"},
        Case{"<!DOCTYPE html>", "a web page"}, Case{"RIFF\x24\x08WAVEfmt ", "an audio file"},
        Case{"{\"epoch\": 7, \"state\": 1}", "a JSON file"},
        Case{"something else entirely", "unknown format"},
        Case{std::string("\x40\0\0\0\0\0\0\0{\"a\":", 13), "cut short"});
    INFO(check.message);
    const test::TemporaryDirectory folder;
    test::writeBytes(folder / "old.pth", check.bytes);
    REQUIRE_THROWS_AS(Checkpoint::open(folder / "old.pth"), Error);
    REQUIRE_THROWS_WITH(Checkpoint::open(folder / "old.pth"),
                        ContainsSubstring(check.message) && ContainsSubstring("old.pth"));
}

TEST_CASE("a missing file and a folder are named as such", "[unit]") {
    const test::TemporaryDirectory folder;
    REQUIRE_THROWS_WITH(Checkpoint::open(folder / "absent.ckpt"),
                        ContainsSubstring("absent.ckpt: no such model file"));
    REQUIRE_THROWS_WITH(Checkpoint::open(folder.path()), ContainsSubstring("is a folder"));
}

TEST_CASE("a model is a regular file, and nothing else is waited for", "[unit]") {
    const test::TemporaryDirectory folder;
    REQUIRE(::mkfifo((folder / "pipe.ckpt").c_str(), 0600) == 0); // without a writer
    std::filesystem::create_symlink(folder / "pipe.ckpt", folder / "link.ckpt");
    for (const char* const name : {"pipe.ckpt", "link.ckpt"})
        REQUIRE_THROWS_WITH(Checkpoint::open(folder / name), ContainsSubstring(name) &&
                                                                 ContainsSubstring("is a pipe") &&
                                                                 ContainsSubstring("name a model file"));
    REQUIRE_THROWS_WITH(Checkpoint::open("/dev/zero"), ContainsSubstring("is a device"));
}

TEST_CASE("a model's file is closed when it is done with, or refused", "[unit]") {
    const std::filesystem::path descriptors = "/proc/self/fd";
    if (!std::filesystem::exists(descriptors)) return test::skip("this system does not list open files");
    const auto open = [&] {
        const std::filesystem::directory_iterator entries(descriptors);
        return std::distance(begin(entries), end(entries));
    };
    const test::TemporaryDirectory folder;
    test::writeBytes(folder / "cut.ckpt", "PK\x03\x04 and no more");
    test::writeBytes(folder / "text.ckpt", "something else entirely");
    const auto before = open();
    for (const char* const name : {"lightning_small.ckpt", "outputs.safetensors"}) {
        const auto checkpoint = Checkpoint::open(test::goldenDirectory() / name);
        const auto weights = std::ranges::find_if(checkpoint->tensors(), [](const auto& item) {
            return item.second.dtype == model::DType::float32;
        });
        REQUIRE(weights != checkpoint->tensors().end());
        checkpoint->read(weights->first);
        REQUIRE(open() > before);
    }
    for (const char* const name : {"cut.ckpt", "text.ckpt"})
        REQUIRE_THROWS_AS(Checkpoint::open(folder / name), Error);
    REQUIRE_THROWS_AS(Checkpoint::open("/dev/zero"), Error);
    REQUIRE(open() == before);
}
