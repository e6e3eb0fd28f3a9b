#include "core/heads/corpus_scan.h"

#include "core/base/text.h"
#include "core/engine/engine.h"
#include "core/heads/meters/pattern_statistics.h"
#include "core/model/model.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace headscope {

namespace {

/// How many tokens of sequences run together: enough rows for fast products.
constexpr std::size_t kTokensTogether = 512;

StrongestRow rowOf(const PatternSummary& pattern, std::size_t query, float weight) {
    StrongestRow row{static_cast<std::uint32_t>(query), weight};
    const auto& top = pattern.top[query];
    for (std::size_t i = 0; i < std::min(row.keys.size(), top.size()); ++i)
        row.keys[i] = {static_cast<std::uint32_t>(top[i].key), top[i].weight};
    return row;
}

/// The largest weights of a row include the one that is looked for, as only two of them can be at
/// position 0 and on the diagonal.
StrongestRow strongestRow(const PatternSummary& pattern) {
    std::size_t strongest = 0;
    float weight = 0.0f;
    for (std::size_t query = 1; query < pattern.top.size(); ++query)
        for (const PatternSummary::TopKey& top : pattern.top[query])
            if (top.key != 0 && top.key != query && top.weight > weight) {
                strongest = query;
                weight = top.weight;
            }
    return rowOf(pattern, strongest, weight);
}

/// As many from `begin` on as run together, at least one.
std::size_t countTogether(std::span<const InputSequence> sequences, std::size_t begin) {
    std::size_t tokens = sequences[begin].ids.size();
    std::size_t end = begin + 1;
    while (end < sequences.size() && tokens + sequences[end].ids.size() <= kTokensTogether)
        tokens += sequences[end++].ids.size();
    return end - begin;
}

Result<CorpusScan> scanTogether(const std::shared_ptr<const Model>& model,
                                std::span<const InputSequence> sequences,
                                const std::stop_token& stop) {
    std::vector<PatternStatistics> statistics;
    statistics.reserve(sequences.size()); // whose addresses the items keep
    std::vector<RunItem> items(sequences.size());
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        items[i].ids = sequences[i].ids;
        items[i].observers = {&statistics.emplace_back(model->spec, sequences[i].ids.size())};
    }
    Request request;
    request.logits = false;
    request.keep_attention = false;
    if (const auto runs = runBatch(model, items, request, stop); !runs)
        return runs.error();
    CorpusScan part(headIndex(model->spec));
    for (const LayerHead head : part.heads())
        for (const PatternStatistics& sequence : statistics) {
            part[head].sums.add(sequence.of(head));
            part[head].rows.push_back(strongestRow(sequence.of(head)));
        }
    return part;
}

} // namespace

void AttentionSums::add(const PatternSummary& pattern) {
    const std::size_t positions = pattern.argmax.size();
    rows += static_cast<double>(positions);
    rows_from_1 += static_cast<double>(positions - 1);
    self += pattern.offsetMass(0);
    previous += positions > 1 ? pattern.offsetMass(1) : 0.0;
    entropy = std::accumulate(pattern.entropy.begin(), pattern.entropy.end(), entropy);
    distance = std::accumulate(pattern.distance.begin(), pattern.distance.end(), distance);
    for (std::size_t i = 0; i < pattern.offset_mass.size(); ++i) {
        const double offset = static_cast<double>(i) - static_cast<double>(positions - 1);
        squared_distance += pattern.offset_mass[i] * offset * offset;
    }
}

void AttentionSums::add(const AttentionSums& others) {
    rows += others.rows;
    rows_from_1 += others.rows_from_1;
    self += others.self;
    previous += others.previous;
    entropy += others.entropy;
    distance += others.distance;
    squared_distance += others.squared_distance;
}

AttentionMeans AttentionSums::means() const {
    const double mean_distance = distance / rows;
    return {self / rows, previous / rows_from_1, entropy / rows, mean_distance,
            squared_distance / rows - mean_distance * mean_distance};
}

std::size_t scannedSequences(const CorpusScan& scan) {
    return scan.size() == 0 ? 0 : scan.values().front().rows.size();
}

void append(CorpusScan& scan, const CorpusScan& later) {
    if (scan.size() == 0)
        scan = CorpusScan(later.heads());
    for (const LayerHead head : scan.heads()) {
        const HeadScan& added = later[head];
        scan[head].sums.add(added.sums);
        scan[head].rows.insert(scan[head].rows.end(), added.rows.begin(), added.rows.end());
    }
}

Result<CorpusScan> scanCorpus(const std::shared_ptr<const Model>& model,
                              std::span<const InputSequence> sequences, CorpusScan begun,
                              const Progress& progress, const std::stop_token& stop,
                              const PublishScan& publish) {
    if (sequences.empty())
        return Error{ErrorCode::InvalidArgument, "There is no sequence to take examples from."};
    for (std::size_t done = scannedSequences(begun); done < sequences.size();) {
        report(progress, static_cast<double>(done) / static_cast<double>(sequences.size()),
               "looking for examples, sequence " + std::to_string(done + 1) + " of " +
                   std::to_string(sequences.size()));
        const std::size_t count = countTogether(sequences, done);
        const auto part = scanTogether(model, sequences.subspan(done, count), stop);
        if (!part)
            return part.error();
        append(begun, *part);
        done += count;
        if (!publish)
            continue;
        if (auto published = publish(*part); !published)
            return published.error();
    }
    return begun;
}

} // namespace headscope
