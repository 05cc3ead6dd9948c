#include "Plugin/State/StateText.h"

#include "Support/Catch.h"

#include <juce_core/juce_core.h>

#include <random>
#include <string>

using namespace earshot;

TEST_CASE("what JUCE wrote is a state, and nothing that claims more than it holds", "[unit]") {
    std::mt19937 random(5);
    for (int bytes = 0; bytes < 200; ++bytes) {
        juce::MemoryBlock block(static_cast<std::size_t>(bytes));
        for (int i = 0; i < bytes; ++i) block[i] = static_cast<char>(random());
        const std::string text = block.toBase64Encoding().toStdString();
        INFO(text);
        REQUIRE(plugin::isStateText(text));
        REQUIRE(plugin::isStateText(text + std::string(1, '\0'))); // as hosts hand it over
        if (bytes > 3) REQUIRE_FALSE(plugin::isStateText(text.substr(0, text.size() - 6)));
    }
    for (const char* text : {"", ".", "-5.AAAA", "5", "5.", "99999999999.AAAA", "4294967291.AAAA",
                             "2000000000.AAAA", "+1.AA", " 1.AA", "1e9.AAAA", "0x10.AAAA", ".AAAA"})
        REQUIRE_FALSE(plugin::isStateText(text));
    REQUIRE_FALSE(plugin::isStateText({"5.\0AAAAAAAAAA", 13}));
}
