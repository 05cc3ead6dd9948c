// A listener that remembers what the watcher told it.
#pragma once

#include "Ui/Watcher.h"

namespace earshot::test {

struct Ear : ui::Watcher::Listener {
    void heardMore(const ui::Watcher::Changes& changes) override {
        ++calls;
        last = changes;
    }
    int calls = 0;
    ui::Watcher::Changes last;
};

} // namespace earshot::test
