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
    void fill(memory& m) const {
        auto* values = static_cast<Value*>(m.get_data_handle());
        const auto count = m.get_desc().get_size() / sizeof(Value);
        for (std::size_t i = 0; i < count; ++i) values[i] = Value(static_cast<float>(i % 17) * 0.01f - 0.08f);
    }

    memory filled(const memory::desc& description, tensor::Number number) {
        memory m(description, engine);
        if (number == tensor::Number::bfloat16)
            fill<tensor::BFloat16>(m);
        else
            fill<float>(m);
        return m;
    }
};

BareProduct::BareProduct(const Product& p, tensor::Number number)
    : impl_(std::make_unique<Impl>()) {
    const auto type = number == tensor::Number::bfloat16 ? memory::data_type::bf16 : memory::data_type::f32;
    using Tag = memory::format_tag;
    const bool single = p.batch == 1;
    const auto shape = [&](std::int64_t rows, std::int64_t columns) {
        return single ? memory::dims{rows, columns} : memory::dims{p.batch, rows, columns};
    };
    const auto plain = single ? Tag::ab : Tag::abc;
    const memory::desc x(shape(p.rows, p.inner), type, plain), y(shape(p.rows, p.columns), type, plain);
    // Weights are packed ahead of time; what a pass computes (keys, values) is not.
    const memory::desc w(shape(p.inner, p.columns), type, single ? Tag::any : plain);
#if DNNL_VERSION_MAJOR >= 3
    const dnnl::matmul::primitive_desc description(impl_->engine, x, w, y);
#else
    const dnnl::matmul::primitive_desc description(dnnl::matmul::desc(x, w, y), impl_->engine);
#endif
    impl_->product = dnnl::matmul(description);
    impl_->arguments = {{DNNL_ARG_SRC, impl_->filled(description.src_desc(), number)},
                        {DNNL_ARG_WEIGHTS, impl_->filled(description.weights_desc(), number)},
                        {DNNL_ARG_DST, impl_->filled(description.dst_desc(), number)}};
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
