/* The rows of a list: which of them a filter asks for, and how they are written.
 *
 *     first(slices, is_asked, limit)   the places of the first rows whose slice is asked for, as 32-bit whole numbers
 *     items(assets, hits, slices, before, idents, ends, texts, tails)
 *                                      the entries of a list as JSON, or None for what Python has to write
 *
 * Rows lie in the order of lists, so that looking for the first ends where enough are found. An id is a number, or the
 * bytes between two ends of the texts. A tail is the end of an entry, one for each slice: its labels.
 */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <string.h>

#include "growing.h"

#define TEXT_BIT ((uint64_t)1 << 63) /* set in the ident of an id that is no number */
#define ENTRY_BYTES 160              /* more than an entry has beside its id, if that is a text, and its tail */

static uint32_t word_at(const Py_buffer *numbers, size_t place)
{
    uint32_t found;
    memcpy(&found, (const char *)numbers->buf + 4 * place, 4);
    return found;
}

static uint64_t long_at(const Py_buffer *numbers, size_t place)
{
    uint64_t found;
    memcpy(&found, (const char *)numbers->buf + 8 * place, 8);
    return found;
}

static PyObject *rows_first(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer slices, asked;
    Py_ssize_t limit;
    if (!PyArg_ParseTuple(args, "y*y*n", &slices, &asked, &limit))
        return NULL;
    const char *is_asked = asked.buf;
    size_t rows = (size_t)slices.len / 4, known = (size_t)asked.len, place = 0;
    size_t most = limit < 0 ? 0 : (size_t)limit < rows ? (size_t)limit : rows, found = 0;
    uint32_t *places = PyMem_Malloc(4 * most + 4);
    for (; places != NULL && place < rows && found < most; place++) {
        uint32_t slice = word_at(&slices, place);
        if (slice >= known)
            break;
        places[found] = (uint32_t)place; /* There is room for one more than the most. */
        found += is_asked[slice] != 0;
    }
    PyObject *answer = NULL;
    if (places == NULL)
        PyErr_NoMemory();
    else if (place < rows && found < most)
        PyErr_SetString(PyExc_IndexError, "a slice has no number");
    else
        answer = PyBytes_FromStringAndSize((char *)places, (Py_ssize_t)(4 * found));
    PyMem_Free(places);
    PyBuffer_Release(&slices);
    PyBuffer_Release(&asked);
    return answer;
}

static void add(Bytes *to, const void *data, size_t size)
{
    memcpy(to->data + to->size, data, size);
    to->size += size;
}

#define ADD_WORDS(to, words) add(to, words, sizeof(words) - 1)

static void add_number(Bytes *to, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    add(to, digits + at, sizeof digits - at);
}

/* Whether a text is written as it is; what has to be escaped is left to Python. */
static int is_plain(const unsigned char *text, size_t size)
{
    for (size_t at = 0; at < size; at++)
        if (text[at] < 0x20 || text[at] == '"' || text[at] == '\\')
            return 0;
    return 1;
}

typedef struct {
    Py_buffer assets, hits, slices; /* of each entry */
    Py_buffer before;               /* the assets of the list before, in order */
    Py_buffer idents, ends, texts;  /* of each asset; its text lies between two ends */
    PyObject *tails;                /* of each slice */
} List;

/* Find the text of an asset, if its id is one; -1 when there is none within the bounds, 0 when Python has to write it. */
static int text_of(const List *list, uint32_t asset, const unsigned char **text, size_t *size)
{
    *text = NULL;
    *size = 0;
    if (asset >= (size_t)list->idents.len / 8)
        return -1;
    if (long_at(&list->idents, asset) < TEXT_BIT)
        return 1;
    if ((size_t)asset + 1 >= (size_t)list->ends.len / 8)
        return -1;
    uint64_t start = long_at(&list->ends, asset), end = long_at(&list->ends, (size_t)asset + 1);
    if (start > end || end > (uint64_t)list->texts.len)
        return -1;
    *text = (const unsigned char *)list->texts.buf + start;
    *size = (size_t)(end - start);
    return is_plain(*text, *size);
}

static void add_change(Bytes *to, const List *list, uint32_t asset, size_t place)
{
    size_t before = (size_t)list->before.len / 4;
    for (size_t at = 0; at < before; at++) {
        if (word_at(&list->before, at) == asset) {
            if (at < place)
                ADD_WORDS(to, "-");
            add_number(to, at < place ? place - at : at - place);
            return;
        }
    }
    ADD_WORDS(to, "null");
}

/* Write the entry of a place; -1 with an error set, 0 when Python has to write it. */
static int add_item(Bytes *to, const List *list, size_t place)
{
    uint32_t asset = word_at(&list->assets, place), slice = word_at(&list->slices, place);
    const unsigned char *text;
    size_t size;
    int is_known = text_of(list, asset, &text, &size);
    if (is_known == 0)
        return 0;
    PyObject *tail = is_known < 0 ? NULL : PyList_GetItem(list->tails, slice); /* borrowed */
    char *end;
    Py_ssize_t end_size;
    if (tail == NULL || PyBytes_AsStringAndSize(tail, &end, &end_size) < 0) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_IndexError, "an asset has no number");
        return -1;
    }
    if (reserve(to, ENTRY_BYTES + size + (size_t)end_size) < 0) {
        PyErr_NoMemory();
        return -1;
    }
    if (place)
        ADD_WORDS(to, ",");
    ADD_WORDS(to, "{\"rank\":");
    add_number(to, place + 1);
    ADD_WORDS(to, ",\"change\":");
    add_change(to, list, asset, place);
    ADD_WORDS(to, ",\"assetId\":\"");
    if (text != NULL)
        add(to, text, size);
    else
        add_number(to, long_at(&list->idents, asset));
    ADD_WORDS(to, "\",\"hits\":");
    add_number(to, long_at(&list->hits, place));
    add(to, end, (size_t)end_size);
    return 1;
}

static PyObject *rows_items(PyObject *module, PyObject *args)
{
    (void)module;
    List list;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*y*O", &list.assets, &list.hits, &list.slices, &list.before, &list.idents,
                          &list.ends, &list.texts, &list.tails))
        return NULL;
    Bytes to = {NULL, 0, 0};
    size_t count = (size_t)list.assets.len / 4;
    int written = 1;
    if (!PyList_Check(list.tails) || (size_t)list.hits.len / 8 != count || (size_t)list.slices.len / 4 != count) {
        PyErr_SetString(PyExc_ValueError, "every entry has an asset, hits and a slice, and every slice a tail");
        written = -1;
    }
    for (size_t place = 0; written > 0 && place < count; place++)
        written = add_item(&to, &list, place);
    PyObject *answer = NULL;
    if (written > 0)
        answer = PyBytes_FromStringAndSize((char *)to.data, (Py_ssize_t)to.size);
    else if (written == 0)
        answer = Py_NewRef(Py_None);
    PyMem_Free(to.data);
    Py_buffer *taken[] = {&list.assets, &list.hits, &list.slices, &list.before, &list.idents, &list.ends, &list.texts};
    for (size_t at = 0; at < sizeof taken / sizeof *taken; at++)
        PyBuffer_Release(taken[at]);
    return answer;
}

static PyMethodDef methods[] = {
    {"first", rows_first, METH_VARARGS, "Return the places of the first rows whose slice is asked for."},
    {"items", rows_items, METH_VARARGS, "Return the entries of a list as JSON, or None for what Python has to write."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "footfall.native.list_rows",
    .m_doc = "The rows of a list: which of them a filter asks for, and how they are written.",
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit_list_rows(void);
PyMODINIT_FUNC PyInit_list_rows(void)
{
    return PyModuleDef_Init(&module_definition);
}
