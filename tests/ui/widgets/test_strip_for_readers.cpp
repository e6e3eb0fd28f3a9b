#include "tests/support/runner.h"
#include "tests/ui/widgets/reader_events.h"
#include "ui/widgets/token_strip.h"

#include <QSignalSpy>
#include <QtTest>

namespace test_strip_for_readers {

using namespace headscope::ui;
using namespace headscope::ui::test;

class TestStripForReaders : public QObject {
    Q_OBJECT

private slots:
    void init() {
        strip_ = std::make_unique<TokenStrip>();
        strip_->resize(600, 100);
        setTokens({QStringLiteral("·Mary"), QStringLiteral("·and"), QStringLiteral("·John")});
        strip_->show();
        QVERIFY(QTest::qWaitForWindowExposed(strip_.get()));
    }
    void cleanup() { strip_.reset(); }

    void isAListOfTokensWithTheirPositions() {
        QCOMPARE(list()->role(), QAccessible::List);
        QVERIFY(!list()->tableInterface());
        QCOMPARE(list()->childCount(), 3);
        QCOMPARE(list()->child(2)->role(), QAccessible::ListItem);
        QVERIFY(!list()->child(2)->tableCellInterface());
        QCOMPARE(list()->child(2)->text(QAccessible::Name), QStringLiteral("·John, position 2"));
        QCOMPARE(list()->child(2)->text(QAccessible::Description),
                 QStringLiteral("loss 0.5 < 1 nats"));
        QCOMPARE(list()->indexOfChild(list()->child(2)), 2);
        const QPoint middle = strip_->mapToGlobal(strip_->chipRect(1).center());
        QCOMPARE(list()->childAt(middle.x(), middle.y()), list()->child(1));
        QVERIFY(list()->child(1)->rect().contains(middle));
    }

    void aReaderClicksAToken() {
        QSignalSpy clicked(strip_.get(), &TokenStrip::chipClicked);
        list()->child(1)->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
        QCOMPARE(clicked.size(), 1);
        QCOMPARE(clicked.first()[0].value<qsizetype>(), 1);
        QCOMPARE(strip_->current(), std::optional<qsizetype>(1));
        QVERIFY(list()->child(1)->state().selected && !list()->child(0)->state().selected);
    }

    void tellsWhichTokenIsCurrent() {
        strip_->setCurrent(0);
        strip_->activateWindow();
        strip_->setFocus();
        QTRY_VERIFY(strip_->hasFocus());
        strip_->clearFocus();
        ReaderEvents events;
        strip_->setFocus();
        QCoreApplication::processEvents();
        auto focus = events.taken(QAccessible::Focus);
        QCOMPARE(focus.size(), std::size_t{1});
        QCOMPARE(focus[0].name, QStringLiteral("·Mary, position 0"));
        QTest::keyClick(strip_.get(), Qt::Key_End);
        focus = events.taken(QAccessible::Focus);
        QCOMPARE(focus.size(), std::size_t{1});
        QCOMPARE(focus[0].name, QStringLiteral("·John, position 2"));
        strip_->setCurrent(2);
        QVERIFY(events.taken(QAccessible::Selection).empty());
        const QAccessible::Id last = QAccessible::uniqueId(list()->child(2));
        setTokens({QStringLiteral("·a")});
        QCOMPARE(events.taken(QAccessible::ObjectReorder).size(), std::size_t{1});
        QVERIFY(!QAccessible::accessibleInterface(last));
        QVERIFY(!list()->child(1));
    }

private:
    void setTokens(const QStringList& texts) {
        QVector<TokenChip> chips;
        for (const QString& text : texts)
            chips.append({text, QStringLiteral("loss 0.5 < 1 nats"), false, std::nullopt});
        strip_->setChips(std::move(chips));
    }
    QAccessibleInterface* list() const { return readerOf(*strip_); }

    std::unique_ptr<TokenStrip> strip_;
};

const headscope::test::TestRegistration<TestStripForReaders> registration;

} // namespace test_strip_for_readers

#include "test_strip_for_readers.moc"
