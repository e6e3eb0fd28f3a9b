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
        Project steps = fullProject(); // as it is kept against a sudden end
        steps.undo_steps = {{"ablate L0 H7", {}, AblationKind::Zero},
                            {"ablate L4 H1", {}, AblationKind::Mean}};
        steps.undo_steps[1].mask.set({0, 7}, AblationKind::Mean);
        QVERIFY(writeProject(path, steps));
        QVERIFY(require(readProject(path)) == steps);
        Project endless = fullProject();
        endless.second_prompt = std::string((std::size_t{1} << 20) + 1, 'x');
        const auto refused = writeProject(file("endless.headscope"), endless);
        QVERIFY(!refused);
        QVERIFY(refused.error().message.find("a prompt is longer than") != std::string::npos);
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
        row("/headscope_project", "0");
        row("/headscope_project", "\"1\"");
        row("/model/path", "7");
        row("/model", "null");
        row("/prompt", "null");
        row("/bos", "\"perhaps\"");
        row("/ablation/kind", "\"all\"");
        row("/ablation/heads", "[[1]]");
        row("/ablation/undo", "[{\"kind\": \"zero\"}]");
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

    /// The latest that there is room for are written.
    void stepsAreLimited() {
        Project project = fullProject();
        for (std::size_t i = 0; i < 300; ++i)
            project.undo_steps.push_back({std::to_string(i), {}, AblationKind::Zero});
        const auto path = file("steps.headscope");
        QVERIFY(writeProject(path, project));
        const Project read = require(readProject(path));
        QCOMPARE(read.undo_steps.size(), std::size_t{200});
        QCOMPARE(read.undo_steps.front().text, std::string("100"));
        for (std::size_t i = 0; i < 1000; ++i)
            project.undo_steps.back().mask.set({i / 32, i % 32}, AblationKind::Zero);
        project.undo_steps = std::vector(300, project.undo_steps.back());
        QVERIFY(writeProject(path, project));
        QCOMPARE(require(readProject(path)).undo_steps.size(), std::size_t{20});
    }

    void longTextsAreNoneOfAPerson() {
        const auto path = file("long.headscope");
        Project project = fullProject();
        project.prompt = "the prompt";
        QVERIFY(writeProject(path, project));
        std::string text = bytes(path);
        text.replace(text.find(project.prompt), project.prompt.size(),
                     std::string(std::size_t{2} << 20, 'a'));
        std::ofstream(path, std::ios::binary) << text;
        QVERIFY(!readProject(path));
        project = fullProject();
        project.earlier_prompts = std::vector<std::string>(1000, "again");
        QVERIFY(writeProject(path, project));
        QCOMPARE(require(readProject(path)).earlier_prompts.size(), std::size_t{50});
    }

    void manySmallValuesAreRefused() {
        const auto path = file("many.headscope");
        std::string chosen = "[[0,0]";
        for (int i = 0; i < 700'000; ++i)
            chosen += ",[0,0]";
        QVERIFY(writeProject(path, fullProject()));
        std::string text = bytes(path);
        const std::size_t at = text.find("\"chosen\": [");
        QVERIFY(at != std::string::npos);
        text.insert(at, "\"more\": " + chosen + "], ");
        std::ofstream(path, std::ios::trunc) << text;
        const auto read = readProject(path);
        QVERIFY(!read);
        QVERIFY2(read.error().message.find("holds more") != std::string::npos,
                 read.error().message.c_str());
    }

    void whatCouldNotBeReadIsNotWritten() {
        const auto path = file("large.headscope");
        QVERIFY(writeProject(path, fullProject()));
        const std::string before = bytes(path);
        const HeadNotes longest{{{0, 0}, {std::string(kLongestNote, 'a'), false}}};
        HeadNotes longer = longest;
        longer[{0, 0}].text += 'a';
        HeadNotes many;
        for (std::size_t i = 0; i < 30'000; ++i)
            many[{i, 0}] = {"t", true};
        QVERIFY(checkNotes(longest));
        for (const HeadNotes& notes : {longer, many}) {
            QVERIFY(!checkNotes(notes));
            Project project = fullProject();
            project.notes = notes;
            for (const auto& refused : {writeProject(path, project), writeNotes(path, notes)}) {
                QVERIFY(!refused);
                QVERIFY2(refused.error().message.find("more than the") != std::string::npos,
                         refused.error().message.c_str());
            }
        }
        QCOMPARE(bytes(path), before);
        QVERIFY(writeNotes(path, longest));
        QVERIFY(require(readNotes(path)) == longest);
    }

    void stampsTellFilesApart() {
        const auto path = file("stamped.headscope");
        QVERIFY(fileStamp(path).empty());
        QVERIFY(writeProject(path, fullProject()));
        const std::string first = fileStamp(path);
        QVERIFY(writeProject(path, fullProject()));
        QCOMPARE(fileStamp(path), first);
        Project other = fullProject();
        other.prompt += "!";
        QVERIFY(writeProject(path, other));
        QVERIFY(fileStamp(path) != first);
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
