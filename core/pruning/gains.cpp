#include "core/pruning/gains.h"

#include "core/base/text.h"
#include "core/engine/engine.h"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace headscope {

namespace {

constexpr std::size_t kTimedPassages = 16;
constexpr std::size_t kKeyValueBytes = 2; ///< of a number in the usual KV cache, float16

std::string millions(double value) {
    return fixedText(value / 1e6, 2) + " M";
}

} // namespace

std::string Gain::changeText() const {
    return fixedText(before > 0.0 ? 100.0 * (after / before - 1.0) : 0.0, 1) + " %";
}

std::vector<Gain> gains(const ModelCost& before, const ModelCost& after) {
    std::vector<Gain> all;
    const auto add = [&](const std::string& name, std::size_t whole, std::size_t smaller,
                         auto text_of, const std::string& unit) {
        all.push_back({name, static_cast<double>(whole), static_cast<double>(smaller),
                       text_of(whole), text_of(smaller), unit});
    };
    const auto digits = [](std::size_t count) { return std::to_string(count); };
    const auto float32 = [](std::size_t count) { return byteText(sizeof(float) * count); };
    const auto float16 = [](std::size_t count) { return byteText(kKeyValueBytes * count); };
    add("parameters", before.parameters, after.parameters, digits, "");
    add("weights", before.parameters, after.parameters, float32, "as float32");
    add("KV cache", before.kv_per_token, after.kv_per_token, float16, "per token");
    all.push_back({"operations", before.flops_per_token, after.flops_per_token,
                   millions(before.flops_per_token), millions(after.flops_per_token), "per token"});
    return all;
}

double tokensPerSecond(const std::shared_ptr<const Model>& model, const PassageSet& text,
                       const std::stop_token& stop) {
    std::vector<RunItem> items;
    std::size_t tokens = 0;
    for (const Passage& passage : text.passages) {
        if (items.size() == kTimedPassages)
            break;
        tokens += passage.ids.size();
        items.emplace_back().ids = passage.ids;
    }
    Request request;
    request.keep_attention = false;
    double best = 0.0;
    for (int repeat = 0; repeat < 3; ++repeat) {
        const auto start = std::chrono::steady_clock::now();
        if (!runBatch(model, items, request, stop))
            return 0.0;
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        best = std::max(best, static_cast<double>(tokens) / seconds);
    }
    return best;
}

Gain speedGain(const std::shared_ptr<const Model>& whole,
               const std::shared_ptr<const Model>& smaller, const PassageSet& text,
               const std::stop_token& stop) {
    const double slow = tokensPerSecond(whole, text, stop);
    const double fast = tokensPerSecond(smaller, text, stop);
    return {"speed here", slow, fast, fixedText(slow, 0), fixedText(fast, 0), "tokens a second"};
}

} // namespace headscope
