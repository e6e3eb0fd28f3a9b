#pragma once

namespace headscope {

/// A program with little address space may never reach main(): OpenBLAS 0.3.29 asks for its buffers
/// while it is loaded, again and again for ever where the system refuses them. A program with this
/// in it ends after some seconds with a sentence, until it calls this.
void endLoadingWatch();

} // namespace headscope
