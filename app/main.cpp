#include "core/base/memory.h"
#include "core/io/end_signals.h"
#include "core/tensor/blas_memory.h"
#include "ui/views/dialogs.h"
#include "ui/views/figure.h"
#include "ui/views/main_window.h"
#include "ui/views/theme.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QHashSeed>
#include <QIcon>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

using namespace headscope;
using namespace headscope::ui;

namespace {

struct MainText {
    Q_DECLARE_TR_FUNCTIONS(MainText)
};

/// A picture needs no screen, and the platform is chosen before any argument is parsed.
void leaveScreenForFigure(int argc, char** argv) {
    for (int i = 1; i < argc; ++i)
        if (std::string_view(argv[i]).starts_with("--figure") && !std::getenv("QT_QPA_PLATFORM"))
            setenv("QT_QPA_PLATFORM", "offscreen", 1);
}

int fail(const std::string& sentence) {
    std::fprintf(stderr, "headscope: %s\n", sentence.c_str());
    return EXIT_FAILURE;
}

/// At once: a thread of OpenBLAS that still asks for memory would never be done.
[[noreturn]] void leave(const std::string& sentence) {
    std::_Exit(fail(sentence));
}

int writeFigure(const FigureRequest& request) {
    const auto written = renderFigure(request);
    if (written)
        return EXIT_SUCCESS;
    return fail(written.error().message);
}

int runWindow(int argc, char** argv) {
    leaveScreenForFigure(argc, argv);
    // A PDF holds its fonts in the order of a QHash, and the same figure is to give the same bytes.
    QHashSeed::setDeterministicGlobalSeed();
    const QApplication application(argc, argv);
    QCoreApplication::setOrganizationName(QStringLiteral("Headscope"));
    QCoreApplication::setApplicationName(QStringLiteral("Headscope"));
    QCoreApplication::setApplicationVersion(QStringLiteral(HEADSCOPE_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.headscope.Headscope"));
    QGuiApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/headscope.svg")));

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
    parser.addOptions({text, head, figure});
    parser.addPositionalArgument(MainText::tr("model"),
                                 MainText::tr("A weight file (.h5) to open."),
                                 MainText::tr("[model]"));
    parser.process(application);

    const QString model = parser.positionalArguments().value(0);
    const std::optional<QString> prompt =
        parser.isSet(text) ? std::optional(parser.value(text)) : std::nullopt;
    if (parser.isSet(figure))
        return writeFigure({model, prompt, parser.value(head), parser.value(figure)});

    applyTheme(keptTheme());
    Dialogs dialogs;
    MainWindow window(dialogs);
    window.show();
    window.start({model, prompt, parser.value(head)});
    return QApplication::exec();
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (const auto reserved = reserveBlasMemory(); !reserved)
            leave(reserved.error().message);
        cleanUpOnEndSignals();
        return runWindow(argc, argv);
    } catch (const std::bad_alloc&) {
        leave(memoryIsUsedUp().message);
    }
}
