/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts the return addresses of a stack to a calling context. Called for each sample.
 */
#include "writers/regions/contexts.h"

#include "src/core/array.h"
#include "writers/regions/modules.h"
#include "writers/symbols/registers.h"

#include <errno.h>
#include <string.h>

/* Value in contexts.starts. */
static char begins;

/* Limit for chains of tasks that create tasks: longer chains share one context. */
enum { MAX_CREATORS = 16 };

struct noted_code {
    bool is_read;
    struct omptape_sampled_code code;
};

enum frame_kind { FRAME_PROGRAM, FRAME_RUNTIME, FRAME_LIBC, FRAME_WRAPPER };

static enum frame_kind kind_of(const struct omptape_writer *writer, uint64_t address)
{
    if (omptape_symbols_in_wrappers(writer->symbols, address - 1))
        return FRAME_WRAPPER;
    if (omptape_symbols_in_runtime(writer->symbols, address - 1))
        return FRAME_RUNTIME;
    return omptape_symbols_in_libc(writer->symbols, address - 1) ? FRAME_LIBC : FRAME_PROGRAM;
}

OTF2_CallingContextRef omptape_contexts_child(struct omptape_contexts *contexts,
                                              OTF2_CallingContextRef parent, uint64_t key)
{
    const struct omptape_context context = {
        .parent = parent != OTF2_UNDEFINED_CALLING_CONTEXT ? (uint64_t)parent + 1 : 0, .key = key};
    const uint32_t known = omptape_rows_find(&contexts->tree, &context, sizeof(context));
    if (known != UINT32_MAX)
        return known;
    if (contexts->tree.count >= OMPTAPE_MAX_CONTEXTS)
        return parent;
    const uint32_t row = omptape_rows_number(&contexts->tree, &context, sizeof(context));
    if (!contexts->tree.failed)
        return row;
    contexts->tree.failed = false;
    return parent;
}

/* Returns false if out of memory. */
static bool number_frame(struct omptape_writer *writer, uint64_t address, uint32_t *number)
{
    struct omptape_rows *frames = &writer->contexts->frames;
    const struct omptape_code_address frame = {.address = address,
                                               .code_id = omptape_symbols_code_id(writer->symbols, address)};
    *number = omptape_rows_number(frames, &frame, sizeof(frame));
    const bool failed = frames->failed;
    frames->failed = false;
    return !failed;
}

static OTF2_CallingContextRef add_frame(struct omptape_writer *writer, OTF2_CallingContextRef parent,
                                        uint64_t address, bool through)
{
    uint32_t number;
    if (!number_frame(writer, address, &number))
        return parent;
    return omptape_contexts_child(writer->contexts, parent,
                                  number | (through ? OMPTAPE_CONTEXT_VIA_RUNTIME : 0));
}

/* Returns true if a frame does not belong to the C library. */
static bool has_program(const enum frame_kind *kinds, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (kinds[i] != FRAME_LIBC)
            return true;
    return false;
}

/* Removes the frames below the program's first function: the C library's start of a thread, and _start.
 * Returns the number of remaining frames. */
static uint32_t strip_start(const enum frame_kind *kinds, const struct omptape_call_path *path)
{
    uint32_t count = path->count;
    if (!path->complete)
        return count;
    if (count >= 2 && kinds[count - 1] == FRAME_PROGRAM && kinds[count - 2] == FRAME_LIBC &&
        has_program(kinds, count - 1))
        count--;
    while (count > 1 && kinds[count - 1] == FRAME_LIBC)
        count--;
    return count;
}

/* Returns true if the first `count` frames of the path are the whole stack, apart from the C library's start
 * of a thread. LLVM's runtime separates the stacks of its threads by a frame of 64 bytes for each thread
 * before them. From about the 115th thread on, a copy ends in that frame. Its return address is then known
 * from another thread. */
static bool is_whole(struct omptape_contexts *contexts, const enum frame_kind *kinds,
                     const struct omptape_call_path *path, uint32_t count)
{
    if (count == 0 || kinds[count - 1] != FRAME_RUNTIME)
        return path->complete;
    const uint64_t outermost = path->addresses[count - 1];
    const bool begins_thread = omptape_hash_get(&contexts->starts, outermost) != NULL;
    if (path->complete && count < path->count && !begins_thread)
        (void)omptape_hash_put(&contexts->starts, outermost, &begins);
    return path->complete || begins_thread;
}

/* Returns true if the frame pointer leads to the thread's stack. Optimised code uses it for other values. */
static bool has_frame(const struct omptape_stack_copy *copy)
{
    enum { MAX_FRAME = 1 << 20 };
    return copy->registers[OMPTAPE_REGISTER_BP] - copy->registers[OMPTAPE_REGISTER_SP] < MAX_FRAME;
}

/* Returns what the code at the sampled address does; NULL if out of memory. Each address is examined once. */
static struct noted_code *code_at(struct omptape_writer *writer, const struct omptape_stack_copy *copy)
{
    const uint64_t address = copy->registers[OMPTAPE_REGISTER_PC];
    struct omptape_contexts *contexts = writer->contexts;
    struct omptape_code_operand space[OMPTAPE_CODE_OPERANDS];
    uint32_t number;
    if (!number_frame(writer, address + 1, &number))
        return NULL;
    struct noted_code *noted =
        omptape_pairs_obtain(&contexts->codes, &contexts->arena, 0, number, sizeof(*noted));
    if (noted == NULL || noted->is_read)
        return noted;
    noted->is_read = true;
    noted->code = omptape_symbols_sampled_code(writer->symbols, address, has_frame(copy), space);
    const size_t bytes = noted->code.operand_count * sizeof(space[0]);
    struct omptape_code_operand *kept = bytes > 0 ? omptape_arena_alloc(&contexts->arena, bytes) : NULL;
    if (kept != NULL)
        memcpy(kept, space, bytes);
    else
        noted->code.operand_count = 0;
    noted->code.operands = kept;
    return noted;
}

/* Sets the mark of what the sampled code does. Returns false if there is none for that. */
static bool find_mark(struct omptape_contexts *contexts, const struct noted_code *noted,
                      const struct omptape_stack_copy *copy, enum omptape_special_context *mark)
{
    const struct omptape_sampled_code *code = &noted->code;
    enum omptape_access_pattern pattern;
    if (contexts->lines == NULL)
        contexts->lines = omptape_shared_lines_create();
    if (code->waits)
        *mark = OMPTAPE_CONTEXT_SPINNING;
    else if (contexts->lines != NULL && omptape_shared_lines_note(contexts->lines, code, copy))
        *mark = OMPTAPE_CONTEXT_SHARING;
    else if (code->updates)
        *mark = OMPTAPE_CONTEXT_UPDATING;
    else if ((pattern = omptape_far_accesses_note(&contexts->ranges, &contexts->arena, code, copy)) !=
             OMPTAPE_ACCESS_NEAR)
        *mark = pattern == OMPTAPE_ACCESS_FAR ? OMPTAPE_CONTEXT_FAR : OMPTAPE_CONTEXT_SCATTERED;
    else if (code->divides)
        *mark = OMPTAPE_CONTEXT_DIVIDING;
    else
        return false;
    return true;
}

/* Adds a mark of what the sampled code does. */
static OTF2_CallingContextRef mark_code(struct omptape_writer *writer, OTF2_CallingContextRef ref,
                                        const struct omptape_stack_copy *copy)
{
    const struct noted_code *noted = code_at(writer, copy);
    enum omptape_special_context mark;
    return noted != NULL && find_mark(writer->contexts, noted, copy, &mark)
               ? omptape_contexts_child(writer->contexts, ref, OMPTAPE_CONTEXT_KEY(mark, 0))
               : ref;
}

/* Adds the path's context. `copy`: the stack that it was unwound from, or NULL. */
static OTF2_CallingContextRef add_path(struct omptape_writer *writer, const struct omptape_call_path *path,
                                       const struct omptape_stack_copy *copy)
{
    struct omptape_contexts *contexts = writer->contexts;
    OTF2_CallingContextRef ref = OTF2_UNDEFINED_CALLING_CONTEXT;
    enum frame_kind kinds[OMPTAPE_MAX_CALL_PATH];
    uint32_t frame;
    for (uint32_t i = 0; i < path->count; i++)
        kinds[i] = kind_of(writer, path->addresses[i]);
    const uint32_t count = strip_start(kinds, path);
    const bool whole = is_whole(contexts, kinds, path, count);
    if (!whole)
        ref = omptape_contexts_child(contexts, ref, OMPTAPE_CONTEXT_KEY(OMPTAPE_CONTEXT_TRUNCATED, 0));
    else if (count > 0 && kinds[count - 1] == FRAME_RUNTIME)
        ref = omptape_contexts_child(contexts, ref, OMPTAPE_CONTEXT_KEY(OMPTAPE_CONTEXT_WORKER, 0));
    contexts->truncated += !whole;
    bool through = false;
    uint64_t entry = 0;
    for (uint32_t i = count; i > 0; i--) {
        const uint64_t address = path->addresses[i - 1];
        if (kinds[i - 1] == FRAME_WRAPPER)
            continue;
        /* Omits C library functions that the runtime calls. */
        if (kinds[i - 1] == FRAME_RUNTIME || (through && kinds[i - 1] == FRAME_LIBC)) {
            entry = through || i == count ? entry : address;
            through = true;
            continue;
        }
        ref = add_frame(writer, ref, address, through);
        through = false;
        entry = 0;
    }
    if (through) {
        const uint32_t called = entry != 0 && number_frame(writer, entry, &frame) ? frame + 1 : 0;
        return omptape_contexts_child(contexts, ref, OMPTAPE_CONTEXT_KEY(OMPTAPE_CONTEXT_RUNTIME, called));
    }
    return copy != NULL && count > 0 && kinds[0] == FRAME_PROGRAM ? mark_code(writer, ref, copy) : ref;
}

OTF2_CallingContextRef omptape_contexts_add(struct omptape_writer *writer,
                                            const struct omptape_call_path *path)
{
    return add_path(writer, path, NULL);
}

OTF2_CallingContextRef omptape_contexts_unwind(struct omptape_writer *writer,
                                               const struct omptape_stack_copy *copy)
{
    struct omptape_call_path path;
    omptape_modules_cover(writer, copy->registers[OMPTAPE_REGISTER_PC] + 1);
    if (!omptape_symbols_unwind(writer->symbols, copy, &path))
        return OTF2_UNDEFINED_CALLING_CONTEXT;
    const uint64_t last = path.addresses[path.count - 1];
    if (!path.complete && !omptape_symbols_covers(writer->symbols, last)) {
        omptape_modules_cover(writer, last);
        (void)omptape_symbols_unwind(writer->symbols, copy, &path);
    }
    return add_path(writer, &path, copy);
}

OTF2_CallingContextRef omptape_contexts_add_asleep(struct omptape_writer *writer,
                                                   const struct omptape_call_path *path,
                                                   enum omptape_special_context mark)
{
    struct omptape_contexts *contexts = writer->contexts;
    const uint64_t cut = contexts->truncated;
    const OTF2_CallingContextRef ref = omptape_contexts_add(writer, path);
    contexts->truncated = cut; /* `truncated` counts only samples. */
    if (ref == OTF2_UNDEFINED_CALLING_CONTEXT ||
        omptape_context_is_runtime(omptape_contexts_get(contexts, ref)->key))
        return OTF2_UNDEFINED_CALLING_CONTEXT;
    return omptape_contexts_child(contexts, ref, OMPTAPE_CONTEXT_KEY(mark, 0));
}

uint32_t omptape_contexts_encounter(struct omptape_contexts *contexts,
                                    const struct omptape_encounter *encounter)
{
    const uint32_t number = omptape_rows_number(&contexts->encounters, encounter, sizeof(*encounter));
    const bool good = !contexts->encounters.failed &&
                      OMPTAPE_RESERVE_CLEARED(contexts->paths, number + 1, &contexts->path_capacity);
    contexts->encounters.failed = false;
    return good ? number : UINT32_MAX;
}

uint32_t omptape_contexts_instance(struct omptape_contexts *contexts, uint32_t encounter)
{
    return contexts->instance_count < OMPTAPE_ENCOUNTER_INSTANCES &&
                   OMPTAPE_APPEND(contexts->instances, contexts->instance_count, contexts->instance_capacity,
                                  (struct omptape_encounter_instance){.encounter = encounter})
               ? contexts->instance_count - 1
               : UINT32_MAX;
}

OTF2_CallingContextRef omptape_contexts_task(struct omptape_writer *writer, OTF2_CallingContextRef parent,
                                             uint64_t address)
{
    struct omptape_contexts *contexts = writer->contexts;
    uint32_t frame;
    if (!number_frame(writer, address, &frame))
        return parent;
    const uint64_t key = OMPTAPE_CONTEXT_KEY(OMPTAPE_CONTEXT_TASK, frame);
    uint32_t depth = 0;
    for (uint64_t at = parent != OTF2_UNDEFINED_CALLING_CONTEXT ? (uint64_t)parent + 1 : 0;
         at != 0 && depth < MAX_CREATORS; at = omptape_contexts_get(contexts, (uint32_t)at - 1)->parent) {
        const uint64_t known = omptape_contexts_get(contexts, (uint32_t)at - 1)->key;
        if (known == key)
            return (uint32_t)at - 1;
        depth += (known & OMPTAPE_CONTEXT_SPECIAL) != 0;
    }
    return depth < MAX_CREATORS ? omptape_contexts_child(contexts, parent, key) : parent;
}

/* Forgets the functions from the first frame on that has a provisional one. */
static void forget_provisional(struct omptape_contexts *contexts)
{
    uint32_t frame = 0;
    uint32_t first = 0; /* the frame's outermost function */
    for (uint32_t i = 0; i < contexts->sources.known; i++) {
        const struct omptape_source *source = &contexts->sources.list[i];
        if (source->is_provisional) {
            omptape_sources_truncate(&contexts->sources, first);
            contexts->resolved = frame;
            return;
        }
        if (source->more)
            continue;
        first = i + 1;
        frame++;
    }
}

/* Returns the frames of a call by the program's own code, the caller's in the upper half; 0 for others. */
static uint64_t call_of(const struct omptape_contexts *contexts, const struct omptape_context *context)
{
    const uint64_t not_called = OMPTAPE_CONTEXT_SPECIAL | OMPTAPE_CONTEXT_VIA_RUNTIME;
    if (context->parent == 0 || (context->key & not_called) != 0)
        return 0;
    const uint64_t caller = omptape_contexts_get(contexts, (uint32_t)context->parent - 1)->key;
    return (caller & OMPTAPE_CONTEXT_SPECIAL) == 0 ? caller << 32 | context->key : 0;
}

const char *omptape_contexts_called_name(const struct omptape_contexts *contexts,
                                         const struct omptape_context *context)
{
    const uint64_t call = call_of(contexts, context);
    return call != 0 ? omptape_hash_get(&contexts->calls, call) : NULL;
}

static const char *find_called_name(const struct omptape_writer *writer, uint64_t call)
{
    const struct omptape_rows *frames = &writer->contexts->frames;
    const struct omptape_code_address *caller = frames->list[call >> 32].data;
    const struct omptape_code_address *frame = frames->list[(uint32_t)call].data;
    if (caller->code_id != frame->code_id)
        return NULL;
    omptape_symbols_select_code(writer->symbols, (uint32_t)frame->code_id);
    return omptape_symbols_called(writer->symbols, caller->address, frame->address);
}

/* Adds a copy of the name if there is one. `line` is the number of contexts that have been looked up. */
static void add_call(struct omptape_contexts *contexts, const struct omptape_source *call)
{
    const size_t bytes = call->function != NULL ? strlen(call->function) + 1 : 0;
    char *name = bytes > 0 ? omptape_arena_alloc(&contexts->arena, bytes) : NULL;
    if (name != NULL) {
        memcpy(name, call->function, bytes);
        (void)omptape_hash_put(&contexts->calls, call->module_offset, name);
    }
    contexts->looked_up = call->line;
}

static void resolve_calls(struct omptape_writer *writer, int fd)
{
    struct omptape_contexts *contexts = writer->contexts;
    while (contexts->looked_up < contexts->tree.count) {
        const struct omptape_context *context = omptape_contexts_get(contexts, contexts->looked_up);
        struct omptape_source call = {
            .is_call = true, .line = contexts->looked_up + 1, .module_offset = call_of(contexts, context)};
        if (call.module_offset != 0 && omptape_contexts_called_name(contexts, context) == NULL)
            call.function = find_called_name(writer, call.module_offset);
        add_call(contexts, &call);
        /* Exports the last one even without a name, because its line says that all have been looked up. */
        if (fd >= 0 && (call.function != NULL || call.line == contexts->tree.count) &&
            !omptape_sources_export(fd, &call))
            fd = -1;
    }
}

void omptape_contexts_resolve(struct omptape_writer *writer, int fd)
{
    struct omptape_contexts *contexts = writer->contexts;
    if (!contexts->symbols_only)
        forget_provisional(contexts);
    for (; contexts->resolved < contexts->frames.count; contexts->resolved++) {
        const struct omptape_code_address *frame = contexts->frames.list[contexts->resolved].data;
        struct omptape_source source = {.more = true};
        omptape_symbols_select_code(writer->symbols, (uint32_t)frame->code_id);
        for (unsigned depth = 0; source.more; depth++) {
            const int error = omptape_symbols_resolve_frame(writer->symbols, frame->address, depth,
                                                            contexts->symbols_only, &source);
            source.is_provisional = error == -EAGAIN;
            if (!omptape_sources_add(&contexts->sources, &source))
                return;
            if (fd >= 0 && !omptape_sources_export(fd, &source))
                fd = -1;
        }
    }
    resolve_calls(writer, fd);
}

void omptape_contexts_import(struct omptape_contexts *contexts, int fd)
{
    struct omptape_sources *sources = &contexts->sources;
    uint32_t end = sources->known;
    omptape_sources_import(sources, fd);
    for (; end < sources->known && !sources->list[end].is_call; end++)
        contexts->resolved += !sources->list[end].more;
    for (uint32_t i = end; i < sources->known; i++)
        add_call(contexts, &sources->list[i]);
    omptape_sources_truncate(sources, end);
    /* The functions of the last frame are incomplete. */
    if (end > 0 && sources->list[end - 1].more) {
        sources->list[end - 1].more = false;
        contexts->resolved++;
    }
}
