#include "core/base/memory.h"
#include "core/base/stack.h"
#include "core/io/allowed_folders.h"
#include "core/io/end_signals.h"
#include "core/tensor/blas_memory.h"
#include "core/tensor/startup.h"
#include "ui/views/dialogs.h"
#include "ui/views/figure.h"
#include "ui/views/language.h"
#include "ui/views/main_window.h"
#include "ui/views/running_window.h"
#include "ui/views/theme.h"
#include "ui/views/window_commands.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QDBusConnection>
#include <QHashSeed>
#include <QIcon>
#include <QLocale>
#include <QProcess>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

using namespace headscope;
using namespace headscope::ui;

namespace {

struct MainText {
    Q_DECLARE_TR_FUNCTIONS(MainText)
};

int fail(const std::string& sentence) {
    std::fprintf(stderr, "headscope: %s\n", sentence.c_str());
    return EXIT_FAILURE;
}

/// At once: a thread of OpenBLAS that still asks for memory would never be done.
[[noreturn]] void leave(const std::string& sentence) {
    std::_Exit(fail(sentence));
}

/// Whether something is asked for that is only printed or written. What follows --text and --head
/// is their value, whatever it looks like.
bool opensNoWindow(std::span<char*> arguments) {
    constexpr std::array<std::string_view, 5> kPrinted{"-h", "--help", "--help-all", "-v",
                                                       "--version"};
    std::string_view before;
    for (const std::string_view argument : arguments) {
        if (argument == "--")
            return false;
        const bool is_value = before == "--text" || before == "--head";
        if (!is_value && (argument.starts_with("--figure") ||
                          std::ranges::find(kPrinted, argument) != kPrinted.end()))
            return true;
        before = is_value ? std::string_view() : argument;
    }
    return false;
}

bool hasScreen() {
    constexpr std::array kNamed{"DISPLAY", "WAYLAND_DISPLAY"};
    return std::ranges::any_of(kNamed, [](const char* name) {
        const char* const screen = std::getenv(name);
        return screen && *screen;
    });
}

/// Before Qt looks for a screen: where it finds none, it ends the program without a sentence. A
/// platform that the user names is taken as it is.
void chooseScreen(int argc, char** argv) {
    const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
    const auto platform = [](std::string_view argument) {
        return argument.starts_with("-platform") || argument.starts_with("--platform");
    };
    if (std::getenv("QT_QPA_PLATFORM") || std::ranges::any_of(arguments, platform))
        return;
    if (opensNoWindow(arguments))
        setenv("QT_QPA_PLATFORM", "offscreen", 1);
    else if (!hasScreen())
        leave("there is no screen to open a window on; start it from a desktop session, or use "
              "headscope-cli, which needs none.");
}

/// The command line.
struct Wish {
    QStringList models;
    std::optional<QString> prompt;
    QString head;
    std::optional<QString> figure; ///< a file to write; none: open a window
    bool reuse = false;            ///< open in a window that is open already
};

/// An option that no help lists, for the server for agents.
QCommandLineOption folderOption(std::string_view name) {
    QCommandLineOption option(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())),
                              {}, QStringLiteral("folder"));
    option.setFlags(QCommandLineOption::HiddenFromHelp);
    return option;
}

void keepToFoldersOf(const QCommandLineParser& parser, const QCommandLineOption& read,
                     const QCommandLineOption& write) {
    if (!parser.isSet(read) && !parser.isSet(write))
        return;
    AllowedFolders folders;
    for (const QString& folder : parser.values(read))
        folders.read.emplace_back(folder.toStdU16String());
    if (parser.isSet(write))
        folders.write = parser.value(write).toStdU16String();
    keepToFolders(std::move(folders));
}

/// Prints and ends the program where help or version is asked for, or what is asked is not known.
Wish readCommandLine(const QApplication& application) {
    QCommandLineParser parser;
    parser.setApplicationDescription(
        MainText::tr("See, name, prune and export the attention heads of a transformer."));
    parser.addHelpOption();
    parser.addVersionOption();
    const QCommandLineOption text(QStringLiteral("text"), MainText::tr("Start with this prompt."),
                                  MainText::tr("prompt"));
    const QCommandLineOption head(QStringLiteral("head"),
                                  MainText::tr("Select this head, such as 4.1."),
                                  MainText::tr("L.H"));
    const QCommandLineOption figure(
        QStringLiteral("figure"),
        MainText::tr("Write the head's pattern as .svg, .pdf or .png and open no window."),
        MainText::tr("file"));
    const QCommandLineOption reuse(
        QStringLiteral("reuse"),
        MainText::tr("Open the model in the window that is open already, if there is one."));
    const QCommandLineOption read = folderOption(kReadOption);
    const QCommandLineOption write = folderOption(kWriteOption);
    parser.addOptions({text, head, figure, reuse, read, write});
    parser.addPositionalArgument(
        MainText::tr("model"),
        MainText::tr("What to open, each in a window of its own: a weight file (.h5, .safetensors, "
                     ".gguf, .keras), an index of shards, the folder of a model or a project."),
        MainText::tr("[model…]"));
    parser.process(application);
    keepToFoldersOf(parser, read, write);
    return {parser.positionalArguments(),
            parser.isSet(text) ? std::optional(parser.value(text)) : std::nullopt,
            parser.value(head),
            parser.isSet(figure) ? std::optional(parser.value(figure)) : std::nullopt,
            parser.isSet(reuse)};
}

/// A window holds one model: further ones open in processes of their own.
void openFurther(const Wish& wish) {
    QStringList options;
    if (wish.prompt)
        options += QStringLiteral("--text=") + *wish.prompt;
    if (!wish.head.isEmpty())
        options += QStringLiteral("--head=") + wish.head;
    for (const QString& model : wish.models.mid(1))
        QProcess::startDetached(QCoreApplication::applicationFilePath(),
                                options + QStringList{QStringLiteral("--"), model});
}

int writeFigure(const FigureRequest& request) {
    const auto written = renderFigure(request);
    if (written)
        return EXIT_SUCCESS;
    return fail(written.error().message);
}

int runWindow(int argc, char** argv) {
    chooseScreen(argc, argv);
    // A PDF holds its fonts in the order of a QHash, and the same figure is to give the same bytes.
    QHashSeed::setDeterministicGlobalSeed();
    const QApplication application(argc, argv);
    speakFirstOf(QLocale::system().uiLanguages());
    QCoreApplication::setOrganizationName(QStringLiteral("Headscope"));
    QCoreApplication::setApplicationName(QStringLiteral("Headscope"));
    QCoreApplication::setApplicationVersion(QStringLiteral(HEADSCOPE_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.headscope.Headscope"));
    QGuiApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/headscope.svg")));

    const Wish wish = readCommandLine(application);
    const QString model = wish.models.value(0);
    if (wish.figure && wish.models.size() > 1)
        return fail("--figure draws one model; name one.");
    if (wish.figure)
        return writeFigure({model, wish.prompt, wish.head, *wish.figure});

    if (wish.reuse && (wish.models.size() > 1 || wish.prompt || !wish.head.isEmpty()))
        return fail("--reuse hands one model to the open window, without --text and --head.");
    const QDBusConnection bus = QDBusConnection::sessionBus();
    if (wish.reuse && openInRunningWindow(model, bus))
        return EXIT_SUCCESS;

    openFurther(wish);
    applyTheme(keptTheme());
    Dialogs dialogs;
    MainWindow window(dialogs, windowCommands);
    window.show();
    window.start({model, wish.prompt, wish.head});
    const RunningWindow running(window, bus);
    return QApplication::exec();
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (const auto reserved = reserveStack(); !reserved)
            leave(reserved.error().message);
        restartWithMissedBlasKernels(argv);
        shareFreedMemory();
        if (const auto reserved = reserveBlasMemory(); !reserved)
            leave(reserved.error().message);
        cleanUpOnEndSignals();
        return runWindow(argc, argv);
    } catch (const std::bad_alloc&) {
        leave(memoryIsUsedUp().message);
    }
}
