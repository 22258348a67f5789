/* Packs of keys: what a msgpack array of arrays of four texts looks like, and how it is read. */

#ifndef FOOTFALL_PACKS_H
#define FOOTFALL_PACKS_H

#include "arrays.h"

/* Return the text's first byte, or NULL for what is no whole text; `at` then stands behind it. */
static const unsigned char *read_text(const unsigned char **at, const unsigned char *end, size_t *size)
{
    const unsigned char *head = *at;
    size_t left = (size_t)(end - head), head_size;
    if (left == 0)
        return NULL;
    if ((*head & 0xe0) == 0xa0) {
        *size = *head & 0x1f;
        head_size = 1;
    } else if (*head == 0xd9 && left >= 2) {
        *size = head[1];
        head_size = 2;
    } else if (*head == 0xda && left >= 3) {
        *size = (size_t)head[1] << 8 | head[2];
        head_size = 3;
    } else {
        return NULL;
    }
    if (left - head_size < *size)
        return NULL;
    *at = head + head_size + *size;
    return head + head_size;
}

static int skip_key(const unsigned char **at, const unsigned char *end)
{
    size_t size;
    if (*at >= end || **at != ARRAY_OF_FOUR)
        return 0;
    ++*at;
    for (int field = 0; field < KEY_FIELDS; field++)
        if (read_text(at, end, &size) == NULL)
            return 0;
    return 1;
}

#endif
