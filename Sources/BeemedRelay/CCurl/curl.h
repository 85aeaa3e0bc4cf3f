/* Calls of libcurl that take any number of arguments, which Swift cannot make. The library is
   loaded at run time, by the first request, so that a build needs nothing of it. Numbers of options
   are those of curl/curl.h, which never change. */
#include <stddef.h>

static inline int relay_curl_set_long(void *function, void *handle, int option, long value) {
    return ((int (*)(void *, int, ...))function)(handle, option, value);
}

static inline int relay_curl_set_pointer(
    void *function, void *handle, int option, const void *value) {
    return ((int (*)(void *, int, ...))function)(handle, option, value);
}

typedef size_t (*relay_curl_callback)(char *bytes, size_t size, size_t count, void *context);

static inline int relay_curl_set_callback(
    void *function, void *handle, int option, relay_curl_callback value) {
    return ((int (*)(void *, int, ...))function)(handle, option, value);
}

typedef int (*relay_curl_progress)(
    void *context, long long due, long long received, long long total, long long sent);

static inline int relay_curl_set_progress(
    void *function, void *handle, int option, relay_curl_progress value) {
    return ((int (*)(void *, int, ...))function)(handle, option, value);
}

typedef int (*relay_curl_socket)(void *context, int socket, int purpose);

static inline int relay_curl_set_socket(
    void *function, void *handle, int option, relay_curl_socket value) {
    return ((int (*)(void *, int, ...))function)(handle, option, value);
}

static inline int relay_curl_get_long(void *function, void *handle, int info, long *value) {
    return ((int (*)(void *, int, ...))function)(handle, info, value);
}

static inline void *relay_curl_make(void *function) { return ((void *(*)(void))function)(); }

static inline int relay_curl_prepare(void *function) {
    return ((int (*)(long))function)(3); /* CURL_GLOBAL_ALL */
}

static inline int relay_curl_run(void *function, void *handle) {
    return ((int (*)(void *))function)(handle);
}

static inline void relay_curl_end(void *function, void *handle) {
    ((void (*)(void *))function)(handle);
}

static inline void *relay_curl_append(void *function, void *list, const char *text) {
    return ((void *(*)(void *, const char *))function)(list, text);
}
