#include "app/cli/benchmark.h"

#include "core/engine/engine.h"
#include "core/tensor/gemm.h"

#include <algorithm>
#include <array>

namespace headscope::cli {

namespace {

using ModelPointer = std::shared_ptr<const Model>;

/// Cells of a pattern that a screen shows at once, to either side.
constexpr std::size_t kScreenSide = 1024;

Result<Work> timeRun(const ModelPointer& model, const TokenIds& ids, bool logits) {
    Request request;
    request.logits = logits && model->spec.output != OutputHead::None;
    return Work([=]() -> Result<void> {
        const auto run = runModel(model, ids, request);
        return run ? Result<void>() : run.error();
    });
}

Result<Work> forward(const ModelPointer& model, const TokenIds& ids) {
    return timeRun(model, ids, true);
}

Result<Work> patterns(const ModelPointer& model, const TokenIds& ids) {
    return timeRun(model, ids, false);
}

/// Looks at the last head of a finished run: show(run, head).
template <class Show>
Result<Work> timeView(const ModelPointer& model, const TokenIds& ids, Show show) {
    Request request;
    request.logits = false;
    const auto run = runModel(model, ids, request);
    if (!run)
        return run.error();
    return Work([run = *run, show]() -> Result<void> {
        static_cast<void>(
            show(*run, {run->model->spec.n_layers - 1, run->model->spec.n_heads - 1}));
        return {};
    });
}

Result<Work> pattern(const ModelPointer& model, const TokenIds& ids) {
    return timeView(model, ids, [](const Run& run, LayerHead head) { return run.pattern(head); });
}

Result<Work> tile(const ModelPointer& model, const TokenIds& ids) {
    return timeView(model, ids, [](const Run& run, LayerHead head) {
        const std::size_t n = run.positions();
        const PositionRange last{n - std::min(n, kScreenSide), n};
        return run.pattern(head, last, last);
    });
}

Result<Work> pooled(const ModelPointer& model, const TokenIds& ids) {
    return timeView(model, ids, [](const Run& run, LayerHead head) {
        const PositionRange all{0, run.positions()};
        return run.pooledPattern(head, all, all, kScreenSide, kScreenSide);
    });
}

/// The matrix products of one forward pass and nothing else, each with its own weights and without
/// passing on results.
class Gemms {
public:
    Gemms(ModelPointer model, std::size_t positions, bool logits)
        : model_(std::move(model)), logits_(logits && model_->spec.output != OutputHead::None) {
        const ModelSpec& spec = model_->spec;
        const std::size_t width = std::max({spec.d_model, spec.queryWidth(), spec.d_mlp});
        const std::size_t out = std::max({width, spec.qkvWidth(), logits_ ? spec.d_vocab : 0});
        in_ = Tensor({positions, width}, 1.0f);
        out_ = Tensor({positions, out});
    }

    void operator()() {
        const Weights& weights = model_->weights;
        for (const LayerWeights& layer : weights.layers) {
            product(layer.attn.W_QKV);
            // Patterns alone need nothing that comes after the last layer's queries and keys.
            if (!logits_ && &layer == &weights.layers.back())
                return;
            for (const Tensor* W :
                 {&layer.attn.W_O, &layer.mlp.W_gate, &layer.mlp.W_in, &layer.mlp.W_out})
                if (!W->empty())
                    product(*W);
        }
        if (logits_)
            multiplyTransposed(1.0f, in_.matrix().colRange(0, weights.unembedding().dim(1)),
                               weights.unembedding().matrix(),
                               out_.matrix().colRange(0, weights.unembedding().dim(0)));
    }

private:
    void product(const Tensor& W) {
        multiply(in_.matrix().colRange(0, W.dim(0)), W.matrix(),
                 out_.matrix().colRange(0, W.dim(1)));
    }

    ModelPointer model_;
    bool logits_;
    Tensor in_;  ///< [position, widest input]
    Tensor out_; ///< [position, widest output]
};

Result<Work> timeGemms(const ModelPointer& model, const TokenIds& ids, bool logits) {
    const auto gemms = std::make_shared<Gemms>(model, ids.size(), logits);
    return Work([gemms]() -> Result<void> {
        (*gemms)();
        return {};
    });
}

Result<Work> floor(const ModelPointer& model, const TokenIds& ids) {
    return timeGemms(model, ids, true);
}

Result<Work> patternsFloor(const ModelPointer& model, const TokenIds& ids) {
    return timeGemms(model, ids, false);
}

constexpr std::array kBenchmarks{
    Benchmark{"floor", "the matrix products of 'forward' alone", "", floor},
    Benchmark{"forward", "all patterns available, and logits at every position", "floor", forward},
    Benchmark{"patterns-floor", "the matrix products of 'patterns' alone", "", patternsFloor},
    Benchmark{"patterns", "all patterns available, no logits", "patterns-floor", patterns},
    Benchmark{"pattern", "one head's whole pattern from a finished run", "", pattern},
    Benchmark{"tile", "one head's last 1024 × 1024 weights from a finished run", "", tile},
    Benchmark{"pooled", "one head's whole pattern pooled to 1024 × 1024 cells", "", pooled},
};

} // namespace

std::span<const Benchmark> benchmarks() {
    return kBenchmarks;
}

} // namespace headscope::cli
