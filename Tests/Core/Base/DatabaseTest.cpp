#include "Core/Base/Database.h"

#include "Core/Base/Error.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <limits>

using namespace earshot;

namespace {

std::int64_t countOf(Database& database) {
    auto rows = database.prepare("SELECT count(*) FROM things");
    REQUIRE(rows.step());
    return rows.integer(0);
}

} // namespace

TEST_CASE("a database gives back what was put in, bit for bit", "[unit]") {
    const test::TemporaryDirectory folder;
    const std::string odd = std::string("a'b\"\n\xff") + '\0' + "z";
    const std::int64_t large = std::numeric_limits<std::int64_t>::min();
    const double small = 0.1 + 1e-17;
    {
        Database database(folder / "x.sqlite");
        database.execute("CREATE TABLE things (a INTEGER, b REAL, c TEXT, d TEXT)");
        database.prepare("INSERT INTO things VALUES (?, ?, ?, ?)")
            .bind(1, large)
            .bind(2, small)
            .bind(3, odd)
            .bind(4, std::string_view())
            .run();
    }
    Database database(folder / "x.sqlite", Database::Access::read);
    auto rows = database.prepare("SELECT a, b, c, d, d IS NULL FROM things");
    REQUIRE(rows.step());
    CHECK(rows.integer(0) == large);
    CHECK(rows.real(1) == small);
    CHECK(rows.text(2) == odd);
    CHECK(rows.text(3).empty());
    CHECK(rows.integer(4) == 0);
    CHECK_FALSE(rows.step());
}

TEST_CASE("a transaction that is not committed leaves nothing", "[unit]") {
    const test::TemporaryDirectory folder;
    Database database(folder / "x.sqlite");
    database.execute("CREATE TABLE things (a INTEGER)");
    {
        const Transaction transaction(database);
        database.execute("INSERT INTO things VALUES (1)");
        CHECK(countOf(database) == 1);
    }
    CHECK(countOf(database) == 0);
    Transaction transaction(database);
    database.execute("INSERT INTO things VALUES (1)");
    transaction.commit();
    CHECK(countOf(database) == 1);
}

TEST_CASE("a transaction during another is a part of it", "[unit]") {
    const test::TemporaryDirectory folder;
    Database database(folder / "x.sqlite");
    database.execute("CREATE TABLE things (a INTEGER)");
    Database another(folder / "x.sqlite", Database::Access::read);
    const auto addInPart = [&](bool commits) {
        Transaction part(database);
        database.execute("INSERT INTO things VALUES (1)");
        if (commits) part.commit();
    };
    {
        const Transaction whole(database);
        addInPart(true);
        CHECK(countOf(database) == 1);
    }
    CHECK(countOf(database) == 0); // a part of nothing
    {
        Transaction whole(database);
        addInPart(true);
        addInPart(false); // alone leaves nothing
        CHECK(countOf(another) == 0);
        whole.commit();
    }
    CHECK(countOf(database) == 1);
    addInPart(true); // a whole one again
    CHECK(countOf(another) == 2);
}

TEST_CASE("a file that is no database is an error with its name", "[unit]") {
    const test::TemporaryDirectory folder;
    test::writeBytes(folder / "text.sqlite", std::string(5000, 'x'));
    CHECK_THROWS_WITH(Database(folder / "text.sqlite").execute("SELECT * FROM things"),
                      ContainsSubstring("text.sqlite"));
    CHECK_THROWS_AS(Database(folder / "missing.sqlite", Database::Access::read), Error);
    CHECK_THROWS_AS(Database(folder / "no folder" / "x.sqlite"), Error);
}
