/* Debian's HDF5 can read from other machines, by libcurl, which brings thirty libraries along, and OpenSSL. Headscope
   never asks it to. In a wheel these stand in for what HDF5 would call; each says that it cannot. */

enum { kUnsupportedProtocol = 1 }; /* CURLE_UNSUPPORTED_PROTOCOL */

int curl_global_init(long flags) {
    (void)flags;
    return kUnsupportedProtocol;
}

void curl_global_cleanup(void) {}

void* curl_easy_init(void) {
    return 0;
}

int curl_easy_setopt(void* handle, int option, ...) {
    (void)handle;
    (void)option;
    return kUnsupportedProtocol;
}

int curl_easy_perform(void* handle) {
    (void)handle;
    return kUnsupportedProtocol;
}

int curl_easy_getinfo(void* handle, int info, ...) {
    (void)handle;
    (void)info;
    return kUnsupportedProtocol;
}

const char* curl_easy_strerror(int code) {
    (void)code;
    return "This program reads nothing from other machines.";
}

void curl_easy_cleanup(void* handle) {
    (void)handle;
}

void* curl_slist_append(void* list, const char* text) {
    (void)list;
    (void)text;
    return 0;
}

void curl_slist_free_all(void* list) {
    (void)list;
}
