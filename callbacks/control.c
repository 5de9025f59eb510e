/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The callbacks for omp_control_tool and the error directive (OpenMP 5.2 sections 19.5.2.29, 19.5.2.30). The
 * runtime calls them on the thread that encounters these.
 */
#include "buffers/producer.h"
#include "callbacks/callbacks.h"

static const _Atomic uint64_t never = UINT64_MAX;

struct omptape_entry_points omptape_entry_points = {.anchor_due = &never};

/* Results of omp_control_tool (section 18.14). The specification fixes the values; omp.h is not included
 * because it belongs to the program's compiler. */
enum { CONTROL_SUCCESS = 0, CONTROL_IGNORED = 1 };

static void steer_devices(enum omptape_control control)
{
    if (control == OMPTAPE_CONTROL_FLUSH && omptape_entry_points.flush_devices != NULL)
        omptape_entry_points.flush_devices();
    if ((control == OMPTAPE_CONTROL_START || control == OMPTAPE_CONTROL_PAUSE) &&
        omptape_entry_points.pause_devices != NULL)
        omptape_entry_points.pause_devices(control == OMPTAPE_CONTROL_PAUSE);
}

int omptape_on_control_tool(uint64_t command, uint64_t modifier, void *arg, const void *codeptr_ra)
{
    if (command >= OMPTAPE_USER_COMMAND_BEGIN && omptape_entry_points.name_by_control != NULL &&
        omptape_entry_points.name_by_control(command, modifier, arg))
        return CONTROL_SUCCESS;
    const enum omptape_control control =
        command <= OMPTAPE_CONTROL_END ? (enum omptape_control)command : OMPTAPE_CONTROL_UNKNOWN;
    omptape_put3(omptape_producer_slot, OMPTAPE_CONTROL_TOOL, (unsigned)control, 0, command, modifier,
                 omptape_address(codeptr_ra));
    steer_devices(control);
    if (control == OMPTAPE_CONTROL_FLUSH)
        omptape_producer_flush();
    if (control == OMPTAPE_CONTROL_END && omptape_entry_points.end_session != NULL)
        omptape_entry_points.end_session();
    return control == OMPTAPE_CONTROL_UNKNOWN ? CONTROL_IGNORED : CONTROL_SUCCESS;
}

void omptape_on_error(ompt_severity_t severity, const char *message, size_t length, const void *codeptr_ra)
{
    struct omptape_slot *slot = omptape_producer_get(OMPTAPE_ERROR);
    enum { TEXT_WORDS = 128 };
    uint64_t payload[1 + TEXT_WORDS];
    payload[0] = omptape_address(codeptr_ra);
    size_t words = omptape_producer_text(payload + 1, TEXT_WORDS, message, length);
    omptape_producer_put_words(slot, OMPTAPE_ERROR, (unsigned)severity, 0, payload, 1 + words);
}
