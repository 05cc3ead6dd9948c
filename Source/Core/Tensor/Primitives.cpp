#include "Core/Tensor/Primitives.h"

#include "Core/Base/Error.h"
#include "Core/Tensor/Threads.h"

#include <oneapi/dnnl/dnnl.hpp>
#include <oneapi/dnnl/dnnl_debug.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::tensor {

namespace {

using dnnl::memory;
using Tag = memory::format_tag;
constexpr auto f32 = memory::data_type::f32;

constexpr memory::data_type typeOf(Number number) {
    return number == Number::uint8      ? memory::data_type::u8
           : number == Number::bfloat16 ? memory::data_type::bf16
                                        : f32;
}

// oneDNN's CPU engine has no state, so one serves every thread.
const dnnl::engine& cpu() {
    static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

[[noreturn]] void fail(const dnnl::error& error) {
    throw Error(std::string("oneDNN: ") + error.what() + "; is the CPU older than AVX2 or memory short?");
}

void appendEltwise(dnnl::post_ops& operations, dnnl::algorithm algorithm, float alpha, float beta) {
#if DNNL_VERSION_MAJOR >= 3
    operations.append_eltwise(algorithm, alpha, beta);
#else
    operations.append_eltwise(1.0f, algorithm, alpha, beta);
#endif
}

// The properties of a layer besides its numbers and shape.
struct LayerTraits {
    Epilogue epilogue = Epilogue::none;
    std::optional<ByteScale> result; // of the bytes that it writes
    std::span<const float> scales;   // (outputs), scales of byte products
};

dnnl::primitive_attr attributes(const LayerTraits& traits) {
    dnnl::post_ops operations;
    if (traits.epilogue == Epilogue::gelu)
        appendEltwise(operations, dnnl::algorithm::eltwise_gelu_erf, 0.0f, 0.0f);
    if (traits.epilogue == Epilogue::add) operations.append_sum(1.0f);
    if (traits.result)
        appendEltwise(operations, dnnl::algorithm::eltwise_linear, 1.0f / traits.result->step,
                      -traits.result->low / traits.result->step);
    dnnl::primitive_attr attr;
    attr.set_post_ops(operations);
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    if (!traits.scales.empty()) {
        constexpr int byColumn = 1 << 1;
#if DNNL_VERSION_MAJOR >= 3
        attr.set_scales_mask(DNNL_ARG_WEIGHTS, byColumn);
#else
        attr.set_output_scales(byColumn, {traits.scales.begin(), traits.scales.end()});
#endif
    }
    return attr;
}

// oneDNN plans a product for the threads that OpenMP says, which threadCount() makes true.
dnnl::matmul::primitive_desc describeProduct(const memory::desc& x, const memory::desc& weights,
                                             const memory::desc& bias, const memory::desc& y,
                                             const dnnl::primitive_attr& attr) {
    static_cast<void>(threadCount());
#if DNNL_VERSION_MAJOR >= 3
    return bias.is_zero() ? dnnl::matmul::primitive_desc(cpu(), x, weights, y, attr)
                          : dnnl::matmul::primitive_desc(cpu(), x, weights, bias, y, attr);
#else
    return bias.is_zero()
               ? dnnl::matmul::primitive_desc(dnnl::matmul::desc(x, weights, y), attr, cpu())
               : dnnl::matmul::primitive_desc(dnnl::matmul::desc(x, weights, bias, y), attr, cpu());
#endif
}

void execute(const dnnl::matmul& product, dnnl::stream& stream,
             const std::vector<dnnl_exec_arg_t>& arguments) {
    static_cast<void>(threadCount());
    const auto status = dnnl_primitive_execute(product.get(), stream.get(),
                                               static_cast<int>(arguments.size()), arguments.data());
    if (status != dnnl_success) fail(dnnl::error(status, "a matrix product failed"));
    stream.wait();
}

memory::dims shapeOf(const memory::desc& description) {
#if DNNL_VERSION_MAJOR >= 3
    return description.get_dims();
#else
    return description.dims();
#endif
}

// oneDNN 3.7.2 packs columns of floats wrongly on some processors (seen with AVX512 BF16 and no AMX). It
// packs rows rightly, for which a copy is transposed first.
constexpr bool packsColumns = DNNL_VERSION_MAJOR < 3;

constexpr memory::dim lineFloats = 16; // floats in a cache line

memory::desc plainRows(const memory::dims& shape, memory::dim stride) {
    return {shape, f32, memory::dims{stride, 1}};
}

// The layout of a product's weights. Plain rows of floats with a length of an even number of cache lines
// share so few sets of the cache that a product may take twice the time (64 x 768 x 3072 on AMD's Zen 3).
// Between such rows a line is left free.
memory::desc spreadRows(const dnnl::matmul::primitive_desc& product) {
    const auto chosen = product.weights_desc();
    const auto shape = shapeOf(chosen);
    const bool isEven = shape[1] % (2 * lineFloats) == 0;
    return isEven && chosen == plainRows(shape, shape[1]) ? plainRows(shape, shape[1] + lineFloats) : chosen;
}

// Floats between the beginnings of plain rows.
std::optional<memory::dim> rowStride(const memory::desc& weights) {
    const auto shape = shapeOf(weights);
    for (const auto stride : {shape[1], shape[1] + lineFloats})
        if (weights == plainRows(shape, stride)) return stride;
    return {};
}

// weights: (outputs, inputs); to: (inputs, outputs), rows `stride` apart. Copies in blocks whose lines stay
// in the first-level cache. oneDNN's own reorder takes four times as long.
void transpose(const float* weights, memory::dim outputs, memory::dim inputs, float* to, memory::dim stride) {
    constexpr memory::dim lines = 8;
    for (memory::dim firstOutput = 0; firstOutput < outputs; firstOutput += lines)
        for (memory::dim firstInput = 0; firstInput < inputs; firstInput += lineFloats) {
            const auto lastOutput = std::min(firstOutput + lines, outputs);
            const auto lastInput = std::min(firstInput + lineFloats, inputs);
            for (auto i = firstInput; i < lastInput; ++i)
                for (auto o = firstOutput; o < lastOutput; ++o) to[i * stride + o] = weights[o * inputs + i];
        }
}

} // namespace

// A layer's product, compiled for a number of threads.
struct Linear::Compiled {
    int threads;
    dnnl::matmul::primitive_desc description;
    dnnl::matmul product;

    // weights: the library chooses their layout if `any`; plain rows are spread.
    Compiled(int wantedThreads, const memory::desc& x, const memory::desc& weights, const memory::desc& bias,
             const memory::desc& y, const dnnl::primitive_attr& attr) {
        const ThreadCountScope scope(wantedThreads);
        threads = threadCount();
        description = describeProduct(x, weights, bias, y, attr);
        if (const auto spread = spreadRows(description); spread != description.weights_desc())
            description = describeProduct(x, spread, bias, y, attr);
        product = dnnl::matmul(description);
    }

    // oneDNN's newer products adapt to fewer threads than they were compiled for. Its older ones (all there
    // are before AVX512) are a plain product and a loop for the bias, and always run that loop on the thread
    // count they were compiled for.
    bool followsThreadCount() const {
        return std::string_view(description.impl_info_str()).find("brg") != std::string_view::npos;
    }
};

struct Linear::Impl {
    std::int64_t rows, inputs, outputs;
    LinearNumbers numbers;
    std::unique_ptr<const Compiled> most; // compiled for all cores
    memory weights;
    memory bias;   // empty when the layer has none
    memory scales; // set where the library takes the scales at each run
    // Compiles for fewer threads; null where `most` will do.
    std::function<std::unique_ptr<const Compiled>(int threads)> compileFor;
    mutable std::mutex mutex;
    mutable std::vector<std::unique_ptr<const Compiled>> fewer; // threads; guarded by `mutex`

    // w: (outputs, inputs), float32 or, for byte products, signed bytes
    Impl(std::int64_t rowCount, std::int64_t inputCount, std::int64_t outputCount, const void* w,
         std::span<const float> b, LinearNumbers wanted, const LayerTraits& traits)
        : rows(rowCount)
        , inputs(inputCount)
        , outputs(outputCount)
        , numbers(wanted) {
        const bool bytes = numbers.operands == Number::uint8;
        const auto packed = bytes ? memory::data_type::s8 : typeOf(numbers.operands);
        const memory::desc x({rows, inputs}, typeOf(numbers.operands), Tag::ab);
        const memory::desc y({rows, outputs}, typeOf(numbers.result), Tag::ab);
        const memory::desc anyWeights({inputs, outputs}, packed, Tag::any);
        const memory::desc biasRow = b.empty() ? memory::desc() : memory::desc({1, outputs}, f32, Tag::ab);
        const auto attr = attributes(traits);
        most = std::make_unique<const Compiled>(std::max(threadCount(), availableCores()), x, anyWeights,
                                                biasRow, y, attr);
        const auto& description = most->description;

        weights = memory(description.weights_desc(), cpu());
        if (const auto stride = rowStride(description.weights_desc())) {
            transpose(static_cast<const float*>(w), outputs, inputs,
                      static_cast<float*>(weights.get_data_handle()), *stride);
        } else if (packed == f32 && !packsColumns) {
            std::vector<float> rowsOfInputs(static_cast<std::size_t>(inputs * outputs));
            transpose(static_cast<const float*>(w), outputs, inputs, rowsOfInputs.data(), outputs);
            pack(memory(plainRows({inputs, outputs}, outputs), cpu(), rowsOfInputs.data()));
        } else {
            // (outputs, inputs) row-major is (inputs, outputs) column-major.
            pack(memory(memory::desc({inputs, outputs}, bytes ? packed : f32, Tag::ba), cpu(),
                        const_cast<void*>(w)));
        }
        if (!b.empty()) bias = copied(biasRow, b);
        if (!most->followsThreadCount()) {
            compileFor = [x, y, biasRow, attr, packed = description.weights_desc()](int threads) {
                return std::make_unique<const Compiled>(threads, x, packed, biasRow, y, attr);
            };
            compiledFor(1);
        }
#if DNNL_VERSION_MAJOR >= 3
        if (!traits.scales.empty()) scales = copied(memory::desc({outputs}, f32, Tag::a), traits.scales);
#endif
    }

    void pack(memory plain) {
        dnnl::stream stream(cpu());
        dnnl::reorder(plain, weights).execute(stream, plain, weights);
        stream.wait();
    }

    // Never needs more scratch than `most`.
    const Compiled& compiledFor(int threads) const {
        if (!compileFor || threads >= most->threads) return *most;
        const std::lock_guard lock(mutex);
        auto found =
            std::ranges::find_if(fewer, [&](const auto& compiled) { return compiled->threads == threads; });
        if (found == fewer.end()) found = fewer.insert(found, compileFor(threads));
        return scratchOf(**found) <= scratchOf(*most) ? **found : *most;
    }

    static std::size_t scratchOf(const Compiled& compiled) {
        return compiled.description.scratchpad_desc().get_size();
    }

    static memory copied(const memory::desc& description, std::span<const float> values) {
        memory copy(description, cpu());
        std::memcpy(copy.get_data_handle(), values.data(), values.size_bytes());
        return copy;
    }
};

Linear::Linear(std::int64_t rows, std::int64_t inputs, std::int64_t outputs, std::span<const float> weights,
               std::span<const float> bias, Epilogue epilogue, LinearNumbers numbers) {
    assert(rows > 0 && static_cast<std::int64_t>(weights.size()) == inputs * outputs);
    assert(bias.empty() || static_cast<std::int64_t>(bias.size()) == outputs);
    assert(numbers.operands != Number::uint8 && numbers.result != Number::uint8);
    try {
        impl_ = std::make_unique<const Impl>(rows, inputs, outputs, weights.data(), bias, numbers,
                                             LayerTraits{.epilogue = epilogue, .result = {}, .scales = {}});
    } catch (const dnnl::error& error) {
        fail(error);
    }
}

Linear::Linear(std::int64_t rows, std::int64_t outputs, std::span<const float> weights,
               std::span<const float> bias, Epilogue epilogue, std::span<const ByteScale> inputs,
               const std::optional<ByteScale>& result) {
    auto bytes = byteWeights(weights, bias, inputs);
    assert(rows > 0 && static_cast<std::int64_t>(bytes.scales.size()) == outputs);
#if DNNL_VERSION_MAJOR >= 3
    // oneDNN adds the bias after the scales here.
    for (std::size_t i = 0; i < bytes.bias.size(); ++i) bytes.bias[i] *= bytes.scales[i];
#endif
    try {
        impl_ = std::make_unique<const Impl>(
            rows, static_cast<std::int64_t>(inputs.size()), outputs, bytes.weights.data(), bytes.bias,
            LinearNumbers{Number::uint8, result ? Number::uint8 : Number::float32},
            LayerTraits{.epilogue = epilogue, .result = result, .scales = bytes.scales});
    } catch (const dnnl::error& error) {
        fail(error);
    }
}

Linear::~Linear() = default;
Linear::Linear(Linear&&) noexcept = default;
Linear& Linear::operator=(Linear&&) noexcept = default;

std::int64_t Linear::rows() const { return impl_->rows; }
std::int64_t Linear::inputs() const { return impl_->inputs; }
std::int64_t Linear::outputs() const { return impl_->outputs; }

LinearNumbers Linear::numbers() const { return impl_->numbers; }

std::size_t Linear::memoryBytes() const {
    return impl_->weights.get_desc().get_size() + (impl_->bias ? impl_->bias.get_desc().get_size() : 0);
}

std::size_t Linear::scratchBytes() const { return Impl::scratchOf(*impl_->most); }

// The arguments are stored in the form of the C interface, because the C++ wrapper would allocate them at
// each call.
struct LinearCall::Impl {
    const Linear::Impl* layer;
    int threads = 0; // for which `product` was compiled
    const dnnl::matmul* product = nullptr;
    dnnl::stream stream;
    memory x, y;
    std::vector<memory> memories; // own the handles in `arguments`
    std::vector<dnnl_exec_arg_t> arguments;

    void follow(int threadsNow) {
        if (threads == threadsNow) return;
        threads = threadsNow;
        try {
            product = &layer->compiledFor(threads).product;
        } catch (const dnnl::error& error) {
            fail(error);
        }
    }

    void bind(int index, const memory& object) {
        memories.push_back(object);
        arguments.push_back({index, object.get()});
    }
};

LinearCall::LinearCall(const Linear& layer, void* x, void* y, float* scratch)
    : impl_(std::make_unique<Impl>()) {
    const auto& linear = *layer.impl_;
    try {
        impl_->layer = &linear;
        impl_->stream = dnnl::stream(cpu());
        impl_->x = memory(linear.most->description.src_desc(), cpu(), x);
        impl_->bind(DNNL_ARG_SRC, impl_->x);
        impl_->bind(DNNL_ARG_WEIGHTS, linear.weights);
        if (linear.bias) impl_->bind(DNNL_ARG_BIAS, linear.bias);
#if DNNL_VERSION_MAJOR >= 3
        if (linear.scales) impl_->bind(DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, linear.scales);
#endif
        impl_->y = memory(linear.most->description.dst_desc(), cpu(), y);
        impl_->bind(DNNL_ARG_DST, impl_->y);
        impl_->bind(DNNL_ARG_SCRATCHPAD, memory(linear.most->description.scratchpad_desc(), cpu(), scratch));
    } catch (const dnnl::error& error) {
        fail(error);
    }
}

LinearCall::~LinearCall() = default;
LinearCall::LinearCall(LinearCall&&) noexcept = default;
LinearCall& LinearCall::operator=(LinearCall&&) noexcept = default;

void LinearCall::run() {
    impl_->follow(threadCount());
    execute(*impl_->product, impl_->stream, impl_->arguments);
}

void LinearCall::run(const void* x, void* y) {
    impl_->x.set_data_handle(const_cast<void*>(x));
    impl_->y.set_data_handle(y);
    run();
}

namespace {

memory::desc plainMatrix(std::int64_t rows, std::int64_t columns, bool transposed, Number number) {
    return {{rows, columns}, typeOf(number), transposed ? Tag::ba : Tag::ab};
}

dnnl::primitive_attr sumInto(bool accumulate) {
    dnnl::post_ops operations;
    if (accumulate) operations.append_sum(1.0f);
    dnnl::primitive_attr attr;
    attr.set_post_ops(operations);
    return attr;
}

} // namespace

struct Product::Impl {
    ProductShape shape;
    dnnl::matmul product;
    dnnl::stream stream{cpu()};
    std::vector<memory> operands; // left, right, result and perhaps bias, without storage of their own
    std::vector<dnnl_exec_arg_t> arguments;

    explicit Impl(const ProductShape& wanted)
        : shape(wanted) {
        const auto left = plainMatrix(shape.rows, shape.inner, shape.transposeLeft, shape.operands);
        const auto right = plainMatrix(shape.inner, shape.columns, shape.transposeRight, shape.operands);
        const auto result = plainMatrix(shape.rows, shape.columns, false, shape.result);
        const auto bias = shape.bias ? plainMatrix(1, shape.columns, false, Number::float32) : memory::desc();
        product = dnnl::matmul(describeProduct(left, right, bias, result, sumInto(shape.accumulate)));
        bind(DNNL_ARG_SRC, left);
        bind(DNNL_ARG_WEIGHTS, right);
        bind(DNNL_ARG_DST, result);
        if (shape.bias) bind(DNNL_ARG_BIAS, bias);
    }

    void bind(int index, const memory::desc& description) {
        operands.emplace_back(description, cpu(), nullptr);
        arguments.push_back({index, operands.back().get()});
    }
};

Product::Product(const ProductShape& shape) {
    assert(shape.rows > 0 && shape.inner > 0 && shape.columns > 0);
    try {
        impl_ = std::make_unique<Impl>(shape);
    } catch (const dnnl::error& error) {
        fail(error);
    }
}

Product::~Product() = default;
Product::Product(Product&&) noexcept = default;
Product& Product::operator=(Product&&) noexcept = default;

const ProductShape& Product::shape() const { return impl_->shape; }

void Product::run(const void* left, const void* right, void* result, const float* bias) {
    assert((bias != nullptr) == impl_->shape.bias);
    impl_->operands[0].set_data_handle(const_cast<void*>(left));
    impl_->operands[1].set_data_handle(const_cast<void*>(right));
    impl_->operands[2].set_data_handle(result);
    if (bias != nullptr) impl_->operands[3].set_data_handle(const_cast<float*>(bias));
    execute(impl_->product, impl_->stream, impl_->arguments);
}

namespace {

// oneDNN's instruction sets are bit masks; each contains those before it.
bool includes(dnnl::cpu_isa needed) {
    const auto has = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
    return (has & static_cast<unsigned>(needed)) == static_cast<unsigned>(needed);
}

} // namespace

// Outside AMX tiles, Intel's cores multiply pairs of bfloat16 more slowly than floats: a pass of the
// published size takes 128 ms instead of 88 ms. AMD's take half the time.
bool hasFastBFloat16() {
    if (includes(dnnl::cpu_isa::avx512_core_amx)) return true;
#if defined(__x86_64__)
    if (__builtin_cpu_is("intel")) return false;
#endif
    return includes(dnnl::cpu_isa::avx512_core_bf16);
}

bool hasFastBytes() { return includes(dnnl::cpu_isa::avx512_core_vnni); }

std::string productsLibrary() {
    const dnnl_version_t* version = dnnl_version();
    return "oneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
           std::to_string(version->patch);
}

std::string productsInstructionSet() {
#if defined(__x86_64__)
    const std::string_view prefix = "cpu_isa_";
    std::string_view name = dnnl_cpu_isa2str(dnnl_get_effective_cpu_isa());
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    return std::string(name);
#else
    return {}; // it names those of x86 alone
#endif
}

} // namespace earshot::tensor
