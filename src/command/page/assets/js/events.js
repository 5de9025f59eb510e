/* Single events, where there are some: the stretches of a window, and its arrows. They are drawn as shares too when
 * they are shorter than a pixel. */

page.readWindows = function (data) {
    page.windows = data.windows.map((window) => {
        const rows = new Map();
        for (let i = 0; i < window.row.length; i++) {
            const plane = page.planes.findIndex((one) => one.bucket === window.bucket[i]);
            const from = window.begin + window.from[i] * data.tick;
            const list = rows.get(window.row[i]) || [];
            const to = from + window.length[i] * data.tick;
            list.push({ plane, region: window.region[i], from, to, iterations: window.iterations[i] });
            rows.set(window.row[i], list);
        }
        const arrows = window.arrows.map(([kind, fromRow, from, toRow, to]) => (
            { kind, fromRow, from: window.begin + from * data.tick, toRow, to: window.begin + to * data.tick }))
            .filter((one) => one.fromRow >= 0 && one.toRow >= 0 && one.from < window.end);
        return { begin: window.begin, end: window.end, cut: window.cut, rows, states: page.readStates(window, data), arrows };
    });
};

/* Who created a thread that OpenMP does not know, and who waited for its end: from row to row, and as text. */
page.readLives = function (data) {
    page.lives = data.rows.flatMap((row, number) => [
        { name: "thread created", out: "creates", in: "created by", fromRow: row.creator, from: row.begin, toRow: number, to: row.begin },
        { name: "thread awaited", out: "awaited by", in: "awaited the end of", fromRow: number, from: row.end, toRow: row.joiner, to: row.end },
    ]).filter((one) => one.fromRow >= 0 && one.toRow >= 0);
};

/* The life of a row's thread, and those of the threads that it creates or awaits within `slack` of this time. */
page.tellLife = function (row, time, slack) {
    const { rows, width } = page.data;
    const of = page.lives.filter((one) => (rows[row].other && [one.fromRow, one.toRow].includes(row))
        || ([one.fromRow, one.toRow].includes(row) && Math.abs(one.from - time) <= slack));
    const told = of.map((one) => `${one.fromRow === row ? `${one.out} ${rows[one.toRow].name}` : `${one.in} ${rows[one.fromRow].name}`} at ${page.moment(one.from, width)}`);
    const alone = rows[row].ended && rows[row].joiner === undefined ? [`ended at ${page.moment(rows[row].end, width)}`] : [];
    return [...told, ...alone].join("\n");
};

/* How an arrow's line is drawn: lengths of dashes and gaps. What is not named here has none. */
page.DASHES = { "waiting for": [3, 3], "thread created": [1, 3], "thread awaited": [1, 3], fork: [1, 3], "task dependence": [7, 3] };

/* The first of the stretches, which are in order, that ends after this time. */
page.firstAfter = function (list, time) {
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
};

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
    const stretch = list[page.firstAfter(list, time)];
    return stretch && stretch.from <= time ? stretch : undefined;
};

/* Of the columns' work the shares that lacked a processor, by plane. Single events do not know; the bins do. */
function lacksOf(shares, first, last) {
    const named = (name) => page.planes.findIndex((plane) => page.data.buckets[plane.bucket].name === name);
    const lacks = ["blocked", "runnable"].map(named).filter((plane) => plane >= 0);
    const work = ["computing", "serial"].map(named).filter((plane) => plane >= 0);
    const parts = lacks.map(() => new Float32Array(last));
    for (let x = first; x < last; x++) {
        const all = [...work, ...lacks].reduce((sum, plane) => sum + shares[plane][x], 0);
        lacks.forEach((plane, i) => { parts[i][x] = all > 0 ? shares[plane][x] / all : 0; });
    }
    return { lacks, work, parts };
}

/* The work of the columns is divided as `lacked` says. */
function moveLacks(shares, first, last, { lacks, work, parts }) {
    for (let x = first; x < last; x++) {
        const rest = parts.reduce((sum, part) => sum - part[x], 1);
        const all = work.reduce((sum, plane) => sum + shares[plane][x], 0);
        lacks.forEach((plane, i) => { shares[plane][x] += all * parts[i][x]; });
        work.forEach((plane) => { shares[plane][x] *= rest; });
    }
}

/* Puts the shares of single events into the pixel columns that a window covers whole. A column's whole is 1. */
page.columnsOfEvents = function (row, pixels, shares) {
    const { view } = page;
    const step = (view.end - view.begin) / pixels;
    for (const window of page.windows) {
        const list = window.rows.get(row);
        if (!list)
            continue;
        /* What the row did before or after all of these, and goes on doing, is in the bins alone. */
        const [earliest, latest] = [list[0].from, list[list.length - 1].to];
        const first = Math.max(0, Math.ceil((Math.max(window.begin, earliest) - view.begin) / step));
        const last = Math.min(pixels, Math.floor((Math.min(window.end, latest) - view.begin) / step));
        if (first >= last)
            continue;
        const lacked = lacksOf(shares, first, last);
        shares.forEach((plane) => plane.fill(0, first, last));
        const begin = view.begin + first * step;
        const end = view.begin + last * step;
        for (let i = page.firstAfter(list, begin); i < list.length && list[i].from < end; i++) {
            const from = (Math.max(begin, list[i].from) - view.begin) / step;
            const to = (Math.min(end, list[i].to) - view.begin) / step;
            for (let x = Math.floor(from); x < to && x < last; x++)
                if (list[i].plane >= 0)
                    shares[list[i].plane][x] += Math.min(to, x + 1) - Math.max(from, x);
        }
        moveLacks(shares, first, last, lacked);
    }
};

function visibleStretches(row) {
    const { view } = page;
    return page.windows.flatMap((window) => {
        const list = window.rows.get(row) || [];
        const found = [];
        for (let i = page.firstAfter(list, view.begin); i < list.length && list[i].from < view.end && found.length < 400; i++)
            found.push(list[i]);
        return found;
    });
}

/* Pixels that a stretch needs for a short name, and for what is left of a long one to say something. */
const MIN_NAME = 34;
const WHOLE_NAME = 96;

/* Names in what is wide enough, and where one stretch ends and the next begins. */
page.drawStretches = function (context, look) {
    const { place, data } = page;
    if (place.bar < 12)
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
            context.fillRect(left, top + 2, 1, place.bar - 2);
            if (width < MIN_NAME || stretch.region < 0 || page.view.region >= 0)
                continue;
            const { label } = data.regions[stretch.region];
            const text = page.clipped(context, label, width - 8);
            if (text !== label && width < WHOLE_NAME)
                continue;
            context.fillStyle = look.onColour(stretch.plane);
            context.fillText(text, left + 4, top + place.bar / 2 + 1);
        }
    });
};

/* An arrow from one row at one time to another, over what is there. */
function arrow(context, look, from, to, dashes) {
    const angle = Math.atan2(to.y - from.y, to.x - from.x);
    context.beginPath();
    context.moveTo(from.x, from.y);
    context.lineTo(to.x, to.y);
    context.globalAlpha = 0.5;
    context.lineWidth = 3.5;
    context.strokeStyle = look.panel;
    context.stroke();
    context.globalAlpha = 1;
    context.lineWidth = 1.2;
    context.strokeStyle = look.text;
    context.setLineDash(dashes);
    context.stroke();
    context.setLineDash([]);
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
                found.set(row, page.topOf(index) + page.place.bar / 2);
    });
    return found;
}

const within = (time, stretch) => time >= stretch.from - page.data.tick / 2 && time <= stretch.to + page.data.tick / 2;
const begins = (one, row, stretch) => one.fromRow === row && within(one.from, stretch);
const ends = (one, row, stretch) => one.toRow === row && within(one.to, stretch);
const belongs = (one, row, stretch) => begins(one, row, stretch) || ends(one, row, stretch);

/* The arrows that begin or end in the stretch of this row, as text. */
page.arrowsOf = function (row, stretch) {
    const { data } = page;
    const window = page.windowAt((stretch.from + stretch.to) / 2);
    return (window ? window.arrows : []).filter((one) => belongs(one, row, stretch)).map((one) => {
        const kind = data.arrowKinds[one.kind];
        return begins(one, row, stretch) ? `${kind.out} ${data.rows[one.toRow].name}` : `${kind.in} ${data.rows[one.fromRow].name}`;
    });
};

/* From each thread that waited in the finding's worst instance to the one that it waited for. At barriers the archive says
 * who that was; else it is the one that cost most. */
function waitingArrows(finding) {
    const window = page.windowAt((finding.begin + finding.end) / 2);
    if (!window || finding.row < 0 || !finding.waitedFor)
        return [];
    const waiting = page.data.arrowKinds.findIndex((kind) => kind.name === "waiting for");
    const told = window.arrows.filter((one) => one.kind === waiting && one.to > finding.begin && one.from < finding.end);
    const known = new Set(told.map((one) => one.fromRow));
    const guessed = [];
    window.rows.forEach((list, row) => {
        let most;
        for (const stretch of list) {
            const waits = stretch.plane >= 0 && !page.planes[stretch.plane].work && page.colourOf(page.planes[stretch.plane].bucket);
            const length = Math.min(stretch.to, finding.end) - Math.max(stretch.from, finding.begin);
            if (waits && length > (finding.end - finding.begin) / 20 && (!most || length > most.length))
                most = { length, from: Math.max(stretch.from, finding.begin), to: Math.min(stretch.to, finding.end) };
        }
        if (most && row !== finding.row && !known.has(row))
            guessed.push({ kind: waiting, fromRow: row, from: most.from, toRow: finding.row, to: most.to });
    });
    return [...told.filter((one) => one.toRow === finding.row), ...guessed];
}

const nameOfArrow = (one) => one.name || page.data.arrowKinds[one.kind].name;
const MAX_ARROWS = 120; /* more would hide what they lead to */
const APART = 12; /* pixels */

/* Where its ends are drawn. Of waiting it begins in the middle: where it begins others may begin, too. */
function endsOf(one) {
    const waits = nameOfArrow(one) === "waiting for";
    return { from: page.xAt(waits ? (one.from + one.to) / 2 : one.from), to: page.xAt(one.to) };
}

/* Without those that would lie upon another one between the same rows: it says the same. */
function thinned(arrows) {
    const drawn = new Map();
    return arrows.filter((one) => {
        const key = [nameOfArrow(one), one.fromRow, one.toRow].join();
        const place = endsOf(one);
        const others = drawn.get(key) || [];
        if (others.some((other) => Math.abs(other.from - place.from) < APART && Math.abs(other.to - place.to) < APART))
            return false;
        drawn.set(key, [...others, place]);
        return true;
    });
}

/* Those of which both ends are in sight, if they are not too many, and those of what is kept or chosen. */
page.visibleArrows = function (rows = middles()) {
    const { view, data } = page;
    const drawn = (one) => rows.has(one.fromRow) && rows.has(one.toRow) && rows.get(one.fromRow) !== rows.get(one.toRow);
    const all = [...page.windows.flatMap((window) => window.arrows), ...page.lives].filter(drawn);
    const [row] = view.row && view.row.members.length === 1 ? view.row.members : [];
    const kept = row !== undefined && view.cursor !== undefined ? page.stretchAt(row, view.cursor) : undefined;
    const finding = data.findings[view.finding];
    const chosen = [...(kept ? all.filter((one) => belongs(one, row, kept)) : []), ...(finding ? waitingArrows(finding).filter(drawn) : [])];
    const first = thinned(chosen.slice(0, MAX_ARROWS));
    const whole = thinned([...first, ...all.filter((one) => one.from >= view.begin && one.to <= view.end)]);
    page.arrowsHidden = whole.length > MAX_ARROWS;
    return page.arrowsHidden ? first : whole;
};

page.drawArrows = function (context, look) {
    const rows = middles();
    context.fillStyle = look.text;
    for (const one of page.visibleArrows(rows)) {
        const { from, to } = endsOf(one);
        arrow(context, look, { x: from, y: rows.get(one.fromRow) }, { x: to, y: rows.get(one.toRow) }, page.DASHES[nameOfArrow(one)] || []);
    }
};
