/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the build embedded of assets/ (cmake/EmbedPage.cmake): UTF-8 texts that end with a zero. Constant
 * data.
 */
#ifndef OMPTAPE_COMMAND_PAGE_ASSETS_H
#define OMPTAPE_COMMAND_PAGE_ASSETS_H

extern const unsigned char omptape_page_html[];
extern const unsigned char omptape_page_css[];
extern const unsigned char omptape_page_js[];

#endif
