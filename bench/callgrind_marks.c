/* Marks between which callgrind counts instructions. Outside of valgrind they are a few instructions without effect. */

#include <valgrind/callgrind.h>

void begin_counting(void);
void begin_counting(void)
{
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
}

/* Write what was counted since the beginning under a name. */
void end_counting(const char *name);
void end_counting(const char *name)
{
    CALLGRIND_DUMP_STATS_AT(name);
    CALLGRIND_STOP_INSTRUMENTATION;
}
