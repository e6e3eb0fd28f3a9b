#include "core/attribution/head_writing.h"
#include "tests/support/model_variant.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/scores/types_panel.h"
#include "ui/views/tokens/writing_line.h"

#include <QCheckBox>
#include <QLabel>
#include <QPushButton>

#include <algorithm>

namespace test_head_card {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

class TestHeadCard : public QObject {
    Q_OBJECT

private slots:
    void saysWhatTheHeadIs() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        window.document().selection().select({4, 1});
        const auto* types = window.find<QLabel>("headCardTypes");
        const QString score = QString::number(
            window.document().headScorer().scores()->at(HeadTypeId::Induction, {4, 1}).score, 'f',
            2);
        QVERIFY2(
            types->text().startsWith(
                QStringLiteral("<b>L4 H1</b><br><b>induction</b> %1 (untested), attention sink 0.")
                    .arg(score)),
            qPrintable(types->text()));
        window.document().ablation().toggleHead({4, 1});
        QVERIFY(types->text().startsWith(QStringLiteral("<b>L4 H1</b> · ablated<br>")));
        for (const HeadType& type : headTypes())
            window.document().setThreshold(type.id, 1.0);
        QVERIFY2(types->text().contains(QStringLiteral("no type; nearest is retrieval, ")),
                 qPrintable(types->text()));
    }

    void saysWhetherItsTypesCanBeRead_data() {
        QTest::addColumn<QString>("lacking");
        QTest::addColumn<QString>("says");
        QTest::newRow("without an embedding there is no run to read them off")
            << QStringLiteral("wte.weight") << QStringLiteral("its types cannot be read");
        QTest::newRow("a prompt may tell them")
            << QStringLiteral("ln_f") << QStringLiteral("its types are not read yet");
    }
    void saysWhetherItsTypesCanBeRead() {
        QFETCH(QString, lacking);
        QFETCH(QString, says);
        const TemporarySettings settings;
        const auto refuse = [](const auto&...) -> Result<HeadScores> {
            return Error{ErrorCode::Unsupported, "No type can be measured."};
        };
        const headscope::test::ModelVariant part =
            headscope::test::without("gpt2-mini-6l", lacking.toStdString());
        FakeDialogs dialogs;
        MainWindow window(dialogs, windowCommands, refuse);
        StartOptions options;
        options.model = QString::fromStdString(part.write().string());
        options.text = QString(3000, QLatin1Char('x')); // more than fits
        window.start(options);
        const HeadScorer& scorer = window.document().headScorer();
        QTRY_VERIFY_WITH_TIMEOUT(!scorer.error().isEmpty(), kPatience);
        const auto* types = window.findChild<QLabel*>(QStringLiteral("headCardTypes"));
        QVERIFY2(types->text().endsWith(says), qPrintable(types->text()));
        QCOMPARE(types->toolTip(), QStringLiteral("No type can be measured."));
    }

    void saysOnceWhyAModelCannotRun_data() {
        QTest::addColumn<QString>("lacking");
        QTest::addColumn<QString>("input");
        QTest::addColumn<bool>("has_scores");
        QTest::newRow("some types are read from the weights that are there")
            << QStringLiteral("h.3.mlp") << QStringLiteral("Measured on the weights") << true;
        QTest::newRow("none is read where they cannot be folded")
            << QStringLiteral("ln_1.weight") << QStringLiteral("why is said under the prompt")
            << false;
    }
    void saysOnceWhyAModelCannotRun() {
        QFETCH(QString, lacking);
        QFETCH(QString, input);
        QFETCH(bool, has_scores);
        const TemporarySettings settings;
        const headscope::test::ModelVariant part =
            headscope::test::without("gpt2-mini-6l", lacking.toStdString());
        FakeDialogs dialogs;
        MainWindow window(dialogs, windowCommands);
        StartOptions options;
        options.model = QString::fromStdString(part.write().string());
        window.start(options);
        Document& document = window.document();
        QTRY_VERIFY_WITH_TIMEOUT(document.model() && !document.headScorer().worker()->isBusy(),
                                 kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!document.promptRunner().error().isEmpty(), kPatience);
        QStringList saying;
        for (const QLabel* label : window.findChildren<QLabel*>())
            if (label->text().contains(QStringLiteral("lacks the tensor")))
                saying << label->objectName();
        QCOMPARE(saying, QStringList{QStringLiteral("outcomeLabel")});
        const auto textOf = [&window](const char* name) {
            return window.findChild<QLabel*>(QString::fromLatin1(name))->text();
        };
        const QString cannot = QStringLiteral("its types cannot be read");
        QVERIFY2(textOf("headCardTypes").endsWith(cannot), qPrintable(textOf("headCardTypes")));
        QVERIFY2(textOf("scoreInput").contains(input), qPrintable(textOf("scoreInput")));
        const auto* by_weights =
            window.findChild<QWidget*>(QStringLiteral("score_copying-weights"));
        QCOMPARE(by_weights->isHidden(), !has_scores);
        document.setScoreSource(ScoreSource::Prompt); // which cannot tell them either
        QVERIFY(textOf("headCardTypes").endsWith(cannot));
        QVERIFY(textOf("scoreInput").contains(QStringLiteral("why is said under the prompt")));
        QVERIFY(!window.findChild<QPushButton*>(QStringLiteral("testEffect"))->isEnabled());
    }

    void saysWhatItReadsAndWrites() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        Document& document = window.document();
        document.selection().select({4, 1});
        const auto result = document.promptRunner().result();
        const auto* reads = window.find<QLabel>("headCardReads");
        const auto* writes = window.find<WritingLine>("headCardWrites");
        const auto expected = [&](std::size_t query) {
            const Tensor row = result->masked->pattern({4, 1}, {query, query + 1}, {0, query + 1});
            const auto key = std::ranges::max_element(row.values()) - row.values().begin();
            return QStringLiteral("‹%1› %2 reads ‹%3› %4 %5")
                .arg(result->shown_pieces[static_cast<qsizetype>(query)])
                .arg(query)
                .arg(result->shown_pieces[key])
                .arg(key)
                .arg(static_cast<double>(row(0, static_cast<std::size_t>(key))), 0, 'f', 3);
        };
        QVERIFY2(reads->text().startsWith(expected(14)), qPrintable(reads->text()));
        QTRY_VERIFY_WITH_TIMEOUT(writes->text().startsWith(QStringLiteral("L4 H1 raises  ·Mary +")),
                                 kPatience);
        document.selection().lockRow(9);
        QVERIFY2(reads->text().startsWith(expected(9)), qPrintable(reads->text()));
        const auto writing = HeadWriting::read(document.model(), {result->prompt.ids, {{4, 1}}});
        QVERIFY(writing);
        const float change = writing->strongest(0, 9, 1).raised.front().change;
        QTRY_VERIFY_WITH_TIMEOUT(
            writes->text().contains(QString::number(static_cast<double>(change), 'f', 1)),
            kPatience);
    }

    void aShorterPromptIsReadAtItsLastToken() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        window.document().selection().lockRow(14);
        window.document().setPromptText(QStringLiteral("Mary and"));
        const auto* reads = window.find<QLabel>("headCardReads");
        QTRY_VERIFY_WITH_TIMEOUT(reads->text().startsWith(QStringLiteral("‹·and› 2 reads ")),
                                 kPatience);
    }

    void typesThatTheHeadDoesNotHaveAreFolded() {
        const TemporarySettings settings;
        const auto shown = [](WindowUnderTest& window) {
            const auto rows = window->findChildren<ui::ScoreRow*>();
            return static_cast<std::size_t>(std::ranges::count_if(rows, &QWidget::isVisible));
        };
        {
            WindowUnderTest window;
            QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
            window.document().selection().select({4, 1});
            const auto scores = window.document().headScorer().scores();
            const auto found = labels(*scores, {4, 1}, window.document().thresholds());
            QCOMPARE(shown(window), found.size());
            QTest::mouseClick(window.find<QCheckBox>("allTypes"), Qt::LeftButton, {}, {8, 8});
            QCOMPARE(shown(window), scores->types.size());
        }
        WindowUnderTest again;
        QVERIFY(again.start(QStringLiteral("gpt2-mini-6l")));
        QCOMPARE(shown(again), again.document().headScorer().scores()->types.size());
    }
};

const headscope::test::TestRegistration<TestHeadCard> registration;

} // namespace test_head_card

#include "test_head_card.moc"
