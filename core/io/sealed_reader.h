#pragma once

namespace headscope {

/// The whole of the program headscope-reader: seals itself, describes the file that it got as a
/// descriptor, answers and ends. Called by reader_process.h alone, as
/// `headscope-reader hdf5|zip FIRST_BYTE BYTES sealed|unsealed`; anything else only says what this
/// program is.
int runSealedReader(int argc, char** argv);

/// Whether the user asked for a reader that is not sealed, by HEADSCOPE_UNSEALED=1: on systems that
/// allow no filter of system calls. Everybody who opens files is told.
bool isReaderUnsealed();

} // namespace headscope
