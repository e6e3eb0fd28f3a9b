#include "core/heads/attention_examples.h"

#include "core/engine/engine.h"
#include "core/heads/meters/pattern_statistics.h"

#include <set>
#include <string>
#include <utility>

namespace headscope {

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
