/* Bytes that grow. */

#ifndef FOOTFALL_GROWING_H
#define FOOTFALL_GROWING_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    unsigned char *data;
    size_t size, room;
} Bytes;

/* Make room for some more; -1 when there is no memory. */
static int reserve(Bytes *bytes, size_t more)
{
    if (bytes->room - bytes->size >= more)
        return 0;
    size_t room = bytes->room ? bytes->room : 1024;
    while (room - bytes->size < more) {
        if (room > SIZE_MAX / 2)
            return -1;
        room *= 2;
    }
    unsigned char *data = PyMem_Realloc(bytes->data, room);
    if (data == NULL)
        return -1;
    bytes->data = data;
    bytes->room = room;
    return 0;
}

#endif
