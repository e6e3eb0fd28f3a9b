#include "core/heads/head_type.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/pattern/outline_box.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/widgets/heatmap.h"

#include <QFile>
#include <QLabel>

namespace test_outline_box {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;
using Columns = std::vector<std::size_t>;

namespace {

/// A window on a sample model with its outline box and what is outlined.
struct Opened {
    explicit Opened(const char* sample) {
        started = window.start(QString::fromLatin1(sample));
        box = window.find<OutlineBox>("outlinedType");
        heatmap = window.find<Heatmap>("heatmap");
    }

    /// As a person picks an entry.
    void choose(HeadTypeId type) const {
        box->setFocus();
        box->setCurrentIndex(box->findData(static_cast<int>(type)));
    }
    const HeatmapOutline& outline() const { return heatmap->content().outline; }
    QString notice() { return window.find<QLabel>("staleLabel")->text(); }
    bool write(const QString& prompt) {
        window.document().setPromptText(prompt);
        return QTest::qWaitFor(
            [&] {
                const auto result = window.document().promptRunner().result();
                return result && QString::fromStdString(result->prompt.text) == prompt &&
                       window.settled() &&
                       heatmap->content().row_labels.size() ==
                           static_cast<qsizetype>(result->prompt.ids.size());
            },
            kPatience);
    }

    TemporarySettings settings;
    WindowUnderTest window;
    bool started = false;
    OutlineBox* box = nullptr;
    Heatmap* heatmap = nullptr;
};

} // namespace

class TestOutlineBox : public QObject {
    Q_OBJECT

private slots:
    void nothingAtFirst() {
        Opened open("gpt2-mini-6l");
        QVERIFY(open.started);
        QCOMPARE(open.box->currentText(), QStringLiteral("No outline"));
        QVERIFY(!open.outline().columns);
        QVERIFY(!open.box->accessibleName().isEmpty() && !open.box->toolTip().isEmpty());
        QVERIFY(open.box->focusPolicy() & Qt::TabFocus);
    }

    void offersTheTypesOfTheModel() {
        Opened causal("gpt2-mini-6l");
        QVERIFY(causal.started);
        QVERIFY(causal.box->findData(static_cast<int>(HeadTypeId::Induction)) > 0);
        QVERIFY(causal.box->findData(static_cast<int>(HeadTypeId::Next)) < 0);
        QVERIFY(causal.box->findData(static_cast<int>(HeadTypeId::Diffuse)) < 0);
        causal.choose(HeadTypeId::Previous);
        causal.window.document().open(samplePath(QStringLiteral("bert-mini-4l")));
        QVERIFY(causal.window.settled());
        QVERIFY(causal.box->findData(static_cast<int>(HeadTypeId::Next)) > 0);
        QVERIFY(causal.box->type() == HeadTypeId::Previous); // what was chosen stays
    }

    void outlinesWhatTheScoreCounts() {
        Opened open("gpt2-mini-6l");
        QVERIFY(open.started);
        QVERIFY(open.write(QStringLiteral("Mary said, \"I saw Mary\" and")));
        open.choose(HeadTypeId::Previous);
        QCOMPARE(open.outline().columns(3), Columns{2});
        open.choose(HeadTypeId::Sink);
        QCOMPARE(open.outline().columns(3), Columns{0});
        // Without a treebank too, punctuation is seen.
        open.choose(HeadTypeId::Punctuation);
        const auto pieces = open.window.document().promptRunner().result()->prompt.pieces;
        const Columns marks = open.outline().columns(pieces.size() - 1);
        QVERIFY(!marks.empty());
        for (const std::size_t mark : marks)
            QVERIFY2(pieces[mark].find_first_of(",\"") != std::string::npos, pieces[mark].c_str());
        open.box->setType(std::nullopt);
        QVERIFY(!open.outline().columns);
    }

    void saysWhenThereIsNothing() {
        Opened open("gpt2-mini-6l");
        QVERIFY(open.started);
        QVERIFY(open.write(QStringLiteral("the cat and the cat")));
        open.choose(HeadTypeId::Induction);
        QCOMPARE(open.notice(), QString());
        QVERIFY(open.write(QStringLiteral("one two")));
        QVERIFY(open.notice().contains(QStringLiteral("Nothing to outline")));
        QVERIFY(open.notice().contains(QStringLiteral("induction")));
        open.choose(HeadTypeId::Previous);
        QCOMPARE(open.notice(), QString());
    }

    void theMenuTogglesTheTypeOfTheHead() {
        Opened open("gpt2-mini-6l");
        QVERIFY(open.started);
        open.window.document().selection().select({4, 1});
        QVERIFY(open.window.settled());
        auto* action = open.window.find<QAction>("actionOutline");
        action->trigger();
        QVERIFY(open.box->type() == HeadTypeId::Induction);
        action->trigger();
        QVERIFY(!open.box->type());
    }

    void onlyOneHeadHasAnOutline() {
        Opened open("gpt2-mini-6l");
        QVERIFY(open.started);
        QVERIFY(open.box->isEnabled());
        open.window->patternView().showPage(PatternPage::AllHeads);
        QVERIFY(!open.box->isEnabled());
        open.window->patternView().showPage(PatternPage::Heatmap);
        QVERIFY(open.box->isEnabled());
    }

    void figuresSayWhatIsOutlined() {
        Opened open("gpt2-mini-6l");
        QVERIFY(open.started);
        open.choose(HeadTypeId::Previous);
        const QString path = open.settings.path(QStringLiteral("figure.svg"));
        QVERIFY(open.window->patternView().saveFigure(path));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("where a perfect head of the type"));
    }
};

const headscope::test::TestRegistration<TestOutlineBox> registration;

} // namespace test_outline_box

#include "test_outline_box.moc"
