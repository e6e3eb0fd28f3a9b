#include "core/pruning/measure/passage_runs.h"

namespace headscope {

std::vector<PassageBatch> passageBatches(std::span<const Passage> passages) {
    constexpr std::size_t kMostRows = 2048;
    std::vector<PassageBatch> batches;
    std::size_t rows = kMostRows;
    for (std::size_t i = 0; i < passages.size(); ++i) {
        rows += passages[i].ids.size();
        if (rows > kMostRows) {
            batches.push_back({i, i, passages.size()});
            rows = passages[i].ids.size();
        }
        batches.back().end = i + 1;
    }
    return batches;
}

} // namespace headscope
