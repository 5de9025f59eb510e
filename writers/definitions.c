/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the definitions when the last event is written: system tree, locations, regions with their source
 * positions, teams, attributes, clock. Called once by the writer's translating thread.
 */
#include "writers/definitions.h"

#include "writers/callees.h"
#include "writers/choice.h"
#include "writers/device_definitions.h"
#include "writers/model.h"
#include "writers/modules.h"
#include "writers/properties.h"
#include "writers/symbols.h"
#include "writers/teams.h"

#include <omptape/ompt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MACHINE = 0, NODE = 1, PROCESS = 0 };

struct attribute_info {
    const char *name;
    const char *description;
    OTF2_Type type;
};

static const struct attribute_info attribute_infos[OMPTAPE_ATTRIBUTE_NUM] = {
    [OMPTAPE_ATTRIBUTE_SYNTHESISED] = {"synthesised", "the program never reported this end", OTF2_TYPE_UINT8},
    [OMPTAPE_ATTRIBUTE_ITERATIONS] = {"iterations", "iterations of a loop, or of one chunk of it",
                                      OTF2_TYPE_UINT64},
    [OMPTAPE_ATTRIBUTE_START] = {"chunk start", "first iteration of a chunk", OTF2_TYPE_INT64},
    [OMPTAPE_ATTRIBUTE_COUNT] = {"count", "number of sections", OTF2_TYPE_UINT64},
    [OMPTAPE_ATTRIBUTE_TASK] = {"task id", "identity of a task with dependences or of a target construct",
                                OTF2_TYPE_UINT64},
    [OMPTAPE_ATTRIBUTE_FLAGS] = {"flags", "of a task, a cancellation or a mapping", OTF2_TYPE_STRING},
    [OMPTAPE_ATTRIBUTE_WAIT_ID] = {"wait id", "the runtime's name of a lock", OTF2_TYPE_UINT64},
    [OMPTAPE_ATTRIBUTE_HINT] = {"hint", "omp_sync_hint_t", OTF2_TYPE_UINT32},
    [OMPTAPE_ATTRIBUTE_LOCK_KIND] = {"implementation", "of a lock: see `omptape info`", OTF2_TYPE_UINT32},
    [OMPTAPE_ATTRIBUTE_COMMAND] = {"command", "of omp_control_tool", OTF2_TYPE_UINT64},
    [OMPTAPE_ATTRIBUTE_MODIFIER] = {"modifier", "of omp_control_tool", OTF2_TYPE_UINT64},
    [OMPTAPE_ATTRIBUTE_DEVICE] = {"device", "number of the device, or of a transfer's destination",
                                  OTF2_TYPE_INT32},
    [OMPTAPE_ATTRIBUTE_SOURCE_DEVICE] = {"source device", "number of a transfer's source", OTF2_TYPE_INT32},
    [OMPTAPE_ATTRIBUTE_BYTES] = {"bytes", "size of a data operation", OTF2_TYPE_UINT64},
    [OMPTAPE_ATTRIBUTE_HOST_ADDRESS] = {"host address", "of a data operation", OTF2_TYPE_UINT64},
    [OMPTAPE_ATTRIBUTE_DEVICE_ADDRESS] = {"device address", "of a data operation", OTF2_TYPE_UINT64},
    [OMPTAPE_ATTRIBUTE_OPERATION] = {"operation id", "identity of a data operation or submission",
                                     OTF2_TYPE_UINT64},
    [OMPTAPE_ATTRIBUTE_TARGET] = {"target id", "identity of a target region", OTF2_TYPE_UINT64},
    [OMPTAPE_ATTRIBUTE_HOST_THREAD] = {"host thread", "whose operation a device's event belongs to",
                                       OTF2_TYPE_LOCATION},
    [OMPTAPE_ATTRIBUTE_CORRELATION] = {"correlation id", "CUDA's number of an activity", OTF2_TYPE_UINT64},
    [OMPTAPE_ATTRIBUTE_TEAM_THREADS] = {"threads of a team", "of a kernel: threads of a block",
                                        OTF2_TYPE_UINT32},
};

static const struct {
    const char *name;
    OTF2_ParameterType type;
} parameter_infos[OMPTAPE_PARAMETER_NUM] = {
    [OMPTAPE_PARAMETER_SCHEDULE] = {"schedule", OTF2_PARAMETER_TYPE_STRING},
    [OMPTAPE_PARAMETER_DEPEND] = {"depend", OTF2_PARAMETER_TYPE_STRING},
    [OMPTAPE_PARAMETER_DEPENDS_ON] = {"depends on task id", OTF2_PARAMETER_TYPE_UINT64},
    [OMPTAPE_PARAMETER_TEAMS_REQUESTED] = {"teams requested", OTF2_PARAMETER_TYPE_UINT64},
    [OMPTAPE_PARAMETER_TEAMS_GRANTED] = {"teams granted", OTF2_PARAMETER_TYPE_UINT64},
};

OTF2_RegionRef omptape_definitions_region(struct omptape_writer *writer, enum omptape_region_kind kind,
                                          uint64_t site)
{
    bool is_new = false;
    OTF2_RegionRef ref = omptape_regions_get(&writer->regions, kind, site, &is_new);
    if (is_new && site != 0 && (site & (OMPTAPE_SITE_INDIRECT | OMPTAPE_SITE_NAMED)) == 0)
        omptape_modules_cover(writer, site);
    return ref;
}

OTF2_RegionRef omptape_definitions_named_region(struct omptape_writer *writer, enum omptape_region_kind kind,
                                                const char *name)
{
    return omptape_regions_get(&writer->regions, kind,
                               OMPTAPE_SITE_NAMED | omptape_definitions_string(&writer->definitions, name),
                               NULL);
}

static OTF2_StringRef string(struct omptape_writer *writer, const char *text)
{
    return omptape_definitions_string(&writer->definitions, text);
}

static void write_attributes(struct omptape_writer *writer, OTF2_GlobalDefWriter *out)
{
    for (unsigned i = 0; i < OMPTAPE_ATTRIBUTE_NUM; i++)
        OTF2_GlobalDefWriter_WriteAttribute(out, i, string(writer, attribute_infos[i].name),
                                            string(writer, attribute_infos[i].description),
                                            attribute_infos[i].type);
    for (unsigned i = 0; i < OMPTAPE_PARAMETER_NUM; i++)
        OTF2_GlobalDefWriter_WriteParameter(out, i, string(writer, parameter_infos[i].name),
                                            parameter_infos[i].type);
}

static void write_paradigm(struct omptape_writer *writer, OTF2_GlobalDefWriter *out)
{
    OTF2_AttributeValue template = {.stringRef = string(writer, "Thread team ${id}")};
    OTF2_GlobalDefWriter_WriteParadigm(out, OTF2_PARADIGM_OPENMP, string(writer, "OpenMP"),
                                       OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN);
    OTF2_GlobalDefWriter_WriteParadigmProperty(
        out, OTF2_PARADIGM_OPENMP, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, OTF2_TYPE_STRING, template);
    omptape_device_definitions_paradigms(writer, out);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void write_system_tree(struct omptape_writer *writer, OTF2_GlobalDefWriter *out)
{
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    char rank[32] = "";
    const struct omptape_shared_job *job = &writer->shm->options.job;
    if (job->launcher[0] != '\0')
        snprintf(rank, sizeof(rank), "rank %d: ", (int)job->rank);
    const char *program = base_name(writer->shm->options.program);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(out, MACHINE, string(writer, "machine"),
                                             string(writer, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(out, MACHINE, OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(out, NODE, string(writer, host), string(writer, "node"),
                                             MACHINE);
    OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(out, NODE, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
    OTF2_StringRef name =
        omptape_definitions_format(&writer->definitions, "%s%s (pid %d)", rank,
                                   program[0] != '\0' ? program : "Process", (int)writer->shm->pid);
    OTF2_GlobalDefWriter_WriteLocationGroup(out, PROCESS, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, NODE,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
}

static const char *thread_type_name(unsigned type)
{
    switch (type) {
    case ompt_thread_initial:
        return "initial";
    case ompt_thread_worker:
        return "worker";
    case ompt_thread_other:
        return "other";
    default:
        return "unknown";
    }
}

static OTF2_StringRef location_name(struct omptape_writer *writer, const struct omptape_location *location)
{
    unsigned long long number = (unsigned long long)location->ref;
    if (location->tid == (uint32_t)writer->shm->pid)
        return string(writer, "Master thread");
    if (location->thread_type == ompt_thread_initial)
        return omptape_definitions_format(&writer->definitions, "Initial thread %llu", number);
    return omptape_definitions_format(&writer->definitions, "OMP thread %llu", number);
}

static void write_location_property(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                                    const struct omptape_location *location, const char *name,
                                    const char *value)
{
    OTF2_AttributeValue text = {.stringRef = string(writer, value)};
    OTF2_GlobalDefWriter_WriteLocationProperty(out, location->ref, string(writer, name), OTF2_TYPE_STRING,
                                               text);
}

static void write_device_location(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                                  const struct omptape_location *location)
{
    omptape_archive_check(&writer->archive,
                          OTF2_GlobalDefWriter_WriteLocation(out, location->ref, location->name,
                                                             location->metric
                                                                 ? OTF2_LOCATION_TYPE_METRIC
                                                                 : OTF2_LOCATION_TYPE_ACCELERATOR_STREAM,
                                                             location->event_count, location->device->group),
                          "Location");
}

static void write_location(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                           const struct omptape_location *location)
{
    char number[32];
    if (location->device != NULL) {
        write_device_location(writer, out, location);
        return;
    }
    omptape_archive_check(
        &writer->archive,
        OTF2_GlobalDefWriter_WriteLocation(out, location->ref, location_name(writer, location),
                                           OTF2_LOCATION_TYPE_CPU_THREAD, location->event_count, PROCESS),
        "Location");
    snprintf(number, sizeof(number), "%u", location->tid);
    write_location_property(writer, out, location, "OS thread id", number);
    write_location_property(writer, out, location, "OpenMP thread type",
                            thread_type_name(location->thread_type));
    if (location->binding[0] != '\0')
        write_location_property(writer, out, location, "binding", location->binding);
    if (location->dropped > 0) {
        snprintf(number, sizeof(number), "%llu", (unsigned long long)location->dropped);
        write_location_property(writer, out, location, "events dropped", number);
    }
    if (location->place >= 0) {
        snprintf(number, sizeof(number), "%lld", (long long)location->place);
        write_location_property(writer, out, location, "place", number);
    }
}

static bool is_fortran(const char *file)
{
    static const char *const endings[] = {".f",   ".F",   ".for", ".FOR", ".f77", ".F77", ".f90", ".F90",
                                          ".f95", ".F95", ".f03", ".F03", ".f08", ".F08", ".f18", ".F18"};
    const char *dot = file != NULL ? strrchr(file, '.') : NULL;
    for (size_t i = 0; dot != NULL && i < sizeof(endings) / sizeof(endings[0]); i++) {
        if (strcmp(dot, endings[i]) == 0)
            return true;
    }
    return false;
}

/* "solver.c:42", else "function+0x1c", else "libfoo.so+0x1234", else the bare address. */
static void describe_site(const struct omptape_source *source, uint64_t site, char *text, size_t bytes)
{
    if (source->file != NULL && source->line != 0)
        snprintf(text, bytes, "%s:%u", base_name(source->file), source->line);
    else if (source->symbol != NULL)
        snprintf(text, bytes, "%s+0x%llx", source->symbol, (unsigned long long)source->function_offset);
    else if (source->module != NULL)
        snprintf(text, bytes, "%s+0x%llx", base_name(source->module),
                 (unsigned long long)source->module_offset);
    else
        snprintf(text, bytes, "0x%llx", (unsigned long long)site);
}

/* All that a region's definition says. Two call sites can have the same (a function inlined twice): for the
 * user they are one construct, so they get one definition, and the local definitions say which reference
 * became which. */
struct region_text {
    OTF2_StringRef name;
    OTF2_StringRef symbol; /* the canonical name, where it is another */
    OTF2_StringRef function;
    OTF2_StringRef file;
    uint32_t line;
    uint32_t final_ref; /* in the global definitions, which must be numbered without gaps */
    bool merged;        /* an earlier region says the same */
};

void omptape_definitions_resolve(struct omptape_writer *writer, const struct omptape_region *region,
                                 struct omptape_source *source)
{
    struct omptape_site where = omptape_sites_look_up(&writer->sites, region->site);
    *source = (struct omptape_source){.file = NULL};
    if (omptape_region_is_named(region))
        return;
    if (region->site != 0)
        omptape_symbols_resolve_call(writer->symbols, where.address, where.parent,
                                     omptape_callees(region->kind), source);
}

void omptape_definitions_name(const struct omptape_writer *writer, const struct omptape_region *region,
                              const struct omptape_source *source, char *text, size_t bytes)
{
    const struct omptape_region_kind_info *info = omptape_region_kind_info(region->kind);
    char site[1024];

    if (omptape_region_is_named(region)) {
        omptape_device_name_region(writer, region, text, bytes);
        return;
    }
    describe_site(source, omptape_sites_look_up(&writer->sites, region->site).address, site, sizeof(site));
    const char *construct = info->fortran != NULL && is_fortran(source->file) ? info->fortran : info->name;
    snprintf(text, bytes, "%s%s%s%s", info->directive ? "!$omp " : "", construct,
             region->site != 0 ? " @" : "", region->site != 0 ? site : "");
}

static void describe_region(struct omptape_writer *writer, const struct omptape_region *region,
                            struct region_text *text)
{
    struct omptape_source source;
    char name[1200];

    omptape_definitions_resolve(writer, region, &source);
    omptape_definitions_name(writer, region, &source, name, sizeof(name));
    text->name = string(writer, name);
    text->function = string(writer, source.function);
    text->file = string(writer, source.file != NULL ? source.file : source.module);
    text->line = source.line;
    if (omptape_region_is_named(region))
        text->symbol = (OTF2_StringRef)(region->site & ~OMPTAPE_SITE_NAMED);
}

static bool is_same_region(const struct omptape_writer *writer, const struct region_text *texts, uint32_t a,
                           uint32_t b)
{
    return texts[a].name == texts[b].name && texts[a].function == texts[b].function &&
           texts[a].file == texts[b].file && texts[a].line == texts[b].line &&
           omptape_region_kind_info(writer->regions.list[a].kind)->role ==
               omptape_region_kind_info(writer->regions.list[b].kind)->role;
}

/* Fills in all texts; returns how many distinct regions there are. */
static uint32_t describe_regions(struct omptape_writer *writer, struct region_text *texts)
{
    struct omptape_idmap by_name = {.count = 0};
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < writer->regions.count; i++) {
        /* Nothing in the archive refers to what was hidden. */
        texts[i].merged = writer->choice != NULL && !omptape_choice_uses(writer, i);
        if (texts[i].merged)
            continue;
        describe_region(writer, &writer->regions.list[i], &texts[i]);
        uint32_t known = (uint32_t)(uintptr_t)omptape_idmap_get(&by_name, texts[i].name + 1ULL);
        texts[i].merged = known != 0 && is_same_region(writer, texts, known - 1, i);
        texts[i].final_ref = texts[i].merged ? texts[known - 1].final_ref : distinct++;
        if (!texts[i].merged)
            omptape_idmap_put(&by_name, texts[i].name + 1ULL, (void *)(uintptr_t)(i + 1));
    }
    omptape_idmap_free(&by_name);
    return distinct;
}

static void write_regions(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                          const struct region_text *texts)
{
    for (uint32_t i = 0; i < writer->regions.count; i++) {
        const struct region_text *text = &texts[i];
        if (text->merged)
            continue;
        const struct omptape_region *region = &writer->regions.list[i];
        OTF2_RegionRole role = omptape_region_kind_info(region->kind)->role;
        OTF2_Paradigm paradigm = omptape_device_paradigm(writer, region);
        omptape_archive_check(&writer->archive,
                              OTF2_GlobalDefWriter_WriteRegion(
                                  out, text->final_ref, text->name,
                                  text->symbol != 0 ? text->symbol : text->name, text->function, role,
                                  paradigm, OTF2_REGION_FLAG_NONE, text->file, text->line, text->line),
                              "Region");
    }
}

static OTF2_IdMap *make_region_map(const struct omptape_writer *writer, const struct region_text *texts)
{
    OTF2_IdMap *map = OTF2_IdMap_Create(OTF2_ID_MAP_DENSE, writer->regions.count);
    for (uint32_t i = 0; map != NULL && i < writer->regions.count; i++)
        OTF2_IdMap_AddIdPair(map, i, texts[i].final_ref);
    return map;
}

static void write_clock(struct omptape_writer *writer, OTF2_GlobalDefWriter *out, uint64_t resolution)
{
    const struct omptape_shm *shm = writer->shm;
    uint64_t begin = writer->window_begin > shm->start_ticks ? writer->window_begin : shm->start_ticks;
    uint64_t length = writer->last_time > begin ? writer->last_time - begin : 0;
    uint64_t since_start =
        (uint64_t)((long double)(begin - shm->start_ticks) * 1e9L / (long double)resolution);
    OTF2_GlobalDefWriter_WriteClockProperties(out, resolution, begin, length,
                                              shm->start_realtime + since_start);
}

/* Readers expect a definition file for each location, even if it has nothing of its own. */
static void write_local(struct omptape_writer *writer, const OTF2_IdMap *region_map)
{
    OTF2_Archive *archive = writer->archive.otf2;
    omptape_archive_check(&writer->archive, OTF2_Archive_OpenDefFiles(archive),
                          "opening the definition files");
    for (uint32_t i = 0; i < writer->location_count; i++) {
        OTF2_DefWriter *local = OTF2_Archive_GetDefWriter(archive, writer->locations[i]->ref);
        if (local == NULL)
            continue;
        if (region_map != NULL)
            OTF2_DefWriter_WriteMappingTable(local, OTF2_MAPPING_REGION, region_map);
        omptape_archive_check(&writer->archive, OTF2_Archive_CloseDefWriter(archive, local),
                              "local definitions");
    }
    omptape_archive_check(&writer->archive, OTF2_Archive_CloseDefFiles(archive),
                          "closing the definition files");
}

static void write_global(struct omptape_writer *writer, uint64_t resolution, const struct region_text *texts)
{
    struct omptape_definitions *definitions = &writer->definitions;
    OTF2_GlobalDefWriter *out = OTF2_Archive_GetGlobalDefWriter(writer->archive.otf2);
    if (out == NULL) {
        omptape_archive_check(&writer->archive, OTF2_ERROR_INVALID, "cannot open the global definitions");
        return;
    }
    write_clock(writer, out, resolution);
    for (uint32_t i = 0; i < definitions->string_count; i++)
        OTF2_GlobalDefWriter_WriteString(out, i, definitions->strings[i]);
    definitions->sink = out;
    write_attributes(writer, out);
    write_paradigm(writer, out);
    write_system_tree(writer, out);
    omptape_device_definitions_groups(writer, out);
    for (uint32_t i = 0; i < writer->location_count; i++)
        write_location(writer, out, writer->locations[i]);
    write_regions(writer, out, texts);
    omptape_teams_write(writer, out);
    definitions->sink = NULL;
    omptape_archive_check(&writer->archive, OTF2_Archive_CloseGlobalDefWriter(writer->archive.otf2, out),
                          "closing the global definitions");
}

void omptape_definitions_write(struct omptape_writer *writer, uint64_t resolution)
{
    struct region_text *texts = calloc(writer->regions.count + 1U, sizeof(*texts));
    if (texts == NULL) {
        omptape_archive_check(&writer->archive, OTF2_ERROR_MEM_ALLOC_FAILED, "definitions");
        return;
    }
    string(writer, ""); /* reference 0 */
    omptape_device_definitions_number(writer);
    bool merged = describe_regions(writer, texts) < writer->regions.count;
    OTF2_IdMap *map = merged ? make_region_map(writer, texts) : NULL;
    write_local(writer, map);
    write_global(writer, resolution, texts);
    if (map != NULL)
        OTF2_IdMap_Free(map);
    free(texts);
}
