#include "Core/Teaching/ExampleRows.h"

#include "Support/Catch.h"

#include <string>
#include <string_view>
#include <vector>

using namespace earshot;
using teaching::ExampleTable;

namespace {

// Fields of all rows: "a.wav|Dog;Cat|".
std::vector<std::string> fieldsOf(const ExampleTable& table, const std::vector<std::string_view>& columns) {
    std::vector<std::string> rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        std::string text;
        for (const auto column : columns)
            text += (text.empty() ? "" : "|") + std::string(table.field(row, column));
        rows.push_back(text);
    }
    return rows;
}

} // namespace

TEST_CASE("a renamed class has its new name once in each row, and scenery keeps its labels", "[unit]") {
    ExampleTable table("file,label,source_type,not\n"
                       "a,Dog;Cat;Bird,,\n"
                       "b,,,DOG\n"
                       "c,dog,background,\n"
                       "d,Cow,,\n"
                       "e,dog,,Cow\n"
                       "f,Dog,,Cat\n"
                       "g,Cat;Cow,,dog\n");
    teaching::renameClass(table, "DOG", " cat ");
    CHECK(fieldsOf(table, {"file", "label", "not"}) ==
          std::vector<std::string>{"a|Cat;Bird|", "b||Cat", "c|dog|", "d|Cow|", "e|Cat|Cow", "f|Cat|",
                                   "g|Cat;Cow|"});
    CHECK_FALSE(teaching::hasClass(table, "Dog"));
    CHECK(teaching::hasClass(table, "cAT"));
    CHECK_FALSE(teaching::hasClass(table, ""));
}

TEST_CASE("rows that are of another class, too, stay when a class is removed", "[unit]") {
    ExampleTable table("file,label,source_type,not,onset,offset\n"
                       "both,Dog;Cat,,,1,2\n"
                       "against another,dog,,Cat,1,2\n"
                       "against it,Cat,,DOG,1,2\n"
                       "its own,Dog,,Dog,1,2\n"
                       "scenery,Dog,rir,,,\n"
                       "other,Cat,,,1,2\n"
                       "last,DOG,,,,\n");
    CHECK(teaching::removeClass(table, "Dog") == std::vector<std::string>{"last", "its own"});
    // The stretch of an example that is only a counter-example now is that of the counter-example.
    CHECK(fieldsOf(table, {"file", "label", "not", "onset", "offset", "not_onset", "not_offset"}) ==
          std::vector<std::string>{"both|Cat||1|2||", "against another||Cat|||1|2", "against it|Cat||1|2||",
                                   "scenery|Dog|||||", "other|Cat||1|2||"});
    CHECK_FALSE(teaching::hasClass(table, "Dog"));
}
