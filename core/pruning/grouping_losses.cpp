#include "core/pruning/grouping_losses.h"

#include "core/base/text.h"
#include "core/pruning/measure/judge.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace headscope {

namespace {

constexpr double kShareOfMoments = 0.3; ///< of the time, for one pass and its sums

/// The loss above that of the whole network, in percent of it.
double percentMore(const GroupingResult& result, double nats) {
    return 100.0 * nats / meanOf(result.layout, result.whole).loss;
}

double lossOf(const GroupingResult& result, const GroupingPoint& point) {
    return meanOf(result.layout, point.sums).loss;
}

std::string percentText(double percent) {
    return numberText(std::round(percent * 10.0) / 10.0);
}

/// "+18.4 %", "−0.5 %"
std::string signedPercent(double percent) {
    return (percent < 0.0 ? "−" : "+") + percentText(std::abs(percent)) + " %";
}

TableRow groupingRow(const GroupingResult& result, std::size_t n_kv_heads, std::string_view pooling,
                     const PassageSums& sums, const ModelCost& cost) {
    TableRow row{n_kv_heads, pooling};
    addLossCells(row, result.layout, result.whole, sums);
    row.emplace_back(cost.kv_per_token);
    row.emplace_back(cost.parameters);
    return row;
}

} // namespace

Result<GroupingResult> measureGroupings(const std::shared_ptr<const Model>& model,
                                        const PassageSet& calibration, const PassageSet& test,
                                        const Progress& progress, const std::stop_token& stop) {
    if (auto good = checkPoolable(*model); !good)
        return good.error();
    if (auto apart = checkApart(calibration, test); !apart)
        return apart.error();
    const auto moments =
        attentionMoments(model, calibration, partOf(progress, 0.0, kShareOfMoments), stop);
    if (!moments)
        return moments.error();
    report(progress, kShareOfMoments, "the whole model");
    auto judge = Judge::make(model, test, Compare::WithWhole, stop);
    if (!judge)
        return judge.error();
    GroupingResult result{model->name,
                          model->spec.n_heads,
                          model->spec.n_kv_heads,
                          layoutOf(test),
                          sumsOf(test, judge->whole()),
                          costOf(*model),
                          {}};
    const auto counts = pooledCounts(model->spec);
    const Progress of_points = partOf(progress, kShareOfMoments, 1.0);
    for (const std::size_t count : counts)
        for (const Pooling pooling : poolings()) {
            report(of_points,
                   static_cast<double>(result.points.size()) /
                       static_cast<double>(counts.size() * poolings().size()),
                   counted(count, "KV head") + " by " + std::string(poolingName(pooling)));
            const auto pooled = pooledModel(*model, count, pooling, &*moments);
            if (!pooled)
                return pooled.error();
            const auto readings = judge->measureNetwork(*pooled, stop);
            if (!readings)
                return readings.error();
            result.points.push_back({count, pooling, sumsOf(test, *readings), costOf(**pooled)});
        }
    return result;
}

std::string groupingText(const GroupingResult& result) {
    const std::size_t count = result.points.front().n_kv_heads;
    const double whole = meanOf(result.layout, result.whole).loss;
    std::vector<const GroupingPoint*> mildest;
    for (const GroupingPoint& point : result.points)
        if (point.n_kv_heads == count)
            mildest.push_back(&point);
    std::ranges::sort(mildest, {},
                      [&](const GroupingPoint* point) { return lossOf(result, *point); });
    const auto changeBy = [&](const GroupingPoint& point) {
        return signedPercent(percentMore(result, lossOf(result, point) - whole));
    };
    const GroupingPoint& best = *mildest.front();
    const Interval more = lossIncrease(result.layout, result.whole, best.sums);
    std::string ways(poolingName(best.pooling));
    for (const GroupingPoint* other : std::span(mildest).subspan(1))
        ways += "; " + std::string(poolingName(other->pooling)) + ": " + changeBy(*other);
    const double cache = static_cast<double>(best.cost.kv_per_token) /
                         static_cast<double>(result.whole_cost.kv_per_token);
    return "Keys and values of " + std::to_string(result.n_kv_heads) + " heads in " +
           std::to_string(count) + ": loss " + changeBy(best) + " [" +
           signedPercent(percentMore(result, more.low)) + " to " +
           signedPercent(percentMore(result, more.high)) + "] before training (" + ways +
           "), the same prediction at " +
           percentText(100.0 * meanOf(result.layout, best.sums).agreement) +
           " % of the tokens, and a KV cache of " + percentText(100.0 * cache) + " %.";
}

std::vector<Column> groupingColumns() {
    std::vector<Column> columns{
        {.key = "kv_heads",
         .title = "KV heads",
         .meaning = "Key and value heads of a layer, shared evenly by its query heads"},
        {.key = "pooling",
         .title = "pooled by",
         .meaning = "mean: of W_K and W_V, as grouped queries are trained from. least squares: the "
                    "maps that lose least, read back by W_Q and W_O"}};
    addLossColumns(columns);
    columns.push_back({.key = "kv_per_token",
                       .title = "KV per token",
                       .meaning = "Numbers of keys and values kept for each token of the context"});
    columns.push_back({.key = "parameters", .title = "parameters"});
    return columns;
}

Table groupingTable(const GroupingResult& result, const PassageSet& calibration,
                    const PassageSet& test, const Provenance& provenance) {
    Table table;
    table.caption = result.model_name + ". " + groupingText(result);
    table.key = "groupings";
    table.columns = groupingColumns();
    table.rows.push_back(
        groupingRow(result, result.n_kv_heads, "whole", result.whole, result.whole_cost));
    for (const GroupingPoint& point : result.points)
        table.rows.push_back(groupingRow(result, point.n_kv_heads, poolingName(point.pooling),
                                         point.sums, point.cost));
    table.fields = {{"summary", groupingText(result)},
                    {"heads", result.n_heads},
                    {"calibration", calibration.name + " " + calibration.hash},
                    {"test", test.name + " " + test.hash}};
    table.provenance = provenance;
    return table;
}

} // namespace headscope
