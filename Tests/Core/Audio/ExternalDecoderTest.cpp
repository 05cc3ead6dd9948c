// Recordings that ffmpeg reads. Without ffmpeg they are skipped.
#include "Core/Audio/ExternalDecoder.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Audio/AudioTools.h"
#include "Core/Base/Error.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Skip.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

using namespace earshot;
using audio::AudioFile;
using test::messageOf;
using test::readAll;

namespace {

struct WithFfmpeg {
    WithFfmpeg() { audio::decodeWithFfmpeg(true); }
    ~WithFfmpeg() { audio::decodeWithFfmpeg(false); }
};

// Three seconds, as M4A of lossless sound; false: this ffmpeg makes none.
bool makeM4a(const test::TemporaryDirectory& directory, const std::filesystem::path& file) {
    const auto wav = directory / "source.wav";
    test::writeAudio(wav, test::AudioFormat::wavPcm16, 16000, 2, test::noise(16000 * 3 * 2, 1, 0.3f));
    return std::system(
               ("ffmpeg -v error -y -i '" + wav.string() + "' -c:a alac -f ipod '" + file.string() + "'")
                   .c_str()) == 0;
}

} // namespace

TEST_CASE("a format that libsndfile does not read is named with what to do, or read by ffmpeg", "[unit]") {
    if (!audio::ffmpegIsInstalled()) return test::skip("ffmpeg is not installed");
    const test::TemporaryDirectory directory;
    // Names that a shell, or ffmpeg, would take for something else.
    for (const std::string& name : {std::string("voice.m4a"), std::string("-y $(touch x) ; 'a'.m4a"),
                                    std::string("concat:a|b.m4a"), std::string("http:%03d*?.m4a")}) {
        CAPTURE(name);
        const auto path = directory / name;
        if (!makeM4a(directory, directory / "made.m4a")) return test::skip("this ffmpeg makes no M4A");
        std::filesystem::rename(directory / "made.m4a", path);
        CHECK_THAT(messageOf(path),
                   ContainsSubstring("libsndfile does not read this format; convert it (ffmpeg -i FILE "
                                     "out.flac), or --decode-with ffmpeg"));
        const WithFfmpeg decoding;
        AudioFile file(path);
        CHECK(file.sampleRate() == 16000);
        CHECK(file.channels() == 2);
        AudioFile reference(directory / "source.wav");
        const std::vector<float> expected = readAll(reference);
        CHECK(readAll(file) == expected);
        CHECK_FALSE(file.oddLength());
        file.seek(32000);
        std::vector<float> block(1000);
        REQUIRE(file.read(block) == block.size());
        CHECK(std::equal(block.begin(), block.end(), expected.begin() + 32000));
        file.seek(16000 * 10);
        CHECK(file.read(block) == 0);
        // One that is given up in the midst of it ends its program at once.
        const auto begin = std::chrono::steady_clock::now();
        { AudioFile left(path); }
        CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
    }
}

TEST_CASE("what ffmpeg cannot read either is an error that says why", "[unit]") {
    if (!audio::ffmpegIsInstalled()) return test::skip("ffmpeg is not installed");
    const test::TemporaryDirectory directory;
    const WithFfmpeg decoding;
    const auto path = directory / "broken.m4a";
    // A list that leads to another file is no recording.
    test::writeAudio(directory / "secret.wav", test::AudioFormat::wavPcm16, 16000, 1, test::noise(16000, 1));
    for (const std::string& bytes :
         {std::string("no audio at all"), std::string(100'000, '\0'),
          "ffconcat version 1.0\nfile " + (directory / "secret.wav").string() + "\n",
          "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n" + (directory / "secret.wav").string() +
              "\n#EXT-X-ENDLIST\n"}) {
        CAPTURE(bytes.substr(0, 20));
        test::writeBytes(path, bytes);
        CHECK_THAT(messageOf(path), ContainsSubstring("holds no audio that ffmpeg reads"));
    }
    if (!makeM4a(directory, path)) return test::skip("this ffmpeg makes no M4A");
    test::truncate(path, 0.5); // its index stands at the end
    CHECK_THAT(messageOf(path), ContainsSubstring("holds no audio that ffmpeg reads"));
    // What libsndfile reads never goes there.
    AudioFile file(directory / "secret.wav");
    CHECK(readAll(file).size() == 16000);
}
