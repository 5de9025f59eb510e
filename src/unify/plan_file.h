/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a plan's file looks like, for who makes it (plan.c) and who follows it (plan_complete.c).
 *
 *     omptape-unify 3
 *     locations COUNT
 *     move TO FROM FOLDER         numbers of locations; FOLDER/FROM.evt becomes traces/TO.evt
 *     part BYTES SECONDS NANOSECONDS NAME
 *     end
 */
#ifndef OMPTAPE_UNIFY_PLAN_FILE_H
#define OMPTAPE_UNIFY_PLAN_FILE_H

#include <sys/stat.h>

#define OMPTAPE_PLAN_FIRST_LINE "omptape-unify 3"
#define OMPTAPE_PLAN_LAST_LINE "end"
/* What tells a part's anchor from any other that may come to have its name. */
struct omptape_plan_identity {
    long long bytes;
    long long seconds;
    long nanoseconds;
};

static inline struct omptape_plan_identity omptape_plan_identity_of(const struct stat *anchor)
{
    return (struct omptape_plan_identity){
        .bytes = anchor->st_size, .seconds = anchor->st_mtim.tv_sec, .nanoseconds = anchor->st_mtim.tv_nsec};
}

#endif
