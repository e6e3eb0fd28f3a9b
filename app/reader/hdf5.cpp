#include "core/io/sealed_reader.h"

int main(int argc, char** argv) {
    return headscope::runSealedHdf5(argc, argv);
}
