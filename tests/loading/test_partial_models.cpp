#include "core/circuits/composition.h"
#include "core/circuits/copying.h"
#include "core/circuits/ov_directions.h"
#include "core/circuits/tables.h"
#include "core/engine/engine.h"
#include "core/model/model.h"
#include "tests/support/model_variant.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_partial_models {

using namespace headscope;
using namespace headscope::test;

namespace {

/// The model as its base class stores it: without the prefix of its names and without a head.
ModelVariant baseModel(const std::string& fixture, const std::string& prefix) {
    ModelVariant variant(fixture);
    std::erase_if(variant.tensors,
                  [&](const FileTensor& tensor) { return !tensor.name.starts_with(prefix); });
    for (FileTensor& tensor : variant.tensors)
        tensor.name.erase(0, prefix.size());
    return variant;
}

} // namespace

/// Files that hold a part of their model.
class TestPartialModels : public QObject {
    Q_OBJECT

private slots:
    void baseModelsHavePatterns_data();
    void baseModelsHavePatterns();
    void baseModelsEndWithTheirFinalNorm_data();
    void baseModelsEndWithTheirFinalNorm();
    void rewardModel();
    void untiedWithoutHead();
    void gpt2WithoutItsEmbedding();
    void halfAnMlp();
    void withoutItsFinalNorm();
    void directionsWithoutVocabulary_data();
    void directionsWithoutVocabulary();
};

void TestPartialModels::baseModelsHavePatterns_data() {
    QTest::addColumn<QString>("fixture");
    QTest::addColumn<QString>("prefix");
    for (const char* name : {"llama", "mistral-window", "qwen2", "phi"})
        QTest::newRow(name) << QString::fromLatin1(name) << QStringLiteral("model.");
    QTest::newRow("gptj") << QStringLiteral("gptj") << QStringLiteral("transformer.");
    QTest::newRow("gpt_neox") << QStringLiteral("gpt_neox") << QStringLiteral("gpt_neox.");
}

void TestPartialModels::baseModelsHavePatterns() {
    QFETCH(QString, fixture);
    QFETCH(QString, prefix);
    const auto model = baseModel(fixture.toStdString(), prefix.toStdString()).loaded();
    QCOMPARE(model->spec.output, OutputHead::None);
    QVERIFY(model->spec.cannot_run.empty());
    const std::string note = model->report.notes.front();
    QVERIFY2(note.find("a base model, which has patterns and circuits but no logits") !=
                 std::string::npos,
             note.c_str());
    const ReferenceFile reference(fixtureReference(fixture.toStdString()));
    const auto run = require(runModel(model, reference.ids("input_ids")));
    QVERIFY(run->logits.empty());
    const Tensor expected = reference.floats("attentions");
    const Tensor pattern = run->pattern({1, 2});
    for (std::size_t q = 0; q < run->positions(); ++q)
        for (std::size_t k = 0; k <= q; ++k)
            QVERIFY(std::abs(pattern(q, k) - expected(1, 2, q, k)) <= 1e-5);
}

void TestPartialModels::baseModelsEndWithTheirFinalNorm_data() {
    baseModelsHavePatterns_data();
}

/// What sentence embeddings are made of.
void TestPartialModels::baseModelsEndWithTheirFinalNorm() {
    QFETCH(QString, fixture);
    QFETCH(QString, prefix);
    const auto whole = loadFixture(fixture.toStdString());
    const auto base = baseModel(fixture.toStdString(), prefix.toStdString()).loaded();
    const TokenIds ids = someIds(base->spec, 9);
    HookSet hooks;
    hooks.capture("ln_final.hook_out");
    Request request;
    request.logits = true;
    const auto expected = require(runModel(whole, ids, request, hooks));
    const auto found = require(runModel(base, ids, {}, hooks));
    const HookPoint end{HookKind::LnFinalOut, 0};
    QVERIFY(
        std::ranges::equal(found->captured.at(end).values(), expected->captured.at(end).values()));
    Request part;
    part.layers = 1;
    QVERIFY(!runModel(base, ids, part, hooks));
}

void TestPartialModels::rewardModel() {
    ModelVariant variant("llama");
    variant.remove("lm_head.weight");
    variant.add("score.weight", {1, 48});
    const auto model = variant.loaded();
    QCOMPARE(model->spec.output, OutputHead::None);
    QCOMPARE(model->report.ignored.front().tensor, "score.weight");
}

void TestPartialModels::untiedWithoutHead() {
    ModelVariant variant("gpt2");
    variant.config["tie_word_embeddings"] = false;
    const auto model = variant.loaded();
    QCOMPARE(model->report.notes.front(),
             "gpt2.h5 lacks the tensor 'lm_head.weight', expected [d_vocab, d_model] = [97, 48] by "
             "the config, so it is open as a base model, which has patterns and circuits but no "
             "logits.");
    QCOMPARE(model->report.missing.size(), std::size_t{1});
    QCOMPARE(model->report.missing.front().tensor, "lm_head.weight");
    QCOMPARE(model->report.missing.front().expected, "[d_vocab, d_model] = [97, 48]");
    const auto copying = copyingScores(foldWeights(model));
    QVERIFY(!copying);
    QCOMPARE(copying.error().message,
             "This model has no unembedding, so its heads have no full OV circuit.");
}

/// What the weights of attention say does not need it.
void TestPartialModels::gpt2WithoutItsEmbedding() {
    ModelVariant variant("gpt2");
    variant.remove("transformer.wte.weight");
    variant.remove("transformer.ln_f.bias");
    const auto model = variant.loaded();
    const std::string expected =
        "gpt2.h5 lacks the tensor 'transformer.wte.weight', expected [d_vocab, d_model] = [97, 48] "
        "by the config, and 1 more, so only its attention is open, as weights; export the whole "
        "model to run it.";
    QCOMPARE(model->spec.cannot_run, expected);
    QVERIFY(std::ranges::find(model->report.notes, expected) == model->report.notes.end());
    QCOMPARE(model->report.missing.size(), std::size_t{2}); // the one that is not named, too
    QCOMPARE(model->report.missing.back().tensor, "transformer.ln_f.bias");
    QCOMPARE(model->spec.output, OutputHead::None);
    QCOMPARE(runModel(model, {1, 2}).error().message, expected);

    const auto found = require(compositionScores(foldWeights(model), std::nullopt));
    const auto whole = require(compositionScores(foldWeights(loadUnchanged("gpt2")), std::nullopt));
    for (std::size_t kind = 0; kind < found.scores.size(); ++kind)
        for (std::size_t row = 0; row < found.scores[kind].dim(0); ++row)
            for (std::size_t col = 0; col < found.scores[kind].dim(1); ++col)
                if (!std::isnan(whole.scores[kind](row, col)))
                    QVERIFY(std::abs(found.scores[kind](row, col) - whole.scores[kind](row, col)) <=
                            1e-5f);
    QVERIFY(!copyingScores(foldWeights(model)));
}

void TestPartialModels::halfAnMlp() {
    ModelVariant variant("llama");
    variant.remove("model.layers.1.mlp.up_proj.weight");
    const auto model = variant.loaded();
    QVERIFY(!model->spec.cannot_run.empty());
    QCOMPARE(model->spec.output, OutputHead::Unembed);
    QVERIFY(copyingScores(foldWeights(model)));
}

/// Patterns do not need it.
void TestPartialModels::withoutItsFinalNorm() {
    const auto model = without("gpt2", "transformer.ln_f.").loaded();
    const auto whole = loadUnchanged("gpt2");
    QVERIFY(model->spec.cannot_run.empty());
    QCOMPARE(model->spec.output, OutputHead::None);
    QCOMPARE(model->report.notes.front(),
             "gpt2.h5 lacks the tensor 'transformer.ln_f.weight', expected [d_model] = [48] by the "
             "config, and 1 more, so a run ends before the final norm, with patterns and circuits "
             "but no logits; export the whole model to have them.");
    const TokenIds ids = someIds(model->spec, 9);
    const auto run = require(runModel(model, ids));
    QVERIFY(run->logits.empty());
    const auto expected = require(runModel(whole, ids));
    for (const LayerHead head : whole->spec.allHeads())
        QVERIFY(std::ranges::equal(run->pattern(head).values(), expected->pattern(head).values()));
    HookSet hooks;
    hooks.capture("ln_final.hook_out");
    QVERIFY(!runModel(model, ids, {}, hooks));
    QVERIFY(std::ranges::equal(foldWeights(model).outputWeights({2, 1}).values(),
                               foldWeights(whole).outputWeights({2, 1}).values()));
}

void TestPartialModels::directionsWithoutVocabulary_data() {
    QTest::addColumn<QString>("fixture");
    QTest::addColumn<QString>("missing");
    QTest::addColumn<QString>("gap");
    QTest::newRow("tied") << "gpt2"
                          << "wte.weight"
                          << "embedding and no unembedding";
    QTest::newRow("embedding") << "llama"
                               << "embed_tokens.weight"
                               << "embedding";
    QTest::newRow("final norm") << "gpt2"
                                << "ln_f."
                                << "final norm";
    QTest::newRow("unembedding") << "llama"
                                 << "lm_head.weight"
                                 << "unembedding";
}

/// What directions there are needs no tokens.
void TestPartialModels::directionsWithoutVocabulary() {
    QFETCH(QString, fixture);
    QFETCH(QString, missing);
    QFETCH(QString, gap);
    const FoldedWeights weights =
        foldWeights(without(fixture.toStdString(), missing.toStdString()).loaded());
    const auto whole =
        require(ovDirections(foldWeights(loadUnchanged(fixture.toStdString())), {1, 1}, 3, 4));
    const auto found = require(ovDirections(weights, {1, 1}, 3, 4));
    const bool reads = !gap.startsWith(QLatin1String("embedding"));
    const bool writes = gap == QLatin1String("embedding");
    for (std::size_t i = 0; i < whole.size(); ++i) {
        QVERIFY(std::abs(found[i].singular_value - whole[i].singular_value) <= 1e-6);
        QCOMPARE(found[i].reads.size(), reads ? std::size_t{4} : std::size_t{0});
        QCOMPARE(found[i].writes.size(), writes ? std::size_t{4} : std::size_t{0});
        if (reads)
            QCOMPARE(found[i].reads.front().token, whole[i].reads.front().token);
    }
    QCOMPARE(weights.vocabularyGap(), gap.toStdString());
    const HeadDirections of{*weights.model, {1, 1}, found, weights.vocabularyGap()};
    QVERIFY(directionGrid(of, {}).caption.find("The model has no " + gap.toStdString() + " to") !=
            std::string::npos);
    const std::size_t sides = reads || writes ? 5 : 2;
    QCOMPARE(directionTable(of, {}).rows.size(), 3 * sides);
    QCOMPARE(copyingScores(weights).error().message,
             "This model has no " + gap.toStdString() + ", so its heads have no full OV circuit.");
}

const headscope::test::TestRegistration<TestPartialModels> registration;

} // namespace test_partial_models

#include "test_partial_models.moc"
