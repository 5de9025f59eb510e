/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens a part's folder and archive, as a whole and for some of its locations (reading.h).
 */
#include "src/archive/otf2_files.h"
#include "src/archive/otf2_library.h"
#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"
#include "src/unify/reading.h"

#include <stdio.h>

int omptape_unify_open_part(int folder, const char *name)
{
    return name[0] == '\0' ? omptape_beneath_open_folder(folder, ".")
                           : omptape_beneath_open_own_folder(folder, name);
}

static OTF2_Reader *open_again(int files)
{
    char path[OMPTAPE_OTF2_PATH_BYTES];
    char anchor[OMPTAPE_OTF2_PATH_BYTES + 32];
    omptape_otf2_files_path(files, path);
    snprintf(anchor, sizeof(anchor), "%s/" OMPTAPE_ARCHIVE_ANCHOR, path);
    return omptape_open_archive(anchor);
}

OTF2_Reader *omptape_unify_open_reader(int part, int *files)
{
    char path[OMPTAPE_OTF2_PATH_BYTES];
    *files = omptape_otf2_files_enter(part, OMPTAPE_OTF2_READ_OWN, path);
    return *files >= 0 ? open_again(*files) : NULL;
}

/* Some locations of the part, by a reader of libotf2's of their own. */
static void read_portion(struct omptape_unify_reading *reading, uint32_t first, uint32_t end,
                         omptape_unify_portion_work *work)
{
    struct omptape_unify_model *model = reading->model;
    OTF2_Reader *reader = open_again(model->files);
    if (reader == NULL || OTF2_Reader_SetSerialCollectiveCallbacks(reader) != OTF2_SUCCESS) {
        omptape_unify_fail(model, "it cannot be read");
    } else {
        for (uint32_t i = first; i < end; i++)
            OTF2_Reader_SelectLocation(reader, model->locations[i].old);
        work(reading, reader, first, end);
    }
    if (reader != NULL)
        OTF2_Reader_Close(reader);
    if (model->beats != NULL)
        ++*model->beats;
}

void omptape_unify_read_portions(struct omptape_unify_reading *reading, uint32_t first, uint32_t end,
                                 omptape_unify_portion_work *work)
{
    while (first < end && !omptape_unify_failed(reading->model)) {
        uint32_t next = end - first < OMPTAPE_OTF2_PORTION ? end : first + OMPTAPE_OTF2_PORTION;
        read_portion(reading, first, next, work);
        first = next;
    }
}
