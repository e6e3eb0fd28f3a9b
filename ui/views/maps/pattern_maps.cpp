#include "ui/views/maps/pattern_maps.h"

#include "core/attribution/shown_attention.h"

namespace headscope::ui {
namespace {

using RunOfPrompt = std::shared_ptr<const RunResult>;

/// valueNorms() of a result, with its heads ablated.
Result<std::shared_ptr<const Tensor>> normsOf(const RunResult& result,
                                              const std::stop_token& stop) {
    HookSet hooks;
    addAblation(hooks, result.mask, result.masked->model->spec);
    auto norms = valueNorms(result.masked->model, result.masked->ids, hooks, stop);
    if (!norms)
        return norms.error();
    return std::make_shared<const Tensor>(*std::move(norms));
}

HeadPattern mapOf(const RunResult& result, const std::shared_ptr<const Tensor>& norms,
                  LayerHead head, PatternMap map) {
    switch (map) {
    case PatternMap::Attention:
        return attentionMap(result.masked, head);
    case PatternMap::ValueWeighted:
        return valueWeightedMap(result.masked, norms, head);
    case PatternMap::Difference:
        break;
    }
    return differenceMap(result.masked, result.full, head);
}

} // namespace

Result<PatternMaps> PatternMaps::read(const PatternSource& source, PatternMap map,
                                      const PatternMaps& known, const std::stop_token& stop) {
    PatternMaps maps;
    maps.source_ = source;
    maps.map_ = map;
    if (map != PatternMap::ValueWeighted)
        return maps;
    const auto readNorms = [&](const RunOfPrompt& result) -> Result<Norms> {
        if (!result)
            return Norms();
        if (known.norms_ && known.source_.result == result)
            return known.norms_;
        if (known.other_norms_ && known.source_.other == result)
            return known.other_norms_;
        return normsOf(*result, stop);
    };
    auto norms = readNorms(source.result);
    if (!norms)
        return norms.error();
    auto other_norms = readNorms(source.other);
    if (!other_norms)
        return other_norms.error();
    maps.norms_ = *std::move(norms);
    maps.other_norms_ = *std::move(other_norms);
    return maps;
}

HeadPattern PatternMaps::of(LayerHead head) const {
    HeadPattern pattern = mapOf(*source_.result, norms_, head, map_);
    if (!source_.other)
        return pattern;
    return comparedMap(pattern, mapOf(*source_.other, other_norms_, head, map_), source_.other_of);
}

} // namespace headscope::ui
