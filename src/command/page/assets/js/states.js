/* The lane below a thread's row: what the kernel says of it. On a processor is filled, runnable hatched with an outline,
 * blocked empty with a dotted base line; each pixel is divided by its shares. */

page.STATES = ["on a processor", "runnable", "blocked"];
const [RUNNING, RUNNABLE, BLOCKED] = [0, 1, 2];
const MIN_LANE = 3;
const MAX_LANE = 12;

/* How high it is in a row of this height: 0, there is no room for it. */
page.laneOf = function (row) {
    return page.states.length === 0 || row < 9 ? 0 : Math.max(MIN_LANE, Math.min(MAX_LANE, Math.round(row * 0.22)));
};

/* From the top of a part of the lane: the outline's line, and one pixel of four within. */
function isHatched(x, y, height) {
    return y === 0 || y === height - 1 || (x + y) % 4 === 0;
}

/* Of single events, where a window has some. */
page.readStates = function (window, data) {
    const rows = new Map();
    const { row = [], from, length, running, runnable } = window.states || {};
    row.forEach((number, i) => {
        const begin = window.begin + from[i] * data.tick;
        const shares = [running[i] / 1000, runnable[i] / 1000, (1000 - running[i] - runnable[i]) / 1000];
        rows.set(number, rows.get(number) || []);
        rows.get(number).push({ from: begin, to: begin + length[i] * data.tick, shares });
    });
    return rows;
};

/* Puts single states into the pixel columns that a window covers with them. */
function columnsOfStates(row, pixels, lines) {
    const { view } = page;
    const step = (view.end - view.begin) / pixels;
    for (const window of page.windows) {
        const list = window.states.get(row);
        if (!list)
            continue;
        const covered = [Math.max(window.begin, list[0].from), Math.min(window.end, list[list.length - 1].to)];
        const first = Math.max(0, Math.ceil((covered[0] - view.begin) / step));
        const last = Math.min(pixels, Math.floor((covered[1] - view.begin) / step));
        lines.forEach((line) => line.fill(0, first, Math.max(first, last)));
        const begin = view.begin + first * step;
        for (let i = page.firstAfter(list, begin); i < list.length && list[i].from < view.begin + last * step; i++) {
            const from = Math.max(0, (list[i].from - view.begin) / step - first) + first;
            const to = Math.min(last, (list[i].to - view.begin) / step);
            for (let x = Math.floor(from); x < to; x++)
                lines.forEach((line, state) => { line[x] += list[i].shares[state] * (Math.min(to, x + 1) - Math.max(from, x)); });
        }
    }
}

/* The shares of one item's states for each pixel column; `sums`: of a plane's cells for a column. */
function linesOf(one, bins, sums) {
    const pixels = bins.first.length;
    const lines = page.stateSeries(one, bins.level).map((cells) => Float32Array.from(bins.first, (_, x) => sums(cells, bins, x) / bins.whole[x]));
    if (one.members.length === 1)
        columnsOfStates(one.members[0], pixels, lines);
    return lines;
}

page.drawLane = function (image, one, bins, top, height, colours, sums) {
    const lines = linesOf(one, bins, sums);
    const put = (x, y, colour) => {
        if (top + y >= 0 && top + y < image.height)
            image.pixels[(top + y) * image.width + x] = colour;
    };
    for (let x = 0; x < bins.first.length; x++) {
        const running = Math.round(lines[RUNNING][x] * height);
        const runnable = Math.min(height - running, Math.round(lines[RUNNABLE][x] * height));
        if (lines[BLOCKED][x] > 0.5 && x % 4 < 2)
            put(x, height - 1, colours.blocked);
        for (let y = 0; y < running; y++)
            put(x, height - 1 - y, colours.running);
        for (let y = 0; y < runnable; y++)
            if (isHatched(x, y, runnable))
                put(x, height - running - runnable + y, colours.runnable);
    }
};

/* "on a processor 40 %, blocked 60 %"; "": nothing is known of that time. */
page.tellStates = function (one, begin, end) {
    if (one.members.length === 0)
        return "";
    return page.stateShares(one, begin, end).map((share, i) => (share >= 0.005 ? `${page.STATES[i]} ${page.percent(share)}` : ""))
        .filter(Boolean).join(", ");
};

const WHOLLY = 0.95; /* a share of a state that is nearly the only one */

/* "blocked for 3.21 ms, from 0.1234 s": the state at this time, if it was the only one there; else "". */
page.tellState = function (row, time) {
    const window = page.windowAt(time);
    const list = (window && window.states.get(row)) || [];
    const found = list[page.firstAfter(list, time)];
    const state = found && found.from <= time ? found.shares.findIndex((share) => share >= WHOLLY) : -1;
    return state < 0 ? "" : `${page.STATES[state]} for ${page.time(found.to - found.from, 4)}, from ${page.moment(found.from, 1e-6)}`;
};

page.fillStateLegend = function (list) {
    if (page.states.length > 0)
        list.append(page.element("li", "lane:"));
    page.STATES.slice(0, page.states.length).forEach((name) => {
        const entry = page.element("li");
        entry.append(page.element("i", undefined, name.split(" ").pop()), name);
        list.append(entry);
    });
};
