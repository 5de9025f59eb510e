/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes call paths in the program's terms: assigns the frames of a stack to the tasks and teams of the
 * location. If runtime frames lie between two frames, the inner frame begins a construct's body.
 */
#include "writers/translate/call_paths.h"

#include "writers/regions/sites.h"
#include "writers/translate/stack.h"
#include "writers/translate/tasks.h"
#include "writers/translate/teams.h"

/* Deeper nesting of teams is not followed. */
enum { MAX_NESTED = 32 };
enum { MAX_FRAMES = OMPTAPE_MAX_CALL_PATH + 2 };
/* An encounter counts as stable if its path changed in at most one of SAMPLES_A_CHANGE samples. Teams of a
 * stable encounter use its last path. */
enum { SAMPLES_A_CHANGE = 10 };

/* The calling contexts of a sample, innermost first. */
struct chain {
    OTF2_CallingContextRef list[MAX_FRAMES];
    uint64_t keys[MAX_FRAMES];
    uint32_t count;
};

/* A team that the location forked, and the frame of the chain in which it encountered the construct. */
struct forked_at {
    struct omptape_team *team;
    uint32_t frame;
};

/* Result of the assignment of a chain's frames. */
struct assignment {
    OTF2_CallingContextRef base; /* Context that replaces the frames around the first `inner` frames. */
    uint32_t inner;
    struct forked_at forks[MAX_NESTED];
    uint32_t fork_count;
};

static void read_chain(const struct omptape_contexts *contexts, OTF2_CallingContextRef ref,
                       struct chain *chain)
{
    chain->count = 0;
    for (uint64_t at = (uint64_t)ref + 1; at != 0 && chain->count < MAX_FRAMES;) {
        const struct omptape_context *context = omptape_contexts_get(contexts, (uint32_t)at - 1);
        chain->list[chain->count] = (uint32_t)at - 1;
        chain->keys[chain->count++] = context->key;
        at = context->parent;
    }
}

/* Returns the return address of a frame, or 0 for special contexts and beyond the chain. */
static uint64_t address_of(const struct omptape_contexts *contexts, const struct chain *chain, uint32_t i)
{
    if (i >= chain->count || (chain->keys[i] & OMPTAPE_CONTEXT_SPECIAL) != 0)
        return 0;
    const struct omptape_code_address *frame = contexts->frames.list[(uint32_t)chain->keys[i]].data;
    return frame->address;
}

/* Returns true if runtime frames lie between this frame and the next outer one. */
static bool is_via_runtime(const struct chain *chain, uint32_t i)
{
    return (chain->keys[i] & OMPTAPE_CONTEXT_SPECIAL) == 0
               ? (chain->keys[i] & OMPTAPE_CONTEXT_VIA_RUNTIME) != 0
               : omptape_context_is_runtime(chain->keys[i]);
}

/* Returns true if the outermost context is this special one. */
static bool begins_with(const struct chain *chain, enum omptape_special_context special)
{
    return chain->keys[chain->count - 1] == OMPTAPE_CONTEXT_KEY(special, 0);
}

static OTF2_CallingContextRef base_of(struct omptape_writer *writer, struct omptape_team *team,
                                      uint32_t nested);

/* Returns the context in which the task of a frame executes, UNDEFINED if unknown or an initial task. */
static OTF2_CallingContextRef base_of_frame(struct omptape_writer *writer, const struct omptape_frame *frame,
                                            uint32_t nested)
{
    if (frame->task != NULL)
        return frame->task->origin - 1;
    return frame->team != NULL ? base_of(writer, frame->team, nested) : OTF2_UNDEFINED_CALLING_CONTEXT;
}

/* Returns the number of the encounter that forked the team, cached there; UINT32_MAX if out of memory. */
static uint32_t encounter_of(struct omptape_writer *writer, struct omptape_team *team, uint32_t nested)
{
    struct omptape_encounter encounter = {.region = team->hidden || team->region == 0 ? OTF2_UNDEFINED_REGION
                                                                                      : team->region};
    const struct omptape_location *primary = team->primary;
    if (team->encounter != 0)
        return team->encounter - 1;
    if (primary != NULL && team->fork_depth > 0 && team->fork_depth <= primary->stack.frame_count &&
        nested < MAX_NESTED) {
        const struct omptape_frame *around = &primary->stack.frames[team->fork_depth - 1];
        const OTF2_CallingContextRef parent =
            around->team != team ? base_of_frame(writer, around, nested + 1) : OTF2_UNDEFINED_CALLING_CONTEXT;
        encounter.parent = parent != OTF2_UNDEFINED_CALLING_CONTEXT ? (uint64_t)parent + 1 : 0;
    }
    const uint32_t number = omptape_contexts_encounter(writer->contexts, &encounter);
    team->encounter = number != UINT32_MAX ? number + 1 : 0;
    return number;
}

/* Returns the context in which a team executes. Uses the team's own path if a sample showed it. Otherwise
 * uses the path of the last teams of the same encounter, if these agree; else a placeholder. */
static OTF2_CallingContextRef base_of(struct omptape_writer *writer, struct omptape_team *team,
                                      uint32_t nested)
{
    struct omptape_contexts *contexts = writer->contexts;
    if (team->path != 0)
        return team->path - 1;
    const uint32_t number = encounter_of(writer, team, nested);
    if (number == UINT32_MAX)
        return OTF2_UNDEFINED_CALLING_CONTEXT;
    const struct omptape_encounter_paths *paths = &contexts->paths[number];
    if (paths->seen > 0 && paths->changes * SAMPLES_A_CHANGE <= paths->seen)
        return paths->last;
    uint64_t key = OMPTAPE_CONTEXT_KEY(OMPTAPE_CONTEXT_TEAM, number);
    if (paths->seen > 0 && team->instance == 0)
        team->instance = omptape_contexts_instance(contexts, number) + 1;
    if (team->instance != 0)
        key = OMPTAPE_CONTEXT_KEY(OMPTAPE_CONTEXT_INSTANCE, team->instance - 1);
    return omptape_contexts_child(contexts, OTF2_UNDEFINED_CALLING_CONTEXT, key);
}

static void add_different(struct omptape_encounter_paths *paths, OTF2_CallingContextRef path)
{
    for (uint32_t i = 0; i < paths->count; i++)
        if (paths->different[i] == path)
            return;
    if (paths->count < OMPTAPE_ENCOUNTER_PATHS)
        paths->different[paths->count++] = path;
}

static void note_path(struct omptape_writer *writer, struct omptape_team *team, OTF2_CallingContextRef path)
{
    const uint32_t number = encounter_of(writer, team, 0);
    team->path = path + 1;
    if (team->instance != 0)
        writer->contexts->instances[team->instance - 1].path = path + 1;
    if (number == UINT32_MAX)
        return;
    struct omptape_encounter_paths *paths = &writer->contexts->paths[number];
    paths->changes += paths->seen > 0 && paths->last != path;
    paths->seen += paths->seen < UINT32_MAX;
    paths->last = path;
    add_different(paths, path);
}

/* Returns the first frame, from `i` on, that the runtime called for a construct at the site. Returns
 * chain->count if there is none, for example if the runtime executed the construct without a frame. */
static uint32_t find_call(const struct omptape_writer *writer, const struct chain *chain, uint32_t i,
                          uint64_t site)
{
    const uint64_t address = omptape_sites_get(writer->sites, site).address;
    for (; address != 0 && i < chain->count; i++)
        if (is_via_runtime(chain, i) && address_of(writer->contexts, chain, i + 1) == address)
            return i;
    return chain->count;
}

/* Returns the frame at which the frames of a deferred task begin. */
static uint32_t find_via_runtime(const struct chain *chain, uint32_t i)
{
    while (i < chain->count && (!is_via_runtime(chain, i) || (chain->keys[i] & OMPTAPE_CONTEXT_SPECIAL) != 0))
        i++;
    return i;
}

/* Assigns frames to one frame of the location's stack, from `i` outwards. Returns the next outer frame.
 * Returns UINT32_MAX if they do not belong to the thread's own path; then assignment->base is set. */
static uint32_t assign_frame(struct omptape_writer *writer, struct omptape_location *location,
                             const struct omptape_frame *frame, const struct chain *chain, uint32_t i,
                             struct assignment *assignment)
{
    const bool deferred = frame->task != NULL && !frame->task->undeferred;
    const bool forked = frame->task == NULL && frame->team != NULL && frame->team->primary == location;
    if (frame->task == NULL && frame->team == NULL)
        return i;
    if (deferred || (frame->task == NULL && !forked)) {
        const uint32_t at = deferred ? find_via_runtime(chain, i) : chain->count - 1;
        const bool worker = !deferred && begins_with(chain, OMPTAPE_CONTEXT_WORKER);
        if (at >= chain->count || (!deferred && !worker))
            return UINT32_MAX;
        assignment->base = base_of_frame(writer, frame, 0);
        assignment->inner = deferred ? at + 1 : at;
        return UINT32_MAX;
    }
    const uint32_t at =
        find_call(writer, chain, i, frame->task != NULL ? frame->task->site : frame->team->site);
    if (at == chain->count)
        return i;
    if (forked && assignment->fork_count < MAX_NESTED)
        assignment->forks[assignment->fork_count++] = (struct forked_at){frame->team, at + 1};
    return at + 1;
}

/* Assigns the frames from `from` on to the first `frame_count` tasks and teams of the location. Frames
 * around a task's own frames are followed too, because they show how the thread's own teams were forked. */
static void assign_frames(struct omptape_writer *writer, struct omptape_location *location,
                          struct chain *chain, uint32_t from, uint32_t frame_count)
{
    struct assignment assignment = {.base = OTF2_UNDEFINED_CALLING_CONTEXT, .inner = chain->count};
    const bool cut = begins_with(chain, OMPTAPE_CONTEXT_TRUNCATED);
    uint32_t at = from;
    /* Number of outer frames of the stack whose begin was not found in the chain. */
    uint32_t outer = frame_count;
    while (frame_count > 0 && at < chain->count) {
        const uint32_t before = at;
        at = assign_frame(writer, location, &location->stack.frames[--frame_count], chain, at, &assignment);
        outer = at != before ? frame_count + (at == UINT32_MAX) : outer;
    }
    if (cut && assignment.base == OTF2_UNDEFINED_CALLING_CONTEXT && outer > 0)
        assignment.base = base_of_frame(writer, &location->stack.frames[outer - 1], 0);
    OTF2_CallingContextRef path = assignment.base;
    if (at == UINT32_MAX && assignment.inner < chain->count)
        assign_frames(writer, location, chain, assignment.inner, frame_count);
    for (uint32_t i = assignment.inner; path != OTF2_UNDEFINED_CALLING_CONTEXT && i > from; i--)
        chain->list[i - 1] = path = omptape_contexts_child(writer->contexts, path, chain->keys[i - 1]);
    /* The outer part of a truncated stack is not known, so it shows no paths of teams. */
    if (cut)
        return;
    for (uint32_t i = assignment.fork_count; i > 0; i--)
        if (assignment.forks[i - 1].frame < chain->count)
            note_path(writer, assignment.forks[i - 1].team, chain->list[assignment.forks[i - 1].frame]);
}

OTF2_CallingContextRef omptape_call_path(struct omptape_writer *writer, struct omptape_location *location,
                                         OTF2_CallingContextRef context)
{
    struct chain chain;
    read_chain(writer->contexts, context, &chain);
    assign_frames(writer, location, &chain, 0, location->stack.frame_count);
    return chain.list[0];
}

OTF2_CallingContextRef omptape_call_path_of_task(struct omptape_writer *writer,
                                                 struct omptape_location *location, uint64_t site)
{
    const struct omptape_frame *top = omptape_stack_top(location);
    if (writer->settings->sample_ns == 0 || top == NULL)
        return OTF2_UNDEFINED_CALLING_CONTEXT;
    const OTF2_CallingContextRef parent = base_of_frame(writer, top, 0);
    const uint64_t address = omptape_sites_get(writer->sites, site).address;
    if (address == 0)
        return parent;
    struct omptape_last_task *last = &location->samples.last_task;
    if (last->context == 0 || last->parent != parent || last->address != address)
        *last = (struct omptape_last_task){.parent = parent,
                                           .address = address,
                                           .context = 1 + omptape_contexts_task(writer, parent, address)};
    return last->context - 1;
}
