// Path patching against plain runs with hooks, and on a circuit that is known exactly.

#include "core/engine/engine.h"
#include "core/interventions/path_patching.h"
#include "tests/interventions/slow_metric.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_path_patching {

using namespace headscope;
using namespace headscope::test;

namespace {

const TokenIds original_ids{5, 17, 3, 42, 5, 17, 9, 30};
const TokenIds other_ids{8, 17, 60, 42, 5, 21, 9, 30};

HookPoint pointOf(const Receiver& receiver) {
    const HookKind kind = receiver.input == AttentionInput::Q   ? HookKind::Q
                          : receiver.input == AttentionInput::K ? HookKind::K
                                                                : HookKind::V;
    return {kind, receiver.head.layer};
}

std::shared_ptr<const Run> keepAll(const std::shared_ptr<const Model>& model, const TokenIds& ids) {
    HookSet hooks;
    hooks.capture("*hook_z");
    return require(runModel(model, ids, {}, hooks));
}

void copyHead(const Tensor& from, std::size_t head, const MutableTensorView& to) {
    for (std::size_t position = 0; position < to.shape[0]; ++position)
        for (std::size_t d = 0; d < to.shape[2]; ++d)
            to(position, head, d) = from(position, head, d);
}

/// The logits after a path was patched, by two whole runs.
Tensor slowLogits(const std::shared_ptr<const Model>& model, LayerHead sender,
                  const std::vector<Receiver>& receivers) {
    const ModelSpec& spec = model->spec;
    const auto original = keepAll(model, original_ids);
    const auto other = keepAll(model, other_ids);
    HookSet sending;
    sending.edit("*hook_z", [&](HookPoint point, MutableTensorView z) {
        for (std::size_t head = 0; head < spec.n_heads; ++head) {
            const bool speaks = LayerHead{point.layer, head} == sender;
            copyHead((speaks ? other : original)->captured.at(point), head, z);
        }
    });
    for (const Receiver& receiver : receivers)
        sending.capture(pointOf(receiver));
    const auto sent = require(runModel(model, original_ids, {}, sending));
    if (receivers.empty())
        return sent->logits;
    HookSet receiving;
    for (const Receiver& receiver : receivers) {
        const HookPoint point = pointOf(receiver);
        const std::size_t head =
            receiver.input == AttentionInput::Q ? receiver.head.head : spec.kvPlace(receiver.head);
        receiving.edit(point, [&sent, point, head](HookPoint, MutableTensorView value) {
            copyHead(sent->captured.at(point), head, value);
        });
    }
    return require(runModel(model, original_ids, {}, receiving))->logits;
}

std::vector<Receiver> receiversOf(const std::string& text, const ModelSpec& spec) {
    std::vector<Receiver> receivers;
    for (std::size_t begin = 0; begin < text.size(); begin += 6)
        receivers.push_back(require(parseReceiver(text.substr(begin, 5), spec)));
    return receivers;
}

PathQuestion letters() {
    // <BOS> a b c d a b c, and another letter before the d.
    PathQuestion question;
    question.original = {0, 1, 2, 3, 4, 1, 2, 3};
    question.other = {0, 1, 2, 7, 4, 1, 2, 3};
    question.metric.kind = MetricKind::LogitDifference;
    question.metric.token = 4;
    question.metric.other = 5;
    return question;
}

std::string messageOf(const std::shared_ptr<const Model>& model, const PathQuestion& question) {
    const auto result = patchPaths(model, question);
    return result ? std::string() : result.error().message;
}

} // namespace

class TestPathPatching : public QObject {
    Q_OBJECT

private slots:
    void isWhatPlainHooksGive_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<bool>("sample");
        QTest::addColumn<QString>("receivers");
        const auto add = [](const char* model, bool sample, const char* receivers) {
            QTest::addRow("%s to %s", model, receivers)
                << QString::fromLatin1(model) << sample << QString::fromLatin1(receivers);
        };
        for (const char* receivers : {"1.3:k", "1.4:q", "1.3:v", "1.3:k 1.4:k", ""})
            add("attn-only-2l", true, receivers);
        for (const char* model : {"olmo2", "gptj"}) // of two layers
            for (const char* receivers : {"1.1:q", "1.3:v", ""})
                add(model, false, receivers);
        for (const char* model : {"gpt2", "llama-gqa", "gemma2", "bert"})
            for (const char* receivers : {"2.1:q", "2.0:k", "1.3:v", "1.2:q 2.1:v 2.3:k", ""})
                add(model, false, receivers);
    }
    void isWhatPlainHooksGive() {
        QFETCH(QString, model);
        QFETCH(bool, sample);
        QFETCH(QString, receivers);
        const std::string name = model.toStdString();
        const auto network = sample ? loadSample(name) : loadFixture(name);
        PathQuestion question;
        question.original = original_ids;
        question.other = other_ids;
        question.receivers = receiversOf(receivers.toStdString(), network->spec);
        question.metric = someMetric(MetricKind::LogitDifference, network->spec);
        const PathResult result = require(patchPaths(network, question));
        QVERIFY(!result.values.empty());
        for (std::size_t i = 0; i < result.values.size(); ++i) {
            const double expected =
                slowMetric(question.metric, original_ids,
                           slowLogits(network, result.question.senders[i], question.receivers), {});
            QVERIFY2(agree(result.values[i], expected),
                     qPrintable(QStringLiteral("sender %1: %2, expected %3")
                                    .arg(i)
                                    .arg(result.values[i])
                                    .arg(expected)));
        }
    }

    void previousTokenHeadFeedsInductionThroughKeys() {
        const auto model = loadSample("induction-circuit");
        PathQuestion question = letters();
        question.receivers = receiversOf("1.0:k", model->spec);
        const PathResult one = require(patchPaths(model, question));
        QCOMPARE(one.values.size(), std::size_t{4});
        // 1.3 does the same as 1.0, so only a part of the difference is lost with one of them.
        QVERIFY(one.values[0] < one.original - 1.0);
        QVERIFY(one.values[0] > one.other + 1.0);
        for (const std::size_t sender : {1u, 2u, 3u})
            QVERIFY(agree(one.values[sender], one.original));

        question.receivers = receiversOf("1.0:k 1.3:k", model->spec);
        const PathResult both = require(patchPaths(model, question));
        QVERIFY(std::abs(both.values[0] - both.other) < 1e-3);
        QVERIFY(std::abs(both.normalised(0) - 1.0) < 1e-3);
    }

    void otherPathsOfTheCircuitCarryNothing_data() {
        QTest::addColumn<QString>("receivers");
        for (const char* receivers : {"1.0:q", "1.0:v", "1.1:k", "1.2:k", ""})
            QTest::newRow(receivers) << QString::fromLatin1(receivers);
    }
    void otherPathsOfTheCircuitCarryNothing() {
        QFETCH(QString, receivers);
        const auto model = loadSample("induction-circuit");
        PathQuestion question = letters();
        question.receivers = receiversOf(receivers.toStdString(), model->spec);
        question.senders = {{0, 0}};
        const PathResult result = require(patchPaths(model, question));
        QCOMPARE(result.question.senders, question.senders);
        QVERIFY(agree(result.values[0], result.original));
    }

    void sendersByDefaultComeBeforeAllReceivers() {
        const auto model = loadFixture("gpt2");
        PathQuestion question;
        question.original = original_ids;
        question.other = other_ids;
        question.receivers = receiversOf("2.0:q 1.0:k", model->spec);
        QCOMPARE(require(patchPaths(model, question)).question.senders.size(), std::size_t{4});
        question.receivers.clear();
        QCOMPARE(require(patchPaths(model, question)).question.senders.size(), std::size_t{12});
    }

    void samePromptsHaveNothingToShare() {
        PathQuestion question = letters();
        question.other = question.original;
        const PathResult result = require(patchPaths(loadSample("induction-circuit"), question));
        QVERIFY(std::isnan(result.normalised(0)));
        QCOMPARE(result.note(),
                 std::string("Both prompts give the same logit-diff, so there is no difference to "
                             "share out and no normalised value."));
    }

    void receiversAreReadBack() {
        const ModelSpec spec = loadFixture("gpt2")->spec;
        for (const char* text : {"0.0:q", "2.3:k", "1.2:v"})
            QCOMPARE(receiverText(require(parseReceiver(text, spec))), std::string(text));
        for (const char* text : {"0.0", "0.0:", "0.0:x", "0.0:qk", ":q"})
            QVERIFY(!parseReceiver(text, spec));
        QCOMPARE(parseReceiver("0.0:o", spec).error().message,
                 std::string("\"0.0:o\" is no receiver; write LAYER.HEAD:q, :k or :v, such as "
                             "5.3:q, or logits."));
    }

    void listsOfSendersAndReceivers() {
        const ModelSpec spec = loadFixture("gpt2")->spec;
        QVERIFY(require(parseReceivers("logits", spec)).empty());
        QVERIFY(!parseReceivers("zebra", spec) && !parseReceivers("", spec));
        QCOMPARE(require(parseSenders("1.1,0.2,1.1", spec)),
                 (std::vector<LayerHead>{{0, 2}, {1, 1}}));
        QVERIFY(require(parseSenders("all", spec)).empty());
        QCOMPARE(receiversText(require(parseReceivers("1.0:k,1.3:v", spec))),
                 std::string("1.0:k 1.3:v"));
        QVERIFY(require(parseReceivers("logits", spec)).empty());
        // None at all would mean all of them, or the logits.
        QCOMPARE(parseSenders("", spec).error().message,
                 std::string("No sender is named; write heads such as 0.1,0.2, or all."));
        QVERIFY(!parseReceivers("", spec));
        QVERIFY(!parseReceivers("1.0:k,logits", spec));
    }

    void refuses() {
        const auto model = loadFixture("gpt2");
        PathQuestion question;
        question.original = original_ids;
        question.other = other_ids;
        question.receivers = {{{1, 0}, AttentionInput::Q}};
        question.senders = {{1, 1}};
        QCOMPARE(messageOf(model, question),
                 std::string("Head 1.1 cannot send to layer 1; senders must be in earlier layers "
                             "than all receivers."));
        question.senders = {{0, 9}};
        QCOMPARE(messageOf(model, question),
                 std::string("There is no head 0.9: this network has layers 0 to 2 and heads 0 to "
                             "3."));
        question.senders.clear();
        question.receivers = {{{0, 0}, AttentionInput::K}};
        QCOMPARE(messageOf(model, question),
                 std::string("Nothing can be sent to heads of layer 0, for no head comes before "
                             "them."));
        question.receivers.clear();
        question.other.pop_back();
        QCOMPARE(messageOf(model, question),
                 std::string("The original prompt has 8 tokens and the other one has 7; give two "
                             "of the same length."));
    }
};

const headscope::test::TestRegistration<TestPathPatching> registration;

} // namespace test_path_patching

#include "test_path_patching.moc"
