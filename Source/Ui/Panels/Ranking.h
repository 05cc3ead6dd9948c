// The strongest sounds of the moment in an order that stays calm: a sound moves up only when it is clearly
// stronger than the one above it, so that names can be read. With peaks that hold and then fall.
// One thread at a time.
#pragma once

#include <span>
#include <vector>

namespace earshot::ui {

class Ranking {
  public:
    struct Entry {
        int classIndex = 0;
        float value = 0.0f; // probability now
        float held = 0.0f;  // the peak mark, at least `value`
    };

    static constexpr float margin = 0.06f;       // by which a sound must be stronger to overtake
    static constexpr float fallPerSecond = 0.5f; // of a peak mark, once it was held long enough

    explicit Ranking(int places)
        : places_(places) {}

    void clear();
    // values: (classes) probabilities of the newest column, not finite ones counting as 0; `shown` (classes)
    // says which take part. `elapsed` seconds since the last update; marks stand still for `hold` seconds.
    // Another number of classes starts anew.
    void update(std::span<const float> values, const std::vector<bool>& shown, double elapsed, double hold);

    std::span<const Entry> top() const { return top_; } // at most `places`, strongest first

  private:
    struct Sound {
        float value = 0.0f;
        float smooth = 0.0f; // what the order goes by
        float held = 0.0f;
        double sinceHeld = 0.0; // seconds
    };

    void follow(Sound& sound, float value, double elapsed, double hold) const;
    void place(const std::vector<bool>& shown);
    void sort();

    int places_;
    std::vector<Sound> sounds_; // (classes)
    std::vector<int> order_;    // class indices, strongest first
    std::vector<Entry> top_;
};

} // namespace earshot::ui
