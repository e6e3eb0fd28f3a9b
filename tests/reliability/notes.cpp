// What the row notes disturbs: takes notes on one model as a window does, and says which it has
// kept. reliability_notes MODEL NAME COUNT; the user's data is where XDG_DATA_HOME says.

#include "core/base/layer_head.h"
#include "ui/document/note_book.h"

#include <QCoreApplication>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

namespace {

using namespace headscope;
using namespace headscope::ui;

constexpr unsigned kLayers = 3;
constexpr unsigned kHeads = 4;

} // namespace

int main(int count, char** arguments) {
    if (count != 4)
        return 2;
    const QCoreApplication application(count, arguments);
    QCoreApplication::setOrganizationName(QStringLiteral("HeadscopeTest"));
    QCoreApplication::setApplicationName(QStringLiteral("HeadscopeTest"));
    const std::string name = arguments[2];
    std::mt19937 random(static_cast<unsigned>(std::hash<std::string>()(name)));
    NoteBook book;
    book.setModel(arguments[1]);
    for (int i = 0; i < std::atoi(arguments[3]); ++i) {
        const LayerHead head{random() % kLayers, random() % kHeads};
        const std::string text = name + '-' + std::to_string(i);
        HeadNote note = book.note(head);
        note.text += (note.text.empty() ? "" : " | ") + text;
        book.setNote(head, note);
        const bool is_kept = book.keep();
        std::printf("%s %zu.%zu %s\n", is_kept ? "kept" : "refused", head.layer, head.head,
                    text.c_str());
        std::fflush(stdout);
    }
}
