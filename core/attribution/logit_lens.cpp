#include "core/attribution/logit_lens.h"

#include "core/attribution/vocabulary_check.h"
#include "core/engine/block_plan.h"
#include "core/engine/engine.h"
#include "core/tensor/nonlinear.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <utility>

namespace headscope {

namespace {

/// Whose final logits are kept while all depths are compared with them.
constexpr std::size_t kPositionsAtOnce = 64;

/// The model's own distribution at some positions.
struct OwnPredictions {
    Tensor logits;                ///< [position, d_vocab]
    Tensor probabilities;         ///< [position, d_vocab]
    std::vector<double> log_sums; ///< [position], ln Σ exp(logit)

    explicit OwnPredictions(Tensor own_logits)
        : logits(std::move(own_logits)), probabilities(logits) {
        log_sums.reserve(logits.dim(0));
        for (std::size_t row = 0; row < logits.dim(0); ++row) {
            const std::span<float> values{probabilities.matrix().row(row), logits.dim(1)};
            log_sums.push_back(logSumExp(values));
            softmaxInPlace(values);
        }
    }
};

LensReading readingOf(std::span<const float> logits, const OwnPredictions& own, std::size_t row,
                      const LensQuestion& question) {
    const float* const own_logits = std::as_const(own.logits).matrix().row(row);
    const float* const own_probabilities = std::as_const(own.probabilities).matrix().row(row);
    const double log_sum = logSumExp(logits);
    LensReading reading;
    for (std::size_t id = 0; id < logits.size(); ++id) {
        const double log_q = static_cast<double>(logits[id]) - log_sum;
        const double log_p = static_cast<double>(own_logits[id]) - own.log_sums[row];
        reading.kl += static_cast<double>(own_probabilities[id]) * (log_p - log_q);
        reading.entropy -= std::exp(log_q) * log_q;
    }
    reading.top = topPredictions(logits, question.top);
    if (question.token) {
        const float logit = logits[static_cast<std::size_t>(*question.token)];
        reading.probability = std::exp(static_cast<double>(logit) - log_sum);
        reading.rank = 1 + static_cast<std::size_t>(std::ranges::count_if(
                               logits, [&](float other) { return other > logit; }));
    }
    return reading;
}

class Lens {
public:
    Lens(const std::shared_ptr<const Model>& model, std::shared_ptr<const Run> run,
         LogitLens& result, const Progress& progress, std::stop_token stop)
        : model_(model), run_(std::move(run)), result_(result), progress_(progress),
          stop_(std::move(stop)) {}

    Result<void> operator()() {
        const std::size_t positions = run_->positions();
        for (std::size_t begin = 0; begin < positions; begin += kPositionsAtOnce)
            if (auto read = readPositions({begin, std::min(begin + kPositionsAtOnce, positions)});
                !read)
                return read;
        return {};
    }

private:
    Result<void> readPositions(PositionRange range) {
        Request request;
        request.first_layer = model_->spec.n_layers;
        request.keep_attention = false;
        request.logit_positions.resize(range.size());
        std::iota(request.logit_positions.begin(), request.logit_positions.end(), range.begin);
        auto last = unembed(itemAt(result_.depths - 1), request);
        if (!last)
            return last.error();
        const OwnPredictions own((*last)->logits);
        request.logits = false;
        for (std::size_t depth = 0; depth < result_.depths; ++depth) {
            RunItem item = itemAt(depth);
            item.read_logits = [&](std::size_t position, std::span<const float> logits) {
                result_.readings[depth * run_->positions() + position] =
                    readingOf(logits, own, position - range.begin, result_.question);
            };
            if (auto read = unembed(item, request); !read)
                return read.error();
            reportRead(range, depth);
        }
        return {};
    }

    RunItem itemAt(std::size_t depth) const {
        RunItem item;
        item.ids = run_->ids;
        item.resid_pre = {run_, &run_->captured.at(residualAt(model_->spec, depth))};
        return item;
    }

    Result<std::shared_ptr<const Run>> unembed(const RunItem& item, const Request& request) const {
        auto runs = runBatch(model_, {&item, 1}, request, stop_);
        if (!runs)
            return runs.error();
        return runs->front();
    }

    void reportRead(PositionRange range, std::size_t depth) const {
        const auto depths = static_cast<double>(result_.depths);
        const double done = static_cast<double>(range.begin) * depths +
                            static_cast<double>(range.size()) * static_cast<double>(depth + 1);
        report(progress_, done / (depths * static_cast<double>(run_->positions())),
               "reading depth " + std::to_string(depth));
    }

    const std::shared_ptr<const Model>& model_;
    std::shared_ptr<const Run> run_;
    LogitLens& result_;
    const Progress& progress_;
    std::stop_token stop_;
};

} // namespace

Result<LogitLens> readLogitLens(const std::shared_ptr<const Model>& model,
                                const LensQuestion& question, const HookSet& hooks,
                                const Progress& progress, std::stop_token stop) {
    const ModelSpec& spec = model->spec;
    if (auto checked = checkVocabulary(*model); !checked)
        return checked.error();
    if (question.token)
        if (auto checked = checkToken(*model, *question.token); !checked)
            return checked.error();
    if (auto checked = checkWithoutStandIns(question.ablated); !checked)
        return checked.error();
    LogitLens result;
    result.question = question;
    result.depths = spec.n_layers + 1;
    result.readings.resize(result.depths * question.ids.size());
    HookSet watched = hooks;
    addAblation(watched, question.ablated, spec);
    for (std::size_t depth = 0; depth < result.depths; ++depth)
        watched.capture(residualAt(spec, depth));
    Request request;
    request.logits = false;
    request.keep_attention = false;
    auto run = runModel(model, question.ids, request, watched, stop);
    if (!run)
        return run.error();
    if (auto read = Lens(model, *std::move(run), result, progress, stop)(); !read)
        return read.error();
    return result;
}

} // namespace headscope
