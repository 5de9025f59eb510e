/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of buckets. Read by the writer, by unify and by the command.
 */
#include "src/core/buckets.h"

#include <omptape/properties.h>

const struct omptape_bucket_facts omptape_buckets[OMPTAPE_BUCKET_COUNT] = {
    [OMPTAPE_BUCKET_COMPUTING] = {OMPTAPE_KEY_TIME_COMPUTING, "computing", true},
    [OMPTAPE_BUCKET_SERIAL] = {OMPTAPE_KEY_TIME_SERIAL, "serial", true},
    [OMPTAPE_BUCKET_BARRIER] = {OMPTAPE_KEY_TIME_BARRIER, "barrier", false},
    [OMPTAPE_BUCKET_TASK_WAIT] = {OMPTAPE_KEY_TIME_TASK_WAIT, "task wait", false},
    [OMPTAPE_BUCKET_LOCK] = {OMPTAPE_KEY_TIME_LOCK, "lock", false},
    [OMPTAPE_BUCKET_TASK_MANAGEMENT] = {OMPTAPE_KEY_TIME_TASK_MANAGEMENT, "task management", true},
    [OMPTAPE_BUCKET_TRANSFER] = {OMPTAPE_KEY_TIME_TRANSFER, "transfer", false},
    [OMPTAPE_BUCKET_TARGET] = {OMPTAPE_KEY_TIME_TARGET, "target", false},
    [OMPTAPE_BUCKET_IDLE] = {OMPTAPE_KEY_TIME_IDLE, "idle", false},
};
