/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For programs that want to talk to the tool. Nothing here is needed to be traced: omp_control_tool
 * (OpenMP 5.2 section 18.14) starts, pauses, flushes and ends the recording, and does nothing where no tool
 * is loaded. A program that calls the functions below must be linked with libomptape, or look them up with
 * dlsym.
 */
#ifndef OMPTAPE_OMPTAPE_H
#define OMPTAPE_OMPTAPE_H

#ifdef __cplusplus
extern "C" {
#endif

/* "major.minor.patch" of the library. Any thread, any time. */
const char *omptape_version(void);

/* 1 while events of this process are being recorded (from the runtime's initialisation to its end), else 0.
 * Any thread. */
int omptape_is_recording(void);

#ifdef __cplusplus
}
#endif

#endif
