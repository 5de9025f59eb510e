/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs `omptape top` in a terminal: an update each second on the alternate screen, controlled by keys. The
 * escape sequences are those that all current terminals support (ECMA-48), so no library is needed. The
 * terminal's state is restored however the command ends.
 */
#include "src/command/top/state.h"

#include "src/core/clock.h"
#include "src/core/message.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { MIN_LINES = 2, DEFAULT_LINES = 24 };

/* Lines are not wrapped, so that a line longer than a narrow terminal does not move the others. */
static const char enter_screen[] = "\033[?1049h\033[?25l\033[?7l";
static const char leave_screen[] = "\033[?7h\033[?25h\033[?1049l";
static const char keys_text[] = "q quit  f freeze  s sort (%s)  t threads  n/p process  o order (%s)";
static const char *const sort_texts[TOP_SORTS] = {
    [TOP_BY_TIME] = "time", [TOP_BY_WAITING] = "waiting", [TOP_BY_VISITS] = "visits"};

static struct termios usual;
static volatile sig_atomic_t ends;    /* number of the signal */
static volatile sig_atomic_t resized; /* the terminal was resized or the process continued */

/* Both may be called in a signal handler. */
static void enter(void)
{
    struct termios raw = usual;
    raw.c_lflag &= ~(tcflag_t)(ECHO | ICANON);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    (void)tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    (void)!write(STDOUT_FILENO, enter_screen, sizeof(enter_screen) - 1);
}

static void leave(void)
{
    (void)tcsetattr(STDIN_FILENO, TCSANOW, &usual);
    (void)!write(STDOUT_FILENO, leave_screen, sizeof(leave_screen) - 1);
}

static void on_end(int signal)
{
    ends = signal;
}

static void on_change(int signal)
{
    const int error = errno;
    if (signal == SIGCONT)
        enter();
    resized = 1;
    errno = error;
}

/* Handler of the stop signal: restores the terminal and then stops the process. */
static void on_stop(int signal)
{
    const int error = errno;
    (void)signal;
    leave();
    (void)kill(getpid(), SIGSTOP);
    errno = error;
}

static void on_crash(int signal)
{
    leave();
    (void)raise(signal);
}

static void handle(int signal, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    (void)sigaction(signal, &action, NULL);
}

static void handle_signals(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
        handle(ending[i], on_end, 0);
    for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
        handle(crashes[i], on_crash, (int)SA_RESETHAND | SA_NODEFER);
    handle(SIGWINCH, on_change, 0);
    handle(SIGCONT, on_change, 0);
    handle(SIGTSTP, on_stop, 0);
}

static unsigned screen_lines(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0)
        return DEFAULT_LINES;
    return size.ws_row > MIN_LINES ? size.ws_row : MIN_LINES;
}

/* Redraws the screen. Each line and the rest are cleared after the new text, which avoids flicker. */
static void show(struct top *top)
{
    char *text = NULL;
    size_t bytes = 0;
    char keys[sizeof(keys_text) + 32];
    struct screen screen = screen_for(STDOUT_FILENO);
    const unsigned lines = screen_lines();
    (void)snprintf(keys, sizeof(keys), keys_text, sort_texts[top->sort], top->by_work ? "work" : "rank");
    screen.out = open_memstream(&text, &bytes);
    if (screen.out == NULL)
        return;
    top_sort_processes(top);
    top_print(top, &screen, lines - 1);
    if (fclose(screen.out) == 0) {
        fputs("\033[H", stdout);
        for (const char *at = text; *at != '\0'; at++)
            if (*at == '\n')
                fputs("\033[K\r\n", stdout);
            else
                fputc(*at, stdout);
        printf("\033[J\033[%u;1H%.*s", lines, (int)screen.width - 1, keys);
        (void)fflush(stdout);
    }
    free(text);
}

/* Handles a key. Returns false if it ends the command. */
static bool obey(struct top *top, char key)
{
    switch (key) {
    case 'q':
    case 'Q':
        return false;
    case 'f':
    case ' ':
        top->is_frozen = !top->is_frozen;
        break;
    case 's':
        top->sort = (enum top_sort)((top->sort + 1) % TOP_SORTS);
        break;
    case 't':
        top->shows_threads = !top->shows_threads;
        break;
    case 'o':
        top->by_work = !top->by_work;
        top_sort_processes(top);
        top->chosen = 0;
        break;
    case 'n':
        top->chosen = (top->chosen + 1) % top->count;
        break;
    case 'p':
        top->chosen = (top->chosen + top->count - 1) % top->count;
        break;
    default:
        break;
    }
    return true;
}

/* Handles the keys pressed. Returns false if the command ends or the terminal is closed. */
static bool read_keys(struct top *top, bool *pressed)
{
    char keys[64];
    struct pollfd look = {.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(&look, 1, 0) <= 0)
        return true;
    const ssize_t n = read(STDIN_FILENO, keys, sizeof(keys));
    if (n <= 0)
        return n < 0 && (errno == EINTR || errno == EAGAIN);
    *pressed = true;
    for (ssize_t i = 0; i < n; i++)
        if (!obey(top, keys[i]))
            return false;
    return true;
}

/* Waits until the next update is due. Returns false if the command ends. */
static bool wait_for_next(struct top *top, uint64_t until, bool *answered)
{
    bool pressed = false;
    while (ends == 0) {
        const uint64_t now = omptape_clock_raw_ns();
        if (now >= until) {
            /* A process has not answered. */
            if (!*answered && !top->is_frozen)
                show(top);
            return true;
        }
        const bool complete = top_wait(top, (int)((until - now) / 1000000) + 1, STDIN_FILENO);
        if (complete && !*answered && !top->is_frozen) {
            *answered = true;
            show(top);
        }
        if (!read_keys(top, &pressed))
            return false;
        if (pressed || resized != 0)
            show(top);
        pressed = false;
        resized = 0;
    }
    return false;
}

static void run(struct top *top)
{
    bool continues = true;
    show(top);
    while (continues && top_is_alive(top)) {
        bool answered = false;
        const uint64_t now = omptape_clock_raw_ns();
        if (!top->is_frozen)
            top_ask(top);
        continues = wait_for_next(top, now + top->interval_ns, &answered);
    }
}

int top_run_in_terminal(struct top *top)
{
    if (tcgetattr(STDIN_FILENO, &usual) != 0) {
        omptape_message("top: %s", omptape_cause(-errno));
        return 1;
    }
    handle_signals();
    enter();
    run(top);
    leave();
    if (ends != 0) {
        handle(ends, SIG_DFL, 0);
        (void)raise(ends);
    }
    return 0;
}
