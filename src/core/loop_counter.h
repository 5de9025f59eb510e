/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is known of the counter from which the threads of a team take the chunks of a loop.
 */
#pragma once

enum {
    /* Time to take a chunk, ns, about as from LLVM's counter: for archives without OMPTAPE_KEY_CHUNK_COST. */
    OMPTAPE_USUAL_CHUNK_NS = 450,
    /* A contended counter moves from one processor to another in some tens of ns. */
    OMPTAPE_COUNTER_NS = 100,
    /* With fewer threads, or fewer chunks, nobody can see that threads queue at the counter. */
    OMPTAPE_COUNTER_THREADS = 8,
    OMPTAPE_COUNTER_CHUNKS = 1000,
};
