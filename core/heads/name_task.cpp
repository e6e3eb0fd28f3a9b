#include "core/heads/name_task.h"

#include "core/base/text.h"
#include "core/circuits/copied_rank.h"
#include "core/datasets/indirect_object.h"
#include "core/engine/engine.h"

#include <string>
#include <utility>

namespace headscope {

namespace {

Result<NameTask> taskOf(const std::shared_ptr<const Model>& model,
                        const IndirectObjectPrompt& prompt, const std::stop_token& stop) {
    const auto ranks = copiedRanks(model, prompt.ids, prompt.io, stop);
    if (!ranks)
        return ranks.error();
    NameTask task{.io = prompt.io,
                  .s1 = prompt.s1,
                  .s2 = prompt.s2,
                  .end = prompt.end,
                  .io_token = prompt.io_token,
                  .s_token = prompt.s_token,
                  .copies = PerHead<bool>(ranks->heads()),
                  .negates = PerHead<bool>(ranks->heads())};
    for (const LayerHead head : ranks->heads()) {
        task.copies[head] = (*ranks)[head].written <= kBestLogits;
        task.negates[head] = (*ranks)[head].negated <= kBestLogits;
    }
    return task;
}

/// In how many prompts IO is more probable than S.
Result<std::size_t> solved(const std::shared_ptr<const Model>& model,
                           const std::vector<IndirectObjectPrompt>& prompts,
                           const std::stop_token& stop) {
    std::size_t count = 0;
    for (const IndirectObjectPrompt& prompt : prompts) {
        Request request;
        request.logit_positions = {prompt.end};
        request.keep_attention = false;
        const auto run = runModel(model, prompt.ids, request, {}, stop);
        if (!run)
            return run.error();
        const Tensor& logits = (*run)->logits;
        count += logits(0, static_cast<std::size_t>(prompt.io_token)) >
                         logits(0, static_cast<std::size_t>(prompt.s_token))
                     ? 1
                     : 0;
    }
    return count;
}

} // namespace

Result<std::vector<InputSequence>> nameSequences(const std::shared_ptr<const Model>& model,
                                                 std::size_t count, std::uint64_t seed, BosMode bos,
                                                 const Progress& progress,
                                                 const std::stop_token& stop) {
    if (!model->spec.predictsNextToken() || model->spec.output != OutputHead::Unembed)
        return Error{ErrorCode::Unsupported,
                     model->name + " does not predict the next token, which the indirect-object "
                                   "task asks for."};
    auto prompts = indirectObjectPrompts(*model, count, seed, bos);
    if (!prompts)
        return prompts.error();
    const auto right = solved(model, *prompts, stop);
    if (!right)
        return right.error();
    if (4 * *right < 3 * prompts->size())
        return Error{ErrorCode::Unsupported,
                     model->name + " prefers the right name in only " + std::to_string(*right) +
                         " of " + counted(prompts->size(), "indirect-object prompt") +
                         ", so that its heads cannot be told to do the task."};
    std::vector<InputSequence> sequences;
    sequences.reserve(prompts->size());
    for (IndirectObjectPrompt& prompt : *prompts) {
        report(progress, static_cast<double>(sequences.size()) / static_cast<double>(count),
               "what heads do with names");
        auto task = taskOf(model, prompt, stop);
        if (!task)
            return task.error();
        sequences.push_back({.ids = std::move(prompt.ids),
                             .has_bos = prompt.has_bos,
                             .names = std::make_shared<const NameTask>(*std::move(task))});
    }
    return sequences;
}

} // namespace headscope
