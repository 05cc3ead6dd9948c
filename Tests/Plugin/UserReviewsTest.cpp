// The files of the user's judgements.
#include "Plugin/Recordings/UserReviews.h"

#include "ProcessorRig.h"
#include "Support/Catch.h"

using namespace earshot;
using plugin::UserReviews;
using Judgements = std::vector<ui::Judgement>;

namespace {

const Judgements two{{"Vögel, \"fern\"", 0.1, 1.0 / 3.0, 0, true}, {"=Dog", 12.5, 14.0, 2, false}};

} // namespace

TEST_CASE("judgements are kept for each recording, by its path", "[unit]") {
    const test::HomeEnvironment home;
    juce::File open;
    const auto opened = [&] { return open; };
    UserReviews reviews(opened);
    CHECK(reviews.judgements().empty());
    CHECK(reviews.set(two).contains("Open a recording"));
    const juce::File walk("/music/a/walk.wav"), other("/music/b/walk.wav");
    open = walk;
    CHECK(reviews.judgements().empty());
    CHECK_FALSE(UserReviews::fileOf(walk).exists()); // nothing was judged
    CHECK(reviews.set(two).isEmpty());
    CHECK(reviews.judgements() == two);
    open = other;
    CHECK(reviews.judgements().empty());
    CHECK(reviews.set({two[1]}).isEmpty());
    open = walk;
    UserReviews later(opened);
    CHECK(later.judgements() == two);
    CHECK(later.set({}).isEmpty());
    CHECK(UserReviews(opened).judgements().empty());
    CHECK(UserReviews::fileOf(walk) != UserReviews::fileOf(other));
    CHECK(UserReviews::fileOf(walk).loadFileAsString().contains("/music/a/walk.wav"));
}

TEST_CASE("damaged lines of a review cost no other judgement, and stay", "[unit]") {
    const test::HomeEnvironment home;
    const juce::File walk("/music/walk.wav");
    const auto opened = [&] { return walk; };
    REQUIRE(UserReviews(opened).set(two).isEmpty());
    const auto whole = UserReviews::fileOf(walk).loadFileAsString();
    for (const char* damage : {"1,2,0,Dog", "2,1,0,Dog,right", "nan,2,0,Dog,right", "1,2,-1,Dog,right",
                               "1,2,0,,right", "1,2,0,Dog,maybe", "1,2,1e99,Dog,right", "\"1,2,0"}) {
        CAPTURE(damage);
        REQUIRE(UserReviews::fileOf(walk).replaceWithText(juce::String(damage) + "\n" + whole));
        UserReviews reviews(opened);
        CHECK(reviews.judgements() == two);
        CHECK(reviews.set({two[0]}).isEmpty());
        CHECK(UserReviews::fileOf(walk).loadFileAsString().contains(damage));
        CHECK(UserReviews(opened).judgements() == Judgements{two[0]});
    }
}

TEST_CASE("a review that cannot be read is not replaced", "[unit]") {
    const test::HomeEnvironment home;
    const juce::File walk("/music/walk.wav");
    const auto opened = [&] { return walk; };
    REQUIRE(UserReviews::fileOf(walk).createDirectory().wasOk());
    UserReviews reviews(opened);
    CHECK(reviews.judgements().empty());
    CHECK(reviews.set(two).startsWith("The review cannot be read: "));
    CHECK(UserReviews::fileOf(walk).isDirectory());
}
