// Times a scan of a text for examples of every head, with the memory that it needs, and how long
// the list of one head takes:
//   bench_examples gpt2-small|MODEL TOKENS [LENGTH]
// gpt2-small is random weights of that shape on random tokens, a file is read on the bundled text,
// again and again.

#include "core/base/random.h"
#include "core/datasets/bundled.h"
#include "core/heads/examples.h"
#include "core/heads/sequences.h"
#include "core/loading/load_model.h"
#include "core/model/random_model.h"
#include "tests/benchmarks/measured.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

using namespace headscope;
using namespace headscope::bench;

namespace {

double secondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<InputSequence> randomSequences(const Model& model, std::size_t tokens,
                                           std::size_t length) {
    Random random(1);
    std::vector<InputSequence> sequences(tokens / length);
    for (InputSequence& sequence : sequences)
        for (std::size_t i = 0; i < length; ++i)
            sequence.ids.push_back(static_cast<TokenId>(random.below(model.spec.d_vocab)));
    return sequences;
}

std::vector<InputSequence> repeatedText(const Model& model, std::size_t tokens,
                                        std::size_t length) {
    const auto once =
        require(textSequences(model, bundledCalibrationText(), BosMode::Auto, length));
    std::vector<InputSequence> sequences;
    for (std::size_t read = 0; read < tokens; read += sequences.back().ids.size())
        sequences.push_back(once[sequences.size() % once.size()]);
    return sequences;
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: bench_examples gpt2-small|MODEL TOKENS [LENGTH]\n");
        return 2;
    }
    const bool made = std::string_view(argv[1]) == "gpt2-small";
    const auto tokens = static_cast<std::size_t>(std::atoll(argv[2]));
    const auto length = argc > 3 ? static_cast<std::size_t>(std::atoll(argv[3])) : 64;
    const auto model = made ? randomModel(gpt2SmallShape(), 1) : require(loadModel(argv[1]));
    const auto sequences =
        made ? randomSequences(*model, tokens, length) : repeatedText(*model, tokens, length);
    std::printf("%s: %zu tokens in %zu sequences, %zu heads\n", model->name.c_str(),
                tokensOf(sequences), sequences.size(), model->spec.allHeads().size());

    const double before = megabytes();
    const auto start = std::chrono::steady_clock::now();
    const CorpusScan scan = require(scanCorpus(model, sequences));
    std::printf("scanned in %.1f s, %.0f MB beyond the %.0f MB before\n", secondsSince(start),
                peakMegabytes() - before, before);

    std::vector<double> lists;
    for (const LayerHead head : scan.heads()) {
        const auto begun = std::chrono::steady_clock::now();
        const ExampleList list = exampleList(*model, sequences, scan[head]);
        lists.push_back(1e3 * secondsSince(begun));
    }
    std::ranges::sort(lists);
    std::printf("list of a head: median %.2f ms, longest %.2f ms\n", lists[lists.size() / 2],
                lists.back());
    return 0;
}
