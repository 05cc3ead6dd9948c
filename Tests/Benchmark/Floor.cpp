#include "Benchmark/Floor.h"

#include "Core/Tensor/BFloat16.h"

#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.hpp>

#include <unordered_map>

namespace earshot::benchmark {

using dnnl::memory;

struct BareProduct::Impl {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    dnnl::matmul product;
    std::unordered_map<int, memory> arguments;

    template <typename Value>
    static void fill(memory& m, float step) {
        auto* values = static_cast<Value*>(m.get_data_handle());
        const auto count = m.get_desc().get_size() / sizeof(Value);
        for (std::size_t i = 0; i < count; ++i) values[i] = Value(static_cast<float>(i % 17) * step);
    }

    memory filled(const memory::desc& description, memory::data_type type) const {
        memory m(description, engine);
        if (type == memory::data_type::bf16)
            fill<tensor::BFloat16>(m, 0.01f);
        else if (type == memory::data_type::f32)
            fill<float>(m, 0.01f);
        else
            fill<std::uint8_t>(m, 1.0f);
        return m;
    }
};

namespace {

struct Types {
    memory::data_type left, right, result;
};

Types typesOf(const Product& product, tensor::Number number) {
    constexpr auto f32 = memory::data_type::f32, bf16 = memory::data_type::bf16;
    if (number == tensor::Number::bfloat16) return {bf16, bf16, bf16};
    if (number == tensor::Number::uint8 && product.batch == 1)
        return {memory::data_type::u8, memory::data_type::s8, f32};
    return {f32, f32, f32};
}

} // namespace

BareProduct::BareProduct(const Product& p, tensor::Number number)
    : impl_(std::make_unique<Impl>()) {
    const Types types = typesOf(p, number);
    using Tag = memory::format_tag;
    const bool single = p.batch == 1;
    const auto shape = [&](std::int64_t rows, std::int64_t columns) {
        return single ? memory::dims{rows, columns} : memory::dims{p.batch, rows, columns};
    };
    const auto plain = single ? Tag::ab : Tag::abc;
    const memory::desc x(shape(p.rows, p.inner), types.left, plain);
    const memory::desc y(shape(p.rows, p.columns), types.result, plain);
    // Weights are packed ahead of time; what a pass computes (keys, values) is not.
    const memory::desc w(shape(p.inner, p.columns), types.right, single ? Tag::any : plain);
#if DNNL_VERSION_MAJOR >= 3
    const dnnl::matmul::primitive_desc description(impl_->engine, x, w, y);
#else
    const dnnl::matmul::primitive_desc description(dnnl::matmul::desc(x, w, y), impl_->engine);
#endif
    impl_->product = dnnl::matmul(description);
    impl_->arguments = {{DNNL_ARG_SRC, impl_->filled(description.src_desc(), types.left)},
                        {DNNL_ARG_WEIGHTS, impl_->filled(description.weights_desc(), types.right)},
                        {DNNL_ARG_DST, impl_->filled(description.dst_desc(), types.result)}};
}

BareProduct::~BareProduct() = default;
BareProduct::BareProduct(BareProduct&&) noexcept = default;

void BareProduct::run() {
    impl_->product.execute(impl_->stream, impl_->arguments);
    impl_->stream.wait();
}

std::string describeLibrary() {
    const auto* version = dnnl_version();
    const auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
    const char* name = "another instruction set";
    const std::pair<dnnl::cpu_isa, const char*> names[] = {
        {dnnl::cpu_isa::sse41, "SSE4.1"},
        {dnnl::cpu_isa::avx, "AVX"},
        {dnnl::cpu_isa::avx2, "AVX2"},
        {dnnl::cpu_isa::avx2_vnni, "AVX2 VNNI"},
        {dnnl::cpu_isa::avx512_core, "AVX512"},
        {dnnl::cpu_isa::avx512_core_vnni, "AVX512 VNNI"},
        {dnnl::cpu_isa::avx512_core_bf16, "AVX512 BF16"},
        {dnnl::cpu_isa::avx512_core_amx, "AMX"},
    };
    for (const auto& [candidate, text] : names)
        if (static_cast<unsigned>(candidate) == isa) name = text;
    return fmt::format("oneDNN {}.{}.{}, {}", version->major, version->minor, version->patch, name);
}

} // namespace earshot::benchmark
