/* Where the linker has put the program's code: it defines both names (ld(1), "Source Code Reference"). */
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

/* Unmaps the pages from the program's beginning to the end of its code until they are used again. The loader
   writes to none of them: a program whose code can be moved has its addresses elsewhere. */
static inline int relay_release_code(void) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)__ehdr_start / page * page, end = (uintptr_t)etext / page * page;
    return madvise((void *)start, end - start, MADV_DONTNEED);
}
