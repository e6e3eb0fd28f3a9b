#include "core/similarity/head_similarity.h"

#include "core/engine/attention.h"
#include "core/engine/engine.h"
#include "core/model/model.h"
#include "core/tensor/finite.h"
#include "core/tensor/gemm.h"
#include "core/tensor/parallel.h"
#include "core/tensor/rounding.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <utility>

namespace headscope {

namespace {

/// How many numbers of patterns or outputs of all heads are in memory at once: 32 MB.
constexpr std::size_t kNumbersAtOnce = std::size_t{8} << 20;

/// −H of a row, or of the mean of two.
double negativeEntropy(std::span<const float> a) {
    double sum = 0.0;
    for (const float x : a)
        if (x > 0.0f)
            sum += static_cast<double>(x * std::log(x));
    return sum;
}
double negativeEntropyOfMean(std::span<const float> a, std::span<const float> b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const float x = 0.5f * (a[i] + b[i]);
        if (x > 0.0f)
            sum += static_cast<double>(x * std::log(x));
    }
    return sum;
}

/// Rows of some [row, width] of all heads that fit into memory at once.
std::size_t rowsAtOnce(std::size_t heads, std::size_t width) {
    return std::max<std::size_t>(1, kNumbersAtOnce / (heads * width));
}

/// Adds prompt after prompt to the sums over all pairs.
class Comparison {
public:
    Comparison(const ModelSpec& spec, std::stop_token stop)
        : spec_(spec), index_(headIndex(spec)), heads_(index_.size()), stop_(std::move(stop)),
          divergences_(heads_ * heads_), cosines_({heads_, heads_}) {}

    void add(const Run& run) {
        const std::size_t positions = run.positions();
        const std::size_t pattern_rows = rowsAtOnce(heads_, positions);
        for (std::size_t begin = 1; begin < positions; begin += pattern_rows)
            addPatterns(run, {begin, std::min(begin + pattern_rows, positions)});
        const std::size_t output_rows = rowsAtOnce(heads_, spec_.d_model);
        for (std::size_t begin = 0; begin < positions; begin += output_rows)
            addOutputs(run, {begin, std::min(begin + output_rows, positions)});
        rows_ += positions - 1;
        positions_ += positions;
    }

    HeadSimilarity similarity() const {
        HeadSimilarity result;
        result.index = index_;
        result.pattern_distance = Tensor({heads_, heads_});
        result.output_cosine = cosines_;
        for (std::size_t i = 0; i < heads_; ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const double mean = divergences_[i * heads_ + j] / static_cast<double>(rows_);
                result.pattern_distance(i, j) = result.pattern_distance(j, i) =
                    static_cast<float>(std::max(0.0, mean));
            }
        for (float& cosine : result.output_cosine.values())
            cosine /= static_cast<float>(positions_);
        return result;
    }

private:
    /// Patterns of all heads for some rows, every pair of heads compared.
    void addPatterns(const Run& run, PositionRange queries) {
        std::vector<Tensor> patterns(heads_);
        std::vector<double> entropies(heads_);
        parallelFor(heads_, [&](std::size_t head, std::size_t) {
            patterns[head] = patternOf(run, index_.at(head), queries);
            entropies[head] = negativeEntropy(patterns[head].values());
        });
        parallelFor(heads_, [&](std::size_t i, std::size_t) {
            for (std::size_t j = 0; j < i && !stop_.stop_requested(); ++j)
                divergences_[i * heads_ + j] +=
                    0.5 * (entropies[i] + entropies[j]) -
                    negativeEntropyOfMean(patterns[i].values(), patterns[j].values());
        });
    }

    /// [query, key]; of a head with a learned sink what that takes is one more column.
    Tensor patternOf(const Run& run, LayerHead head, PositionRange queries) const {
        Tensor pattern =
            run.pattern(head, queries, {0, spec_.causal ? queries.end : run.positions()});
        if (!spec_.learned_sinks)
            return pattern;
        const std::vector<float> taken = run.sinkWeights(head);
        const std::size_t keys = pattern.dim(1);
        Tensor with_sink({queries.size(), keys + 1});
        for (std::size_t row = 0; row < queries.size(); ++row) {
            std::copy_n(pattern.matrix().row(row), keys, with_sink.matrix().row(row));
            with_sink(row, keys) = taken[queries.begin + row];
        }
        return with_sink;
    }

    /// What all heads write at some positions, as unit vectors: one product has all cosines.
    void addOutputs(const Run& run, PositionRange range) {
        Tensor outputs = Tensor::uninitialised({heads_, range.size(), spec_.d_model});
        parallelFor(heads_, [&](std::size_t head, std::size_t) {
            const LayerHead written_by = index_.at(head);
            const std::size_t place = spec_.headPlace(written_by);
            const Tensor& z = run.captured.at({HookKind::Z, written_by.layer});
            const MutableMatrixView output =
                outputs.matrix().rowRange(head * range.size(), range.size());
            const MatrixView z_head = headMatrix(z, place).rowRange(range.begin, range.size());
            const WidenedMatrix W_O(
                run.model->weights.layers[written_by.layer].attn.W_O.matrix().rowRange(
                    place * spec_.valueDim(), spec_.valueDim()));
            multiply(z_head, *W_O, output);
            const double noise = roundingShare(W_O->rows) * frobeniusNorm(*W_O);
            for (std::size_t row = 0; row < output.rows; ++row)
                makeUnit({output.row(row), output.cols},
                         noise * frobeniusNorm(z_head.rowRange(row, 1)));
        });
        const std::size_t width = range.size() * spec_.d_model;
        const MatrixView flat{outputs.data(), heads_, width, width};
        multiplyTransposedAdd(flat, flat, cosines_.matrix());
    }

    /// Zeros where there is no more than rounding.
    static void makeUnit(std::span<float> x, double noise) {
        const float norm = std::sqrt(dot(x, x));
        const bool written = static_cast<double>(norm) > noise;
        for (float& value : x)
            value = written ? value / norm : 0.0f;
    }

    const ModelSpec& spec_;
    HeadIndex index_;
    std::size_t heads_;
    std::stop_token stop_;
    std::vector<double> divergences_; ///< [head, head], the lower triangle, summed over rows
    Tensor cosines_;                  ///< [head, head], summed over positions
    std::size_t rows_ = 0;
    std::size_t positions_ = 0;
};

Result<void> checkPrompts(const std::vector<TokenIds>& prompts) {
    if (std::ranges::any_of(prompts, [](const TokenIds& ids) { return ids.size() == 1; }))
        return Error{ErrorCode::InvalidArgument,
                     "On a prompt of one token all heads look at the same; give one of at least "
                     "two tokens to compare them."};
    return {};
}

/// Puts repeated random tokens where no prompts are given; returns what they are called.
Result<std::string> addRepeats(const Model& model, SimilarityQuestion& question) {
    if (!question.prompts.empty())
        return std::string();
    auto sequences = repeatedRandomSequences(model, question.repeats);
    if (!sequences)
        return sequences.error();
    for (InputSequence& sequence : *sequences)
        question.prompts.push_back(std::move(sequence.ids));
    return repeatsText(question.repeats, *sequences->front().period);
}

/// Heads of weights that are not finite stay as they are counted.
void cluster(HeadSimilarity& similarity) {
    const Tensor& distances = similarity.pattern_distance;
    similarity.tree.items = similarity.heads();
    similarity.order.resize(similarity.heads());
    std::iota(similarity.order.begin(), similarity.order.end(), std::size_t{0});
    if (!allFinite(distances.matrix()))
        return;
    similarity.tree = averageLinkage(distances.matrix());
    similarity.order = leafOrder(similarity.tree);
}

} // namespace

Result<HeadSimilarity> compareHeads(const std::shared_ptr<const Model>& model,
                                    const SimilarityQuestion& question, const Progress& progress,
                                    std::stop_token stop) {
    SimilarityQuestion asked = question;
    auto repeats = addRepeats(*model, asked);
    if (!repeats)
        return repeats.error();
    const std::vector<TokenIds>& prompts = asked.prompts;
    for (const auto& checked : {checkPrompts(prompts), checkWithoutStandIns(asked.ablated)})
        if (!checked)
            return checked.error();
    HookSet hooks;
    addAblation(hooks, asked.ablated, model->spec);
    hooks.capture(HookKind::Z);
    Request request;
    request.logits = false;
    Comparison comparison(model->spec, stop);
    for (std::size_t i = 0; i < prompts.size(); ++i) {
        report(progress, static_cast<double>(i) / static_cast<double>(prompts.size()),
               "prompt " + std::to_string(i + 1) + " of " + std::to_string(prompts.size()));
        const auto run = runModel(model, prompts[i], request, hooks, stop);
        if (!run)
            return run.error();
        comparison.add(**run);
        if (stop.stop_requested())
            return Error{ErrorCode::Cancelled, "The comparison of heads was stopped."};
    }
    HeadSimilarity similarity = comparison.similarity();
    similarity.repeats = *std::move(repeats);
    cluster(similarity);
    return similarity;
}

std::vector<HeadPair> similarPairs(const HeadSimilarity& similarity, double distance) {
    std::vector<HeadPair> pairs;
    for (std::size_t i = 0; i < similarity.heads(); ++i)
        for (std::size_t j = i + 1; j < similarity.heads(); ++j) {
            const auto apart = static_cast<double>(similarity.pattern_distance(i, j));
            if (apart < distance)
                pairs.push_back({similarity.head(i), similarity.head(j), apart,
                                 static_cast<double>(similarity.output_cosine(i, j))});
        }
    std::ranges::stable_sort(pairs, {}, &HeadPair::distance);
    return pairs;
}

} // namespace headscope
