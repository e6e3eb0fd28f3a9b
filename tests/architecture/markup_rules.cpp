#include "tests/architecture/markup_rules.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <string_view>
#include <utility>

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 100;

/// What only some files may say.
struct Reserved {
    std::vector<std::string_view> words;
    std::vector<std::string_view> places; ///< prefixes of paths
    std::string_view instead;
};

const std::vector<Reserved>& reserved() {
    static const std::vector<Reserved> all{
        {{"toHtmlEscaped"},
         {"ui/markup/", "ui/widgets/figure/"}, // whose texts are XML
         "escape by Markup(text)"},
        {{"convertFromPlainText", "mightBeRichText", "QTextDocumentFragment"},
         {"ui/markup/"},
         "use asTip(), textOfTip() or Markup::plainText()"},
        {{"setHtml", "insertHtml", "appendHtml", "setMarkdown", "QTextBrowser", "QTextEdit",
          "QStaticText"},
         {"ui/widgets/labels."},
         "show it in a MarkupPage"},
        {{"setTextFormat", "RichText", "AutoText", "MarkdownText"},
         {"ui/widgets/labels.", "ui/widgets/message_boxes."},
         "use a TextLabel or a MarkupLabel"},
        {{"new QLabel", "make_unique<QLabel>", "public QLabel"},
         {"ui/widgets/labels."},
         "use a TextLabel or a MarkupLabel"},
        {{"new QMessageBox", "QMessageBox::about", "QMessageBox::critical",
          "QMessageBox::information", "QMessageBox::question", "QMessageBox::warning"},
         {"ui/widgets/message_boxes."},
         "use message_boxes.h"},
        {{"setWhatsThis", "QWhatsThis", "QInputDialog", "QProgressDialog", "QErrorMessage"},
         {},
         "it takes what looks like HTML for it"},
        {{"html()"},
         {"ui/markup/", "ui/widgets/labels.", "ui/widgets/message_boxes."},
         "compose by markup(), show by a MarkupLabel or asTip()"},
        {{"setOpenLinks", "setOpenExternalLinks", "linkActivated", "anchorClicked"},
         {"ui/widgets/labels."},
         "texts have no links"},
        {{"setDefaultResourceProvider", "setResourceProvider", "addResource"},
         {"ui/markup/"},
         "texts load nothing"},
    };
    return all;
}

bool isOfName(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Where a word is as a whole, from a place on; npos: nowhere.
std::size_t findWord(const std::string& text, std::string_view word, std::size_t from) {
    for (auto at = text.find(word, from); at != std::string::npos; at = text.find(word, at + 1)) {
        const auto end = at + word.size();
        const bool begins = at == 0 || !isOfName(text[at - 1]);
        const bool ends = end >= text.size() || !isOfName(text[end]) || !isOfName(word.back());
        if (begins && ends)
            return at;
    }
    return std::string::npos;
}

template <class Act>
void forEachWord(const std::string& text, std::string_view word, Act act) {
    for (auto at = findWord(text, word, 0); at != std::string::npos;
         at = findWord(text, word, at + 1))
        act(at);
}

std::string contentOf(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Comments as spaces, so that places stay where they are.
std::string withoutComments(std::string text) {
    bool in_string = false;
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
        if (text[i] == '\\' && in_string) {
            ++i;
        } else if (text[i] == '"' && (i == 0 || text[i - 1] != '\'')) {
            in_string = !in_string;
        } else if (!in_string && text[i] == '/' && text[i + 1] == '/') {
            for (; i < text.size() && text[i] != '\n'; ++i)
                text[i] = ' ';
        }
    }
    return text;
}

/// The arguments of a call whose opening parenthesis is just before `begin`, as they are written.
std::vector<std::string> argumentsAt(const std::string& text, std::size_t begin) {
    std::vector<std::string> arguments(1);
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = begin; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string && c == '\\') {
            arguments.back() += c;
            arguments.back() += text[++i];
            continue;
        }
        if (c == '"')
            in_string = !in_string;
        if (!in_string) {
            if (c == '(' || c == '[' || c == '{')
                ++depth;
            else if ((c == ')' || c == ']' || c == '}') && depth-- == 0)
                return arguments;
            if (c == ',' && depth == 0) {
                arguments.emplace_back();
                continue;
            }
        }
        arguments.back() += c;
    }
    return arguments;
}

std::size_t lineOf(const std::string& text, std::size_t place) {
    return 1 + static_cast<std::size_t>(std::count(
                   text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
}

/// tr("…") and nothing more.
const std::string kTranslated = R"((?:\w+::)?\s*tr\(\s*(?:"(?:[^"\\]|\\.)*"\s*)+\))";

bool isSafeTip(const std::string& argument) {
    static const std::regex kSafe(R"(\s*(?:asTip\([^]*\)|QString\(\)|\{\}|)" + kTranslated +
                                  R"()\s*)");
    return std::regex_match(argument, kSafe);
}

bool isOwnTemplate(const std::string& argument) {
    static const std::regex kOwn(R"(\s*(?:(?:u"(?:[^"\\]|\\.)*"\s*)(?:"(?:[^"\\]|\\.)*"\s*)*|)" +
                                 kTranslated + R"()\s*)");
    return std::regex_match(argument, kOwn);
}

class FileCheck {
public:
    FileCheck(std::string name, const std::string& content, std::vector<std::string>& breaches)
        : name_(std::move(name)), text_(withoutComments(content)), breaches_(breaches) {}

    void reservedWords() {
        for (const Reserved& each : reserved()) {
            const bool may = std::ranges::any_of(
                each.places, [&](std::string_view place) { return name_.starts_with(place); });
            if (!may)
                for (const std::string_view word : each.words)
                    forEachWord(text_, word, [&](std::size_t at) {
                        say(at, "says '" + std::string(word) + "'; " + std::string(each.instead));
                    });
        }
    }

    /// A label or a box that is no pointer: its type, a name and what begins it.
    void objects() {
        static const std::regex kObject(R"(^ \w+\s*[({;=])");
        for (const std::string_view type : {"QLabel", "QMessageBox"})
            if (!name_.starts_with("ui/widgets/labels.") &&
                !name_.starts_with("ui/widgets/message_boxes."))
                forEachWord(text_, type, [&](std::size_t at) {
                    const std::string after = text_.substr(at + type.size(), kLongestName);
                    if (std::regex_search(after, kObject))
                        say(at, "has a " + std::string(type) + " of its own");
                });
    }

    void toolTips() {
        for (const std::string_view setter :
             {"setToolTip(", "setTabToolTip(", "QToolTip::showText("})
            forEachWord(text_, setter, [&](std::size_t at) {
                const auto arguments = argumentsAt(text_, at + setter.size());
                const std::size_t which = setter == "setToolTip(" ? arguments.size() - 1 : 1;
                if (which >= arguments.size() || !isSafeTip(arguments[which]))
                    say(at, "gives '" + std::string(setter) + "' a text that is not from asTip()");
            });
        forEachWord(text_, "ToolTipRole", [&](std::size_t at) {
            const auto begin = text_.find_last_of(";{}", at) + 1;
            const auto end = text_.find(';', at);
            if (text_.substr(begin, end - begin).find("asTip(") == std::string::npos)
                say(at, "answers or sets ToolTipRole without asTip()");
        });
    }

    void templates() {
        constexpr std::string_view kCall = "markup(";
        forEachWord(text_, kCall, [&](std::size_t at) {
            if (!isOwnTemplate(argumentsAt(text_, at + kCall.size()).front()))
                say(at, "makes markup of what is no literal or tr() of one");
        });
    }

private:
    void say(std::size_t place, const std::string& what) {
        breaches_.push_back(name_ + ":" + std::to_string(lineOf(text_, place)) + " " + what);
    }

    std::string name_;
    std::string text_;
    std::vector<std::string>& breaches_;
};

} // namespace

std::vector<std::string> markupBreaches(const fs::path& root) {
    std::vector<std::string> breaches;
    std::vector<std::string> files;
    std::error_code missing;
    for (const char* tree : {"ui", "app"})
        for (const auto& entry : fs::recursive_directory_iterator(root / tree, missing))
            if (entry.path().extension() == ".cpp" || entry.path().extension() == ".h")
                files.push_back(entry.path().lexically_relative(root).generic_string());
    if (files.empty())
        breaches.emplace_back("ui/ and app/ hold no source file");
    std::ranges::sort(files);
    for (const std::string& file : files) {
        FileCheck check(file, contentOf(root / file), breaches);
        check.reservedWords();
        check.objects();
        check.toolTips();
        if (!file.starts_with("ui/markup/"))
            check.templates();
    }
    return breaches;
}

} // namespace headscope
