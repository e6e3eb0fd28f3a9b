#include "core/heads/examples.h"

#include "core/base/random.h"
#include "core/base/text.h"
#include "core/engine/engine.h"
#include "core/heads/meters/pattern_statistics.h"
#include "core/model/prompt.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <utility>

namespace headscope {

namespace {

/// The first rank of a part, of `size` in all. Rounded up, so that fewer sequences than parts fill
/// the strongest ones.
std::size_t beginOf(std::size_t part, std::size_t size) {
    return (part * size + kExampleIntervals - 1) / kExampleIntervals;
}

// Ranks, ascending: 0 is the strongest.

std::vector<std::size_t> ranksByDecile(std::size_t size, std::size_t count) {
    const std::size_t per_part = std::max<std::size_t>(1, count / kExampleIntervals);
    std::vector<std::size_t> ranks;
    for (std::size_t part = 0; part < kExampleIntervals; ++part) {
        const std::size_t begin = beginOf(part, size);
        const std::size_t in_part = beginOf(part + 1, size) - begin;
        const std::size_t chosen = std::min(per_part, in_part);
        for (std::size_t i = 0; i < chosen; ++i)
            ranks.push_back(begin + i * in_part / chosen);
    }
    return ranks;
}

std::vector<std::size_t> ranksFrom(std::size_t first, std::size_t count) {
    std::vector<std::size_t> ranks(count);
    std::iota(ranks.begin(), ranks.end(), first);
    return ranks;
}

std::vector<std::size_t> drawnRanks(std::size_t size, std::size_t count, std::uint64_t seed) {
    std::vector<std::size_t> ranks = ranksFrom(0, size);
    Random random(seed);
    for (std::size_t i = 0; i < count; ++i)
        std::swap(ranks[i], ranks[i + random.below(size - i)]);
    ranks.resize(count);
    std::ranges::sort(ranks);
    return ranks;
}

std::vector<std::size_t> chosenRanks(ExampleKind kind, std::size_t size, std::size_t count,
                                     std::uint64_t seed) {
    const std::size_t most = std::min(count, size);
    switch (kind) {
    case ExampleKind::Deciles:
        return ranksByDecile(size, count);
    case ExampleKind::Strongest:
        return ranksFrom(0, most);
    case ExampleKind::Middle:
        return ranksFrom((size - most) / 2, most);
    case ExampleKind::Random:
        return drawnRanks(size, most, seed);
    }
    return {};
}

} // namespace

std::span<const ExampleKind> exampleKinds() {
    static constexpr std::array kinds{ExampleKind::Deciles, ExampleKind::Strongest,
                                      ExampleKind::Middle, ExampleKind::Random};
    return kinds;
}

std::string_view exampleKindName(ExampleKind kind) {
    static constexpr std::array<std::string_view, 4> names{"deciles", "strongest", "middle",
                                                           "random"};
    return names[static_cast<std::size_t>(kind)];
}

std::vector<ChosenExample> chooseExamples(std::span<const float> strongest, ExampleKind kind,
                                          std::size_t count, std::uint64_t seed) {
    std::vector<std::size_t> order(strongest.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return strongest[i]; });
    std::vector<ChosenExample> chosen;
    for (const std::size_t rank : chosenRanks(kind, order.size(), count, seed))
        chosen.push_back(
            {order[rank], kExampleIntervals - rank * kExampleIntervals / order.size()});
    return chosen;
}

std::vector<std::size_t> weightHistogram(std::span<const float> weights, std::size_t bins) {
    std::vector<std::size_t> counts(bins);
    for (const float weight : weights)
        ++counts[std::min(static_cast<std::size_t>(weight * static_cast<float>(bins)), bins - 1)];
    return counts;
}

namespace {

std::string typedText(const Model& model, const TokenIds& ids) {
    if (model.tokenizer)
        return model.tokenizer->decode(ids, true);
    std::vector<std::string> numbers;
    for (const TokenId id : ids)
        numbers.push_back(std::to_string(id));
    return join(numbers, " ");
}

} // namespace

std::optional<StrongestRow::Key> chosenKey(const StrongestRow& row) {
    for (const StrongestRow::Key& key : row.keys)
        if (key.weight > 0.0f && key.key != 0 && key.key != row.query)
            return key;
    return std::nullopt;
}

ExampleList exampleList(const Model& model, std::span<const InputSequence> sequences,
                        const HeadScan& scan, const ExampleQuestion& question) {
    std::vector<float> strongest(scan.rows.size());
    std::ranges::transform(scan.rows, strongest.begin(), &StrongestRow::weight);
    ExampleList list{{}, weightHistogram(strongest, kWeightBins), scan.sums.means()};
    for (const ChosenExample& chosen :
         chooseExamples(strongest, question.kind, question.count, question.seed)) {
        HeadExample& example = list.examples.emplace_back(
            HeadExample{chosen.sequence, chosen.interval, scan.rows[chosen.sequence], {}, {}});
        const TokenIds& ids = sequences[chosen.sequence].ids;
        example.text = typedText(model, ids);
        for (const TokenId id : ids) {
            const std::string typed = typedPiece(model, id);
            example.pieces.push_back(typed.empty() ? tokenPiece(model, id) : typed);
        }
    }
    return list;
}

namespace {

/// Runs one sequence and watches its patterns.
Result<PatternStatistics> statisticsOf(const std::shared_ptr<const Model>& model,
                                       const InputSequence& sequence, std::size_t keys_per_query,
                                       const std::stop_token& stop) {
    PatternStatistics statistics(model->spec, sequence.ids.size(), keys_per_query);
    RunItem item;
    item.ids = sequence.ids;
    item.observers = {&statistics};
    Request request;
    request.logits = false;
    request.keep_attention = false;
    if (const auto runs = runBatch(model, {&item, 1}, request, stop); !runs)
        return runs.error();
    return statistics;
}

std::vector<ShownWeight> entriesOf(const PatternSummary& head, float least_weight) {
    std::vector<ShownWeight> entries;
    for (std::size_t query = 0; query < head.top.size(); ++query)
        for (const PatternSummary::TopKey& top : head.top[query])
            if (top.weight >= least_weight)
                entries.push_back({static_cast<std::uint32_t>(query),
                                   static_cast<std::uint32_t>(top.key), top.weight});
    return entries;
}

/// First run: how strongly every head looks, and the means.
Result<PerHead<HeadExamples>> measureAll(const std::shared_ptr<const Model>& model,
                                         std::span<const InputSequence> sequences,
                                         const ExampleOptions& options, const Progress& progress,
                                         const std::stop_token& stop) {
    const auto scan = scanCorpus(model, sequences, {}, partOf(progress, 0.0, 0.5), stop);
    if (!scan)
        return scan.error();
    PerHead<HeadExamples> heads(scan->heads());
    for (const LayerHead head : heads.heads()) {
        HeadExamples& examples = heads[head];
        examples.means = (*scan)[head].sums.means();
        for (const StrongestRow& row : (*scan)[head].rows)
            examples.strongest.push_back(row.weight);
        for (const ChosenExample& chosen : chooseExamples(examples.strongest, ExampleKind::Deciles,
                                                          options.per_interval * kExampleIntervals))
            examples.examples.push_back({chosen.sequence, chosen.interval, {}});
    }
    return heads;
}

/// Second run, of those sequences alone that some head has as an example.
Result<void> fillExamples(const std::shared_ptr<const Model>& model,
                          std::span<const InputSequence> sequences, const ExampleOptions& options,
                          PerHead<HeadExamples>& heads, const Progress& progress,
                          const std::stop_token& stop) {
    std::set<std::size_t> wanted;
    for (const HeadExamples& head : heads)
        for (const AttentionExample& example : head.examples)
            wanted.insert(example.sequence);
    std::size_t done = 0;
    for (const std::size_t index : wanted) {
        report(progress, 0.5 + 0.5 * static_cast<double>(done) / static_cast<double>(wanted.size()),
               "reading examples, sequence " + std::to_string(done + 1) + " of " +
                   std::to_string(wanted.size()));
        ++done;
        const auto statistics = statisticsOf(model, sequences[index], options.keys_per_query, stop);
        if (!statistics)
            return statistics.error();
        for (const LayerHead head : heads.heads())
            for (AttentionExample& example : heads[head].examples)
                if (example.sequence == index)
                    example.entries = entriesOf(statistics->of(head), options.least_weight);
    }
    return {};
}

} // namespace

Result<PerHead<HeadExamples>> attentionExamples(const std::shared_ptr<const Model>& model,
                                                std::span<const InputSequence> sequences,
                                                const ExampleOptions& options,
                                                const Progress& progress,
                                                const std::stop_token& stop) {
    auto heads = measureAll(model, sequences, options, progress, stop);
    if (!heads)
        return heads;
    if (auto filled = fillExamples(model, sequences, options, *heads, progress, stop); !filled)
        return filled.error();
    report(progress, 1.0, "reading examples");
    return heads;
}

} // namespace headscope
