/* What is looked at: the time range, the rows that are open, what is chosen. All of it is in the URL's fragment. */

page.view = { begin: 0, end: 1, scroll: 0, row: undefined, region: -1, finding: -1, inside: -1, cursor: undefined };

page.limits = function () {
    const { data } = page;
    const end = Math.max(data.end, data.begin + data.tick * 100);
    return { begin: data.begin, end };
};

/* No shorter than some ticks, and within the trace. */
page.setRange = function (begin, end) {
    const limits = page.limits();
    const whole = limits.end - limits.begin;
    const length = Math.min(whole, Math.max(end - begin, 20 * page.data.tick));
    const middle = (begin + end) / 2;
    let from = end - begin < length ? middle - length / 2 : begin;
    from = Math.min(Math.max(from, limits.begin), limits.end - length);
    page.view.begin = from;
    page.view.end = from + length;
    page.changed();
};

/* Zooms, and keeps the time where it is. */
page.zoom = function (factor, time) {
    const { view } = page;
    const limits = page.limits();
    const length = Math.min((view.end - view.begin) * factor, limits.end - limits.begin);
    const part = (time - view.begin) / (view.end - view.begin);
    page.setRange(time - part * length, time - part * length + length);
};

page.move = function (part) {
    const { view } = page;
    const step = part * (view.end - view.begin);
    page.setRange(view.begin + step, view.end + step);
};

function openIds() {
    const ids = [];
    page.everyItem((one) => {
        if (one.open !== one.openedFirst)
            ids.push((one.open ? "" : "-") + one.id);
    });
    return ids;
}

function fragment() {
    const { view } = page;
    const { zero } = page.data;
    const parts = [`t=${(view.begin - zero).toFixed(9)},${(view.end - zero).toFixed(9)}`];
    const ids = openIds();
    if (ids.length > 0)
        parts.push(`rows=${ids.join(",")}`);
    if (view.scroll > 0)
        parts.push(`y=${Math.round(view.scroll)}`);
    if (view.row)
        parts.push(`row=${view.row.id}`);
    if (view.region >= 0)
        parts.push(`region=${view.region}`);
    if (view.inside >= 0)
        parts.push(`inside=${view.inside}`);
    if (view.finding >= 0)
        parts.push(`finding=${view.finding + 1}`);
    return `#${parts.join("&")}`;
}

let timer = 0;
let written;

/* One frame for each input event; the fragment follows when it is quiet. */
page.changed = function () {
    page.requestDraw();
    page.requestInside();
    clearTimeout(timer);
    timer = setTimeout(() => {
        written = fragment();
        history.replaceState(null, "", written);
    }, 120);
};

function number(text, least, most, otherwise) {
    const value = text === undefined ? NaN : Number(text);
    return value >= least && value <= most ? value : otherwise;
}

/* From the fragment; what is not understood is passed over. */
page.restore = function () {
    if (location.hash === written)
        return;
    const { view, data } = page;
    const said = Object.fromEntries(location.hash.slice(1).split("&").map((part) => part.split("=")));
    const items = new Map();
    page.everyItem((one) => {
        items.set(one.id, one);
        one.openedFirst = one.openedFirst === undefined ? one.open : one.openedFirst;
        one.open = one.openedFirst;
    });
    for (const id of (said.rows || "").split(",")) {
        const one = items.get(id.replace("-", ""));
        if (one)
            one.open = !id.startsWith("-");
    }
    page.showRows();
    view.row = items.get(said.row);
    view.region = number(said.region, 0, data.regions.length - 1, -1);
    view.inside = number(said.inside, 0, data.regions.length - 1, -1);
    view.finding = number(said.finding, 1, data.findings.length, 0) - 1;
    view.scroll = number(said.y, 0, 1e7, 0);
    const limits = page.limits();
    const [begin, end] = (said.t || "").split(",")
        .map((text) => number(text, limits.begin - data.zero - data.tick, limits.end - data.zero + data.tick));
    if (begin !== undefined && end !== undefined && end > begin)
        page.setRange(begin + data.zero, end + data.zero);
    else
        page.setRange(limits.begin, limits.end);
};
