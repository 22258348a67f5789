/* The heads of msgpack's arrays: those of packs, and those of the keys in them. */

#ifndef FOOTFALL_ARRAYS_H
#define FOOTFALL_ARRAYS_H

#include <stddef.h>
#include <stdint.h>

#define KEY_FIELDS 4
#define ARRAY_OF_FOUR 0x94

static int read_array_head(const unsigned char **at, const unsigned char *end, uint32_t *count)
{
    const unsigned char *head = *at;
    size_t left = (size_t)(end - head);
    if (left >= 1 && (*head & 0xf0) == 0x90) {
        *count = *head & 0x0f;
        *at = head + 1;
    } else if (left >= 3 && *head == 0xdc) {
        *count = (uint32_t)head[1] << 8 | head[2];
        *at = head + 3;
    } else if (left >= 5 && *head == 0xdd) {
        *count = (uint32_t)head[1] << 24 | (uint32_t)head[2] << 16 | (uint32_t)head[3] << 8 | head[4];
        *at = head + 5;
    } else {
        return 0;
    }
    return 1;
}

#endif
