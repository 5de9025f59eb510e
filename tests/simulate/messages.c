/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The records are those of callbacks/mpi/. A message takes 1 us and a nanosecond for 10 bytes.
 */
#include "tests/simulate/messages.h"

#include "src/mpi/functions.h"
#include "tests/simulate/machine.h"

#include <stdio.h>
#include <stdlib.h>

enum { OF_WORLD = 1, LATENCY_NS = 1000, BYTES_A_NS = 10, STEP_NS = 1500, NO_ROOT = -1 };

struct message {
    struct message *next;
    unsigned sender;
    uint64_t arrives;
};

/* A process. */
struct mailbox {
    struct message *first; /* that have been sent to it */
    struct message *last;
    struct machine_thread *waits; /* for a message of `sender`, or in a collective operation; or NULL */
    unsigned sender;
};

static struct mailbox *mailboxes;
static unsigned size;
static unsigned arrived;
static uint64_t opens;

void mpi_prepare(unsigned processes)
{
    size = processes;
    mailboxes = calloc(size, sizeof(*mailboxes));
    if (mailboxes == NULL)
        exit(2);
}

unsigned mpi_rank(void)
{
    return (unsigned)omp_stream()->session->settings.job.rank;
}

unsigned mpi_size(void)
{
    return size;
}

static void put1(enum omptape_kind kind, unsigned a, uint32_t b, uint64_t p0)
{
    session_put1(omp_stream(), machine_now(), kind, a, b, p0);
}

static void put3(enum omptape_kind kind, unsigned a, uint32_t b, uint64_t p0, uint64_t p1, uint64_t p2)
{
    session_put3(omp_stream(), machine_now(), kind, a, b, p0, p1, p2);
}

static void leave(unsigned number)
{
    session_put(omp_stream(), machine_now(), OMPTAPE_MPI_LEAVE, number, 0);
}

static uint64_t here(const void *return_address)
{
    return (uint64_t)(uintptr_t)return_address;
}

static uint64_t peer(unsigned rank)
{
    return OMPTAPE_MPI_WORLD | (uint64_t)rank << 32;
}

static void wait_until(uint64_t time)
{
    if (time > machine_now())
        machine_spend(time - machine_now());
}

/* All come, and go on when the last one has come and so many steps of a tree are done. */
static void come_together(void)
{
    unsigned steps = 1;
    for (unsigned reached = 1; reached < size; reached *= 2)
        steps++;
    struct mailbox *mailbox = &mailboxes[mpi_rank()];
    if (++arrived < size) {
        mailbox->waits = machine_self();
        machine_park();
        return;
    }
    arrived = 0;
    opens = machine_now() + steps * (uint64_t)STEP_NS;
    for (unsigned i = 0; i < size; i++)
        if (mailboxes[i].waits != NULL) {
            machine_wake(mailboxes[i].waits, opens);
            mailboxes[i].waits = NULL;
        }
    wait_until(opens);
}

void mpi_init(void)
{
    const uint64_t words[] = {OF_WORLD, UINT32_MAX | (uint64_t)mpi_rank() << 32, size, (uint64_t)size << 32,
                              1};
    put1(OMPTAPE_MPI_ENTER, OMPTAPE_CALL_MPI_Init, 0, here(__builtin_return_address(0)));
    come_together();
    session_put_words(omp_stream(), machine_now(), OMPTAPE_MPI_COMM, 0, OMPTAPE_MPI_WORLD,
                      sizeof(words) / sizeof(words[0]), words);
    leave(OMPTAPE_CALL_MPI_Init);
}

void mpi_finalize(void)
{
    put1(OMPTAPE_MPI_ENTER, OMPTAPE_CALL_MPI_Finalize, 0, here(__builtin_return_address(0)));
    come_together();
    leave(OMPTAPE_CALL_MPI_Finalize);
}

void mpi_send(unsigned receiver, uint64_t bytes)
{
    struct mailbox *mailbox = &mailboxes[receiver];
    struct message *message = calloc(1, sizeof(*message));
    if (message == NULL)
        exit(2);
    put3(OMPTAPE_MPI_SEND, (unsigned)OMPTAPE_CALL_MPI_Send | OMPTAPE_MPI_ENTERS, 0, peer(receiver), bytes,
         here(__builtin_return_address(0)));
    *message =
        (struct message){.sender = mpi_rank(), .arrives = machine_now() + LATENCY_NS + bytes / BYTES_A_NS};
    if (mailbox->last != NULL)
        mailbox->last->next = message;
    else
        mailbox->first = message;
    mailbox->last = message;
    if (mailbox->waits != NULL && mailbox->sender == message->sender) {
        machine_wake(mailbox->waits, message->arrives);
        mailbox->waits = NULL;
    }
    machine_spend(LATENCY_NS / 2);
    leave(OMPTAPE_CALL_MPI_Send);
}

/* Takes the first message of this sender; NULL: there is none. */
static struct message *take(struct mailbox *mailbox, unsigned sender)
{
    struct message *before = NULL;
    struct message *message = mailbox->first;
    for (; message != NULL && message->sender != sender; message = message->next)
        before = message;
    if (message == NULL)
        return NULL;
    if (before != NULL)
        before->next = message->next;
    else
        mailbox->first = message->next;
    if (mailbox->last == message)
        mailbox->last = before;
    return message;
}

void mpi_receive(unsigned sender, uint64_t bytes)
{
    struct mailbox *mailbox = &mailboxes[mpi_rank()];
    put3(OMPTAPE_MPI_ENTER, OMPTAPE_CALL_MPI_Recv, OMPTAPE_MPI_AWAITS_MESSAGE,
         here(__builtin_return_address(0)), peer(sender), 0);
    struct message *message = take(mailbox, sender);
    if (message == NULL) {
        mailbox->waits = machine_self();
        mailbox->sender = sender;
        machine_park();
        message = take(mailbox, sender);
    }
    wait_until(message->arrives);
    machine_spend(LATENCY_NS / 10);
    free(message);
    session_put2(omp_stream(), machine_now(), OMPTAPE_MPI_RECEIVE,
                 (unsigned)OMPTAPE_CALL_MPI_Recv | OMPTAPE_MPI_LEAVES, 0, peer(sender), bytes);
}

void mpi_allreduce(uint64_t bytes)
{
    const uint64_t operation = OMPTAPE_MPI_WORLD | (uint64_t)OMPTAPE_MPI_SHAPE_ALLREDUCE << 32;
    put3(OMPTAPE_MPI_ENTER, (unsigned)OMPTAPE_CALL_MPI_Allreduce | OMPTAPE_MPI_ENTERS,
         OMPTAPE_MPI_AWAITS_COLLECTIVE, here(__builtin_return_address(0)), operation, (uint32_t)NO_ROOT);
    come_together();
    put3(OMPTAPE_MPI_COLLECTIVE, (unsigned)OMPTAPE_CALL_MPI_Allreduce | OMPTAPE_MPI_LEAVES, (uint32_t)NO_ROOT,
         operation, bytes, bytes);
}
