#include "core/interventions/activation_patching.h"
#include "core/interventions/path_patching.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/document/patch_reading.h"
#include "ui/views/patching/patch_dialog.h"
#include "ui/views/prompt/token_box.h"
#include "ui/widgets/heatmap.h"

#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

#include <cmath>

namespace test_patch_dialog {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

const QString kA = QStringLiteral("When Mary and John went to the store, John gave a drink to");
const QString kB = QStringLiteral("When Anna and John went to the store, John gave a drink to");

QString textOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace

class TestPatchDialog : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(window_.open(QStringLiteral("gpt2-mini-6l"))); }
    void init() {
        QVERIFY(!window_->find<QAction>("actionPatch")->isEnabled());
        window_->document().selection().select({4, 1});
        QVERIFY(compareWith(kB));
        window_->find<QAction>("actionPatch")->trigger();
        QVERIFY(dialog());
        QVERIFY(patched());
    }
    void cleanup() {
        delete dialog();
        window_->document().selection().lockRow(std::nullopt);
        window_->document().comparison().turnOff();
    }
    void cleanupTestCase() { window_.close(); }

    void beginsWithTheResidualStreamAndTheTwoNames() {
        QCOMPARE(grid()->content().title,
                 QStringLiteral("Residual stream before the layer, from A into B · logit of ·Mary "
                                "− ·Anna"));
        PatchQuestion question = questionOf(HookKind::ResidPre);
        question.by_position = true;
        const auto expected = patched(question);
        const Tensor shown = shares();
        QCOMPARE(shown.shape(), (Shape{6, 15}));
        for (std::size_t layer = 0; layer < 6; ++layer)
            for (std::size_t position = 0; position < 15; ++position)
                QVERIFY(std::abs(static_cast<double>(shown(layer, position)) -
                                 expected.normalised(expected.index(layer, position, 0))) < 1e-5);
        QVERIFY(std::abs(shown(0, 2) - 1.0f) < 1e-3f); // the name itself, before anything read it
        QVERIFY(std::abs(shown(0, 5)) < 1e-6f);        // the tokens before layer 0 are the same
    }

    void headsAreOneByOne() {
        choose("patchWhat", QStringLiteral("Output of heads (z)"));
        choose("patchBy", QStringLiteral("Layer × head"));
        QVERIFY(patched());
        PatchQuestion question = questionOf(HookKind::Z);
        question.by_head = true;
        const auto expected = patched(question);
        const Tensor shown = shares();
        QCOMPARE(shown.shape(), (Shape{6, 8}));
        for (std::size_t layer = 0; layer < 6; ++layer)
            for (std::size_t head = 0; head < 8; ++head)
                QVERIFY(std::abs(static_cast<double>(shown(layer, head)) -
                                 expected.normalised(expected.index(layer, 0, head))) < 1e-5);
        emit grid()->cellClicked(3, 5);
        QCOMPARE(window_->document().selection().head(), (LayerHead{3, 5}));
        emit grid()->cellHovered(3, 5);
        const QString cell = find<QLabel>("patchCell")->text();
        QVERIFY2(cell.startsWith(QStringLiteral("layer 3 · head 5 · %1 of the way from B")
                                     .arg(static_cast<double>(shown(3, 5)), 0, 'f', 3)),
                 qPrintable(cell));
    }

    void theOtherDirectionPatchesA() {
        choose("patchDirection", QStringLiteral("From B into A"));
        QVERIFY(patched());
        PatchQuestion question = questionOf(HookKind::ResidPre);
        std::swap(question.clean, question.corrupted);
        question.by_position = true;
        const auto expected = patched(question);
        QVERIFY(std::abs(static_cast<double>(shares()(2, 14)) -
                         expected.normalised(expected.index(2, 14, 0))) < 1e-5);
        QVERIFY(grid()->content().title.contains(QStringLiteral("from B into A")));
    }

    void pathsLeadFromHeadsToTheSelectedOne() {
        choose("patchWhat", QStringLiteral("Paths to the keys of the selected head"));
        QVERIFY(patched());
        QVERIFY(!find<QComboBox>("patchBy")->isEnabled());
        QVERIFY(!find<QComboBox>("patchMethod")->isEnabled());
        PathQuestion question;
        question.original = ids(kB);
        question.other = ids(kA);
        question.receivers = {{{4, 1}, AttentionInput::K}};
        question.metric = metric();
        const auto expected =
            headscope::test::require(patchPaths(window_->document().model(), question));
        const Tensor shown = shares();
        for (std::size_t i = 0; i < expected.values.size(); ++i) {
            const LayerHead sender = expected.question.senders[i];
            QVERIFY(std::abs(static_cast<double>(shown(sender.layer, sender.head)) -
                             expected.normalised(i)) < 1e-5);
        }
        QVERIFY(std::isnan(shown(4, 0))); // not before the receiver
        emit grid()->cellHovered(4, 0);
        QVERIFY(find<QLabel>("patchCell")->text().contains(QStringLiteral("nothing to patch")));
        window_->document().selection().select({3, 5});
        QVERIFY(patched());
        QVERIFY(grid()->content().title.contains(QStringLiteral("L3 H5")));
    }

    void anotherMetricIsMeasured() {
        choose("patchMetric", QStringLiteral("Probability"));
        QVERIFY(patched());
        QVERIFY(!find<TokenBox>("patchOther")->isEnabled());
        PatchQuestion question = questionOf(HookKind::ResidPre);
        question.by_position = true;
        question.metric.kind = MetricKind::Probability;
        const auto expected = patched(question);
        QVERIFY(std::abs(static_cast<double>(shares()(3, 14)) -
                         expected.normalised(expected.index(3, 14, 0))) < 1e-5);
        choose("patchMethod", QStringLiteral("By gradient"));
        QVERIFY(patched());
        QVERIFY(find<QLabel>("patchSummary")->text().contains(QStringLiteral("by gradient")));
        choose("patchMetric", QStringLiteral("KL divergence"));
        QVERIFY(patched());
        QVERIFY(!find<QComboBox>("patchMethod")->isEnabled());
        QCOMPARE(find<QComboBox>("patchMethod")->currentText(), QStringLiteral("Exact"));
    }

    void followsThePromptsAndRefusesOtherLengths() {
        QVERIFY(compareWith(QStringLiteral("When Anna went to the store, John gave a drink to")));
        QTRY_VERIFY_WITH_TIMEOUT(!grid()->content().cells, kPatience);
        QVERIFY(!find<QPushButton>("patchFigure")->isEnabled());
        QVERIFY(compareWith(kA));
        QTRY_VERIFY_WITH_TIMEOUT(!grid()->content().cells, kPatience);
        QVERIFY(patchRefusal(window_->document().comparison().compared())
                    .contains(QStringLiteral("same prompt")));
        QVERIFY(compareWith(kB));
        QVERIFY(patched());
    }

    void figureAndNumbersAreWritten() {
        window_->dialogs.to_save = window_.settings().path(QStringLiteral("patch.svg"));
        QTest::mouseClick(find<QPushButton>("patchFigure"), Qt::LeftButton);
        QVERIFY(textOf(window_->dialogs.to_save).contains(QStringLiteral("share of the way")));
        window_->dialogs.to_save = window_.settings().path(QStringLiteral("patch.csv"));
        QTest::mouseClick(find<QPushButton>("patchNumbers"), Qt::LeftButton);
        const QString csv = textOf(window_->dialogs.to_save);
        QVERIFY2(csv.contains(QStringLiteral("blocks.5.hook_resid_pre")), qPrintable(csv));
        window_->dialogs.to_save = QStringLiteral("/nowhere/patch.csv");
        QTest::mouseClick(find<QPushButton>("patchNumbers"), Qt::LeftButton);
        QVERIFY(find<QLabel>("patchSummary")->text().contains(QStringLiteral("/nowhere")));
    }

private:
    PatchDialog* dialog() { return window_->find<PatchDialog>("patchDialog"); }
    template <class T>
    T* find(const char* name) {
        return dialog()->findChild<T*>(QString::fromLatin1(name));
    }
    Heatmap* grid() { return find<Heatmap>("patchGrid"); }

    void choose(const char* name, const QString& text) {
        auto* box = find<QComboBox>(name);
        box->setFocus();
        chooseByKeys(box, text);
        QCOMPARE(box->currentText(), text);
    }

    /// Waits until what the fields ask for is shown.
    bool patched() {
        return QTest::qWaitFor(
            [this] {
                return grid()->content().cells && find<QPushButton>("patchFigure")->isEnabled();
            },
            kPatience);
    }

    bool compareWith(const QString& prompt) {
        Document& document = window_->document();
        document.comparison().turnOn();
        document.comparison().setPromptText(prompt);
        return QTest::qWaitFor(
            [&] {
                const PatternSource& compared = document.comparison().compared();
                return compared.other && compared.other->prompt.text == prompt.toStdString() &&
                       compared.result == document.promptRunner().result();
            },
            kPatience);
    }

    Tensor shares() {
        const auto& cells = *grid()->content().cells;
        return cells.exact({0, cells.rows()}, {0, cells.columns()});
    }

    TokenIds ids(const QString& prompt) {
        return headscope::test::require(promptFromInput(*window_->document().model(),
                                                        prompt.toStdString(), BosMode::Auto))
            .ids;
    }

    Metric metric() {
        Metric metric;
        metric.kind = MetricKind::LogitDifference;
        const Model& model = *window_->document().model();
        metric.token = headscope::test::require(tokenFromText(model, " Mary"));
        metric.other = headscope::test::require(tokenFromText(model, " Anna"));
        return metric;
    }

    PatchQuestion questionOf(HookKind hook) {
        PatchQuestion question;
        question.clean = ids(kA);
        question.corrupted = ids(kB);
        question.hook = hook;
        question.metric = metric();
        return question;
    }

    PatchResult patched(const PatchQuestion& question) {
        return headscope::test::require(patchActivations(window_->document().model(), question));
    }

    SharedWindow window_;
};

const headscope::test::TestRegistration<TestPatchDialog> registration;

} // namespace test_patch_dialog

#include "test_patch_dialog.moc"
