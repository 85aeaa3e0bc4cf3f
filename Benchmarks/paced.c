// Sends the same request at fixed times over some connections, and says how long answers took.
//
//     paced PORT CONNECTIONS RATE SECONDS FILE
//
// FILE has the request, in HTTP/1.1 or in RESP. The times are counted from when a request was due,
// not from when it could be sent: a server that stops for a moment delays all that was due in that
// moment, and a client that waits for it would not see that ("coordinated omission"). With a RATE
// of 0 each connection sends again as soon as it is answered. Prints requests a second, and the
// median, the 99th and 99.9th percentile and the longest time in ms.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 1 << 16, TIMER = UINT32_MAX };

typedef struct {
    int socket, filled;
    int64_t due;  // Of the request that is under way; 0 when none is.
    long next;    // The number of its next request, of those of all connections.
    char answer[ROOM];
} Connection;

static char request[ROOM];
static int size;
static int64_t begin, end, gap;  // The time between two requests; 0 without a rate.
static double *taken;
static long room, count;

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

// Whether the whole answer is there, and is a good one.
static int is_whole(Connection *one) {
    one->answer[one->filled] = 0;
    char *head = strstr(one->answer, "\r\n");
    if (!head) return 0;
    if (one->answer[0] == '$') return one->filled >= head - one->answer + 4 + atoi(one->answer + 1);
    char *body = strstr(one->answer, "\r\n\r\n");
    if (!body) return 0;
    if (strncmp(one->answer, "HTTP/1.1 200 ", 13)) {
        fprintf(stderr, "%s\n", one->answer);
        exit(1);
    }
    char *length = strcasestr(one->answer, "\r\ncontent-length:");
    return length && one->filled >= body + 4 - one->answer + atoi(length + 17);
}

static void send_next(Connection *one, int connections, int64_t time) {
    int64_t due = gap ? begin + one->next * gap : time;
    if (one->due || due > time || due >= end) return;
    one->due = due;
    one->next += connections;
    one->filled = 0;
    if (send(one->socket, request, size, MSG_NOSIGNAL) != size) fail("send");
}

static void receive(Connection *one) {
    int got = recv(one->socket, one->answer + one->filled, ROOM - 1 - one->filled, 0);
    if (got <= 0) fail("recv");
    one->filled += got;
    if (!is_whole(one)) return;
    if (count == room) taken = realloc(taken, (room = 2 * room + 1024) * sizeof *taken);
    taken[count++] = (now() - one->due) / 1e6;
    one->due = 0;
}

static int compare(const void *a, const void *b) {
    double x = *(double *)a, y = *(double *)b;
    return (x > y) - (x < y);
}

static void set(int timer, int64_t time) {
    struct itimerspec at = {.it_value = {time / 1000000000, time % 1000000000}};
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL);
}

static Connection *connect_all(int port, int connections, int poll) {
    Connection *all = calloc(connections, sizeof *all);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0, one = 1; i < connections; i++) {
        all[i].socket = socket(AF_INET, SOCK_STREAM, 0);
        all[i].next = i;
        if (connect(all[i].socket, (void *)&to, sizeof to)) fail("connect");
        setsockopt(all[i].socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
        epoll_ctl(poll, EPOLL_CTL_ADD, all[i].socket, &event);
    }
    return all;
}

static void run(Connection *all, int connections, int poll, int timer) {
    long due = 0;  // All requests before that one were due.
    for (int waiting = 1; waiting || now() < end;) {
        int64_t time = now();
        for (; gap && begin + due * gap <= time && begin + due * gap < end; due++)
            send_next(all + due % connections, connections, time);
        if (gap) set(timer, begin + due * gap);
        struct epoll_event events[256];
        int got = epoll_wait(poll, events, 256, 1000);
        for (int i = 0; i < got; i++) {
            uint64_t ticks;
            if (events[i].data.u32 == TIMER) {
                if (read(timer, &ticks, 8) < 0 && errno != EAGAIN) fail("read");
                continue;
            }
            receive(all + events[i].data.u32);
            send_next(all + events[i].data.u32, connections, now());
        }
        waiting = 0;
        for (int i = 0; i < connections; i++) waiting += all[i].due != 0;
    }
}

int main(int words, char **word) {
    if (words != 6) return 2;
    int connections = atoi(word[2]), poll = epoll_create1(0);
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    FILE *file = fopen(word[5], "r");
    if (!file) fail(word[5]);
    size = fread(request, 1, ROOM, file);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = TIMER};
    epoll_ctl(poll, EPOLL_CTL_ADD, timer, &event);
    Connection *all = connect_all(atoi(word[1]), connections, poll);
    gap = atof(word[3]) > 0 ? 1e9 / atof(word[3]) : 0;
    begin = now();
    end = begin + (int64_t)(atof(word[4]) * 1e9);
    for (int i = 0; i < connections && !gap; i++) send_next(all + i, connections, begin);
    run(all, connections, poll, timer);
    double seconds = (now() - begin) / 1e9;
    qsort(taken, count, sizeof *taken, compare);
    printf("%f %f %f %f %f\n", count / seconds, taken[count / 2], taken[(long)(count * 0.99)],
           taken[(long)(count * 0.999)], taken[count - 1]);
    return 0;
}
