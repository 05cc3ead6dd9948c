#include "Core/Batch/Inputs.h"

#include "Support/Catch.h"

using namespace earshot::batch;

TEST_CASE("shards deal every recording to exactly one", "[unit]") {
    for (const int count : {1, 2, 4, 7})
        for (std::size_t position = 0; position < 50; ++position) {
            int owners = 0;
            for (int index = 0; index < count; ++index) owners += Shard{index, count}.has(position) ? 1 : 0;
            CHECK(owners == 1);
        }
}

TEST_CASE("a shard is I/N with I below N, and nothing else", "[unit]") {
    CHECK(parseShard("0/1") == Shard{0, 1});
    CHECK(parseShard("3/4") == Shard{3, 4});
    for (const char* wrong : {"", "1", "/", "1/", "/2", "4/4", "-1/4", "0/0", "1/2/3", "a/b", "1 /2", "0x1/4",
                              "99999999999/100000000000", "1.0/2"}) {
        CAPTURE(wrong);
        CHECK_FALSE(parseShard(wrong));
    }
}

TEST_CASE("a shard's folder says which it is", "[unit]") {
    for (const Shard shard : {Shard{0, 1}, Shard{3, 12}})
        CHECK(shardOfFolder("some/where/" + folderName(shard)) == shard);
    for (const char* wrong : {"shard-", "shard-1-of-1", "shard-1-2", "shards", "x/shard-0-of-2/y"})
        CHECK_FALSE(shardOfFolder(wrong));
}
