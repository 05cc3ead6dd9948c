#include "Core/Detection/Kept/Activations.h"

#include "Core/Base/Float16.h"
#include "Core/Detection/Kept/ActivationsHeader.h"
#include "Core/Formats/Npy.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>

namespace earshot::detection {

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

namespace {

// The header comes first in the file and says what is known last: its place is kept, and what it leaves of
// that is filled with spaces, as the format allows.
class SafetensorsActivations : public ActivationWriter {
  public:
    SafetensorsActivations(WholeFile& file, const ActivationInfo& info)
        : file_(file)
        , info_(info) {}

    void begin([[maybe_unused]] int classes, double secondsPerColumn) override {
        assert(static_cast<std::size_t>(classes) == info_.labels.size());
        secondsPerColumn_ = secondsPerColumn;
        headerBytes_ = mostHeaderBytes(info_, secondsPerColumn);
        writeHeader({});
        halves_.resize(info_.labels.size());
    }

    void column(std::int64_t index, std::span<const float> probabilities) override {
        assert(index == columns_ && probabilities.size() == halves_.size());
        std::ranges::transform(probabilities, halves_.begin(), toFloat16);
        file_.write(halves_.data(), halves_.size() * sizeof(std::uint16_t));
        columns_ = index + 1;
    }

    void end(double seconds) override { duration_ = seconds; }

    void finish(const ActivationRecording& recording) override {
        file_.seek(0);
        writeHeader(headerText(info_, recording, {columns_, secondsPerColumn_, duration_}));
    }

  private:
    void writeHeader(std::string text) {
        assert(text.size() <= headerBytes_);
        text.resize(headerBytes_, ' ');
        const std::uint64_t length = headerBytes_;
        file_.write(&length, sizeof length);
        file_.write(text.data(), text.size());
    }

    WholeFile& file_;
    ActivationInfo info_;
    double secondsPerColumn_ = 0.0;
    double duration_ = 0.0;
    std::size_t headerBytes_ = 0;
    std::int64_t columns_ = 0;
    std::vector<std::uint16_t> halves_; // (classes)
};

class NpyActivations : public ActivationWriter {
  public:
    NpyActivations(WholeFile& file, const ActivationInfo& info)
        : writer_(file, formats::NpyType::float32, {static_cast<std::int64_t>(info.labels.size())}) {}

    void begin(int, double) override {}
    void column(std::int64_t, std::span<const float> probabilities) override { writer_.write(probabilities); }
    void end(double) override {}
    void finish(const ActivationRecording&) override { writer_.finish(); }

  private:
    formats::NpyWriter writer_;
};

} // namespace

const char* suffix(ActivationKind kind) {
    return kind == ActivationKind::npy ? ".activations.npy" : ".activations.safetensors";
}

std::unique_ptr<ActivationWriter> makeActivationWriter(ActivationKind kind, WholeFile& file,
                                                       const ActivationInfo& info) {
    if (kind == ActivationKind::npy) return std::make_unique<NpyActivations>(file, info);
    return std::make_unique<SafetensorsActivations>(file, info);
}

} // namespace earshot::detection
