/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of construct names. Read by the command (help, checks), by the library when it reads its options,
 * and by the writer for each new region; allocates nothing. tests/unit/test_choice.c holds it against the
 * writer's own table of regions.
 */
#include "src/core/constructs.h"

#include <fnmatch.h>
#include <string.h>

const struct omptape_construct omptape_constructs[] = {
    {"parallel", NULL, NULL},
    {"teams", NULL, NULL},
    {"task", NULL, NULL},
    {"create task", NULL, "task"},
    {"target task", NULL, NULL},
    {"taskloop", NULL, NULL},
    {"taskloop chunk", NULL, "taskloop"},
    {"for", "do", NULL},
    {"for chunk", "do chunk", "for"},
    {"distribute", NULL, NULL},
    {"distribute chunk", NULL, "distribute"},
    {"sections", NULL, NULL},
    {"section", NULL, "sections"},
    {"single", NULL, NULL},
    {"single sblock", NULL, "single"},
    {"workshare", NULL, NULL},
    {"scope", NULL, NULL},
    {"masked", NULL, NULL},
    {"barrier", NULL, NULL},
    {"barrier wait", NULL, "barrier"},
    {"implicit barrier", NULL, NULL},
    {"implicit barrier wait", NULL, "implicit barrier"},
    {"implementation barrier", NULL, NULL},
    {"implementation barrier wait", NULL, "implementation barrier"},
    {"taskwait", NULL, NULL},
    {"taskwait wait", NULL, "taskwait"},
    {"taskgroup", NULL, NULL},
    {"taskgroup wait", NULL, "taskgroup"},
    {"reduction", NULL, NULL},
    {"reduction wait", NULL, "reduction"},
    {"critical", NULL, NULL},
    {"critical sblock", NULL, "critical"},
    {"atomic", NULL, NULL},
    {"atomic sblock", NULL, "atomic"},
    {"ordered", NULL, NULL},
    {"ordered sblock", NULL, "ordered"},
    {"omp_init_lock", NULL, NULL},
    {"omp_destroy_lock", NULL, NULL},
    {"omp_set_lock", NULL, NULL},
    {"omp_test_lock", NULL, NULL},
    {"omp_unset_lock", NULL, NULL},
    {"omp_init_nest_lock", NULL, NULL},
    {"omp_destroy_nest_lock", NULL, NULL},
    {"omp_set_nest_lock", NULL, NULL},
    {"omp_test_nest_lock", NULL, NULL},
    {"omp_unset_nest_lock", NULL, NULL},
    {"flush", NULL, NULL},
    {"cancel", NULL, NULL},
    {"cancel parallel", NULL, NULL},
    {"cancel sections", NULL, NULL},
    {"cancel for", "cancel do", NULL},
    {"cancel taskgroup", NULL, NULL},
    {"error", NULL, NULL},
    {"omp_fulfill_event", NULL, NULL},
    {"omp_control_tool", NULL, NULL},
    {"target", NULL, NULL},
    {"target enter data", NULL, NULL},
    {"target exit data", NULL, NULL},
    {"target update", NULL, NULL},
    {"target submit", NULL, NULL},
    {"target alloc", NULL, NULL},
    {"target transfer to device", NULL, NULL},
    {"target transfer from device", NULL, NULL},
    {"target delete", NULL, NULL},
    {"target associate", NULL, NULL},
    {"target disassociate", NULL, NULL},
    {"target map", NULL, NULL},
    {"target kernel", NULL, NULL},
    {"copy to device", NULL, NULL},
    {"copy from device", NULL, NULL},
    {"copy", NULL, NULL},
    {"set memory", NULL, NULL},
    {"synchronize", NULL, NULL},
    {"allocate", NULL, NULL},
    {"free", NULL, NULL},
    {"activity", NULL, NULL},
    {"implicit task", NULL, NULL},
    {"device thread", NULL, NULL},
    {"task event", NULL, NULL},
    {"mutex event", NULL, NULL},
};
const size_t omptape_construct_count = sizeof(omptape_constructs) / sizeof(omptape_constructs[0]);

static const struct omptape_construct *find(const char *name)
{
    for (size_t i = 0; i < omptape_construct_count; i++)
        if (strcmp(omptape_constructs[i].name, name) == 0)
            return &omptape_constructs[i];
    return NULL;
}

bool omptape_construct_matches(const char *name, const char *pattern)
{
    const struct omptape_construct *construct = find(name);

    if (fnmatch(pattern, name, 0) == 0)
        return true;
    if (construct == NULL)
        return false;
    if (construct->fortran != NULL && fnmatch(pattern, construct->fortran, 0) == 0)
        return true;
    return construct->whole != NULL && omptape_construct_matches(construct->whole, pattern);
}
