/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Replaces functions with which libdw opens and decompresses files. A function of the program precedes those
 * of its libraries for all libraries. Debug information names other files: split units, debug files, what dwz
 * made for several programs. The traced program may place any file there. A pipe would block libc's open(),
 * and a small compressed file may expand to more than the memory.
 */
#include <dlfcn.h>
#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* Debug information of compilers compresses to a half or a fifth. */
enum { MAX_RATIO = 32, MAX_EXPANDED = 4 << 20 };

/* A sanitizer calls the function before it is initialised. */
#define FOR_LIBRARIES __attribute__((visibility("default"), used, no_sanitize("address", "undefined")))

static bool expands_too_much(uint64_t expanded, uint64_t packed)
{
    return expanded > MAX_EXPANDED && expanded / MAX_RATIO > packed;
}

/* Returns true for a file that libdw would decompress as a whole. No debug file is stored so. */
static bool is_packed_file(int fd)
{
    unsigned char start[4];
    return pread(fd, start, sizeof(start), 0) == (ssize_t)sizeof(start) &&
           (memcmp(start, "\x1f\x8b", 2) == 0 || memcmp(start, "BZh", 3) == 0 ||
            memcmp(start, "\x28\xb5\x2f\xfd", 4) == 0);
}

/* The writer's own calls have more flags and are not changed. */
FOR_LIBRARIES int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    const mode_t mode = creates ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (flags == O_RDONLY)
        flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    const int fd = openat(AT_FDCWD, path, flags, mode);
    if (fd < 0 || (flags & O_ACCMODE) != O_RDONLY || !is_packed_file(fd))
        return fd;
    close(fd);
    errno = EFBIG;
    return -1;
}

/* For a libdw that is built for large files. */
FOR_LIBRARIES int open64(const char *path, int flags, ...) __attribute__((alias("open")));

/* Sets *function, a pointer to a function, to the library's one of this name. */
static bool find_replaced(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof(found));
    return found != NULL;
}

/* libdw leaves out a section for which this fails. */
FOR_LIBRARIES int elf_compress(Elf_Scn *section, int type, unsigned flags)
{
    int (*replaced)(Elf_Scn *, int, unsigned);
    GElf_Shdr header;
    GElf_Chdr packed;
    if (type == 0 && gelf_getshdr(section, &header) != NULL && gelf_getchdr(section, &packed) != NULL &&
        expands_too_much(packed.ch_size, header.sh_size))
        return -1;
    return find_replaced("elf_compress", &replaced) ? replaced(section, type, flags) : -1;
}

/* The same for sections of the older format (.zdebug_*): a mark, the size with its highest byte first. */
FOR_LIBRARIES int elf_compress_gnu(Elf_Scn *section, int compress, unsigned flags)
{
    int (*replaced)(Elf_Scn *, int, unsigned);
    uint64_t size = 0;
    const Elf_Data *data = compress == 0 ? elf_rawdata(section, NULL) : NULL;
    if (data != NULL && data->d_buf != NULL && data->d_size >= 4 + sizeof(size))
        memcpy(&size, (const char *)data->d_buf + 4, sizeof(size));
    if (data != NULL && expands_too_much(be64toh(size), data->d_size))
        return -1;
    return find_replaced("elf_compress_gnu", &replaced) ? replaced(section, compress, flags) : -1;
}

/* First fields of liblzma's lzma_stream, whose header need not be installed. */
struct lzma_counts {
    const uint8_t *input;
    size_t input_left;
    uint64_t input_total;
    uint8_t *output;
    size_t output_left;
    uint64_t output_total;
};

/* libdw calls this for each piece of a symbol table in .gnu_debugdata, and for debug files. */
FOR_LIBRARIES int lzma_code(struct lzma_counts *stream, int action)
{
    enum { TOO_LARGE = 6 }; /* LZMA_MEMLIMIT_ERROR. */
    int (*replaced)(struct lzma_counts *, int);
    if (expands_too_much(stream->output_total, stream->input_total) || !find_replaced("lzma_code", &replaced))
        return TOO_LARGE;
    return replaced(stream, action);
}
