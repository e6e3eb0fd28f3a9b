/* What HDF5 would sign requests to other machines with, by OpenSSL; see no_curl.c. */

const void* EVP_sha256(void) {
    return 0;
}

unsigned char* SHA256(const unsigned char* data, unsigned long count, unsigned char* digest) {
    (void)data;
    (void)count;
    (void)digest;
    return 0;
}

unsigned char* HMAC(const void* type, const void* key, int key_length, const unsigned char* data, unsigned long count,
                    unsigned char* digest, unsigned int* digest_length) {
    (void)type;
    (void)key;
    (void)key_length;
    (void)data;
    (void)count;
    (void)digest;
    (void)digest_length;
    return 0;
}
