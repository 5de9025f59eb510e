/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a network file system look again (fresh.h). Called by the writer (src/job/clock_sync.c) and by the
 * command when a run ends.
 */
#include "src/folder/fresh.h"

#include "src/folder/beneath.h"

#include <linux/magic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Those of distributed file systems that keep hosts' views alike (Lustre, GPFS, Ceph) are not among them. */
static bool remembers(int folder)
{
    static const unsigned long types[] = {NFS_SUPER_MAGIC,  FUSE_SUPER_MAGIC, SMB_SUPER_MAGIC,
                                          CIFS_SUPER_MAGIC, SMB2_SUPER_MAGIC, V9FS_MAGIC,
                                          AFS_SUPER_MAGIC};
    struct statfs status;
    if (fstatfs(folder, &status) != 0)
        return false;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (((unsigned long)status.f_type & UINT32_MAX) == types[i])
            return true;
    return false;
}

void omptape_fresh_look(int folder)
{
    char name[64];
    int made =
        remembers(folder) ? omptape_beneath_make_private(folder, ".omptape-look-", name, sizeof(name)) : -1;
    if (made < 0)
        return;
    close(made);
    (void)omptape_beneath_remove_folder(folder, name);
}
