#include "core/base/text.h"
#include "tests/cli/cli_process.h"
#include "tests/support/npz_reader.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

namespace test_cli_export {

using namespace headscope;
using namespace headscope::test;

class TestCliExport : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    Arguments prompt_;  ///< --ids of the reference
    Tensor attentions_; ///< [layer, head, query, key]

    std::string file(const std::string& name) const {
        return folder_.path().toStdString() + "/" + name;
    }

    CliResult exportTo(const std::string& name, const Arguments& more) const {
        return runCli(Arguments{"export", fixture("gpt2.h5"), "-o", file(name)} + prompt_ + more);
    }

private slots:
    void initTestCase() {
        const ReferenceFile reference(fixture("gpt2.reference.h5"));
        attentions_ = reference.floats("attentions");
        prompt_ = {"--ids", idsText(reference.ids("input_ids")), "--bos", "no"};
    }

    void oneHeadAsNpy() {
        const CliResult result = exportTo("head.npy", {"--layer", "2", "--head", "1"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const NpyArray array = parseNpy(readFile(file("head.npy")));
        QCOMPARE(array.shape, (Shape{29, 29}));
        const std::vector<float> values = array.floats();
        for (std::size_t query = 0; query < 29; ++query)
            for (std::size_t key = 0; key < 29; ++key)
                QVERIFY(std::abs(values[query * 29 + key] - attentions_(2, 1, query, key)) <=
                        1e-5f);
        const auto sidecar = nlohmann::json::parse(readFile(file("head.npy.json")));
        QCOMPARE(sidecar["ids"].size(), 29u);
        QVERIFY(contains(result.out, "head.npy.json"));
    }

    void allHeadsAsHdf5() {
        const CliResult result = exportTo("all.h5", {});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const ReferenceFile written(file("all.h5"));
        const Tensor pattern = written.floats("blocks/1/attn/hook_pattern");
        QCOMPARE(pattern.shape(), (Shape{4, 29, 29}));
        QVERIFY(std::abs(pattern(3, 20, 7) - attentions_(1, 3, 20, 7)) <= 1e-5f);
        QVERIFY(written.has("input_ids"));
    }

    void oneHeadAsCsvOpensAsATable() {
        const CliResult result = exportTo("head.csv", {"--layer", "0", "--head", "0"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const auto lines = split(readFile(file("head.csv")), '\n');
        QCOMPARE(lines.size(), 31u); // header, 29 rows, the end
        QCOMPARE(std::ranges::count(lines[3], ','), 29);
        QVERIFY(std::abs(std::stof(split(lines[3], ',')[2]) - attentions_(0, 0, 2, 1)) <= 1e-5f);
    }

    void oneLayerAsJson() {
        const CliResult result = exportTo("layer.json", {"--layer", "1"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const auto json = nlohmann::json::parse(readFile(file("layer.json")));
        const auto& array = json["arrays"]["blocks.1.attn.hook_pattern"];
        QVERIFY(array["shape"] == (nlohmann::json{4, 29, 29}));
        QVERIFY(std::abs(array["values"][2][9][3].get<float>() - attentions_(1, 2, 9, 3)) <= 1e-5f);
        QVERIFY(json["provenance"]["model_name"] == "gpt2");
    }

    void npyOfAllLayersIsRefused() {
        const CliResult result = exportTo("all.npy", {});
        QVERIFY2(failedWithOneSentence(result, 1), result.err.c_str());
        QVERIFY(contains(result.err, ".npz"));
        QVERIFY(!std::filesystem::exists(file("all.npy")));
    }

    /// A link to nowhere cannot be replaced, not even by root.
    void unwritableFileLeavesNothing() {
        std::filesystem::create_symlink("/nowhere/x", file("link.npz"));
        const CliResult result = exportTo("link.npz", {});
        QVERIFY2(failedWithOneSentence(result, 1), result.err.c_str());
        QVERIFY(contains(result.err, "link.npz"));
        QVERIFY(std::filesystem::is_symlink(file("link.npz")));
    }

    /// A file size limit stands for a full disk.
    void fullDiskLeavesNothing() {
        const CliResult result =
            runShell(R"(ulimit -f 4; exec "$0" export "$1" --ids "$2" -o "$3")",
                     {fixture("gpt2.h5"), prompt_[1], file("big.npz")});
        QVERIFY2(failedWithOneSentence(result, 1), result.err.c_str());
        QVERIFY(contains(result.err, "big.npz"));
        QVERIFY(!std::filesystem::exists(file("big.npz")));
    }
};

const headscope::test::TestRegistration<TestCliExport> registration;

} // namespace test_cli_export

#include "test_cli_export.moc"
