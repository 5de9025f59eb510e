/* Single events, where there are some: the stretches of a window, and its arrows. They are drawn as shares too when
 * they are shorter than a pixel. */

page.readWindows = function (facts) {
    page.windows = facts.windows.map((window) => {
        const rows = new Map();
        for (let i = 0; i < window.row.length; i++) {
            const plane = page.planes.findIndex((one) => one.bucket === window.bucket[i]);
            const from = window.begin + window.from[i] * facts.tick;
            const list = rows.get(window.row[i]) || [];
            const to = from + window.length[i] * facts.tick;
            list.push({ plane, region: window.region[i], from, to, iterations: window.iterations[i] });
            rows.set(window.row[i], list);
        }
        const arrows = window.arrows.map(([kind, fromRow, from, toRow, to]) => (
            { kind, fromRow, from: window.begin + from * facts.tick, toRow, to: window.begin + to * facts.tick }));
        return { begin: window.begin, end: window.end, cut: window.cut, rows, arrows };
    });
};

/* The first of the stretches, which are in order, that ends after this time. */
function firstAfter(list, time) {
    let low = 0;
    let high = list.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle].to > time)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The window with this moment in it; of several the shortest. */
page.windowAt = function (time) {
    let found;
    for (const window of page.windows)
        if (time >= window.begin && time <= window.end && (!found || window.end - window.begin < found.end - found.begin))
            found = window;
    return found;
};

page.stretchAt = function (row, time) {
    const window = page.windowAt(time);
    const list = (window && window.rows.get(row)) || [];
    const stretch = list[firstAfter(list, time)];
    return stretch && stretch.from <= time ? stretch : undefined;
};

/* Puts the shares of single events into the pixel columns that a window covers whole. A column's whole is 1. Windows
 * have nothing of devices. */
page.columnsOfEvents = function (row, pixels, shares) {
    const { view } = page;
    const step = (view.end - view.begin) / pixels;
    for (const window of page.windows) {
        const list = window.rows.get(row);
        const first = Math.max(0, Math.ceil((window.begin - view.begin) / step));
        const last = Math.min(pixels, Math.floor((window.end - view.begin) / step));
        if (!list || first >= last)
            continue;
        shares.forEach((plane) => plane.fill(0, first, last));
        const begin = view.begin + first * step;
        const end = view.begin + last * step;
        for (let i = firstAfter(list, begin); i < list.length && list[i].from < end; i++) {
            const from = (Math.max(begin, list[i].from) - view.begin) / step;
            const to = (Math.min(end, list[i].to) - view.begin) / step;
            for (let x = Math.floor(from); x < to && x < last; x++)
                if (list[i].plane >= 0)
                    shares[list[i].plane][x] += Math.min(to, x + 1) - Math.max(from, x);
        }
    }
};

function visibleStretches(row) {
    const { view } = page;
    return page.windows.flatMap((window) => {
        const list = window.rows.get(row) || [];
        const found = [];
        for (let i = firstAfter(list, view.begin); i < list.length && list[i].from < view.end && found.length < 400; i++)
            found.push(list[i]);
        return found;
    });
}

/* Names in what is wide enough, and where one stretch ends and the next begins. */
page.drawStretches = function (context, look) {
    const { place, facts } = page;
    if (place.row < 12)
        return;
    const pixel = (page.view.end - page.view.begin) / (place.right - place.left);
    page.visible.forEach((one, index) => {
        const top = page.topOf(index);
        if (one.members.length !== 1 || top + place.row < 0 || top > place.height)
            return;
        for (const stretch of visibleStretches(one.members[0])) {
            if (stretch.to - stretch.from < 4 * pixel)
                continue;
            const left = Math.max(place.left, page.xAt(stretch.from));
            const width = Math.min(place.right, page.xAt(stretch.to)) - left;
            context.fillStyle = look.panel;
            context.fillRect(left, top + 2, 1, place.row - 2);
            if (width < 46 || stretch.region < 0 || page.view.region >= 0)
                continue;
            const text = page.clipped(context, facts.regions[stretch.region].label, width - 8);
            context.fillStyle = look.onColour(stretch.plane);
            context.fillText(text, left + 4, top + place.row / 2 + 1);
        }
    });
};

/* An arrow from one row at one time to another. */
function arrow(context, from, to) {
    const angle = Math.atan2(to.y - from.y, to.x - from.x);
    context.beginPath();
    context.moveTo(from.x, from.y);
    context.lineTo(to.x, to.y);
    context.stroke();
    context.beginPath();
    context.moveTo(to.x, to.y);
    context.lineTo(to.x - 8 * Math.cos(angle - 0.4), to.y - 8 * Math.sin(angle - 0.4));
    context.lineTo(to.x - 8 * Math.cos(angle + 0.4), to.y - 8 * Math.sin(angle + 0.4));
    context.fill();
}

function middles() {
    const found = new Map();
    page.visible.forEach((one, index) => {
        if (!one.open)
            for (const row of one.members)
                found.set(row, page.topOf(index) + page.place.row / 2);
    });
    return found;
}

/* From each thread that waited in the finding's worst instance to the one that it waited for. */
function waitingArrows(finding) {
    const window = page.windowAt((finding.begin + finding.end) / 2);
    const arrows = [];
    if (!window || finding.row < 0)
        return arrows;
    window.rows.forEach((list, row) => {
        let most;
        for (const stretch of list) {
            const waits = stretch.plane >= 0 && !page.planes[stretch.plane].work && page.COLOURS[page.planes[stretch.plane].bucket];
            const length = Math.min(stretch.to, finding.end) - Math.max(stretch.from, finding.begin);
            if (waits && length > (finding.end - finding.begin) / 20 && (!most || length > most.length))
                most = { length, middle: Math.max(stretch.from, finding.begin) + length / 2, end: Math.min(stretch.to, finding.end) };
        }
        if (most && row !== finding.row)
            arrows.push({ fromRow: row, from: most.middle, toRow: finding.row, to: most.end });
    });
    return arrows;
}

const MOST_ARROWS = 120; /* more would hide what they lead to */

page.drawArrows = function (context, look) {
    const { view, facts } = page;
    const rows = middles();
    const seen = (one) => one.to >= view.begin && one.from <= view.end && one.fromRow !== one.toRow && rows.has(one.fromRow) && rows.has(one.toRow);
    const lead = (list) => {
        for (const one of list)
            arrow(context, { x: page.xAt(one.from), y: rows.get(one.fromRow) }, { x: page.xAt(one.to), y: rows.get(one.toRow) });
    };
    const finding = facts.findings[view.finding];
    context.lineWidth = 1;
    context.strokeStyle = look.text;
    context.fillStyle = look.text;
    const others = page.windows.flatMap((window) => window.arrows.filter(seen));
    if (others.length <= MOST_ARROWS)
        lead(others);
    if (finding)
        lead(waitingArrows(finding).filter(seen).slice(0, MOST_ARROWS));
};
