/* All around the timeline: findings, efficiencies, the table of regions, source lines, search, what is hovered over. */

const get = (id) => document.getElementById(id);
const { element, plural } = page;

function fillHead() {
    const { data } = page;
    const wall = data.end - data.begin;
    const groups = data.groups.filter((group) => !group.device).length;
    const all = page.hosts.members.length;
    get("title").textContent = data.title;
    document.title = `${data.title}: omptape`;
    get("about").textContent = `${groups > 1 ? `${plural(groups, "process")}, ` : ""}`
        + `${plural(data.threads, "thread")}${all > data.threads ? ` at once, ${all.toLocaleString("en")} in all` : ""}, ${page.time(wall)}, ${plural(data.events, "event")}`;
    get("verdict").textContent = data.verdict;
    if (data.banner && !get("banner"))
        get("verdict").before(Object.assign(element("p", data.banner, "hint"), { id: "banner" }));
    for (const warning of data.warnings.filter((text) => text !== data.banner))
        get("warnings").append(element("li", warning));
}

/* Where, in words. */
function placeOf({ between, place, before }) {
    if (!between)
        return place;
    if (place && before)
        return `between ${place} and ${before}`;
    return place ? `after ${place}` : `before ${before || "the end"}`;
}

/* So many that the timeline is on the first screen. */
const FIRST_FINDINGS = 6;

/* The list, and below it the word on those that are not shown. */
function showFindings(all) {
    const entries = [...get("findings").children];
    const left = all ? 0 : entries.length - FIRST_FINDINGS;
    entries.forEach((entry, number) => { entry.hidden = left > 1 && number >= FIRST_FINDINGS; });
    get("more").hidden = left <= 1;
    get("more").textContent = `${left} more`;
}

function fillFindings() {
    const { data } = page;
    const list = get("findings");
    const wall = data.end - data.begin || 1;
    data.findings.forEach((finding, number) => {
        const button = element("button");
        button.type = "button";
        const place = placeOf(finding);
        const head = element("span", undefined, "head");
        head.append(element("span", `${number + 1}. ${finding.kind}`));
        head.append(element("span", `${finding.known}${page.time(finding.gain)} (${page.percent(finding.gain / wall)})`, "gain"));
        button.append(head);
        if (place)
            button.append(Object.assign(element("span", page.middle(place, 100), "place"), { title: place }));
        button.append(element("span", finding.text, "why"));
        if (finding.proposal)
            button.append(element("span", `→ ${finding.proposal}`, "advice"));
        button.addEventListener("click", () => page.goToFinding(number));
        const entry = element("li");
        entry.append(button);
        list.append(entry);
    });
    if (data.findings.length === 0)
        list.append(element("li", "No finding is above 1 % of the wall time.", "none"));
    get("more").addEventListener("click", () => showFindings(true));
    showFindings(false);
}

function fillEfficiency() {
    for (const one of page.data.efficiency) {
        const box = element("div");
        const known = typeof one.value === "number";
        box.append(element("dt", one.name), element("dd", known ? page.percent(one.value) : "not known"));
        const bar = element("i");
        const filled = element("span");
        filled.style.width = `${100 * Math.min(1, known ? one.value : 0)}%`;
        bar.append(filled);
        box.append(bar);
        box.append(element("small", one.lost > 0 ? `${page.time(one.lost)} of thread time lost` : " "));
        get("efficiency").append(box);
    }
}

function fillLegend() {
    for (const plane of page.planes) {
        const entry = element("li");
        const colour = element("i");
        colour.style.background = page.colourOf(plane.bucket) || "var(--idle)";
        entry.append(colour, page.data.buckets[plane.bucket].name);
        get("legend").append(entry);
    }
    page.fillStateLegend(get("legend"));
    if (page.data.samples) {
        const entry = element("li");
        entry.append(element("i", undefined, "sample"), "sample");
        get("legend").append(entry);
    }
    const kinds = [...new Set(page.windows.flatMap((window) => window.arrows.map((one) => one.kind)))].sort((a, b) => a - b);
    const names = [...kinds.map((kind) => page.data.arrowKinds[kind].name), ...page.lives.map((one) => one.name)];
    for (const name of new Set(names)) {
        const entry = element("li");
        const line = document.createElementNS("http://www.w3.org/2000/svg", "svg");
        const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
        path.setAttribute("d", "M1 6H21M16 2l6 4-6 4");
        path.setAttribute("stroke-dasharray", (page.DASHES[name] || []).join(" "));
        line.setAttribute("viewBox", "0 0 23 12");
        line.setAttribute("aria-hidden", "true");
        line.append(path);
        entry.append(line, name);
        get("legend").append(entry);
    }
}

function fillLimits() {
    const { data } = page;
    const said = page.visible.length > 0 ? [] : ["The trace holds no events: there is no timeline."];
    if (!data.groups.some((group) => group.device))
        said.push("No devices.");
    if (data.curves.length === 0)
        said.push("No counters.");
    said.push(`A bin of the timeline is ${page.time(data.width)}: what is shorter shows as its share.`);
    if (data.single && data.events > 0 && (page.windows.length !== 1 || page.windows[0].cut || page.windows[0].begin > data.begin))
        said.push("Single events, of which there are too many here, are shown around the findings' worst instances.");
    get("limits").textContent = said.join(" ");
}

/* Choosing. */

/* A thread or stream, with its process where there are several. */
function nameOf(row) {
    const { rows: all, groups } = page.data;
    return `${all[row].name}${groups.length > 1 ? `, ${groups[all[row].group].name}` : ""}`;
}

function worstOf(finding) {
    const length = finding.end - finding.begin;
    const who = finding.row < 0 ? "" : `${finding.waitedFor ? "; waited for" : ", on"} ${nameOf(finding.row)}`;
    return `the worst instance, ${page.time(length)} at ${page.moment(finding.begin, length / 100 || 1e-6)}${who}`;
}

/* Of two regions with a line that in which threads worked longer. */
function worksMore(most, region, number, all) {
    const worked = ({ parts }) => parts.reduce((sum, part, bucket) => sum + (page.data.buckets[bucket].work ? part : 0), 0);
    return region.file && region.line > 0 && (most < 0 || worked(region) > worked(all[most])) ? number : most;
}

page.showChosen = function () {
    const { view, data } = page;
    page.selectRow(view.region);
    [...get("findings").querySelectorAll("button")].forEach((button, number) =>
        button.setAttribute("aria-pressed", String(number === view.finding)));
    const finding = data.findings[view.finding];
    const shown = finding || data.findings[0]; /* what costs most is what somebody wants to see first */
    const places = shown ? [shown.region, shown.beforeRegion] : [data.regions.reduce(worksMore, -1)];
    const place = places.find((region) => region >= 0);
    page.showSource(view.region >= 0 ? view.region : place === undefined ? -1 : place);
    if (view.finding >= FIRST_FINDINGS)
        showFindings(true);
    if (finding)
        get("kept").textContent = `Finding ${view.finding + 1}: ${worstOf(finding)}.`;
};

page.chooseRegion = function (number) {
    page.view.region = number;
    page.showChosen();
    page.showRow(number);
    page.changed();
};

/* Of a region's longest visits the first, or the next one of that to which it led last. */
page.goToLongest = function (number) {
    const { view, data } = page;
    const { label, longestVisits } = data.regions[number];
    const next = view.visit && view.visit.region === number ? (view.visit.at + 1) % longestVisits.length : 0;
    const [begin, length, row] = longestVisits[next];
    Object.assign(view, { visit: { region: number, at: next }, finding: -1, region: -1, inside: number });
    showAround(row, begin, begin + length);
    view.cursor = begin + length / 2;
    page.showChosen();
    page.showSource(number);
    const which = next === 0 ? "the longest visit" : `number ${next + 1} of the longest visits`;
    get("kept").textContent = `${label}: ${which}, ${page.time(length, 4)} at ${page.moment(begin, length / 100 || 1e-6)} on ${nameOf(row)}.`
        + (longestVisits.length > 1 ? " Again: the next longest." : "");
};

/* The row, if there is one, and the time with as much again around it. */
function showAround(row, begin, end) {
    const around = 0.6 * Math.max(end - begin, 50 * page.data.tick);
    if (row >= 0) {
        page.view.row = page.revealRow(row);
        page.showRows();
        page.keepRowInSight();
    }
    page.setRange(begin - around, end + around);
}

page.goToFinding = function (number) {
    const finding = page.data.findings[number];
    const length = Math.max(finding.end - finding.begin, 50 * page.data.tick);
    const inside = finding.between ? -1 : finding.region;
    Object.assign(page.view, { finding: number, region: -1, inside, visit: undefined });
    page.showChosen();
    showAround(finding.row, finding.begin, finding.begin + length);
    get("stage").scrollIntoView({ block: "nearest" });
};

page.keepRowInSight = function () {
    const { view } = page;
    page.layout();
    const top = page.visible.indexOf(view.row) * page.place.row;
    if (top < view.scroll)
        view.scroll = top;
    if (top + page.place.row > view.scroll + page.place.shown)
        view.scroll = top + page.place.row - page.place.shown;
};

page.enterSearch = function (text) {
    const { regions, row } = page.search(text);
    if (regions.length > 0) {
        page.chooseRegion(regions[0]);
    } else if (row >= 0) {
        page.view.row = page.revealRow(row);
        page.showRows();
        page.keepRowInSight();
        page.changed();
    }
};

const MAX_SHOWN = 4;

function tellStretch(one, stretch, time) {
    const { data } = page;
    const plane = page.planes[stretch.plane];
    const states = page.tellStates(one, stretch.from, stretch.to);
    /* Computing is on a processor: of single events that is not known. */
    const lacks = plane.work && states && page.stateShares(one, stretch.from, stretch.to)[0] < 0.9;
    const bucket = lacks ? "at work" : data.buckets[plane.bucket].name;
    const arrows = page.arrowsOf(one.members[0], stretch);
    return [one.label, stretch.region >= 0 ? data.regions[stretch.region].label : "in no region",
        `${bucket} for ${page.time(stretch.to - stretch.from, 4)}`,
        stretch.iterations > 0 ? plural(stretch.iterations, "iteration") : "",
        `from ${page.moment(stretch.from, data.tick)}`,
        states, page.tellState(one.members[0], time), page.tellSample(one.members[0], time),
        page.tellLife(one.members[0], time, 2 * (page.view.end - page.view.begin) / (page.place.right - page.place.left)),
        ...arrows.slice(0, MAX_SHOWN), arrows.length > MAX_SHOWN ? `and ${arrows.length - MAX_SHOWN} more arrows` : ""].filter(Boolean).join("\n");
}

/* What is under the pointer, or at the cursor, as text. */
page.tell = function (one, time) {
    const { data, view, place } = page;
    if (one.curve !== undefined) {
        const curve = data.curves[one.curve];
        return `${one.label}\n${(page.curveAt(one.curve, time) || 0).toLocaleString("en")} ${curve.unit} at ${page.moment(time, data.width)}`;
    }
    const pixel = (view.end - view.begin) / (place.right - place.left);
    if (one.kind === "other") {
        const states = page.tellState(one.members[0], time)
            || `${page.tellStates(one, time - pixel / 2, time + pixel / 2) || "not known"} at ${page.moment(time, data.width)}`;
        return [one.label, "a thread of the program that neither OpenMP nor MPI knows", page.tellLife(one.members[0], time, pixel), states]
            .filter(Boolean).join("\n");
    }
    const stretch = one.members.length === 1 ? page.stretchAt(one.members[0], time) : undefined;
    if (stretch && stretch.to - stretch.from > 2 * pixel)
        return tellStretch(one, stretch, time);
    const about = page.topRegions(one, time - pixel / 2, time + pixel / 2);
    const shares = page.shares(one, about.begin, about.end)
        .map((share, i) => [share, data.buckets[page.planes[i].bucket].name]).filter(([share]) => share > 0)
        .sort((a, b) => b[0] - a[0]).map(([share, name]) => `${name} ${page.percent(share)}`);
    const regions = about.regions.map(({ region, share }) => `${page.percent(share)} in ${data.regions[region].label}`);
    const name = one.members.length === 1 ? nameOf(one.members[0]) : one.label;
    const single = one.members.length === 1 ? [page.tellState(one.members[0], time), page.tellSample(one.members[0], time),
        page.tellLife(one.members[0], time, 2 * pixel)] : [];
    return [name, `${page.moment(about.begin, data.width / 10)}, for ${page.time(about.end - about.begin)}`,
        shares.join(", ") || "not there", page.tellStates(one, about.begin, about.end), ...single, ...regions].filter(Boolean).join("\n");
};

/* For those who cannot see the canvas. */
page.describe = function () {
    const { view, data } = page;
    const [from, to] = [view.begin, view.end].map((time) => page.moment(time, (view.end - view.begin) / 1000));
    get("range").textContent = `${from} to ${to} (${page.time(view.end - view.begin)})${page.arrowsHidden ? ", arrows when zoomed in" : ""}`;
    const about = page.hosts.members.length > 0 ? page.shares(page.hosts, view.begin, view.end) : [];
    const shares = about.map((share, i) => `${data.buckets[page.planes[i].bucket].name} ${page.percent(share)}`);
    get("description").textContent = `Timeline of ${plural(page.visible.length, "row")} from ${from} to ${to}. `
        + `All threads: ${[...shares, page.tellStates(page.hosts, view.begin, view.end)].filter(Boolean).join(", ")}. `
        + "The arrow keys move a cursor, and what is at it is read out.";
    get("timeline").setAttribute("aria-label", `${data.title}, ${from} to ${to}`);
};

page.fillPanels = function () {
    fillHead();
    fillFindings();
    fillEfficiency();
    fillLegend();
    fillLimits();
    page.fillTable();
    page.showSource(-1);
};
