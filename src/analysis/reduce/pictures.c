/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pyramids of single processes, and what becomes of them (pictures.h).
 */
#include "src/analysis/reduce/pictures.h"

#include "src/analysis/reduce/pyramid_bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct analysis_pictures *omptape_pictures_new(const struct analysis_plan *plan)
{
    struct analysis_pictures *pictures =
        calloc(1, sizeof(*pictures) + plan->count * sizeof(pictures->list[0]));
    if (pictures != NULL)
        pictures->plan = plan;
    return pictures;
}

void omptape_pictures_free(struct analysis_pictures *pictures)
{
    for (uint32_t i = 0; pictures != NULL && i < pictures->plan->count; i++)
        free(pictures->list[i].bytes);
    free(pictures);
}

struct omptape_pyramid *omptape_picture_begin(const struct analysis_planned *process,
                                              const struct omptape_pyramid *whole)
{
    struct omptape_pyramid *pyramid = omptape_pyramid_begin_part(whole);
    for (uint32_t i = 0; pyramid != NULL && i < process->location_count; i++) {
        const struct omptape_definition *location =
            omptape_reader_find(whole->reader, OMPTAPE_DEF_LOCATION, process->locations[i]);
        if (location != NULL && !omptape_pyramid_add_location(pyramid, location)) {
            omptape_pyramid_free(pyramid);
            return NULL;
        }
    }
    return pyramid;
}

int omptape_picture_keep(struct analysis_pictures *pictures, const struct analysis_planned *process,
                         struct omptape_pyramid *pyramid)
{
    struct omptape_bytes bytes = {.list = NULL};
    if (pyramid->no_memory)
        return -ENOMEM;
    omptape_pyramid_end(pyramid);
    omptape_pyramid_put(&bytes, pyramid);
    if (bytes.failed) {
        omptape_bytes_free(&bytes);
        return -ENOMEM;
    }
    pictures->list[process->index] = (struct analysis_picture){.bytes = bytes.list, .count = bytes.count};
    return 0;
}

void omptape_pictures_put(struct omptape_bytes *bytes, const struct analysis_pictures *pictures)
{
    for (uint32_t i = 0; i < pictures->plan->count; i++) {
        const struct analysis_picture *picture = &pictures->list[i];
        if (picture->bytes == NULL)
            continue;
        omptape_bytes_put(bytes, i);
        omptape_bytes_put(bytes, picture->count);
        omptape_bytes_put_raw(bytes, picture->bytes, picture->count);
    }
}

int omptape_pictures_take(struct analysis_pictures *pictures, struct omptape_bytes_rest *rest)
{
    while (rest->at != rest->end) {
        uint64_t index = omptape_bytes_take(rest);
        uint64_t count = omptape_bytes_take(rest);
        if (rest->bad || index >= pictures->plan->count || count == 0 ||
            count > (uint64_t)(rest->end - rest->at))
            return -EBADMSG;
        struct analysis_picture *picture = &pictures->list[index];
        if (picture->bytes != NULL)
            return -EEXIST;
        picture->bytes = malloc((size_t)count);
        if (picture->bytes == NULL)
            return -ENOMEM;
        picture->count = (size_t)count;
        memcpy(picture->bytes, rest->at, picture->count);
        rest->at += count;
    }
    return 0;
}

/* Of the same archive. */
static bool same_id(const void *data, enum omptape_definition_kind kind, uint64_t *id)
{
    return omptape_reader_find(data, kind, *id) != NULL;
}

static uint64_t same_number(const void *data, uint64_t number)
{
    (void)data;
    return number;
}

int omptape_picture_join(const struct analysis_picture *picture, struct omptape_pyramid *whole)
{
    const struct omptape_partial_map same = {
        .data = whole->reader, .id = same_id, .time = same_number, .ticks = same_number};
    struct omptape_bytes_rest rest = {.at = picture->bytes, .end = picture->bytes + picture->count};
    if (omptape_pyramid_take(whole, &rest, &same))
        return 0;
    return whole->no_memory ? -ENOMEM : -EBADMSG;
}
