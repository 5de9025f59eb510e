/* Draws the timeline: how many threads computed, a ruler, and a row for each item, every pixel divided by its shares.
 * Pixels are written to memory; only what is visible is looked at. */

const COLOURS = {
    "computing": "#009e73", "serial": "#0072b2", "blocked": "#999999", "runnable": "#8c510a", "barrier": "#e69f00", "task wait": "#f0e442",
    "lock": "#d55e00", "task management": "#cc79a7", "transfer": "#56b4e9", "target": "#882255", "MPI": "#6a3d9a",
};

/* "": idle, which has the page's own. */
page.colourOf = (bucket) => COLOURS[page.data.buckets[bucket].name] || "";
const GUTTER = 172;
const CURVE = 46;
const RULER = 20;
const MARKS = 9; /* room for the marks of the first row */
const HEAD = CURVE + RULER + MARKS;
const MIN_ROW = 5;
const MAX_ROW = 64;
const BAR = 10;
const LABEL = 13; /* a label's height: what is nearer to another one is left out */
const ALL_LANE = 6;

const look = {};

function style(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function packed(colour, toward, part) {
    const read = (text) => [1, 3, 5].map((at) => parseInt((text.length === 4 ? text.replace(/(\w)/g, "$1$1") : text).slice(at, at + 2), 16));
    const [one, other] = [read(colour), read(toward)];
    const [r, g, b] = one.map((value, i) => Math.round(value * (1 - part) + other[i] * part));
    return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
}

/* Again when the theme changes. */
page.readColours = function () {
    for (const name of ["back", "text", "faint", "line", "panel", "accent", "idle", "running", "runnable"])
        look[name] = style(`--${name}`);
    look.states = {};
    for (const [state, colour] of [["running", look.running], ["runnable", look.runnable], ["blocked", look.faint]])
        look.states[state] = packed(colour, look.panel, 0);
    const hex = page.planes.map((plane) => page.colourOf(plane.bucket) || look.idle);
    look.hex = hex;
    look.plain = hex.map((colour) => packed(colour, look.panel, 0));
    look.hatch = hex.map((colour, i) => packed(colour, look.panel, page.planes[i].work || !page.colourOf(page.planes[i].bucket) ? 0 : 0.45));
    look.dim = hex.map((colour) => packed(colour, look.panel, 0.78));
    /* White on what is dark, black on what is light. */
    look.onColour = (plane) => {
        if (hex[plane] === look.idle)
            return look.text;
        return ["#0072b2", "#882255", "#6a3d9a", "#8c510a"].includes(hex[plane]) ? "#fff" : "#000";
    };
    look.lit = packed(look.text, look.panel, 0);
    look.empty = packed(look.panel, look.panel, 0);
};

page.layout = function () {
    const canvas = document.getElementById("timeline");
    const width = canvas.parentElement.clientWidth;
    const most = Math.max(260, Math.round(window.innerHeight * 0.62));
    const room = most - HEAD;
    const height = Math.max(MIN_ROW, Math.min(MAX_ROW, Math.floor(room / page.visible.length)));
    const all = page.visible.length * height;
    const shown = Math.min(room, all);
    const lane = page.laneOf(height);
    const left = Math.min(GUTTER, Math.round(width * 0.3));
    page.place = { width, height: HEAD + shown + 2, row: height, lane, bar: height - lane, shown, all, left, right: width - BAR };
    page.view.scroll = Math.max(0, Math.min(page.view.scroll, all - shown));
    const scale = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(page.place.height * scale)) {
        canvas.width = Math.round(width * scale);
        canvas.height = Math.round(page.place.height * scale);
        canvas.style.height = `${page.place.height}px`;
    }
    return { canvas, scale };
};

page.timeAt = function (x) {
    const { view, place } = page;
    return view.begin + (x - place.left) / (place.right - place.left) * (view.end - view.begin);
};

page.xAt = function (time) {
    const { view, place } = page;
    return place.left + (time - view.begin) / (view.end - view.begin) * (place.right - place.left);
};

page.itemAt = function (y) {
    const { place, view } = page;
    if (y < HEAD || y >= HEAD + place.shown)
        return undefined;
    return page.visible[Math.floor((y - HEAD + view.scroll) / place.row)];
};

page.topOf = (index) => HEAD + index * page.place.row - page.view.scroll;

/* For each pixel column of the time range the first bin and the one after the last, at this level. */
function columns(pixels, level) {
    const { view, data } = page;
    const width = data.width * 2 ** level;
    const count = data.bins >> level;
    const step = (view.end - view.begin) / pixels;
    const first = new Int32Array(pixels);
    const last = new Int32Array(pixels);
    const whole = new Float32Array(pixels);
    for (let x = 0; x < pixels; x++) {
        first[x] = Math.max(0, Math.min(count - 1, Math.floor((view.begin + x * step) / width)));
        last[x] = Math.min(count, Math.max(first[x] + 1, Math.floor((view.begin + (x + 1) * step) / width)));
        whole[x] = 255 * 2 ** level * (last[x] - first[x]);
    }
    return { first, last, whole, level, hatched: width >= 4 * step };
}

function sums(cells, bins, x) {
    let sum = 0;
    for (let bin = bins.first[x]; bin < bins.last[x]; bin++)
        sum += cells[bin];
    return sum;
}

/* The shares of one item: for each plane one of 1 for each pixel column. */
function sharesOf(one, bins) {
    const pixels = bins.first.length;
    const shares = page.series(one, bins.level).map((cells) => {
        const line = new Float32Array(pixels);
        for (let x = 0; x < pixels; x++)
            line[x] = sums(cells, bins, x) / bins.whole[x];
        return line;
    });
    if (one.members.length === 1 && page.view.region < 0)
        page.columnsOfEvents(one.members[0], pixels, shares);
    return shares;
}

/* Stacks them from the bottom of its row. */
function drawItem(image, one, bins, top, height) {
    const shares = sharesOf(one, bins);
    const { region } = page.view;
    const lit = region >= 0 ? page.regionSeries(one, bins.level, region) : undefined;
    const colours = lit ? look.dim : look.plain;
    const hatched = lit ? look.dim : look.hatch;
    for (let x = 0; x < bins.first.length; x++) {
        let sum = 0;
        let y = height;
        for (let i = 0; i < shares.length; i++) {
            sum += shares[i][x];
            const until = Math.max(0, height - Math.round(sum * height));
            for (; y > until; y--) {
                const line = top + y - 1;
                if (line >= 0 && line < image.height)
                    image.pixels[line * image.width + x] = bins.hatched && (x + line) % 7 < 2 ? hatched[i] : colours[i];
            }
        }
        const share = lit ? sums(lit, bins, x) / bins.whole[x] : 0;
        /* What is too small to see is never invisible. */
        const until = share > 0 ? Math.max(0, Math.min(height - 1, height - Math.round(share * height))) : height;
        for (y = until; y < height; y++)
            if (top + y >= 0 && top + y < image.height)
                image.pixels[(top + y) * image.width + x] = look.lit;
    }
}

function drawRows(context, scale) {
    const { place, view } = page;
    const pixels = Math.max(1, Math.round((place.right - place.left) * scale));
    const data = context.createImageData(pixels, Math.round(place.shown * scale) || 1);
    const image = { pixels: new Uint32Array(data.data.buffer), width: pixels, height: data.height };
    image.pixels.fill(look.empty);
    const bins = columns(pixels, page.levelFor((view.end - view.begin) / pixels));
    const gap = place.row > 8 ? 2 : place.row > 5 ? 1 : 0;
    page.visible.forEach((one, index) => {
        const top = Math.round((page.topOf(index) - HEAD + gap) * scale);
        const height = Math.round((place.bar - gap) * scale);
        const lane = Math.round(place.lane * scale);
        if (top + height + lane <= 0 || top >= image.height || one.members.length === 0)
            return;
        if (one.kind === "other") {
            page.drawLane(image, one, bins, top, height + lane, look.states, sums);
            return;
        }
        drawItem(image, one, bins, top, height);
        if (lane > 0)
            page.drawLane(image, one, bins, top + height + 1, lane - 1, look.states, sums);
    });
    context.putImageData(data, Math.round(place.left * scale), Math.round(HEAD * scale));
}

const mostOf = (one) => page.data.curves[one.curve].values.reduce((most, value) => Math.max(most, value), 0) || 1;

function drawLabels(context) {
    const { place, view } = page;
    const every = Math.max(1, Math.ceil(LABEL / place.row));
    const chosen = page.visible.indexOf(view.row);
    context.save();
    context.beginPath();
    context.rect(0, HEAD, place.left, place.shown);
    context.clip();
    context.textBaseline = "middle";
    page.visible.forEach((one, index) => {
        const top = page.topOf(index);
        if (top + place.row < HEAD || top > HEAD + place.shown)
            return;
        if (one === view.row) {
            context.fillStyle = look.line;
            context.fillRect(0, top, place.left, place.row);
        }
        const near = chosen >= 0 && Math.abs(index - chosen) * place.row < LABEL;
        if (one !== view.row && (index % every !== 0 || near))
            return;
        const sign = one.children.length > 0 ? (one.open ? "▾ " : "▸ ") : "";
        const left = 6 + 10 * one.depth;
        context.fillStyle = look.text;
        const hasScale = one.curve !== undefined && place.row > 2 * LABEL;
        const middle = Math.max(top + place.row / 2, index === 0 ? HEAD + 6 : 0) + 1 - (hasScale ? 7 : 0); /* low rows: the first label has room */
        context.fillText(page.clipped(context, sign + one.label, place.left - left - 6), left, middle);
        if (hasScale) {
            const { unit } = page.data.curves[one.curve];
            context.fillStyle = look.faint;
            context.fillText(page.clipped(context, `0 to ${page.amount(mostOf(one), unit)}`, place.left - left - 6), left, middle + 15);
        }
    });
    context.restore();
}

/* 1, 2 or 5 times a power of ten, so that at most so many fit. */
function stepFor(length, most) {
    const rough = length / most;
    const power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= rough);
}

function drawRuler(context) {
    const { view, place } = page;
    const step = stepFor(view.end - view.begin, Math.max(1, Math.min(11, (place.right - place.left) / 70)));
    context.textBaseline = "middle";
    context.textAlign = "center";
    const { zero } = page.data;
    const first = Math.ceil((view.begin - zero) / step);
    /* So far from zero that one step more is no other number: there are no more marks than that. */
    for (let i = 0; i <= 11 && (first + i) * step + zero <= view.end; i++) {
        const time = (first + i) * step + zero;
        const x = page.xAt(time);
        context.fillStyle = look.line;
        context.fillRect(Math.round(x), CURVE, 1, RULER);
        context.fillStyle = look.faint;
        if (x > place.left + 30 && x < place.right - 30)
            context.fillText(page.moment(time, step), x, CURVE + RULER / 2);
    }
    context.textAlign = "left";
    context.fillStyle = look.faint;
    context.fillText("time", 6, CURVE + RULER / 2);
}

/* Where rows are too low for lanes there is one below the curve: of all threads. */
function drawAllStates(context, scale) {
    const { place, view } = page;
    const pixels = Math.max(1, Math.round((place.right - place.left) * scale));
    const data = context.createImageData(pixels, Math.round(ALL_LANE * scale));
    const image = { pixels: new Uint32Array(data.data.buffer), width: pixels, height: data.height };
    image.pixels.fill(look.empty);
    page.drawLane(image, page.hosts, columns(pixels, page.levelFor((view.end - view.begin) / pixels)), 0, data.height, look.states, sums);
    context.putImageData(data, Math.round(place.left * scale), Math.round((HEAD - ALL_LANE - 2) * scale));
}

/* How many threads computed, of those that there are at once. */
function drawComputing(context) {
    const { place, view } = page;
    const pixels = Math.max(1, Math.round(place.right - place.left));
    const bins = columns(pixels, page.levelFor((view.end - view.begin) / pixels));
    const hosts = page.hosts.members.length;
    const series = hosts > 0 ? page.series(page.hosts, bins.level).filter((cells, i) => page.planes[i].work) : [];
    const computing = [...bins.whole].map((whole, x) => hosts * series.reduce((sum, cells) => sum + sums(cells, bins, x), 0) / whole);
    /* Of threads that live one after the other never all compute. */
    const most = Math.min(hosts, computing.reduce((one, other) => Math.max(one, Math.ceil(other)), page.data.threads));
    context.fillStyle = COLOURS.computing;
    computing.forEach((threads, x) => {
        const height = threads / (most || 1) * (CURVE - 6);
        context.fillRect(place.left + x, CURVE - height, 1, height);
    });
    context.fillStyle = look.text;
    context.textBaseline = "middle";
    context.fillText(page.clipped(context, "threads computing", place.left - 12), 6, CURVE / 2 - 7);
    context.fillStyle = look.faint;
    context.fillText(`0 to ${most.toLocaleString("en")}`, 6, CURVE / 2 + 8);
}

function drawCurves(context) {
    const { place } = page;
    page.visible.forEach((one, index) => {
        const top = page.topOf(index);
        if (one.curve === undefined || top < HEAD || top >= HEAD + place.shown)
            return;
        const most = mostOf(one);
        context.fillStyle = look.accent;
        for (let x = place.left; x < place.right; x++) {
            const height = (page.curveAt(one.curve, page.timeAt(x)) || 0) / most * (place.row - 3);
            context.fillRect(x, top + place.row - height, 1, height);
        }
    });
}

/* The findings' numbers beside their triangles, those of one place together. */
function drawNumbers(context, marks) {
    let last;
    for (const mark of marks.sort((a, b) => a.top - b.top || a.at - b.at)) {
        if (last && last.top === mark.top && mark.at < last.at + 10 + context.measureText(last.text).width)
            last.text += `, ${mark.text}`;
        else
            last = mark;
        mark.drawn = last === mark;
    }
    context.lineWidth = 3;
    context.strokeStyle = look.panel;
    for (const { text, at, top } of marks.filter((mark) => mark.drawn)) {
        context.strokeText(text, at + 8, top - 3);
        context.fillText(text, at + 8, top - 3);
    }
}

/* Where findings cost most: a triangle above the row, and a frame around what it is. */
function drawMarks(context) {
    const { data, place, view } = page;
    const marks = [];
    data.findings.forEach((finding, number) => {
        const index = page.visible.findIndex((one) => one.members.includes(finding.row) && (!one.open || one.children.length === 0));
        if (index < 0 || finding.end < view.begin || finding.begin > view.end)
            return;
        const top = page.topOf(index);
        if (top < HEAD - 1 || top >= HEAD + place.shown)
            return;
        const left = Math.max(place.left, page.xAt(finding.begin));
        const right = Math.max(left + 2, Math.min(place.right, page.xAt(finding.end)));
        const middle = Math.max(place.left, Math.min(place.right, (left + right) / 2));
        context.strokeStyle = number === view.finding ? look.text : look.faint;
        context.lineWidth = number === view.finding ? 2 : 1;
        context.strokeRect(left, top + 0.5, right - left, place.row - 1);
        context.fillStyle = look.text;
        context.beginPath();
        context.moveTo(middle, top + 3);
        context.lineTo(middle - 6, top - 6);
        context.lineTo(middle + 6, top - 6);
        context.fill();
        marks.push({ text: String(number + 1), at: middle, top });
    });
    drawNumbers(context, marks);
}

function drawFrame(context) {
    const { place, view } = page;
    context.fillStyle = look.line;
    context.fillRect(place.left - 1, 0, 1, place.height);
    context.fillRect(0, HEAD - 1, place.width, 1);
    if (view.row) {
        const index = page.visible.indexOf(view.row);
        context.strokeStyle = look.accent;
        context.lineWidth = 1;
        if (index >= 0 && page.topOf(index) >= HEAD - 1)
            context.strokeRect(place.left + 0.5, page.topOf(index) + 0.5, place.right - place.left - 1, place.row - 1);
    }
    if (view.cursor !== undefined && view.cursor >= view.begin && view.cursor <= view.end) {
        context.fillStyle = look.text;
        context.fillRect(Math.round(page.xAt(view.cursor)), CURVE, 1, place.height - CURVE);
    }
    if (view.choice) {
        context.globalAlpha = 0.25;
        context.fillStyle = look.accent;
        const [from, to] = view.choice.map(page.xAt);
        context.fillRect(Math.min(from, to), 0, Math.abs(to - from), place.height);
        context.globalAlpha = 1;
    }
    if (place.all > place.shown) {
        context.fillStyle = look.faint;
        const length = Math.max(20, place.shown * place.shown / place.all);
        context.fillRect(place.right + 3, HEAD + view.scroll / (place.all - place.shown) * (place.shown - length), 5, length);
    }
}

page.draw = function () {
    const began = performance.now();
    const { canvas, scale } = page.layout();
    const context = canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = look.panel;
    context.fillRect(0, 0, canvas.width, canvas.height);
    drawRows(context, scale);
    if (page.states.length > 0 && page.place.lane === 0 && page.hosts.members.length > 0)
        drawAllStates(context, scale);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "left";
    drawComputing(context);
    drawRuler(context);
    drawLabels(context);
    context.save();
    context.beginPath();
    context.rect(page.place.left, CURVE, page.place.right - page.place.left, page.place.height - CURVE);
    context.clip();
    drawCurves(context);
    page.drawArrows(context, look);
    page.drawStretches(context, look);
    page.drawTicks(context, look);
    drawMarks(context);
    context.restore();
    drawFrame(context);
    page.drawPhases(look, scale);
    page.describe();
    page.showCommand();
    page.refreshHover();
    page.drawn = performance.now() - began;
    page.drawnFirst = page.drawnFirst || performance.now();
};

let asked = false;

page.requestDraw = function () {
    if (asked)
        return;
    asked = true;
    requestAnimationFrame(() => {
        asked = false;
        page.draw();
    });
};
