/* Linux system calls that Swift's Glibc module does not carry: epoll, eventfd and timerfd. */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
