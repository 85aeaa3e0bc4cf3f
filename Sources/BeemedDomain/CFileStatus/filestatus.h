/* Which file it is and how long, without asking for its times: statx, which Swift's Glibc module
   does not carry. Since Linux 6.13 a file whose times were asked for gets new
   ones with its next write, and a sync has to make those durable, too. */
#ifdef __linux__
#include <stdint.h>
#include <linux/stat.h>

/* As in sys/stat.h, where only some settings of the preprocessor show it. */
int statx(int folder, const char *name, int flags, unsigned int mask, struct statx *found);

struct file_status {
    uint64_t device, number;
    int64_t size;
    /* Its kind and permissions, as in stat. */
    uint32_t mode;
};

/* The status of the file that a descriptor has open (an empty name), or of a name in a folder,
   whose last part is not followed if it is a symbolic link. Returns 0, or -1 and errno. */
static inline int file_status_of(int folder, const char *name, struct file_status *status) {
    const int empty_path = 0x1000, no_follow = 0x100; /* AT_EMPTY_PATH, AT_SYMLINK_NOFOLLOW */
    struct statx found;
    const int flags = *name ? no_follow : empty_path;
    if (statx(folder, name, flags, STATX_TYPE | STATX_INO | STATX_SIZE, &found) != 0) return -1;
    status->device = (uint64_t)found.stx_dev_major << 32 | found.stx_dev_minor;
    status->number = found.stx_ino;
    status->size = (int64_t)found.stx_size;
    const uint32_t regular_file = 0100000; /* S_IFREG; an unknown kind is taken for this one. */
    status->mode = found.stx_mask & STATX_TYPE ? found.stx_mode : regular_file;
    return 0;
}
#endif
