/* Linux system calls that Swift's Glibc module does not carry: epoll and eventfd. */
#include <sys/epoll.h>
#include <sys/eventfd.h>
