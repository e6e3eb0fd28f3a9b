#pragma once

#include "core/export/project_file.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/window/messages.h"
#include "ui/views/window/project_keeper.h"

#include <QAction>
#include <QByteArray>
#include <QFile>
#include <QString>
#include <QTest>

namespace headscope::ui::test {

inline const QString kPrompt = QStringLiteral("Once upon a time there was a cat named Tom");

/// A window in which work is done that a project keeps.
class StudyWindow {
protected:
    bool openWindow() {
        if (!window_.open(QStringLiteral("gpt2-mini-6l")))
            return false;
        project_ = window_.settings().path(QStringLiteral("study.headscope"));
        return true;
    }
    void makeStudy() {
        Document& document = window_->document();
        document.setPromptText(kPrompt);
        document.ablation().ablateOnly({{4, 1}, {2, 3}}, AblationKind::Mean,
                                       QStringLiteral("study"));
        document.setThreshold(HeadTypeId::Induction, 0.25);
        document.selection().choose({{2, 3}, {4, 1}}, {4, 1});
        document.notes().setNote({4, 1}, {"finds the name", true});
        document.comparison().turnOn();
        document.comparison().setPromptText(QStringLiteral("Once more"));
        window()->patternView().showPage(PatternPage::Text);
        QTRY_VERIFY_WITH_TIMEOUT(document.promptRunner().result() &&
                                     document.promptRunner().result()->prompt.text ==
                                         kPrompt.toStdString(),
                                 kPatience);
        QVERIFY(window_->settled());
        document.selection().lockRow(3);
    }
    void save() {
        window_->dialogs.to_save = project_;
        window_->find<QAction>("actionSaveProject")->trigger();
        QVERIFY2(message().contains(project_), qPrintable(message()));
    }
    /// Opens it and waits until everything has run.
    void openProject() {
        window()->openPath(project_);
        QTRY_VERIFY_WITH_TIMEOUT(!window()->project().isOpening(), kPatience);
        QVERIFY(window_->settled());
        QCOMPARE(window()->project().path(), project_);
    }
    static QByteArray contentOf(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    MainWindow* window() { return &**window_; }
    QString title() { return window()->windowTitle(); }
    QString message() { return window()->messages().text(); }

    SharedWindow window_;
    QString project_;
};

} // namespace headscope::ui::test
