// A test binary that is a program as well: opcases_test FOLDER [OP...].
#pragma once

namespace tandem {

// Defined by such a binary; called instead of Catch2 when argv[1] is a folder. Gives the exit status.
int RunProgram(int argc, char** argv);

}  // namespace tandem
