#pragma once

#include "tests/support/sample_scores.h"
#include "ui/document/document.h"
#include "ui/tables/head_text.h"
#include "ui/views/dialogs.h"
#include "ui/views/main_window.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/window_commands.h"

#include <QAction>
#include <QComboBox>
#include <QCoreApplication>
#include <QSettings>
#include <QStringList>
#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <vector>

namespace headscope::ui::test {

constexpr int kPatience = 60000; // milliseconds; never reached by a test that passes

inline QString fixturePath(const QString& name) {
    return QStringLiteral(HEADSCOPE_TEST_DATA "/fixtures/") + name + QStringLiteral(".h5");
}
inline QString samplePath(const QString& name) {
    return QStringLiteral(HEADSCOPE_SAMPLE_MODELS "/%1.h5").arg(name);
}

/// Answers what a person would have chosen.
class FakeDialogs : public Dialogs {
public:
    QString fileToOpen(QWidget*, const QString&) override { return to_open; }
    QString folderToOpen(QWidget*, const QString&) override { return to_open; }
    QString storedOutputsToOpen(QWidget*, const QString&) override { return to_open; }
    QString examplesToOpen(QWidget*, const QString&) override { return to_open; }
    QString textToOpen(QWidget*, const QString&) override { return to_open; }
    QString fileToSave(QWidget*, const QString& suggestion, const QString&) override {
        suggested = suggestion;
        return to_save;
    }

    SaveAnswer askToSave(QWidget*, const QString&) override { return to_answer; }

    ReplaceAnswer askToReplace(QWidget*, const QString& name) override {
        to_be_replaced << name;
        return to_replace;
    }

    void showInFolder(const QString& path) override { shown_in_folder = path; }

    QString to_open;
    QString to_save;
    QString suggested; ///< as the file to save
    SaveAnswer to_answer = SaveAnswer::Discard;
    ReplaceAnswer to_replace = ReplaceAnswer::Cancel;
    QStringList to_be_replaced; ///< what was asked for
    QString shown_in_folder;
};

/// Empty settings, data and cache of a user for one test, and a folder to write to.
class TemporarySettings {
public:
    TemporarySettings() {
        QCoreApplication::setOrganizationName(QStringLiteral("HeadscopeTest"));
        QCoreApplication::setApplicationName(QStringLiteral("HeadscopeTest"));
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder_.path());
        QSettings().clear();
        qputenv("XDG_DATA_HOME", path(QStringLiteral("data")).toUtf8());
        qputenv("XDG_CACHE_HOME", path(QStringLiteral("cache")).toUtf8());
    }

    QString path(const QString& name) const { return folder_.filePath(name); }

private:
    QTemporaryDir folder_;
};

/// A window as a person has it before them, on a sample model that has been run and scored.
class WindowUnderTest {
public:
    WindowUnderTest() {
        window_ = std::make_unique<MainWindow>(dialogs, windowCommands,
                                               headscope::test::scoreSamplesOnce);
    }

    MainWindow& operator*() { return *window_; }
    MainWindow* operator->() { return window_.get(); }
    Document& document() { return window_->document(); }

    /// False when the model never arrives.
    bool start(const QString& sample) {
        return startOn(sample.isEmpty() ? QString() : samplePath(sample));
    }
    bool startOn(const QString& path) {
        StartOptions options;
        options.model = path;
        return start(options);
    }
    bool start(const StartOptions& options) {
        window_->show();
        window_->activateWindow();
        window_->start(options);
        return QTest::qWaitForWindowActive(window_.get()) && settled();
    }

    /// Waits until nothing is loading, running or being measured, and the heatmap of the selected
    /// head is read and laid out.
    bool settled() {
        const bool is_settled = QTest::qWaitFor(
            [this] {
                Document& open = document();
                return open.model() && !open.loader()->isBusy() &&
                       !open.promptRunner().worker()->isBusy() &&
                       !open.headScorer().worker()->isBusy() &&
                       !open.headScorer().promptReader()->isBusy() && !open.notes().isReading() &&
                       !open.labelTester().isReading() && !open.labelTester().isWriting() &&
                       !window_->patternView().isReading();
            },
            kPatience);
        QCoreApplication::processEvents();
        return is_settled;
    }

    /// Waits for the run of the prompt and the ablated heads that are asked for now.
    bool hasRun() {
        return QTest::qWaitFor(
            [this] {
                const auto result = document().promptRunner().result();
                return result && toQString(result->prompt.text) == document().promptText() &&
                       result->mask == document().ablation().mask() &&
                       !document().promptRunner().worker()->isBusy();
            },
            kPatience);
    }

    template <class T>
    T* find(const char* name) {
        return window_->findChild<T*>(QString::fromLatin1(name));
    }

    void close() {
        window_->close();
        window_.reset();
    }

    FakeDialogs dialogs;

private:
    std::unique_ptr<MainWindow> window_;
};

/// One window for all functions of a test, since opening one takes longer than most of them.
class SharedWindow {
public:
    bool open(const QString& sample) {
        settings_ = std::make_unique<TemporarySettings>();
        return openAgain(sample);
    }
    /// Another window with the settings that the one before left.
    bool openAgain(const QString& sample) {
        window_ = std::make_unique<WindowUnderTest>();
        return window_->start(sample);
    }
    void close() { window_.reset(); }

    const TemporarySettings& settings() const { return *settings_; }
    WindowUnderTest& operator*() { return *window_; }
    WindowUnderTest* operator->() { return window_.get(); }

private:
    std::unique_ptr<TemporarySettings> settings_;
    std::unique_ptr<WindowUnderTest> window_;
};

/// Goes to an entry with the arrow keys; stops at the last one when there is no such entry.
inline void chooseByKeys(QComboBox* box, const QString& text) {
    QTest::keyClick(box, Qt::Key_Home);
    while (box->currentText() != text && box->currentIndex() + 1 < box->count())
        QTest::keyClick(box, Qt::Key_Down);
}

/// A dialog of the window with its fields, opened as a person would.
template <class Dialog>
class OpenedDialog {
public:
    OpenedDialog(WindowUnderTest& window, const char* action, const char* name) {
        window.find<QAction>(action)->trigger();
        dialog = window.find<Dialog>(name);
    }

    template <class T>
    T* find(const char* name) const {
        return dialog->template findChild<T*>(QString::fromLatin1(name));
    }

    Dialog* dialog = nullptr;
};

} // namespace headscope::ui::test
