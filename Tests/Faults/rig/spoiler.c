/* A library before libc: calls fail, lie or do half of their work, as the file FAULTS says.
 *
 * It has one fault a line: CALL PATH SKIP COUNT ACTION [NUMBER]. The call is spoilt when its path
 * holds PATH (`*` is any), after SKIP good ones, COUNT times. ACTION is the name of an error, or
 *   write:  short (NUMBER bytes, or half), zero, lienone, lieshort, twice, toomuch, partial (all
 *           but a few bytes, and then there is no room)
 *   pwrite: short, zero, lienone, lieshort
 *   pread:  short, eof, garbage       fstat: add NUMBER to the size    fstatvfs: NUMBER blocks free
 * When the file changes, its counts begin anew. What is spoilt is noted in FAULTLOG. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name) static __typeof__(name) *real; if (!real) real = dlsym(RTLD_NEXT, #name)

struct fault { char call[32], part[128], action[32]; long skip, count, number, seen; };

static struct fault faults[32];
static int many;
static char known[4096];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void load(void) {
    char now[4096] = {0}, copy[4096], *rest;
    int file = syscall(SYS_openat, AT_FDCWD, getenv("FAULTS"), O_RDONLY, 0);
    if (file >= 0) {
        syscall(SYS_read, file, now, sizeof now - 1);
        syscall(SYS_close, file);
    }
    if (!strcmp(now, known)) return;
    strcpy(known, now);
    strcpy(copy, now);
    many = 0;
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(0, "\n", &rest)) {
        struct fault *fault = &faults[many];
        memset(fault, 0, sizeof *fault);
        many += sscanf(line, "%31s %127s %ld %ld %31s %ld", fault->call, fault->part, &fault->skip,
                       &fault->count, fault->action, &fault->number) >= 5;
    }
}

static void note(const char *call, const char *path, const char *action) {
    char line[512];
    int length = snprintf(line, sizeof line, "%s %s %s\n", call, path, action);
    int flags = O_WRONLY | O_CREAT | O_APPEND;
    int file = syscall(SYS_openat, AT_FDCWD, getenv("FAULTLOG"), flags, 0600);
    syscall(SYS_write, file, line, length);
    syscall(SYS_close, file);
}

static struct fault *fault_of(const char *call, const char *path) {
    struct fault *found = 0;
    pthread_mutex_lock(&lock);
    load();
    for (int index = 0; index < many && !found; index++) {
        struct fault *fault = &faults[index];
        if (strcmp(fault->call, call)) continue;
        if (strcmp(fault->part, "*") && !strstr(path, fault->part)) continue;
        long turn = fault->seen++ - fault->skip;
        if (turn >= 0 && turn < fault->count) found = fault;
    }
    pthread_mutex_unlock(&lock);
    if (found) note(call, path, found->action);
    return found;
}

static const char *path_of(int file, char *path) {
    char link[64];
    sprintf(link, "/proc/self/fd/%d", file);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, 4095);
    path[length < 0 ? 0 : length] = 0;
    return path;
}

static int error_of(const struct fault *fault) {
    static const struct { const char *name; int code; } all[] = {
        {"EACCES", EACCES}, {"EAGAIN", EAGAIN}, {"EDQUOT", EDQUOT}, {"EFBIG", EFBIG},
        {"EINTR", EINTR}, {"EIO", EIO}, {"EMFILE", EMFILE}, {"ENODEV", ENODEV},
        {"ENOMEM", ENOMEM}, {"ENOSPC", ENOSPC}, {"EROFS", EROFS}, {"ESTALE", ESTALE},
        {"EUCLEAN", EUCLEAN}};
    for (size_t index = 0; index < sizeof all / sizeof *all; index++)
        if (!strcmp(all[index].name, fault->action)) return all[index].code;
    return 0;
}

/* Whether the call fails; errno says how. */
static int fails(const struct fault *fault) {
    int code = fault ? error_of(fault) : 0;
    if (code) errno = code;
    return code != 0;
}

static int full = -1; /* The next write to this one finds no room. */

ssize_t write(int file, const void *bytes, size_t count) {
    REAL(write);
    char path[4096];
    if (file == full) {
        full = -1;
        errno = ENOSPC;
        return -1;
    }
    struct fault *fault = file > 2 ? fault_of("write", path_of(file, path)) : 0;
    if (!fault) return real(file, bytes, count);
    if (fails(fault)) return -1;
    size_t some = fault->number ? (size_t)fault->number : count / 2;
    const char *action = fault->action;
    if (!strcmp(action, "short")) return real(file, bytes, some < count ? some : count);
    if (!strcmp(action, "zero")) return 0;
    if (!strcmp(action, "lienone")) return count;
    if (!strcmp(action, "lieshort")) return real(file, bytes, some) < 0 ? -1 : (ssize_t)count;
    if (!strcmp(action, "twice")) real(file, bytes, count);
    if (!strcmp(action, "toomuch")) return real(file, bytes, count) + 5;
    if (!strcmp(action, "partial")) {
        full = file;
        return real(file, bytes, count > 10 ? count - 7 : count);
    }
    return real(file, bytes, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    REAL(pwrite);
    char path[4096];
    struct fault *fault = fault_of("pwrite", path_of(file, path));
    if (!fault) return real(file, bytes, count, offset);
    if (fails(fault)) return -1;
    size_t some = fault->number ? (size_t)fault->number : count / 2;
    if (!strcmp(fault->action, "zero")) return 0;
    if (!strcmp(fault->action, "lienone")) return count;
    ssize_t done = real(file, bytes, some < count ? some : count, offset);
    return done < 0 || strcmp(fault->action, "lieshort") ? done : (ssize_t)count;
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
    REAL(pread);
    char path[4096];
    struct fault *fault = fault_of("pread", path_of(file, path));
    if (fails(fault)) return -1;
    ssize_t got = real(file, bytes, count, offset);
    if (!fault || got < 10) return got;
    if (!strcmp(fault->action, "garbage")) ((char *)bytes)[got / 2] ^= 4;
    if (!strcmp(fault->action, "short")) return got / 2;
    return strcmp(fault->action, "eof") ? got : 0;
}

int fstat(int file, struct stat *status) {
    REAL(fstat);
    char path[4096];
    struct fault *fault = fault_of("fstat", path_of(file, path));
    if (fails(fault)) return -1;
    int result = real(file, status);
    if (fault) status->st_size += fault->number;
    return result;
}

int statx(int folder, const char *name, int flags, unsigned int mask, struct statx *status) {
    REAL(statx);
    char path[4096];
    struct fault *fault = *name ? 0 : fault_of("fstat", path_of(folder, path));
    if (fails(fault)) return -1;
    int result = real(folder, name, flags, mask, status);
    if (fault) status->stx_size += fault->number;
    return result;
}

int fstatvfs(int file, struct statvfs *status) {
    REAL(fstatvfs);
    char path[4096];
    struct fault *fault = fault_of("fstatvfs", path_of(file, path));
    if (fails(fault)) return -1;
    int result = real(file, status);
    if (fault) status->f_bavail = fault->number;
    return result;
}

int fdatasync(int file) {
    REAL(fdatasync);
    char path[4096];
    return fails(fault_of("fdatasync", path_of(file, path))) ? -1 : real(file);
}

int fsync(int file) {
    REAL(fsync);
    char path[4096];
    return fails(fault_of("fsync", path_of(file, path))) ? -1 : real(file);
}

int ftruncate(int file, off_t size) {
    REAL(ftruncate);
    char path[4096];
    return fails(fault_of("ftruncate", path_of(file, path))) ? -1 : real(file, size);
}

int renameat(int old_folder, const char *old, int folder, const char *name) {
    REAL(renameat);
    return fails(fault_of("renameat", name)) ? -1 : real(old_folder, old, folder, name);
}

int unlinkat(int folder, const char *name, int flags) {
    REAL(unlinkat);
    return fails(fault_of("unlinkat", name)) ? -1 : real(folder, name, flags);
}

int openat(int folder, const char *name, int flags, ...) {
    REAL(openat);
    va_list arguments;
    va_start(arguments, flags);
    int mode = va_arg(arguments, int);
    va_end(arguments);
    const char *call = flags & O_CREAT ? "create" : "openat";
    return fails(fault_of(call, name)) ? -1 : real(folder, name, flags, mode);
}
