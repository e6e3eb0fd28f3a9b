#include "core/pruning/gains.h"

#include "core/base/text.h"
#include "core/engine/engine.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>

namespace headscope {

namespace {

constexpr std::size_t kTimedPassages = 4;
constexpr std::size_t kTimedTurns = 9;
constexpr std::size_t kKeyValueBytes = 2; ///< of a number in the usual KV cache, float16

std::string millions(double value) {
    return fixedText(value / 1e6, 2) + " M";
}

} // namespace

std::string Gain::changeText() const {
    const auto text = [](double factor) { return fixedText(100.0 * (factor - 1.0), 1) + " %"; };
    std::string change = text(before > 0.0 ? after / before : 1.0);
    if (interval)
        change += ", 95 % interval " + text(interval->first) + " to " + text(interval->second);
    return change;
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
    add("KV cache", before.kv_per_token, after.kv_per_token, float16, "per token, as float16");
    all.push_back({"operations", before.flops_per_token, after.flops_per_token,
                   millions(before.flops_per_token), millions(after.flops_per_token), "per token"});
    return all;
}

namespace {

/// The seconds of one run over the items; nothing if it fails.
std::optional<double> secondsOf(const std::shared_ptr<const Model>& model,
                                const std::vector<RunItem>& items, const std::stop_token& stop) {
    Request request;
    request.keep_attention = false;
    const auto start = std::chrono::steady_clock::now();
    if (!runBatch(model, items, request, stop))
        return std::nullopt;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

std::optional<Gain> speedGain(const std::shared_ptr<const Model>& whole,
                              const std::shared_ptr<const Model>& smaller, const PassageSet& text,
                              const std::stop_token& stop) {
    std::vector<RunItem> items;
    std::size_t tokens = 0;
    for (const Passage& passage :
         std::span(text.passages).first(std::min(kTimedPassages, text.passages.size()))) {
        tokens += passage.ids.size();
        items.emplace_back().ids = passage.ids;
    }
    std::vector<double> seconds; // of the whole network
    std::vector<double> factors;
    for (std::size_t turn = 0; turn < kTimedTurns + 1; ++turn) {
        const auto slow = secondsOf(whole, items, stop);
        const auto fast = secondsOf(smaller, items, stop);
        if (!slow || !fast || *slow <= 0.0 || *fast <= 0.0)
            return std::nullopt;
        if (turn == 0)
            continue; // reads the weights into the caches
        seconds.push_back(*slow);
        factors.push_back(*slow / *fast);
    }
    std::ranges::sort(seconds);
    std::ranges::sort(factors);
    const double before = static_cast<double>(tokens) / seconds[kTimedTurns / 2];
    const double after = before * factors[kTimedTurns / 2];
    return Gain{"speed here",
                before,
                after,
                fixedText(before, 0),
                fixedText(after, 0),
                "tokens a second",
                std::pair(factors[1], factors[kTimedTurns - 2])};
}

} // namespace headscope
