#include "core/interventions/example_rows.h"

#include <cstddef>
#include <utility>

namespace headscope {

namespace {

using Effects = std::vector<std::optional<NextTokenEffect>>;

Result<Effects> effectsOf(const std::shared_ptr<const Model>& model,
                          std::span<const InputSequence> sequences, const ExampleRows& rows,
                          AblationKind kind, const std::stop_token& stop) {
    Effects effects;
    for (const HeadExample& example : rows.list.examples) {
        const auto effect = nextTokenEffect(model, sequences[example.sequence], example.row.query,
                                            rows.head, kind, stop);
        if (!effect)
            return effect.error();
        effects.push_back(*effect);
    }
    return effects;
}

std::vector<LayerHead> allHeads(const CorpusScan& scan) {
    std::vector<LayerHead> all;
    for (const LayerHead head : scan.heads())
        all.push_back(head);
    return all;
}

} // namespace

Result<void> checkNextTokenEffect(const Model& model) {
    if (model.spec.predictsNextToken())
        return {};
    return Error{ErrorCode::Unsupported,
                 model.name + " predicts no next token that a head could have an effect on; ask "
                              "for examples without effect."};
}

Result<std::vector<ExampleRows>>
exampleRows(const std::shared_ptr<const Model>& model, std::span<const InputSequence> sequences,
            const CorpusScan& scan, std::span<const LayerHead> heads,
            const ExampleQuestion& question, std::optional<AblationKind> effect,
            const Progress& progress, const std::stop_token& stop) {
    if (heads.empty())
        return exampleRows(model, sequences, scan, allHeads(scan), question, effect, progress,
                           stop);
    if (effect)
        if (auto possible = checkNextTokenEffect(*model); !possible)
            return possible.error();
    std::vector<ExampleRows> all;
    for (const LayerHead head : heads) {
        report(progress, static_cast<double>(all.size()) / static_cast<double>(heads.size()),
               "examples of head " + headText(head));
        ExampleRows& rows = all.emplace_back(
            ExampleRows{head, exampleList(*model, sequences, scan[head], question)});
        if (!effect)
            continue;
        auto effects = effectsOf(model, sequences, rows, *effect, stop);
        if (!effects)
            return effects.error();
        rows.effects = *std::move(effects);
    }
    return all;
}

} // namespace headscope
