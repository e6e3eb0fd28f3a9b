#include "core/engine/engine.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <limits>

namespace test_engine_errors {

using namespace headscope;
using namespace headscope::test;

namespace {

QString messageOf(const Result<std::shared_ptr<const Run>>& result) {
    return result ? QStringLiteral("no error") : QString::fromStdString(result.error().message);
}

} // namespace

class TestEngineErrors : public QObject {
    Q_OBJECT

private slots:
    void emptyPrompt();
    void promptBeyondTheContext();
    void idsOutsideTheVocabulary();
    void tooManyLayers();
    void shortestAndLongestPrompts();
    void stopRequest();
    void notFinite();
};

void TestEngineErrors::emptyPrompt() {
    QCOMPARE(messageOf(runModel(loadFixture("gpt2"), {})),
             QStringLiteral("The prompt has no tokens; type at least one token to run gpt2."));
}

void TestEngineErrors::promptBeyondTheContext() {
    QCOMPARE(messageOf(runModel(loadFixture("gpt2"), TokenIds(65, 1))),
             QStringLiteral("The prompt has 65 tokens but gpt2 was built for 64; shorten it."));
}

void TestEngineErrors::idsOutsideTheVocabulary() {
    const auto model = loadFixture("gpt2");
    QCOMPARE(messageOf(runModel(model, {1, 97, 2})),
             QStringLiteral("Token id 97 at position 1 is outside the vocabulary of gpt2, which "
                            "has ids 0 to 96."));
    QVERIFY(messageOf(runModel(model, {-1})).startsWith(QStringLiteral("Token id -1 at")));
}

void TestEngineErrors::tooManyLayers() {
    Request request;
    request.layers = 4;
    QCOMPARE(messageOf(runModel(loadFixture("gpt2"), {1}, request)),
             QStringLiteral("A run of 4 layers was asked for, but gpt2 has 3."));
}

void TestEngineErrors::shortestAndLongestPrompts() {
    const auto model = loadFixture("gpt2");
    const auto one = require(runModel(model, {3}));
    QCOMPARE(one->weight({2, 3}, 0, 0), 1.0f);
    QVERIFY(runModel(model, TokenIds(64, 5)));
}

void TestEngineErrors::stopRequest() {
    std::stop_source stop;
    stop.request_stop();
    const auto result = runModel(loadFixture("gpt2"), {1, 2}, {}, {}, stop.get_token());
    QVERIFY(!result);
    QCOMPARE(result.error().code, ErrorCode::Cancelled);
}

void TestEngineErrors::notFinite() {
    HookSet hooks;
    hooks.edit("blocks.1.attn.hook_z", [](HookPoint, MutableTensorView z) {
        z(1, 0, 0) = std::numeric_limits<float>::quiet_NaN();
    });
    QCOMPARE(
        messageOf(runModel(loadFixture("gpt2"), {1, 2, 3}, {}, hooks)),
        QStringLiteral("The run is not finite: 'blocks.1.attn.hook_z' holds NaN or infinity at "
                       "position 1; the weights, or an edit made by a hook, overflow "
                       "there."));
}

const headscope::test::TestRegistration<TestEngineErrors> registration;

} // namespace test_engine_errors

#include "test_engine_errors.moc"
