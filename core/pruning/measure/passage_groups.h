#pragma once

#include "core/heads/bootstrap.h"
#include "core/pruning/passages.h"

#include <cstddef>
#include <span>
#include <vector>

namespace headscope {

/// Passages [begin, end) of `total`, which run as one batch.
struct PassageBatch {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t total = 0;

    std::size_t size() const { return end - begin; }
};

/// As many passages at a time as give some 2,000 rows, at least one.
std::vector<PassageBatch> passageBatches(std::span<const Passage> passages);

/// Which passages a bootstrap draws together: those of a document, or each by itself where there
/// are fewer than ten documents.
class PassageSamples {
public:
    explicit PassageSamples(const PassageLayout& layout);

    std::size_t size() const { return passages_.size(); }
    bool byDocuments() const { return by_documents_; }
    /// The same resamples for everything that is read off one text.
    Bootstrap bootstrap() const;

    /// Sums over the passages of each sample.
    std::vector<double> summed(const std::vector<double>& values) const;

private:
    std::vector<std::vector<std::size_t>> passages_;
    bool by_documents_ = false;
};

/// Σ over the samples that were drawn, as often as they were.
double sumOver(const std::vector<double>& values, std::span<const std::size_t> drawn);

} // namespace headscope
