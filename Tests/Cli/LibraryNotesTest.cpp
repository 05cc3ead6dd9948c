#include "Cli/Output/LibraryNotes.h"

#include "Cli/Earshot.h"
#include "Support/Catch.h"
#include "Support/Skip.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace earshot;
using test::runEarshot;

namespace {

// What a process like this one writes to standard error.
std::string errorsOf(const std::function<void()>& life) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(ends[1], STDERR_FILENO);
        life();
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string errors;
    std::array<char, 4096> buffer{};
    for (ssize_t bytes = 0; (bytes = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
        errors.append(buffer.data(), static_cast<std::size_t>(bytes));
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    return errors;
}

void say(const char* text) { std::fputs(text, stderr); }

} // namespace

TEST_CASE("damaged MP3s are one message each, without the decoder's own notes", "[unit]") {
    if (!test::canWrite(test::AudioFormat::mp3)) return test::skip("this libsndfile cannot write MP3");
    const test::TemporaryDirectory directory;
    const std::string file = (directory / "damaged.mp3").string();
    test::writeAudio(file, test::AudioFormat::mp3, 48000, 1, test::noise(96000, 1));
    std::string bytes = test::readBytes(file);
    for (std::size_t i = bytes.size() / 3; i < bytes.size(); i += 97) bytes[i] = static_cast<char>(i % 251);
    test::writeBytes(file, bytes);
    std::filesystem::create_directories(directory / "archive");
    std::filesystem::copy_file(file, directory / "archive" / "damaged.mp3");
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"analyze", file, "--quiet"},
          {"analyze", file, "--quiet", "--format", "csv", "--output", "/dev/null"},
          {"analyze", (directory / "archive").string(), "--quiet", "--output-dir",
           (directory / "out").string()},
          {"embed", file, "--quiet", "--output-dir", (directory / "vectors").string()}}) {
        CAPTURE(arguments);
        const auto result = runEarshot(arguments);
        CHECK(test::lineCount(result.errors) <= 1);
        if (result.exitCode != 0)
            CHECK_THAT(result.errors,
                       Catch::Matchers::StartsWith("earshot: ") && ContainsSubstring("damaged.mp3"));
    }
}

TEST_CASE("what libraries say is seen only when one of them ends the program", "[unit][no-emulator]") {
    using cli::LibraryNotes;
    const auto original = stderr;
    CHECK(errorsOf([] {
              {
                  const LibraryNotes notes;
                  say("Note: nothing of yours\n");
              }
              say("after\n");
          }) == "after\n");
    CHECK(errorsOf([] {
              const LibraryNotes notes;
              say("a.cpp:1: Assertion failed\n");
              std::abort();
          }) == "a.cpp:1: Assertion failed\n");
    CHECK(errorsOf([] {
              const LibraryNotes notes;
              say("no more threads\n");
              ::close(STDOUT_FILENO); // nothing of this process's
              std::exit(1);
          }) == "no more threads\n");
    // The last of it, and what does not go through `stderr`.
    CHECK(errorsOf([] {
              const LibraryNotes notes;
              for (int i = 0; i < 10000; ++i) say(i % 2 == 0 ? "a" : "b");
              say("!");
              if (::write(STDERR_FILENO, "direct ", 7) == 7) std::abort();
          }).starts_with("direct baba"));
    CHECK(original == stderr);
}
