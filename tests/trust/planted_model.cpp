// The residual stream holds, one after another:
//
//   token | position | token before | for the logits | unread | flags
//
// A token and a position have a code each, of d_code numbers and length 1, nearly orthogonal to all
// others. The stream holds the code itself, or a one-hot vector that the heads turn into it. Keys
// are the codes of position, token and token before, and the flags; queries are what a head asks
// of these. Values are the codes of tokens.

#include "tests/trust/planted_model.h"

#include "core/engine/engine.h"
#include "core/model/random_model.h"
#include "tests/support/models.h"
#include "tests/trust/draw.h"
#include "tests/trust/planted_words.h"
#include "tests/trust/turn.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace headscope::test {

namespace {

/// Of a token or a position, a number each.
enum Flag : std::size_t {
    kOne,   ///< 1 for every token
    kFirst, ///< position 0
    kBos,   ///< the token BOS
    kHalf,  ///< the lower half of the vocabulary
    kSome,  ///< a fifth of it
    kEarly, ///< positions 1 to 8
    kMark,  ///< tokens of punctuation
    kBegin, ///< tokens that begin a word
    kRank,  ///< id / d_vocab
    kPlace, ///< position / n_ctx
    kFlags,
};

/// How large flags are in the stream. Position 0 and BOS have theirs in place of a code, which
/// heads that rest there would compare with what they look for; others hardly change how long a
/// token is.
constexpr float flagSize(Flag flag) {
    return flag == kOne || flag == kFirst || flag == kBos ? 1.0f : 0.25f;
}
constexpr std::size_t kEarlyPositions = 8;
constexpr double kUsualKeys = 50.0; ///< in sight of a query, for sharing attention between them

/// How much a match adds to a score, and position 0.
struct Strength {
    double match = 0.0;
    double rest = 0.0;
};

double odds(double share) {
    return std::log(share / (1.0 - share));
}

/// `sources`: how many codes are compared, each of which adds some noise.
Strength strengthOf(const PlantedHead& head, std::size_t d_code, double sources) {
    constexpr double kMatch = 16.0;
    if (head.rests)
        return {kMatch, kMatch - odds(head.share)};
    // exp(match) : keys · exp(noise) = share : 1 − share, where noise is half of its variance.
    const double noise = sources / static_cast<double>(d_code) / 2.0;
    double match = 0.0;
    for (int step = 0; step < 50; ++step)
        match = std::min(kMatch, std::log(kUsualKeys) + odds(head.share) + noise * match * match);
    return {match, 0.0};
}

class Planting {
public:
    Planting(const PlantedShape& shape, std::uint64_t seed) : shape_(shape), draw_(seed) {
        const std::size_t r = shape.d_code;
        position_ = shape.one_hot_tokens ? shape.d_vocab : r;
        previous_ = position_ + (shape.one_hot_positions ? shape.n_ctx : r);
        moved_ = previous_ + r;
        unread_ = moved_ + r;
        flags_ = unread_ + r;
        model_ = *headscope::randomModel(specOf(), seed);
        model_.name = "planted";
        model_.tokenizer = shape.tokenizer;
        model_.bos_facts.config_token = kPlantedBos;
        if (!shape.mlp)
            return;
        // Weights have a deviation of 0.02. What is read is as long as √d_model, or √3 without
        // norms; what is written is about a quarter of a token.
        const double width = std::sqrt(static_cast<double>(model_.spec.d_model));
        for (LayerWeights& layer : model_.weights.layers) {
            scale(layer.mlp.W_in.floats(), 50.0 / (shape.norm ? width : std::sqrt(3.0)));
            scale(layer.mlp.W_out.floats(), 2.5 / width);
        }
    }

    std::shared_ptr<const Model> plant(const std::vector<PlantedHead>& heads) {
        clearAttention();
        makeCodes();
        embed();
        for (const PlantedHead& head : heads)
            plantHead(head);
        addNoise();
        if (shape_.turned)
            turnStream();
        if (shape_.norm)
            undoNorms();
        return std::make_shared<const Model>(std::move(model_));
    }

private:
    ModelSpec specOf() const {
        ModelSpec spec = gpt2SmallShape(shape_.n_ctx);
        spec.family = "planted";
        spec.n_layers = shape_.n_layers;
        spec.n_heads = shape_.n_heads;
        spec.n_kv_heads = shape_.n_kv_heads;
        spec.d_head = 3 * shape_.d_code + kFlags;
        spec.d_model = flags_ + kFlags;
        spec.d_vocab = shape_.d_vocab;
        spec.d_mlp = shape_.mlp ? 64 : 0;
        spec.mlp = shape_.mlp ? MlpKind::Plain : MlpKind::None;
        spec.attention_scale.assign(spec.n_layers, 1.0);
        spec.norm_placement = shape_.norm ? NormPlacement::Pre : NormPlacement::None;
        spec.final_norm = shape_.norm.has_value();
        spec.norm = {shape_.norm.value_or(NormKind::LayerNorm), 1e-6};
        spec.tied_unembedding = false;
        spec.bos_token = kPlantedBos;
        return spec;
    }

    static void scale(Tensor& tensor, double factor) {
        for (float& value : tensor.values())
            value *= static_cast<float>(factor);
    }
    static void clear(Tensor& tensor) { std::ranges::fill(tensor.values(), 0.0f); }

    void clearAttention() {
        clear(model_.weights.W_E.floats());
        clear(model_.weights.W_pos.floats());
        clear(model_.weights.W_U.floats());
        clear(model_.weights.b_U);
        for (LayerWeights& layer : model_.weights.layers) {
            clear(layer.attn.W_QKV.floats());
            clear(layer.attn.W_O.floats());
            clear(layer.attn.b_QKV);
            clear(layer.attn.b_O);
        }
    }

    void makeCodes() {
        const std::size_t r = shape_.d_code;
        token_codes_ = randomCodes(shape_.d_vocab);
        position_codes_ = randomCodes(shape_.n_ctx);
        for (std::size_t pair = 0; pair < r / 2; ++pair)
            frequencies_.push_back(draw_.between(0.3, std::numbers::pi));
        for (std::size_t p = 0; !shape_.one_hot_positions && p < shape_.n_ctx; ++p)
            for (std::size_t i = 0; i < r; ++i)
                position_codes_(p, i) = wave(i, static_cast<double>(p));
        for (std::size_t i = 0; i < r; ++i)
            position_codes_(0, i) = token_codes_(kPlantedBos, i) = 0.0f;
    }

    Tensor randomCodes(std::size_t count) {
        Tensor codes({count, shape_.d_code});
        for (std::size_t row = 0; row < count; ++row) {
            double square = 0.0;
            for (std::size_t i = 0; i < shape_.d_code; ++i) {
                const double value = draw_.normal();
                codes(row, i) = static_cast<float>(value);
                square += value * value;
            }
            for (std::size_t i = 0; i < shape_.d_code; ++i)
                codes(row, i) /= static_cast<float>(std::sqrt(square));
        }
        return codes;
    }

    /// Cosine and sine take turns.
    float wave(std::size_t i, double position) const {
        const double angle = frequencies_[i / 2] * position;
        const double length = std::sqrt(2.0 / static_cast<double>(shape_.d_code));
        return static_cast<float>(length * (i % 2 == 0 ? std::cos(angle) : std::sin(angle)));
    }

    void embed() {
        MutableMatrixView W_E = model_.weights.W_E.floats().matrix();
        MutableMatrixView W_U = model_.weights.W_U.floats().matrix();
        const double logits = shape_.norm ? 2.0 : 10.0;
        for (std::size_t t = 0; t < shape_.d_vocab; ++t) {
            if (shape_.one_hot_tokens && t != kPlantedBos)
                W_E(t, t) = 1.0f;
            for (std::size_t i = 0; i < shape_.d_code; ++i) {
                if (!shape_.one_hot_tokens)
                    W_E(t, i) = token_codes_(t, i);
                W_U(t, moved_ + i) = static_cast<float>(logits) * token_codes_(t, i);
            }
            const auto id = static_cast<TokenId>(t);
            float* const flags = W_E.row(t) + flags_;
            flags[kOne] = 1.0f;
            flags[kBos] = id == kPlantedBos ? flagSize(kBos) : 0.0f;
            flags[kHalf] = 2 * t < shape_.d_vocab ? flagSize(kHalf) : 0.0f;
            flags[kSome] = id != kPlantedBos && draw_.chance(0.2) ? flagSize(kSome) : 0.0f;
            flags[kMark] = isMark(shape_.tokenizer.get(), id) ? flagSize(kMark) : 0.0f;
            flags[kBegin] = goesOn(shape_.tokenizer.get(), id) ? 0.0f : flagSize(kBegin);
            flags[kRank] =
                flagSize(kRank) * static_cast<float>(t) / static_cast<float>(shape_.d_vocab);
        }
        MutableMatrixView W_pos = model_.weights.W_pos.floats().matrix();
        for (std::size_t p = 0; p < shape_.n_ctx; ++p) {
            if (shape_.one_hot_positions && p > 0)
                W_pos(p, position_ + p) = 1.0f;
            for (std::size_t i = 0; !shape_.one_hot_positions && i < shape_.d_code; ++i)
                W_pos(p, position_ + i) = position_codes_(p, i);
            float* const flags = W_pos.row(p) + flags_;
            flags[kFirst] = p == 0 ? flagSize(kFirst) : 0.0f;
            flags[kEarly] = p >= 1 && p <= kEarlyPositions ? flagSize(kEarly) : 0.0f;
            flags[kPlace] =
                flagSize(kPlace) * static_cast<float>(p) / static_cast<float>(shape_.n_ctx);
        }
    }

    // Columns of a head: position, token, token before, flags.

    std::size_t tokenColumn() const { return shape_.d_code; }
    std::size_t previousColumn() const { return 2 * shape_.d_code; }
    std::size_t flagColumn(Flag flag) const { return 3 * shape_.d_code + flag; }

    /// Adds the code of the position `back` before.
    void readPosition(MutableMatrixView W, double factor, std::size_t back) const {
        const std::size_t r = shape_.d_code;
        if (shape_.one_hot_positions) {
            for (std::size_t p = back; p < shape_.n_ctx; ++p)
                for (std::size_t i = 0; i < r; ++i)
                    W(position_ + p, i) +=
                        static_cast<float>(factor) * position_codes_(p - back, i);
            return;
        }
        for (std::size_t i = 0; i + 1 < r; i += 2) {
            const double angle = frequencies_[i / 2] * static_cast<double>(back);
            const auto cosine = static_cast<float>(factor * std::cos(angle));
            const auto sine = static_cast<float>(factor * std::sin(angle));
            W(position_ + i, i) += cosine;
            W(position_ + i + 1, i) += sine;
            W(position_ + i, i + 1) -= sine;
            W(position_ + i + 1, i + 1) += cosine;
        }
    }

    /// Adds the code of the token to the columns from `col` on.
    void readToken(MutableMatrixView W, double factor, std::size_t col) const {
        const std::size_t rows = shape_.one_hot_tokens ? shape_.d_vocab : shape_.d_code;
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t i = 0; i < shape_.d_code; ++i) {
                const float one = row == i ? 1.0f : 0.0f;
                W(row, col + i) += static_cast<float>(factor) *
                                   (shape_.one_hot_tokens ? token_codes_(row, i) : one);
            }
    }

    void ask(MutableMatrixView W_Q, Flag flag, double amount, Flag when = kOne) const {
        W_Q(flags_ + when, flagColumn(flag)) += static_cast<float>(amount) / flagSize(when);
    }

    struct HeadWeights {
        MutableMatrixView W_Q, W_K, W_V, W_O;
    };
    HeadWeights weightsOf(LayerHead head) {
        AttentionWeights& attn = model_.weights.layers[head.layer].attn;
        const ModelSpec& spec = model_.spec;
        const std::size_t d = spec.d_head;
        const MutableMatrixView W = attn.W_QKV.floats().matrix();
        const std::size_t group = spec.kvHeadOf(head);
        return {W.colRange(head.head * d, d), W.colRange((spec.n_heads + group) * d, d),
                W.colRange((spec.n_heads + spec.n_kv_heads + group) * d, d),
                attn.W_O.floats().matrix().rowRange(head.head * d, d)};
    }

    void plantHead(const PlantedHead& head) {
        const HeadWeights weights = weightsOf(head.head);
        if (head.head.head % model_.spec.headsPerGroup() == 0) {
            plantKeys(weights.W_K, head);
            readToken(weights.W_V, 1.0, 0);
        }
        plantQueries(weights.W_Q, head);
        plantOutput(weights.W_O, head);
    }

    void plantKeys(MutableMatrixView W_K, const PlantedHead& head) {
        if (head.look == Look::Chance && model_.spec.headsPerGroup() == 1) {
            plantChance(W_K, head.strength);
        } else {
            readPosition(W_K, 1.0, 0);
            readToken(W_K, 1.0, tokenColumn());
            for (std::size_t i = 0; i < shape_.d_code; ++i)
                W_K(previous_ + i, previousColumn() + i) = 1.0f;
        }
        for (std::size_t i = kFirst; i < kFlags; ++i) {
            const auto flag = static_cast<Flag>(i);
            W_K(flags_ + flag, flagColumn(flag)) = 1.0f / flagSize(flag);
        }
    }

    /// So that scores have this deviation where keys are random, too.
    void plantChance(MutableMatrixView W, double strength) {
        const auto columns = static_cast<double>(3 * shape_.d_code);
        const double deviation = std::sqrt(strength / (2.0 * std::sqrt(columns)));
        for (std::size_t row = 0; row < previous_; ++row)
            for (std::size_t col = 0; col < 3 * shape_.d_code; ++col)
                W(row, col) += static_cast<float>(deviation * draw_.normal());
    }

    void plantQueries(MutableMatrixView W_Q, const PlantedHead& head) {
        const double sources = head.look == Look::Same ? 2.0 : 1.0;
        const auto [match, rest] = strengthOf(head, shape_.d_code, sources);
        constexpr double kPlaces = 260.0; // a nat from a position to the next
        constexpr double kApart = 40.0;   // more than two marks are apart
        constexpr double kRanks = 200.0;
        switch (head.look) {
        case Look::Back:
            readPosition(W_Q, match, head.back);
            break;
        case Look::First:
            ask(W_Q, kFirst, std::log(kUsualKeys) + odds(head.share));
            return;
        case Look::BosToken:
            ask(W_Q, kBos, std::log(kUsualKeys) + odds(head.share));
            return;
        case Look::Same:
            readToken(W_Q, match, tokenColumn());
            readPosition(W_Q, -match, 0);
            break;
        case Look::AfterSame:
            readToken(W_Q, match, previousColumn());
            break;
        case Look::All:
            return;
        case Look::Near:
            for (std::size_t back = 0; back < 4; ++back)
                readPosition(W_Q, match, back);
            break;
        case Look::FirstTokens:
            ask(W_Q, kEarly, match);
            break;
        case Look::SomeTokens:
            ask(W_Q, kSome, match);
            break;
        case Look::Chance:
            plantChance(W_Q, head.strength);
            return;
        case Look::Marks:
            ask(W_Q, kMark, match);
            break;
        case Look::LastMark: // where there is none, the last tokens
            ask(W_Q, kMark, kApart);
            ask(W_Q, kPlace, kPlaces);
            return;
        case Look::Rarest:
            ask(W_Q, kRank, kRanks);
            return;
        case Look::ItsWord:
            readPosition(W_Q, match, 1);
            ask(W_Q, kFirst, 2.0 * match, kBegin);
            break;
        }
        ask(W_Q, kFirst, rest);
        if (head.half)
            ask(W_Q, kFirst, 2.0 * match, kHalf);
    }

    void plantOutput(MutableMatrixView W_O, const PlantedHead& head) {
        constexpr double kUsual = 0.25; // norms are to depend little on it
        const auto size = static_cast<float>(kUsual * head.size);
        const std::size_t shift = draw_.below(shape_.d_code);
        for (std::size_t i = 0; i < shape_.d_code; ++i) {
            if (head.moves == Moves::Unread)
                W_O(i, unread_ + (i + shift) % shape_.d_code) = size;
            else if (head.moves == Moves::ToLogits)
                W_O(i, moved_ + i) = size;
            else if (head.moves == Moves::Against)
                W_O(i, moved_ + i) = -size;
            else if (head.moves == Moves::ToPrevious) // as long as a token
                W_O(i, previous_ + i) = static_cast<float>(head.size);
        }
    }

    /// Where W_O is 0 it stays so.
    void addNoise() {
        if (shape_.noise == 0.0)
            return;
        for (LayerWeights& layer : model_.weights.layers) {
            Tensor& W = layer.attn.W_QKV.floats();
            const double deviation = shape_.noise / std::sqrt(static_cast<double>(W.dim(0)));
            for (float& value : W.values())
                value += static_cast<float>(deviation * draw_.normal());
        }
        Tensor& W_U = model_.weights.W_U.floats();
        const double deviation = shape_.noise / std::sqrt(static_cast<double>(W_U.dim(1)));
        for (float& value : W_U.values())
            value += static_cast<float>(deviation * draw_.normal());
    }

    void turnStream() {
        const Turn turn(model_.spec.d_model, draw_);
        Weights& weights = model_.weights;
        for (WeightTensor* of_rows : {&weights.W_E, &weights.W_pos, &weights.W_U})
            turn.applyToRows(of_rows->floats().matrix());
        for (LayerWeights& layer : weights.layers) {
            turn.applyToColumns(layer.attn.W_QKV.floats().matrix());
            turn.applyToRows(layer.attn.W_O.floats().matrix());
        }
    }

    /// Multiplies what reads a normed stream by the usual length that the norm divides by, from
    /// the first layer to the last: what a later one reads depends on those before it.
    void undoNorms() {
        TokenIds ids{kPlantedBos};
        while (ids.size() < 120)
            ids.push_back(static_cast<TokenId>(1 + draw_.below(shape_.d_vocab - 1)));
        for (std::size_t layer = 0; layer < shape_.n_layers; ++layer) {
            HookSet hooks;
            const HookPoint point{HookKind::Ln1Scale, layer};
            hooks.capture(point);
            const auto run =
                require(runModel(std::make_shared<const Model>(model_), ids, {}, hooks));
            const Tensor& lengths = run->captured.at(point);
            double sum = 0.0;
            for (const float length : lengths.values())
                sum += static_cast<double>(length);
            scale(model_.weights.layers[layer].attn.W_QKV.floats(),
                  sum / static_cast<double>(lengths.size()));
        }
    }

    PlantedShape shape_;
    Draw draw_;
    // Where the blocks begin; tokens at 0.
    std::size_t position_ = 0;
    std::size_t previous_ = 0;
    std::size_t moved_ = 0;
    std::size_t unread_ = 0;
    std::size_t flags_ = 0;
    Model model_;
    Tensor token_codes_;    ///< [d_vocab, d_code]
    Tensor position_codes_; ///< [n_ctx, d_code]
    std::vector<double> frequencies_;
};

} // namespace

std::shared_ptr<const Model>
plantedModel(const PlantedShape& shape, const std::vector<PlantedHead>& heads, std::uint64_t seed) {
    return Planting(shape, seed).plant(heads);
}

} // namespace headscope::test
