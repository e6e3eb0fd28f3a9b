#include "core/base/text.h"
#include "tests/architecture/markup_rules.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>

namespace test_markup_rules {

using namespace headscope;
namespace fs = std::filesystem;

class TestMarkupRules : public QObject {
    Q_OBJECT

private slots:
    void repositoryKeepsItsRules() {
        const auto breaches = markupBreaches(HEADSCOPE_REPOSITORY);
        QVERIFY2(breaches.empty(), join(breaches, "\n").c_str());
    }

    void lines_data() {
        QTest::addColumn<QString>("line");
        QTest::addColumn<bool>("is_fine");
        const auto fine = [](const char* line) {
            QTest::newRow(line) << QString::fromUtf8(line) << true;
        };
        const auto wrong = [](const char* line) {
            QTest::newRow(line) << QString::fromUtf8(line) << false;
        };
        fine("box->setToolTip(tr(\"Where it is read (first)\"));");
        fine("box->setToolTip(tr(\"Where \"\n\"it is read\"));");
        fine("box->setToolTip(Panel::tr(\"Where\"));");
        fine("box->setToolTip(asTip(name));");
        fine("box->setToolTip(QString());");
        fine("item->setToolTip(column, asTip(item->text(column)));");
        fine("tabs->setTabToolTip(index, asTip(title));");
        fine("QToolTip::showText(at, asTip(text), this);");
        fine("case Qt::ToolTipRole:\n    return asTip(name);");
        fine("label->setMarkup(markup(u\"<b>%1</b>\", name));");
        fine("label->setMarkup(markup(u\"<b>%1\"\n\"</b>\", name));");
        fine("label->setMarkup(markup(tr(\"<b>%1</b> of %2\"), name, model));");
        fine("auto* label = new TextLabel(name, this);");
        fine("// new QLabel(name) would guess");
        wrong("box->setToolTip(name);");
        wrong("box->setToolTip(tr(\"Where %1 is read\").arg(name));");
        wrong("box->setToolTip(is ? tr(\"One\") : name);");
        wrong("item->setToolTip(column, item->text(column));");
        wrong("tabs->setTabToolTip(index, title);");
        wrong("QToolTip::showText(at, text, this);");
        wrong("case Qt::ToolTipRole:\n    return name;");
        wrong("box->setItemData(0, name, Qt::ToolTipRole);");
        wrong("label->setMarkup(markup(name));");
        wrong("label->setMarkup(markup(u\"<b>\" + name));");
        wrong("label->setMarkup(markup(tr(\"<b>%1</b>\").arg(name)));");
        wrong("auto* label = new QLabel(name, this);");
        wrong("QLabel label(name);");
        wrong("class Line : public QLabel {};");
        wrong("label->setTextFormat(Qt::RichText);");
        wrong("label->setText(name.toHtmlEscaped());");
        wrong("page->setHtml(text);");
        wrong("QMessageBox::warning(this, title, text);");
        wrong("QInputDialog::getText(this, title, text);");
        wrong("label->setText(text.html());");
        wrong("button->setWhatsThis(name);");
        wrong("label->setOpenExternalLinks(true);");
    }
    void lines() {
        QFETCH(QString, line);
        QFETCH(bool, is_fine);
        const QTemporaryDir folder;
        const fs::path file = fs::path(folder.path().toStdString()) / "ui/views/page.cpp";
        fs::create_directories(file.parent_path());
        std::ofstream(file) << "\n" << line.toStdString() << "\n";
        const auto breaches = markupBreaches(folder.path().toStdString());
        QVERIFY2(breaches.empty() == is_fine, join(breaches, "\n").c_str());
        if (!is_fine)
            QVERIFY2(breaches.front().starts_with("ui/views/page.cpp:"), breaches.front().c_str());
    }

    void anEmptyTreeIsABreach() {
        const QTemporaryDir folder;
        QCOMPARE(markupBreaches(folder.path().toStdString()).size(), std::size_t{1});
    }
};

const headscope::test::TestRegistration<TestMarkupRules> registration;

} // namespace test_markup_rules

#include "test_markup_rules.moc"
