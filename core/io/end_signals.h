#pragma once

namespace headscope {

/// For main(), before it starts threads: Ctrl+C, a closed terminal and `kill` remove the hidden
/// files and folders of what is being written, and then end the program as they always do; a second
/// one ends it at once. A limit on the size of files makes a write fail with EFBIG instead of
/// ending the program. Signals that are ignored (nohup) stay ignored.
void cleanUpOnEndSignals();

/// From here on the first SIGTERM ends nothing: whoever works in steps asks endIsAskedFor() between
/// them. A second one ends the program at once, as above. After cleanUpOnEndSignals().
void endBetweenSteps();
/// Whether a SIGTERM came since endBetweenSteps().
bool endIsAskedFor();

} // namespace headscope
