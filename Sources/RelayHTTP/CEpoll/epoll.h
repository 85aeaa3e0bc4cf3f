/* Linux system calls that Swift's Glibc module does not carry: epoll, eventfd and timerfd. */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

/* About a microsecond in which the processor is left to others that share it (pause, yield). */
static inline void poller_pause(void) {
    for (int count = 0; count < 32; count++) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("yield");
#endif
    }
}
