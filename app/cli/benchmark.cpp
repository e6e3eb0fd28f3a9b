#include "app/cli/benchmark.h"

#include "core/base/memory.h"
#include "core/engine/attention.h"
#include "core/engine/engine.h"
#include "core/engine/experts.h"
#include "core/interventions/sweep.h"
#include "core/tensor/gemm.h"
#include "core/tensor/parallel.h"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>

namespace headscope::cli {

namespace {

/// A line of /proc/self/status, such as "VmRSS:   1234 kB", in bytes.
std::optional<std::size_t> statusBytes(std::string_view key) {
    std::ifstream status("/proc/self/status");
    std::string word;
    std::size_t kibibytes = 0;
    while (status >> word)
        if (word == key && status >> kibibytes)
            return checkedMultiply(kibibytes, 1024);
    return std::nullopt;
}

/// Linux sets the peak back to what is in memory now when told "5" here.
bool resetPeak() {
    std::ofstream clear_refs("/proc/self/clear_refs");
    clear_refs << "5" << std::flush;
    return clear_refs.good();
}

} // namespace

std::optional<std::size_t> residentMemory() {
    return statusBytes("VmRSS:");
}

PeakMemory::PeakMemory() {
    malloc_trim(0);
    watched_ = resetPeak();
}

std::optional<std::size_t> PeakMemory::bytes() const {
    return watched_ ? statusBytes("VmHWM:") : std::nullopt;
}

namespace {

using ModelPointer = std::shared_ptr<const Model>;

/// Cells of a pattern that a screen shows at once, to either side.
constexpr std::size_t kScreenSide = 1024;

Result<TimedWork> timeRun(const ModelPointer& model, const TokenIds& ids, bool logits) {
    Request request;
    request.logits = logits && model->spec.output != OutputHead::None;
    return TimedWork([=]() -> Result<void> {
        const auto run = runModel(model, ids, request);
        return run ? Result<void>() : run.error();
    });
}

Result<TimedWork> forward(const ModelPointer& model, const TokenIds& ids) {
    return timeRun(model, ids, true);
}

Result<TimedWork> patterns(const ModelPointer& model, const TokenIds& ids) {
    return timeRun(model, ids, false);
}

/// Looks at the last head of a finished run: show(run, head).
template <class Show>
Result<TimedWork> timeView(const ModelPointer& model, const TokenIds& ids, Show show) {
    Request request;
    request.logits = false;
    const auto run = runModel(model, ids, request);
    if (!run)
        return run.error();
    return TimedWork([run = *run, show]() -> Result<void> {
        static_cast<void>(show(*run, run->model->spec.allHeads().back()));
        return {};
    });
}

Result<TimedWork> pattern(const ModelPointer& model, const TokenIds& ids) {
    return timeView(model, ids, [](const Run& run, LayerHead head) { return run.pattern(head); });
}

Result<TimedWork> tile(const ModelPointer& model, const TokenIds& ids) {
    return timeView(model, ids, [](const Run& run, LayerHead head) {
        const std::size_t n = run.positions();
        const PositionRange last{n - std::min(n, kScreenSide), n};
        return run.pattern(head, last, last);
    });
}

Result<TimedWork> pooled(const ModelPointer& model, const TokenIds& ids) {
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
        const std::size_t width =
            std::max({spec.d_model, spec.queryWidth(), spec.zWidth(), spec.widestMlp()});
        const std::size_t out = std::max({width, spec.qkvWidth(), logits_ ? spec.outputs() : 0});
        in_ = Tensor({positions, width}, 1.0f);
        out_ = Tensor({positions, out});
        qkv_ = Tensor({positions, spec.qkvWidth()}, 1.0f);
        blocks_ = Tensor({threads(), blockSize(positions)});
    }

    void operator()() {
        const Weights& weights = model_->weights;
        for (const LayerWeights& layer : weights.layers) {
            product(layer.attn.W_QKV.matrix());
            // Patterns alone need nothing that comes after the last layer's queries and keys.
            const bool patterns_alone = !logits_ && &layer == &weights.layers.back();
            attention(static_cast<std::size_t>(&layer - weights.layers.data()), patterns_alone);
            if (patterns_alone)
                return;
            for (const WeightTensor* W :
                 {&layer.attn.W_O, &layer.mlp.W_gate, &layer.mlp.W_in, &layer.mlp.W_out})
                if (!W->empty())
                    product(W->matrix());
            if (!layer.experts.W_router.empty())
                experts(layer.experts);
        }
        if (logits_)
            multiplyTransposed(1.0f, in_.matrix().colRange(0, weights.unembedding().dim(1)),
                               weights.unembedding().matrix(),
                               out_.matrix().colRange(0, weights.unembedding().dim(0)));
    }

private:
    void product(const WeightMatrix& W) {
        multiply(in_.matrix().colRange(0, W.rows), W, out_.matrix().colRange(0, W.cols));
    }

    /// As many experts as each position goes through, all of them with all positions.
    void experts(const ExpertsWeights& weights) {
        product(weights.W_router.matrix());
        std::vector<GatedMlp> mlps;
        if (!weights.shared.W_in.empty())
            mlps.push_back(sharedExpertOf(weights));
        for (std::size_t e = 0; e < model_->spec.experts->n_chosen; ++e)
            mlps.push_back(expertOf(weights, e));
        for (const GatedMlp& mlp : mlps)
            for (const WeightMatrix& W : {mlp.W_gate, mlp.W_in, mlp.W_out})
                product(W);
    }

    /// q kᵀ and P v of every head, by the blocks of rows and visible keys that the engine takes.
    void attention(std::size_t layer, bool patterns_alone) {
        const ModelSpec& spec = model_->spec;
        const std::size_t positions = qkv_.dim(0);
        const std::size_t rows = blockRows(positions);
        parallelFor(spec.headsIn(layer), [&](std::size_t place, std::size_t thread) {
            const ScoreRule rule = scoreRule(*model_, spec.headAt(layer, place));
            const MutableMatrixView heads =
                qkv_.matrix().colRange(place * spec.d_head, spec.d_head);
            for (std::size_t begin = 0; begin < positions; begin += rows) {
                const PositionRange queries{begin, std::min(begin + rows, positions)};
                const PositionRange keys = rule.mask.visibleKeys(queries, positions);
                const MatrixView q = heads.rowRange(begin, queries.size());
                const MatrixView k = heads.rowRange(keys.begin, keys.size());
                const MutableMatrixView scores{blocks_.matrix().row(thread), queries.size(),
                                               keys.size(), keys.size()};
                multiplyTransposed(1.0f, q, k, scores);
                if (!patterns_alone)
                    multiply(scores, k,
                             out_.matrix()
                                 .colRange(place * spec.d_head, spec.d_head)
                                 .rowRange(begin, queries.size()));
            }
        });
    }

    ModelPointer model_;
    bool logits_;
    Tensor in_;     ///< [position, widest input]
    Tensor out_;    ///< [position, widest output]
    Tensor qkv_;    ///< [position, queries, keys and values]
    Tensor blocks_; ///< [thread, scores of a block]
};

Result<TimedWork> timeGemms(const ModelPointer& model, const TokenIds& ids, bool logits) {
    const auto gemms = std::make_shared<Gemms>(model, ids.size(), logits);
    return TimedWork([gemms]() -> Result<void> {
        (*gemms)();
        return {};
    });
}

Result<TimedWork> floor(const ModelPointer& model, const TokenIds& ids) {
    return timeGemms(model, ids, true);
}

Result<TimedWork> patternsFloor(const ModelPointer& model, const TokenIds& ids) {
    return timeGemms(model, ids, false);
}

/// Every head ablated by itself (zero); the loss over all positions, or the last position's logit
/// difference of two tokens.
Result<TimedWork> sweep(const ModelPointer& model, const TokenIds& ids, MetricKind metric,
                        EffectMethod method) {
    SweepQuestion question;
    question.prompts = {ids};
    question.metric.kind = metric;
    question.metric.other = 1;
    question.method = method;
    return TimedWork([=]() -> Result<void> {
        const auto result = sweepHeads(model, question);
        return result ? Result<void>() : result.error();
    });
}

Result<TimedWork> sweepLoss(const ModelPointer& model, const TokenIds& ids) {
    return sweep(model, ids, MetricKind::Loss, EffectMethod::Exact);
}

Result<TimedWork> sweepLast(const ModelPointer& model, const TokenIds& ids) {
    return sweep(model, ids, MetricKind::LogitDifference, EffectMethod::Exact);
}

Result<TimedWork> importance(const ModelPointer& model, const TokenIds& ids) {
    return sweep(model, ids, MetricKind::Loss, EffectMethod::Gradient);
}

constexpr std::array kBenchmarks{
    Benchmark{"floor", "the matrix products of 'forward' alone", "", floor},
    Benchmark{"forward", "all patterns available, and logits at every position", "floor", forward},
    Benchmark{"patterns-floor", "the matrix products of 'patterns' alone", "", patternsFloor},
    Benchmark{"patterns", "all patterns available, no logits", "patterns-floor", patterns},
    Benchmark{"pattern", "one head's whole pattern from a finished run", "", pattern},
    Benchmark{"tile", "one head's last 1024 × 1024 weights from a finished run", "", tile},
    Benchmark{"pooled", "one head's whole pattern pooled to 1024 × 1024 cells", "", pooled},
    Benchmark{"sweep", "the loss without each head, exactly", "", sweepLoss},
    Benchmark{"sweep-last", "the same for two logits at the last position", "", sweepLast},
    Benchmark{"importance", "the loss by the gates of all heads, one reverse pass", "", importance},
};

} // namespace

std::span<const Benchmark> benchmarks() {
    return kBenchmarks;
}

} // namespace headscope::cli
