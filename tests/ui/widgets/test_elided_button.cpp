#include "tests/support/runner.h"
#include "ui/widgets/elided_text.h"

#include <QTest>

namespace test_elided_button {

using namespace headscope::ui;

class TestElidedButton : public QObject {
    Q_OBJECT

private slots:
    void textIsShortenedToItsRoom() {
        ElidedButton button;
        button.setToolButtonStyle(Qt::ToolButtonTextOnly);
        button.setText(QStringLiteral("Previous, by weights"));
        button.resize(button.sizeHint());
        QCOMPARE(button.shownText(), button.text());
        button.resize(button.fontMetrics().horizontalAdvance(button.text()) - 20,
                      button.sizeHint().height());
        QVERIFY(button.shownText().endsWith(QChar(0x2026)));
        QVERIFY(button.text().startsWith(button.shownText().chopped(1)));
        button.resize(4, 20);
        QVERIFY(button.shownText().size() <= 1);
    }
};

const headscope::test::TestRegistration<TestElidedButton> registration;

} // namespace test_elided_button

#include "test_elided_button.moc"
