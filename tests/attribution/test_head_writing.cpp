// What heads write into all logits at once, against the attribution of single ones.

#include "core/attribution/head_writing.h"
#include "core/attribution/logit_attribution.h"
#include "core/model/prompt.h"
#include "core/model/random_model.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace test_head_writing {

using namespace headscope;
using namespace headscope::test;

namespace {} // namespace

class TestHeadWriting : public QObject {
    Q_OBJECT

private slots:
    void isWhatAttributionGivesTheHead_data() {
        QTest::addColumn<std::shared_ptr<const Model>>("model");
        for (const auto& names : {fixtureNames(), variantNames()})
            for (const std::string& name : names)
                if (const auto model = loadFixture(name); model->spec.output == OutputHead::Unembed)
                    QTest::newRow(name.c_str()) << model;
        QTest::newRow("post-norm") << postNormModel(false);
        QTest::newRow("post-norm, parallel") << postNormModel(true);
    }
    void isWhatAttributionGivesTheHead() {
        QFETCH(std::shared_ptr<const Model>, model);
        const ModelSpec& spec = model->spec;
        const TokenIds ids = someIds(spec, 9);
        const std::size_t position = ids.size() - 1;
        HeadMask ablated;
        ablated.set(spec.allHeads().back(), AblationKind::Mean);
        const auto writing = require(HeadWriting::read(model, {ids, spec.allHeads(), ablated}));
        const auto token = static_cast<TokenId>(std::min<std::size_t>(3, spec.outputs() - 1));
        const auto expected =
            require(attributeLogit(model, {ids, position, token, std::nullopt, ablated}));
        double largest = 1e-3;
        for (const LayerHead head : spec.allHeads())
            largest = std::max(largest, std::abs(expected.of(head)));
        for (std::size_t i = 0; i < spec.allHeads().size(); ++i) {
            const auto logits = writing.logits(i, position);
            QCOMPARE(logits.size(), spec.outputs());
            const double found = static_cast<double>(logits[static_cast<std::size_t>(token)]);
            const double wanted = expected.of(spec.allHeads()[i]);
            QVERIFY2(std::abs(found - wanted) < 1e-4 * largest,
                     qPrintable(QStringLiteral("%1 is not %2").arg(found).arg(wanted)));
        }
    }

    /// The head that moves names raises the name that is due, most of all tokens.
    void namesTheStrongestTokens() {
        const auto model = loadSample("gpt2-mini-6l");
        const auto prompt =
            require(promptFromText(*model,
                                   "When Mary and John went to the store, John gave a "
                                   "drink to",
                                   BosMode::Auto));
        const auto writing = require(HeadWriting::read(model, {prompt.ids, {{4, 1}}}));
        const std::size_t last = prompt.ids.size() - 1;
        const HeadWrites writes = writing.strongest(0, last, 3);
        QCOMPARE(writes.raised.size(), 3u);
        QCOMPARE(tokenPiece(*model, writes.raised.front().id), std::string(" Mary"));
        QVERIFY(writes.raised[0].change > writes.raised[1].change);
        QVERIFY(writes.lowered[0].change < writes.lowered[1].change);
        QVERIFY(writes.lowered[0].change < 0.0f);
        const auto logits = writing.logits(0, last);
        const double mean =
            std::accumulate(logits.begin(), logits.end(), 0.0) / static_cast<double>(logits.size());
        const auto id = static_cast<std::size_t>(writes.raised.front().id);
        QVERIFY(std::abs(static_cast<double>(logits[id]) - mean -
                         static_cast<double>(writes.raised.front().change)) < 1e-4);
    }

    void anAblatedHeadWritesNothing() {
        const auto model = loadSample("gpt2-mini-6l");
        WritingQuestion question{{0, 5, 9}, {{4, 1}}};
        question.ablated.set({4, 1}, AblationKind::Zero);
        const HeadWrites writes = require(HeadWriting::read(model, question)).strongest(0, 2, 5);
        QVERIFY(writes.raised.empty());
        QVERIFY(writes.lowered.empty());
    }

    void refusals() {
        const auto bert = HeadWriting::read(loadFixture("bert"), {{1, 2}, {{0, 0}}});
        QVERIFY(bert.error().message.find("not linear") != std::string::npos);
        const auto nothing = HeadWriting::read(loadSample("notebook"), {{0, 1}, {{0, 0}}});
        QVERIFY(nothing.error().message.find("no unembedding") != std::string::npos);
        const auto gpt2 = loadFixture("gpt2");
        QVERIFY(HeadWriting::read(gpt2, {{1, 2}, {{99, 0}}}).error().message.find("no head 99.0") !=
                std::string::npos);
    }
};

const headscope::test::TestRegistration<TestHeadWriting> registration;

} // namespace test_head_writing

#include "test_head_writing.moc"
