#include "core/base/text.h"
#include "tests/architecture/include_rules.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace test_include_rules {

using namespace headscope;
namespace fs = std::filesystem;

namespace {

const std::vector<IncludeRule> kSmallRules{
    {"core/base/", {}},
    {"core/io/", {"core/base/*", "hdf5.h"}},
    {"ui/widgets/", {"core/base/*", "Q*"}},
    {"ui/widgets/heatmap", {"Q*", "qcustomplot.h"}},
    {"ui/views/dialogs", {"Q*"}},
    {"ui/views/grid/", {"ui/views/dialogs.h", "Q*"}},
    {"ui/views/window/", {"ui/views/grid/*", "Q*"}},
    {"app/", {"ui/*", "Q*"}},
};

/// A tree that keeps the small rules, to be spoilt by one file per test.
class SmallTree {
public:
    SmallTree() {
        write("core/base/text.h", "#include <string>\n");
        write("core/base/text.cpp", "#include \"core/base/text.h\"\n");
        write("core/base/parts/list.h", "#include \"core/base/text.h\"\n");
        write("core/io/file.cpp",
              "#include \"core/base/text.h\"\n\n#include <hdf5.h>\n#include <vector>\n");
        write("ui/widgets/strip.cpp", "#include <QWidget>\n");
        write("ui/widgets/heatmap.h", "#include <qcustomplot.h>\n");
        write("ui/views/dialogs.h", "#include <QWidget>\n");
        write("ui/views/grid/grid.h", "#include \"ui/views/dialogs.h\"\n");
        write("ui/views/grid/cells/cell.h", "");
        write("ui/views/window/window.h", "#include \"ui/views/grid/grid.h\"\n");
        write("app/main.cpp", "#include \"ui/views/dialogs.h\"\n#include "
                              "\"ui/widgets/heatmap.h\"\n#include <QApplication>\n");
    }

    fs::path root() const { return directory_.path().toStdString(); }

    void write(const fs::path& file, std::string_view content) const {
        fs::create_directories((root() / file).parent_path());
        std::ofstream(root() / file) << content;
    }

    std::vector<std::string> breaches() const { return includeBreaches(root(), kSmallRules); }

private:
    QTemporaryDir directory_;
};

} // namespace

class TestIncludeRules : public QObject {
    Q_OBJECT

private slots:
    void repositoryKeepsItsRules() {
        const auto breaches = includeBreaches(HEADSCOPE_REPOSITORY, includeRules());
        QVERIFY2(breaches.empty(), join(breaches, "\n").c_str());
    }

    void repositoryHasAnOrder() {
        const auto breaches = orderBreaches(includeRules());
        QVERIFY2(breaches.empty(), join(breaches, "\n").c_str());
    }

    void ruleThatAllowsWhatIsBelowIsNamed() {
        std::vector<IncludeRule> rules = kSmallRules;
        QCOMPARE(orderBreaches(rules), std::vector<std::string>{});
        rules[5].allowed.emplace_back("ui/views/window/*");
        const std::vector<std::string> expected{
            "the rule for ui/views/grid/ allows ui/views/window/*, and that for ui/views/window/ "
            "stands below it"};
        QCOMPARE(orderBreaches(rules), expected);
    }

    void repositoryHasDoorsAlone() {
        const auto breaches = doorBreaches(HEADSCOPE_REPOSITORY);
        QVERIFY2(breaches.empty(), join(breaches, "\n").c_str());
    }

    void repositoryGivesEachNameOnce() {
        const auto breaches = nameBreaches(HEADSCOPE_REPOSITORY);
        QVERIFY2(breaches.empty(), join(breaches, "\n").c_str());
    }

    void nameOfTwoTypesIsNamed() {
        const SmallTree tree;
        tree.write("core/io/first.h", "namespace headscope {\nclass Part;\nstruct Part {\n};\n}\n");
        tree.write("core/io/parts/other.h",
                   "namespace headscope {\nclass Part final : public Whole {\n};\n}\n");
        tree.write("ui/widgets/part.h", "namespace headscope::ui {\nenum class Part { A };\n}\n");
        QCOMPARE(
            nameBreaches(tree.root()),
            std::vector<std::string>{"core/io/parts/other.h:2 defines headscope::Part, and so does "
                                     "core/io/first.h:3"});
    }

    void cleanTreePasses() {
        const SmallTree tree;
        const auto breaches = tree.breaches();
        QVERIFY2(breaches.empty(), join(breaches, "\n").c_str());
        const auto doors = doorBreaches(tree.root());
        QVERIFY2(doors.empty(), join(doors, "\n").c_str());
    }

    void badFileIsNamed_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("content");
        QTest::addColumn<QString>("breach");

        QTest::newRow("against the direction of the data")
            << "core/base/bad.h"
            << "#pragma once\n#include \"core/io/file.cpp\"\n"
            << "core/base/bad.h:2 includes core/io/file.cpp, which the rule for core/base/ does "
               "not allow";
        QTest::newRow("past the door of a room")
            << "core/io/bad.cpp"
            << "#include \"core/base/parts/list.h\"\n"
            << "core/io/bad.cpp:1 includes core/base/parts/list.h, which is inside core/base/; a "
               "room is entered by the headers at its top";
        QTest::newRow("up among the views")
            << "ui/views/grid/bad.cpp"
            << "#include \"ui/views/window/window.h\"\n"
            << "ui/views/grid/bad.cpp:1 includes ui/views/window/window.h, which the rule for "
               "ui/views/grid/ does not allow";
        QTest::newRow("past the door of a folder of the views")
            << "ui/views/window/bad.cpp"
            << "#include \"ui/views/grid/cells/cell.h\"\n"
            << "ui/views/window/bad.cpp:1 includes ui/views/grid/cells/cell.h, which is inside "
               "ui/views/grid/; a room is entered by the headers at its top";
        QTest::newRow("up from a file beside the folders of the views")
            << "ui/views/dialogs.cpp"
            << "#include \"ui/views/grid/grid.h\"\n"
            << "ui/views/dialogs.cpp:1 includes ui/views/grid/grid.h, which the rule for "
               "ui/views/dialogs does not allow";
        QTest::newRow("view without a rule")
            << "ui/views/other/fine.h"
            << ""
            << "ui/views/other/fine.h is in a folder without a rule";
        QTest::newRow("Qt in core") << "core/base/bad.cpp"
                                    << "#include <QString>\n"
                                    << "core/base/bad.cpp:1 includes QString, which the rule for "
                                       "core/base/ does not allow";
        QTest::newRow("Qt in core by its other name")
            << "core/io/bad.cpp"
            << "#  include <qstring.h>\n"
            << "core/io/bad.cpp:1 includes qstring.h, which the rule for core/io/ does not allow";
        QTest::newRow("HDF5 outside io") << "core/base/bad.cpp"
                                         << "#include <hdf5.h>\n"
                                         << "core/base/bad.cpp:1 includes hdf5.h, which the rule "
                                            "for core/base/ does not allow";
        QTest::newRow("plot library outside the heatmap")
            << "ui/widgets/strip.h"
            << "#include <qcustomplot.h>\n"
            << "ui/widgets/strip.h:1 includes qcustomplot.h, which the rule for ui/widgets/ does "
               "not allow";
        QTest::newRow("path from the file's own folder")
            << "core/base/bad.cpp"
            << "#include \"text.h\"\n"
            << "core/base/bad.cpp:1 includes text.h, which is no path from the repository root";
        QTest::newRow("path that steps out of its folder")
            << "core/base/bad.cpp"
            << "#include \"core/base/../io/file.cpp\"\n"
            << "core/base/bad.cpp:1 includes core/base/../io/file.cpp, which is no path from the "
               "repository root";
        QTest::newRow("name behind a macro") << "core/base/bad.cpp"
                                             << "#include HEADER\n"
                                             << "core/base/bad.cpp:1 has an include that names no "
                                                "file";
        QTest::newRow("folder without a rule") << "core/extra/fine.h"
                                               << ""
                                               << "core/extra/fine.h is in a folder without a rule";
        QTest::newRow("file beside the folders") << "ui/fine.h"
                                                 << ""
                                                 << "ui/fine.h is in a folder without a rule";
    }

    void badFileIsNamed() {
        QFETCH(QString, file);
        QFETCH(QString, content);
        QFETCH(QString, breach);

        const SmallTree tree;
        tree.write(file.toStdString(), content.toStdString());

        const std::vector<std::string> expected{breach.toStdString()};
        QCOMPARE(tree.breaches(), expected);
    }

    void headerForItsRoomAloneIsNamed() {
        const SmallTree tree;
        tree.write("core/base/word.h", "");
        tree.write("core/base/list.h", "#include \"core/base/word.h\"\n");
        tree.write("core/base/list.cpp", "#include \"core/base/list.h\"\n");
        tree.write("tests/base/test_list.cpp", "#include \"core/base/list.h\"\n");
        const std::vector<std::string> expected{
            "core/base/list.h is at the top of core/base/, but no other room uses it; it belongs "
            "in one of the folders there",
            "core/base/word.h is at the top of core/base/, but no other room uses it; it belongs "
            "in one of the folders there"};
        QCOMPARE(doorBreaches(tree.root()), expected);
    }

    void headersOfADoorAreDoors() {
        const SmallTree tree;
        tree.write("core/base/word.h", "");
        tree.write("core/base/list.h", "#include \"core/base/word.h\"\n");
        tree.write("core/base/text.h", "#include \"core/base/list.h\"\n");
        QCOMPARE(doorBreaches(tree.root()), std::vector<std::string>{});
    }

    void emptyTreeIsABreach() {
        const SmallTree tree;
        fs::remove_all(tree.root() / "app");
        const std::vector<std::string> expected{"app/ holds no source file",
                                                "the rule for app/ governs no file"};
        QCOMPARE(tree.breaches(), expected);
    }

    void ruleWithoutFilesIsABreach() {
        const SmallTree tree;
        fs::remove_all(tree.root() / "core/io");
        const std::vector<std::string> expected{"the rule for core/io/ governs no file"};
        QCOMPARE(tree.breaches(), expected);
    }
};

const headscope::test::TestRegistration<TestIncludeRules> registration;

} // namespace test_include_rules

#include "test_include_rules.moc"
