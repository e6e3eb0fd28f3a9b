#include "tests/model/dialect_check.h"

#include "core/engine/engine.h"
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

/// What enters each block, [layer, position, d_model].
Tensor blockInputs(const Run& run) {
    const ModelSpec& spec = run.model->spec;
    Tensor all({spec.n_layers, run.positions(), spec.d_model});
    float* next = all.data();
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        next = std::ranges::copy(
                   run.captured.at(hookName(spec, {HookKind::ResidPre, layer})).values(), next)
                   .out;
    return all;
}

/// The first n_layers of hidden_states, which ends with the output of the network.
Tensor expectedInputs(const ReferenceFile& reference, std::size_t n_layers) {
    const Tensor hidden = reference.floats("hidden_states");
    Tensor inputs({n_layers, hidden.shape()[1], hidden.shape()[2]});
    std::copy_n(hidden.values().begin(), inputs.size(), inputs.values().begin());
    return inputs;
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
    const auto run = require(runModel(model, reference.ids("input_ids"), {}, hooks));
    if (reference.has("attentions")) {
        const Difference patterns =
            difference(allPatterns(*run).view(), reference.floats("attentions").view());
        if (patterns.absolute > kPatterns)
            return verdict("patterns", patterns);
    }
    if (reference.has("hidden_states")) {
        const Tensor expected = expectedInputs(reference, model->spec.n_layers);
        const Difference hidden = difference(blockInputs(*run).view(), expected.view());
        if (hidden.relative > kRelative)
            return verdict("hidden states", hidden);
    }
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
