#include "Ui/ViewState.h"
#include "Support/Catch.h"

TEST_CASE("the view state keeps what is edited", "[unit]") {
    earshot::ui::ViewState state;
    state.edit([](auto& view) { view.pinned.insert("Dog"); });
    REQUIRE(state.get().pinned.count("Dog") == 1);
}
