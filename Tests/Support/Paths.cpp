#include "Support/Paths.h"

std::filesystem::path earshot::test::sourceDirectory() { return EARSHOT_SOURCE_DIR; }
