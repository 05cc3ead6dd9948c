#include "Core/Formats/OscMessage.h"

#include "Support/Catch.h"

using namespace earshot;
using formats::oscMessage;

TEST_CASE("an OSC message has the bytes that the specification states", "[unit]") {
    using namespace std::string_literals;
    const std::string message = oscMessage({.onset = 1.5, .offset = 604800.08, .label = "Dog", .peak = 0.5f});
    CHECK(message == "/earshot/event\0\0"s + ",sddf\0\0\0"s + "Dog\0"s + "\x3f\xf8\0\0\0\0\0\0"s +
                         "\x41\x22\x75\x00\x28\xf5\xc2\x8f"s + "\x3f\0\0\0"s);
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
    CHECK(cut.substr(24, 199) == umlauts.substr(0, 199)); // no half character
    CHECK(cut[24 + 199] == '\0');
}
