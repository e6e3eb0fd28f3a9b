// What is copied of attention patterns.

#include "core/export/export_patterns.h"
#include "core/export/provenance.h"
#include "tests/support/npz_reader.h"
#include "tests/support/runner.h"
#include "tests/ui/views/pasted.h"
#include "ui/tables/head_text.h"
#include "ui/views/export/export_dialog.h"
#include "ui/views/pattern/pattern_view.h"

#include <QLineEdit>
#include <QPushButton>
#include <QStatusBar>

namespace test_copy_patterns {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

/// Of the run that is shown, [query, key].
std::vector<float> shownPattern(const RunResult& result, LayerHead head) {
    const std::size_t positions = result.prompt.ids.size();
    const Tensor pattern = result.masked->pattern(head, {0, positions}, {0, positions});
    return {pattern.values().begin(), pattern.values().end()};
}

bool areClose(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && !a.empty() && std::ranges::equal(a, b, [](float x, float y) {
               return isClose(static_cast<double>(x), static_cast<double>(y));
           });
}

/// The numbers of a square matrix with names on both axes, which may hold commas.
std::vector<float> csvNumbers(const QString& path) {
    QFile file(path);
    std::vector<float> numbers;
    if (!file.open(QIODevice::ReadOnly))
        return numbers;
    const QStringList lines =
        QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts).mid(1);
    for (const QString& line : lines)
        for (const QString& cell : line.split(QLatin1Char(',')).last(lines.size()))
            numbers.push_back(cell.toFloat());
    return numbers;
}

} // namespace

class TestCopyPatterns : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(window_.open(QStringLiteral("gpt2-mini-6l"))); }

    void init() { QVERIFY(showsTheStory(*window_)); }

    void thePatternOfAHead() {
        Paste paste;
        trigger("actionCopyCommand");
        QVERIFY(Paste::copied().startsWith(QStringLiteral("headscope-cli export /")));
        QVERIFY(window_->operator->()->statusBar()->currentMessage().startsWith(
            QStringLiteral("Copied: ")));
        paste.run();
        QVERIFY2(areClose(csvNumbers(paste.file(QStringLiteral(".csv"))), shown({4, 1})),
                 qPrintable(paste.error()));
        if (!kHasPython)
            return;
        trigger("actionCopyPython");
        const auto python = paste.python(QStringLiteral("pattern.flatten().tolist()"));
        QVERIFY2(python.is_array(), qPrintable(paste.error()));
        QVERIFY(areClose(python.get<std::vector<float>>(), shown({4, 1})));
    }

    void thePatternWithAblatedHeads() {
        window_->document().ablation().setKind(AblationKind::Mean);
        window_->document().ablation().toggleHeads({{0, 2}, {1, 5}}, QStringLiteral("two"));
        QVERIFY(window_->hasRun());
        Paste paste;
        trigger("actionCopyCommand");
        paste.run();
        QVERIFY2(!paste.file(QStringLiteral(".npz")).isEmpty(), qPrintable(paste.error()));
        QVERIFY(areClose(ofHead(paste.file(QStringLiteral(".npz")), {4, 1}), shown({4, 1})));
        if (!kHasPython)
            return;
        trigger("actionCopyPython");
        const auto python = paste.python(QStringLiteral("pattern.flatten().tolist()"));
        QVERIFY2(python.is_array(), qPrintable(paste.error()));
        QVERIFY(areClose(python.get<std::vector<float>>(), shown({4, 1})));
    }

    void thePatternsOfAllHeads() {
        pattern().showPage(PatternPage::AllHeads);
        Paste paste;
        trigger("actionCopyCommand");
        paste.run();
        const QString file = paste.file(QStringLiteral(".npz"));
        QVERIFY2(!file.isEmpty(), qPrintable(paste.error()));
        for (const LayerHead head : window_->document().model()->spec.allHeads())
            QVERIFY(areClose(ofHead(file, head), shown(head)));
        if (!kHasPython)
            return;
        trigger("actionCopyPython");
        const auto python =
            paste.python(QStringLiteral("run['blocks.5.attn.hook_pattern'][7].flatten().tolist()"));
        QVERIFY2(python.is_array(), qPrintable(paste.error()));
        QVERIFY(areClose(python.get<std::vector<float>>(), shown({5, 7})));
    }

    void textAndLinesAreOfTheChosenHeads() {
        for (const PatternPage page : {PatternPage::Text, PatternPage::Lines}) {
            pattern().showPage(page);
            window_->document().selection().choose({{4, 1}, {2, 3}}, {4, 1});
            Paste paste;
            trigger("actionCopyCommand");
            paste.run();
            const QString file = paste.file(QStringLiteral(".npz"));
            QVERIFY2(!file.isEmpty(), qPrintable(paste.error()));
            for (const LayerHead head : {LayerHead{4, 1}, LayerHead{2, 3}})
                QVERIFY(areClose(ofHead(file, head), shown(head)));
        }
    }

    void aDifferenceIsTwoCommands() {
        Document& document = window_->document();
        document.comparison().turnOn();
        document.comparison().setPromptText(
            QStringLiteral("When Anna and John went to the store, John gave a drink to"));
        document.showSide(Side::Difference);
        QVERIFY(QTest::qWaitFor(
            [&] {
                const auto& other = document.shown().other;
                return other && other->prompt.text.starts_with("When Anna");
            },
            kPatience));
        Paste paste;
        trigger("actionCopyCommand");
        QCOMPARE(Paste::copied().count(QLatin1Char('\n')), 1);
        paste.run();
        const QStringList files = QDir(QFileInfo(paste.path(QStringLiteral("x"))).path())
                                      .entryList({QStringLiteral("*.csv")}, QDir::Files);
        QCOMPARE(files.size(), 2);
        const QString of_a = patternFile(*document.shown().result);
        const QString of_b = patternFile(*document.shown().other);
        QVERIFY(
            areClose(csvNumbers(paste.path(of_a)), shownPattern(*document.shown().result, {4, 1})));
        QVERIFY(
            areClose(csvNumbers(paste.path(of_b)), shownPattern(*document.shown().other, {4, 1})));
        document.showSide(Side::B);
        trigger("actionCopyCommand");
        QVERIFY(Paste::copied().contains(QStringLiteral("Anna")));
        QCOMPARE(Paste::copied().count(QLatin1Char('\n')), 0);
    }

    void theDifferenceToTheWholeModelIsTwoCommands() {
        window_->document().ablation().toggleHeads({{0, 2}}, QStringLiteral("one"));
        QVERIFY(window_->hasRun());
        trigger("actionDifference");
        trigger("actionCopyCommand");
        const QStringList lines = Paste::copied().split(QLatin1Char('\n'));
        QCOMPARE(lines.size(), 2);
        QVERIFY(lines[0].startsWith(QStringLiteral("headscope-cli export ")));
        QVERIFY(lines[1].contains(QStringLiteral(" --ablate 0.2 ")));
        pattern().showPage(PatternPage::AllHeads);
        Paste paste;
        trigger("actionCopyCommand");
        paste.run();
        QVERIFY2(paste.error().isEmpty(), qPrintable(paste.error()));
        QCOMPARE(QDir(QFileInfo(paste.path(QStringLiteral("x"))).path())
                     .entryList({QStringLiteral("*.npz")}, QDir::Files)
                     .size(),
                 2);
    }

    void whatNoCommandGivesIsGreyedWithAReason() {
        trigger("actionValueWeighted");
        const auto* copy = window_->find<QAction>("actionCopyCommand");
        QVERIFY(!copy->isEnabled());
        QVERIFY(copy->toolTip().contains(QStringLiteral("weights patterns by values")));
        trigger("actionValueWeighted");
        QVERIFY(copy->isEnabled());
        QVERIFY(!copy->toolTip().contains(QStringLiteral("weights patterns")));
    }

    void whatIsExported() {
        for (const ExportWhat what : {ExportWhat::Head, ExportWhat::Layer, ExportWhat::AllHeads}) {
            const OpenedDialog<ExportDialog> dialog(*window_, "actionExport", "exportDialog");
            QVERIFY(!copiesCommand(dialog.dialog)); // a picture
            auto* choice = dialog.find<QComboBox>("exportWhat");
            choice->setCurrentIndex(choice->findData(static_cast<int>(what)));
            Paste paste;
            dialog.find<QLineEdit>("exportPath")->setText(paste.path(QStringLiteral("mine.npz")));
            QVERIFY(copiesCommand(dialog.dialog));
            paste.run();
            const QByteArray pasted = bytesOfFile(paste.path(QStringLiteral("mine.npz")));
            QVERIFY2(!pasted.isEmpty(), qPrintable(paste.error()));
            QFile::remove(paste.path(QStringLiteral("mine.npz")));
            QTest::mouseClick(dialog.find<QPushButton>("exportWrite"), Qt::LeftButton);
            QVERIFY(QTest::qWaitFor(
                [&] { return QFile::exists(paste.path(QStringLiteral("mine.npz"))); }, kPatience));
            QCOMPARE(bytesOfFile(paste.path(QStringLiteral("mine.npz"))), pasted);
            QTRY_VERIFY(!window_->find<ExportDialog>("exportDialog"));
        }
    }

private:
    PatternView& pattern() { return window_->operator->()->patternView(); }
    void trigger(const char* action) { window_->find<QAction>(action)->trigger(); }

    std::vector<float> shown(LayerHead head) {
        return shownPattern(*window_->document().promptRunner().result(), head);
    }

    static std::vector<float> ofHead(const QString& npz, LayerHead head) {
        const auto arrays = headscope::test::readNpz(npz.toStdString());
        const auto& array =
            arrays.at("blocks." + std::to_string(head.layer) + ".attn.hook_pattern").array;
        const std::vector<float> all = array.floats();
        const std::size_t size = array.shape[1] * array.shape[2];
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(head.head * size);
        return {begin, begin + static_cast<std::ptrdiff_t>(size)};
    }

    static QString patternFile(const RunResult& result) {
        const Model& model = *result.full->model;
        return toQString(patternFileName(provenanceOf(model, result.prompt, {}), {4, 1}, ".csv"));
    }

    SharedWindow window_;
};

const headscope::test::TestRegistration<TestCopyPatterns> registration;

} // namespace test_copy_patterns

#include "test_copy_patterns.moc"
