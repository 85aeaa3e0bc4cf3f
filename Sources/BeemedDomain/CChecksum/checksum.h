/* The processor's instruction for CRC-32C, which Swift has no name for. Every x86-64 processor
   since 2008 has it, and nearly every 64-bit ARM processor; the others say so. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#define CHECKSUM_TARGET __attribute__((target("sse4.2"), noinline))
#define CHECKSUM_WORD(rest, word) ((uint32_t)__builtin_ia32_crc32di(rest, word))
#define CHECKSUM_BYTE(rest, byte) __builtin_ia32_crc32qi(rest, byte)

static inline int checksum_has_instruction(void) {
    unsigned int a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2);
}

#elif defined(__aarch64__)
#define CHECKSUM_TARGET __attribute__((target("crc"), noinline))
#define CHECKSUM_WORD(rest, word) __builtin_arm_crc32cd(rest, word)
#define CHECKSUM_BYTE(rest, byte) __builtin_arm_crc32cb(rest, byte)

#if defined(__linux__)
#include <sys/auxv.h>
static inline int checksum_has_instruction(void) {
    return (getauxval(AT_HWCAP) & (1ul << 7)) != 0; /* HWCAP_CRC32 */
}
#else
static inline int checksum_has_instruction(void) { return 1; } /* Every Apple processor. */
#endif

#else
#define CHECKSUM_TARGET
#define CHECKSUM_WORD(rest, word) (rest)
#define CHECKSUM_BYTE(rest, byte) (rest)
static inline int checksum_has_instruction(void) { return 0; }
#endif

/* Adds bytes to the rest of a division. Only for a processor that has the instruction. */
CHECKSUM_TARGET static inline uint32_t
checksum_add(uint32_t rest, const void *bytes, size_t count) {
    const unsigned char *next = (const unsigned char *)bytes;
    for (; count >= 8; count -= 8, next += 8) {
        uint64_t word;
        memcpy(&word, next, 8); /* Both kinds of processor are little-endian here. */
        rest = CHECKSUM_WORD(rest, word);
    }
    for (; count > 0; count--, next++) rest = CHECKSUM_BYTE(rest, *next);
    return rest;
}
