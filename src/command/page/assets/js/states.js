/* The lane below a thread's row: what the kernel says of it. On a processor is filled, runnable hatched with an outline,
 * blocked empty with a dotted base line; each pixel is divided by its shares. */

page.STATES = ["on a processor", "runnable", "blocked"];
const [RUNNING, RUNNABLE, BLOCKED] = [0, 1, 2];
const LEAST_LANE = 3;
const MOST_LANE = 12;

/* How high it is in a row of this height: 0, there is no room for it. */
page.laneOf = function (row) {
    return page.states.length === 0 || row < 9 ? 0 : Math.max(LEAST_LANE, Math.min(MOST_LANE, Math.round(row * 0.22)));
};

/* From the top of a part of the lane: the outline's line, and one pixel of four within. */
function isHatched(x, y, height) {
    return y === 0 || y === height - 1 || (x + y) % 4 === 0;
}

/* `sums`: of a plane's cells for a pixel column. */
page.drawLane = function (image, one, bins, top, height, colours, sums) {
    const states = page.stateSeries(one, bins.level);
    const put = (x, y, colour) => {
        if (top + y >= 0 && top + y < image.height)
            image.pixels[(top + y) * image.width + x] = colour;
    };
    for (let x = 0; x < bins.first.length; x++) {
        const shares = states.map((cells) => sums(cells, bins, x) / bins.whole[x]);
        const running = Math.round(shares[RUNNING] * height);
        const runnable = Math.min(height - running, Math.round(shares[RUNNABLE] * height));
        if (shares[BLOCKED] > 0.5 && x % 4 < 2)
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

page.fillStateLegend = function (list) {
    if (page.states.length > 0)
        list.append(page.element("li", "lane:"));
    page.STATES.slice(0, page.states.length).forEach((name) => {
        const entry = page.element("li");
        entry.append(page.element("i", undefined, name.split(" ").pop()), name);
        list.append(entry);
    });
};
