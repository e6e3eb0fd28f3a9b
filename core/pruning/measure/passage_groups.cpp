#include "core/pruning/measure/passage_groups.h"

#include <cstdint>
#include <numeric>
#include <set>

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

PassageSamples::PassageSamples(const PassageLayout& layout) {
    constexpr std::size_t kFewestDocuments = 10;
    const std::set<std::size_t> documents(layout.document.begin(), layout.document.end());
    by_documents_ = documents.size() >= kFewestDocuments;
    for (std::size_t passage = 0; passage < layout.document.size(); ++passage) {
        const bool next = !by_documents_ || passage == 0 ||
                          layout.document[passage] != layout.document[passage - 1];
        if (next)
            passages_.emplace_back();
        passages_.back().push_back(passage);
    }
}

Bootstrap PassageSamples::bootstrap() const {
    constexpr std::uint64_t kBootstrapSeed = 0;
    return {size(), kBootstrapSeed};
}

std::vector<double> PassageSamples::summed(const std::vector<double>& values) const {
    std::vector<double> sums;
    sums.reserve(passages_.size());
    for (const auto& sample : passages_)
        sums.push_back(
            std::accumulate(sample.begin(), sample.end(), 0.0,
                            [&](double sum, std::size_t at) { return sum + values[at]; }));
    return sums;
}

double sumOver(const std::vector<double>& values, std::span<const std::size_t> drawn) {
    double sum = 0.0;
    for (const std::size_t sample : drawn)
        sum += values[sample];
    return sum;
}

} // namespace headscope
