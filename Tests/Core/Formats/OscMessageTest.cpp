#include "Core/Formats/OscMessage.h"

#include "Support/Catch.h"

using namespace earshot;
using formats::oscMessage;

TEST_CASE("an OSC message has the bytes that the specification states", "[unit]") {
    using namespace std::string_literals;
    const std::string message =
        oscMessage({.onset = 1.5, .offset = 604800.25, .label = "Dog", .peak = 0.5f}, "A1");
    CHECK(message == "/earshot/event\0\0"s + ",sfffsifif\0\0"s + "Dog\0"s + "\x3f\xc0\0\0"s +
                         "\x49\x13\xa8\x04"s + "\x3f\0\0\0"s + "A1\0\0"s + "\0\0\0\x01"s + "\x3f\0\0\0"s +
                         "\0\x09\x3a\x80"s + "\x3e\x80\0\0"s);
}

TEST_CASE("labels of any bytes and lengths make whole messages", "[unit]") {
    for (std::size_t length = 0; length < 400; ++length) {
        std::string label(length, 'x');
        if (length > 2) label[length / 2] = '\0';
        for (const std::string& text :
             {label, label + "\xc3", std::string(length, '\xff'), std::string("\xc3\xa4") + label}) {
            const auto message = oscMessage({.label = text});
            CHECK(message.size() % 4 == 0);
            CHECK(message.size() < 300);
        }
    }
    std::string umlauts = "x";
    for (int i = 0; i < 200; ++i) umlauts += "\xc3\xa4";
    const auto cut = oscMessage({.label = umlauts});
    CHECK(cut.substr(28, 199) == umlauts.substr(0, 199)); // no half character
    CHECK(cut[28 + 199] == '\0');
}
