#include "core/attribution/score_row.h"

#include "core/attribution/vocabulary_check.h"
#include "core/base/text.h"
#include "core/engine/rotary.h"
#include "core/tensor/rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>

namespace headscope {

namespace {

/// Where hooks see what the limit is for.
HookKind clippedKind(const ModelSpec& spec, HeadSide side) {
    const bool normed = spec.qk_norm != QkNorm::None;
    if (side == HeadSide::Value)
        return HookKind::V;
    if (side == HeadSide::Query)
        return normed ? HookKind::QNormOut : HookKind::Q;
    return normed ? HookKind::KNormOut : HookKind::K;
}

Result<void> checkKey(const StreamRun& run, const ScoreQuestion& question, std::size_t key) {
    const PositionRange visible =
        keyMask(run.spec(), question.head.layer).visibleKeys(question.query, run.positions());
    if (visible.contains(key))
        return {};
    return Error{ErrorCode::InvalidArgument, "Query " + std::to_string(question.query) +
                                                 " of head " + headText(question.head) +
                                                 " does not see key " + std::to_string(key) +
                                                 ": it sees keys " + std::to_string(visible.begin) +
                                                 " to " + std::to_string(visible.end - 1) + "."};
}

/// Σ share · value over the keys of a difference but the first.
template <class Value>
double sumOfOthers(std::span<const KeyShare> shares, Value value) {
    double sum = 0.0;
    for (const KeyShare& share : shares.subspan(1))
        sum += share.share * value(share.key);
    return sum;
}

} // namespace

Result<void> checkUnclipped(const StreamRun& run, LayerHead head, HeadSide side,
                            PositionRange positions) {
    const ModelSpec& spec = run.spec();
    if (spec.qkv_clip == 0.0)
        return {};
    const bool of_query = side == HeadSide::Query;
    const std::size_t width = side == HeadSide::Value ? spec.valueDim() : spec.d_head;
    const std::size_t place = of_query ? spec.headPlace(head) : spec.kvPlace(head);
    const Tensor& seen = run.at({clippedKind(spec, side), head.layer}); // heads side by side
    const std::size_t all = seen.size() / run.positions();
    const auto is_clipped = [&](float value) {
        return std::abs(value) >= static_cast<float>(spec.qkv_clip);
    };
    for (std::size_t at = positions.begin; at < positions.end; ++at)
        if (std::ranges::any_of(seen.values().subspan(at * all + place * width, width), is_clipped))
            return Error{ErrorCode::Unsupported,
                         "Head " + headText(head) + " clips its " +
                             std::string(headSideName(side)) + " at position " +
                             std::to_string(at) + " to ±" + numberText(spec.qkv_clip) +
                             ", so that it is no sum of what was written into the residual "
                             "stream; ask about another head or position."};
    return {};
}

Result<void> checkScore(const StreamRun& run, const ScoreQuestion& question) {
    if (auto checked = checkHead(question.head, run.spec()); !checked)
        return checked;
    if (auto checked = checkPosition(run.positions(), question.query); !checked)
        return checked;
    if (auto checked = checkKey(run, question, question.key); !checked)
        return checked;
    const PositionRange seen =
        keyMask(run.spec(), question.head.layer).visibleKeys(question.query, run.positions());
    if (auto checked = checkUnclipped(run, question.head, HeadSide::Query,
                                      {question.query, question.query + 1});
        !checked)
        return checked;
    if (auto checked = checkUnclipped(run, question.head, HeadSide::Key, seen); !checked)
        return checked;
    if (question.contrast == ScoreContrast::Key)
        return checkKey(run, question, question.other);
    if (question.contrast == ScoreContrast::Nothing || seen.size() > 1)
        return {};
    return Error{ErrorCode::InvalidArgument,
                 "Query " + std::to_string(question.query) + " of head " + headText(question.head) +
                     " sees one key alone, so there is no other to compare it with; ask for the "
                     "score by itself."};
}

ScoreRow::ScoreRow(const StreamRun& run, LayerHead head, std::size_t query)
    : run_(run), spec_(run.spec()), head_(head), query_(query), rule_(scoreRule(run.model(), head)),
      visible_(rule_.mask.visibleKeys(query, run.positions())),
      q_(headMatrix(run.run().attention[head.layer].q, spec_.headPlace(head)).row(query)) {}

std::span<const float> ScoreRow::key(std::size_t key) const {
    return {headMatrix(run_.run().attention[head_.layer].k, spec_.kvPlace(head_)).row(key),
            spec_.d_head};
}

double ScoreRow::product(std::size_t at) const {
    const std::span<const float> k = key(at);
    double sum = 0.0;
    for (std::size_t i = 0; i < k.size(); ++i)
        sum += static_cast<double>(q_[i]) * static_cast<double>(k[i]);
    return sum * scale();
}

double ScoreRow::cap(double product) const {
    const auto cap = static_cast<double>(rule_.softcap);
    return caps() ? cap * std::tanh(product / cap) : product;
}

double ScoreRow::distance(std::size_t key) const {
    return static_cast<double>(rule_.distance.at(query_, key));
}

/// A softmax of its own, since beside a weight of nearly 1 the others are rounding in float32.
void ScoreRow::addOthers(std::size_t key, std::vector<KeyShare>& shares) const {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t other = visible_.begin; other < visible_.end; ++other)
        if (other != key)
            largest = std::max(largest, score(other));
    double sum = 0.0;
    for (std::size_t other = visible_.begin; other < visible_.end; ++other)
        if (other != key) {
            const double weight = std::exp(score(other) - largest);
            shares.push_back({other, -weight});
            sum += weight;
        }
    for (KeyShare& share : std::span(shares).subspan(1))
        share.share /= sum;
}

std::vector<KeyShare> ScoreRow::shares(const ScoreQuestion& question) const {
    std::vector<KeyShare> shares{{question.key, 1.0}};
    if (question.contrast == ScoreContrast::Key)
        shares.push_back({question.other, -1.0});
    if (question.contrast == ScoreContrast::OtherKeys)
        addOthers(question.key, shares);
    for (KeyShare& share : shares) {
        const double linear = product(share.key);
        share.of_product =
            caps() && linear != 0.0 ? share.share * capped(share.key) / linear : share.share;
    }
    return shares;
}

double ScoreRow::reference(std::span<const KeyShare> shares) const {
    const double mean = -sumOfOthers(shares, [this](std::size_t key) { return score(key); });
    const double own = score(shares.front().key);
    return areDifferent(own, mean) ? mean : own;
}

double ScoreRow::distance(std::span<const KeyShare> shares) const {
    const auto distance_of = [this](std::size_t key) { return distance(key); };
    return distance_of(shares.front().key) + sumOfOthers(shares, distance_of);
}

namespace {

/// x [d_head], a query or key at a position that grew, before rotary positions turned it.
std::vector<double> turnedBack(std::span<const float> x, std::size_t position,
                               const std::optional<RotaryTable>& back, double growth = 1.0) {
    std::vector<float> before(x.begin(), x.end());
    for (float& value : before)
        value /= static_cast<float>(growth);
    if (back)
        applyRotary(*back, 1, position, {before.data(), 1, before.size(), before.size()});
    return {before.begin(), before.end()};
}

} // namespace

Result<QueryDimensions> queryDimensions(const StreamRun& run, LayerHead head, std::size_t query) {
    if (auto checked = checkHead(head, run.spec()); !checked)
        return checked.error();
    if (auto checked = checkPosition(run.positions(), query); !checked)
        return checked.error();
    const ScoreRow row(run, head, query);
    // A norm after the rotation has scaled what it turned.
    const RotarySpec* const rotary =
        run.spec().qk_norm_after_rotary ? nullptr : run.spec().rotaryIn(head.layer);
    const auto back =
        rotary ? std::optional(inverse(rotaryTable(*rotary, run.positions()))) : std::nullopt;
    const PositionRange keys = row.visible();
    const std::size_t d_head = row.query().size();
    QueryDimensions result{head,
                           query,
                           keys,
                           turnedBack(row.query(), query, back, run.spec().queryGrowth(query)),
                           {row.query().begin(), row.query().end()},
                           DoubleMatrix(keys.size(), d_head),
                           DoubleMatrix(keys.size(), d_head),
                           DoubleMatrix(keys.size(), d_head),
                           back.has_value()};
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::span<const float> key = row.key(keys.begin + i);
        std::ranges::copy(turnedBack(key, keys.begin + i, back), result.keys_before.row(i));
        std::ranges::copy(key, result.keys.row(i));
        for (std::size_t d = 0; d < d_head; ++d)
            result.parts(i, d) = row.scale() * result.query[d] * result.keys(i, d);
    }
    return result;
}

} // namespace headscope
