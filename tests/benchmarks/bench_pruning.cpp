// Times curves of pruning as they are measured, order by order, with the memory that they need:
//   bench_pruning gpt2-small|MODEL TOKENS POINTS [ORDER…]
// gpt2-small is random weights of that shape on random tokens, a file is read on the bundled texts.
// TOKENS of calibration text and as many of test text. Without orders ten that need no greedy
// steps.

#include "core/base/random.h"
#include "core/loading/load_model.h"
#include "core/model/random_model.h"
#include "core/pruning/pruning_curve.h"
#include "tests/benchmarks/measured.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace headscope;
using namespace headscope::bench;

namespace {

constexpr std::size_t kLength = 128;

/// When what was done, in seconds from the start.
class Laps {
public:
    void endOfWhole() {
        std::printf("whole network after %.2f s\n", total());
        last_ = total();
    }

    void endOfScoring(const std::string& order) {
        print();
        order_ = order;
        scored_ = total() - last_;
        last_ = begun_ = total();
        points_ = 0;
    }

    void endOfPoint() {
        if (!seen_point_)
            std::printf("first point after %.2f s\n", total());
        seen_point_ = true;
        ++points_;
        last_ = total();
    }

    /// The order that is done.
    void print() const {
        if (!order_.empty())
            std::printf("%-16s scored in %7.2f s, %zu points in %7.2f s\n", order_.c_str(), scored_,
                        points_, last_ - begun_);
    }

    double total() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::string order_;
    double scored_ = 0.0;
    double begun_ = 0.0; ///< the points of the order
    double last_ = 0.0;  ///< end of the last lap
    std::size_t points_ = 0;
    bool seen_point_ = false;
};

PassageSet randomPassages(const Model& model, std::size_t tokens, std::uint64_t seed) {
    Random random(seed);
    std::vector<TokenIds> prompts(tokens / kLength);
    for (TokenIds& ids : prompts)
        for (std::size_t i = 0; i < kLength; ++i)
            ids.push_back(static_cast<TokenId>(random.below(model.spec.d_vocab)));
    return require(passagesFromIds(model, prompts, "random tokens", {kLength, tokens, seed}));
}

std::vector<OrderSpec> ordersNamed(int count, char** names) {
    if (count == 0)
        return {{OrderKind::Random},      {OrderKind::Ablation},   {OrderKind::Gradient},
                {OrderKind::Taylor},      {OrderKind::WeightNorm}, {OrderKind::OutputNorm},
                {OrderKind::Fluctuation}, {OrderKind::Wanda},      {OrderKind::Reconstruction},
                {OrderKind::Redundancy}};
    std::vector<OrderSpec> orders;
    for (int i = 0; i < count; ++i) {
        const auto kind = orderKindNamed(names[i]);
        if (!kind) {
            std::fprintf(stderr, "%s is no order\n", names[i]);
            std::exit(2);
        }
        orders.push_back({*kind});
    }
    return orders;
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: bench_pruning gpt2-small|MODEL TOKENS POINTS [ORDER…]\n");
        return 2;
    }
    const bool made = std::string_view(argv[1]) == "gpt2-small";
    const auto tokens = static_cast<std::size_t>(std::atoll(argv[2]));
    const auto model = made ? randomModel(gpt2SmallShape(), 1) : require(loadModel(argv[1]));
    const PassageOptions passages{kLength, tokens, 0};
    const PassageSet calibration =
        made ? randomPassages(*model, tokens, 1)
             : require(readPassages(*model, bundledCalibration(), passages));
    const PassageSet test = made ? randomPassages(*model, tokens, 2)
                                 : require(readPassages(*model, bundledTest(), passages));
    PruningQuestion question;
    question.points = static_cast<std::size_t>(std::atoll(argv[3]));
    question.orders = ordersNamed(argc - 4, argv + 4);
    std::printf("%s: %zu calibration and %zu test tokens, %zu orders, %zu points\n",
                model->name.c_str(), calibration.tokens, test.tokens, question.orders.size(),
                question.points);

    const double before = megabytes();
    Laps laps;
    PruningParts parts;
    parts.on_whole = [&](const PruningResult&) { laps.endOfWhole(); };
    parts.on_order = [&](const PruningOrder& order) { laps.endOfScoring(order.spec.name()); };
    parts.on_point = [&](const OrderSpec&, const CurvePoint&) { laps.endOfPoint(); };
    require(pruneAndMeasure(model, calibration, test, question, parts));
    laps.print();
    std::printf("all after %.1f s, %.0f MB beyond the %.0f MB before\n", laps.total(),
                peakMegabytes() - before, before);
    return 0;
}
