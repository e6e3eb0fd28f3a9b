#pragma once

namespace headscope {

// The whole of the programs that read what others wrote (core/io/reader).

/// headscope-reader: JSON texts, sentencepiece models, the headers of GGUF files, zip archives.
int runSealedReader(int argc, char** argv);

/// headscope-hdf5: HDF5 files, which it lays out, too. It is a program of its own because that
/// library brings some 30 others along; starting those takes longer than reading a JSON text.
int runSealedHdf5(int argc, char** argv);

} // namespace headscope
