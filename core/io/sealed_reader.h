#pragma once

namespace headscope {

/// The whole of the program headscope-reader: seals itself, describes the file that it got as a
/// descriptor (or lays out the HDF5 file whose plan is in it), answers and ends. Called by
/// reader_process.h alone, as
/// `headscope-reader hdf5|zip|hdf5-plan FIRST_BYTE BYTES sealed|unsealed`; anything else only says
/// what this program is.
int runSealedReader(int argc, char** argv);

} // namespace headscope
