#pragma once

#include "tests/ui/views/window_under_test.h"
#include "ui/tables/number_table.h"
#include "ui/views/pattern/pattern_view.h"

#include <QApplication>
#include <QByteArray>
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMenu>
#include <QProcess>
#include <QProcessEnvironment>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QTimer>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace headscope::ui::test {

#ifdef HEADSCOPE_PYTHON
inline constexpr const char* kPython = HEADSCOPE_PYTHON;
inline constexpr const char* kPythonModule = HEADSCOPE_PYTHON_MODULE;
#else
inline constexpr const char* kPython = ""; ///< the module is not built
inline constexpr const char* kPythonModule = "";
#endif
inline const bool kHasPython = *kPython != '\0';

/// An empty folder with a shell and a Python in which what was copied is pasted.
class Paste {
public:
    static QString copied() { return QGuiApplication::clipboard()->text(); }

    /// Standard output of the lines on the clipboard, each with `more` behind it.
    QByteArray run(const QString& more = {}) {
        QString lines = copied();
        if (!more.isEmpty())
            lines += QLatin1Char(' ') + more;
        return start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), lines});
    }
    /// What a command says with --json; null where it fails.
    nlohmann::json json() {
        const QByteArray out = run(QStringLiteral("--json"));
        return nlohmann::json::parse(out.toStdString(), nullptr, false);
    }
    /// What the lines of Python leave, as this expression says it; null where they fail.
    nlohmann::json python(const QString& expression) {
        const QString script = copied() + QStringLiteral("import json, numpy\n"
                                                         "print(json.dumps(%1, default=float))\n")
                                              .arg(expression);
        const QByteArray out = start(QString::fromLatin1(kPython), {QStringLiteral("-c"), script});
        const QByteArray last = out.trimmed().split('\n').last(); // a script says more before
        return nlohmann::json::parse(last.toStdString(), nullptr, false);
    }

    /// The numbers of a column of a table that the lines of Python leave; empty where they fail.
    std::vector<double> pythonColumn(const char* table, const char* column) {
        const nlohmann::json list =
            python(QStringLiteral("[None if x != x else x for x in %1['%2'].tolist()]")
                       .arg(QLatin1String(table), QLatin1String(column)));
        std::vector<double> numbers;
        if (list.is_array())
            for (const nlohmann::json& number : list)
                numbers.push_back(number.is_number() ? number.get<double>() : std::nan(""));
        return numbers;
    }

    /// The one file that was written with this extension; empty: none.
    QString file(const QString& extension) const {
        const QStringList found =
            QDir(folder_.path()).entryList({QLatin1Char('*') + extension}, QDir::Files);
        return found.size() == 1 ? folder_.filePath(found.first()) : QString();
    }
    QString path(const QString& name) const { return folder_.filePath(name); }
    QString error() const { return error_; }

private:
    QByteArray start(const QString& program, const QStringList& arguments) {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        const QString commands = QFileInfo(QStringLiteral(HEADSCOPE_CLI)).path();
        environment.insert(QStringLiteral("PATH"),
                           commands + QLatin1Char(':') + environment.value(QStringLiteral("PATH")));
        environment.insert(QStringLiteral("PYTHONPATH"), QString::fromLatin1(kPythonModule));
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(folder_.path());
        process.start(program, arguments);
        if (!process.waitForFinished(kPatience) || process.exitCode() != 0)
            error_ = QString::fromUtf8(process.readAllStandardError());
        return process.readAllStandardOutput();
    }

    QTemporaryDir folder_;
    QString error_;
};

inline const QString kStory =
    QStringLiteral("When Mary and John went to the store, John gave a drink to");

/// The heatmap of one head on the story, whatever was shown before. False when it never runs.
inline bool showsTheStory(WindowUnderTest& window) {
    Document& document = window.document();
    document.ablation().clearMask();
    document.ablation().setKind(AblationKind::Zero);
    document.setBosMode(BosMode::Auto);
    document.comparison().turnOff();
    document.setPromptText(kStory);
    document.selection().select({4, 1});
    if (!window.hasRun())
        return false;
    PatternView& pattern = window->patternView();
    pattern.showPage(PatternPage::Heatmap);
    PatternSettings settings = pattern.settings();
    settings.map = PatternMap::Attention;
    pattern.setSettings(settings);
    return true;
}

inline QByteArray bytesOfFile(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Opens the menu of a button and takes the entry of this name. False when it is greyed or missing.
inline bool clickInMenu(QPushButton* button, const char* name) {
    bool clicked = false;
    bool closed = false;
    QTimer::singleShot(0, button, [&] {
        closed = true;
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        if (!menu)
            return;
        const QList<QAction*> actions = menu->actions();
        const auto entry = std::ranges::find(actions, QLatin1String(name), &QAction::objectName);
        clicked = entry != actions.end() && (*entry)->isEnabled();
        if (clicked) {
            // By keyboard: Qt 6.8 takes a click near the one that opened the menu for a slip.
            menu->setActiveAction(*entry);
            QTest::keyClick(menu, Qt::Key_Return);
        }
        menu->close();
    });
    // In Qt 6.4 this returns when the menu closes, in Qt 6.8 when it opens.
    QTest::mouseClick(button, Qt::LeftButton);
    return QTest::qWaitFor([&] { return closed; }) && clicked;
}

/// "Copy as ▸ Command" of a dialog; false where it is greyed.
inline bool copiesCommand(const QWidget* dialog) {
    return clickInMenu(dialog->findChild<QPushButton*>(QStringLiteral("copyAs")), "copyCommand");
}
inline bool copiesPython(const QWidget* dialog) {
    return clickInMenu(dialog->findChild<QPushButton*>(QStringLiteral("copyAs")), "copyPython");
}

/// Whether two numbers are the same but for how many decimals are stored.
inline bool isClose(double a, double b, double tolerance = 1e-5) {
    return (std::isnan(a) && std::isnan(b)) ||
           std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

/// A number of JSON; NaN for null.
inline double numberOf(const nlohmann::json& value) {
    return value.is_number() ? value.get<double>() : std::nan("");
}

/// Whether two lists hold the same numbers, in whatever order.
inline bool haveSameNumbers(std::vector<double> a, std::vector<double> b) {
    if (a.size() != b.size() || a.empty())
        return false;
    const auto before = [](double x, double y) {
        return std::isnan(y) ? !std::isnan(x) : x < y; // NaN last
    };
    std::ranges::sort(a, before);
    std::ranges::sort(b, before);
    return std::ranges::equal(a, b, [](double x, double y) { return isClose(x, y); });
}

/// The numbers of a column of a table as it is shown, in full precision.
inline std::vector<double> shownNumbers(const QTableView* view, int column) {
    std::vector<double> numbers;
    for (int row = 0; row < view->model()->rowCount(); ++row)
        numbers.push_back(
            view->model()->index(row, column).data(NumberTable::kSortRole).toDouble());
    return numbers;
}

/// The numbers that the elements of a list have under one name.
inline std::vector<double> numbersOf(const nlohmann::json& list, const char* key) {
    std::vector<double> numbers;
    for (const nlohmann::json& element : list)
        numbers.push_back(numberOf(element.at(key)));
    return numbers;
}

} // namespace headscope::ui::test
