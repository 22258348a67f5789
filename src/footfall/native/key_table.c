/* Keys of hits by number, and how often each was counted, without an object for each hit.
 *
 *     KeyTable.count(pack, n)     counts each key of a pack of n
 *     KeyTable.numbers(pack, n)   which keys a pack of n has, by number
 *     KeyTable.keys(start)        the keys from a number on, as tuples of texts
 *     KeyTable.picked(numbers)    those with these numbers
 *     KeyTable.counts()           how often each was counted
 *     KeyTable.text_bytes(start)  how many bytes the texts of keys have, from a number on
 *     KeyTable.pour(...)          adds them to the groups of an hour (pouring.h)
 *
 * A pack is a msgpack array of keys, each an array of four texts (docs/formats/records.md), and a key is looked up by its
 * bytes. Of anything that is no such pack nothing is kept, the answer says so, and Python finds out what it is.
 *
 *     keys     hash | start | size | count     one for each number, in the order of their coming
 *     bytes    94 a9 "132141398" a3 "563" ...  of all keys, one behind the other
 *     places   0 | 0 | 7 | 0 | 3 ...           by hash: number + 1 of the key there; open addressing, half full at most
 */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <string.h>

#include "growing.h"
#include "packs.h"
#include "pouring.h"

#define AT_ONCE 32 /* keys that are looked up together */

typedef struct {
    uint64_t hash;
    size_t start; /* in the bytes of all keys */
    uint32_t size;
    int64_t count;
} Key;

typedef struct {
    PyObject_HEAD
    uint64_t secret; /* Whoever chooses ids must not choose where they fall. */
    Key *keys;
    uint32_t size, room;
    uint32_t *places; /* number + 1 of the key that has a place; 0: it is free */
    uint32_t mask;
    Bytes bytes;
    uint32_t *numbers; /* of the pack in hand */
    uint32_t numbers_room;
} KeyTable;

static uint64_t mixed(uint64_t left, uint64_t right)
{
    __uint128_t product = (__uint128_t)left * right;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t eight_of(const unsigned char *at)
{
    uint64_t eight;
    memcpy(&eight, at, 8);
    return eight;
}

static uint64_t hash_of(const unsigned char *at, size_t size, uint64_t secret)
{
    uint64_t hash = secret ^ size;
    const unsigned char *end = at + size;
    while ((size_t)(end - at) > 16) {
        hash = mixed(eight_of(at) ^ 0xa0761d6478bd642fu, eight_of(at + 8) ^ hash);
        at += 16;
    }
    if (size >= 16) { /* The last sixteen, of which some may have been there: quicker than to copy so many as are left. */
        hash = mixed(eight_of(end - 16) ^ 0xe7037ed1a0b428dbu, eight_of(end - 8) ^ hash);
    } else {
        unsigned char rest[16] = {0};
        memcpy(rest, at, size);
        hash = mixed(eight_of(rest) ^ 0xe7037ed1a0b428dbu, eight_of(rest + 8) ^ hash);
    }
    return mixed(hash ^ 0x8ebc6af09c88c6e3u, secret ^ 0x589965cc75374cc3u);
}

static int is_same(const unsigned char *left, const unsigned char *right, size_t size)
{
    if (size < 16 || size > 64)
        return memcmp(left, right, size) == 0;
    uint64_t differs = 0;
    for (size_t place = 0; place + 8 < size; place += 8)
        differs |= eight_of(left + place) ^ eight_of(right + place);
    return (differs | (eight_of(left + size - 8) ^ eight_of(right + size - 8))) == 0;
}

static PyObject *tuple_of(const unsigned char *at, const unsigned char *end)
{
    PyObject *key = PyTuple_New(KEY_FIELDS);
    at++; /* the head of the array */
    for (int field = 0; key != NULL && field < KEY_FIELDS; field++) {
        size_t size = 0;
        const unsigned char *text = read_text(&at, end, &size);
        PyObject *one = PyUnicode_DecodeUTF8((const char *)text, (Py_ssize_t)size, NULL);
        if (one == NULL || PyTuple_SetItem(key, field, one) < 0)
            Py_CLEAR(key);
    }
    return key;
}

/* Tell whether the texts of a key are UTF-8; what is ASCII is. */
static int is_readable(const unsigned char *at, const unsigned char *end)
{
    const unsigned char *next = at + 1;
    unsigned char all = 0;
    for (int field = 0; field < KEY_FIELDS; field++) {
        size_t size = 0;
        const unsigned char *text = read_text(&next, end, &size);
        for (size_t place = 0; place < size; place++)
            all |= text[place];
    }
    if (all < 0x80)
        return 1;
    PyObject *key = tuple_of(at, end);
    if (key == NULL)
        PyErr_Clear();
    Py_XDECREF(key);
    return key != NULL;
}

static int widen_places(KeyTable *table)
{
    uint32_t mask = table->mask ? table->mask * 2 + 1 : 1023;
    uint32_t *places = PyMem_Calloc((size_t)mask + 1, sizeof *places);
    if (places == NULL)
        return -1;
    for (uint32_t number = 0; number < table->size; number++) {
        uint32_t place = (uint32_t)table->keys[number].hash & mask;
        while (places[place])
            place = (place + 1) & mask;
        places[place] = number + 1;
    }
    PyMem_Free(table->places);
    table->places = places;
    table->mask = mask;
    return 0;
}

static int widen_keys(KeyTable *table)
{
    uint32_t room = table->room ? table->room * 2 : 512;
    Key *keys = PyMem_Realloc(table->keys, room * sizeof *keys);
    if (keys == NULL)
        return -1;
    table->keys = keys;
    table->room = room;
    return 0;
}

enum { UNREADABLE = -1, NO_MEMORY = -2 };

static int64_t add_key(KeyTable *table, const unsigned char *at, uint32_t size, uint64_t hash)
{
    if (!is_readable(at, at + size))
        return UNREADABLE;
    if (table->size == table->room && widen_keys(table) < 0)
        return NO_MEMORY;
    if (reserve(&table->bytes, size) < 0)
        return NO_MEMORY;
    memcpy(table->bytes.data + table->bytes.size, at, size);
    table->keys[table->size] = (Key){.hash = hash, .start = table->bytes.size, .size = size};
    table->bytes.size += size;
    return table->size++;
}

/* A key of the pack in hand. */
typedef struct {
    const unsigned char *at;
    uint64_t hash;
    uint32_t size;
} Met;

/* Return the number of a key, which is new or was there. */
static int64_t number_of(KeyTable *table, const Met *met)
{
    if (2 * (uint64_t)table->size >= table->mask && widen_places(table) < 0)
        return NO_MEMORY;
    uint32_t place = (uint32_t)met->hash & table->mask;
    for (; table->places[place]; place = (place + 1) & table->mask) {
        uint32_t number = table->places[place] - 1;
        const Key *key = &table->keys[number];
        if (key->hash == met->hash && key->size == met->size &&
            is_same(table->bytes.data + key->start, met->at, met->size))
            return number;
    }
    int64_t number = add_key(table, met->at, met->size, met->hash);
    if (number >= 0)
        table->places[place] = (uint32_t)number + 1;
    return number;
}

/* Ask for the memory that these keys are looked up in. Nearly all of the time that a key takes is waiting for it, so it
 * is asked for at once for all of them: first their places, then the keys there, then the bytes of those. */
static void fetch(const KeyTable *table, const Met *met, uint32_t count)
{
    uint32_t numbers[AT_ONCE];
    for (uint32_t one = 0; one < count; one++) {
        numbers[one] = table->places[(uint32_t)met[one].hash & table->mask];
        if (numbers[one])
            __builtin_prefetch(&table->keys[numbers[one] - 1]);
    }
    for (uint32_t one = 0; one < count; one++)
        if (numbers[one])
            __builtin_prefetch(table->bytes.data + table->keys[numbers[one] - 1].start);
}

/* Forget the keys from a number on. Going backwards, the place of each is the last that was taken on its way. */
static void forget_from(KeyTable *table, uint32_t first)
{
    while (table->size > first) {
        const Key *key = &table->keys[--table->size];
        uint32_t place = (uint32_t)key->hash & table->mask;
        while (table->places[place] != table->size + 1)
            place = (place + 1) & table->mask;
        table->places[place] = 0;
        table->bytes.size = key->start;
    }
}

static int make_room_for_numbers(KeyTable *table, uint32_t count)
{
    if (count <= table->numbers_room)
        return 0;
    uint32_t *numbers = PyMem_Realloc(table->numbers, count * sizeof *numbers);
    if (numbers == NULL)
        return -1;
    table->numbers = numbers;
    table->numbers_room = count;
    return 0;
}

/* Find the numbers of a pack's keys; 0, or why there are none. */
static int64_t number_keys(KeyTable *table, const unsigned char *at, size_t size, long long hits)
{
    const unsigned char *end = at + size;
    uint32_t count;
    if (!read_array_head(&at, end, &count) || count != hits || count > size)
        return UNREADABLE; /* Each key takes a byte at least, so no head asks for more memory than there is data. */
    if (make_room_for_numbers(table, count) < 0 || (!table->mask && widen_places(table) < 0))
        return NO_MEMORY;
    for (uint32_t hit = 0; hit < count;) {
        Met met[AT_ONCE];
        uint32_t some = 0;
        for (; some < AT_ONCE && hit + some < count; some++) {
            const unsigned char *key = at;
            if (!skip_key(&at, end))
                return UNREADABLE;
            uint64_t hash = hash_of(key, (size_t)(at - key), table->secret);
            met[some] = (Met){.at = key, .hash = hash, .size = (uint32_t)(at - key)};
            __builtin_prefetch(&table->places[(uint32_t)hash & table->mask]);
        }
        fetch(table, met, some);
        for (uint32_t one = 0; one < some; one++) {
            int64_t number = number_of(table, &met[one]);
            if (number < 0)
                return number;
            table->numbers[hit++] = (uint32_t)number;
        }
    }
    return at == end ? 0 : UNREADABLE;
}

/* Number the pack that a call was given; tell whether it is one, or -1 with an error set. Of any other no key stays. */
static int number_pack(KeyTable *table, PyObject *arguments, long long *hits)
{
    PyObject *pack;
    Py_buffer view;
    if (!PyArg_ParseTuple(arguments, "OL", &pack, hits) || PyObject_GetBuffer(pack, &view, PyBUF_SIMPLE) < 0)
        return -1;
    uint32_t before = table->size;
    int64_t failed = number_keys(table, view.buf, (size_t)view.len, *hits);
    PyBuffer_Release(&view);
    if (failed)
        forget_from(table, before);
    if (failed == NO_MEMORY)
        PyErr_NoMemory();
    return failed == NO_MEMORY ? -1 : !failed;
}

static PyObject *table_count(KeyTable *table, PyObject *arguments)
{
    long long hits;
    int is_pack = number_pack(table, arguments, &hits);
    if (is_pack < 0)
        return NULL;
    for (long long hit = 0; is_pack && hit < hits; hit++)
        table->keys[table->numbers[hit]].count++;
    return PyBool_FromLong(is_pack);
}

static PyObject *table_numbers(KeyTable *table, PyObject *arguments)
{
    long long hits;
    int is_pack = number_pack(table, arguments, &hits);
    if (is_pack < 0)
        return NULL;
    if (!is_pack)
        return Py_NewRef(Py_None);
    return PyBytes_FromStringAndSize((const char *)table->numbers, (Py_ssize_t)(hits * (long long)sizeof *table->numbers));
}

static PyObject *table_keys(KeyTable *table, PyObject *argument)
{
    size_t start = PyLong_AsSize_t(argument);
    if (start == (size_t)-1 && PyErr_Occurred())
        return NULL;
    if (start > table->size)
        start = table->size;
    PyObject *found = PyList_New((Py_ssize_t)(table->size - start));
    for (size_t number = start; found != NULL && number < table->size; number++) {
        const unsigned char *at = table->bytes.data + table->keys[number].start;
        PyObject *key = tuple_of(at, at + table->keys[number].size);
        if (key == NULL || PyList_SetItem(found, (Py_ssize_t)(number - start), key) < 0)
            Py_CLEAR(found);
    }
    return found;
}

static PyObject *table_picked(KeyTable *table, PyObject *numbers)
{
    Py_buffer view;
    if (PyObject_GetBuffer(numbers, &view, PyBUF_SIMPLE) < 0)
        return NULL;
    Py_ssize_t size = view.len / (Py_ssize_t)sizeof(uint32_t);
    PyObject *found = PyList_New(size);
    for (Py_ssize_t place = 0; found != NULL && place < size; place++) {
        uint32_t number;
        memcpy(&number, (const char *)view.buf + place * (Py_ssize_t)sizeof number, sizeof number);
        if (number >= table->size) {
            PyErr_SetString(PyExc_IndexError, "no key has that number");
            Py_CLEAR(found);
            break;
        }
        const unsigned char *at = table->bytes.data + table->keys[number].start;
        PyObject *key = tuple_of(at, at + table->keys[number].size);
        if (key == NULL || PyList_SetItem(found, place, key) < 0)
            Py_CLEAR(found);
    }
    PyBuffer_Release(&view);
    return found;
}

static PyObject *table_counts(KeyTable *table, PyObject *nothing)
{
    (void)nothing;
    PyObject *found = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(table->size * sizeof(int64_t)));
    if (found == NULL)
        return NULL;
    char *to = PyBytes_AsString(found);
    for (uint32_t number = 0; number < table->size; number++)
        memcpy(to + number * sizeof(int64_t), &table->keys[number].count, sizeof(int64_t));
    return found;
}

static PyObject *table_text_bytes(KeyTable *table, PyObject *argument)
{
    size_t start = PyLong_AsSize_t(argument), found = 0;
    if (start == (size_t)-1 && PyErr_Occurred())
        return NULL;
    for (size_t number = start; number < table->size; number++) {
        const unsigned char *at = table->bytes.data + table->keys[number].start + 1;
        const unsigned char *end = at + table->keys[number].size - 1;
        for (int field = 0; field < KEY_FIELDS; field++) {
            size_t size = 0;
            read_text(&at, end, &size);
            found += size;
        }
    }
    return PyLong_FromSize_t(found);
}

static int pour_key(Hour *hour, const KeyTable *table, const Key *key)
{
    const unsigned char *at = table->bytes.data + key->start + 1, *end = at + key->size - 1;
    size_t asset_size = 0, section_size = 0;
    const unsigned char *asset = read_text(&at, end, &asset_size), *section = read_text(&at, end, &section_size);
    if (pour(hour, 'a', asset, asset_size, key->count, hour->assets_max) < 0)
        return -1;
    return section_size ? pour_section(hour, section, section_size, key->count) : 0;
}

static PyObject *table_pour(KeyTable *table, PyObject *arguments)
{
    Hour hour = {0};
    long long room, hits = 0;
    if (!PyArg_ParseTuple(arguments, "O!O!O!LLL", &PyDict_Type, &hour.groups, &PyDict_Type, &hour.other, &PyLong_Type,
                          &hour.source, &room, &hour.assets_max, &hour.sections_max))
        return NULL;
    hour.room = room;
    int failed = 0;
    for (uint32_t number = 0; !failed && number < table->size; number++) {
        hits += table->keys[number].count;
        failed = table->keys[number].count && pour_key(&hour, table, &table->keys[number]) < 0;
    }
    for (int place = 0; !failed && place < SECTIONS; place++)
        failed = pour_waiting(&hour, &hour.sections[place]) < 0;
    PyMem_Free(hour.name.data);
    return failed ? NULL : Py_BuildValue("LLL", hits, room - hour.room, hour.unplaced);
}

static Py_ssize_t table_length(KeyTable *table)
{
    return (Py_ssize_t)table->size;
}

static PyObject *table_new(PyTypeObject *type, PyObject *arguments, PyObject *named)
{
    unsigned long long secret;
    static char *names[] = {"secret", NULL};
    if (!PyArg_ParseTupleAndKeywords(arguments, named, "K", names, &secret))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    KeyTable *table = (KeyTable *)allocate(type, 0);
    if (table != NULL)
        table->secret = secret;
    return (PyObject *)table;
}

static void table_free(KeyTable *table)
{
    PyMem_Free(table->keys);
    PyMem_Free(table->places);
    PyMem_Free(table->bytes.data);
    PyMem_Free(table->numbers);
    PyTypeObject *type = Py_TYPE((PyObject *)table);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(table);
    Py_DECREF(type);
}

static PyMethodDef table_methods[] = {
    {"count", (PyCFunction)table_count, METH_VARARGS, "Count each key of a pack of so many; return whether it was one."},
    {"numbers", (PyCFunction)table_numbers, METH_VARARGS,
     "Return the number of each key of a pack of so many as 32-bit whole numbers, or None."},
    {"keys", (PyCFunction)table_keys, METH_O, "Return the keys from a number on as tuples of texts."},
    {"picked", (PyCFunction)table_picked, METH_O, "Return the keys with these numbers, which are 32-bit whole numbers."},
    {"counts", (PyCFunction)table_counts, METH_NOARGS, "Return how often each key was counted as 64-bit whole numbers."},
    {"text_bytes", (PyCFunction)table_text_bytes, METH_O,
     "Return how many bytes the texts of the keys from a number on have."},
    {"pour", (PyCFunction)table_pour, METH_VARARGS,
     "Add the counts to an hour's groups as hits of a source; return hits, new pairs and what found no place."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot table_slots[] = {
    {Py_tp_doc, "Keys of hits, each with a number in the order of their coming, and how often they were counted."},
    {Py_tp_new, table_new},
    {Py_tp_dealloc, table_free},
    {Py_tp_methods, table_methods},
    {Py_sq_length, table_length},
    {0, NULL},
};

static PyType_Spec table_spec = {
    .name = "footfall.native.key_table.KeyTable",
    .basicsize = sizeof(KeyTable),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = table_slots,
};

static int add_types(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&table_spec);
    if (type == NULL)
        return -1;
    int added = PyModule_AddObjectRef(module, "KeyTable", type);
    Py_DECREF(type);
    return added;
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, add_types}, {0, NULL}};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "footfall.native.key_table",
    .m_doc = "Keys of hits by number, and how often each was counted.",
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit_key_table(void);
PyMODINIT_FUNC PyInit_key_table(void)
{
    return PyModuleDef_Init(&module_definition);
}
