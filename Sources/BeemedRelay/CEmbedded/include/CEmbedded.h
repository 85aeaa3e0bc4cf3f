#pragma once

#include <stddef.h>

/// A file that is part of the program.
struct EmbeddedFile {
    /// Its path below `page/`, `manual/` or `recipes/`, or `openapi.yaml`.
    const char *name;
    const unsigned char *bytes;
    size_t count;
};

/// The number of files.
size_t embedded_file_count(void);

/// The file at an index below the count.
struct EmbeddedFile embedded_file(size_t index);
