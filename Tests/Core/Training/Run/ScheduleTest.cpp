#include "Core/Training/Network/Optimiser.h"

#include "Support/Catch.h"

using namespace earshot;
using training::TrainerSettings;

TEST_CASE("the rate rises in a line and falls in half a cosine", "[unit]") {
    TrainerSettings settings;
    settings.steps = 101;
    settings.warmUp = 20;
    settings.peakRate = 1.0;
    settings.finalRate = 0.1;
    CHECK(learningRate(settings, 0) == Approx(0.05));
    CHECK(learningRate(settings, 9) == Approx(0.5));
    CHECK(learningRate(settings, 19) == Approx(1.0));
    CHECK(learningRate(settings, 20) == Approx(1.0));
    CHECK(learningRate(settings, 60) == Approx(0.55));
    CHECK(learningRate(settings, 100) == Approx(0.1));
    CHECK(learningRate(settings, 1000) == Approx(0.1));
    for (std::int64_t step = 21; step <= 100; ++step)
        CHECK(learningRate(settings, step) < learningRate(settings, step - 1));
}

TEST_CASE("runs too short for a warm-up still have a rate", "[unit]") {
    TrainerSettings settings;
    settings.steps = 1;
    settings.warmUp = 0;
    CHECK(learningRate(settings, 0) == Approx(settings.peakRate));
    settings.warmUp = 5;
    CHECK(learningRate(settings, 0) == Approx(settings.peakRate / 5));
}

TEST_CASE("the average forgets the start, then remembers longer", "[unit]") {
    TrainerSettings settings;
    settings.average = 0.99;
    CHECK(averageRate(settings, 0) == Approx(0.9));
    CHECK(averageRate(settings, 8) == Approx(0.5));
    CHECK(averageRate(settings, 100000) == Approx(0.01));
    settings.average = 0.0;
    CHECK(averageRate(settings, 50) == Approx(1.0)); // no averaging
}

TEST_CASE("stages unfreeze from the head to the input", "[unit]") {
    TrainerSettings settings;
    CHECK(firstTrainedStage(settings, 4, 0) == -1);
    settings.unfreezeAt = training::unfreezeEvenly(4, 100);
    CHECK(settings.unfreezeAt == std::vector<std::int64_t>{100, 80, 60, 40, 20, 0});
    CHECK(firstTrainedStage(settings, 4, 0) == 4);
    CHECK(firstTrainedStage(settings, 4, 19) == 4);
    CHECK(firstTrainedStage(settings, 4, 20) == 3);
    CHECK(firstTrainedStage(settings, 4, 99) == 0);
    CHECK(firstTrainedStage(settings, 4, 100) == -1);
    CHECK(stepsTrained(settings, 2, 70) == 30);
    CHECK(stepsTrained(settings, 2, 30) == 0);
    // A stage waits for those behind it.
    settings.unfreezeAt = {0, 0, 50, 0, 0, 0};
    CHECK(firstTrainedStage(settings, 4, 49) == 2);
    CHECK(firstTrainedStage(settings, 4, 50) == -1);
}
