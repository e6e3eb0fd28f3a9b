#include "core/engine/engine.h"
#include "core/io/hdf5_writer.h"
#include "core/verify/checks/reference_checks.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/verify/check_access.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace test_reference_checks {

using namespace headscope;
using namespace headscope::test;

namespace {

/// What a file of outputs holds of one prompt of the fixture gpt2.
struct Stored {
    std::vector<std::int32_t> ids{5, 17, 3, 42, 5};
    Shape ids_shape{5};
    Tensor logits;
    Shape logits_shape;
    Tensor pattern; ///< of layer 1
    std::string pattern_path = "blocks/1/attn/hook_pattern";

    Stored() {
        HookSet hooks;
        hooks.capture("blocks.1.attn.hook_pattern");
        const auto run = require(runModel(loadFixture("gpt2"), {5, 17, 3, 42, 5}, {}, hooks));
        logits = run->logits;
        logits_shape = logits.shape();
        pattern = run->captured.at({HookKind::Pattern, 1});
    }

    Result<std::vector<Check>> compare(const std::string& group = "") const {
        const QTemporaryDir folder;
        const auto path = folder.path().toStdString() + "/outputs.h5";
        const std::vector<Hdf5Array> arrays{
            {group + "input_ids", ids_shape, std::span<const std::int32_t>(ids)},
            {group + "logits", logits_shape, logits.values()},
            {group + pattern_path, pattern.shape(), pattern.values()},
        };
        mustSucceed(writeHdf5(path, arrays, {}));
        return referenceChecks(loadFixture("gpt2"), path);
    }

    static void mustSucceed(const Result<void>& done) {
        if (!done)
            throw std::runtime_error(done.error().message);
    }
};

} // namespace

class TestReferenceChecks : public QObject {
    Q_OBJECT

private slots:
    void sampleModelsMatchTheirReferences_data() {
        QTest::addColumn<QString>("sample");
        QTest::addColumn<std::size_t>("checks");
        QTest::newRow("gpt2-mini-6l") << "gpt2-mini-6l" << std::size_t{8};
        QTest::newRow("llama-mini-gqa-4l") << "llama-mini-gqa-4l" << std::size_t{8};
        QTest::newRow("bert-mini-4l") << "bert-mini-4l" << std::size_t{8};
        QTest::newRow("microgpt") << "microgpt" << std::size_t{6};
        QTest::newRow("notebook") << "notebook" << std::size_t{1};
    }
    void sampleModelsMatchTheirReferences() {
        QFETCH(QString, sample);
        QFETCH(std::size_t, checks);
        const std::string name = sample.toStdString();
        const auto found = require(referenceChecks(loadSample(name), sampleReference(name)));
        QVERIFY2(failures(found).empty(), failures(found).c_str());
        QCOMPARE(found.size(), checks);
    }

    void ownOutputsMatch() {
        const auto checks = require(Stored().compare("first/"));
        QVERIFY2(failures(checks).empty(), failures(checks).c_str());
        QCOMPARE(checks.size(), 2u);
        QVERIFY(checkNamed(checks, "first: logits").outcome == Check::Passed);
        QVERIFY(checkNamed(checks, "first: blocks.1.attn.hook_pattern").outcome == Check::Passed);
    }

    void anErrorOfAThousandthIsFound() {
        Stored logits;
        float largest = 0.0f;
        for (const float value : logits.logits.values())
            largest = std::max(largest, std::abs(value));
        logits.logits(2, 7) += 1e-3f * largest;
        const auto of_logits = require(logits.compare());
        QVERIFY(checkNamed(of_logits, "logits").outcome == Check::Failed);
        QVERIFY(checkNamed(of_logits, "blocks.1").outcome == Check::Passed);
        Stored pattern;
        pattern.pattern(3, 4, 1) += 1e-3f;
        const auto of_pattern = require(pattern.compare());
        QVERIFY(checkNamed(of_pattern, "logits").outcome == Check::Passed);
        QVERIFY(checkNamed(of_pattern, "blocks.1").outcome == Check::Failed);
    }

    void batchAxisDoesNotMatter() {
        Stored stored;
        stored.ids_shape = {1, 5};
        stored.logits_shape.insert(stored.logits_shape.begin(), 1);
        const auto checks = require(stored.compare());
        QVERIFY2(failures(checks).empty(), failures(checks).c_str());
        QCOMPARE(checks.size(), 2u);
    }

    void misfitsAreExplained() {
        Stored id;
        id.ids[3] = 97;
        const auto outside = id.compare();
        QVERIFY(!outside);
        QVERIFY2(outside.error().message.ends_with(
                     "outputs.h5 does not fit this model: input_ids holds 97, and the vocabulary "
                     "has ids 0 to 96; give the outputs of the same model."),
                 outside.error().message.c_str());
        Stored shape;
        shape.logits_shape = {97, 5};
        const auto turned = shape.compare();
        QVERIFY(!turned);
        QVERIFY2(turned.error().message.find("logits has shape [97, 5] where this model gives "
                                             "[5, 97]") != std::string::npos,
                 turned.error().message.c_str());
        const auto other = referenceChecks(loadFixture("gpt2"), sampleReference("gpt2-mini-6l"));
        QVERIFY(!other && other.error().code == ErrorCode::Mismatch);
    }

    void segmentsMustBeThoseOfTheModel() {
        const auto model = loadFixture("bert-pair");
        const auto checks = require(referenceChecks(model, fixtureReference("bert-pair")));
        QVERIFY2(failures(checks).empty(), failures(checks).c_str());
        QCOMPARE(checks.size(), 6u); // attentions and logits of three prompts
        Model other = *model;
        other.spec.segment_separator.reset();
        const auto refused = referenceChecks(std::make_shared<const Model>(std::move(other)),
                                             fixtureReference("bert-pair"));
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.find("pair.token_type_ids is 1 at position 8, where this "
                                              "model reads segment 0") != std::string::npos,
                 refused.error().message.c_str());
    }

    void fileWithoutPromptsIsExplained() {
        const auto weights =
            referenceChecks(loadFixture("gpt2"), HEADSCOPE_TEST_DATA "/fixtures/gpt2.h5");
        QVERIFY(!weights);
        QVERIFY2(weights.error().message.find("holds no prompt with outputs to compare") !=
                     std::string::npos,
                 weights.error().message.c_str());
        QVERIFY(!referenceChecks(loadFixture("gpt2"), "/no/such/file.h5"));
    }
};

const headscope::test::TestRegistration<TestReferenceChecks> registration;

} // namespace test_reference_checks

#include "test_reference_checks.moc"
