/* Beats that go on where the last one of their session was, credited without a step of the interpreter.
 *
 *     GoingOn(Session, Beat, Stretch)            knows where their fields lie
 *     GoingOn.settle(brand, opened, changed, watched, columns, place)
 *                                                settles the beats of a record from a place on; returns where it stopped
 *
 * It stops at the first beat of which anything is out of the ordinary: a session that is new, a hole or what waits behind
 * one, other facts, an end, a step back in time, another day, a first credit, a number of more than 50 bits. Of that beat
 * nothing is changed, and Python settles it (flow/count/watching.py, which says what all of this means).
 *
 * A session's last beat becomes the next one in place: nobody else has it, and its facts stay those that are shared.
 */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>

#include "fields.h"

#define MINUTE_MS 60000
#define RATE_ONE 1000
#define HUNDREDTHS 100
#define HALF 50
#define PLAYING 0
#define ENDED 5
#define RATE_LESS_THAN ((int64_t)1 << 40) /* It is multiplied by a minute at most. */

/* The columns of a record, as settle is given them. */
enum {
    SESSIONS, NUMBERS, TIMES, PLAYHEADS, RATES, INTERVALS, DURATIONS, VISITORS, KEYS, SERIES, MEMBERS, DEVICES,
    LISTS, STATES = LISTS, ARRIVED, ASIDE, COLUMNS
};

typedef struct {
    PyObject_HEAD
    Fields fields;
} GoingOn;

typedef struct {
    const Fields *fields;
    PyObject *brand, *opened, *changed, *watched; /* all of these are the caller's, until the call returns */
    PyObject *columns[COLUMNS];
    const unsigned char *states;
    Py_ssize_t count;
    PyObject *here; /* what was watched in the minute that the last credit lay in */
    int64_t minute_ms;
} Run;

/* A session, its last beat and its stretch; the next beat's numbers, those of the last one and of the stretch. */
typedef struct {
    PyObject *session; /* the caller's */
    PyObject *before, *stretch, *key, *show;
    int64_t next[FIELDS], last[FIELDS];
    int64_t ms;
} Step;

static int has_same_facts(const Run *run, PyObject *before, Py_ssize_t place)
{
    PyObject *facts = get(run->fields, FACTS, before);
    int is_same = is_tuple_of_four(facts) &&
                  is_same_key(PyTuple_GetItem(facts, 0), PyList_GetItem(run->columns[KEYS], place));
    for (int text = 1; is_same && text < FACTS_SIZE; text++)
        is_same = is_same_text(PyTuple_GetItem(facts, text), PyList_GetItem(run->columns[KEYS + text], place));
    Py_XDECREF(facts);
    return is_same;
}

/* Read the next beat; tell whether its numbers are of the usual size. */
static int read_next(const Run *run, Py_ssize_t place, int64_t *next)
{
    static const int read[][2] = {
        {NUMBERS, NUMBER}, {TIMES, AT_MS}, {PLAYHEADS, PLAYHEAD_MS}, {RATES, RATE}, {INTERVALS, INTERVAL_MS},
        {DURATIONS, DURATION_MS},
    };
    for (size_t one = 0; one < sizeof read / sizeof *read; one++) {
        int64_t *number = &next[read[one][1]];
        if (!to_number(PyList_GetItem(run->columns[read[one][0]], place), number) || *number < 0)
            return 0;
    }
    next[STATE] = run->states[place];
    return next[RATE] < RATE_LESS_THAN && next[STATE] != ENDED &&
           PyBytes_CheckExact(PyList_GetItem(run->columns[VISITORS], place));
}

static int64_t credit_ms(const int64_t *last, const int64_t *next)
{
    if (last[STATE] != PLAYING || next[STATE] != PLAYING || next[RATE] == 0)
        return 0;
    int64_t ms = next[INTERVAL_MS] * 3 / 2, clock_ms = next[AT_MS] - last[AT_MS];
    if (clock_ms < ms)
        ms = clock_ms;
    int64_t playhead_ms = next[PLAYHEAD_MS] - last[PLAYHEAD_MS];
    int64_t way_ms = playhead_ms > 0 ? playhead_ms * RATE_ONE / next[RATE] : 0;
    return way_ms < ms ? way_ms : ms;
}

/* Tell whether a credit lies in the stretch's day, behind its beginning and in two minutes at most. */
static int is_within(const Step *step)
{
    int64_t end_ms = step->next[AT_MS], start_ms = end_ms - step->ms;
    const int64_t *of = step->last;
    return of[DAY_MS] <= start_ms && end_ms <= of[DAY_TO_MS] && of[MS] != 0 && of[FROM_MS] <= start_ms &&
           start_ms >= 0 && step->ms <= MINUTE_MS && of[OF_MS] >= 0 && of[SEEN_LOW] >= 0 && of[SEEN_HIGH] >= 0;
}

/* Tell whether the beat at a place goes on where its session's last one was; nothing is changed. */
static int goes_on(const Run *run, Py_ssize_t place, Step *step)
{
    const Fields *fields = run->fields;
    PyObject *ahead = get(fields, AHEAD, step->session);
    int is_waiting = ahead == NULL || !PyDict_CheckExact(ahead) || PyDict_Size(ahead) != 0;
    Py_XDECREF(ahead);
    if (is_waiting || !read_next(run, place, step->next))
        return 0;
    step->before = get_typed(fields, BASE, step->session, BEAT);
    step->stretch = get_typed(fields, STRETCH, step->session, WATCHED);
    if (step->before == NULL || step->stretch == NULL || !get_numbers(fields, NUMBER, STATE, step->before, step->last) ||
        !get_number(fields, HIGH_MS, step->session, step->last) ||
        !get_numbers(fields, FROM_MS, DAY_TO_MS, step->stretch, step->last))
        return 0;
    const int64_t *last = step->last, *next = step->next;
    if (next[NUMBER] != last[NUMBER] + 1 || next[AT_MS] < last[AT_MS] || last[AT_MS] < last[HIGH_MS] ||
        last[PLAYHEAD_MS] < 0 || !has_same_facts(run, step->before, place))
        return 0;
    step->ms = credit_ms(last, next);
    if (step->ms == 0)
        return 1;
    step->key = get(fields, KEY, step->stretch);
    step->show = get(fields, SHOW, step->stretch);
    return is_within(step) && step->key != NULL && is_tuple_of_four(step->show) &&
           PyUnicode_CheckExact(PyTuple_GetItem(step->show, 0));
}

/* Turn to what was watched in a minute; -1 with an error set. */
static int turn_to(Run *run, int64_t minute_ms)
{
    if (run->here != NULL && run->minute_ms == minute_ms)
        return 0;
    PyObject *minute = Py_BuildValue("(OL)", run->brand, (long long)minute_ms);
    if (minute == NULL)
        return -1;
    PyObject *here = PyDict_GetItemWithError(run->watched, minute);
    if (here == NULL && !PyErr_Occurred()) {
        PyObject *made = PyList_New(0);
        if (made != NULL && PyDict_SetItem(run->watched, minute, made) == 0)
            here = made;
        Py_XDECREF(made); /* The dict has it. */
    }
    Py_DECREF(minute);
    run->here = here;
    run->minute_ms = minute_ms;
    return here == NULL ? -1 : 0;
}

static int add_to_minute(Run *run, const Step *step, int64_t minute_ms, int64_t ms, PyObject *visitor)
{
    if (turn_to(run, minute_ms) < 0)
        return -1;
    PyObject *show = PyUnicode_GetLength(PyTuple_GetItem(step->show, 0)) ? step->show : Py_None;
    PyObject *number = PyLong_FromLongLong(ms);
    PyObject *watched = number == NULL ? NULL : PyTuple_Pack(4, step->key, show, number, visitor);
    Py_XDECREF(number);
    if (watched == NULL)
        return -1;
    int failed = PyList_Append(run->here, watched);
    Py_DECREF(watched);
    return failed;
}

/* Add a credit to its minute, or to both of them. */
static int add_to_minutes(Run *run, const Step *step, PyObject *visitor)
{
    int64_t end_ms = step->next[AT_MS], start_ms = end_ms - step->ms;
    int64_t minute_ms = start_ms - start_ms % MINUTE_MS, next_ms = minute_ms + MINUTE_MS;
    if (end_ms <= next_ms)
        return add_to_minute(run, step, minute_ms, step->ms, visitor);
    if (add_to_minute(run, step, minute_ms, next_ms - start_ms, visitor) < 0)
        return -1;
    return add_to_minute(run, step, next_ms, end_ms - next_ms, visitor);
}

/* Return the bits from a first one to a last one, as far as they are among the lower fifty. */
static int64_t bits_between(int64_t first, int64_t last)
{
    if (first < 0)
        first = 0;
    int64_t end = last < HALF ? last + 1 : HALF;
    return first < end ? ((int64_t)1 << end) - ((int64_t)1 << first) : 0;
}

/* Mark what was seen of the asset: a bit for each hundredth, of which there are none behind the last. */
static int see(const Fields *fields, const Step *step, int64_t duration_ms)
{
    const int64_t *next = step->next, to_ms = next[PLAYHEAD_MS], from_ms = to_ms - step->ms * next[RATE] / RATE_ONE;
    int64_t first = from_ms > 0 ? from_ms * HUNDREDTHS / duration_ms : 0, last = (to_ms - 1) * HUNDREDTHS / duration_ms;
    int64_t low = step->last[SEEN_LOW] | bits_between(first, last);
    int64_t high = step->last[SEEN_HIGH] | bits_between(first - HALF, last - HALF);
    if (low != step->last[SEEN_LOW] && set_number(fields, SEEN_LOW, step->stretch, low) < 0)
        return -1;
    return high == step->last[SEEN_HIGH] ? 0 : set_number(fields, SEEN_HIGH, step->stretch, high);
}

/* Let the last beat become the one at a place. */
static int become(const Run *run, PyObject *before, Py_ssize_t place)
{
    static const int changed[][2] = {
        {NUMBERS, NUMBER}, {TIMES, AT_MS}, {PLAYHEADS, PLAYHEAD_MS}, {RATES, RATE}, {INTERVALS, INTERVAL_MS},
        {DURATIONS, DURATION_MS}, {VISITORS, VISITOR},
    };
    const Fields *fields = run->fields;
    for (size_t one = 0; one < sizeof changed / sizeof *changed; one++) {
        PyObject *value = PyList_GetItem(run->columns[changed[one][0]], place);
        if (fields->set(fields->members[changed[one][1]], before, value) < 0)
            return -1;
    }
    return fields->set(fields->members[ARRIVED_AT_MS], before, run->columns[ARRIVED]);
}

/* Settle a beat that goes on. */
static int settle(Run *run, Step *step, Py_ssize_t place)
{
    const Fields *fields = run->fields;
    const int64_t *next = step->next, *last = step->last;
    int64_t duration_ms = next[DURATION_MS] ? next[DURATION_MS] : last[OF_MS];
    if (PyDict_SetItem(run->changed, PyList_GetItem(run->columns[SESSIONS], place), step->session) < 0)
        return -1;
    if (step->ms) {
        if (add_to_minutes(run, step, PyList_GetItem(run->columns[VISITORS], place)) < 0 ||
            set_number(fields, MS, step->stretch, last[MS] + step->ms) < 0 ||
            (next[AT_MS] > last[TO_MS] && set_number(fields, TO_MS, step->stretch, next[AT_MS]) < 0) ||
            (duration_ms && see(fields, step, duration_ms) < 0))
            return -1;
    }
    if (duration_ms != last[OF_MS] && set_number(fields, OF_MS, step->stretch, duration_ms) < 0)
        return -1;
    if (next[STATE] != last[STATE] && set_number(fields, STATE, step->before, next[STATE]) < 0)
        return -1;
    if (set_number(fields, BEATS, step->stretch, last[BEATS] + 1) < 0)
        return -1;
    return become(run, step->before, place);
}

static int is_aside(const Run *run, Py_ssize_t place)
{
    if (run->columns[ASIDE] == Py_None)
        return 0;
    PyObject *number = PyLong_FromSsize_t(place);
    int is_there = number == NULL ? -1 : PyDict_Contains(run->columns[ASIDE], number);
    Py_XDECREF(number);
    return is_there;
}

/* Settle the beat at a place if it goes on; 1 if so, 0 if not, -1 with an error set. */
static int take(Run *run, Py_ssize_t place)
{
    int is_left_out = is_aside(run, place);
    if (is_left_out)
        return is_left_out < 0 ? -1 : 0;
    PyObject *name = PyList_GetItem(run->columns[SESSIONS], place);
    if (!PyUnicode_CheckExact(name))
        return 0;
    PyObject *session = PyDict_GetItemWithError(run->opened, name);
    if (session == NULL)
        return PyErr_Occurred() ? -1 : 0;
    if ((PyObject *)Py_TYPE(session) != run->fields->types[SESSION])
        return 0;
    Step step;
    step.session = session;
    step.before = step.stretch = step.key = step.show = NULL;
    int taken = goes_on(run, place, &step);
    if (taken && settle(run, &step, place) < 0)
        taken = -1;
    Py_XDECREF(step.before);
    Py_XDECREF(step.stretch);
    Py_XDECREF(step.key);
    Py_XDECREF(step.show);
    return taken;
}

/* Look at what a call was given; -1 with an error set. */
static int read_run(Run *run, PyObject *columns)
{
    if (PyTuple_Size(columns) != COLUMNS) {
        PyErr_Format(PyExc_ValueError, "a record of beats has %d columns", COLUMNS);
        return -1;
    }
    for (int column = 0; column < COLUMNS; column++)
        run->columns[column] = PyTuple_GetItem(columns, column);
    char *states;
    if (PyBytes_AsStringAndSize(run->columns[STATES], &states, &run->count) < 0)
        return -1;
    run->states = (const unsigned char *)states;
    for (int column = 0; column < LISTS; column++)
        if (!PyList_CheckExact(run->columns[column]) || PyList_Size(run->columns[column]) != run->count) {
            PyErr_SetString(PyExc_ValueError, "columns of beats are lists of one length");
            return -1;
        }
    if (!PyLong_CheckExact(run->columns[ARRIVED]) ||
        (run->columns[ASIDE] != Py_None && !PyDict_CheckExact(run->columns[ASIDE]))) {
        PyErr_SetString(PyExc_ValueError, "beats have one arrival, and those aside are a dict");
        return -1;
    }
    return 0;
}

static PyObject *going_on_settle(GoingOn *how, PyObject *arguments)
{
    Run run = {.fields = &how->fields};
    PyObject *columns;
    Py_ssize_t place;
    if (!PyArg_ParseTuple(arguments, "UO!O!O!O!n", &run.brand, &PyDict_Type, &run.opened, &PyDict_Type, &run.changed,
                          &PyDict_Type, &run.watched, &PyTuple_Type, &columns, &place) ||
        read_run(&run, columns) < 0)
        return NULL;
    int taken = 1;
    for (; place >= 0 && place < run.count; place += taken) {
        taken = take(&run, place);
        if (taken < 0)
            return NULL;
        if (!taken)
            break;
    }
    return PyLong_FromSsize_t(place);
}

static PyObject *going_on_new(PyTypeObject *type, PyObject *arguments, PyObject *named)
{
    PyObject *session, *beat, *stretch;
    static char *names[] = {"session", "beat", "stretch", NULL};
    if (!PyArg_ParseTupleAndKeywords(arguments, named, "O!O!O!", names, &PyType_Type, &session, &PyType_Type, &beat,
                                     &PyType_Type, &stretch))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    GoingOn *how = (GoingOn *)allocate(type, 0);
    if (how == NULL)
        return NULL;
    how->fields.types[SESSION] = Py_NewRef(session);
    how->fields.types[BEAT] = Py_NewRef(beat);
    how->fields.types[WATCHED] = Py_NewRef(stretch);
    if (find_fields(&how->fields) < 0)
        Py_CLEAR(how);
    return (PyObject *)how;
}

static void going_on_free(GoingOn *how)
{
    forget_fields(&how->fields);
    PyTypeObject *type = Py_TYPE((PyObject *)how);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(how);
    Py_DECREF(type);
}

static PyMethodDef going_on_methods[] = {
    {"settle", (PyCFunction)going_on_settle, METH_VARARGS,
     "Settle the beats of a record from a place on as long as each goes on; return where it stopped."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot going_on_slots[] = {
    {Py_tp_doc, "Settles beats that go on where the last one of their session was."},
    {Py_tp_new, going_on_new},
    {Py_tp_dealloc, going_on_free},
    {Py_tp_methods, going_on_methods},
    {0, NULL},
};

static PyType_Spec going_on_spec = {
    .name = "footfall.native.beats.GoingOn",
    .basicsize = sizeof(GoingOn),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = going_on_slots,
};

static int add_types(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&going_on_spec);
    if (type == NULL)
        return -1;
    int added = PyModule_AddObjectRef(module, "GoingOn", type);
    Py_DECREF(type);
    return added;
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, add_types}, {0, NULL}};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "footfall.native.beats",
    .m_doc = "Beats that go on where the last one of their session was.",
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit_beats(void);
PyMODINIT_FUNC PyInit_beats(void)
{
    return PyModuleDef_Init(&module_definition);
}
