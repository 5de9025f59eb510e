/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The database schema in SQL (database.h). Columns are in the order of the values in sqlite.c.
 */
#include "src/command/export/database.h"

#define TABLE(table_name, column_count, definition)                                                          \
    {.name = #table_name,                                                                                    \
     .create = "CREATE TABLE " #table_name " (" definition ")",                                              \
     .columns = (column_count)}

const struct export_table_definition export_tables[EXPORT_TABLES] = {
    [EXPORT_META] = TABLE(meta, 2, "key TEXT PRIMARY KEY, value"),
    [EXPORT_PROCESS] = TABLE(process, 5,
                             "id INTEGER PRIMARY KEY, name TEXT, kind TEXT, pid INTEGER,"
                             "parent INTEGER REFERENCES process"),
    [EXPORT_LOCATION] = TABLE(location, 7,
                              "id INTEGER PRIMARY KEY, process INTEGER REFERENCES process, number INTEGER,"
                              "name TEXT, kind TEXT, tid INTEGER, otf2 INTEGER"),
    [EXPORT_REGION] = TABLE(region, 9,
                            "id INTEGER PRIMARY KEY, name TEXT, construct TEXT, site TEXT, function TEXT,"
                            "file TEXT, line INTEGER, paradigm TEXT, device_work TEXT"),
    [EXPORT_VISIT] = TABLE(visit, 11,
                           "id INTEGER PRIMARY KEY, location INTEGER REFERENCES location,"
                           "region INTEGER REFERENCES region, begin INTEGER, duration INTEGER, self INTEGER,"
                           "parent INTEGER REFERENCES visit, instance INTEGER, chunk_start INTEGER,"
                           "iterations INTEGER, step INTEGER"),
    [EXPORT_TASK] = TABLE(task, 8,
                          "id INTEGER PRIMARY KEY, region INTEGER REFERENCES region,"
                          "creator INTEGER REFERENCES location, created INTEGER,"
                          "location INTEGER REFERENCES location, began INTEGER, ended INTEGER, ran INTEGER"),
    [EXPORT_LOCK] =
        TABLE(lock, 9,
              "id INTEGER PRIMARY KEY, process INTEGER REFERENCES process, number INTEGER,"
              "acquisition INTEGER, location INTEGER REFERENCES location,"
              "visit INTEGER REFERENCES visit, wanted INTEGER, acquired INTEGER, released INTEGER"),
    [EXPORT_MESSAGE] = TABLE(message, 8,
                             "id INTEGER PRIMARY KEY, sender INTEGER REFERENCES location,"
                             "receiver INTEGER REFERENCES location, sent INTEGER, received INTEGER,"
                             "bytes INTEGER, tag INTEGER, communicator TEXT"),
    [EXPORT_COLLECTIVE] = TABLE(collective, 8,
                                "id INTEGER PRIMARY KEY, location INTEGER REFERENCES location,"
                                "visit INTEGER REFERENCES visit, time INTEGER, communicator TEXT,"
                                "root INTEGER, sent_bytes INTEGER, received_bytes INTEGER"),
    [EXPORT_TRANSFER] = TABLE(transfer, 5,
                              "id INTEGER PRIMARY KEY, location INTEGER REFERENCES location,"
                              "visit INTEGER REFERENCES visit, time INTEGER, bytes INTEGER"),
    [EXPORT_ARROW] = TABLE(arrow, 6,
                           "id INTEGER PRIMARY KEY, kind TEXT, from_location INTEGER REFERENCES location,"
                           "from_time INTEGER, to_location INTEGER REFERENCES location, to_time INTEGER"),
    [EXPORT_CONTEXT] = TABLE(context, 5,
                             "id INTEGER PRIMARY KEY, parent INTEGER REFERENCES context, function TEXT,"
                             "file TEXT, line INTEGER"),
    [EXPORT_SAMPLE] = TABLE(sample, 7,
                            "id INTEGER PRIMARY KEY, location INTEGER REFERENCES location, time INTEGER,"
                            "visit INTEGER REFERENCES visit, region INTEGER REFERENCES region,"
                            "context INTEGER REFERENCES context, ns INTEGER"),
    [EXPORT_METRIC] = TABLE(metric, 3, "id INTEGER PRIMARY KEY, name TEXT, unit TEXT"),
    [EXPORT_METRIC_VALUE] = TABLE(metric_value, 4,
                                  "metric INTEGER REFERENCES metric, location INTEGER REFERENCES location,"
                                  "time INTEGER, value")};

const char export_indices[] = "CREATE INDEX visit_region ON visit (region);"
                              "CREATE INDEX task_region ON task (region);"
                              "CREATE INDEX lock_number ON lock (number);"
                              "CREATE INDEX sample_region ON sample (region);"
                              "CREATE INDEX sample_context ON sample (context);"
                              "CREATE INDEX metric_value_metric ON metric_value (metric, location, time);";

const char export_views[] =
    "CREATE VIEW visits AS SELECT visit.id, process.name AS process, location.name AS thread,"
    " region.name AS region, region.construct, region.file, region.line, visit.instance, visit.begin,"
    " visit.begin + visit.duration AS end, visit.duration, visit.self, visit.parent, visit.chunk_start,"
    " visit.iterations, visit.step FROM visit JOIN location ON location.id = visit.location"
    " JOIN process ON process.id = location.process LEFT JOIN region ON region.id = visit.region;"

    "CREATE VIEW region_time AS SELECT region.id, region.name AS region, region.file, region.line,"
    " count(*) AS visits, sum(visit.duration) AS inclusive, sum(visit.self) AS self,"
    " max(visit.duration) AS longest FROM visit JOIN region ON region.id = visit.region"
    " JOIN location ON location.id = visit.location WHERE location.kind = 'thread' GROUP BY region.id;"

    "CREATE VIEW kernel AS SELECT visit.id, process.name AS device, location.name AS stream,"
    " region.name AS kernel, region.device_work AS work, visit.begin, visit.begin + visit.duration AS end,"
    " visit.duration FROM visit JOIN region ON region.id = visit.region"
    " JOIN location ON location.id = visit.location JOIN process ON process.id = location.process"
    " WHERE region.device_work IS NOT NULL AND process.kind = 'device';"

    "CREATE VIEW samples AS SELECT sample.id, sample.time, process.name AS process, location.name AS thread,"
    " region.name AS region, context.function, context.file, context.line, sample.ns, sample.context"
    " FROM sample JOIN location ON location.id = sample.location"
    " JOIN process ON process.id = location.process LEFT JOIN region ON region.id = sample.region"
    " JOIN context ON context.id = sample.context;"

    /* Lists each context's ancestors; depth 0 is the context itself. */
    "CREATE VIEW call AS WITH RECURSIVE up (context, depth, at) AS (SELECT id, 0, id FROM context"
    " UNION ALL SELECT up.context, up.depth + 1, context.parent FROM up JOIN context ON context.id = up.at"
    " WHERE context.parent IS NOT NULL AND up.depth < 4096)"
    " SELECT up.context, up.depth, context.function, context.file, context.line"
    " FROM up JOIN context ON context.id = up.at;";
