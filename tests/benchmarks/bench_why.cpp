// Times taking scores apart, walking back, and scoring all edges, with the memory beyond the run:
//   bench_why gpt2-small|MODEL [TOKENS]
// gpt2-small is random weights of that shape; prompts are random tokens.

#include "core/attribution/score_parts.h"
#include "core/attribution/score_signals.h"
#include "core/attribution/score_trace.h"
#include "core/base/random.h"
#include "core/engine/engine.h"
#include "core/interventions/edge_attribution.h"
#include "core/interventions/edge_patching.h"
#include "core/interventions/part_removal.h"
#include "core/loading/load_model.h"
#include "core/model/random_model.h"
#include "tests/benchmarks/measured.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

using namespace headscope;
using namespace headscope::bench;

namespace {

/// Milliseconds, the median of five after one that is not counted.
template <class Work>
void time(const char* name, Work work) {
    std::vector<double> times;
    for (int repeat = 0; repeat < 6; ++repeat) {
        const auto start = std::chrono::steady_clock::now();
        work();
        times.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                .count());
    }
    times.erase(times.begin());
    std::ranges::sort(times);
    std::printf("%-44s %9.1f ms\n", name, times[times.size() / 2]);
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: bench_why gpt2-small|MODEL [TOKENS]\n");
        return 2;
    }
    const bool made = std::string_view(argv[1]) == "gpt2-small";
    const auto model = made ? randomModel(gpt2SmallShape(), 1) : require(loadModel(argv[1]));
    const auto tokens = argc > 2 ? static_cast<std::size_t>(std::atoll(argv[2])) : 64;
    Random random(1);
    TokenIds ids(tokens);
    std::ranges::generate(ids,
                          [&] { return static_cast<TokenId>(random.below(model->spec.d_vocab)); });
    std::printf("%s, %zu tokens\n", model->name.c_str(), tokens);

    time("a plain run", [&] { require(runModel(model, ids)); });
    const double plain = peakMegabytes();
    time("a run that keeps its stream", [&] { require(StreamRun::read(model, {ids})); });
    const StreamRun run = require(StreamRun::read(model, {ids}));
    const LayerHead head = model->spec.allHeads().back();
    ScoreQuestion cell{head, tokens - 1, tokens / 2, ScoreContrast::Nothing};
    time("a score apart", [&] { require(takeScoreApart(run, cell)); });
    cell.contrast = ScoreContrast::OtherKeys;
    time("its distance to the other keys apart", [&] { require(takeScoreApart(run, cell)); });
    time("along singular directions, five with words",
         [&] { require(scoreSignals(run, cell, 5)); });
    time("a trace of twenty nodes", [&] { require(traceBack(run, {cell, 0.01, 20, {}})); });
    time("a part removed, with ten random directions", [&] {
        require(removePart(run, {head, cell.query, cell.key, HeadSide::Key,
                                 StreamWriter{WriterKind::Embedding}, 10, 1}));
    });
    std::printf("%.0f MB beyond the plain run\n", peakMegabytes() - plain);

    EdgeQuestion edges;
    edges.clean = ids;
    edges.corrupted = ids;
    edges.corrupted[tokens / 2] = (ids[tokens / 2] + 1) % static_cast<TokenId>(model->spec.d_vocab);
    edges.metric.kind = MetricKind::LogitDifference;
    edges.metric.token = 1;
    edges.metric.other = 2;
    time("all edges, to first order", [&] { require(attributeEdges(model, edges)); });
    std::printf("%.0f MB beyond the plain run\n", peakMegabytes() - plain);
    edges.estimate = EdgeEstimate::Integrated;
    time("all edges, slopes in five steps", [&] { require(attributeEdges(model, edges)); });
    edges.estimate = EdgeEstimate::Recomputed;
    EdgeResult result;
    time("all edges, receivers recomputed",
         [&] { result = require(attributeEdges(model, edges)); });
    const std::size_t size = 100;
    time("a circuit of 100 edges",
         [&] { require(measureEdgeCircuits(model, result, std::span(&size, 1))); });
    return 0;
}
