#include "core/attribution/score_parts.h"

#include "core/attribution/parts/readers.h"
#include "core/attribution/score_row.h"
#include "core/tensor/gemm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <utility>

namespace headscope {

namespace {

/// Keys whose parts are in memory at once.
constexpr std::size_t kKeysPerStep = 256;

/// [writer, d_head]: Σ over keys of share · part, a step of keys after the other.
DoubleMatrix mixedKeyParts(const StreamRun& run, LayerHead head, std::span<const KeyShare> shares) {
    std::map<std::size_t, double> share_of; // neighbours one after another
    for (const KeyShare& share : shares)
        share_of[share.key] += share.of_product;
    const std::size_t d_head = run.spec().d_head;
    DoubleMatrix mixed(streamWriters(run.spec(), head.layer).size(), d_head);
    for (auto first = share_of.begin(); first != share_of.end();) {
        const std::size_t begin = first->first;
        std::size_t end = begin;
        auto last = first;
        for (; last != share_of.end() && last->first == end && end - begin < kKeysPerStep; ++last)
            ++end;
        const StreamParts parts = headInputParts(run, head, HeadSide::Key, {begin, end});
        for (; first != last; ++first)
            for (std::size_t writer = 0; writer < mixed.rows; ++writer) {
                const std::span<const float> part = parts.at(writer, first->first);
                for (std::size_t i = 0; i < d_head; ++i)
                    mixed(writer, i) += first->second * static_cast<double>(part[i]);
            }
    }
    return mixed;
}

} // namespace

StreamParts headInputParts(const StreamRun& run, LayerHead head, HeadSide side,
                           PositionRange positions) {
    const HeadReader reader(run, head, side);
    StreamParts parts = partsOfStream(run, head.layer, reader.readout(), positions);
    const std::size_t writers = parts.writers.size();
    const MutableMatrixView rows = parts.values.matrix(); // [writer · position, d_head]
    const auto rowOf = [&](std::size_t writer, std::size_t position) {
        return rows.rowRange(writer * positions.size() + position - positions.begin, 1);
    };
    const auto add = [&](StreamWriter to, std::size_t position, const std::vector<double>& read) {
        const auto found = std::ranges::find(parts.writers, to);
        if (found == parts.writers.end())
            return;
        const MutableMatrixView row =
            rowOf(static_cast<std::size_t>(found - parts.writers.begin()), position);
        for (std::size_t i = 0; i < read.size(); ++i)
            row(0, i) += static_cast<float>(read[i]);
    };
    for (std::size_t position = positions.begin; position < positions.end; ++position) {
        const auto factor = static_cast<float>(reader.factor(position));
        for (std::size_t writer = 0; writer < writers; ++writer)
            for (float& value : std::span(rowOf(writer, position).data, rows.cols))
                value *= factor;
        add({WriterKind::Biases}, position, reader.biases(position));
        add({WriterKind::Positions}, position, reader.positionsBehindNorm(position));
        for (std::size_t writer = 0; writer < writers; ++writer)
            reader.turn(rowOf(writer, position), position);
    }
    return parts;
}

std::vector<float> headInputOf(const StreamRun& run, LayerHead head, HeadSide side,
                               std::size_t position, std::span<const float> stream) {
    const HeadReader reader(run, head, side);
    Tensor read({1, reader.readout().dim(1)});
    multiply({stream.data(), 1, stream.size(), stream.size()}, reader.readout().matrix(),
             read.matrix());
    for (float& value : read.values())
        value *= static_cast<float>(reader.factor(position));
    reader.turn(read.matrix(), position);
    return {read.values().begin(), read.values().end()};
}

std::string_view headSideName(HeadSide side) {
    static constexpr std::array<std::string_view, 3> names{"query", "key", "value"};
    return names[static_cast<std::size_t>(side)];
}

double ScoreParts::sum() const {
    return std::accumulate(values.values.begin(), values.values.end(), distance);
}

std::vector<double> ScoreParts::of(HeadSide side) const {
    std::vector<double> sums(writers.size(), 0.0);
    for (std::size_t q = 0; q < writers.size(); ++q)
        for (std::size_t k = 0; k < writers.size(); ++k)
            sums[side == HeadSide::Query ? q : k] += values(q, k);
    return sums;
}

std::vector<WriterPart> ScoreParts::ranked(HeadSide side) const {
    std::vector<WriterPart> parts;
    std::ranges::transform(writers, of(side), std::back_inserter(parts),
                           [](const StreamWriter& writer, double value) {
                               return WriterPart{writer, value};
                           });
    std::ranges::stable_sort(parts, std::greater(),
                             [](const WriterPart& part) { return std::abs(part.value); });
    return parts;
}

WriterPart ScoreParts::most(HeadSide side) const {
    const std::vector<WriterPart> parts = ranked(side);
    const auto found = std::ranges::find_if(
        parts, [&](const WriterPart& part) { return part.value * difference() > 0.0; });
    return found == parts.end() ? parts.front() : *found;
}

double ScoreParts::share(double value) const {
    return difference() == 0.0 ? std::numeric_limits<double>::quiet_NaN() : value / difference();
}

Result<ScoreParts> takeScoreApart(const StreamRun& run, const ScoreQuestion& question) {
    if (auto checked = checkScore(run, question); !checked)
        return checked.error();
    const ScoreRow row(run, question.head, question.query);
    const std::vector<KeyShare> shares = row.shares(question);
    ScoreParts result;
    result.question = question;
    result.writers = streamWriters(run.spec(), question.head.layer);
    result.score = row.score(question.key);
    result.reference = row.reference(shares);
    result.distance = row.distance(shares);
    result.weight =
        static_cast<double>(run.run().weight(question.head, question.query, question.key));
    result.capped = row.caps();
    const StreamParts queries =
        headInputParts(run, question.head, HeadSide::Query, {question.query, question.query + 1});
    const DoubleMatrix query_parts(queries.values.matrix()); // [writer, d_head]
    DoubleMatrix keys = mixedKeyParts(run, question.head, shares);
    result.values = productTransposed(query_parts, keys);
    for (double& value : result.values.values)
        value *= row.scale();
    return result;
}

std::size_t strongestKey(const StreamRun& run, LayerHead head, std::size_t query) {
    const PositionRange keys = keyMask(run.spec(), head.layer).visibleKeys(query, run.positions());
    const Tensor row = run.run().pattern(head, {query, query + 1}, keys);
    const auto strongest = std::ranges::max_element(row.values());
    return keys.begin + static_cast<std::size_t>(strongest - row.values().begin());
}

Result<ScoreDimensions> scoreDimensions(const StreamRun& run, const ScoreQuestion& question) {
    if (auto checked = checkScore(run, question); !checked)
        return checked.error();
    const ScoreRow row(run, question.head, question.query);
    const std::vector<KeyShare> shares = row.shares(question);
    ScoreDimensions result;
    result.question = question;
    result.query.assign(row.query().begin(), row.query().end());
    result.key.assign(result.query.size(), 0.0);
    for (const KeyShare& share : shares)
        for (std::size_t i = 0; i < result.key.size(); ++i)
            result.key[i] += share.of_product * static_cast<double>(row.key(share.key)[i]);
    result.distance = row.distance(shares);
    result.differs = row.score(question.key) != row.reference(shares);
    std::ranges::transform(result.query, result.key, std::back_inserter(result.parts),
                           [&](double q, double k) { return row.scale() * q * k; });
    return result;
}

} // namespace headscope
