/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translates an event name into the type and config of perf_event_open. A PMU's folder has one file for each
 * named event ("event=0xc0,umask=0x01"). It has one file for each term: "config:0-7,32-35" are its bits.
 */
#include "src/core/words.h"
#include "writers/observe/counters.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 512, LINE_BYTES = 256, CONFIG_BITS = 64 };

static const struct {
    const char *name;
    uint32_t type;
    uint64_t config;
    enum omptape_counter_source source;
} generic[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, OMPTAPE_COUNTER_PERF},
    {"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, OMPTAPE_COUNTER_PERF},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, OMPTAPE_COUNTER_PERF},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, OMPTAPE_COUNTER_PERF},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, OMPTAPE_COUNTER_PERF},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, OMPTAPE_COUNTER_PERF},
    {"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, OMPTAPE_COUNTER_PERF},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, OMPTAPE_COUNTER_PERF},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, OMPTAPE_COUNTER_PERF},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
     OMPTAPE_COUNTER_PERF},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
     OMPTAPE_COUNTER_PERF},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, OMPTAPE_COUNTER_PERF},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, OMPTAPE_COUNTER_PERF},
    {"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, OMPTAPE_COUNTER_PERF},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, OMPTAPE_COUNTER_PERF},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, OMPTAPE_COUNTER_PERF},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, OMPTAPE_COUNTER_PERF},
    {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, OMPTAPE_COUNTER_PERF},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, OMPTAPE_COUNTER_PERF},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, OMPTAPE_COUNTER_PERF},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, OMPTAPE_COUNTER_SWITCHES},
    {"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, OMPTAPE_COUNTER_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, OMPTAPE_COUNTER_MIGRATIONS},
    {"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, OMPTAPE_COUNTER_MIGRATIONS},
};

/* Parts of the names of generic cache events: "L1-dcache" and "-load-misses" name one event. */
static const struct {
    const char *name;
    uint64_t bits;
} caches[] = {{"L1-dcache", PERF_COUNT_HW_CACHE_L1D}, {"L1-icache", PERF_COUNT_HW_CACHE_L1I},
              {"LLC", PERF_COUNT_HW_CACHE_LL},        {"dTLB", PERF_COUNT_HW_CACHE_DTLB},
              {"iTLB", PERF_COUNT_HW_CACHE_ITLB},     {"branch", PERF_COUNT_HW_CACHE_BPU},
              {"node", PERF_COUNT_HW_CACHE_NODE}},
  accesses[] = {
      {"-loads", PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16},
      {"-load-misses", PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16},
      {"-stores", PERF_COUNT_HW_CACHE_OP_WRITE << 8 | PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16},
      {"-store-misses", PERF_COUNT_HW_CACHE_OP_WRITE << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16},
      {"-prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH << 8 | PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16},
      {"-prefetch-misses", PERF_COUNT_HW_CACHE_OP_PREFETCH << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16},
};

static bool find_generic(const char *name, struct omptape_counter *counter)
{
    for (size_t i = 0; i < sizeof(generic) / sizeof(generic[0]); i++) {
        if (strcmp(generic[i].name, name) != 0)
            continue;
        counter->event.type = generic[i].type;
        counter->event.config = generic[i].config;
        counter->source = generic[i].source;
        return true;
    }
    return false;
}

static bool find_cache(const char *name, struct omptape_counter *counter)
{
    for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
        const size_t length = strlen(caches[i].name);
        for (size_t k = 0; k < sizeof(accesses) / sizeof(accesses[0]); k++) {
            if (strncmp(name, caches[i].name, length) != 0 || strcmp(name + length, accesses[k].name) != 0)
                continue;
            counter->event.type = PERF_TYPE_HW_CACHE;
            counter->event.config = caches[i].bits | accesses[k].bits;
            return true;
        }
    }
    return false;
}

/* Parses a raw event such as "r01c2". Returns false if `name` is not a raw event. */
static bool find_raw(const char *name, struct omptape_counter *counter)
{
    const char *digits = name + 1;
    if (name[0] != 'r' || *digits == '\0' || strspn(digits, "0123456789abcdefABCDEF") != strlen(digits) ||
        strlen(digits) > CONFIG_BITS / 4)
        return false;
    counter->event.type = PERF_TYPE_RAW;
    counter->event.config = strtoull(digits, NULL, 16);
    return true;
}

/* Reads the first line of a file below `devices`. Returns false if the file cannot be read. */
static bool read_line(const char *devices, const char *pmu, const char *folder, const char *name,
                      char line[LINE_BYTES])
{
    char path[PATH_BYTES];
    if (snprintf(path, sizeof(path), "%s/%s/%s%s", devices, pmu, folder, name) >= PATH_BYTES)
        return false;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    const bool found = fgets(line, LINE_BYTES, file) != NULL;
    fclose(file);
    if (found)
        line[strcspn(line, "\n")] = '\0';
    return found;
}

/* Returns true if `name` is a file name without a path, so that it cannot leave its folder. */
static bool is_plain(const char *name)
{
    return name[0] != '\0' && name[0] != '.' && strchr(name, '/') == NULL;
}

static int put_bits(uint64_t *config, const char *ranges, uint64_t value)
{
    while (*ranges != '\0') {
        char *end = NULL;
        const unsigned long first = strtoul(ranges, &end, 10);
        unsigned long last = first;
        if (end == ranges)
            return -EINVAL;
        if (*end == '-') {
            ranges = end + 1;
            last = strtoul(ranges, &end, 10);
        }
        if (last < first || last >= CONFIG_BITS)
            return -EINVAL;
        for (unsigned long bit = first; bit <= last; bit++, value >>= 1)
            *config = (*config & ~(UINT64_C(1) << bit)) | (value & 1) << bit;
        ranges = *end == ',' ? end + 1 : end;
        if (ranges == end && *end != '\0')
            return -EINVAL;
    }
    return value == 0 ? 0 : -EINVAL;
}

/* Stores a term's value in the bits that its format file names ("config1:0-31"). Returns 0 or -EINVAL. */
static int put_term(struct perf_event_attr *event, const char *format, uint64_t value)
{
    static const char *const words[] = {"config:", "config1:", "config2:"};
    __u64 *const configs[] = {&event->config, &event->config1, &event->config2};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (!omptape_starts_with(format, words[i]))
            continue;
        uint64_t config = *configs[i];
        const int error = put_bits(&config, format + strlen(words[i]), value);
        *configs[i] = config;
        return error;
    }
    return -EINVAL;
}

static int parse_terms(const char *devices, const char *pmu, const char *terms, bool named,
                       struct perf_event_attr *event);

/* Parses "umask=0x01", "edge", "config=0x3c", or an event's name if `named`. Returns 0 or negative errno. */
static int parse_term(const char *devices, const char *pmu, char *term, bool named,
                      struct perf_event_attr *event)
{
    static const char *const words[] = {"config", "config1", "config2"};
    char line[LINE_BYTES];
    char *sign = strchr(term, '=');
    char *end = NULL;
    if (sign != NULL)
        *sign = '\0';
    const uint64_t value = sign != NULL ? strtoull(sign + 1, &end, 0) : 1;
    if (!is_plain(term) || (sign != NULL && (end == sign + 1 || *end != '\0')))
        return -EINVAL;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        (void)snprintf(line, sizeof(line), "%s:0-63", words[i]);
        if (sign != NULL && strcmp(term, words[i]) == 0)
            return put_term(event, line, value);
    }
    if (read_line(devices, pmu, "format/", term, line))
        return put_term(event, line, value);
    if (named && sign == NULL && read_line(devices, pmu, "events/", term, line))
        return parse_terms(devices, pmu, line, false, event);
    return -ENOENT;
}

static int parse_terms(const char *devices, const char *pmu, const char *terms, bool named,
                       struct perf_event_attr *event)
{
    char line[LINE_BYTES];
    char *rest = line;
    int error = 0;
    if (snprintf(line, sizeof(line), "%s", terms) >= LINE_BYTES)
        return -EINVAL;
    for (char *term = strsep(&rest, ","); term != NULL && error == 0; term = strsep(&rest, ","))
        error = parse_term(devices, pmu, term, named, event);
    return error;
}

static int parse_event(const char *devices, const char *pmu, const char *terms, struct perf_event_attr *event)
{
    char line[LINE_BYTES];
    if (!is_plain(pmu) || !read_line(devices, pmu, "", "type", line))
        return -ENOENT;
    event->type = (uint32_t)strtoul(line, NULL, 10);
    return parse_terms(devices, pmu, terms, true, event);
}

/* Parses "cpu/event=0xc0,umask=1/". Returns -EINVAL if text follows the second slash. */
static int find_described(const char *devices, char *name, struct perf_event_attr *event)
{
    char *slash = strchr(name, '/');
    char *end = strchr(slash + 1, '/');
    if (end == NULL || end[1] != '\0')
        return -EINVAL;
    *slash = *end = '\0';
    return parse_event(devices, name, slash + 1, event);
}

/* Returns true for a PMU of the processor. The PMUs of other devices cannot count for a single thread. */
static bool is_core(const char *pmu)
{
    return omptape_starts_with(pmu, "cpu") || omptape_starts_with(pmu, "armv");
}

/* Looks the name up in all PMUs and prefers a PMU of the processor. Returns 0 or negative errno. */
static int find_listed(const char *devices, const char *name, struct perf_event_attr *event)
{
    char line[LINE_BYTES];
    char pmu[OMPTAPE_COUNTER_NAME_BYTES] = "";
    DIR *folder = is_plain(name) ? opendir(devices) : NULL;
    if (folder == NULL)
        return -ENOENT;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        if (is_plain(entry->d_name) && strlen(entry->d_name) < sizeof(pmu) &&
            (pmu[0] == '\0' || (is_core(entry->d_name) && !is_core(pmu))) &&
            read_line(devices, entry->d_name, "events/", name, line))
            (void)snprintf(pmu, sizeof(pmu), "%s", entry->d_name);
    closedir(folder);
    return pmu[0] != '\0' ? parse_event(devices, pmu, name, event) : -ENOENT;
}

/* Argument of libpfm4's pfm_get_os_event_encoding, declared as in perfmon/pfmlib_perf_event.h. libpfm4 is
 * loaded at run time because it may not be installed. */
struct pfm_arguments {
    struct perf_event_attr *event;
    char **name;
    size_t size;
    int index;
    int processor;
    int flags;
    int padding;
};
enum { PFM_SUCCESS = 0, PFM_PROGRAM = 8, PFM_KERNEL_EVENTS = 1 };

/* Looks up a processor vendor's event name with libpfm4. Returns 0, or -ENOENT without library or event. */
static int find_pfm(const char *name, struct perf_event_attr *event)
{
    void *library = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return -ENOENT;
    int (*initialize)(void) = NULL;
    int (*encode)(const char *, int, int, void *) = NULL;
    *(void **)&initialize = dlsym(library, "pfm_initialize");
    *(void **)&encode = dlsym(library, "pfm_get_os_event_encoding");
    struct perf_event_attr found = {.size = sizeof(found)};
    struct pfm_arguments arguments = {.event = &found, .size = sizeof(arguments)};
    const bool good = initialize != NULL && encode != NULL && initialize() == PFM_SUCCESS &&
                      encode(name, PFM_PROGRAM, PFM_KERNEL_EVENTS, &arguments) == PFM_SUCCESS;
    if (good) {
        event->type = found.type;
        event->config = found.config;
        event->config1 = found.config1;
        event->config2 = found.config2;
    }
    dlclose(library);
    return good ? 0 : -ENOENT;
}

/* Removes a suffix such as ":uk" from the name and sets the event's exclude flags accordingly. */
static void take_suffix(char *name, struct perf_event_attr *event)
{
    char *colon = strrchr(name, ':');
    event->exclude_kernel = 1;
    event->exclude_hv = 1;
    if (colon == NULL || colon == name || colon[1] == '\0' || strspn(colon + 1, "uk") != strlen(colon + 1))
        return;
    event->exclude_user = strchr(colon + 1, 'u') == NULL;
    event->exclude_kernel = strchr(colon + 1, 'k') == NULL;
    *colon = '\0';
}

int omptape_counter_lookup(const char *devices, const char *text, struct omptape_counter *counter)
{
    char name[OMPTAPE_COUNTER_NAME_BYTES];
    *counter = (struct omptape_counter){.source = OMPTAPE_COUNTER_PERF};
    if (text[0] == '\0' || strlen(text) >= sizeof(name))
        return -EINVAL;
    (void)snprintf(counter->name, sizeof(counter->name), "%s", text);
    (void)snprintf(name, sizeof(name), "%s", text);
    take_suffix(name, &counter->event);
    if (find_generic(name, counter) || find_cache(name, counter) || find_raw(name, counter))
        return 0;
    if (strchr(name, '/') != NULL)
        return find_described(devices, name, &counter->event);
    const int error = find_listed(devices, name, &counter->event);
    return error != -ENOENT ? error : find_pfm(name, &counter->event);
}

const char *omptape_counter_split(const char *list, char *text, size_t bytes)
{
    bool inside = false;
    size_t length = 0;
    while (list[length] != '\0' && (inside || list[length] != ',')) {
        inside = inside != (list[length] == '/');
        length++;
    }
    (void)snprintf(text, bytes, "%.*s", (int)length, list);
    return list[length] != '\0' ? list + length + 1 : NULL;
}
