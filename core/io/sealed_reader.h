#pragma once

namespace headscope {

/// The whole of the program headscope-reader: seals itself, describes the file that it got as a
/// descriptor, answers and ends. Called by reader_process.h alone, as
/// `headscope-reader hdf5|zip FIRST_BYTE BYTES sealed|unsealed`; anything else only says what this
/// program is.
int runSealedReader(int argc, char** argv);

} // namespace headscope
