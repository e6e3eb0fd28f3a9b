#include "core/verify/function/text_losses.h"

#include "core/engine/engine.h"
#include "core/engine/loss.h"
#include "core/verify/function/alteration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace headscope {

namespace {

/// Some 1,000 rows at a time, so that a stop is heeded soon.
std::size_t batchEnd(std::span<const Passage> passages, std::size_t begin) {
    constexpr std::size_t kMostRows = 1024;
    std::size_t rows = 0;
    std::size_t end = begin;
    while (end < passages.size() && (end == begin || rows + passages[end].ids.size() <= kMostRows))
        rows += passages[end++].ids.size();
    return end;
}

/// The logits that some target of a passage needs, or all: a batch has one list of positions.
RunItem itemOf(const Passage& passage, std::span<const TokenId> compared,
               std::vector<double>& losses, std::vector<float>& log_probabilities) {
    RunItem item;
    item.ids = passage.ids;
    losses.assign(passage.targets.size(), std::numeric_limits<double>::quiet_NaN());
    log_probabilities.assign(passage.targets.size() * compared.size(), 0.0f);
    item.read_logits = [&passage, compared, &losses,
                        &log_probabilities](std::size_t position, std::span<const float> logits) {
        for (std::size_t t = 0; t < passage.targets.size(); ++t) {
            const Target& target = passage.targets[t];
            if (target.position != position)
                continue;
            losses[t] = tokenLoss(logits, target.token);
            const double total = losses[t] + double{logits[static_cast<std::size_t>(target.token)]};
            for (std::size_t i = 0; i < compared.size(); ++i)
                log_probabilities[t * compared.size() + i] = static_cast<float>(
                    double{logits[static_cast<std::size_t>(compared[i])]} - total);
        }
    };
    return item;
}

} // namespace

Result<TextReading> readText(const std::shared_ptr<const Model>& model,
                             std::span<const Passage> passages, std::span<const TokenId> compared,
                             const std::stop_token& stop) {
    Request request;
    request.logits = false;
    request.keep_attention = false;
    TextReading reading;
    reading.losses.resize(passages.size());
    reading.log_probabilities.resize(passages.size());
    for (std::size_t begin = 0; begin < passages.size();) {
        const std::size_t end = batchEnd(passages, begin);
        std::vector<RunItem> items;
        items.reserve(end - begin);
        for (std::size_t i = begin; i < end; ++i)
            items.push_back(
                itemOf(passages[i], compared, reading.losses[i], reading.log_probabilities[i]));
        if (const auto run = runBatch(model, items, request, stop); !run)
            return run.error();
        begin = end;
    }
    return reading;
}

std::vector<double> passageMeans(const TextLosses& losses, const TextLosses& also) {
    std::vector<double> means;
    means.reserve(losses.size());
    for (std::size_t p = 0; p < losses.size(); ++p) {
        double sum = 0.0;
        std::size_t count = 0;
        for (std::size_t t = 0; t < losses[p].size(); ++t)
            if (!std::isnan(losses[p][t]) && !std::isnan(also[p][t])) {
                sum += losses[p][t];
                ++count;
            }
        means.push_back(sum / static_cast<double>(std::max<std::size_t>(count, 1)));
    }
    return means;
}

} // namespace headscope
