/* Plain hits, read from a body straight into packs of keys, without an object for each.
 *
 * A key is what a hit is counted under: asset, section, resource type, paid type. In a pack it is a msgpack array of
 * four texts (docs/formats/records.md), and moments are numbers of eight bytes. Only bodies are read whose hits have just
 * the five counted fields, in ASCII and without escapes, and either all of them a time in milliseconds or none; for any
 * other the answer is None, and the lanes in Python read it, and say what is wrong with it.
 */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <string.h>

#include "arrays.h"
#include "growing.h"

#define BRANDS_MAX 64
#define LABEL_BYTES_MAX 64
#define ASSET_BYTES_MAX 256
#define DIGITS_MAX 18 /* Numbers below 10^18 are below 2^63; longer ones are left to Python. */
#define AT_MS_MIN 100000000000 /* as footfall.values.hit has them */
#define AT_MS_MAX 253370764799999
#define UNSIGNED_64 0xcf /* before a whole number of eight bytes */
#define MOMENT_BYTES 9
#define HEAD 5 /* bytes: what the head of an array takes at most */
#define SHORT 32 /* bytes: texts below it have one byte before them, and are copied as if they were as long */

typedef struct {
    const unsigned char *at;
    size_t size;
} Span;

static const unsigned char nothing[1]; /* the brand of a hit that names none: a pointer, since of NULL Python makes None */

enum Field { ASSET, SECTION, RESOURCE_TYPE, PAID_TYPE, BRAND, AT, FIELDS };
#define WANTED (1u << ASSET | 1u << SECTION | 1u << RESOURCE_TYPE | 1u << PAID_TYPE) /* of every hit */

typedef struct {
    Span name;
    uint32_t hits;
    Bytes keys;    /* the first HEAD bytes are kept free for the head of the array */
    Bytes places;  /* of the hits in the body, four bytes each */
    Bytes moments; /* of the hits, as the keys are, if they have any */
    int64_t earliest_ms, latest_ms;
} Brand;

/* A value of the last hit, and what stood before it: names, punctuation and blanks since the value before. */
typedef struct {
    Span before;
    enum Field field;
    int is_text; /* in quotation marks, which belong to what stands before and behind */
} Slot;

typedef struct {
    const unsigned char *at, *end;
    Slot slots[FIELDS]; /* of the last hit that was read name by name */
    int slot_count;
    Span behind; /* its last value */
    Brand brands[BRANDS_MAX];
    int brand_count, last_brand;
    uint32_t hits;
    unsigned seen; /* which fields the last hit had */
    int64_t at_ms; /* when it was */
    int is_out_of_memory;
} Body;

static void skip_blanks(Body *body, int lines)
{
    while (body->at < body->end) {
        unsigned char one = *body->at;
        if (one != ' ' && one != '\t' && one != '\r' && (one != '\n' || lines))
            return;
        body->at++;
    }
}

static int take(Body *body, unsigned char wanted)
{
    if (body->at >= body->end || *body->at != wanted)
        return 0;
    body->at++;
    return 1;
}

/* One bit for each byte of eight that ends a plain text: a quotation mark, a backslash, a control character, or
 * anything that is not ASCII. The lowest set bit is exact, which is all that is asked; higher ones may not be. */
static uint64_t ends_in(uint64_t eight)
{
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    uint64_t quote = eight ^ (ones * '"'), backslash = eight ^ (ones * '\\');
    uint64_t found = (quote - ones) & ~quote;
    found |= (backslash - ones) & ~backslash;
    found |= (eight - ones * 0x20) & ~eight;
    return (found | eight) & tops;
}

/* Return where a text of plain ASCII ends: at its quotation mark, or NULL for another text. */
static const unsigned char *end_of_text(const unsigned char *at, const unsigned char *end)
{
    while ((size_t)(end - at) >= 8) {
        uint64_t eight;
        memcpy(&eight, at, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        eight = __builtin_bswap64(eight);
#endif
        uint64_t found = ends_in(eight);
        if (found) {
            at += __builtin_ctzll(found) >> 3;
            break;
        }
        at += 8;
    }
    while (at < end && *at != '"' && *at != '\\' && *at >= 0x20 && *at < 0x80)
        at++;
    return at < end && *at == '"' ? at : NULL;
}

/* Read a text; the quotation mark before it has been taken. */
static int take_text(Body *body, Span *text)
{
    const unsigned char *end = end_of_text(body->at, body->end);
    if (end == NULL)
        return 0;
    *text = (Span){body->at, (size_t)(end - body->at)};
    body->at = end + 1;
    return 1;
}

static int read_number(const unsigned char *at, const unsigned char *end, Span *digits)
{
    digits->at = at;
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    digits->size = (size_t)(at - digits->at);
    return digits->size > 0 && digits->size <= DIGITS_MAX && (digits->size == 1 || *digits->at != '0');
}

/* Tell whether the bytes that come next are these. */
static int is_next(const unsigned char *at, const unsigned char *end, const Span *bytes)
{
    return (size_t)(end - at) >= bytes->size && memcmp(at, bytes->at, bytes->size) == 0;
}

static int is_name(const Span *name, const char *wanted, size_t size)
{
    return name->size == size && memcmp(name->at, wanted, size) == 0;
}

static enum Field field_named(const Span *name)
{
    if (is_name(name, "assetId", 7))
        return ASSET;
    if (is_name(name, "sectionId", 9))
        return SECTION;
    if (is_name(name, "resourceType", 12))
        return RESOURCE_TYPE;
    if (is_name(name, "paidType", 8))
        return PAID_TYPE;
    if (is_name(name, "brand", 5))
        return BRAND;
    return is_name(name, "at", 2) ? AT : FIELDS;
}

static int is_of_size(enum Field field, const Span *text)
{
    return field == ASSET ? text->size > 0 && text->size <= ASSET_BYTES_MAX : text->size <= LABEL_BYTES_MAX;
}

/* Understand the digits of a field that may be a number. */
static int is_number_of(Body *body, enum Field field, const Span *digits)
{
    if (field != AT)
        return field == ASSET || field == SECTION;
    body->at_ms = 0;
    for (size_t place = 0; place < digits->size; place++)
        body->at_ms = 10 * body->at_ms + (digits->at[place] - '0');
    return body->at_ms >= AT_MS_MIN && body->at_ms <= AT_MS_MAX;
}

static int take_value(Body *body, enum Field field, Span *value)
{
    if (take(body, '"'))
        return field != AT && take_text(body, value) && is_of_size(field, value);
    if (!read_number(body->at, body->end, value))
        return 0;
    body->at += value->size;
    return is_number_of(body, field, value);
}

/* Read a hit that is written as the last one was: the same names in the same order, with the same blanks. Only values
 * are looked at then. Nothing is taken of a hit that is written otherwise, or that is none. */
static int take_alike(Body *body, Span values[FIELDS])
{
    const unsigned char *at = body->at, *end = body->end;
    for (const Slot *slot = body->slots; slot < body->slots + body->slot_count; slot++) {
        Span *value = &values[slot->field];
        if (!is_next(at, end, &slot->before))
            return 0;
        at += slot->before.size;
        if (!slot->is_text) {
            if (!read_number(at, end, value) || !is_number_of(body, slot->field, value))
                return 0;
        } else if (!is_next(at, end, value) || at + value->size == end || at[value->size] != '"') { /* a new text */
            const unsigned char *text_end = end_of_text(at, end);
            if (text_end == NULL)
                return 0;
            *value = (Span){at, (size_t)(text_end - at)};
            if (!is_of_size(slot->field, value))
                return 0;
        }
        at += value->size;
    }
    if (!body->slot_count || !is_next(at, end, &body->behind))
        return 0;
    body->at = at + body->behind.size;
    return 1;
}

/* Read one hit; each field may stand once, and those that are wanted must. */
static int take_hit(Body *body, Span values[FIELDS], int lines)
{
    unsigned seen = 0;
    if (take_alike(body, values))
        return 1;
    const unsigned char *since = body->at;
    body->slot_count = 0;
    if (!take(body, '{'))
        return 0;
    do {
        Span name;
        skip_blanks(body, lines);
        if (!take(body, '"') || !take_text(body, &name))
            return 0;
        enum Field field = field_named(&name);
        if (field == FIELDS || seen & 1u << field)
            return 0;
        seen |= 1u << field;
        skip_blanks(body, lines);
        if (!take(body, ':'))
            return 0;
        skip_blanks(body, lines);
        Span *value = &values[field];
        if (!take_value(body, field, value))
            return 0;
        Span before = {since, (size_t)(value->at - since)};
        since = value->at + value->size;
        body->slots[body->slot_count++] = (Slot){before, field, value->at[-1] == '"'};
        skip_blanks(body, lines);
    } while (take(body, ','));
    if (!(seen & 1u << BRAND))
        values[BRAND] = (Span){.at = nothing};
    int is_alike = body->hits == 0 || !((seen ^ body->seen) & 1u << AT);
    body->seen = seen;
    if (!take(body, '}'))
        return 0;
    body->behind = (Span){since, (size_t)(body->at - since)};
    return (seen & WANTED) == WANTED && is_alike;
}

static Brand *brand_named(Body *body, const Span *name)
{
    Brand *brand = &body->brands[body->last_brand];
    if (body->brand_count && brand->name.size == name->size && memcmp(brand->name.at, name->at, name->size) == 0)
        return brand;
    for (int number = 0; number < body->brand_count; number++) {
        brand = &body->brands[number];
        if (brand->name.size == name->size && memcmp(brand->name.at, name->at, name->size) == 0) {
            body->last_brand = number;
            return brand;
        }
    }
    if (body->brand_count == BRANDS_MAX)
        return NULL;
    body->last_brand = body->brand_count++;
    brand = &body->brands[body->last_brand];
    brand->name = *name;
    brand->keys.size = brand->moments.size = 0;
    brand->earliest_ms = AT_MS_MAX;
    brand->latest_ms = AT_MS_MIN;
    if (reserve(&brand->keys, HEAD) < 0 || (body->seen & 1u << AT && reserve(&brand->moments, HEAD) < 0)) {
        body->is_out_of_memory = 1;
        return NULL;
    }
    brand->keys.size = HEAD;
    brand->moments.size = body->seen & 1u << AT ? HEAD : 0;
    return brand;
}

/* Put a text; there is room for one that is SHORT, whatever it is. */
static unsigned char *put_text(unsigned char *to, const Span *text, const unsigned char *end)
{
    if (text->size < SHORT) {
        *to++ = (unsigned char)(0xa0 | text->size);
        if (end - text->at >= SHORT) { /* Some instructions, where copying just as much is a call. */
            memcpy(to, text->at, SHORT);
            return to + text->size;
        }
    } else if (text->size < 256) {
        *to++ = 0xd9;
        *to++ = (unsigned char)text->size;
    } else {
        *to++ = 0xda;
        *to++ = (unsigned char)(text->size >> 8);
        *to++ = (unsigned char)text->size;
    }
    if (text->size)
        memcpy(to, text->at, text->size);
    return to + text->size;
}

/* Put a moment as MessagePack has numbers of its size. */
static int put_moment(Brand *brand, int64_t at_ms)
{
    if (reserve(&brand->moments, MOMENT_BYTES) < 0)
        return -1;
    unsigned char *to = brand->moments.data + brand->moments.size;
    *to++ = UNSIGNED_64;
    for (int shift = 56; shift >= 0; shift -= 8)
        *to++ = (unsigned char)((uint64_t)at_ms >> shift);
    brand->moments.size += MOMENT_BYTES;
    if (at_ms < brand->earliest_ms)
        brand->earliest_ms = at_ms;
    if (at_ms > brand->latest_ms)
        brand->latest_ms = at_ms;
    return 0;
}

static int put_hit(Body *body, const Span values[FIELDS])
{
    Brand *brand = brand_named(body, &values[BRAND]);
    if (brand == NULL)
        return 0;
    size_t room = 1 + KEY_FIELDS * 3 + SHORT;
    for (int field = 0; field < KEY_FIELDS; field++)
        room += values[field].size;
    if (reserve(&brand->keys, room) < 0 || reserve(&brand->places, sizeof body->hits) < 0 ||
        (body->seen & 1u << AT && put_moment(brand, body->at_ms) < 0)) {
        body->is_out_of_memory = 1;
        return 0;
    }
    unsigned char *to = brand->keys.data + brand->keys.size;
    *to++ = ARRAY_OF_FOUR;
    for (int field = 0; field < KEY_FIELDS; field++)
        to = put_text(to, &values[field], body->end);
    brand->keys.size = (size_t)(to - brand->keys.data);
    memcpy(brand->places.data + brand->places.size, &body->hits, sizeof body->hits);
    brand->places.size += sizeof body->hits;
    brand->hits++;
    body->hits++;
    return 1;
}

static int take_array(Body *body)
{
    Span values[FIELDS];
    skip_blanks(body, 0);
    if (!take(body, '['))
        return 0;
    do {
        skip_blanks(body, 0);
        if (!take_hit(body, values, 0) || !put_hit(body, values))
            return 0;
        skip_blanks(body, 0);
    } while (take(body, ','));
    if (!take(body, ']'))
        return 0;
    skip_blanks(body, 0);
    return body->at == body->end;
}

static int take_lines(Body *body)
{
    Span values[FIELDS];
    while (body->at < body->end) {
        skip_blanks(body, 1);
        if (!take_hit(body, values, 1) || !put_hit(body, values))
            return 0;
        skip_blanks(body, 1);
        if (body->at < body->end && !take(body, '\n'))
            return 0;
    }
    return body->hits > 0;
}

/* Return keys or moments as one msgpack array; its head is written right before them. */
static PyObject *pack_of(Bytes *bytes, uint32_t hits)
{
    if (!bytes->size)
        return PyBytes_FromStringAndSize(NULL, 0);
    unsigned char *start = bytes->data + HEAD;
    if (hits < 16) {
        *--start = (unsigned char)(0x90 | hits);
    } else if (hits < 65536) {
        *--start = (unsigned char)hits;
        *--start = (unsigned char)(hits >> 8);
        *--start = 0xdc;
    } else {
        for (int byte = 0; byte < 4; byte++)
            *--start = (unsigned char)(hits >> 8 * byte);
        *--start = 0xdd;
    }
    size_t size = (size_t)(bytes->data + bytes->size - start);
    return PyBytes_FromStringAndSize((const char *)start, (Py_ssize_t)size);
}

static PyObject *brands_of(Body *body)
{
    PyObject *found = PyList_New(body->brand_count);
    if (found == NULL)
        return NULL;
    for (int number = 0; number < body->brand_count; number++) {
        Brand *brand = &body->brands[number];
        const char *places = (const char *)brand->places.data;
        PyObject *one = Py_BuildValue("(s#NNINLL)", (const char *)brand->name.at, (Py_ssize_t)brand->name.size,
                                      pack_of(&brand->keys, brand->hits),
                                      PyBytes_FromStringAndSize(places, (Py_ssize_t)brand->places.size), brand->hits,
                                      pack_of(&brand->moments, brand->hits), (long long)brand->earliest_ms,
                                      (long long)brand->latest_ms);
        if (one == NULL || PyList_SetItem(found, number, one) < 0) {
            Py_DECREF(found);
            return NULL;
        }
    }
    return found;
}

static PyObject *keys_of_body(PyObject *module, PyObject *arguments)
{
    (void)module;
    const char *data;
    Py_ssize_t size;
    int lines;
    if (!PyArg_ParseTuple(arguments, "y#p", &data, &size, &lines))
        return NULL;
    Body body = {.at = (const unsigned char *)data, .end = (const unsigned char *)data + size};
    PyObject *found;
    if (lines ? take_lines(&body) : take_array(&body))
        found = brands_of(&body);
    else if (body.is_out_of_memory)
        found = PyErr_NoMemory();
    else
        found = Py_NewRef(Py_None);
    for (int number = 0; number < body.brand_count; number++) {
        PyMem_Free(body.brands[number].keys.data);
        PyMem_Free(body.brands[number].places.data);
        PyMem_Free(body.brands[number].moments.data);
    }
    return found;
}

/* Tell of packed moments how many they are, the first and the last; None of anything else, and of none at all. */
static PyObject *span_of_moments(PyObject *module, PyObject *pack)
{
    (void)module;
    Py_buffer view;
    if (PyObject_GetBuffer(pack, &view, PyBUF_SIMPLE) < 0)
        return NULL;
    const unsigned char *at = view.buf, *end = at + view.len;
    uint32_t count = 0;
    uint64_t earliest = UINT64_MAX, latest = 0;
    int is_known = read_array_head(&at, end, &count) && count && (uint64_t)(end - at) == (uint64_t)count * MOMENT_BYTES;
    for (; is_known && at < end; at += MOMENT_BYTES) {
        uint64_t moment = 0;
        for (int byte = 1; byte < MOMENT_BYTES; byte++)
            moment = moment << 8 | at[byte];
        earliest = moment < earliest ? moment : earliest;
        latest = moment > latest ? moment : latest;
        is_known = *at == UNSIGNED_64;
    }
    PyBuffer_Release(&view);
    if (!is_known || latest > INT64_MAX)
        Py_RETURN_NONE;
    return Py_BuildValue("(ILL)", count, (long long)earliest, (long long)latest);
}

static PyMethodDef functions[] = {
    {"keys_of_body", keys_of_body, METH_VARARGS,
     "Return (brand, pack of keys, places, hits, pack of moments, first, last) of each brand in a body of plain hits, or"
     " None for another body."},
    {"span_of_moments", span_of_moments, METH_O,
     "Return (count, first, last) of a pack of moments, or None for anything else."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot module_slots[] = {{0, NULL}};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "footfall.native.hit_bodies",
    .m_doc = "Plain hits, read from a body straight into packs of keys.",
    .m_methods = functions,
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit_hit_bodies(void);
PyMODINIT_FUNC PyInit_hit_bodies(void)
{
    return PyModuleDef_Init(&module_definition);
}
