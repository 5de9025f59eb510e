/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the page (page.h): the text of the template, in which each {{NAME}} is replaced by its content.
 */
#include "src/command/page/page.h"
#include "src/command/text/units.h"
#include "src/core/whole.h"

#include <zlib.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int write_plain(FILE *out, const char *text)
{
    return fputs(text, out) < 0 ? -EIO : 0;
}

static int write_text(FILE *out, const struct page *page)
{
    xml_quote(out, page->text);
    return 0;
}

static int write_script(FILE *out, const struct page *page)
{
    (void)page;
    return write_plain(out, (const char *)page_js);
}

static int write_data(FILE *out, const struct page *page)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    struct page_block *block = page_block_begin(out);
    if (memory != NULL) {
        page_write_data(memory, page);
        bool good = !ferror(memory);
        good = fclose(memory) == 0 && good;
        bytes = good ? bytes : 0;
    }
    int status = -ENOMEM;
    if (block != NULL) {
        page_block_add(block, text, bytes);
        status = page_block_end(block);
    }
    free(text);
    return bytes == 0 ? -ENOMEM : status;
}

static int write_bins(FILE *out, const struct page *page)
{
    return page_bins(out, page->pyramid);
}

static int write_samples(FILE *out, const struct page *page)
{
    if (!page_has_samples(page->samples))
        return 0;
    fputs("\n<script type=\"text/plain\" id=\"samples\">", out);
    int status = page_samples_block(out, page->samples);
    return status == 0 ? write_plain(out, "</script>") : status;
}

static const struct {
    const char *name;
    int (*write)(FILE *out, const struct page *page);
} parts[] = {
    {"{{TEXT}}", write_text}, {"{{SCRIPT}}", write_script},   {"{{DATA}}", write_data},
    {"{{BINS}}", write_bins}, {"{{SAMPLES}}", write_samples},
};

/* Writes the content for the {{NAME}} at *at and advances *at past it. */
static int write_part(FILE *out, const struct page *page, const char **at)
{
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        size_t length = strlen(parts[i].name);
        if (strncmp(*at, parts[i].name, length) == 0) {
            *at += length;
            return parts[i].write(out, page);
        }
    }
    return -EINVAL;
}

/* Up to FEW_EVENTS the page shows every event. */
enum { FEW_EVENTS = 10000, MAX_FINDINGS = 12 };

void page_choose_windows(struct omptape_windows *windows, const struct omptape_analysis *analysis, bool whole)
{
    if (whole || analysis->events <= FEW_EVENTS) {
        omptape_windows_add(windows, analysis->begin, analysis->begin, omptape_plus(analysis->end, 1));
        return;
    }
    for (uint32_t i = 0; i < analysis->finding_count && i < MAX_FINDINGS; i++) {
        const struct omptape_finding *finding = &analysis->findings[i];
        uint64_t begin = finding->worst.begin > analysis->begin ? finding->worst.begin : analysis->begin;
        uint64_t end = finding->worst.end < analysis->end ? finding->worst.end : analysis->end;
        uint64_t around = end > begin ? (end - begin) / 2 : 0;
        if (end > begin)
            omptape_windows_add(windows, begin - analysis->begin > around ? begin - around : analysis->begin,
                                begin, analysis->end - end > around ? end + around : analysis->end);
    }
}

int page_write(FILE *out, const void *input)
{
    const struct page *page = input;
    const char *at = (const char *)page_html;
    struct page with_samples = *page;
    int status = 0;
    with_samples.samples = page_samples_new(page->pyramid);
    if (with_samples.samples == NULL)
        return -ENOMEM;
    page_head(out, page->title);
    for (const char *next = strstr(at, "{{"); status == 0 && next != NULL; next = strstr(at, "{{")) {
        fwrite(at, 1, (size_t)(next - at), out);
        at = next;
        status = write_part(out, &with_samples, &at);
    }
    if (status == 0)
        status = write_plain(out, at);
    page_samples_free(with_samples.samples);
    return status == 0 && ferror(out) ? -EIO : status;
}

/* Base64 encodes three bytes as four characters, so a multiple of three needs no padding. */
enum { OUT_BYTES = 3 * 4096, LEVEL = 6, MAX_AT_ONCE = 1 << 30 };

struct page_block {
    FILE *out;
    z_stream stream;
    bool failed;
    unsigned char packed[OUT_BYTES];
};

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void write_base64(FILE *out, const unsigned char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 3) {
        unsigned second = i + 1 < bytes ? data[i + 1] : 0;
        unsigned third = i + 2 < bytes ? data[i + 2] : 0;
        unsigned all = (unsigned)data[i] << 16 | second << 8 | third;
        const char four[4] = {digits[all >> 18], digits[all >> 12 & 63],
                              i + 1 < bytes ? digits[all >> 6 & 63] : '=',
                              i + 2 < bytes ? digits[all & 63] : '='};
        fwrite(four, 1, sizeof(four), out);
    }
}

struct page_block *page_block_begin(FILE *out)
{
    struct page_block *block = calloc(1, sizeof(*block));
    if (block == NULL)
        return NULL;
    block->out = out;
    if (deflateInit(&block->stream, LEVEL) != Z_OK) {
        free(block);
        return NULL;
    }
    block->stream.next_out = block->packed;
    block->stream.avail_out = OUT_BYTES;
    return block;
}

static void pack(struct page_block *block, int flush)
{
    int status;
    do {
        status = deflate(&block->stream, flush);
        block->failed = block->failed || status == Z_STREAM_ERROR;
        if (block->stream.avail_out == 0) {
            write_base64(block->out, block->packed, OUT_BYTES);
            block->stream.next_out = block->packed;
            block->stream.avail_out = OUT_BYTES;
        }
    } while (!block->failed && (flush == Z_FINISH ? status != Z_STREAM_END : block->stream.avail_in > 0));
}

void page_block_add(struct page_block *block, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    while (bytes > 0) {
        size_t now = bytes < MAX_AT_ONCE ? bytes : MAX_AT_ONCE;
        block->stream.next_in = (Bytef *)(uintptr_t)at;
        block->stream.avail_in = (uInt)now;
        pack(block, Z_NO_FLUSH);
        at += now;
        bytes -= now;
    }
}

int page_block_end(struct page_block *block)
{
    pack(block, Z_FINISH);
    write_base64(block->out, block->packed, OUT_BYTES - block->stream.avail_out);
    deflateEnd(&block->stream);
    int status = block->failed ? -ENOMEM : 0;
    if (ferror(block->out))
        status = -EIO;
    free(block);
    return status;
}
