// Weights that follow from a seed alone: every element is a hash of (seed, parameter name, index), so
// a full-size model needs no stored file. The golden outputs were computed with the same weights.
#pragma once

#include "Core/Model/Config.h"
#include "Core/Model/Reading/Checkpoint.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earshot::test {

struct ProceduralModel {
    model::Config config;
    int seed = 0;
    std::string prefix;        // "module.audio_branch." and so on, to stand in for a published layout
    int embeddingDim = 0;      // of the layout's projection; 0: the network alone
    float logScale = 2.65926f; // the layout's logit scale: log(1 / 0.07), with which CLAP's training starts
    // Mean logarithm of V2's scales of scores; without it log 10, but beyond their bound in every second
    // block's first head.
    std::optional<double> logScoreScale;
    std::vector<float> melFilters; // (fftSize / 2 + 1, melBands), stored unless empty
};

// 24 wide, depths 2,2,2,2, 16 classes, seed 11.
ProceduralModel tinyModel();
// The published size: 96 wide, depths 2,2,6,2, 527 classes, seed 5.
ProceduralModel fullModel();
// The same network of Swin V2 blocks.
ProceduralModel withV2Blocks(ProceduralModel model);
// Small enough for plain loops: 64 pixels, 16 bands, windows of 4.
ProceduralModel smallModel();
// The network with another head; a fine one is 12 wide with two layers over time.
model::Config withHead(model::Config config, model::HeadKind head);

// The same network as the audio half of a CLAP model, with its projection. Microsoft's takes 44.1 kHz through
// a mel matrix that was computed for 32 kHz and is in the checkpoint; LAION's takes 48 kHz with a hop of 480.
ProceduralModel asMicrosoftClap(ProceduralModel model);
ProceduralModel asLaionClap(ProceduralModel model);

// The text half of a CLAP model, with the real vocabulary. Sizes and seeds are those of the models above:
// two layers of width 64, or twelve of 768.
struct ProceduralText {
    bool isMicrosoft = true; // else LAION's
    int layers = 2, width = 64;
    int seed = 11;
    int words = 0;       // rows of the table of words; 0: as many as the vocabulary has
    std::string wrapper; // before Microsoft's names
};
ProceduralText tinyText(bool isMicrosoft);
ProceduralText fullText(bool isMicrosoft);
std::unique_ptr<model::Checkpoint> proceduralCheckpoint(const ProceduralText& text);

// The values that a tensor of this name gets: uniform around the offset, with this deviation.
tensor::Tensor proceduralValues(int seed, const std::string& name, tensor::Shape shape, double deviation,
                                double offset = 0.0);

// A Swin V1 or V2 classifier of images under its published names, with the buffers that its files hold. The
// config's front end and head say nothing of it, except for the number of classes.
struct ProceduralImage {
    model::Config config;
    int seed = 0;
};
// 64 pixels, attention windows of 4, 24 wide, three stages of two blocks, 10 classes, seed 21.
ProceduralImage tinyImage();
// swin_tiny_c24_patch4_window8_256 or swin_tiny_patch4_window7_224, seed 17. attentionSide: 8 or 7
ProceduralImage publishedImage(int attentionSide);
std::unique_ptr<model::Checkpoint> proceduralCheckpoint(const ProceduralImage& image);

// A checkpoint in memory with the reference's tensor names, without the buffers that follow from the config.
std::unique_ptr<model::Checkpoint> proceduralCheckpoint(const ProceduralModel& model);
// The same as a safetensors file.
void writeProceduralModel(const std::filesystem::path& file, const ProceduralModel& model);
void writeProceduralModel(const std::filesystem::path& file, const ProceduralText& text);
void writeProceduralModel(const std::filesystem::path& file, const ProceduralImage& image);
void writeProceduralModel(const std::filesystem::path& file, std::unique_ptr<model::Checkpoint> checkpoint);
// Both halves in one file.
void writeProceduralModel(const std::filesystem::path& file, const ProceduralModel& model,
                          const ProceduralText& text);

// A good checkpoint after something was done to its list of tensors; "model.safetensors" in messages.
class AlteredCheckpoint : public model::Checkpoint {
  public:
    AlteredCheckpoint(std::unique_ptr<model::Checkpoint> good,
                      const std::function<void(std::map<std::string, model::TensorInfo>&)>& change);
    tensor::Tensor read(const std::string& name) override { return good_->read(name); }

  private:
    std::unique_ptr<model::Checkpoint> good_;
};

// A good checkpoint whose tensors with this part in their names are multiplied by the factor.
std::unique_ptr<model::Checkpoint> enlarged(std::unique_ptr<model::Checkpoint> good, const std::string& part,
                                            float factor);

} // namespace earshot::test
