#include "Core/Tensor/Primitives.h"

#include "Core/Base/Error.h"
#include "Core/Tensor/Threads.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string>
#include <vector>

namespace earshot::tensor {

namespace {

using dnnl::memory;
using Tag = memory::format_tag;
constexpr auto f32 = memory::data_type::f32;

constexpr memory::data_type typeOf(Number number) {
    return number == Number::bfloat16 ? memory::data_type::bf16 : f32;
}

// oneDNN's CPU engine has no state of its own: one serves every thread.
const dnnl::engine& cpu() {
    static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

[[noreturn]] void fail(const dnnl::error& error) {
    throw Error(std::string("oneDNN: ") + error.what() + "; is the CPU older than AVX2 or memory short?");
}

dnnl::primitive_attr attributes(Epilogue epilogue) {
    dnnl::post_ops operations;
#if DNNL_VERSION_MAJOR >= 3
    if (epilogue == Epilogue::gelu) operations.append_eltwise(dnnl::algorithm::eltwise_gelu_erf, 0.0f, 0.0f);
#else
    if (epilogue == Epilogue::gelu)
        operations.append_eltwise(1.0f, dnnl::algorithm::eltwise_gelu_erf, 0.0f, 0.0f);
#endif
    if (epilogue == Epilogue::add) operations.append_sum(1.0f);
    dnnl::primitive_attr attr;
    attr.set_post_ops(operations);
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return attr;
}

dnnl::matmul::primitive_desc describeProduct(const memory::desc& x, const memory::desc& weights,
                                             const memory::desc& bias, const memory::desc& y,
                                             const dnnl::primitive_attr& attr) {
#if DNNL_VERSION_MAJOR >= 3
    return bias.is_zero() ? dnnl::matmul::primitive_desc(cpu(), x, weights, y, attr)
                          : dnnl::matmul::primitive_desc(cpu(), x, weights, bias, y, attr);
#else
    return bias.is_zero()
               ? dnnl::matmul::primitive_desc(dnnl::matmul::desc(x, weights, y), attr, cpu())
               : dnnl::matmul::primitive_desc(dnnl::matmul::desc(x, weights, bias, y), attr, cpu());
#endif
}

} // namespace

struct Linear::Impl {
    std::int64_t rows, inputs, outputs;
    LinearNumbers numbers;
    dnnl::matmul::primitive_desc description;
    dnnl::matmul product;
    memory weights;
    memory bias; // empty when the layer has none

    Impl(std::int64_t rowCount, std::int64_t inputCount, std::int64_t outputCount, std::span<const float> w,
         std::span<const float> b, Epilogue epilogue, LinearNumbers wanted)
        : rows(rowCount)
        , inputs(inputCount)
        , outputs(outputCount)
        , numbers(wanted) {
        const memory::desc x({rows, inputs}, typeOf(numbers.operands), Tag::ab);
        const memory::desc y({rows, outputs}, typeOf(numbers.result), Tag::ab);
        const memory::desc anyWeights({inputs, outputs}, typeOf(numbers.operands), Tag::any);
        const memory::desc biasRow = b.empty() ? memory::desc() : memory::desc({1, outputs}, f32, Tag::ab);
        {
            // A product never runs on more threads than it was made for; on fewer it does.
            const ThreadCountScope any(std::max(threadCount(), availableCores()));
            description = describeProduct(x, anyWeights, biasRow, y, attributes(epilogue));
            product = dnnl::matmul(description);
        }

        // (outputs, inputs) row-major is (inputs, outputs) column-major.
        memory plain(memory::desc({inputs, outputs}, f32, Tag::ba), cpu(), const_cast<float*>(w.data()));
        weights = memory(description.weights_desc(), cpu());
        dnnl::stream stream(cpu());
        dnnl::reorder(plain, weights).execute(stream, plain, weights);
        stream.wait();
        if (!b.empty()) {
            bias = memory(biasRow, cpu());
            std::memcpy(bias.get_data_handle(), b.data(), b.size_bytes());
        }
    }
};

Linear::Linear(std::int64_t rows, std::int64_t inputs, std::int64_t outputs, std::span<const float> weights,
               std::span<const float> bias, Epilogue epilogue, LinearNumbers numbers) {
    assert(rows > 0 && static_cast<std::int64_t>(weights.size()) == inputs * outputs);
    assert(bias.empty() || static_cast<std::int64_t>(bias.size()) == outputs);
    try {
        impl_ = std::make_unique<const Impl>(rows, inputs, outputs, weights, bias, epilogue, numbers);
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

std::size_t Linear::scratchBytes() const { return impl_->description.scratchpad_desc().get_size(); }

// Arguments are kept in the C interface's form: the C++ wrapper would build them anew at each call.
struct LinearCall::Impl {
    const dnnl::matmul* product;
    dnnl::stream stream;
    std::vector<memory> memories; // owners of the handles in `arguments`
    std::vector<dnnl_exec_arg_t> arguments;

    void bind(int index, const memory& object) {
        memories.push_back(object);
        arguments.push_back({index, object.get()});
    }
};

LinearCall::LinearCall(const Linear& layer, void* x, void* y, float* scratch)
    : impl_(std::make_unique<Impl>()) {
    const auto& linear = *layer.impl_;
    try {
        impl_->product = &linear.product;
        impl_->stream = dnnl::stream(cpu());
        impl_->bind(DNNL_ARG_SRC, memory(linear.description.src_desc(), cpu(), x));
        impl_->bind(DNNL_ARG_WEIGHTS, linear.weights);
        if (linear.bias) impl_->bind(DNNL_ARG_BIAS, linear.bias);
        impl_->bind(DNNL_ARG_DST, memory(linear.description.dst_desc(), cpu(), y));
        impl_->bind(DNNL_ARG_SCRATCHPAD, memory(linear.description.scratchpad_desc(), cpu(), scratch));
    } catch (const dnnl::error& error) {
        fail(error);
    }
}

LinearCall::~LinearCall() = default;
LinearCall::LinearCall(LinearCall&&) noexcept = default;
LinearCall& LinearCall::operator=(LinearCall&&) noexcept = default;

void LinearCall::run() {
    const auto status =
        dnnl_primitive_execute(impl_->product->get(), impl_->stream.get(),
                               static_cast<int>(impl_->arguments.size()), impl_->arguments.data());
    if (status != dnnl_success) fail(dnnl::error(status, "a matrix product failed"));
    impl_->stream.wait();
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
    const auto status =
        dnnl_primitive_execute(impl_->product.get(), impl_->stream.get(),
                               static_cast<int>(impl_->arguments.size()), impl_->arguments.data());
    if (status != dnnl_success) fail(dnnl::error(status, "a matrix product failed"));
    impl_->stream.wait();
}

// oneDNN's instruction sets are bit masks, each containing those before it.
bool hasFastBFloat16() {
    const auto has = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
    const auto needed = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_bf16);
    return (has & needed) == needed;
}

} // namespace earshot::tensor
