#include "core/io/tensor_source.h"
#include "tests/io/io_files.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <sys/stat.h>

#include <random>

namespace test_file_kind {

using namespace headscope;
using namespace headscope::test;
using namespace std::string_literals;

namespace {

Error refusalOf(const std::filesystem::path& path) {
    const auto source = openTensorSource(path);
    if (source)
        return {ErrorCode::InvalidArgument, "it was opened"};
    return source.error();
}

/// `head`, then `c` until byte `size`, then `tail`.
std::string padded(std::string_view head, std::size_t size, char c, std::string_view tail) {
    std::string bytes(head);
    bytes.resize(size, c);
    bytes.append(tail);
    return bytes;
}

std::string safetensorsHeader(std::string header) {
    std::string length(8, '\0');
    length[0] = static_cast<char>(header.size());
    return length + header;
}

} // namespace

class TestFileKind : public QObject {
    Q_OBJECT

private slots:
    void namesWhatItIs_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char* name, const std::string& bytes, ErrorCode code,
                            const char* message) {
            QTest::newRow(name) << QByteArray::fromStdString(bytes) << static_cast<int>(code)
                                << QByteArray(message);
        };
        const auto malformed = ErrorCode::Malformed;
        const auto unsupported = ErrorCode::Unsupported;
        row("empty", "", malformed, "it is empty (0 bytes); download or copy it again");
        row("safetensors", safetensorsHeader(R"({"a":{}})"), malformed,
            "in tensor 'a' it is described by {}, expected");
        const char* const blank = "its header does not begin with '{', as the format asks for; "
                                  "download or save the file again.";
        row("safetensors after a blank", safetensorsHeader(" {}"), malformed, blank);
        row("safetensors after blanks", safetensorsHeader("\t\r\n  {}"), malformed, blank);
        row("zip", "PK\x03\x04 and so on", malformed,
            "it is a zip archive that is damaged or cut short; download or copy it again.");
        row("pickle", "\x80\x02}q\x01.", unsupported,
            "it is a Python pickle (PyTorch .pt or .bin), which can run code when it is opened and "
            "is never read; open the .safetensors version of the model, or make one in Python: "
            "import torch, safetensors.torch as s; s.save_file({k: v.contiguous().clone() for k, v "
            "in torch.load('model.h5', weights_only=True).items()}, 'model.safetensors').");
        row("gguf", "GGUF\3\0\0\0"s, malformed,
            "it ends in the middle of its header; download or save the file again.");
        row("git lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", malformed,
            "it is a Git LFS pointer in place of the file itself; run 'git lfs pull'");
        row("web page", "<!DOCTYPE HTML>\n<title>404</title>", malformed, "it is a web page");
        row("text", "naïve text\n", malformed, "it is a text file and holds no weights");
        row("json", R"({"model_type": "gpt2"})", malformed, "it is a text file");
        row("random", "\x01\x02\xFF\xFE\x00\x10"s, malformed,
            "it is no HDF5, safetensors or GGUF file, nor");
        row("half a signature", "\x89HDF", malformed,
            "it is no HDF5, safetensors or GGUF file, nor");
        row("signature alone", "\x89HDF\r\n\x1a\n", malformed,
            "it is an HDF5 file that is damaged or cut short (8 B); download or copy it again");
        row("zip with HDF5 behind it", padded("PK\x03\x04", 512, ' ', "\x89HDF\r\n\x1a\n"),
            malformed, "it is a zip archive");
        row("HDF5 behind a user block", padded("", 1024, ' ', "\x89HDF\r\n\x1a\n"), malformed,
            "it is an HDF5 file that is damaged");
        row("text cut in a character", padded("", 510, 'x', "€ and more"), malformed,
            "it is a text file");
    }
    void namesWhatItIs() {
        QFETCH(QByteArray, bytes);
        QFETCH(int, code);
        QFETCH(QByteArray, message);
        const Folder folder;
        const auto path = folder / "model.h5";
        writeBytes(path, bytes.toStdString());
        const Error error = refusalOf(path);
        const std::string start = "Cannot open '" + path.string() + "': " + message.toStdString();
        QVERIFY2(error.message.starts_with(start), error.message.c_str());
        QVERIFY(error.message.ends_with("."));
        QCOMPARE(static_cast<int>(error.code), code);
    }

    void missing() {
        const Error error = refusalOf("/no/such/model.h5");
        QCOMPARE(error.code, ErrorCode::NotFound);
        QCOMPARE(error.message, "Cannot open '/no/such/model.h5': there is no such file; check the "
                                "path.");
    }

    void folder() {
        const Folder folder;
        const Error error = refusalOf(folder.path());
        QCOMPARE(error.code, ErrorCode::NotFound);
        QVERIFY(mentions(error, "it is a folder without weights"));
    }

    void pipeDoesNotBlock() {
        const Folder folder;
        const auto path = folder / "pipe";
        QCOMPARE(::mkfifo(path.c_str(), 0600), 0);
        QVERIFY(mentions(refusalOf(path), "it is a device or a pipe"));
        QVERIFY(mentions(refusalOf("/dev/zero"), "it is a device or a pipe"));
    }

    void unreadable() {
        const Folder folder;
        const auto path = folder / "secret.h5";
        writeBytes(path, "secret");
        ::chmod(folder.path().c_str(), 0755);
        ::chmod(path.c_str(), 0);
        const AsNobody nobody;
        const Error error = refusalOf(path);
        QCOMPARE(error.code, ErrorCode::Unreadable);
        QVERIFY(mentions(error, "permission is denied; check that you may read it"));
    }

    void randomBytes() {
        const Folder folder;
        const auto path = folder / "random.h5";
        std::mt19937 random(1);
        for (int round = 0; round < 200; ++round) {
            std::string bytes(random() % 3000, '\0');
            for (char& byte : bytes)
                byte = static_cast<char>(random());
            writeBytes(path, bytes);
            const Error error = refusalOf(path);
            QVERIFY2(error.message.starts_with("Cannot open '"), error.message.c_str());
        }
    }
};

const headscope::test::TestRegistration<TestFileKind> registration;

} // namespace test_file_kind

#include "test_file_kind.moc"
