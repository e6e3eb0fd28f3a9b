#include "core/engine/engine.h"

#include "core/engine/forward.h"
#include "core/engine/hook_dispatch.h"
#include "core/model/memory_bill.h"
#include "core/model/run_memory.h"

#include <algorithm>
#include <chrono>

namespace headscope {

namespace {

Result<void> checkRequest(const Model& model, const TokenIds& ids, const Request& request) {
    const ModelSpec& spec = model.spec;
    if (auto runnable = checkRunnable(model); !runnable)
        return runnable;
    if (ids.empty())
        return Error{ErrorCode::InvalidArgument,
                     "The prompt has no tokens; type at least one token to run " + model.name +
                         "."};
    if (ids.size() > spec.n_ctx)
        return Error{ErrorCode::TooLarge, "The prompt has " + std::to_string(ids.size()) +
                                              " tokens but " + model.name + " was built for " +
                                              std::to_string(spec.n_ctx) + "; shorten it."};
    const auto outside = std::find_if(ids.begin(), ids.end(), [&](TokenId id) {
        return id < 0 || static_cast<std::size_t>(id) >= spec.d_vocab;
    });
    if (outside != ids.end())
        return Error{ErrorCode::InvalidArgument,
                     "Token id " + std::to_string(*outside) + " at position " +
                         std::to_string(outside - ids.begin()) + " is outside the vocabulary of " +
                         model.name + ", which has ids 0 to " + std::to_string(spec.d_vocab - 1) +
                         "."};
    if (request.layers && *request.layers > spec.n_layers)
        return Error{ErrorCode::InvalidArgument, "A run of " + std::to_string(*request.layers) +
                                                     " layers was asked for, but " + model.name +
                                                     " has " + std::to_string(spec.n_layers) + "."};
    if (const auto available = availableMemory())
        return checkRunMemory(runMemory(spec, ids.size(), request.logits), ids.size(), *available,
                              model.name);
    return {};
}

} // namespace

Result<std::shared_ptr<const Run>> runModel(const std::shared_ptr<const Model>& model,
                                            const TokenIds& ids, const Request& request,
                                            const HookSet& hooks, std::stop_token stop) {
    const auto start = std::chrono::steady_clock::now();
    if (auto valid = checkRequest(*model, ids, request); !valid)
        return valid.error();
    Request whole = request;
    if (request.layers && *request.layers < model->spec.n_layers)
        whole.logits = false;
    auto dispatch = HookDispatch::make(model->spec, hooks,
                                       whole.layers.value_or(model->spec.n_layers), whole.logits);
    if (!dispatch)
        return dispatch.error();

    auto run = std::make_shared<Run>();
    run->model = model;
    run->ids = ids;
    Forward forward(*model, whole, *dispatch, *run, std::move(stop));
    if (auto done = forward(); !done)
        return done.error();
    run->captured = std::move(dispatch->captured());
    run->audit = std::move(dispatch->audit());
    run->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::shared_ptr<const Run>(std::move(run));
}

} // namespace headscope
