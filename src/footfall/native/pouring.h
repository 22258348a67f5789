/* Hits of keys that all came from one source, added to the groups of an hour. What those are, and their bounds, says
 * flow/store/referrers.py: an hour is to become what it becomes there, one key after the other. */

#ifndef FOOTFALL_POURING_H
#define FOOTFALL_POURING_H

#include <Python.h>
#include <string.h>

#include "growing.h"

#define SECTIONS 256 /* whose hits wait; a power of two */

/* A section that has its group, or has none for good: what else it has is added when another takes its place. */
typedef struct {
    const unsigned char *text; /* NULL: there is none */
    size_t size;
    int64_t hits;
} Waiting;

typedef struct {
    PyObject *groups; /* a dict: the name of a group to a dict of its hits by the number of their source */
    PyObject *other;  /* a dict: the name of a group to its hits whose source is not told */
    PyObject *source; /* its number */
    long long room;   /* pairs that may still come */
    long long unplaced;
    long long assets_max, sections_max; /* sources of a group */
    Waiting sections[SECTIONS];
    Bytes name; /* of the group in hand */
} Hour;

static int add_hits(PyObject *sums, PyObject *key, PyObject *hits)
{
    PyObject *known = PyDict_GetItemWithError(sums, key);
    if (known == NULL)
        return PyErr_Occurred() ? -1 : PyDict_SetItem(sums, key, hits);
    PyObject *sum = PyNumber_Add(known, hits);
    int failed = sum == NULL ? -1 : PyDict_SetItem(sums, key, sum);
    Py_XDECREF(sum);
    return failed;
}

static int add_group(Hour *hour, PyObject *name, PyObject *hits)
{
    PyObject *group = PyDict_New();
    int failed = group == NULL || PyDict_SetItem(group, hour->source, hits) < 0 ||
                 PyDict_SetItem(hour->groups, name, group) < 0;
    Py_XDECREF(group);
    hour->room--;
    return failed ? -1 : 0;
}

static int add_to_group(Hour *hour, PyObject *name, PyObject *hits, long long sources_max)
{
    PyObject *group = PyDict_GetItemWithError(hour->groups, name);
    if (group == NULL) {
        if (PyErr_Occurred())
            return -1;
        if (hour->room > 0)
            return add_group(hour, name, hits);
        hour->unplaced += PyLong_AsLongLong(hits);
        return 0;
    }
    if (PyDict_GetItemWithError(group, hour->source) == NULL) {
        if (PyErr_Occurred())
            return -1;
        if (hour->room <= 0 || PyDict_Size(group) >= sources_max)
            return add_hits(hour->other, name, hits);
        hour->room--;
    }
    return add_hits(group, hour->source, hits);
}

/* Add hits to the group of this kind that is named by a text. */
static int pour(Hour *hour, char kind, const unsigned char *text, size_t size, int64_t hits, long long sources_max)
{
    hour->name.size = 0;
    if (reserve(&hour->name, size + 1) < 0) {
        PyErr_NoMemory();
        return -1;
    }
    hour->name.data[0] = (unsigned char)kind;
    memcpy(hour->name.data + 1, text, size);
    PyObject *name = PyUnicode_DecodeUTF8((const char *)hour->name.data, (Py_ssize_t)size + 1, NULL);
    PyObject *number = PyLong_FromLongLong(hits);
    int failed = name == NULL || number == NULL || add_to_group(hour, name, number, sources_max) < 0;
    Py_XDECREF(name);
    Py_XDECREF(number);
    return failed ? -1 : 0;
}

static int pour_waiting(Hour *hour, Waiting *one)
{
    return one->hits ? pour(hour, 's', one->text, one->size, one->hits, hour->sections_max) : 0;
}

/* Add hits to a section. Many keys have the same: only its first and the sum of the others are looked up. */
static int pour_section(Hour *hour, const unsigned char *text, size_t size, int64_t hits)
{
    unsigned place = (unsigned)size;
    for (size_t at = 0; at < size; at++)
        place = place * 31 + text[at];
    Waiting *one = &hour->sections[place % SECTIONS];
    if (one->text != NULL && one->size == size && memcmp(one->text, text, size) == 0) {
        one->hits += hits;
        return 0;
    }
    if (pour_waiting(hour, one) < 0)
        return -1;
    *one = (Waiting){.text = text, .size = size};
    return pour(hour, 's', text, size, hits, hour->sections_max);
}

#endif
