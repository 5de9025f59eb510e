/* Sums of bins. An item of the timeline stands for one row of bins or for several (a folded process). Each level's
 * bins are two of the level below; a level is made when it is first needed. */

/* Level 0 of one plane: a row's own bytes, or the mean of several rows. */
function lowest(item, cells) {
    const { bins } = page.data;
    if (item.members.length === 1)
        return cells.subarray(item.members[0] * bins, (item.members[0] + 1) * bins);
    const mean = new Float32Array(bins);
    for (const row of item.members) {
        const from = row * bins;
        for (let bin = 0; bin < bins; bin++)
            mean[bin] += cells[from + bin];
    }
    for (let bin = 0; bin < bins; bin++)
        mean[bin] /= item.members.length;
    return mean;
}

/* A byte is at most 255 and there are eight levels: sums of bytes fit into 16 bits. */
function halve(below) {
    const made = below instanceof Float32Array ? new Float32Array(below.length / 2) : new Uint16Array(below.length / 2);
    for (let bin = 0; bin < made.length; bin++)
        made[bin] = below[2 * bin] + below[2 * bin + 1];
    return made;
}

function levelOf(levels, level, make) {
    if (levels[0] === undefined)
        levels[0] = make();
    for (let i = 1; i <= level; i++)
        levels[i] = levels[i] || halve(levels[i - 1]);
    return levels[level];
}

/* The item's bins of this level: an array for each plane. A bin's values are shares of 255 * 2^level. */
page.series = function (item, level) {
    item.levels = item.levels || page.planes.map(() => []);
    return page.planes.map((plane, i) => levelOf(item.levels[i], level, () => lowest(item, plane.cells)));
};

/* The same of the states: on a processor, runnable, blocked. What is none of them the kernel did not tell. */
page.stateSeries = function (item, level) {
    item.stateLevels = item.stateLevels || page.states.map(() => []);
    return page.states.map((cells, i) => levelOf(item.stateLevels[i], level, () => lowest(item, cells)));
};

/* Makes the levels of all rows in sight while nothing else happens, so that no zoom has to wait for them. */
page.prepare = function () {
    const { visible } = page;
    let next = 0;
    const step = () => {
        const until = performance.now() + 8;
        while (next < visible.length && performance.now() < until) {
            if (visible[next].members.length > 0)
                [page.series, page.stateSeries].forEach((series) => series(visible[next], page.levelFor(Infinity)));
            next++;
        }
        if (next < visible.length && visible === page.visible)
            setTimeout(step);
    };
    setTimeout(step);
};

/* The same of the time spent in one region itself; a loop's chunks belong to the loop. */
page.regionSeries = function (item, level, region) {
    if (item.litRegion !== region) {
        item.litRegion = region;
        item.lit = [];
    }
    return levelOf(item.lit, level, () => {
        const { bins } = page.data;
        const mean = new Float32Array(bins);
        const wanted = new Uint8Array(page.data.regions.length + 1);
        page.data.regions.forEach((one, number) => {
            wanted[number + 1] = number === region || one.whole === region ? 1 : 0;
        });
        for (const row of item.members)
            for (const top of page.tops)
                for (let bin = 0, at = row * bins; bin < bins; bin++, at++)
                    if (wanted[top.low[at] + 256 * top.high[at]] === 1)
                        mean[bin] += top.share[at] / item.members.length;
        return mean;
    });
};

/* The coarsest level whose bins are no longer than this. */
page.levelFor = function (seconds) {
    const { width, levels, bins } = page.data;
    let level = 0;
    while (level + 1 < levels && bins >> (level + 1) >= 2 && width * 2 ** (level + 1) <= seconds)
        level++;
    return level;
};

/* The bins of this level from one time to another. */
function binsOf(begin, end, level) {
    const { bins, width } = page.data;
    const step = width * 2 ** level;
    const first = Math.min((bins >> level) - 1, Math.max(0, Math.floor(begin / step)));
    return { first, last: Math.min(bins >> level, Math.max(first + 1, Math.ceil(end / step))), step };
}

function sharesOf(series, item, begin, end) {
    const level = page.levelFor((end - begin) / 500);
    const { first, last } = binsOf(begin, end, level);
    return series(item, level).map((cells) => {
        let sum = 0;
        for (let bin = first; bin < last; bin++)
            sum += cells[bin];
        return sum / (255 * 2 ** level * (last - first));
    });
}

/* What the item did from `begin` to `end`: shares of the time by plane, and by state. */
page.shares = (item, begin, end) => sharesOf(page.series, item, begin, end);
page.stateShares = (item, begin, end) => sharesOf(page.stateSeries, item, begin, end);

/* A curve's value at this time: a value holds until the next one. Undefined: there was none. */
page.curveAt = function (number, time) {
    const { first, values } = page.data.curves[number];
    const bin = Math.floor(time / (page.data.width * page.data.bins / page.data.curveBins)) - first;
    return bin < 0 ? undefined : values[Math.min(bin, values.length - 1)];
};

/* The regions in which it was most of the time; of a short time, since all its bins are looked at. */
page.topRegions = function (item, begin, end) {
    const { bins } = page.data;
    const { first, last, step } = binsOf(begin, end, 0);
    const regions = new Map();
    for (const row of item.members)
        for (const top of page.tops)
            for (let bin = first, at = row * bins + first; bin < last; bin++, at++) {
                const region = top.low[at] + 256 * top.high[at];
                if (region > 0 && top.share[at] > 0)
                    regions.set(region - 1, (regions.get(region - 1) || 0) + top.share[at]);
            }
    const whole = 255 * (last - first) * item.members.length;
    const order = [...regions].sort((a, b) => b[1] - a[1]).slice(0, 3);
    return { begin: first * step, end: last * step, regions: order.map(([region, sum]) => ({ region, share: sum / whole })) };
};
