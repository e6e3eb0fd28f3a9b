#include "core/heads/meters/target_meters.h"
#include "core/heads/meters/writing_meters.h"
#include "core/heads/types/registry.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace headscope {

namespace {

std::vector<std::size_t> previousPosition(const InputSequence&, std::size_t q) {
    return q == 0 ? std::vector<std::size_t>{} : std::vector{q - 1};
}

std::vector<std::size_t> twoBack(const InputSequence&, std::size_t q) {
    return q < 2 ? std::vector<std::size_t>{} : std::vector{q - 2};
}

std::vector<std::size_t> secondPosition(const InputSequence&, std::size_t q) {
    return q < 2 ? std::vector<std::size_t>{} : std::vector{std::size_t{1}};
}

std::vector<std::size_t> afterEarlierOccurrences(const InputSequence& sequence, std::size_t q) {
    auto keys = earlierOccurrences(sequence, q);
    for (std::size_t& key : keys)
        ++key;
    return keys;
}

std::vector<std::size_t> ownPosition(const InputSequence&, std::size_t q) {
    return q == 0 ? std::vector<std::size_t>{} : std::vector{q};
}

std::vector<std::size_t> nextPosition(const InputSequence& sequence, std::size_t q) {
    return q + 1 == sequence.ids.size() ? std::vector<std::size_t>{} : std::vector{q + 1};
}

std::vector<std::size_t> twoAhead(const InputSequence& sequence, std::size_t q) {
    return q + 2 >= sequence.ids.size() ? std::vector<std::size_t>{} : std::vector{q + 2};
}

template <auto Keys>
std::unique_ptr<Meter> attentionOn(const std::shared_ptr<const Model>& model,
                                   const InputSequence& sequence) {
    return targetMeter(model->spec, sequence, Keys);
}

template <auto Keys>
Targets theseKeys(const ModelSpec&, const InputSequence&) {
    return Keys;
}

/// Three tokens have to be in sight, or the rarest is soon found by chance. A vocabulary lists its
/// tokens in the order in which they were merged, so that a token with a larger id is rarer.
constexpr std::size_t kLeastInSight = 3;

/// Where the token is of positions 1 to `last` that comes first by `order` of ids. A query that has
/// it itself is left out: it would be found by looking nowhere else. So is a token in more than
/// half of the places, as where a tokenizer knows few words.
template <class Order>
std::vector<std::size_t> firstOfOrder(const InputSequence& sequence, std::size_t q,
                                      std::size_t last, Order order) {
    std::vector<std::size_t> keys;
    if (last < kLeastInSight)
        return keys;
    for (std::size_t k = 1; k <= last; ++k) {
        if (keys.empty() || order(sequence.ids[k], sequence.ids[keys.front()]))
            keys = {k};
        else if (sequence.ids[k] == sequence.ids[keys.front()])
            keys.push_back(k);
    }
    const bool is_everywhere = 2 * keys.size() > last;
    if (is_everywhere || std::ranges::find(keys, q) != keys.end())
        keys.clear();
    return keys;
}

template <class Order>
Targets firstInSight(const ModelSpec& spec, Order order) {
    return [causal = spec.causal, order](const InputSequence& sequence, std::size_t q) {
        return firstOfOrder(sequence, q, causal ? q : sequence.ids.size() - 1, order);
    };
}

Targets rarestInSight(const ModelSpec& spec, const InputSequence&) {
    return firstInSight(spec, std::greater<TokenId>());
}

Targets commonestInSight(const ModelSpec& spec, const InputSequence&) {
    return firstInSight(spec, std::less<TokenId>());
}

template <auto Find>
std::unique_ptr<Meter> largestOn(const std::shared_ptr<const Model>& model,
                                 const InputSequence& sequence) {
    return argmaxMeter(model->spec, sequence, Find(model->spec, sequence));
}

/// Made from a dormant reading: 1 where the head writes less than a thousandth of what is usual in
/// the layer.
double writesNothing(double dormant) {
    constexpr double kLeast = 0.001;
    return std::isnan(dormant) ? dormant : dormant > 1.0 - kLeast ? 1.0 : 0.0;
}

} // namespace

std::vector<std::size_t> earlierOccurrences(const InputSequence& sequence, std::size_t q) {
    const std::size_t first = sequence.firstContent();
    if (sequence.period) {
        if (q < first + *sequence.period)
            return {};
        return {q - *sequence.period};
    }
    std::vector<std::size_t> positions;
    for (std::size_t p = first; p < q; ++p)
        if (sequence.ids[p] == sequence.ids[q])
            positions.push_back(p);
    return positions;
}

constinit const HeadType kPreviousType{
    .id = HeadTypeId::Previous,
    .group = TypeGroup::Position,
    .input = InputKind::Repeats,
    .key = "previous",
    .name = "Previous token",
    .letter = 'P',
    .summary = "Looks at the token just before.",
    .formula = "mean over q ≥ 1 of A[q, q−1] (Olsson et al. 2022)",
    .variant = "from row 2 on (row 1 sees two keys only, where types coincide)",
    .threshold = 0.4,
    .also_on_sentences = true,
    .meter = attentionOn<previousPosition>,
    .targets = theseKeys<previousPosition>,
    .control = Control{.what = "two tokens back",
                       .input = ControlInput::Same,
                       .meter = attentionOn<twoBack>},
};

constinit const HeadType kInductionType{
    .id = HeadTypeId::Induction,
    .group = TypeGroup::Position,
    .input = InputKind::Repeats,
    .key = "induction",
    .name = "Induction",
    .letter = 'I',
    .summary =
        "Looks at what came after the same token earlier, and so predicts that it comes again.",
    .formula = "mean over q with an earlier occurrence of Σ A[q, p+1], p < q, token p = token q "
               "(Olsson et al. 2022)",
    .variant = "from row 2 on (row 1 sees two keys only, where types coincide)",
    .threshold = 0.3,
    .meter = attentionOn<afterEarlierOccurrences>,
    .targets = theseKeys<afterEarlierOccurrences>,
    .control =
        Control{.what = "with the second copy in random order", .input = ControlInput::Shuffled},
};

constinit const HeadType kDuplicateType{
    .id = HeadTypeId::Duplicate,
    .group = TypeGroup::Position,
    .input = InputKind::Repeats,
    .key = "duplicate",
    .name = "Duplicate token",
    .letter = 'D',
    .summary = "Looks back at earlier occurrences of the same token.",
    .formula = "mean over q with an earlier occurrence of Σ A[q, p], p < q, token p = token q "
               "(Wang et al. 2022)",
    .variant = "from row 2 on (row 1 sees two keys only, where types coincide)",
    .threshold = 0.4,
    .meter = attentionOn<earlierOccurrences>,
    .targets = theseKeys<earlierOccurrences>,
    .control =
        Control{.what = "with the second copy in random order", .input = ControlInput::Shuffled},
};

constinit const HeadType kCurrentType{
    .id = HeadTypeId::Current,
    .group = TypeGroup::Position,
    .input = InputKind::Repeats,
    .key = "current",
    .name = "Current token",
    .letter = 'C',
    .summary = "Looks at the token it stands on.",
    .formula = "mean over q ≥ 1 of A[q, q]; row 0 sees nothing else",
    .variant = "from row 2 on (row 1 sees two keys only, where types coincide)",
    .threshold = 0.5,
    .meter = attentionOn<ownPosition>,
    .targets = theseKeys<ownPosition>,
    .control = Control{.what = "on the token before",
                       .input = ControlInput::Same,
                       .meter = attentionOn<previousPosition>},
};

constinit const HeadType kSinkType{
    .id = HeadTypeId::Sink,
    .group = TypeGroup::Position,
    .input = InputKind::Repeats,
    .key = "sink",
    .name = "Attention sink",
    .letter = 'S',
    .summary = "Rests on the first position, or on the token that begins every text.",
    .formula = "mean over q ≥ 1 of A[q, 0] (Xiao et al. 2023); row 0 sees nothing else",
    .variant = "from row 2 on (row 1 sees two keys only, where types coincide)",
    .threshold = 0.45,
    .meter = attentionOn<firstPosition>,
    .targets = theseKeys<firstPosition>,
    .control = Control{.what = "on the second position",
                       .input = ControlInput::Same,
                       .meter = attentionOn<secondPosition>},
};

constinit const HeadType kDormantType{
    .id = HeadTypeId::Dormant,
    .group = TypeGroup::Position,
    .input = InputKind::Repeats,
    .key = "dormant",
    .name = "Dormant",
    .letter = 'Z',
    .summary = "Writes less than half as much as the heads of its layer do, wherever it looks.",
    .formula = "1 − mean ‖z W_O‖ / mean of that over the layer’s heads, at least 0 (average head "
               "output norm, arXiv 2504.03889v3: inactive under 0.44 to 0.47 of the layer’s mean)",
    .variant = "of the largest ‖z W_O‖ of a text, in place of the mean",
    .threshold = 0.55, // a norm under 0.45 of the layer's mean
    .meter = dormantMeter,
};

constinit const HeadType kWritesNothingType{
    .id = HeadTypeId::WritesNothing,
    .group = TypeGroup::Position,
    .input = InputKind::Repeats,
    .key = "writes-nothing",
    .name = "Writes nothing",
    .letter = 'z',
    .summary = "Adds nothing to the residual stream, wherever it looks: its other types say where "
               "it looks and no more.",
    .formula = "share of texts whose largest ‖z W_O‖ is under a thousandth of the mean of that "
               "over the layer’s heads, or rounding (ours)",
    .variant = "by the mean ‖z W_O‖ of a text",
    .threshold = 0.99,
    .read_from = ReadFrom{HeadTypeId::Dormant,
                          [](const Reading& dormant) {
                              return Reading{dormant.weight, writesNothing(dormant.variant), 0.0,
                                             writesNothing(dormant.score)};
                          }},
};

constinit const HeadType kNextType{
    .id = HeadTypeId::Next,
    .group = TypeGroup::Position,
    .input = InputKind::Repeats,
    .key = "next",
    .name = "Next token",
    .letter = 'N',
    .summary = "Looks at the token just after; a network that reads both ways only.",
    .formula = "mean over q < T − 1 of A[q, q+1] (Clark et al. 2019)",
    .variant = "from row 2 on",
    .threshold = 0.4,
    .looks_ahead = true,
    .meter = attentionOn<nextPosition>,
    .targets = theseKeys<nextPosition>,
    .control = Control{.what = "two tokens ahead",
                       .input = ControlInput::Same,
                       .meter = attentionOn<twoAhead>},
};

constinit const HeadType kRareType{
    .id = HeadTypeId::Rare,
    .group = TypeGroup::Position,
    .input = InputKind::Sentences,
    .key = "rare",
    .name = "Rare token",
    .letter = 'K',
    .summary = "Looks at the rarest token in sight.",
    .formula =
        "share of q with argmax A[q, k ≥ 1] on the rarest token but its own, by the order of the "
        "vocabulary (Voita et al. 2019)",
    .variant = "with the first position",
    .threshold = 0.5,
    .meter = largestOn<rarestInSight>,
    .targets = rarestInSight,
    .control = Control{.what = "on the most common token",
                       .input = ControlInput::Same,
                       .meter = largestOn<commonestInSight>},
};

} // namespace headscope
