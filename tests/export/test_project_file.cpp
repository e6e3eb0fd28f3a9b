#include "core/export/project_file.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <fstream>

namespace test_project_file {

using namespace headscope;
using headscope::test::require;

namespace {

Project fullProject() {
    Project project;
    project.model_path = "/models/gpt2.h5";
    project.model_name = "gpt2";
    project.model_sha256 = "abc";
    project.flip_square_matrices = true;
    project.prompt = "When \"Mary\"\nand John";
    project.bos = BosMode::No;
    project.second_prompt = "";
    project.earlier_prompts = {"one", "two"};
    project.mask.set({4, 1}, AblationKind::Mean);
    project.mask.set({0, 7}, AblationKind::Mean);
    project.ablation_kind = AblationKind::Mean;
    project.thresholds.set(HeadTypeId::Induction, 0.125);
    project.selected = {4, 1};
    project.chosen = {{4, 1}, {2, 0}};
    project.locked_row = 7;
    project.notes[{4, 1}] = {"copies the name", true};
    project.notes[{2, 0}] = {"", true};
    project.view = {{"page", "text"}, {"of a later version", "x"}};
    return project;
}

} // namespace

class TestProjectFile : public QObject {
    Q_OBJECT

private slots:
    void everythingIsReadBack() {
        const auto path = file("full.headscope");
        QVERIFY(writeProject(path, fullProject()));
        QVERIFY(require(readProject(path)) == fullProject());
        Project plain;
        plain.model_path = "/m.h5";
        QVERIFY(writeProject(path, plain));
        QVERIFY(require(readProject(path)) == plain);
    }

    // A folder with both in it may be moved or mailed.
    void theModelIsFoundFromTheProject() {
        Project project = fullProject();
        project.model_path = file("models/gpt2.h5");
        QVERIFY(writeProject(file("study.headscope"), project));
        const auto moved = file("elsewhere");
        std::filesystem::create_directory(moved);
        std::filesystem::copy(file("study.headscope"), moved / "study.headscope");
        QCOMPARE(require(readProject(moved / "study.headscope")).model_path,
                 moved / "models/gpt2.h5");
    }

    void theSameGivesTheSameBytes() {
        QVERIFY(writeProject(file("a.headscope"), fullProject()));
        QVERIFY(writeProject(file("b.headscope"), fullProject()));
        QCOMPARE(bytes(file("a.headscope")), bytes(file("b.headscope")));
    }

    void damageIsOneSentence_data() {
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("value");
        const auto row = [](const char* pointer, const char* value) {
            QTest::newRow(pointer) << QString::fromLatin1(pointer) << QString::fromLatin1(value);
        };
        row("/headscope_project", "2");
        row("/headscope_project", "\"1\"");
        row("/model/path", "7");
        row("/model", "null");
        row("/prompt", "null");
        row("/bos", "\"perhaps\"");
        row("/ablation/kind", "\"all\"");
        row("/ablation/heads", "[[1]]");
        row("/selected", "[-1, 0]");
        row("/chosen", "7");
        row("/notes", "[{\"head\": [0, 0]}]");
    }
    void damageIsOneSentence() {
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        const auto path = file("damaged.headscope");
        QVERIFY(writeProject(path, fullProject()));
        auto json = nlohmann::json::parse(bytes(path));
        json[nlohmann::json::json_pointer(pointer.toStdString())] =
            nlohmann::json::parse(value.toStdString());
        std::ofstream(path) << json;
        const auto read = readProject(path);
        QVERIFY(!read);
        QVERIFY(read.error().message.find(path.string()) == 0);
    }

    void otherFilesAreNoProjects() {
        const auto path = file("other.headscope");
        QVERIFY(!readProject(path)); // not there
        for (const char* text : {"", "{", "[]", "{\"a\": 1}", "\x89HDF"}) {
            std::ofstream(path, std::ios::trunc) << text;
            QVERIFY(!readProject(path));
        }
    }

    void notesAlone() {
        const auto path = file("notes.json");
        QVERIFY(require(readNotes(path)).empty()); // no file yet
        QVERIFY(writeNotes(path, fullProject().notes));
        QVERIFY(require(readNotes(path)) == fullProject().notes);
        QVERIFY(!readProject(path));
        std::ofstream(path, std::ios::trunc) << "{";
        QVERIFY(!readNotes(path));
    }

private:
    std::filesystem::path file(const char* name) const {
        return folder_.filePath(QString::fromLatin1(name)).toStdString();
    }
    static std::string bytes(const std::filesystem::path& path) {
        std::ifstream stream(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    QTemporaryDir folder_;
};

const headscope::test::TestRegistration<TestProjectFile> registration;

} // namespace test_project_file

#include "test_project_file.moc"
