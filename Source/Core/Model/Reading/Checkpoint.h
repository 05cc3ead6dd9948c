// A model file as named tensors: safetensors, or the PyTorch zip archives (.ckpt, .pt, .pth) that
// HTS-AT and CLAP are published as.
//
// Files are untrusted: every offset, size and shape is checked before it is used, the pickle reader
// executes nothing, and every failure is an earshot::Error that names the file and what to do.
// Opening reads only the list of tensors; read() reads a tensor and converts it to float32.
// One thread at a time.
#pragma once

#include "Core/Base/Stop.h"
#include "Core/Model/ModelSource.h"
#include "Core/Tensor/Tensor.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace earshot::model {

enum class DType { float16, bfloat16, float32, float64, int64, int32, int16, int8, uint8, boolean };

const char* name(DType dtype); // "float32"
std::size_t byteSize(DType dtype);

struct TensorInfo {
    DType dtype = DType::float32;
    tensor::Shape shape;
};

// Limits of any model file. Published CLAP checkpoints have some 700 tensors with names of at most 100 bytes,
// and an optimiser's state triples that. A file beyond these limits would only waste memory and time.
inline constexpr std::size_t maxTensors = 100'000;
inline constexpr std::size_t maxTensorNameLength = 1024; // bytes

class Checkpoint {
  public:
    virtual ~Checkpoint() = default;

    // Chooses the reader by the file's first bytes, not by its extension.
    // Throws earshot::Error if the file is missing, unreadable, truncated, hostile or unsupported. open() and
    // read() throw Stopped after a stop request.
    static std::unique_ptr<Checkpoint> open(const ModelSource& source, const StopToken& stop = {});

    const std::filesystem::path& file() const { return file_; }
    // "safetensors" or "PyTorch"
    const std::string& format() const { return format_; }
    // What the user states of the model, for those who read its layout.
    const ReadingChoice& choice() const { return choice_; }
    // PyTorch: where the tensors lie that have the names of their own dictionary, as "state_dict" or
    // "outer.model"; empty for the outermost. The names of other dictionaries with networks, as "model_ema",
    // stand before those of their tensors.
    const std::string& dictionary() const { return dictionary_; }
    const std::vector<std::string>& otherDictionaries() const { return otherDictionaries_; }
    // safetensors' __metadata__; empty for PyTorch files.
    const std::map<std::string, std::string>& metadata() const { return metadata_; }
    // All tensors by full name (with prefixes such as "sed_model."), without their data.
    const std::map<std::string, TensorInfo>& tensors() const { return tensors_; }

    bool contains(const std::string& name) const { return tensors_.count(name) != 0; }
    // The tensor converted to float32, whatever its stored type. int8 that has a float tensor NAME_scale
    // beside it, of one value or one for each row, and no NAME_zero_point, is multiplied by it, as
    // compressed-tensors stores it. Throws earshot::Error if absent, unreadable, or quantised in another way:
    // integers are no weights.
    virtual tensor::Tensor read(const std::string& name) = 0;
    // As read(), into the memory of `tensor` if it has that shape and the reader can.
    virtual void readInto(const std::string& name, tensor::Tensor& tensor);
    // Some rows of it, ascending and within its first extent, as (rows, the other extents). Where the file
    // allows, no other row is read. Errors as those of read().
    virtual tensor::Tensor readRows(const std::string& name, std::span<const std::int64_t> rows);
    // Code that processes the tensors checks this at every step.
    const StopToken& stop() const { return stop_; }
    // The name of an int8 tensor's scales; empty for other tensors.
    std::string scaleOf(const std::string& name) const;

  protected:
    // For readers: throws earshot::Error if the tensor is quantised in a way that read() does not undo.
    void requireWeights(const std::string& name) const;
    // For readers: multiplies these rows of an int8 tensor by their scales. No rows: all.
    void scaleRows(const std::string& name, std::span<const std::int64_t> rows, tensor::Tensor& values);

    std::filesystem::path file_;
    std::string format_;
    std::map<std::string, std::string> metadata_;
    std::map<std::string, TensorInfo> tensors_;
    std::string dictionary_;
    std::vector<std::string> otherDictionaries_;
    ReadingChoice choice_;
    StopToken stop_;

  private:
    static std::unique_ptr<Checkpoint> openAny(const std::filesystem::path& file);
};

} // namespace earshot::model
