#include "core/tokenizer/bpe_merges.h"

#include <queue>

#include <algorithm>
#include <tuple>

namespace headscope {

void BpeMerges::add(TokenId left, TokenId right, TokenId merged, std::size_t rank) {
    merges_.insert_or_assign(key(left, right), Merge{static_cast<std::uint32_t>(rank), merged});
}

const BpeMerges::Merge* BpeMerges::find(TokenId left, TokenId right) const {
    const auto found = merges_.find(key(left, right));
    return found == merges_.end() ? nullptr : &found->second;
}

/// The symbols of one word as a doubly linked list in an array, and the pairs that wait for their
/// turn. A symbol that was joined to its left neighbour has no bytes left.
class BpeMerges::Word {
public:
    Word(const BpeMerges& merges, std::vector<WordToken>& symbols)
        : merges_(merges), symbols_(symbols), links_(symbols.size()) {
        for (std::size_t i = 0; i < symbols.size(); ++i)
            links_[i] = {i - 1, i + 1};
        for (std::size_t i = 0; i + 1 < symbols.size(); ++i)
            enqueue(i);
    }

    void mergeAll() {
        while (!queue_.empty()) {
            const Candidate candidate = queue_.top();
            queue_.pop();
            if (isCurrent(candidate))
                join(candidate);
        }
        std::erase_if(symbols_, [](const WordToken& symbol) { return symbol.bytes.empty(); });
    }

private:
    struct Link {
        std::size_t previous; ///< of the first symbol: past every symbol
        std::size_t next;     ///< of the last symbol: the number of symbols
    };
    struct Candidate {
        std::uint32_t rank;
        std::size_t left;
        TokenId merged;

        /// The queue gives the largest first.
        bool operator<(const Candidate& other) const {
            return std::tie(rank, left) > std::tie(other.rank, other.left);
        }
    };

    /// Queues the pair that starts at symbol `left`, if there is one and it was learned.
    void enqueue(std::size_t left) {
        if (left >= symbols_.size() || links_[left].next >= symbols_.size())
            return;
        if (const Merge* merge = merges_.find(symbols_[left].id, symbols_[links_[left].next].id))
            queue_.push({merge->rank, left, merge->merged});
    }

    /// Whether the pair is still what it was when it was queued.
    bool isCurrent(const Candidate& candidate) const {
        const std::size_t right = links_[candidate.left].next;
        if (symbols_[candidate.left].bytes.empty() || right >= symbols_.size())
            return false;
        const Merge* merge = merges_.find(symbols_[candidate.left].id, symbols_[right].id);
        return merge != nullptr && merge->merged == candidate.merged;
    }

    void join(const Candidate& candidate) {
        WordToken& left = symbols_[candidate.left];
        WordToken& right = symbols_[links_[candidate.left].next];
        const std::size_t next = links_[links_[candidate.left].next].next;
        left = {candidate.merged, {left.bytes.begin, right.bytes.end}};
        right.bytes.begin = right.bytes.end;
        links_[candidate.left].next = next;
        if (next < symbols_.size())
            links_[next].previous = candidate.left;
        enqueue(links_[candidate.left].previous);
        enqueue(candidate.left);
    }

    const BpeMerges& merges_;
    std::vector<WordToken>& symbols_;
    std::vector<Link> links_;
    std::priority_queue<Candidate> queue_;
};

void BpeMerges::apply(std::vector<WordToken>& symbols) const {
    if (symbols.size() > 1)
        Word(*this, symbols).mergeAll();
}

} // namespace headscope
