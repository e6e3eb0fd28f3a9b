// Scores taken apart: what the parts add up to in every family, against the engine's scores and the
// float64 reference, and single parts against a walk the other way.

#include "core/attribution/score_parts.h"
#include "core/attribution/score_signals.h"
#include "core/attribution/score_trace.h"
#include "core/engine/attention.h"
#include "core/engine/block_plan.h"
#include "core/engine/engine.h"
#include "core/model/random_model.h"
#include "tests/support/models.h"
#include "tests/support/reference_engine.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace test_score_parts {

using namespace headscope;
using namespace headscope::test;

namespace {

bool near(double found, double expected, double tolerance) {
    return std::abs(found - expected) <= tolerance;
}
/// Queries and keys normalised by LayerNorms, which no fixture has over all heads at once.
std::shared_ptr<const Model> layerNormedKeys(QkNorm norm) {
    ModelSpec spec = loadFixture("gpt2")->spec;
    spec.qk_norm = norm;
    return headscope::randomModel(spec, 4);
}

void addModels() {
    QTest::addColumn<std::shared_ptr<const Model>>("model");
    for (const auto& names : {fixtureNames(), variantNames()})
        for (const std::string& name : names)
            QTest::newRow(name.c_str()) << loadFixture(name);
    for (const char* name : {"attn-only-2l", "gpt2-mini-6l", "llama-mini-gqa-4l", "bert-mini-4l"})
        QTest::newRow(name) << loadSample(name);
    QTest::newRow("post-norm") << postNormModel(false, MlpKind::Plain);
    QTest::newRow("post-norm, parallel") << postNormModel(true, MlpKind::Plain);
    QTest::newRow("post-norm, attention only") << postNormModel(false, MlpKind::None);
    QTest::newRow("LayerNorm of each head") << layerNormedKeys(QkNorm::PerHead);
    QTest::newRow("LayerNorm of all heads") << layerNormedKeys(QkNorm::AllHeads);
}

/// The first head, the last, and one between.
std::vector<LayerHead> threeHeads(const ModelSpec& spec) {
    const std::vector<LayerHead> all = spec.allHeads();
    return {all.front(), all[all.size() / 2], all.back()};
}

/// Parts may cancel, along writers as along d_head, so rounding goes with their size.
double sizeOf(const StreamRun& run, const ScoreParts& parts) {
    ScoreQuestion alone = parts.question;
    alone.contrast = ScoreContrast::Nothing;
    const auto larger = [](double largest, double part) {
        return std::max(largest, std::abs(part));
    };
    const std::vector<double> along_d_head = require(scoreDimensions(run, alone)).parts;
    return std::accumulate(
        along_d_head.begin(), along_d_head.end(),
        std::accumulate(parts.values.values.begin(), parts.values.values.end(),
                        std::max(std::abs(parts.score), std::abs(parts.reference)), larger),
        larger);
}

StreamRun streamRun(const std::shared_ptr<const Model>& model, const HeadMask& ablated = {}) {
    return require(StreamRun::read(model, {someIds(model->spec, 10), ablated}));
}

std::string at(const ScoreQuestion& question) {
    return headText(question.head) + " query " + std::to_string(question.query) + " key " +
           std::to_string(question.key);
}

/// y = norm(x) with its scale held, without its bias.
void held(const ModelSpec& spec, const NormWeights& norm, double scale, std::vector<double>& x) {
    if (spec.norm.kind == NormKind::LayerNorm) {
        const double mean =
            std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
        for (double& value : x)
            value -= mean;
    }
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] *= (norm.weight.empty() ? 1.0 : static_cast<double>(norm.weight.values()[i])) / scale;
}

std::vector<double> rowAt(const Tensor& x, std::size_t position) {
    const std::size_t cols = x.size() / x.dim(0);
    return {x.data() + position * cols, x.data() + (position + 1) * cols};
}

std::vector<double> written(const StreamRun& run, LayerHead head, std::size_t position) {
    const ModelSpec& spec = run.spec();
    const Tensor& z = run.at({HookKind::Z, head.layer});
    const Tensor W_O = run.model().weights.layers[head.layer].attn.W_O.widened();
    const std::size_t place = spec.headPlace(head);
    std::vector<double> sum(spec.d_model, 0.0);
    for (std::size_t i = 0; i < spec.valueDim(); ++i)
        for (std::size_t c = 0; c < sum.size(); ++c)
            sum[c] += static_cast<double>(z(position, place, i)) *
                      static_cast<double>(W_O(place * spec.valueDim() + i, c));
    return sum;
}

std::vector<double> projected(const std::vector<double>& x, const Tensor& W) {
    std::vector<double> sum(W.dim(1), 0.0);
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t c = 0; c < sum.size(); ++c)
            sum[c] += x[i] * static_cast<double>(W(i, c));
    return sum;
}

/// What one writer left in the stream that block `depth` reads: from where it writes on through
/// every norm that the stream, or its branch, goes through.
std::vector<double> inStream(const StreamRun& run, StreamWriter writer, std::size_t depth,
                             std::size_t position) {
    const ModelSpec& spec = run.spec();
    const bool head = writer.kind == WriterKind::Head;
    const bool embedded = !head && writer.kind != WriterKind::Mlp;
    std::vector<double> x;
    if (embedded) {
        const HookKind kind = writer.kind == WriterKind::Embedding   ? HookKind::Embed
                              : writer.kind == WriterKind::Positions ? HookKind::PosEmbed
                                                                     : HookKind::TokenTypeEmbed;
        x = rowAt(run.at({kind, 0}), position);
        if (spec.norm_after_embedding)
            held(spec, run.model().weights.ln_embed,
                 run.scale({HookKind::EmbedNormScale, 0}, position), x);
        if (spec.narrow_embedding)
            x = projected(x, run.model().weights.W_project_in.widened());
    } else {
        x = head ? written(run, writer.of, position)
                 : rowAt(run.at({HookKind::MlpOut, writer.of.layer}), position);
    }
    for (std::size_t layer = embedded ? 0 : writer.of.layer; layer < depth; ++layer) {
        const BlockPlan plan = blockPlan(spec, layer);
        const bool here = !embedded && layer == writer.of.layer;
        const Branch branch = head ? Branch::Attention : Branch::Mlp;
        bool in_stream = !here;
        for (const BlockStep& step : plan.steps) {
            in_stream = in_stream || (step.kind == BlockStepKind::Add && step.branch == branch);
            const bool of_branch =
                here && head && step.on == BlockValue::Output && step.branch == Branch::Attention;
            if (step.kind == BlockStepKind::Norm &&
                (of_branch || (in_stream && step.on == BlockValue::Stream)))
                held(spec, run.model().weights.layers[layer].*step.norm,
                     run.scale({step.hooks.front(), layer}, position), x);
        }
    }
    return x;
}

/// Of one token at 30 positions, which have no embedding here.
StreamRun runOfOneToken() {
    Model model = *loadSample("gpt2-mini-6l");
    std::ranges::fill(model.weights.W_pos.floats().values(), 0.0f);
    return require(
        StreamRun::read(std::make_shared<const Model>(std::move(model)), {TokenIds(30, 7)}));
}

} // namespace

class TestScoreParts : public QObject {
    Q_OBJECT

private slots:
    void clippedScoresAreRefused_data();
    /// Where the network clipped what a score is made of, that is said; everywhere else parts add
    /// up.
    void clippedScoresAreRefused();
    void partsAddUpToEveryScore_data() { addModels(); }
    /// Every entry of three heads of each network, as the engine's own hook shows it.
    void partsAddUpToEveryScore() {
        QFETCH(std::shared_ptr<const Model>, model);
        const ModelSpec& spec = model->spec;
        const StreamRun run = streamRun(model);
        HookSet hooks;
        hooks.capture(HookKind::AttnScores);
        const auto scored = require(runModel(model, run.question().ids, {}, hooks));
        for (const LayerHead head : threeHeads(spec)) {
            const Tensor& scores = scored->captured.at({HookKind::AttnScores, head.layer});
            const ScoreRule rule = scoreRule(run.model(), head);
            for (std::size_t q = 0; q < run.positions(); ++q) {
                const PositionRange keys = rule.mask.visibleKeys(q, run.positions());
                for (std::size_t k = keys.begin; k < keys.end; ++k) {
                    const ScoreQuestion question{head, q, k, ScoreContrast::Nothing};
                    const ScoreParts parts = require(takeScoreApart(run, question));
                    const double expected = static_cast<double>(scores(spec.headPlace(head), q, k));
                    const double size = sizeOf(run, parts);
                    QVERIFY2(near(parts.score, expected, 1e-5 * size), at(question).c_str());
                    QVERIFY2(near(parts.sum(), expected, 1e-4 * size), at(question).c_str());
                    QVERIFY(
                        near(parts.weight, static_cast<double>(scored->weight(head, q, k)), 1e-6));
                }
            }
        }
    }

    void differencesAgreeWithTheReference_data() { addModels(); }
    /// Of two keys of one query the difference of scores is ln(weight / weight').
    void differencesAgreeWithTheReference() {
        QFETCH(std::shared_ptr<const Model>, model);
        const ModelSpec& spec = model->spec;
        const StreamRun run = streamRun(model);
        const ReferenceRun reference = referenceRun(*model, run.question().ids);
        for (const LayerHead head : threeHeads(spec)) {
            const Matrix& pattern = reference.patterns[head.layer][spec.headPlace(head)];
            const std::size_t q = run.positions() - 1;
            const PositionRange keys = keyMask(spec, head.layer).visibleKeys(q, run.positions());
            const auto meanOfOthers = [&](std::size_t key) { // of ln weight, the score but for a
                double mean = 0.0;                           // constant
                double others = 0.0;
                for (std::size_t k = keys.begin; k < keys.end; ++k)
                    if (k != key) {
                        mean += pattern(q, k) * std::log(pattern(q, k));
                        others += pattern(q, k);
                    }
                return mean / others;
            };
            for (std::size_t k = keys.begin; k < keys.end; ++k) {
                ScoreQuestion question{head, q, k, ScoreContrast::Key, keys.begin};
                const ScoreParts pair = require(takeScoreApart(run, question));
                QVERIFY2(near(pair.sum(), std::log(pattern(q, k) / pattern(q, keys.begin)),
                              1e-4 * sizeOf(run, pair)),
                         at(question).c_str());
                question.contrast = ScoreContrast::OtherKeys;
                const ScoreParts row = require(takeScoreApart(run, question));
                QVERIFY2(near(row.sum(), std::log(pattern(q, k)) - meanOfOthers(k),
                              1e-4 * sizeOf(run, row)),
                         at(question).c_str());
                QVERIFY(near(row.difference(), row.sum(), 1e-4 * sizeOf(run, row)));
            }
        }
    }

    void eachWriterGivesItsOwnPart_data() { addModels(); }
    /// The readout goes back from the head to the writers; here each goes forward from what it
    /// writes to what the norm before attention gives, apart from the norms of queries and keys.
    void eachWriterGivesItsOwnPart() {
        QFETCH(std::shared_ptr<const Model>, model);
        const ModelSpec& spec = model->spec;
        const StreamRun run = streamRun(model);
        const std::size_t depth = spec.n_layers - 1;
        const std::size_t position = run.positions() / 2;
        Tensor readout({spec.d_model, 3});
        for (std::size_t i = 0; i < readout.size(); ++i)
            readout.values()[i] = std::sin(static_cast<float>(i));
        const StreamParts parts = partsOfStream(run, depth, readout, {position, position + 1});
        QVERIFY(parts.writers == streamWriters(spec, depth));
        for (std::size_t writer = 0; writer + 1 < parts.writers.size(); ++writer) {
            if (parts.writers[writer].kind == WriterKind::Positions &&
                spec.positions == PositionKind::Shortformer)
                continue; // they are no part of the stream
            const std::vector<double> x = inStream(run, parts.writers[writer], depth, position);
            for (std::size_t c = 0; c < 3; ++c) {
                double expected = 0.0;
                double size = 1e-3;
                for (std::size_t i = 0; i < x.size(); ++i) {
                    expected += x[i] * static_cast<double>(readout(i, c));
                    size += std::abs(x[i]);
                }
                QVERIFY2(
                    near(static_cast<double>(parts.at(writer, position)[c]), expected, 1e-5 * size),
                    writerText(parts.writers[writer]).c_str());
            }
        }
    }

    /// The stream itself is the sum of all writers, at every depth.
    void writersAddUpToTheStream_data() { addModels(); }
    void writersAddUpToTheStream() {
        QFETCH(std::shared_ptr<const Model>, model);
        const ModelSpec& spec = model->spec;
        const StreamRun run = streamRun(model);
        const ReferenceRun reference = referenceRun(*model, run.question().ids);
        Tensor identity({spec.d_model, spec.d_model});
        for (std::size_t i = 0; i < spec.d_model; ++i)
            identity(i, i) = 1.0f;
        for (std::size_t depth = 0; depth <= spec.n_layers; ++depth) {
            const StreamParts parts = partsOfStream(run, depth, identity, {0, run.positions()});
            for (std::size_t p = 0; p < run.positions(); ++p)
                for (std::size_t i = 0; i < spec.d_model; ++i) {
                    double sum = 0.0;
                    double size = 1e-2;
                    for (std::size_t writer = 0; writer < parts.writers.size(); ++writer) {
                        const auto part = static_cast<double>(parts.at(writer, p)[i]);
                        sum += part;
                        size += std::abs(part);
                    }
                    QVERIFY(near(sum, reference.residuals[depth](p, i), 1e-5 * size));
                }
        }
    }

    /// One position and many take other ways through the products.
    void onePositionIsAsAmongMany() {
        const auto model = loadSample("gpt2-mini-6l");
        TokenIds ids;
        for (std::size_t i = 0; i < 90; ++i)
            ids.push_back(static_cast<TokenId>((13 * i + 5) % model->spec.d_vocab));
        const StreamRun run = require(StreamRun::read(model, {ids}));
        const StreamParts all = headInputParts(run, {5, 2}, HeadSide::Key, {0, ids.size()});
        const StreamParts one = headInputParts(run, {5, 2}, HeadSide::Key, {70, 71});
        for (std::size_t writer = 0; writer < all.writers.size(); ++writer)
            for (std::size_t i = 0; i < model->spec.d_head; ++i)
                QVERIFY(near(static_cast<double>(one.at(writer, 70)[i]),
                             static_cast<double>(all.at(writer, 70)[i]), 1e-4));
    }

    void sidesAndDimensionsAddUpAlike() {
        const StreamRun run = streamRun(loadSample("llama-mini-gqa-4l"));
        const ScoreQuestion question{{3, 1}, 8, 4, ScoreContrast::OtherKeys};
        const ScoreParts parts = require(takeScoreApart(run, question));
        for (const HeadSide side : {HeadSide::Query, HeadSide::Key}) {
            const std::vector<double> sums = parts.of(side);
            QVERIFY(
                near(std::accumulate(sums.begin(), sums.end(), parts.distance), parts.sum(), 1e-9));
        }
        QVERIFY(near(
            parts.of(HeadSide::Query)[3],
            std::accumulate(&parts.values.values[3 * parts.writers.size()],
                            &parts.values.values[3 * parts.writers.size()] + parts.writers.size(),
                            0.0),
            1e-9));
        const ScoreDimensions dimensions = require(scoreDimensions(run, question));
        QVERIFY(near(std::accumulate(dimensions.parts.begin(), dimensions.parts.end(), 0.0),
                     parts.difference(), 1e-5));
        QCOMPARE(dimensions.parts.size(), run.spec().d_head);
    }

    /// Without positions all keys of one token have one score, up to the rounding of its mean.
    void noShareOfADifferenceThatIsRounding() {
        const StreamRun run = runOfOneToken();
        for (std::size_t query = 1; query < run.positions(); ++query) {
            const ScoreQuestion question{{0, 1}, query, query / 2, ScoreContrast::OtherKeys};
            const ScoreParts parts = require(takeScoreApart(run, question));
            QCOMPARE(parts.difference(), 0.0);
            QVERIFY(std::isnan(parts.share(1.0)));
        }
    }

    void signalsOfADifferenceThatIsRounding() {
        const StreamRun run = runOfOneToken();
        for (std::size_t query = 1; query < run.positions(); ++query)
            QCOMPARE(require(scoreSignals(run, {{0, 1}, query, query / 2})).difference, 0.0);
    }

    void nothingIsTracedBackFromRounding() {
        const StreamRun run = runOfOneToken();
        for (std::size_t query = 1; query < run.positions(); ++query) {
            TraceQuestion question;
            question.root = ScoreQuestion{{0, 1}, query, query / 2};
            QVERIFY(require(traceBack(run, question)).edges.empty());
        }
    }

    /// An ablated head writes nothing, and the sum is still the score.
    void ablatedHeadsWriteNothing() {
        HeadMask ablated;
        ablated.set({1, 3}, AblationKind::Zero);
        const StreamRun run = streamRun(loadSample("gpt2-mini-6l"), ablated);
        const ScoreParts parts =
            require(takeScoreApart(run, {{4, 1}, 9, 3, ScoreContrast::Nothing}));
        const auto writer =
            std::ranges::find(parts.writers, StreamWriter{WriterKind::Head, {1, 3}}) -
            parts.writers.begin();
        QCOMPARE(parts.of(HeadSide::Key)[static_cast<std::size_t>(writer)], 0.0);
        QVERIFY(near(parts.sum(), parts.score, 1e-4 * sizeOf(run, parts)));
        const StreamRun whole = streamRun(loadSample("gpt2-mini-6l"));
        const ScoreParts other =
            require(takeScoreApart(whole, {{4, 1}, 9, 3, ScoreContrast::Nothing}));
        QVERIFY(std::abs(other.score - parts.score) > 1e-4);
    }

    void refusesWhatIsNotThere() {
        const StreamRun run = streamRun(loadSample("gpt2-mini-6l"));
        const auto refusal = [&](const ScoreQuestion& question) {
            return takeScoreApart(run, question).error().message;
        };
        QCOMPARE(refusal({{4, 1}, 3, 7}),
                 std::string("Query 3 of head 4.1 does not see key 7: it sees keys 0 to 3."));
        QCOMPARE(refusal({{4, 1}, 3, 2, ScoreContrast::Key, 5}),
                 std::string("Query 3 of head 4.1 does not see key 5: it sees keys 0 to 3."));
        QCOMPARE(refusal({{4, 1}, 10, 2}),
                 std::string("There is no position 10: the prompt has 10 tokens."));
        QVERIFY(!refusal({{6, 0}, 3, 2}).empty());
        HeadMask mask;
        mask.set({0, 0}, AblationKind::TextMean);
        QVERIFY(!StreamRun::read(loadSample("gpt2-mini-6l"), {{1, 2, 3}, mask}));
    }
};

void TestScoreParts::clippedScoresAreRefused_data() {
    QTest::addColumn<QString>("fixture");
    for (const std::string& name : clippedNames())
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void TestScoreParts::clippedScoresAreRefused() {
    QFETCH(QString, fixture);
    auto model = std::make_shared<Model>(*loadFixture(fixture.toStdString()));
    model->spec.qkv_clip *= 2.0; // so that fewer are clipped
    const StreamRun run = streamRun(model);
    std::size_t refused = 0;
    std::size_t explained = 0;
    for (const LayerHead head : model->spec.allHeads())
        for (std::size_t query = 0; query < run.positions(); ++query) {
            const auto parts = takeScoreApart(run, {head, query, query, ScoreContrast::Nothing});
            if (parts) {
                ++explained;
                QVERIFY(std::abs(parts->sum() - parts->score) < 1e-4 * sizeOf(run, *parts));
                continue;
            }
            ++refused;
            QVERIFY2(parts.error().message.find(" clips its ") != std::string::npos,
                     parts.error().message.c_str());
        }
    QVERIFY2(refused > 0 && explained > 0,
             qPrintable(QStringLiteral("%1 refused, %2 explained").arg(refused).arg(explained)));
    const LayerHead first = model->spec.allHeads().front();
    const auto free = loadFixture("olmo");
    QVERIFY(takeScoreApart(streamRun(free), {first, 3, 1, ScoreContrast::Nothing}));
}

const headscope::test::TestRegistration<TestScoreParts> registration;

} // namespace test_score_parts

#include "test_score_parts.moc"
