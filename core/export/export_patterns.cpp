#include "core/export/export_patterns.h"

#include "core/engine/hooks.h"

#include <array>
#include <cstdio>
#include <functional>

namespace headscope {

namespace {

/// "L04"
std::string twoDigits(char letter, std::size_t number) {
    std::array<char, 24> text;
    std::snprintf(text.data(), text.size(), "%c%02zu", letter, number);
    return text.data();
}

std::string patternHook(const Run& run, std::size_t layer) {
    return hookName(run.model->spec, {HookKind::Pattern, layer});
}

NamedArray oneHead(LayerHead id, const std::string& name, const HeadMap& map) {
    return namedArray(name + "." + std::to_string(id.head), map(id));
}

/// [head, query, key] of all heads that the layer has.
NamedArray allHeads(const Run& run, std::size_t layer, const std::string& name,
                    const HeadMap& map) {
    const std::size_t n_heads = run.model->spec.headsIn(layer);
    const std::size_t positions = run.positions();
    std::vector<float> values;
    values.reserve(n_heads * positions * positions);
    for (std::size_t place = 0; place < n_heads; ++place) {
        const Tensor of_head = map(run.model->spec.headAt(layer, place));
        values.insert(values.end(), of_head.values().begin(), of_head.values().end());
    }
    return {name, {n_heads, positions, positions}, std::move(values)};
}

/// `name_of` each layer.
std::vector<NamedArray> layerArrays(const Run& run, const PatternSelection& selection,
                                    const std::function<std::string(std::size_t)>& name_of,
                                    const HeadMap& map) {
    std::vector<NamedArray> arrays;
    for (std::size_t layer = 0; layer < run.attention.size(); ++layer) {
        if (selection.layer && *selection.layer != layer)
            continue;
        if (selection.head && !run.model->spec.hasHead({layer, *selection.head}))
            continue; // it was removed
        arrays.push_back(selection.head ? oneHead({layer, *selection.head}, name_of(layer), map)
                                        : allHeads(run, layer, name_of(layer), map));
    }
    arrays.push_back(namedArray("input_ids", run.ids));
    return arrays;
}

} // namespace

std::vector<NamedArray> patternArrays(const Run& run, const PatternSelection& selection) {
    return layerArrays(
        run, selection, [&](std::size_t layer) { return patternHook(run, layer); },
        [&](LayerHead head) { return run.pattern(head); });
}

std::vector<NamedArray> mapArrays(const Run& run, const PatternSelection& selection,
                                  const std::string& map_name, const HeadMap& map) {
    const auto name_of = [&](std::size_t layer) {
        const std::string hook = patternHook(run, layer);
        return hook.substr(0, hook.rfind('.') + 1) + map_name;
    };
    return layerArrays(run, selection, name_of, map);
}

std::string patternFileName(const Provenance& provenance, const PatternSelection& selection,
                            std::string_view extension, std::string_view map_name) {
    std::string name = provenance.model_name + "_" + provenance.promptId() + "_";
    if (selection.layer)
        name += twoDigits('L', *selection.layer);
    if (selection.head)
        name += twoDigits('H', *selection.head);
    if (selection.layer || selection.head)
        name += '_';
    return name + std::string(map_name) + std::string(extension);
}

} // namespace headscope
