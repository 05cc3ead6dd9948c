#include "Core/Base/Sha256.h"

#include "Core/Base/Error.h"
#include "Core/Base/Stop.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"

using namespace earshot;

TEST_CASE("SHA-256 gives the standard's examples", "[unit]") {
    // FIPS 180-4, examples of NIST.
    CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256(std::string(1000000, 'a')) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("the SHA-256 of a file is that of its bytes, whatever its size", "[unit]") {
    const test::TemporaryDirectory folder;
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{1} << 20, (std::size_t{3} << 20) + 17}) {
        const std::string bytes(size, 'x');
        test::writeBytes(folder / "file", bytes);
        CHECK(sha256OfFile(folder / "file") == sha256(bytes));
    }
    CHECK_THROWS_AS(sha256OfFile(folder / "missing"), Error);
    CHECK_THROWS_AS(sha256OfFile(folder.path()), Error);
}

TEST_CASE("hashing a file can be stopped", "[unit]") {
    const test::TemporaryDirectory folder;
    test::writeBytes(folder / "file", std::string(std::size_t{3} << 20, 'x'));
    StopSource stop;
    CHECK(sha256OfFile(folder / "file", stop.token()).size() == 64);
    stop.stop();
    CHECK_THROWS_AS(sha256OfFile(folder / "file", stop.token()), Stopped);
}
