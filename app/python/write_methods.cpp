#include "core/ask/python_methods.h"

#include <fstream>

/// Writes the methods of the analyses that core declares into the file that is named.
int main(int argc, char** argv) {
    if (argc != 2)
        return 2;
    std::ofstream file(argv[1]);
    file << headscope::pythonMethods(headscope::analyses());
    return file.flush() ? 0 : 1;
}
