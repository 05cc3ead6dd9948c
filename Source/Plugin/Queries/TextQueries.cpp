#include "Plugin/Queries/TextQueries.h"

#include "Core/Streaming/HopGovernor.h"
#include "Plugin/Base/Refusal.h"
#include "Ui/Panels/Widgets.h"

#include <fmt/format.h>

namespace earshot::plugin {

using ui::catchAll;

ui::Words TextQueries::state() const {
    ui::Words words = model_.words().view();
    if (!words.possible || !words.words.empty()) return words;
    const streaming::Status status = live_.session().status();
    if (status.state != streaming::State::running || !(status.load > 0.0)) return words;
    // A pass costs the same, whatever is made of it.
    constexpr double calm = streaming::HopGovernor::automaticLoad;
    auto price =
        fmt::format("Words cost nothing extra: the model uses {:.0f} % of a core at a hop of {:.2f} s.",
                    100.0 * status.load, status.hop);
    if (status.load > calm)
        price += fmt::format(" A hop of {:.1f} s would use {:.0f} %.", status.hop * status.load / calm,
                             100.0 * calm);
    words.price = ui::toText(price);
    return words;
}

// Applies the words as they are now. While nothing is known of the model, which has the former ones, it is
// loaded again with them. restart: a recording is analysed again, because its plain network was used, or is
// to be (streaming::MakeNetwork).
void TextQueries::use(bool restart) {
    const auto hearsWords = model_.words().heard();
    catchAll([&] {
        if (!hearsWords) {
            model_.reload();
            playback_.restart();
        } else if (*hearsWords) {
            model_.rescore();
            if (restart)
                playback_.restart();
            else
                playback_.rescore();
        }
    });
    if (onStored) onStored();
}

juce::String TextQueries::add(const juce::String& given) {
    return whyNotDone([&] {
        const bool first = model_.words().empty();
        auto problem = model_.words().add(given.toStdString());
        if (problem.empty()) use(first);
        return problem;
    });
}

juce::String TextQueries::rename(int id, const juce::String& name) {
    return whyNotDone([&] {
        auto problem = model_.words().rename(id, name.toStdString());
        if (problem.empty()) use(false);
        return problem;
    });
}

// The order is the views' alone: the model's classes stay where they are.
void TextQueries::move(int id, int places) {
    catchAll([&] { model_.words().move(id, places); });
    if (onStored) onStored();
}

void TextQueries::remove(int id) {
    catchAll([&] {
        model_.words().remove(id);
        use(model_.words().empty());
    });
}

void TextQueries::setJoin(bool join) {
    catchAll([&] {
        WordList& words = model_.words();
        if (words.joins() == join) return;
        words.setJoins(join);
        if (!words.empty()) return use(false);
        if (onStored) onStored(); // nothing is heard in another way
    });
}

} // namespace earshot::plugin
