// The files of the user's judgements.
#include "Plugin/Recordings/UserReviews.h"

#include "ProcessorRig.h"
#include "Support/Catch.h"
#include "Support/Waiting.h"

#include <functional>
#include <memory>

using namespace earshot;
using plugin::UserReviews;
using Judgements = std::vector<ui::Judgement>;

namespace {

const Judgements two{{"=Dog", 12.5, 14.0, 2, false}, {"Vögel, \"fern\"", 0.1, 1.0 / 3.0, 0, true}};

ui::Judgements shared(const Judgements& judgements) { return std::make_shared<const Judgements>(judgements); }

// Keeps judgements, and waits until they are stored.
juce::String store(UserReviews& reviews, const Judgements& judgements) {
    auto why = reviews.set(shared(judgements));
    REQUIRE(test::eventually([&] { return !reviews.busy(); }));
    return why;
}

Judgements kept(UserReviews& reviews) { return *reviews.judgements(); }
Judgements keptBy(const std::function<juce::File()>& open) { return *UserReviews(open).judgements(); }

} // namespace

TEST_CASE("judgements are kept for each recording, by its path", "[unit]") {
    const test::HomeEnvironment home;
    juce::File open;
    const auto opened = [&] { return open; };
    UserReviews reviews(opened);
    CHECK(kept(reviews).empty());
    CHECK(store(reviews, two).contains("Open a recording"));
    const juce::File walk("/music/a/walk.wav"), other("/music/b/walk.wav");
    open = walk;
    CHECK(kept(reviews).empty());
    CHECK_FALSE(UserReviews::fileOf(walk).exists()); // nothing was judged
    CHECK(store(reviews, two).isEmpty());
    CHECK(kept(reviews) == two);
    open = other;
    CHECK(kept(reviews).empty());
    CHECK(store(reviews, {two[1]}).isEmpty());
    open = walk;
    UserReviews later(opened);
    CHECK(kept(later) == two);
    CHECK(store(later, {}).isEmpty());
    CHECK(keptBy(opened).empty());
    CHECK(UserReviews::fileOf(walk) != UserReviews::fileOf(other));
    CHECK(UserReviews::fileOf(walk).loadFileAsString().contains("/music/a/walk.wav"));
}

TEST_CASE("damaged lines of a review cost no other judgement, and stay", "[unit]") {
    const test::HomeEnvironment home;
    const juce::File walk("/music/walk.wav");
    const auto opened = [&] { return walk; };
    {
        UserReviews first(opened);
        REQUIRE(store(first, two).isEmpty());
    }
    const auto whole = UserReviews::fileOf(walk).loadFileAsString();
    for (const char* damage : {"1,2,0,Dog", "2,1,0,Dog,right", "nan,2,0,Dog,right", "1,2,-1,Dog,right",
                               "1,2,0,,right", "1,2,0,Dog,maybe", "1,2,1e99,Dog,right", "\"1,2,0"}) {
        CAPTURE(damage);
        REQUIRE(UserReviews::fileOf(walk).replaceWithText(juce::String(damage) + "\n" + whole));
        UserReviews reviews(opened);
        CHECK(kept(reviews) == two);
        CHECK(store(reviews, {two[0]}).isEmpty());
        CHECK(UserReviews::fileOf(walk).loadFileAsString().contains(damage));
        CHECK(keptBy(opened) == Judgements{two[0]});
    }
}

TEST_CASE("judgements are there before they are written, and no later ones cost them", "[unit]") {
    const test::HomeEnvironment home;
    juce::File open("/music/walk.wav");
    UserReviews reviews([&] { return open; });
    Judgements many;
    for (int i = 0; i < 100'000; ++i) many.push_back({"Dog", 3.0 * i, 3.0 * i + 1.0, 0, true});
    CHECK(reviews.set(shared(many)).isEmpty());
    open = juce::File("/music/other.wav");
    CHECK(reviews.judgements()->empty());
    open = juce::File("/music/walk.wav");
    CHECK(reviews.judgements()->size() == many.size()); // it is still being written
    many.push_back({"Dog", 1e6, 1e6 + 1.0, 0, false});
    CHECK(store(reviews, many).isEmpty());
    CHECK(keptBy([&] { return open; }) == many);
}

TEST_CASE("a review that cannot be stored says so until it is", "[unit]") {
    const test::HomeEnvironment home;
    const juce::File walk("/music/walk.wav");
    UserReviews reviews([&] { return walk; });
    const auto folder = UserReviews::fileOf(walk).getParentDirectory();
    REQUIRE(folder.getParentDirectory().createDirectory().wasOk());
    REQUIRE(folder.create().wasOk()); // a file is where the folder should be
    CHECK(store(reviews, two).isEmpty());
    CHECK(reviews.problem().startsWith("The review could not be saved: "));
    CHECK(kept(reviews) == two);
    REQUIRE(folder.deleteFile());
    CHECK(store(reviews, two).isEmpty());
    CHECK(reviews.problem().isEmpty());
    CHECK(keptBy([&] { return walk; }) == two);
}

TEST_CASE("a review that cannot be read is not replaced", "[unit]") {
    const test::HomeEnvironment home;
    const juce::File walk("/music/walk.wav");
    const auto opened = [&] { return walk; };
    REQUIRE(UserReviews::fileOf(walk).createDirectory().wasOk());
    UserReviews reviews(opened);
    CHECK(kept(reviews).empty());
    CHECK(store(reviews, two).startsWith("The review cannot be read: "));
    CHECK(UserReviews::fileOf(walk).isDirectory());
}
