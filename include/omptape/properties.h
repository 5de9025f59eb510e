/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of the archive properties (OTF2_Archive_SetProperty) that the writer sets and `omptape info` reads,
 * and of the keys in the report that the writer leaves for the command. Values are text; times are in ns,
 * counts are decimal.
 */
#ifndef OMPTAPE_PROPERTIES_H
#define OMPTAPE_PROPERTIES_H

/* OMPTAPE::<KEY>, from the writer. The report holds the same as lines "<key in lower case>=value" after a
 * line "trace=PATH"; an empty line ends it (newlines in values are escaped, src/job/report_file.h). Before,
 * at the start, comes "begun=FOLDER" and an empty line. */
#define OMPTAPE_PROPERTY_PREFIX "OMPTAPE::"
#define OMPTAPE_KEY_VERSION "VERSION" /* of omptape */
#define OMPTAPE_KEY_PROGRAM "PROGRAM" /* path of the program */
#define OMPTAPE_KEY_PID "PID"
#define OMPTAPE_KEY_HOST "HOST"
/* Only of a rank of a job (settings.h, struct omptape_job); SIZE, JOB and STEP where they are known. */
#define OMPTAPE_KEY_LAUNCHER "LAUNCHER"
#define OMPTAPE_KEY_RANK "RANK"
#define OMPTAPE_KEY_SIZE "SIZE"
#define OMPTAPE_KEY_LOCAL_RANK "LOCAL_RANK"
#define OMPTAPE_KEY_JOB "JOB"
#define OMPTAPE_KEY_STEP "STEP"
#define OMPTAPE_KEY_PARENT "PARENT" /* launch and rank that spawned it, "LAUNCH.RANK", where MPI says so */
/* "finalize", "exit inside a parallel region", "omp_control_tool", "exit status N without finalize", "exit
 * status N without MPI_Finalize", "MPI_Abort with error code N", "signal N", "unknown", or
 * OMPTAPE_END_RESTORED: completed from a checkpoint. */
#define OMPTAPE_KEY_END "END"
#define OMPTAPE_END_RESTORED "its writer was killed"
#define OMPTAPE_KEY_EVENTS "EVENTS" /* OTF2 event records in the archive */
/* Events that went into a profile's sums (src/analysis/reduce/profile.h) in place of the archive; only of a
 * profile. */
#define OMPTAPE_KEY_PROFILE "PROFILE"
#define OMPTAPE_KEY_RECORDS "RECORDS" /* events of the program that were recorded: callbacks */
#define OMPTAPE_KEY_THREADS "THREADS" /* locations */
/* What tracing cost while the program ran: a record on the thread that made it, ps (the mean of a sample;
 * only where there is one), and the writer's processor time, ns. */
#define OMPTAPE_KEY_RECORD_COST "RECORD_COST"
#define OMPTAPE_KEY_WRITER_TIME "WRITER_TIME"
/* What the runtime took to hand out a chunk of a loop, ps: likewise, of programs on libgomp. */
#define OMPTAPE_KEY_CHUNK_COST "CHUNK_COST"
#define OMPTAPE_KEY_PROCESSORS "PROCESSORS" /* that the threads of teams might run on, all together */
/* What the process might use, and what had it, while the program was recorded (a flight recorder's archive:
 * from the program's start on). Each is absent where the kernel did not tell.
 * ALLOWED: the processors that the process might run on at the start ("0-3,8"); ALLOWED_CHANGES: how often
 * that was found to be different for one of its threads, sum over threads; absent if never. ONLINE:
 * processors of the machine, whoever may use them. QUOTA: processors that the tightest limit of the process's
 * cgroup and of those above it leaves to all in that cgroup, in thousandths, at the end (1500: one and a
 * half); absent if there is none. QUOTA_GROUP: that cgroup's path. QUOTA_PERIOD: ns. QUOTA_PERIODS: periods
 * in which it ran, QUOTA_THROTTLED: of these, such in which its threads were stopped, and
 * QUOTA_THROTTLED_TIME: ns that they were, both of all in that cgroup. PROCESSORS_BUSY, PROCESSORS_STOLEN and
 * PROCESSORS_TIME: of the processors in ALLOWED, all together, ns that they were busy with anything, that the
 * hypervisor had them, and that went by. OTHER_TIME: processor time of threads that neither OpenMP nor MPI
 * knows and that have no location of their own, ns, at least; absent if it is 0. OTHER_THREADS: how many of
 * these were seen. */
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
#define OMPTAPE_KEY_PROCESSORS_STOLEN "PROCESSORS_STOLEN"
#define OMPTAPE_KEY_PROCESSORS_TIME "PROCESSORS_TIME"
#define OMPTAPE_KEY_OTHER_THREADS "OTHER_THREADS"
#define OMPTAPE_KEY_OTHER_TIME "OTHER_TIME"
/* What the node's processors took while the process was recorded, whoever ran there, in uJ. "ZONE:NUMBER" of
 * each package and its memory ("package-0:1234567 package-0/dram:34567"). Absent if not all is known. */
#define OMPTAPE_KEY_ENERGY "ENERGY"
/* Threads whose context switches the kernel recorded, so that their readings have its moments; absent if the
 * kernel refused all. */
#define OMPTAPE_KEY_SWITCHES "SWITCHES"
/* Samples in the archive; absent with --sample=off; SAMPLES_CUT: whose call paths do not reach the
 * thread's first function, among all that were taken; SAMPLES_LOST: records of samples and switches that the
 * kernel dropped; SAMPLE_PERIOD: processor time between two of a thread, ns. SAMPLED_THREADS and
 * UNSAMPLED_THREADS: those that were sampled, and that were not: refused, or over too soon. SAMPLES_REFUSED:
 * what kept the first thread from being sampled, in a few words ("perf_event_paranoid is 3"). SAMPLED_BY:
 * "signal" if the program's threads took them (--sample=signal), absent if the kernel did. */
#define OMPTAPE_KEY_SAMPLED_BY "SAMPLED_BY"
#define OMPTAPE_KEY_SAMPLES "SAMPLES"
#define OMPTAPE_KEY_SAMPLES_CUT "SAMPLES_CUT"
#define OMPTAPE_KEY_SAMPLES_LOST "SAMPLES_LOST"
#define OMPTAPE_KEY_SAMPLE_PERIOD "SAMPLE_PERIOD"
#define OMPTAPE_KEY_SAMPLED_THREADS "SAMPLED_THREADS"
#define OMPTAPE_KEY_UNSAMPLED_THREADS "UNSAMPLED_THREADS"
#define OMPTAPE_KEY_SAMPLES_REFUSED "SAMPLES_REFUSED"
/* The events that were counted with the samples, with blanks between them; absent if none were.
 * COUNTERS_SCALED: readings that are estimates, because the processor counted for a part of the time only;
 * COUNTERS_DROPPED: those that were left out, because that was less than a quarter. UNCOUNTED_THREADS: those
 * that were sampled without counters. COUNTERS_REFUSED: why an event is missing, or all ("no hardware
 * counters here").
 */
enum { OMPTAPE_COUNTERS_MOST = 8 }; /* members of the metric: the processor time, and so many less one */
#define OMPTAPE_KEY_COUNTERS "COUNTERS"
#define OMPTAPE_KEY_COUNTERS_READINGS "COUNTERS_READINGS"
#define OMPTAPE_KEY_COUNTERS_SCALED "COUNTERS_SCALED"
#define OMPTAPE_KEY_COUNTERS_DROPPED "COUNTERS_DROPPED"
#define OMPTAPE_KEY_UNCOUNTED_THREADS "UNCOUNTED_THREADS"
#define OMPTAPE_KEY_COUNTERS_REFUSED "COUNTERS_REFUSED"
/* Marks at the end of a call path, in place of a function. The thread was in the OpenMP runtime, asleep in
 * the kernel, stopped by a signal, or in a loop that only reads memory until it changes. */
#define OMPTAPE_FRAME_RUNTIME "[OpenMP runtime]"
#define OMPTAPE_FRAME_BLOCKED "[blocked]"
#define OMPTAPE_FRAME_STOPPED "[stopped]"
#define OMPTAPE_FRAME_SPINNING "[waiting loop]"
#define OMPTAPE_KEY_DURATION "DURATION" /* from the program's start to the last event */
#define OMPTAPE_KEY_DROPPED "DROPPED"   /* events that were not, for want of room */
#define OMPTAPE_KEY_POLICY "POLICY"     /* when the pool is full: "wait", "drop", "overwrite" */
/* Of these, events of threads that never got a buffer and so have no location. */
#define OMPTAPE_KEY_DROPPED_OUTSIDE "DROPPED_OUTSIDE"
#define OMPTAPE_KEY_UNWRITTEN "UNWRITTEN" /* events after the disk was full */
#define OMPTAPE_KEY_FORGOTTEN "FORGOTTEN" /* events before the archive's beginning, of a flight recorder */
/* Receives of MPI's that were complete before others that had been posted earlier, or may have been. */
#define OMPTAPE_KEY_OVERTAKING "OVERTAKING"
#define OMPTAPE_KEY_STALLED "STALLED"         /* time that threads waited for a chunk */
#define OMPTAPE_KEY_SYNTHESISED "SYNTHESISED" /* ends that omptape wrote because the program's never came */
/* How long threads lived, from thread_begin to thread_end or the program's end, and what they did (see
 * src/core/buckets.h): sums over threads. Each moment is in one of the rest, which add up to the first. */
#define OMPTAPE_KEY_TIME_LIVED "TIME_LIVED"
#define OMPTAPE_KEY_TIME_COMPUTING "TIME_COMPUTING" /* in parallel regions and tasks */
#define OMPTAPE_KEY_TIME_SERIAL "TIME_SERIAL"       /* initial threads outside of them */
#define OMPTAPE_KEY_TIME_BLOCKED "TIME_BLOCKED"     /* what of both a thread slept */
#define OMPTAPE_KEY_TIME_RUNNABLE "TIME_RUNNABLE"   /* ...and what it wanted a processor and had none */
#define OMPTAPE_KEY_TIME_BARRIER "TIME_BARRIER"     /* waiting at barriers */
#define OMPTAPE_KEY_TIME_TASK_WAIT "TIME_TASK_WAIT" /* waiting for tasks: taskwait, taskgroup */
#define OMPTAPE_KEY_TIME_LOCK "TIME_LOCK"           /* waiting for locks, critical, atomic, ordered */
#define OMPTAPE_KEY_TIME_TASK_MANAGEMENT "TIME_TASK_MANAGEMENT" /* creating tasks */
#define OMPTAPE_KEY_TIME_TRANSFER "TIME_TRANSFER"               /* moving data to and from devices */
#define OMPTAPE_KEY_TIME_TARGET "TIME_TARGET"                   /* in target constructs otherwise: kernels */
#define OMPTAPE_KEY_TIME_MPI "TIME_MPI"                         /* in calls of MPI */
#define OMPTAPE_KEY_TIME_IDLE "TIME_IDLE" /* threads that have nothing to do: workers between regions */
/* In the report alone: the wall clock at the first event, ns since 1970. */
#define OMPTAPE_KEY_BEGIN "BEGIN"
/* Of all devices; only where there are any. */
#define OMPTAPE_KEY_DEVICE_KERNELS "DEVICE_KERNELS"     /* on their locations */
#define OMPTAPE_KEY_DEVICE_TRANSFERS "DEVICE_TRANSFERS" /* likewise, */
#define OMPTAPE_KEY_DEVICE_BYTES "DEVICE_BYTES"         /* with so many bytes */
#define OMPTAPE_KEY_CLOCK "CLOCK"                       /* "tsc", "cntvct" or "monotonic_raw" */
#define OMPTAPE_KEY_CLOCK_JUMPS "CLOCK_JUMPS"           /* times that it went back by a second or more */
/* The wall clock at the end: the same moment in ticks and in ns since 1970; how far it may be off, in ns, as
 * the kernel says. (The clock properties have the beginning.) */
#define OMPTAPE_KEY_CLOCK_END_TICKS "CLOCK_END_TICKS"
#define OMPTAPE_KEY_CLOCK_END_REALTIME "CLOCK_END_REALTIME"
#define OMPTAPE_KEY_CLOCK_ERROR "CLOCK_ERROR"
/* Where the clocks of an MPI program's hosts were compared by messages: "ticks:reference:error ticks:...",
 * the same moments on this process's clock and on that of a reference, and the half of a message's way to it
 * and back in this one's ticks; and the reference: "PID HOST". */
#define OMPTAPE_KEY_CLOCK_SYNC "CLOCK_SYNC"
#define OMPTAPE_KEY_CLOCK_SYNC_WITH "CLOCK_SYNC_WITH"
/* A unified archive (src/unify/) has PROCESSES, the sums of the counts above, and what is the same for all
 * processes. The rest are properties of the same names of each process's location group, and so are NAME and
 * the CLOCK_ ones, which have the clock properties of its own archive; libotf2 takes no more than 256 KiB of
 * the archive's own properties. The group's property "process number" counts the processes from 0. */
#define OMPTAPE_KEY_PROCESSES "PROCESSES"
#define OMPTAPE_GROUP_NUMBER "process number"
#define OMPTAPE_KEY_NAME "NAME"
#define OMPTAPE_KEY_CLOCK_RESOLUTION "CLOCK_RESOLUTION"
#define OMPTAPE_KEY_CLOCK_BEGIN "CLOCK_BEGIN"
#define OMPTAPE_KEY_CLOCK_LENGTH "CLOCK_LENGTH"
#define OMPTAPE_KEY_CLOCK_REALTIME "CLOCK_REALTIME"
/* One line on something that is missing or was guessed. More of them are WARNING::1, WARNING::2... in the
 * archive; in the report there is a line "warning=" for each. */
#define OMPTAPE_KEY_WARNING "WARNING"
/* A warning that has one of these in it says that something was not recorded: `omptape report` shows it. */
#define OMPTAPE_WARNING_UNRECORDED "not recorded: "
#define OMPTAPE_WARNING_LINES OMPTAPE_WARNING_UNRECORDED "source lines of "
#define OMPTAPE_WARNING_NO_TRACE " left no trace: "
/* MEETING::0, MEETING::1...: how the process met others of another MPI_COMM_WORLD, properties of its location
 * group: OMPTAPE_MEETING_FORMAT has the communicator that came of it and the one whose processes met the
 * others (as the archive numbers them), enum omptape_mpi_way, whether this side's ranks come first, whether
 * the process was the root, how many are on the other side, the identity of this side's part, the same in all
 * of its processes, a number of the port or the socket (0: not known), and when the call began and ended, in
 * ticks. The groups of the communicators that these brought about are called OMPTAPE_ACROSS_NAME, with the
 * number of the meeting. ELSEWHERE: so many places at the end of MPI's list are those processes'. */
#define OMPTAPE_KEY_MEETING "MEETING"
#define OMPTAPE_KEY_ELSEWHERE "ELSEWHERE"
#define OMPTAPE_MEETING_FORMAT "%u %u %u %u %u %u %" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64
#define OMPTAPE_ACROSS_NAME "MPI 0x%016" PRIx64 " across %u"
/* What communicators of MPI's are called in a process's archive: the world, by MPI_Init or by the set of a
 * session; and, with a number behind a space, those without a name of their own, and those that stand for
 * another's partitioned messages. Unification numbers them anew. */
#define OMPTAPE_WORLD_NAME "MPI_COMM_WORLD"
#define OMPTAPE_SET_NAME "mpi://WORLD"
#define OMPTAPE_COMM_NAME "MPI Communicator"
#define OMPTAPE_PARTITIONED_NAME "MPI Partitioned Communicator"
/* What was left out on purpose; only where it was. */
#define OMPTAPE_KEY_FILTER "FILTER"                 /* the rules as they were given */
#define OMPTAPE_KEY_LIMIT_PER_SITE "LIMIT_PER_SITE" /* instances of each site that may be shown */
/* LIMITED::0, LIMITED::1...: a site of which not all was shown, "SHOWN TOTAL NAME": instances while recording
 * was on, and the region's name. The last of many stands for all the others: "N more sites". */
#define OMPTAPE_KEY_LIMITED "LIMITED"
#define OMPTAPE_KEY_DISTINCT_TIMES "DISTINCT_TIMES" /* "1": no two records of a location share a time */
#define OMPTAPE_KEY_START "START" /* "paused": nothing was recorded before omp_control_tool_start */

/* Location properties of a thread (UINT64), and the names of the metric's members in this order: sums since
 * the thread was made, as the kernel said last; ns, faults and switches. Only where they were read. */
#define OMPTAPE_LOCATION_RUNNING "processor time"
#define OMPTAPE_LOCATION_WAITING "run queue wait"
#define OMPTAPE_LOCATION_SYSTEM "system time"
#define OMPTAPE_LOCATION_MINOR_FAULTS "minor faults"
#define OMPTAPE_LOCATION_MAJOR_FAULTS "major faults"
#define OMPTAPE_LOCATION_VOLUNTARY "voluntary switches"
#define OMPTAPE_LOCATION_INVOLUNTARY "involuntary switches"
/* Location properties (UINT64): how often the thread was seen to be blocked when its state was looked at, a
 * few times a second, and how often of these in a sleep that signals do not end: mostly for a disk or a
 * network's file system. Absent if it was never seen to be blocked. */
#define OMPTAPE_LOCATION_SEEN_BLOCKED "seen blocked"
#define OMPTAPE_LOCATION_SEEN_DISK "seen blocked by a disk"
/* Of these, how often a signal or a debugger had stopped it (UINT64); absent if never. */
#define OMPTAPE_LOCATION_SEEN_STOPPED "seen stopped"
/* Location properties: how many threads had the location, one after the other (UINT64). */
#define OMPTAPE_LOCATION_THREADS "threads"
/* The processors that the thread might run on when it was looked at last ("0-3,8"), and how often that
 * differed from what it was before (UINT64); only of a thread for which it changed after its first team. */
#define OMPTAPE_LOCATION_ALLOWED "allowed processors"
#define OMPTAPE_LOCATION_ALLOWED_CHANGES "allowed processors changes"
/* Its text is the thread's name as the kernel has it: a thread of the process that neither OpenMP nor MPI
 * knows, and that used more than 1 % of a processor. Its location has metric events alone. */
#define OMPTAPE_LOCATION_OTHER_THREAD "other thread"

/* OMPTAPE::DEVICE::<number>::<KEY>, of each device: TYPE; PRODUCER ("runtime", "CUPTI", "host-observed") and
 * WHY; INTERFACE::<NAME>: what its tracing interface offers (SET_TRACE_OMPT::<ANSWER>: the kinds of records);
 * counts of its records: RECORDS (that came), SHOWN, OBSERVED (operations shown as the host saw them), and
 * where there are any UNLINKED, REPAIRED, UNDATED, DUPLICATES, INVALID, DROPPED, REFUSED and LOST (buffers);
 * CLOCK::SOURCE ("device time", "translate_time", "none"), CLOCK::ANCHORS, CLOCK::REJECTED, CLOCK::SEGMENTS,
 * CLOCK::OFFSET (ns), CLOCK::DRIFT_PPM, CLOCK::RESIDUAL (ns), CLOCK::BOUND (ns: no event's time is further
 * off), CLOCK::TRANSLATE_DIFFERENCE (ns). */
#define OMPTAPE_DEVICE_PREFIX "OMPTAPE::DEVICE::"

/* OMPTAPE::INFO::<KEY>: what the library wrote about the runtime (shm.h, info): each line's key in upper
 * case, '.' as "::", other characters that OTF2 does not allow as '_'. Keys: "runtime.version",
 * "runtime.omp_version", "second_tool" (its file), "callback.<name>" ("always",
 * "sometimes", "sometimes_paired", "never", "impossible", "error", "not asked"; or
 * OMPTAPE_UNSAFE_ERROR_CALLBACK), "state.<hex>", "mutex_impl.<number>", "place.<number>" (processors),
 * "procs", "devices", "device.<number>". */
#define OMPTAPE_INFO_PREFIX "OMPTAPE::INFO::"
/* Lines whose keys begin so, with a number behind it, are no property: they become warnings
 * (OMPTAPE_WARNING_UNRECORDED). */
#define OMPTAPE_INFO_UNRECORDED "unrecorded."

#endif
