#include "core/ask/python/python_methods.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace test_python_methods {

using namespace headscope;

namespace {

std::string fileText(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

class TestPythonMethods : public QObject {
    Q_OBJECT

private slots:
    void theModuleIsWhatCoreDeclares() {
        const std::string path = HEADSCOPE_PYTHON_METHODS;
        const std::string text = pythonMethods(analyses());
        if (std::getenv("HEADSCOPE_WRITE_METHODS") != nullptr)
            std::ofstream(path) << text;
        QVERIFY2(fileText(path) == text, "write it anew, as its first line says");
    }
};

const headscope::test::TestRegistration<TestPythonMethods> registration;

} // namespace test_python_methods

#include "test_python_methods.moc"
