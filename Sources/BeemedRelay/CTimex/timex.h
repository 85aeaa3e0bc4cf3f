/* A Linux system call that Swift's Glibc module does not carry: adjtimex. */
#include <sys/timex.h>
