#include "tests/loading/dialect_check.h"

#include "core/engine/engine.h"
#include "core/loading/load_model.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"

#include <algorithm>

namespace headscope::test {

namespace {

/// Largest differences that two float32 implementations may have.
constexpr double kPatterns = 1e-5;
constexpr double kRelative = 1e-4;

Tensor allPatterns(const Run& run) {
    const ModelSpec& spec = run.model->spec;
    Tensor all({spec.n_layers, spec.n_heads, run.positions(), run.positions()});
    float* next = all.data();
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        for (std::size_t head = 0; head < spec.n_heads; ++head)
            next = std::ranges::copy(run.pattern({layer, head}).values(), next).out;
    return all;
}

/// The input of every block, and behind encoders, which end there, the output of the last: [state,
/// position, d_model].
std::vector<Tensor> hiddenStates(const Run& run) {
    const ModelSpec& spec = run.model->spec;
    std::vector<Tensor> states;
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        states.push_back(run.captured.at({HookKind::ResidPre, layer}));
    if (spec.norm_placement == NormPlacement::Post)
        states.push_back(run.captured.at({HookKind::NormalizedResidPost, spec.n_layers - 1}));
    else if (spec.output == OutputHead::None)
        states.push_back(run.captured.at({HookKind::LnFinalOut, 0}));
    return states;
}

/// State `index` of the reference's hidden_states.
Tensor expectedState(const Tensor& hidden_states, std::size_t index) {
    const Shape& shape = hidden_states.shape();
    Tensor state({shape[1], shape[2]});
    std::copy_n(hidden_states.values().begin() + static_cast<std::ptrdiff_t>(index * state.size()),
                state.size(), state.values().begin());
    return state;
}

std::string verdict(const std::string& what, const Difference& found) {
    return what + " are off by " + std::to_string(found.absolute) + " (relative " +
           std::to_string(found.relative) + ") at element " + std::to_string(found.index);
}

} // namespace

std::string differsFrom(const std::string& path, const std::shared_ptr<const Model>& model) {
    const ReferenceFile reference(path);
    HookSet hooks;
    hooks.capture("blocks.*.hook_resid_pre");
    if (model->spec.norm_placement == NormPlacement::Post)
        hooks.capture("blocks.*.hook_normalized_resid_post");
    else if (model->spec.output == OutputHead::None)
        hooks.capture("ln_final.hook_out");
    const auto run = require(runModel(model, reference.ids("input_ids"), {}, hooks));
    if (reference.has("attentions")) {
        const Difference patterns =
            difference(allPatterns(*run).view(), reference.floats("attentions").view());
        if (patterns.absolute > kPatterns)
            return verdict("patterns", patterns);
    }
    if (reference.has("hidden_states")) {
        const Tensor expected = reference.floats("hidden_states");
        const std::vector<Tensor> states = hiddenStates(*run);
        for (std::size_t i = 0; i < states.size(); ++i)
            if (const Difference hidden =
                    difference(states[i].view(), expectedState(expected, i).view());
                hidden.relative > kRelative)
                return verdict("hidden states " + std::to_string(i), hidden);
    }
    if (!reference.has("logits"))
        return {};
    const Difference logits = difference(run->logits.view(), reference.floats("logits").view());
    return logits.relative > kRelative ? verdict("logits", logits) : std::string();
}

std::string noteWith(const Model& model, const std::string& text) {
    for (const std::string& note : model.report.notes)
        if (note.find(text) != std::string::npos)
            return note;
    return {};
}

std::string refusalOf(const std::filesystem::path& path) {
    const auto model = loadModel(path);
    return model ? std::string() : model.error().message;
}

} // namespace headscope::test
