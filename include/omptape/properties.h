/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of the archive properties (OTF2_Archive_SetProperty) that the writer sets and `omptape info` reads.
 * They are also the keys of the report that the writer leaves for the command. Values are text; times are in
 * ns, counts are decimal.
 */
#pragma once

/* OMPTAPE::<KEY>, set by the writer. The report contains the same as lines "<key in lower case>=value" after
 * a line "trace=PATH", and ends with an empty line. Newlines in values are escaped (src/job/report_file.h).
 * At the start the writer reports "begun=FOLDER" and an empty line. */
#define OMPTAPE_PROPERTY_PREFIX "OMPTAPE::"
#define OMPTAPE_KEY_VERSION "VERSION" /* Version of omptape. */
#define OMPTAPE_KEY_PROGRAM "PROGRAM" /* Path of the program. */
#define OMPTAPE_KEY_PID "PID"
#define OMPTAPE_KEY_HOST "HOST"
/* Only for a rank of a job (settings.h, struct omptape_job). SIZE, JOB and STEP only if they are known. */
#define OMPTAPE_KEY_LAUNCHER "LAUNCHER"
#define OMPTAPE_KEY_RANK "RANK"
#define OMPTAPE_KEY_SIZE "SIZE"
#define OMPTAPE_KEY_LOCAL_RANK "LOCAL_RANK"
#define OMPTAPE_KEY_JOB "JOB"
#define OMPTAPE_KEY_STEP "STEP"
/* Launch and rank of the parent, "LAUNCH.RANK", if MPI reports that a process spawned this one. */
#define OMPTAPE_KEY_PARENT "PARENT"
/* How the program ended: "finalize", "exit inside a parallel region", "omp_control_tool", "signal N",
 * "unknown". Or "exit status N without finalize", "exit status N without MPI_Finalize", "MPI_Abort with error
 * code N". Or OMPTAPE_END_RESTORED: the archive was completed from a checkpoint. */
#define OMPTAPE_KEY_END "END"
#define OMPTAPE_END_RESTORED "its writer was killed"
#define OMPTAPE_KEY_EVENTS "EVENTS" /* OTF2 event records in the archive. */
/* Only for a profile: events added to its sums (src/analysis/reduce/profile.h) instead of the archive. */
#define OMPTAPE_KEY_PROFILE "PROFILE"
#define OMPTAPE_KEY_RECORDS "RECORDS" /* Events of the program that were recorded: callbacks. */
#define OMPTAPE_KEY_THREADS "THREADS" /* Count of locations. */
/* The cost of tracing while the program ran. RECORD_COST: mean of sampled records on the recording thread,
 * ps; absent without samples. WRITER_TIME: the writer's CPU time, ns. SWITCH_TIME: what the kernel took to
 * record context switches, ns: their number times the cost of one, measured at the end; absent if few. */
#define OMPTAPE_KEY_RECORD_COST "RECORD_COST"
#define OMPTAPE_KEY_WRITER_TIME "WRITER_TIME"
#define OMPTAPE_KEY_SWITCH_TIME "SWITCH_TIME"
/* Mean time that libgomp took to assign a chunk of a loop, ps; absent without samples. */
#define OMPTAPE_KEY_CHUNK_COST "CHUNK_COST"
/* Processors that the threads of all teams might run on. */
#define OMPTAPE_KEY_PROCESSORS "PROCESSORS"
/* The processors available to the process, and their use while the program was recorded. (For a flight
 * recorder's archive: since the program's start.) Each is absent if the kernel does not report it.
 *
 * - ALLOWED: the processors that the process might run on at the start ("0-3,8").
 * - ALLOWED_CHANGES: how often that was different for a thread, summed over threads; absent if never.
 * - ONLINE: processors of the machine, whoever may use them.
 * - QUOTA: the tightest limit of the process's cgroup and of those above it, at the end; absent if there is
 *   none. The unit is a thousandth of a processor (1500: one and a half).
 * - QUOTA_GROUP: path of that cgroup. QUOTA_PERIOD: ns.
 * - QUOTA_PERIODS, QUOTA_THROTTLED: periods in which that cgroup ran, and in which it was throttled.
 *   QUOTA_THROTTLED_TIME: ns for which it was throttled.
 * - PROCESSORS_BUSY, PROCESSORS_STOLEN, PROCESSORS_TIME: sums over the processors in ALLOWED, ns: busy with
 *   any work, taken by the hypervisor, and elapsed.
 * - PROCESSORS_NICE: part of PROCESSORS_BUSY in user code of programs with a positive nice value, ns. Absent
 *   if the traced program has such a value itself.
 * - OTHER_TIME: CPU time of threads that neither OpenMP nor MPI knows and that have no location, ns, a lower
 *   bound; absent if 0. OTHER_THREADS: how many of these were seen. */
#define OMPTAPE_KEY_ALLOWED "ALLOWED"
#define OMPTAPE_KEY_ONLINE "ONLINE"
#define OMPTAPE_KEY_ALLOWED_CHANGES "ALLOWED_CHANGES"
#define OMPTAPE_KEY_QUOTA "QUOTA"
#define OMPTAPE_KEY_QUOTA_GROUP "QUOTA_GROUP"
#define OMPTAPE_KEY_QUOTA_PERIOD "QUOTA_PERIOD"
#define OMPTAPE_KEY_QUOTA_PERIODS "QUOTA_PERIODS"
#define OMPTAPE_KEY_QUOTA_THROTTLED "QUOTA_THROTTLED"
#define OMPTAPE_KEY_QUOTA_THROTTLED_TIME "QUOTA_THROTTLED_TIME"
#define OMPTAPE_KEY_PROCESSORS_BUSY "PROCESSORS_BUSY"
#define OMPTAPE_KEY_PROCESSORS_NICE "PROCESSORS_NICE"
#define OMPTAPE_KEY_PROCESSORS_STOLEN "PROCESSORS_STOLEN"
#define OMPTAPE_KEY_PROCESSORS_TIME "PROCESSORS_TIME"
#define OMPTAPE_KEY_OTHER_THREADS "OTHER_THREADS"
#define OMPTAPE_KEY_OTHER_TIME "OTHER_TIME"
/* The most memory that the process had resident at a time, bytes. Absent if unknown. */
#define OMPTAPE_KEY_PEAK_MEMORY "PEAK_MEMORY"
/* Children that the process forked; each makes both touch their pages anew. Absent if 0. */
#define OMPTAPE_KEY_FORKS "FORKS"
/* Page faults of all processes by which the kernel found out who uses which memory (NUMA balancing), while
 * the process was recorded. Absent if there are none. */
#define OMPTAPE_KEY_NUMA_FAULTS "NUMA_FAULTS"
/* The energy of the node's processors while the process was recorded, whoever ran there, in uJ. "ZONE:NUMBER"
 * for each package and its memory ("package-0:1234567 package-0/dram:34567"). Absent unless all are known. */
#define OMPTAPE_KEY_ENERGY "ENERGY"
/* Threads whose context switches the kernel recorded: their readings have exact times. Absent if none. */
#define OMPTAPE_KEY_SWITCHES "SWITCHES"
/* Sampling; absent with --sample=off.
 *
 * - SAMPLES: samples in the archive.
 * - SAMPLES_CUT: samples taken whose call paths do not reach the thread's first function.
 * - SAMPLES_LOST: records of samples and switches that the kernel dropped.
 * - SAMPLE_PERIOD: CPU time between two samples of a thread, ns.
 * - SAMPLED_THREADS, UNSAMPLED_THREADS: threads with and without samples (refused, or too short).
 * - UNOPTIMISED: source files in which samples are and that were compiled without optimisation, a line each;
 *   absent if there are none. Debug information tells it.
 * - SAMPLES_REFUSED: why the first thread could not be sampled, a phrase ("perf_event_paranoid is 3").
 * - SAMPLED_BY: "signal" if the program's threads took the samples (--sample=signal), absent if the kernel
 *   did. */
#define OMPTAPE_KEY_SAMPLED_BY "SAMPLED_BY"
#define OMPTAPE_KEY_SAMPLES "SAMPLES"
#define OMPTAPE_KEY_SAMPLES_CUT "SAMPLES_CUT"
#define OMPTAPE_KEY_SAMPLES_LOST "SAMPLES_LOST"
#define OMPTAPE_KEY_SAMPLE_PERIOD "SAMPLE_PERIOD"
#define OMPTAPE_KEY_SAMPLED_THREADS "SAMPLED_THREADS"
#define OMPTAPE_KEY_UNSAMPLED_THREADS "UNSAMPLED_THREADS"
#define OMPTAPE_KEY_SAMPLES_REFUSED "SAMPLES_REFUSED"
#define OMPTAPE_KEY_UNOPTIMISED "UNOPTIMISED"
/* The events counted with the samples, separated by blanks; absent if there were none.
 *
 * - COUNTERS_SCALED: readings that are estimates, because the processor counted for a part of the time only.
 * - COUNTERS_DROPPED: readings omitted, because that part was less than a quarter.
 * - UNCOUNTED_THREADS: threads sampled without counters.
 * - COUNTERS_REFUSED: why an event is missing, or all are ("no hardware counters here"). */
/* Members of the metric: the CPU time and at most OMPTAPE_MAX_COUNTERS - 1 events. */
enum { OMPTAPE_MAX_COUNTERS = 8 };
#define OMPTAPE_KEY_COUNTERS "COUNTERS"
#define OMPTAPE_KEY_COUNTERS_READINGS "COUNTERS_READINGS"
#define OMPTAPE_KEY_COUNTERS_SCALED "COUNTERS_SCALED"
#define OMPTAPE_KEY_COUNTERS_DROPPED "COUNTERS_DROPPED"
#define OMPTAPE_KEY_UNCOUNTED_THREADS "UNCOUNTED_THREADS"
#define OMPTAPE_KEY_COUNTERS_REFUSED "COUNTERS_REFUSED"
/* Marks at the end of a call path, in place of a function. The thread was in the OpenMP runtime, asleep in
 * the kernel, or stopped by a signal. Or it was in a loop that only reads memory until it changes, or updated
 * memory atomically. Or the addresses of a loop were far apart, or in no order. Or another thread used other
 * bytes of a cache line at that time. Or it divided. */
#define OMPTAPE_FRAME_RUNTIME "[OpenMP runtime]"
#define OMPTAPE_FRAME_BLOCKED "[blocked]"
#define OMPTAPE_FRAME_STOPPED "[stopped]"
#define OMPTAPE_FRAME_SPINNING "[waiting loop]"
#define OMPTAPE_FRAME_UPDATING "[atomic update]"
#define OMPTAPE_FRAME_FAR "[far apart in memory]"
#define OMPTAPE_FRAME_SCATTERED "[scattered in memory]"
#define OMPTAPE_FRAME_DIVIDING "[division]"
#define OMPTAPE_FRAME_SHARING "[shared cache line]"
#define OMPTAPE_KEY_DURATION "DURATION" /* Time from the program's start to the last event. */
#define OMPTAPE_KEY_DROPPED "DROPPED"   /* Events dropped because buffers were full. */
#define OMPTAPE_KEY_POLICY "POLICY"     /* What happens when the pool is full: "wait", "drop", "overwrite". */
/* Of the dropped events, those of threads that never got a buffer and have no location. */
#define OMPTAPE_KEY_DROPPED_OUTSIDE "DROPPED_OUTSIDE"
#define OMPTAPE_KEY_UNWRITTEN "UNWRITTEN" /* Events after the disk was full. */
#define OMPTAPE_KEY_FORGOTTEN "FORGOTTEN" /* Events before a flight recorder's archive begins. */
/* MPI receives that completed, or may have completed, before others that were posted earlier. */
#define OMPTAPE_KEY_OVERTAKING "OVERTAKING"
#define OMPTAPE_KEY_STALLED "STALLED" /* Time for which threads waited for a chunk. */
/* End events that omptape added because the program's never came. */
#define OMPTAPE_KEY_SYNTHESISED "SYNTHESISED"
/* The lifetime of all threads, from thread_begin to thread_end or the program's end, and how they spent it
 * (see src/core/buckets.h). Sums over threads; the following keys add up to TIME_LIVED. */
#define OMPTAPE_KEY_TIME_LIVED "TIME_LIVED"
#define OMPTAPE_KEY_TIME_COMPUTING "TIME_COMPUTING" /* Time in parallel regions and tasks. */
#define OMPTAPE_KEY_TIME_SERIAL "TIME_SERIAL"       /* Time of initial threads outside of them. */
#define OMPTAPE_KEY_TIME_BLOCKED "TIME_BLOCKED"     /* Time asleep there, not counted above. */
#define OMPTAPE_KEY_TIME_RUNNABLE "TIME_RUNNABLE"   /* Time runnable there, not counted above. */
#define OMPTAPE_KEY_TIME_BARRIER "TIME_BARRIER"     /* Time waiting at barriers. */
#define OMPTAPE_KEY_TIME_TASK_WAIT "TIME_TASK_WAIT" /* Time waiting for tasks: taskwait, taskgroup. */
#define OMPTAPE_KEY_TIME_LOCK "TIME_LOCK"           /* Time waiting for locks, critical, atomic, ordered. */
#define OMPTAPE_KEY_TIME_TASK_MANAGEMENT "TIME_TASK_MANAGEMENT" /* Time creating tasks. */
#define OMPTAPE_KEY_TIME_TRANSFER "TIME_TRANSFER"               /* Time moving data to and from devices. */
/* Time in target constructs otherwise: kernels. */
#define OMPTAPE_KEY_TIME_TARGET "TIME_TARGET"
#define OMPTAPE_KEY_TIME_MPI "TIME_MPI"   /* Time in calls of MPI. */
#define OMPTAPE_KEY_TIME_IDLE "TIME_IDLE" /* Time without work: workers between regions. */
/* Only in the report: the wall clock at the first event, ns since 1970. */
#define OMPTAPE_KEY_BEGIN "BEGIN"
/* Sums over all devices; only if there are devices. */
#define OMPTAPE_KEY_DEVICE_KERNELS "DEVICE_KERNELS"     /* Kernels on their locations. */
#define OMPTAPE_KEY_DEVICE_TRANSFERS "DEVICE_TRANSFERS" /* Transfers on their locations. */
#define OMPTAPE_KEY_DEVICE_BYTES "DEVICE_BYTES"         /* Bytes of these transfers. */
#define OMPTAPE_KEY_CLOCK "CLOCK"                       /* "tsc", "cntvct" or "monotonic_raw". */
#define OMPTAPE_KEY_CLOCK_JUMPS "CLOCK_JUMPS"           /* How often it went back by a second or more. */
/* The wall clock at the end: the same moment in ticks and in ns since 1970, and the kernel's bound of its
 * error, ns. (The clock properties have the beginning.) */
#define OMPTAPE_KEY_CLOCK_END_TICKS "CLOCK_END_TICKS"
#define OMPTAPE_KEY_CLOCK_END_REALTIME "CLOCK_END_REALTIME"
#define OMPTAPE_KEY_CLOCK_ERROR "CLOCK_ERROR"
/* Comparisons of an MPI program's hosts' clocks by messages. CLOCK_SYNC: "ticks:reference:error ticks:...":
 * the same moment on this process's clock and on the reference's, and half of a round trip in this process's
 * ticks. CLOCK_SYNC_WITH: the reference, "PID HOST". */
#define OMPTAPE_KEY_CLOCK_SYNC "CLOCK_SYNC"
#define OMPTAPE_KEY_CLOCK_SYNC_WITH "CLOCK_SYNC_WITH"
/* A unified archive (src/unify/) has PROCESSES, the sums of the counts above, and values that are the same
 * for all processes. The others are properties of the same names of each process's location group. So are
 * NAME and the CLOCK_ keys, which contain the clock properties of its own archive. The reason: libotf2
 * accepts at most 256 KiB of an archive's properties. The group's property "process number" counts the
 * processes from 0. */
#define OMPTAPE_KEY_PROCESSES "PROCESSES"
#define OMPTAPE_GROUP_NUMBER "process number"
#define OMPTAPE_KEY_NAME "NAME"
#define OMPTAPE_KEY_CLOCK_RESOLUTION "CLOCK_RESOLUTION"
#define OMPTAPE_KEY_CLOCK_BEGIN "CLOCK_BEGIN"
#define OMPTAPE_KEY_CLOCK_LENGTH "CLOCK_LENGTH"
#define OMPTAPE_KEY_CLOCK_REALTIME "CLOCK_REALTIME"
/* One line about missing or guessed data. Further ones are WARNING::1, WARNING::2... in the archive, and
 * further lines "warning=" in the report. */
#define OMPTAPE_KEY_WARNING "WARNING"
/* Warnings with one of these texts are about data that were not recorded. `omptape report` shows them. */
#define OMPTAPE_WARNING_UNRECORDED "not recorded: "
#define OMPTAPE_WARNING_LINES OMPTAPE_WARNING_UNRECORDED "source lines of "
#define OMPTAPE_WARNING_MEMORY OMPTAPE_WARNING_UNRECORDED "events without memory: "
#define OMPTAPE_WARNING_NO_TRACE " left no trace: "
/* MEETING::0, MEETING::1...: how the process joined processes of another MPI_COMM_WORLD; properties of its
 * location group. OMPTAPE_MEETING_FORMAT has these values:
 *
 * - the resulting communicator, and the one whose processes joined the others (numbers in the archive);
 * - enum omptape_mpi_connection_kind; 1 if this side's ranks are first; 1 if the process was the root; the
 * other side's size;
 * - the identity of this side, the same in all of its processes; a number of the port or the socket, 0 if
 *   unknown;
 * - begin and end of the call, in ticks.
 *
 * OMPTAPE_ACROSS_NAME names the groups of such communicators, with the number of the connection. ELSEWHERE:
 * how many places at the end of MPI's list of processes belong to the other worlds. */
#define OMPTAPE_KEY_MEETING "MEETING"
#define OMPTAPE_KEY_ELSEWHERE "ELSEWHERE"
#define OMPTAPE_MEETING_FORMAT "%u %u %u %u %u %u %" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64
#define OMPTAPE_ACROSS_NAME "MPI 0x%016" PRIx64 " across %u"
/* Names of MPI communicators in a process archive: the world, by MPI_Init or by a session's set.
 * Communicators without a name of their own, and those for partitioned messages, have a blank and a number
 * after the name. Unification renumbers them. */
#define OMPTAPE_WORLD_NAME "MPI_COMM_WORLD"
#define OMPTAPE_SET_NAME "mpi://WORLD"
#define OMPTAPE_COMM_NAME "MPI Communicator"
#define OMPTAPE_PARTITIONED_NAME "MPI Partitioned Communicator"
/* Data omitted on request; only if there are any. */
#define OMPTAPE_KEY_FILTER "FILTER"                 /* The rules as given by the user. */
#define OMPTAPE_KEY_LIMIT_PER_SITE "LIMIT_PER_SITE" /* Instances of each call site that may be shown. */
/* LIMITED::0, LIMITED::1...: a call site that was shown only in part, "SHOWN TOTAL NAME": instances while
 * recording was on, and the region's name. With many sites the last stands for all others: "N more sites". */
#define OMPTAPE_KEY_LIMITED "LIMITED"
/* "1" if no two records of a location have the same time. */
#define OMPTAPE_KEY_DISTINCT_TIMES "DISTINCT_TIMES"
/* "paused" if nothing was recorded before omp_control_tool_start. */
#define OMPTAPE_KEY_START "START"

/* Location properties of a thread (UINT64), and the names of the metric's members in this order. They are the
 * kernel's last sums since the thread was created: ns, faults and switches. Only if they were read. */
#define OMPTAPE_LOCATION_RUNNING "processor time"
#define OMPTAPE_LOCATION_WAITING "run queue wait"
#define OMPTAPE_LOCATION_SYSTEM "system time"
#define OMPTAPE_LOCATION_MINOR_FAULTS "minor faults"
#define OMPTAPE_LOCATION_MAJOR_FAULTS "major faults"
#define OMPTAPE_LOCATION_VOLUNTARY "voluntary switches"
#define OMPTAPE_LOCATION_INVOLUNTARY "involuntary switches"
/* Location properties (UINT64). How often the thread was blocked when its state was read, a few times a
 * second. How often of these it was in an uninterruptible sleep, mostly for a disk or a network file system.
 * Absent if it was never blocked. */
#define OMPTAPE_LOCATION_SEEN_BLOCKED "seen blocked"
#define OMPTAPE_LOCATION_SEEN_DISK "seen blocked by a disk"
/* Of these, how often a signal or a debugger had stopped the thread (UINT64); absent if never. */
#define OMPTAPE_LOCATION_SEEN_STOPPED "seen stopped"
/* Location property: how many threads had the location, one after the other (UINT64). */
#define OMPTAPE_LOCATION_THREADS "threads"
/* Location properties: the processors that the thread might run on when they were last read ("0-3,8"), and
 * how often they changed (UINT64). Only for a thread for which they changed after its first team. */
#define OMPTAPE_LOCATION_ALLOWED "allowed processors"
#define OMPTAPE_LOCATION_ALLOWED_CHANGES "allowed processors changes"
/* The text is the kernel's name of the thread. It is a thread of the process that neither OpenMP nor MPI
 * knows, and that used more than 1 % of a processor. Its location has only metric events. */
#define OMPTAPE_LOCATION_OTHER_THREAD "other thread"
/* Location properties (UINT64) of such a thread, and of an initial thread of OpenMP. The OS thread ids of the
 * thread that created it, and of one that was found waiting for its end (pthread_join). How often it was
 * found so. Absent if unknown. */
#define OMPTAPE_LOCATION_CREATED_BY "created by"
#define OMPTAPE_LOCATION_JOINED_BY "joined by"
#define OMPTAPE_LOCATION_SEEN_JOINING "seen joining"

/* OMPTAPE::DEVICE::<number>::<KEY>, for each device:
 *
 * - TYPE; PRODUCER ("runtime", "CUPTI", "host-observed") and WHY;
 * - INTERFACE::<NAME>: what its tracing interface offers (SET_TRACE_OMPT::<ANSWER>: the kinds of records);
 * - counts of its records: RECORDS (received), SHOWN, OBSERVED (operations shown as the host saw them);
 * - further counts, if not 0: UNLINKED, REPAIRED, UNDATED, DUPLICATES, INVALID, DROPPED, REFUSED and LOST
 *   (buffers);
 * - CLOCK::SOURCE ("device time", "translate_time", "none"), CLOCK::ANCHORS, CLOCK::REJECTED,
 *   CLOCK::SEGMENTS, CLOCK::OFFSET (ns), CLOCK::DRIFT_PPM, CLOCK::RESIDUAL (ns), CLOCK::BOUND (ns: the
 *   largest error of an event's time), CLOCK::TRANSLATE_DIFFERENCE (ns). */
#define OMPTAPE_DEVICE_PREFIX "OMPTAPE::DEVICE::"

/* OMPTAPE::INFO::<KEY>: what the library wrote about the runtime (shm.h, info). The key of each line is in
 * upper case, '.' is "::", and other characters that OTF2 does not allow are '_'. Keys: "runtime.version",
 * "runtime.omp_version", "second_tool" (its file), "callback.<name>" ("always", "sometimes",
 * "sometimes_paired", "never", "impossible", "error", "not asked"; or OMPTAPE_UNSAFE_ERROR_CALLBACK),
 * "state.<hex>", "mutex_impl.<number>", "place.<number>" (processors), "procs", "devices",
 * "device.<number>". */
#define OMPTAPE_INFO_PREFIX "OMPTAPE::INFO::"
/* Lines whose keys are this and a number are no properties; they become warnings
 * (OMPTAPE_WARNING_UNRECORDED). */
#define OMPTAPE_INFO_UNRECORDED "unrecorded."
