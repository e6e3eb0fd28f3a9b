#include "core/attribution/score_signals.h"

#include "core/attribution/parts/readers.h"
#include "core/engine/loss.h"
#include "core/tensor/gemm.h"
#include "core/tensor/linear_algebra.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

namespace headscope {

namespace {

/// Singular values below this share of the largest are rounding of the weights' float32.
constexpr double kLeastSingular = 1e-6;

/// readout, turned at its position, = basis · inner: the columns of basis [d_model, d_head] are
/// orthonormal, inner is [d_head, d_head].
struct ReadSide {
    Tensor basis;
    Tensor inner;
};

Result<ReadSide> readSide(const StreamRun& run, LayerHead head, HeadSide side,
                          std::size_t position) {
    const HeadReader reader(run, head, side);
    auto svd = thinSvd(reader.readout().matrix());
    if (!svd)
        return svd.error();
    ReadSide read{std::move(svd->U), std::move(svd->Vt)};
    for (std::size_t r = 0; r < read.inner.dim(0); ++r)
        for (std::size_t c = 0; c < read.inner.dim(1); ++c)
            read.inner(r, c) =
                static_cast<float>(static_cast<double>(read.inner(r, c)) * svd->S[r]);
    reader.turn(read.inner.matrix(), position);
    return read;
}

/// x · (direction · inner): how far x [d_head] reaches along a direction of the stream, times the
/// singular value.
double along(std::span<const double> x, std::span<const double> direction, const Tensor& inner) {
    double sum = 0.0;
    for (std::size_t r = 0; r < direction.size(); ++r)
        for (std::size_t c = 0; c < x.size(); ++c)
            sum += direction[r] * static_cast<double>(inner(r, c)) * x[c];
    return sum;
}

/// basis · direction, [d_model]
std::vector<float> inStream(const Tensor& basis, std::span<const double> direction) {
    std::vector<float> stream(basis.dim(0), 0.0f);
    for (std::size_t i = 0; i < stream.size(); ++i)
        for (std::size_t c = 0; c < direction.size(); ++c)
            stream[i] += static_cast<float>(direction[c]) * basis(i, c);
    return stream;
}

/// The tokens whose embeddings reach furthest along ± direction [d_model].
std::vector<TokenId> wordsAlong(const Model& model, std::span<const float> direction, double sign,
                                std::size_t count) {
    const Weights& weights = model.weights;
    if (count == 0 || weights.W_E.empty() ||
        (model.spec.d_embed != 0 && weights.W_project_in.empty()))
        return {};
    Tensor stream({direction.size(), 1});
    std::ranges::transform(direction, stream.data(),
                           [&](float value) { return static_cast<float>(sign) * value; });
    if (model.spec.d_embed != 0) {
        Tensor narrow({model.spec.d_embed, 1});
        multiply(weights.W_project_in.matrix(), std::as_const(stream).matrix(), narrow.matrix());
        stream = std::move(narrow);
    }
    Tensor reading({weights.W_E.dim(0), 1});
    multiply(weights.W_E.matrix(), std::as_const(stream).matrix(), reading.matrix());
    std::vector<TokenId> ids;
    std::ranges::transform(topPredictions(std::as_const(reading).values(), count),
                           std::back_inserter(ids), &Prediction::id);
    return ids;
}

/// One term before it is sorted in: what its words are read along.
struct Term {
    ScoreSignal signal;
    std::vector<double> query_direction; ///< [d_head], of the query side's basis
    std::vector<double> key_direction;
    double query_sign = 1.0;
    double key_sign = 1.0;
};

} // namespace

std::size_t ScoreSignals::carrying(double share) const {
    const double all =
        std::accumulate(directions.begin(), directions.end(), 0.0,
                        [](double sum, const ScoreSignal& signal) { return sum + signal.part; });
    double missing = 0.0;
    std::size_t count = directions.size();
    while (count > 0) {
        missing += directions[count - 1].part;
        if (std::abs(missing) > (1.0 - share) * std::abs(all))
            break;
        --count;
    }
    return count;
}

Result<ScoreSignals> scoreSignals(const StreamRun& run, const ScoreQuestion& question,
                                  std::size_t worded, std::size_t words) {
    const auto dimensions = scoreDimensions(run, question);
    if (!dimensions)
        return dimensions.error();
    const auto query = readSide(run, question.head, HeadSide::Query, question.query);
    if (!query)
        return query.error();
    const auto key = readSide(run, question.head, HeadSide::Key, question.key);
    if (!key)
        return key.error();
    const std::size_t d_head = query->inner.dim(0);
    Tensor form = Tensor::uninitialised({d_head, key->inner.dim(0)});
    multiplyTransposed(1.0f, query->inner.matrix(), key->inner.matrix(), form.matrix());
    const auto svd = thinSvd(form.matrix());
    if (!svd)
        return svd.error();
    std::vector<Term> terms;
    const double scale = run.spec().attention_scale[question.head.layer];
    for (std::size_t i = 0; i < svd->S.size() && svd->S[i] > kLeastSingular * svd->S[0]; ++i) {
        Term term;
        for (std::size_t r = 0; r < d_head; ++r) {
            term.query_direction.push_back(static_cast<double>(svd->U(r, i)));
            term.key_direction.push_back(static_cast<double>(svd->Vt(i, r)));
        }
        // q = y₁ C₁, k = y₂ C₂ and C₁ C₂ᵀ = U S Vᵀ, so y₁ · uᵢ = q · (vᵢ C₂) / sᵢ, and likewise.
        const double q = along(dimensions->query, term.key_direction, key->inner);
        const double k = along(dimensions->key, term.query_direction, query->inner);
        term.signal.singular_value = svd->S[i];
        term.signal.part = scale * q * k / svd->S[i];
        term.query_sign = std::copysign(1.0, q);
        term.key_sign = std::copysign(1.0, k);
        terms.push_back(std::move(term));
    }
    std::ranges::stable_sort(terms, std::greater(),
                             [](const Term& term) { return std::abs(term.signal.part); });
    ScoreSignals result;
    result.question = question;
    result.distance = dimensions->distance;
    result.rest = std::accumulate(dimensions->parts.begin(), dimensions->parts.end(), 0.0);
    result.difference = dimensions->differs ? result.rest + result.distance : 0.0;
    for (Term& term : terms) {
        result.rest -= term.signal.part;
        if (result.directions.size() < worded) {
            term.signal.query_direction = inStream(query->basis, term.query_direction);
            term.signal.key_direction = inStream(key->basis, term.key_direction);
            term.signal.query_words =
                wordsAlong(run.model(), term.signal.query_direction, term.query_sign, words);
            term.signal.key_words =
                wordsAlong(run.model(), term.signal.key_direction, term.key_sign, words);
        }
        result.directions.push_back(std::move(term.signal));
    }
    return result;
}

} // namespace headscope
