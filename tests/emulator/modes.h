/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the emulator does: OMPTAPE_EMULATOR holds words separated by commas, each a behaviour of this table or
 * NAME=NUMBER. Read once when the tool starts; constant afterwards, so any thread may ask.
 */
#pragma once

#include <stdbool.h>

#include "omptape/ompt.h"

/* What the device does that a tool might not expect. README.md of this folder says it of each. */
enum em_mode {
    /* who asks for buffers and hands them over, and when */
    EM_REQUEST_APP,
    EM_COMPLETE_APP,
    EM_SUBRANGES,
    EM_PARTIAL_BACK,
    EM_OUT_OF_ORDER,
    EM_SHUFFLE,
    EM_LATE,
    EM_LATE_DEVICE,
    EM_LATE_FINALIZE,
    EM_AFTER_END,
    EM_NEVER,
    EM_COMPLETE_TWICE,
    EM_OWNED_TWICE,
    EM_DUPLICATE,
    EM_EMPTY,
    EM_FOREIGN,
    EM_HOARD,
    EM_FLUSH_FAILS,
    EM_FLUSH_ASYNC,
    EM_START_FAILS,
    EM_START_FAILS_ODD,
    EM_STOP_FAILS,
    EM_PAUSE_FAILS,
    EM_NO_LOOKUP,
    EM_ONE_FORM,
    /* what a record says */
    EM_TYPE_NONEMI,
    EM_TYPE_UNKNOWN,
    EM_TARGET_TIME_ZERO,
    EM_THREAD_HASH,
    EM_ID_SUBMIT,
    EM_ID_ZERO,
    EM_ID_UNKNOWN,
    EM_DEVICE_ZERO,
    EM_CALLBACK_DEVICE_ZERO,
    EM_END_BEFORE_BEGIN,
    EM_TIME_ZERO,
    EM_BEGIN_ZERO,
    EM_END_ZERO,
    EM_D2D,
    EM_D2D_TIMES,
    /* how it is stored and read */
    EM_FIRST_NULL,
    EM_IN_PLACE,
    EM_INVALID,
    EM_NATIVE,
    EM_EVERY_KIND,
    EM_CURSOR_PLAIN,
    EM_CURSOR_LOOP,
    EM_CURSOR_CYCLE,
    EM_CURSOR_PAST,
    /* the clock */
    EM_RAMP,
    EM_STEP_BACK,
    EM_TIME_DEAD,
    EM_DISAGREE,
    /* when operations happen */
    EM_ASYNC,
    EM_OVERHANG,
    EM_MODES
};

enum em_number {
    EM_PPM,        /* error of the device clock's rate, ppm */
    EM_DRIFT,      /* the most by which that error changes in a second, ppm */
    EM_PERIOD,     /* in which it comes back to where it was, s */
    EM_HZ,         /* nominal ticks of the device clock in a second */
    EM_JITTER,     /* a reading of the clock is wrong by up to this, both ways, ns */
    EM_READ_DELAY, /* a reading takes up to this long before and after the moment that it tells, ns */
    EM_SPIKE,      /* one reading of 16 is returned this late, ns */
    EM_DELAY,      /* async, overhang: from the host's request to the start on the device, ns */
    EM_DURATION,   /* async, overhang: of an operation on the device, ns */
    EM_STREAMS,    /* async, overhang: operations that a device does at the same time */
    EM_THREADS,    /* that hand over buffers */
    EM_SUBRANGE,   /* subranges: most records in one */
    EM_EVERY,      /* a damage hits one record of this many */
    EM_FLOOD,      /* synthetic records in all */
    EM_BURST,      /* synthetic records for each kernel */
    EM_STEP,       /* step_back: by how much, ns */
    EM_STEP_AT,    /* step_back: so long after the start, ns */
    EM_OFF_BY,     /* disagree: of ompt_translate_time, ns */
    EM_SEED,
    EM_NUMBERS
};

/* Reads OMPTAPE_EMULATOR. A word that is not known is a violation, so a test cannot misspell its mode. */
void em_modes_read(void);

bool em_mode(enum em_mode mode);
const char *em_mode_name(enum em_mode mode);
double em_number(enum em_number number);

/* missing=NAME+NAME: entry points that look up NULL, named without "ompt_". */
bool em_modes_missing(const char *entry_point);

/* set=KIND:RESULT+KIND:RESULT: what ompt_set_trace_ompt answers, KIND one of target, data_op, submit, map,
 * host (all others), all (etype 0). `usual` if nothing was said. */
ompt_set_result_t em_modes_set_result(unsigned etype, ompt_set_result_t usual);

/* Whether this is one of the records that a damage hits: one of EM_EVERY. */
bool em_modes_hit(enum em_mode mode, unsigned long long serial);
