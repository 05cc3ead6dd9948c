// Several recordings, over the right part of the view: their list, the batch that hears them, and the table
// of the events of all of them. Message thread.
#pragma once

#include "Ui/Control/RecordingControl.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/Panels/SidePanel.h"
#include "Ui/Recordings/FoundTable.h"
#include "Ui/Recordings/RecordingRows.h"

#include <functional>
#include <memory>

namespace earshot::ui {

class RecordingsPanel : public SidePanel {
  public:
    static constexpr int widest = 640;

    RecordingsPanel(RecordingControl& control, HistoryViewModel& viewModel);
    ~RecordingsPanel() override;

    RecordingRows& recordings();
    FoundTable& found();
    void showOpen(const juce::File& recording); // marks its row

    std::function<void(const juce::File&)> onOpen;
    std::function<void(const FoundEvent&)> onGoTo;
    std::function<void(const FoundEvent&)> onPlay; // or stop

  private:
    class Body;

    void historyChanged(const HistoryViewModel::Changes& changes) override;

    std::unique_ptr<Body> body_;
};

} // namespace earshot::ui
