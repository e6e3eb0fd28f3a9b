#include "core/engine/engine.h"

#include "core/engine/forward/forward.h"
#include "core/engine/forward/not_finite.h"
#include "core/engine/forward/prepare.h"

#include <chrono>
#include <utility>

namespace headscope {

namespace {

/// The prompts together with the tokens before them, and nothing of them known.
std::vector<RunItem> wholeTexts(std::span<const RunItem> items) {
    std::vector<RunItem> texts(items.begin(), items.end());
    for (RunItem& text : texts)
        if (const auto earlier = std::exchange(text.earlier, nullptr))
            text.ids.insert(text.ids.begin(), earlier->ids.begin(), earlier->ids.end());
    for (RunItem& text : texts)
        text.known = {};
    return texts;
}

} // namespace

Result<std::vector<std::shared_ptr<const Run>>> runBatch(const std::shared_ptr<const Model>& model,
                                                         std::span<const RunItem> items,
                                                         const Request& request,
                                                         std::stop_token stop) {
    const auto start = std::chrono::steady_clock::now();
    Request whole = request;
    if (request.layers && *request.layers < model->spec.n_layers)
        whole.logits = false;
    if (auto valid = checkRequest(*model, items, whole); !valid)
        return valid.error();
    auto prompts = pack(model, items, whole);
    if (!prompts)
        return prompts.error();
    if (auto fits = checkMemory(*model, *prompts, whole); !fits)
        return fits.error();

    Forward forward(*model, whole, *std::move(prompts), stop);
    if (auto done = forward(); !done) {
        if (done.error().code == ErrorCode::Malformed)
            return findNotFinite(model, wholeTexts(items), whole);
        return done.error();
    }
    std::vector<std::shared_ptr<const Run>> runs;
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (PackedPrompt& prompt : forward.prompts()) {
        if (const auto& earlier = prompt.item->earlier)
            earlier->ids.insert(earlier->ids.end(), prompt.run->ids.begin(), prompt.run->ids.end());
        prompt.run->captured = std::move(prompt.hooks.captured());
        prompt.run->captured_heads = std::move(prompt.hooks.capturedHeads());
        prompt.run->audit = std::move(prompt.hooks.audit());
        prompt.run->seconds = seconds;
        runs.push_back(std::move(prompt.run));
    }
    return runs;
}

Result<std::shared_ptr<const Run>> runModel(const std::shared_ptr<const Model>& model,
                                            const TokenIds& ids, const Request& request,
                                            const HookSet& hooks, std::stop_token stop) {
    RunItem item;
    item.ids = ids;
    item.hooks = hooks;
    auto runs = runBatch(model, {&item, 1}, request, std::move(stop));
    if (!runs)
        return runs.error();
    return runs->front();
}

} // namespace headscope
