/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the definitions of devices. Called when the archive's definitions are written.
 */
#include "writers/devices/definitions.h"

#include "writers/devices/state.h"
#include "writers/regions/references.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The machine, the node and the process come first (definitions.c). */
enum { NODE = 1, PROCESS = 0, FIRST_NODE = 2, FIRST_GROUP = 1 };

OTF2_Paradigm omptape_device_paradigm(const struct omptape_writer *writer,
                                      const struct omptape_region *region)
{
    bool own = region->kind >= OMPTAPE_REGION_COPY_TO_DEVICE && region->kind <= OMPTAPE_REGION_ACTIVITY;
    if (!own && !omptape_region_is_named(region))
        return OTF2_PARADIGM_OPENMP;
    return writer->devices->cuda ? OTF2_PARADIGM_CUDA : OTF2_PARADIGM_HARDWARE;
}

static bool has_paradigm(const struct omptape_writer *writer, OTF2_Paradigm paradigm)
{
    for (uint32_t i = 0; i < writer->references->count; i++)
        if (omptape_device_paradigm(writer, &writer->references->list[i]) == paradigm)
            return true;
    return false;
}

/* Returns the paradigm of transfers. Score-P uses OPENMP_TARGET, which exists since OTF2 3.1. OPENMP is
 * impossible, because its locations are threads only. */
static OTF2_Paradigm window_paradigm(const struct omptape_writer *writer)
{
#ifdef OMPTAPE_OTF2_HAS_TARGET
    return writer->devices->cuda ? OTF2_PARADIGM_CUDA : OTF2_PARADIGM_OPENMP_TARGET;
#else
    return writer->devices->cuda ? OTF2_PARADIGM_CUDA : OTF2_PARADIGM_HARDWARE;
#endif
}

void omptape_device_definitions_paradigms(struct omptape_writer *writer)
{
    const struct {
        OTF2_Paradigm paradigm;
        const char *name;
    } all[] = {{OTF2_PARADIGM_CUDA, "CUDA"},
#ifdef OMPTAPE_OTF2_HAS_TARGET
               {OTF2_PARADIGM_OPENMP_TARGET, "OpenMP Target"},
#endif
               {OTF2_PARADIGM_HARDWARE, "Device"}};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        bool transfers = writer->devices->rank_count > 0 && all[i].paradigm == window_paradigm(writer);
        if (!transfers && !has_paradigm(writer, all[i].paradigm))
            continue;
        OMPTAPE_DEFINE(&writer->archive, Paradigm, all[i].paradigm,
                       omptape_archive_string(&writer->strings, all[i].name),
                       OTF2_PARADIGM_CLASS_ACCELERATOR);
        OTF2_AttributeValue yes = {.uint8 = OTF2_TRUE};
        if (transfers)
            OMPTAPE_DEFINE(&writer->archive, ParadigmProperty, all[i].paradigm,
                           OTF2_PARADIGM_PROPERTY_RMA_ONLY, OTF2_TYPE_UINT8, yes);
    }
}

static bool has_locations(const struct omptape_device *device)
{
    return device->first_location != NULL || device->memory_location != NULL;
}

void omptape_device_definitions_number(struct omptape_writer *writer)
{
    uint32_t shown = 0;
    for (uint32_t i = 0; i < writer->devices->count; i++)
        shown += writer->devices->list[i]->group != 0;
    for (uint32_t i = 0; i < writer->devices->count; i++)
        if (has_locations(writer->devices->list[i]) && writer->devices->list[i]->group == 0)
            writer->devices->list[i]->group = FIRST_GROUP + shown++;
}

OTF2_StringRef omptape_device_definitions_group_name(struct omptape_writer *writer,
                                                     const struct omptape_device *device)
{
    char name[64];
    omptape_device_name(device, name, sizeof(name));
    const char *prefix = device->number >= OMPTAPE_FIRST_CUDA_DEVICE ? "" : "OpenMP ";
    if (prefix[0] != '\0')
        name[0] = 'd';
    if (device->type == NULL || device->type[0] == '\0')
        return omptape_archive_format(&writer->strings, "%s%s", prefix, name);
    return omptape_archive_format(&writer->strings, "%s%s (%s)", prefix, name, device->type);
}

static void write_group(struct omptape_writer *writer, const struct omptape_device *device)
{
    OTF2_StringRef name = omptape_device_definitions_group_name(writer, device);
    OTF2_SystemTreeNodeRef node = FIRST_NODE + device->group - FIRST_GROUP;
    OMPTAPE_DEFINE(&writer->archive, SystemTreeNode, node, name,
                   omptape_archive_string(&writer->strings, "OpenMP Device"), NODE);
    OMPTAPE_DEFINE(&writer->archive, SystemTreeNodeDomain, node, OTF2_SYSTEM_TREE_DOMAIN_ACCELERATOR_DEVICE);
    OMPTAPE_DEFINE(&writer->archive, LocationGroup, device->group, name, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR,
                   node, PROCESS);
}

void omptape_device_definitions_groups(struct omptape_writer *writer)
{
    for (uint32_t i = 0; i < writer->devices->count; i++)
        if (has_locations(writer->devices->list[i]))
            write_group(writer, writer->devices->list[i]);
}

void omptape_device_definitions_location(struct omptape_writer *writer,
                                         const struct omptape_location *location)
{
    OMPTAPE_DEFINE(&writer->archive, Location, location->ref, location->on_device.name,
                   location->on_device.metric ? OTF2_LOCATION_TYPE_METRIC
                                              : OTF2_LOCATION_TYPE_ACCELERATOR_STREAM,
                   omptape_archive_written(&writer->archive, location->events),
                   location->device != NULL ? location->device->group : PROCESS);
}

/* Writes the locations that take part in transfers, in rank order, their communicator and its window. */
static void write_window(struct omptape_writer *writer, OTF2_GroupRef group, OTF2_CommRef comm)
{
    const struct omptape_devices *devices = writer->devices;
    const OTF2_GroupType types[] = {OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_GROUP_TYPE_COMM_GROUP};
    OTF2_StringRef name = omptape_archive_string(&writer->strings, "Device transfers");
    uint64_t *members = calloc(devices->rank_count + 1U, sizeof(*members));
    if (members == NULL)
        return;
    for (unsigned k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < devices->rank_count; i++)
            members[i] = k == 0 ? devices->ranks[i]->ref : i;
        OMPTAPE_DEFINE(&writer->archive, Group, group + k, name, types[k], window_paradigm(writer),
                       OTF2_GROUP_FLAG_NONE, devices->rank_count, members);
    }
    free(members);
    OMPTAPE_DEFINE(&writer->archive, Comm, comm, name, group + 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OMPTAPE_DEFINE(&writer->archive, RmaWin, OMPTAPE_RMA_WINDOW, name, comm, OTF2_RMA_WIN_FLAG_NONE);
}

bool omptape_device_definitions_has_window(const struct omptape_writer *writer)
{
    return writer->devices->rank_count > 0;
}

void omptape_device_definitions_rest(struct omptape_writer *writer, OTF2_GroupRef group, OTF2_CommRef comm)
{
    if (omptape_device_definitions_has_window(writer))
        write_window(writer, group, comm);
}
