#include "tests/trust/planted_truth.h"

#include "core/engine/engine.h"
#include "core/heads/head_type.h"
#include "core/heads/sequences.h"
#include "tests/support/models.h"
#include "tests/trust/draw.h"
#include "tests/trust/planted_words.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace headscope::test {

namespace {

constexpr std::size_t kSequences = 3;

/// BOS + X + X, no token twice in X.
TokenIds repeatedIds(std::size_t vocabulary, std::size_t period, Draw& draw) {
    TokenIds ids{kPlantedBos};
    while (ids.size() <= period) {
        const auto id = static_cast<TokenId>(1 + draw.below(vocabulary - 1));
        if (std::ranges::find(ids, id) == ids.end())
            ids.push_back(id);
    }
    for (std::size_t i = 1; i <= period; ++i)
        ids.push_back(ids[i]);
    return ids;
}

using Keys = std::vector<std::size_t>;

/// The places of the largest id up to `q`, as there is one in sight that is not the query's own.
Keys rarest(const TokenIds& ids, std::size_t q) {
    Keys keys;
    for (std::size_t k = 1; k <= q; ++k) {
        if (!keys.empty() && ids[k] < ids[keys.front()])
            continue;
        if (!keys.empty() && ids[k] > ids[keys.front()])
            keys.clear();
        keys.push_back(k);
    }
    return std::ranges::find(keys, q) == keys.end() ? keys : Keys{};
}

/// What a head looks for from a query of such a sequence; empty where there is nothing to find.
/// Each token that could go on with a word does so after the one before it.
Keys wanted(const PlantedHead& head, const Tokenizer* tokenizer, const TokenIds& ids,
            std::size_t q) {
    const std::size_t period = ids.size() / 2;
    switch (head.look) {
    case Look::Back:
        return q >= head.back ? Keys{q - head.back} : Keys{};
    case Look::First:
    case Look::BosToken:
        return {0};
    case Look::Same:
        return q > period ? Keys{q - period} : Keys{};
    case Look::AfterSame:
        return q > period ? Keys{q - period + 1} : Keys{};
    case Look::Near:
        return q > 3 ? Keys{q - 3, q - 2, q - 1, q} : Keys{};
    case Look::FirstTokens:
        return q > 8 ? Keys{1, 2, 3, 4, 5, 6, 7, 8} : Keys{};
    case Look::Rarest:
        return rarest(ids, q);
    case Look::ItsWord:
        return goesOn(tokenizer, ids[q]) ? Keys{q - 1} : Keys{};
    default:
        return {};
    }
}

/// Sums of one head, divided at the end.
struct Sums {
    double share = 0.0;
    double share_rows = 0.0;
    double steady = 0.0;
    double first = 0.0;
    double rows = 0.0;
    double content = 0.0;
    double content_rows = 0.0;
    double near = 0.0;
    double distance = 0.0;
    double farthest = 0.0;
    double evenness = 0.0;

    void add(const PlantedHead& head, const Tokenizer* tokenizer, const TokenIds& ids,
             const Tensor& A) {
        constexpr std::size_t kFromHere = 8;
        constexpr std::size_t kFar = 33;
        for (std::size_t q = 1; q < A.dim(0); ++q) {
            const auto at = [&](std::size_t k) { return static_cast<double>(A(q, k)); };
            if (const auto keys = wanted(head, tokenizer, ids, q); !keys.empty()) {
                share_rows += 1.0;
                double largest = 0.0; // of the others
                for (std::size_t k = 0; k <= q; ++k) {
                    const bool is_wanted = std::ranges::find(keys, k) != keys.end();
                    share += is_wanted ? at(k) : 0.0;
                    largest = is_wanted ? largest : std::max(largest, at(k));
                }
                steady += at(keys.front()) > largest ? 1.0 : 0.0;
            }
            rows += 1.0;
            first += at(0);
            double entropy = 0.0;
            for (std::size_t k = 0; k <= q; ++k)
                entropy -= at(k) > 0.0 ? at(k) * std::log(at(k)) : 0.0;
            evenness += entropy / std::log(static_cast<double>(q + 1));
            content_rows += q >= kFromHere ? 1.0 : 0.0;
            for (std::size_t k = 1; k <= q; ++k) {
                content += q >= kFromHere ? at(k) : 0.0;
                near += q >= kFromHere && q - k <= 3 ? at(k) : 0.0;
                distance += q >= kFar ? at(k) * static_cast<double>(q - k) : 0.0;
                farthest += q >= kFar ? at(k) * static_cast<double>(q - 1) : 0.0;
            }
        }
    }

    Shown shown() const {
        return {.share = share_rows > 0.0 ? share / share_rows : 0.0,
                .steady = share_rows > 0.0 ? steady / share_rows : 0.0,
                .first = first / rows,
                .content = content / content_rows,
                .near = near / content,
                .distance = distance / farthest,
                .evenness = evenness / rows};
    }
};

/// Mean over positions of the length of what each head adds, [layer, head] as in `lengths`.
void addLengths(const Run& run, PerHead<Shown>& shown) {
    for (std::size_t layer = 0; layer < run.model->spec.n_layers; ++layer) {
        const Tensor& result = run.captured.at({HookKind::Result, layer});
        for (std::size_t position = 0; position < result.dim(0); ++position)
            for (std::size_t head = 0; head < result.dim(1); ++head) {
                double square = 0.0;
                for (std::size_t i = 0; i < result.dim(2); ++i)
                    square += std::pow(static_cast<double>(result(position, head, i)), 2);
                shown[{layer, head}].written += std::sqrt(square);
            }
    }
}

void divideByLayer(PerHead<Shown>& shown) {
    for (std::size_t layer = 0; layer < shown.heads().layers(); ++layer) {
        double sum = 0.0;
        for (const LayerHead head : shown.heads().in(layer))
            sum += shown[head].written;
        const double mean = sum / static_cast<double>(shown.heads().heads(layer));
        for (const LayerHead head : shown.heads().in(layer))
            shown[head].written /= mean;
    }
}

Truth mustWhere(bool is_so) {
    return is_so ? Truth::Must : Truth::May;
}

/// Must from `high` on, must not below `low`.
Truth between(double value, double low, double high) {
    return value >= high ? Truth::Must : value < low ? Truth::MustNot : Truth::May;
}

/// Of the types that say where a head looks. Positional ones do so from nearly every query.
Truth byLook(HeadTypeId type, const PlantedHead& head, bool is_clear, bool is_steady) {
    const bool one_back = head.look == Look::Back && head.back == 1;
    if (type == HeadTypeId::PreviousWeights)
        return one_back ? mustWhere(is_clear) : Truth::MustNot;
    if (type == HeadTypeId::InductionWeights)
        return head.look == Look::AfterSame ? mustWhere(is_clear) : Truth::MustNot;
    if (type == HeadTypeId::Positional && head.look == Look::Back && head.back > 0)
        return mustWhere(is_steady);
    if (type == HeadTypeId::Positional && head.look == Look::Near)
        return Truth::May; // one of four
    return type == typeOfLook(head) ? mustWhere(is_clear) : Truth::MustNot;
}

/// The types that a head may have on random tokens besides, few of which are marks, and many of
/// which go on with a word.
bool isOnRandomTokens(HeadTypeId type, Look look) {
    if (type == HeadTypeId::Previous || type == HeadTypeId::Positional || type == HeadTypeId::Sink)
        return look == Look::LastMark || look == Look::ItsWord;
    return type == HeadTypeId::Current && look == Look::LastMark;
}

Truth bySpread(HeadTypeId type, const PlantedHead& head, const Shown& shown) {
    constexpr double kLeastContent = 0.15;
    // Sentences have little that these would find.
    const bool finds_little = head.look == Look::Same || head.look == Look::AfterSame ||
                              head.look == Look::SomeTokens ||
                              (head.look == Look::Back && head.back > 10);
    if (type == HeadTypeId::Diffuse && finds_little && !head.rests)
        return Truth::May;
    if (type == HeadTypeId::Diffuse)
        return between(shown.evenness, 0.8, head.look == Look::All ? 0.88 : 2.0);
    if (shown.content < kLeastContent)
        return Truth::May;
    if (type == HeadTypeId::Local && head.look == Look::ItsWord)
        return Truth::May; // in sentences the pieces of a word are near
    if (type == HeadTypeId::Local) {
        // What is spread is less in short sentences.
        const bool is_near = head.look == Look::Near || (head.look == Look::Back && head.back <= 3);
        return is_near ? mustWhere(shown.near >= 0.65) : between(shown.near, 0.5, 2.0);
    }
    if (head.look == Look::Back && head.back >= 24)
        return Truth::May;
    return between(shown.distance, 0.55, head.look == Look::FirstTokens ? 0.8 : 2.0);
}

} // namespace

PerHead<Shown> shownBy(const PlantedCase& planted, std::uint64_t seed, std::size_t period) {
    Draw draw(seed);
    PerHead<Sums> sums(headIndex(planted.model->spec));
    PerHead<Shown> written(sums.heads());
    for (std::size_t i = 0; i < kSequences; ++i) {
        HookSet hooks;
        hooks.capture(HookKind::Result);
        const auto run = require(
            runModel(planted.model, repeatedIds(planted.shape.d_vocab, period, draw), {}, hooks));
        addLengths(*run, written);
        for (const PlantedHead& head : planted.heads)
            sums[head.head].add(head, planted.shape.tokenizer.get(), run->ids,
                                run->pattern(head.head));
    }
    divideByLayer(written);
    PerHead<Shown> shown(sums.heads());
    for (const LayerHead head : shown.heads()) {
        shown[head] = sums[head].shown();
        shown[head].written = written[head].written;
    }
    return shown;
}

const Shown& ShownOnBoth::of(HeadTypeId type, LayerHead head) const {
    return (headType(type).input == InputKind::Repeats ? repeats : distinct)[head];
}

ShownOnBoth shownOnBoth(const PlantedCase& planted, std::uint64_t seed) {
    return {shownBy(planted, seed, RepeatOptions().period), shownBy(planted, seed, 64)};
}

std::optional<HeadTypeId> typeOfLook(const PlantedHead& head) {
    switch (head.look) {
    case Look::Back:
        return head.back == 0   ? HeadTypeId::Current
               : head.back == 1 ? HeadTypeId::Previous
                                : HeadTypeId::Positional;
    case Look::First:
        return HeadTypeId::Sink;
    case Look::Same:
        return HeadTypeId::Duplicate;
    case Look::AfterSame:
        return HeadTypeId::Induction;
    case Look::All:
        return HeadTypeId::Diffuse;
    case Look::Near:
        return HeadTypeId::Local;
    case Look::FirstTokens:
        return HeadTypeId::LongRange;
    case Look::Marks:
    case Look::LastMark:
        return HeadTypeId::Punctuation;
    case Look::Rarest:
        return HeadTypeId::Rare;
    case Look::ItsWord:
        return HeadTypeId::Subword;
    default:
        return std::nullopt;
    }
}

Truth truthOf(HeadTypeId type, const PlantedHead& head, const Shown& shown) {
    // Random tokens hold too few marks to see how sharply these are found.
    const bool by_plan = head.look == Look::Marks || head.look == Look::LastMark;
    const bool is_clear = (by_plan ? head.share : shown.share) >= 0.5;
    if (isOnRandomTokens(type, head.look))
        return Truth::May;
    switch (type) {
    case HeadTypeId::WritesNothing:
        return head.moves == Moves::Nothing ? Truth::Must : Truth::MustNot;
    case HeadTypeId::Dormant:
        return head.moves == Moves::Nothing || shown.written < 0.35 ? Truth::Must
               : shown.written < 0.6                                ? Truth::May
                                                                    : Truth::MustNot;
    case HeadTypeId::Copying:
    case HeadTypeId::CopyingWeights:
        return head.moves == Moves::ToLogits ? Truth::Must : Truth::MustNot;
    case HeadTypeId::CopySuppression:
        return head.moves != Moves::Against || head.look != Look::AfterSame ? Truth::MustNot
               : head.half                                                  ? Truth::May
                                                                            : mustWhere(is_clear);
    case HeadTypeId::Local:
    case HeadTypeId::LongRange:
    case HeadTypeId::Diffuse:
        return head.half ? Truth::May : bySpread(type, head, shown);
    case HeadTypeId::Sink: // also of BOS; Scorecard::by_token counts those of BOS
        return head.look == Look::BosToken || head.look == Look::Marks ||
                       head.look == Look::SomeTokens
                   ? Truth::May // where there is none of its tokens it rests
                   : between(shown.first, 0.4, 0.5);
    case HeadTypeId::Retrieval: // in sentences most tokens have come before, in several places
        return head.look == Look::AfterSame ? Truth::May : Truth::MustNot;
    case HeadTypeId::DuplicateName:
        return head.look == Look::Same ? Truth::May : Truth::MustNot;
    default:
        return head.half ? Truth::May
                         : byLook(type, head, is_clear, is_clear && shown.steady >= 0.95);
    }
}

} // namespace headscope::test
