// A listener that remembers what the view model told it.
#pragma once

#include "Ui/HistoryViewModel.h"

namespace earshot::test {

struct Ear : ui::HistoryViewModel::Listener {
    void historyChanged(const ui::HistoryViewModel::Changes& changes) override {
        ++calls;
        last = changes;
    }
    int calls = 0;
    ui::HistoryViewModel::Changes last;
};

} // namespace earshot::test
