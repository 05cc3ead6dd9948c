// The Vamp plugin `earshot`: events, activations and the strongest class of what a host plays to it. Vamp
// promises that one thread at a time uses an instance. Memory does not grow with the audio: what is settled
// leaves with each block.
#pragma once

#include "VampModels.h"

#include <vamp-sdk/Plugin.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earshot::vamp {

class VampPlugin : public Vamp::Plugin {
  public:
    explicit VampPlugin(float rate);

    std::string getIdentifier() const override { return "earshot"; }
    std::string getName() const override { return "Sound Events (Earshot)"; }
    std::string getDescription() const override { return "Says which sounds are in a recording, and when"; }
    std::string getMaker() const override { return "Earshot"; }
    std::string getCopyright() const override { return "GPL, version 3 or later"; }
    int getPluginVersion() const override { return 1; }

    InputDomain getInputDomain() const override { return TimeDomain; }
    std::size_t getMinChannelCount() const override { return 1; }
    std::size_t getMaxChannelCount() const override { return 1024; }
    std::size_t getPreferredBlockSize() const override { return 4096; }
    std::size_t getPreferredStepSize() const override { return 0; } // as the block

    ParameterList getParameterDescriptors() const override;
    float getParameter(std::string identifier) const override;
    void setParameter(std::string identifier, float value) override;
    ProgramList getPrograms() const override { return modelNames(); }
    std::string getCurrentProgram() const override { return program_; }
    void selectProgram(std::string name) override;

    OutputList getOutputDescriptors() const override;
    // Steps may be shorter than blocks, not longer: audio would be missing. On failure standard error says
    // why.
    bool initialise(std::size_t channels, std::size_t step, std::size_t block) override;
    void reset() override;
    FeatureSet process(const float* const* blocks, Vamp::RealTime timestamp) override;
    FeatureSet getRemainingFeatures() override;

  private:
    using Stream = std::unique_ptr<earshot_stream, decltype(&earshot_stream_close)>;

    const earshot_model* model() const;
    Stream openStream() const;
    void push(const float* const* planes, std::size_t frames);
    void pushHeld(std::size_t frames);
    std::size_t heldAudio() const;
    void takeEvents(FeatureSet& features) const;
    void takeColumns(FeatureSet& features) const;
    FeatureSet take() const;
    Vamp::RealTime timeOf(double seconds) const;

    std::string program_ = "default";
    float threshold_ = 0.0f, shortest_ = 0.0f, only_ = 0.0f; // as the parameters' descriptors say
    mutable Model model_;                                    // once it is needed
    std::size_t channels_ = 0, step_ = 0, block_ = 0;
    Stream stream_{nullptr, earshot_stream_close};
    std::optional<Vamp::RealTime> origin_; // the time of the first sample
    // The last block (channels, block). Hosts fill that of a recording's end with zeros; these are left out.
    std::vector<std::vector<float>> held_;
};

} // namespace earshot::vamp
