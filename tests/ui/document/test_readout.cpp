#include "core/engine/engine.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "ui/document/attribution_reading.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_readout {

using namespace headscope;
using namespace headscope::ui;
using headscope::test::loadFixture;
using headscope::test::loadSample;
using headscope::test::require;

namespace {

constexpr const char* kStory = "When Mary and John went to the store, John gave a drink to";

std::shared_ptr<const RunResult> runOf(const std::shared_ptr<const Model>& model,
                                       const std::string& text, const HeadMask& mask = {}) {
    return require(runPrompt({model, text, BosMode::Auto, mask, nullptr}, {}));
}

double logitOf(const RunResult& run, TokenId token) {
    HookSet hooks;
    addAblation(hooks, run.mask, run.full->model->spec);
    Request request;
    request.logit_positions = {run.prompt.ids.size() - 1};
    const auto again = require(runModel(run.full->model, run.prompt.ids, request, hooks));
    return static_cast<double>(again->logits(0u, static_cast<std::size_t>(token)));
}

} // namespace

class TestReadout : public QObject {
    Q_OBJECT

private slots:
    void theMostProbableTokenIsTakenApart() {
        const auto run = runOf(loadSample("gpt2-mini-6l"), kStory);
        QCOMPARE(firstPosition(*run), run->prompt.ids.size() - 1);
        const auto readout = require(readPosition({run, firstPosition(*run), {}, {}}, {}));
        QCOMPARE(readout.predictions.size(), std::size_t{10});
        QCOMPARE(readout.token, run->predictions.front().id);
        const LogitAttribution& attribution = *readout.attribution;
        QVERIFY(std::fabs(attribution.logit - logitOf(*run, readout.token)) < 1e-3);
        QVERIFY(std::fabs(attribution.sum() - attribution.logit) < 1e-3);
        const QString figure = numberText(attribution.logit, 4);
        QCOMPARE(attributionText(*run, attribution),
                 QStringLiteral("Logit of %1 at %2 ·to: %3. Its parts add up to %4.")
                     .arg(tokenText(*run->full->model, readout.token))
                     .arg(run->prompt.ids.size() - 1)
                     .arg(figure, numberText(attribution.sum(), 4)));
    }

    void theMaskIsFollowed() {
        const auto model = loadSample("gpt2-mini-6l");
        HeadMask mask;
        mask.set({4, 1}, AblationKind::Zero);
        const auto whole = runOf(model, kStory);
        const auto run = runOf(model, kStory, mask);
        const TokenId token = whole->predictions.front().id;
        const std::size_t last = firstPosition(*run);
        const auto readout = require(readPosition({run, last, token, {}}, {}));
        QCOMPARE(readout.attribution->of({4, 1}), 0.0);
        QVERIFY(std::fabs(readout.attribution->logit - logitOf(*run, token)) < 1e-3);
        QVERIFY(std::fabs(readout.attribution->logit - logitOf(*whole, token)) > 1e-3);
        const auto lens = require(readLens(*run, token, {}, {}));
        QVERIFY(std::fabs(static_cast<double>(lens.at(6, last).top.front().logit) -
                          logitOf(*run, lens.at(6, last).top.front().id)) < 1e-3);
    }

    void strongestPartsComeFirst() {
        const auto run = runOf(loadSample("llama-mini-gqa-4l"), "The cat sat on the");
        const auto readout = require(readPosition({run, 3, {}, TokenId{7}}, {}));
        const auto parts = strongestParts(*readout.attribution);
        QCOMPARE(parts.size(), readout.attribution->parts.size());
        QVERIFY(std::ranges::is_sorted(parts, [](const LogitPart& a, const LogitPart& b) {
            return std::fabs(a.value) > std::fabs(b.value);
        }));
        QVERIFY(attributionText(*run, *readout.attribution).contains(QStringLiteral(" minus ")));
    }

    void partsHaveNames() {
        QCOMPARE(partName({LogitPartKind::Head, {4, 1}, 0.0}), QStringLiteral("head L4 H1"));
        QCOMPARE(partName({LogitPartKind::Mlp, {2, 0}, 0.0}), QStringLiteral("MLP of layer 2"));
        QCOMPARE(partName({LogitPartKind::Embedding, {}, 0.0}), QStringLiteral("embedding"));
        const auto run = runOf(loadSample("induction-circuit"), "A B C D A B C");
        const auto readout = require(readPosition({run, run->prompt.ids.size() - 1, {}, {}}, {}));
        const LogitPart part{LogitPartKind::Head, {1, 0}, readout.attribution->of({1, 0})};
        const auto row = partRow(*run, *readout.attribution, part);
        QCOMPARE(row.size(), partColumns().size());
        const std::size_t source = run->prompt.ids.size() - 4; // D after the earlier C
        QVERIFY2(row[2].toString().startsWith(QStringLiteral("%1 %2").arg(source).arg(
                     run->shown_pieces[static_cast<qsizetype>(source)])),
                 qPrintable(row[2].toString()));
    }

    void whatCannotBeTakenApartSaysWhy() {
        const auto bert = runOf(loadSample("bert-mini-4l"), "The cat sat on the [MASK]");
        const auto readout = require(readPosition({bert, firstPosition(*bert), {}, {}}, {}));
        QVERIFY(!readout.attribution);
        QVERIFY(readout.attribution.error().message.find("masked-LM") != std::string::npos);
        const auto notebook = runOf(loadSample("notebook"), "I like transformers");
        const auto nothing = readPosition({notebook, 0, {}, {}}, {});
        QVERIFY(!nothing);
        QVERIFY(nothing.error().message.find("no unembedding") != std::string::npos);
    }

    void tokensAreTyped() {
        const auto model = loadSample("gpt2-mini-6l");
        const TokenId mary = require(tokenOf(*model, QStringLiteral("·Mary")));
        QCOMPARE(mary, require(tokenOf(*model, QStringLiteral(" Mary"))));
        QCOMPARE(tokenText(*model, mary), QStringLiteral("·Mary"));
        QVERIFY(!tokenOf(*model, QStringLiteral("·Mary·and")));
        const auto bare = loadFixture("gpt2");
        QCOMPARE(require(tokenOf(*bare, QStringLiteral("7"))), TokenId{7});
        QVERIFY(!tokenOf(*bare, QStringLiteral("123456789")));
        QVERIFY(!tokenOf(*bare, QStringLiteral("Mary")));
    }
};

const headscope::test::TestRegistration<TestReadout> registration;

} // namespace test_readout

#include "test_readout.moc"
