#include "Core/Base/RegularFile.h"

#include "Core/Base/Error.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <array>
#include <string>
#include <thread>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace earshot;

namespace {

constexpr std::uint64_t plenty = 1 << 20;

std::string messageOf(const std::filesystem::path& file) {
    try {
        readWholeFile(file, plenty, "list");
    } catch (const Error& error) {
        return error.what();
    }
    return "was read";
}

} // namespace

TEST_CASE("a regular file is read whole, through links as well", "[unit]") {
    const test::TemporaryDirectory folder;
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{65536}, std::size_t{200'001}}) {
        std::string bytes(size, '\0');
        for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7);
        test::writeBytes(folder / "file", bytes);
        CHECK(readWholeFile(folder / "file", plenty, "list") == bytes);
    }
    std::filesystem::create_symlink(folder / "file", folder / "link");
    CHECK(readWholeFile(folder / "link", plenty, "list").size() == 200'001);
    CHECK(RegularFile(folder / "link").size() == 200'001);
    CHECK(readWholeFile(folder / "file", 200'001, "list").size() == 200'001);
    CHECK_THROWS_WITH(readWholeFile(folder / "file", 200'000, "list"),
                      ContainsSubstring("file: is too large for a list"));
}

TEST_CASE("what is no regular file is refused at once, and named", "[unit]") {
    const test::TemporaryDirectory folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    std::filesystem::create_symlink(folder / "pipe", folder / "link");
    CHECK_THAT(messageOf(folder / "pipe"), ContainsSubstring("pipe: is a pipe") && ContainsSubstring("list"));
    CHECK_THAT(messageOf(folder / "link"), ContainsSubstring("link: is a pipe"));
    CHECK_THAT(messageOf(folder.path()), ContainsSubstring("is a folder, not a regular file; name a list"));
    CHECK_THAT(messageOf("/dev/zero"), ContainsSubstring("/dev/zero: is a device"));
    CHECK_THAT(messageOf("/dev/null"), ContainsSubstring("is a device"));
    CHECK_THAT(messageOf(folder / "none"), ContainsSubstring("no such list; check the name"));
    CHECK_THAT(messageOf(folder / "pipe/none"), ContainsSubstring("no such list"));

    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = (folder / "socket").string();
    name.copy(address.sun_path, sizeof(address.sun_path) - 1);
    REQUIRE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
    CHECK_THAT(messageOf(name), ContainsSubstring("socket: is a socket"));
    ::close(socket);
}

TEST_CASE("a pipe is read to its end where that is allowed, but no device", "[unit][threads]") {
    const test::TemporaryDirectory folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    const std::string bytes(300'000, 'x');
    std::thread writer([&] { test::writeBytes(folder / "pipe", bytes); });
    CHECK(readWholeFile(folder / "pipe", plenty, "list", Pipes::read) == bytes);
    writer.join();
    test::writeBytes(folder / "file", "text");
    CHECK(readWholeFile(folder / "file", plenty, "list", Pipes::read) == "text");
    CHECK_THROWS_WITH(readWholeFile("/dev/zero", plenty, "list", Pipes::read),
                      ContainsSubstring("is a device"));
}

TEST_CASE("parts of a file are read by their place, and a shorter file is an error", "[unit]") {
    const test::TemporaryDirectory folder;
    test::writeBytes(folder / "file", "0123456789");
    RegularFile file(folder / "file");
    std::array<std::byte, 4> part{};
    file.read(5, part);
    CHECK(static_cast<char>(part[0]) == '5');
    CHECK(static_cast<char>(part[3]) == '8');
    CHECK(file.readSome(8, part) == 2);
    CHECK(file.readSome(10, part) == 0);
    const RegularFile moved = std::move(file);
    moved.read(0, part);
    CHECK(static_cast<char>(part[0]) == '0');
    CHECK_THROWS_WITH(moved.read(7, part), ContainsSubstring("file: cannot be read beyond byte 10"));
}
