/* Fields of sessions, beats and stretches, which are Structs of msgspec: read and changed through their descriptors, as
 * the interpreter does, but found once and not by name each time.
 */

#ifndef FOOTFALL_FIELDS_H
#define FOOTFALL_FIELDS_H

#include <stdint.h>

#define LESS_THAN ((int64_t)1 << 50) /* Of such numbers no sum, and no product with a hundred or a thousand, is too long. */
#define FACTS_SIZE 4 /* what is watched, of which series, by whom and on what; a key has as many texts */

/* What is read and changed of sessions, beats and stretches; whole numbers of one kind stand together. */
enum {
    BASE, AHEAD, STRETCH, HIGH_MS,
    NUMBER, AT_MS, PLAYHEAD_MS, STATE, RATE, INTERVAL_MS, DURATION_MS, ARRIVED_AT_MS, VISITOR, FACTS,
    FROM_MS, TO_MS, OF_MS, BEATS, SEEN_LOW, SEEN_HIGH, MS, DAY_MS, DAY_TO_MS, KEY, SHOW,
    FIELDS
};

enum { SESSION, BEAT, WATCHED, TYPES }; /* A stretch is what was watched. */

static const struct {
    int of; /* which of the types */
    const char *name;
} names_of[FIELDS] = {
    {SESSION, "base"}, {SESSION, "ahead"}, {SESSION, "stretch"}, {SESSION, "high_ms"},
    {BEAT, "number"}, {BEAT, "at_ms"}, {BEAT, "playhead_ms"}, {BEAT, "state"}, {BEAT, "rate"}, {BEAT, "interval_ms"},
    {BEAT, "duration_ms"}, {BEAT, "arrived_at_ms"}, {BEAT, "visitor"}, {BEAT, "facts"},
    {WATCHED, "from_ms"}, {WATCHED, "to_ms"}, {WATCHED, "duration_ms"}, {WATCHED, "beats"}, {WATCHED, "seen_low"},
    {WATCHED, "seen_high"}, {WATCHED, "ms"}, {WATCHED, "day_ms"}, {WATCHED, "day_to_ms"}, {WATCHED, "key"},
    {WATCHED, "show"},
};

typedef struct {
    PyObject *types[TYPES];
    PyObject *members[FIELDS]; /* the descriptors of fields */
    descrgetfunc get;
    descrsetfunc set;
} Fields;

static int to_number(PyObject *object, int64_t *number)
{
    int overflow;
    if (object == NULL || !PyLong_CheckExact(object))
        return 0;
    *number = PyLong_AsLongLongAndOverflow(object, &overflow);
    return !overflow && -LESS_THAN < *number && *number < LESS_THAN;
}

/* Return a field's value, or NULL, with no error set, where there is none. */
static PyObject *get(const Fields *fields, int field, PyObject *object)
{
    PyObject *value = fields->get(fields->members[field], object, fields->types[names_of[field].of]);
    if (value == NULL)
        PyErr_Clear();
    return value;
}

static int get_number(const Fields *fields, int field, PyObject *object, int64_t *numbers)
{
    PyObject *value = get(fields, field, object);
    int is_number = to_number(value, &numbers[field]);
    Py_XDECREF(value);
    return is_number;
}

static int get_numbers(const Fields *fields, int first, int last, PyObject *object, int64_t *numbers)
{
    for (int field = first; field <= last; field++)
        if (!get_number(fields, field, object, numbers))
            return 0;
    return 1;
}

static PyObject *get_typed(const Fields *fields, int field, PyObject *object, int type)
{
    PyObject *value = get(fields, field, object);
    if (value != NULL && (PyObject *)Py_TYPE(value) != fields->types[type])
        Py_CLEAR(value);
    return value;
}

static int set_number(const Fields *fields, int field, PyObject *object, int64_t number)
{
    PyObject *value = PyLong_FromLongLong(number);
    if (value == NULL)
        return -1;
    int failed = fields->set(fields->members[field], object, value);
    Py_DECREF(value);
    return failed;
}

/* Tell whether two texts are the same; no code of anybody else is run for it. Texts that cannot be compared, for want of
 * memory, are taken for different ones: then Python settles the beat, and meets the same error if it still is one.
 */
static int is_same_text(PyObject *one, PyObject *other)
{
    if (one == other)
        return 1;
    if (one == NULL || other == NULL || !PyUnicode_CheckExact(one) || !PyUnicode_CheckExact(other))
        return 0;
    PyObject *is_same = PyUnicode_RichCompare(one, other, Py_EQ);
    if (is_same == NULL)
        PyErr_Clear();
    Py_XDECREF(is_same);
    return is_same == Py_True;
}

static int is_tuple_of_four(PyObject *object)
{
    return object != NULL && PyTuple_CheckExact(object) && PyTuple_Size(object) == FACTS_SIZE;
}

static int is_same_key(PyObject *one, PyObject *other)
{
    if (!is_tuple_of_four(one) || !is_tuple_of_four(other))
        return 0;
    for (int place = 0; place < FACTS_SIZE; place++)
        if (!is_same_text(PyTuple_GetItem(one, place), PyTuple_GetItem(other, place)))
            return 0;
    return 1;
}

/* Find a field's descriptor, which has to be one of those that a type with slots has. */
static int find_member(Fields *fields, int field)
{
    PyObject *member = PyObject_GetAttrString(fields->types[names_of[field].of], names_of[field].name);
    fields->members[field] = member;
    if (member == NULL)
        return -1;
    if (Py_TYPE(member) != Py_TYPE(fields->members[0])) {
        PyErr_Format(PyExc_TypeError, "%s is no slot", names_of[field].name);
        return -1;
    }
    return 0;
}

/* Find all fields of the types; -1 with an error set. */
static int find_fields(Fields *fields)
{
    for (int field = 0; field < FIELDS; field++)
        if (find_member(fields, field) < 0)
            return -1;
    fields->get = (descrgetfunc)PyType_GetSlot(Py_TYPE(fields->members[0]), Py_tp_descr_get);
    fields->set = (descrsetfunc)PyType_GetSlot(Py_TYPE(fields->members[0]), Py_tp_descr_set);
    if (fields->get == NULL || fields->set == NULL) {
        PyErr_SetString(PyExc_TypeError, "what cannot be read or changed is no slot");
        return -1;
    }
    return 0;
}

static void forget_fields(Fields *fields)
{
    for (int field = 0; field < FIELDS; field++)
        Py_CLEAR(fields->members[field]);
    for (int type = 0; type < TYPES; type++)
        Py_CLEAR(fields->types[type]);
}

#endif
