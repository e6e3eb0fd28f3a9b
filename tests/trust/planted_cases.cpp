#include "tests/trust/planted_cases.h"

#include "core/tokenizer/tokenizer.h"
#include "tests/trust/draw.h"

#include <algorithm>
#include <array>

namespace headscope::test {

namespace {

PlantedShape shapeOf(std::size_t place, const std::shared_ptr<const Tokenizer>& tokenizer,
                     Draw& draw) {
    PlantedShape shape;
    const std::size_t kind = place % kPlantedKinds;
    const bool reads_words = kind % 4 == 3;
    shape.one_hot_tokens = kind == 1 || kind == 6;
    shape.one_hot_positions = kind == 1 || kind == 2 || kind == 5;
    shape.norm = std::array<std::optional<NormKind>, 4>{
        NormKind::LayerNorm, std::nullopt, NormKind::RmsNorm,
        NormKind::LayerNorm}[(kind + place / kPlantedKinds) % 4];
    shape.n_kv_heads = std::array<std::size_t, 4>{8, 8, 4, 2}[(kind / 2 + place) % 4];
    shape.d_code = reads_words || draw.chance(0.3) ? 48 : 32;
    shape.d_vocab = shape.one_hot_tokens ? 200 + draw.below(100) : 200 + draw.below(800);
    if (reads_words) {
        shape.tokenizer = tokenizer;
        shape.d_vocab = tokenizer->vocabularySize();
    }
    shape.turned = kind != 1;
    shape.noise = draw.chance(0.5) ? 0.05 : 0.0;
    shape.mlp = draw.chance(0.4);
    return shape;
}

/// What can be drawn for a head, as often as it is in this list.
constexpr std::array kLooks{Look::Back,       Look::Back,      Look::Back,        Look::Back,
                            Look::First,      Look::First,     Look::BosToken,    Look::Same,
                            Look::Same,       Look::AfterSame, Look::AfterSame,   Look::AfterSame,
                            Look::All,        Look::Near,      Look::FirstTokens, Look::SomeTokens,
                            Look::SomeTokens, Look::Chance,    Look::Chance,      Look::Rarest};
constexpr std::array kLooksAtWords{Look::Marks,    Look::Marks,   Look::LastMark,
                                   Look::LastMark, Look::ItsWord, Look::ItsWord};

/// Those that look like others on 50 tokens, repeated, among them.
std::size_t drawnDistance(Draw& draw) {
    switch (draw.below(6)) {
    case 0:
        return 0;
    case 1:
    case 2:
        return 1;
    case 3:
        return 2 + draw.below(9);
    case 4:
        return 11 + draw.below(54);
    default:
        return 49 + draw.below(2);
    }
}

/// Induction needs what a head of an earlier layer writes.
Look drawnLook(std::size_t layer, bool reads_words, Draw& draw) {
    while (true) {
        const std::size_t choice =
            draw.below(kLooks.size() + (reads_words ? kLooksAtWords.size() : 0));
        const Look look =
            choice < kLooks.size() ? kLooks[choice] : kLooksAtWords[choice - kLooks.size()];
        if (layer > 0 || look != Look::AfterSame)
            return look;
    }
}

PlantedHead drawnHead(LayerHead place, bool reads_words, Draw& draw) {
    PlantedHead head{.head = place, .look = drawnLook(place.layer, reads_words, draw)};
    if (head.look == Look::Back)
        head.back = drawnDistance(draw);
    head.share = draw.chance(0.15) ? draw.between(0.3, 0.5) : draw.between(0.52, 0.96);
    head.rests = draw.chance(0.6);
    constexpr std::array kStrengths{0.3, 1.0, 3.0, 10.0};
    head.strength = kStrengths[draw.below(kStrengths.size())];
    const bool can_be_half =
        head.look == Look::Back || head.look == Look::Same || head.look == Look::AfterSame;
    if (can_be_half && draw.chance(0.1)) {
        head.half = head.rests = true;
        head.share = draw.between(0.85, 0.96);
    }
    const std::size_t moves = draw.below(10);
    if (moves == 0)
        head.moves = Moves::Nothing;
    else if (moves == 1)
        head.moves = Moves::Against;
    else if (moves <= 4 || head.look == Look::AfterSame)
        head.moves = Moves::ToLogits;
    head.size = draw.chance(0.1) ? draw.between(0.05, 0.15) : draw.between(0.8, 1.2);
    return head;
}

} // namespace

PlantedCase plantedCase(std::size_t place, std::uint64_t seed,
                        const std::shared_ptr<const Tokenizer>& tokenizer) {
    Draw draw(seed * 1000 + place);
    PlantedCase planted{.shape = shapeOf(place, tokenizer, draw), .heads = {}, .model = nullptr};
    for (std::size_t layer = 0; layer < planted.shape.n_layers; ++layer)
        for (std::size_t head = 0; head < planted.shape.n_heads; ++head)
            planted.heads.push_back(
                drawnHead({layer, head}, planted.shape.tokenizer != nullptr, draw));
    // What induction needs, and the sharpest head of its kind.
    const LayerHead needed{0, draw.below(planted.shape.n_heads)};
    planted.heads[needed.head] = PlantedHead{
        .head = needed, .look = Look::Back, .back = 1, .share = 0.97, .moves = Moves::ToPrevious};
    planted.model = plantedModel(planted.shape, planted.heads, seed * 1000 + place);
    return planted;
}

} // namespace headscope::test
