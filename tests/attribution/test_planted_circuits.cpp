// Circuits made by hand, in which it is known why each head looks where it looks: a trace finds all
// of their edges and no other above 1 % of the difference.
//
// The residual stream is a row of one-hot blocks, without norms unless it says so:
//
//   token (8) | position (12) | A (8) | B (8) | unread (8)
//
// A head that matches one block of the query with another of the key scores 40 where they agree and
// 0 elsewhere, so that e⁻⁴⁰ is left for the rest. Every layer has a head besides that averages the
// tokens into the unread block.

#include "core/attribution/score_trace.h"
#include "core/model/model.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace test_planted_circuits {

using namespace headscope;
using namespace headscope::test;

namespace {

constexpr std::size_t kTokens = 8;
constexpr std::size_t kPlaces = 12;
constexpr std::size_t kToken = 0;
constexpr std::size_t kPlace = 8;
constexpr std::size_t kA = 20;
constexpr std::size_t kB = 28;
constexpr std::size_t kUnread = 36;
constexpr std::size_t kStream = 44;
constexpr std::size_t kHead = 12; ///< d_head
constexpr float kMatch = 40.0f;

/// A network of a few layers with two heads each, all weights 0 but for the averaging head.
class Planted {
public:
    explicit Planted(std::size_t layers, std::size_t kv_heads = 2) {
        ModelSpec& spec = model_->spec;
        spec.family = "planted";
        spec.n_layers = layers;
        spec.d_model = kStream;
        spec.n_heads = 2;
        spec.n_kv_heads = kv_heads;
        spec.d_head = kHead;
        spec.d_vocab = kTokens;
        spec.n_ctx = kPlaces;
        spec.norm_placement = NormPlacement::None;
        spec.final_norm = false;
        spec.mlp = MlpKind::None;
        spec.attention_scale.assign(layers, 1.0);
        spec.output = OutputHead::None;
        Weights& weights = model_->weights;
        weights.W_E = Tensor({kTokens, kStream});
        for (std::size_t id = 0; id < kTokens; ++id)
            weights.W_E.floats()(id, kToken + id) = 1.0f;
        weights.W_pos = Tensor({kPlaces, kStream});
        for (std::size_t p = 0; p < kPlaces; ++p)
            weights.W_pos.floats()(p, kPlace + p) = 1.0f;
        weights.layers.resize(layers);
        for (std::size_t layer = 0; layer < layers; ++layer) {
            AttentionWeights& attention = weights.layers[layer].attn;
            attention.W_QKV = Tensor({kStream, spec.qkvWidth()});
            attention.b_QKV = Tensor({spec.qkvWidth()});
            attention.W_O = Tensor({2 * kHead, kStream});
            attention.b_O = Tensor({kStream});
            if (kv_heads == 2) // else it would move what head 0 reads
                copy({layer, 1}, kToken, kUnread);
        }
    }

    ModelSpec& spec() { return model_->spec; }
    LayerWeights& layer(std::size_t index) { return model_->weights.layers[index]; }

    /// `size` numbers of a block of the query times those of a block of the key, `shift` further.
    void match(LayerHead head, std::size_t query_block, std::size_t key_block, std::size_t size,
               std::size_t shift = 0, std::size_t first = 0) {
        Tensor& W = layer(head.layer).attn.W_QKV.floats();
        for (std::size_t i = 0; i + shift < size; ++i) {
            W(query_block + i + shift, query(head) + first + i) = kMatch;
            W(key_block + i, key(head) + first + i) = 1.0f;
        }
    }

    /// Looks at the position before.
    void lookBack(LayerHead head) { match(head, kPlace, kPlace, kPlaces, 1); }

    /// Moves a block of what it looks at to another.
    void copy(LayerHead head, std::size_t from, std::size_t to) {
        AttentionWeights& attention = layer(head.layer).attn;
        for (std::size_t i = 0; i < kTokens; ++i) {
            attention.W_QKV.floats()(from + i, value(head) + i) = 1.0f;
            attention.W_O.floats()(head.head * kHead + i, to + i) = 1.0f;
        }
    }

    std::size_t query(LayerHead head) const { return head.head * kHead; }
    std::size_t key(LayerHead head) const { return (2 + shared(head)) * kHead; }
    std::size_t value(LayerHead head) const {
        return (2 + model_->spec.n_kv_heads + shared(head)) * kHead;
    }

    StreamRun run(const TokenIds& ids, const HeadMask& ablated = {}) const {
        auto run = StreamRun::read(model_, {ids, ablated});
        if (!run)
            throw std::runtime_error(run.error().message);
        return *std::move(run);
    }

private:
    std::size_t shared(LayerHead head) const {
        return model_->spec.n_kv_heads == 1 ? 0 : head.head;
    }

    std::shared_ptr<Model> model_ = std::make_shared<Model>();
};

/// "key <- head 0.0@1", of the node in front of it: "head 1.0@2: key <- head 0.0@1"
std::vector<std::string> edgesOf(const Trace& trace) {
    const auto node = [&](std::size_t index) {
        const TracePlace& place = *trace.nodes[index].place;
        return writerText(place.writer) + "@" + std::to_string(place.position);
    };
    std::vector<std::string> edges;
    std::ranges::transform(trace.edges, std::back_inserter(edges), [&](const TraceEdge& edge) {
        return node(edge.to) + ": " + std::string(traceSideName(edge.side)) + " <- " +
               node(edge.from);
    });
    std::ranges::sort(edges);
    return edges;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    return text;
}

/// The trace down to 1 % of the difference has these edges, each the whole of its side, and leaves
/// nothing beside them.
void compareTrace(const StreamRun& run, const ScoreQuestion& cell,
                  std::vector<std::string> expected) {
    const auto trace = traceBack(run, {cell, 0.01, 40, {}});
    if (!trace)
        throw std::runtime_error(trace.error().message);
    std::ranges::sort(expected);
    QVERIFY2(edgesOf(*trace) == expected, joined(edgesOf(*trace)).c_str());
    for (const TraceEdge& edge : trace->edges)
        QVERIFY2(std::abs(edge.share - 1.0) < 1e-4, std::to_string(edge.share).c_str());
    for (const TraceRest& rest : trace->rests)
        QVERIFY(std::abs(rest.share) < 1e-4);
}

ScoreParts partsOf(const StreamRun& run, const ScoreQuestion& cell) {
    auto parts = takeScoreApart(run, cell);
    if (!parts)
        throw std::runtime_error(parts.error().message);
    return *std::move(parts);
}

double valueOf(const ScoreParts& parts, HeadSide side, const StreamWriter& writer) {
    const auto found = std::ranges::find(parts.writers, writer);
    return parts.of(side)[static_cast<std::size_t>(found - parts.writers.begin())];
}

/// What is left of a weight without a head.
double weightWithout(const Planted& planted, const TokenIds& ids, LayerHead ablated,
                     const ScoreQuestion& cell) {
    HeadMask mask;
    mask.set(ablated, AblationKind::Zero);
    const StreamRun run = planted.run(ids, mask);
    return static_cast<double>(run.run().weight(cell.head, cell.query, cell.key));
}

} // namespace

class TestPlantedCircuits : public QObject {
    Q_OBJECT

private slots:
    /// The first of the same tokens: a match, and 5 less for each position to the right. Against a
    /// key that does not match it is the tokens, 40, and −5 for the position; against its own
    /// token, which matches as well, the two positions between, 10.
    void duplicateToken() {
        Planted planted(2);
        const LayerHead head{1, 0};
        planted.match(head, kToken, kToken, kTokens);
        AttentionWeights& attention = planted.layer(1).attn;
        attention.b_QKV(planted.query(head) + kTokens) = 1.0f;
        for (std::size_t p = 0; p < kPlaces; ++p)
            attention.W_QKV.floats()(kPlace + p, planted.key(head) + kTokens) =
                -5.0f * static_cast<float>(p);
        const StreamRun run = planted.run({3, 1, 4, 1});
        ScoreQuestion cell{head, 3, 1, ScoreContrast::Key, 0};
        const ScoreParts parts = partsOf(run, cell);
        QVERIFY(parts.weight > 0.99);
        const StreamWriter token{WriterKind::Embedding};
        const StreamWriter place{WriterKind::Positions};
        const StreamWriter biases{WriterKind::Biases};
        QCOMPARE(parts.difference(), 35.0);
        QCOMPARE(valueOf(parts, HeadSide::Query, token), 40.0);
        QCOMPARE(valueOf(parts, HeadSide::Key, token), 40.0);
        QCOMPARE(valueOf(parts, HeadSide::Query, biases), -5.0);
        QCOMPARE(valueOf(parts, HeadSide::Key, place), -5.0);
        const auto traced = traceBack(run, {cell, 0.01, 40, {}});
        QVERIFY(bool(traced));
        const std::vector<std::string> expected{
            "head 1.0@3: key <- embedding@1", "head 1.0@3: key <- positions@1",
            "head 1.0@3: query <- biases@3", "head 1.0@3: query <- embedding@3"};
        QVERIFY2(edgesOf(*traced) == expected, joined(edgesOf(*traced)).c_str());
        for (const TraceEdge& edge : traced->edges)
            QVERIFY(std::abs(edge.share - 40.0 / 35.0) < 1e-4 ||
                    std::abs(edge.share + 5.0 / 35.0) < 1e-4);
        cell.contrast = ScoreContrast::OtherKeys; // nearly all of them is the token itself
        compareTrace(run, cell,
                     {"head 1.0@3: query <- biases@3", "head 1.0@3: key <- positions@1"});
        QVERIFY(weightWithout(planted, {3, 1, 4, 1}, {0, 1}, cell) > 0.99);
    }

    /// The token two positions back, moved by one head after the other, is what the last head
    /// matches. The first token stands for what is before the text, since its heads see itself
    /// alone.
    void twoPreviousTokenHeadsInARow() {
        Planted planted(3);
        planted.lookBack({0, 0});
        planted.copy({0, 0}, kToken, kA);
        planted.lookBack({1, 0});
        planted.copy({1, 0}, kA, kB);
        planted.match({2, 0}, kToken, kB, kTokens);
        const TokenIds ids{7, 5, 1, 2, 3, 4, 5};
        const StreamRun run = planted.run(ids);
        const ScoreQuestion cell{{2, 0}, 6, 3};
        const ScoreParts parts = partsOf(run, cell);
        QVERIFY(parts.weight > 0.99);
        QCOMPARE(parts.difference(), 40.0);
        QCOMPARE(valueOf(parts, HeadSide::Key, {WriterKind::Head, {1, 0}}), 40.0);
        compareTrace(run, cell,
                     {"head 2.0@6: query <- embedding@6", "head 2.0@6: key <- head 1.0@3",
                      "head 1.0@3: value <- head 0.0@2", "head 1.0@3: query <- positions@3",
                      "head 1.0@3: key <- positions@2", "head 0.0@2: value <- embedding@1",
                      "head 0.0@2: query <- positions@2", "head 0.0@2: key <- positions@1"});
        QVERIFY(weightWithout(planted, ids, {0, 0}, cell) < 0.2);
        QVERIFY(weightWithout(planted, ids, {1, 0}, cell) < 0.2);
        QVERIFY(weightWithout(planted, ids, {1, 1}, cell) > 0.99);
    }

    /// The query is written by an earlier head, the key is the token itself.
    void queryComposition() {
        Planted planted(2);
        planted.lookBack({0, 0});
        planted.copy({0, 0}, kToken, kA);
        planted.match({1, 0}, kA, kToken, kTokens);
        const TokenIds ids{4, 1, 2, 3};
        const StreamRun run = planted.run(ids);
        const ScoreQuestion cell{{1, 0}, 3, 2};
        QVERIFY(partsOf(run, cell).weight > 0.99);
        compareTrace(run, cell,
                     {"head 1.0@3: query <- head 0.0@3", "head 1.0@3: key <- embedding@2",
                      "head 0.0@3: value <- embedding@2", "head 0.0@3: query <- positions@3",
                      "head 0.0@3: key <- positions@2"});
        QVERIFY(weightWithout(planted, ids, {0, 0}, cell) < 0.3);
        QVERIFY(weightWithout(planted, ids, {0, 1}, cell) > 0.99);
    }

    /// An MLP writes the token that follows in the alphabet, which the head looks for: the walk
    /// ends at the MLP.
    void throughAnMlp() {
        Planted planted(2);
        planted.spec().mlp = MlpKind::Plain;
        planted.spec().activation = Activation::Relu;
        planted.spec().d_mlp = kTokens;
        for (std::size_t layer = 0; layer < 2; ++layer) {
            MlpWeights& mlp = planted.layer(layer).mlp;
            mlp.W_in = Tensor({kStream, kTokens});
            mlp.W_out = Tensor({kTokens, kStream});
            for (std::size_t i = 0; layer == 0 && i < kTokens; ++i) {
                mlp.W_in.floats()(kToken + i, i) = 1.0f;
                mlp.W_out.floats()(i, kA + (i + 1) % kTokens) = 1.0f;
            }
        }
        planted.match({1, 0}, kToken, kA, kTokens);
        const StreamRun run = planted.run({3, 5, 2, 4});
        const ScoreQuestion cell{{1, 0}, 3, 0};
        const ScoreParts parts = partsOf(run, cell);
        QVERIFY(parts.weight > 0.99);
        QCOMPARE(valueOf(parts, HeadSide::Key, {WriterKind::Mlp, {0, 0}}), 40.0);
        compareTrace(run, cell, {"head 1.0@3: query <- embedding@3", "head 1.0@3: key <- mlp 0@0"});
    }

    /// Two query heads share keys and values; rotary positions turn two dimensions of each head,
    /// and RMSNorms divide. One head of the first layer looks back by its biases alone: 60 ·
    /// cos(distance − 1). Of the second layer only one head asks for what it moved.
    void groupedKeysAndRotary() {
        Planted planted(2, 1);
        ModelSpec& spec = planted.spec();
        spec.norm_placement = NormPlacement::Pre;
        spec.norm = {NormKind::RmsNorm, 1e-6};
        spec.positions = PositionKind::Rotary;
        spec.rotary.d_rotary = 2;
        for (std::size_t layer = 0; layer < 2; ++layer)
            for (NormWeights* norm : {&planted.layer(layer).ln1, &planted.layer(layer).ln2})
                norm->weight = Tensor({kStream}, 1.0f);
        Tensor& b_QKV = planted.layer(0).attn.b_QKV;
        b_QKV(planted.query({0, 0})) = 60.0f * std::cos(1.0f);
        b_QKV(planted.query({0, 0}) + 1) = -60.0f * std::sin(1.0f);
        b_QKV(planted.key({0, 0})) = 1.0f;
        planted.copy({0, 0}, kToken, kA);
        planted.match({1, 0}, kToken, kA, kTokens, 0, 2);
        planted.copy({1, 0}, kToken, kUnread);
        const TokenIds ids{7, 1, 2, 3, 1};
        const StreamRun run = planted.run(ids);
        QVERIFY(run.run().weight({0, 0}, 4, 3) > 0.99f);
        const ScoreQuestion cell{{1, 0}, 4, 2};
        const ScoreParts parts = partsOf(run, cell);
        QVERIFY(parts.weight > 0.99);
        // One-hot at the first norm, so what is moved is √44; behind it token and A make the second
        // norm √((1 + 44) / 44) at either end.
        const double expected = 40.0 * std::sqrt(44.0) / (45.0 / 44.0);
        QVERIFY2(std::abs(parts.score - expected) < 1e-3 * expected,
                 std::to_string(parts.score).c_str());
        compareTrace(run, cell,
                     {"head 1.0@4: query <- embedding@4", "head 1.0@4: key <- head 0.0@2",
                      "head 0.0@2: value <- embedding@1", "head 0.0@2: query <- biases@2",
                      "head 0.0@2: key <- biases@1"});
        QVERIFY(run.run().weight({1, 1}, 4, 2) < 0.3f); // shares the keys and asks for nothing
        QVERIFY(weightWithout(planted, ids, {0, 0}, cell) < 0.3);
    }
};

const headscope::test::TestRegistration<TestPlantedCircuits> registration;

} // namespace test_planted_circuits

#include "test_planted_circuits.moc"
