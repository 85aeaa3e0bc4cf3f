/* Facts that the loader tells of the program and its libraries (dl_iterate_phdr(3)). link.h declares it
   only with _GNU_SOURCE, with which other headers differ from what Swift's modules have of them. */
#include <link.h>
#include <stddef.h>
#include <sys/auxv.h>

/* A segment of an object, and an entry of its dynamic section: of 32 or 64 bits, as the machine. */
typedef ElfW(Phdr) relay_segment;
typedef ElfW(Dyn) relay_dynamic_entry;

/* The first members of link.h's dl_phdr_info. */
struct relay_object {
    ElfW(Addr) address;
    const char *name;
    const relay_segment *segments;
    ElfW(Half) count;
};

/* Calls with each object, until a call returns another number than 0. */
int relay_each_object(
    int (*call)(struct relay_object *object, size_t size, void *context),
    void *context) __asm__("dl_iterate_phdr");
