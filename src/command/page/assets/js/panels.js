/* All around the timeline: findings, efficiencies, the table of regions, source lines, search, what is hovered over. */

const get = (id) => document.getElementById(id);
const { element } = page;

function plural(count, what) {
    const ending = what.endsWith("s") ? "es" : "s";
    return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : ending}`;
}

function fillHead() {
    const { facts } = page;
    const wall = facts.end - facts.begin;
    const groups = facts.groups.filter((group) => !group.device).length;
    get("title").textContent = facts.title;
    document.title = `${facts.title}: omptape`;
    get("about").textContent = `${groups > 1 ? `${plural(groups, "process")}, ` : ""}`
        + `${plural(page.hosts.members.length, "thread")}, ${page.time(wall)}, ${plural(facts.events, "event")}`;
    get("verdict").textContent = facts.verdict;
    for (const warning of facts.warnings)
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
    const { facts } = page;
    const list = get("findings");
    const wall = facts.end - facts.begin || 1;
    facts.findings.forEach((finding, number) => {
        const button = element("button");
        button.type = "button";
        const place = placeOf(finding);
        const head = element("span", undefined, "head");
        head.append(element("span", `${number + 1} ${finding.kind}`));
        head.append(element("span", `${page.time(finding.gain)} (${page.percent(finding.gain / wall)})`, "gain"));
        button.append(head);
        if (place)
            button.append(element("span", place, "place"));
        button.append(element("span", finding.text, "why"));
        if (finding.proposal)
            button.append(element("span", `→ ${finding.proposal}`, "advice"));
        button.addEventListener("click", () => page.goToFinding(number));
        const entry = element("li");
        entry.append(button);
        list.append(entry);
    });
    if (facts.findings.length === 0)
        list.append(element("li", "No finding is above 1 % of the wall time.", "none"));
    get("more").addEventListener("click", () => showFindings(true));
    showFindings(false);
}

function fillEfficiency() {
    for (const one of page.facts.efficiency) {
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
        colour.style.background = page.COLOURS[plane.bucket] || "var(--idle)";
        entry.append(colour, page.facts.buckets[plane.bucket].name);
        get("legend").append(entry);
    }
    const kinds = new Set(page.windows.flatMap((window) => window.arrows.map((one) => one.kind)));
    for (const kind of [...kinds].sort((a, b) => a - b)) {
        const { name } = page.facts.arrowKinds[kind];
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
    const { facts } = page;
    const said = page.visible.length > 0 ? [] : ["The trace holds no events: there is no timeline."];
    if (!facts.groups.some((group) => group.device))
        said.push("No devices.");
    if (facts.curves.length === 0)
        said.push("No counters.");
    said.push(`A bin of the timeline is ${page.time(facts.width)}: what is shorter shows as its share.`);
    if (facts.events > 0 && (page.windows.length !== 1 || page.windows[0].cut || page.windows[0].begin > facts.begin))
        said.push("Single events, of which there are too many here, are shown around the findings' worst instances; a page that is"
            + " made with --from and --to shows those of that time.");
    // Options are not broken at their hyphens.
    get("limits").replaceChildren(...said.join(" ").split(/(--[a-z]+)/).map((part) => {
        return part.startsWith("--") ? element("code", part) : part;
    }));
}

/* The table of regions. */

const COLUMNS = [
    { name: "region", value: (region) => region.label, text: true },
    { name: "visits", value: (region) => region.count, show: (count) => count.toLocaleString("en") },
    { name: "thread time", value: (region) => region.inclusive, show: page.time },
    { name: "itself", value: (region) => region.exclusive, show: page.time },
    { name: "longest", value: (region) => region.longest, show: page.time },
    { name: "to win (wall)", value: (region) => region.gain, show: (gain) => (gain > 0 ? page.time(gain) : "") },
];
const order = { column: 5, down: true };
const rows = new Map();

function sharesBar(region) {
    const bar = element("span", undefined, "bar");
    const whole = region.parts.reduce((sum, part) => sum + part, 0) || 1;
    region.parts.forEach((part, bucket) => {
        if (part <= 0)
            return;
        const piece = element("i");
        piece.style.width = `${100 * part / whole}%`;
        piece.style.background = page.COLOURS[bucket] || "var(--idle)";
        bar.append(piece);
    });
    bar.title = region.parts.map((part, bucket) => (part > 0 ? `${page.facts.buckets[bucket].name} ${page.percent(part / whole)}` : ""))
        .filter(Boolean).join(", ");
    return bar;
}

function rowFor(region, number) {
    const row = element("tr");
    COLUMNS.forEach((column, i) => {
        const cell = element("td");
        if (i === 0) {
            const button = element("button", region.label);
            button.type = "button";
            button.title = [region.function, region.file && `${region.file}:${region.line}`].filter(Boolean).join(", ");
            cell.append(button);
        } else {
            cell.textContent = column.show(column.value(region));
        }
        row.append(cell);
    });
    const cell = element("td");
    cell.append(sharesBar(region));
    row.append(cell);
    row.addEventListener("click", () => page.chooseRegion(page.view.region === number ? -1 : number));
    return row;
}

function compare(one, other) {
    const { value, text } = COLUMNS[order.column];
    const [a, b] = [value(page.facts.regions[one]), value(page.facts.regions[other])];
    const less = text ? a.localeCompare(b) : a - b || page.facts.regions[one].inclusive - page.facts.regions[other].inclusive;
    return order.down ? -less : less;
}

function sortTable() {
    const body = get("regions").tBodies[0];
    for (const number of [...rows.keys()].sort(compare))
        body.append(rows.get(number));
    [...get("regions").tHead.rows[0].cells].forEach((cell, i) =>
        cell.setAttribute("aria-sort", i === order.column ? (order.down ? "descending" : "ascending") : "none"));
}

function fillTable() {
    const table = get("regions");
    const head = table.createTHead().insertRow();
    COLUMNS.forEach((column, i) => {
        const cell = element("th");
        cell.scope = "col";
        const button = element("button", column.name);
        button.type = "button";
        button.addEventListener("click", () => {
            order.down = i === order.column ? !order.down : !column.text;
            order.column = i;
            sortTable();
        });
        cell.append(button);
        head.append(cell);
    });
    head.append(element("th", "shares"));
    table.createTBody();
    page.facts.regions.forEach((region, number) => {
        if (region.count > 0)
            rows.set(number, rowFor(region, number));
    });
    if (rows.size === 0)
        get("table-scroll").replaceChildren(element("p", "No regions: nothing of OpenMP was entered."));
    else
        sortTable();
}

/* The source around a region. */

page.showSource = function (number) {
    const region = page.facts.regions[number];
    const box = get("source");
    box.replaceChildren();
    const place = region && region.file ? `${region.file}:${region.line}` : "";
    const found = page.facts.sources[place];
    if (!region)
        box.append(element("span", "Choose a region or a finding."));
    else if (!place)
        box.append(element("span", `${region.label}: the source line is not known (was it compiled with -g?).`));
    else
        box.append(element("span", `${place}${region.function ? ` in ${region.function}` : ""}`));
    if (place && !found)
        box.append(element("span", "The file was not there, or is no source, when this page was made."));
    if (found)
        found.text.replace(/\n$/, "").split("\n").forEach((line, i) => {
            const shown = element("span", `${String(found.first + i).padStart(5)}  ${line}`);
            if (found.first + i === region.line)
                shown.className = "here";
            box.append(shown);
        });
};

/* Choosing. */

/* A thread or stream, with its process where there are several. */
function nameOf(row) {
    const { rows: all, groups } = page.facts;
    return `${all[row].name}${groups.length > 1 ? `, ${groups[all[row].group].name}` : ""}`;
}

function worstOf(finding) {
    const length = finding.end - finding.begin;
    const who = finding.row < 0 ? "" : `${finding.waitedFor ? "; waited for" : ", on"} ${nameOf(finding.row)}`;
    return `the worst instance, ${page.time(length)} at ${page.moment(finding.begin, length / 100 || 1e-6)}${who}`;
}

page.showChosen = function () {
    const { view, facts } = page;
    rows.forEach((row, number) => row.setAttribute("aria-selected", String(number === view.region)));
    [...get("findings").querySelectorAll("button")].forEach((button, number) =>
        button.setAttribute("aria-pressed", String(number === view.finding)));
    const finding = facts.findings[view.finding];
    const places = finding ? [finding.region, finding.beforeRegion] : [];
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
    if (rows.has(number))
        rows.get(number).scrollIntoView({ block: "nearest" });
    page.changed();
};

page.goToFinding = function (number) {
    const finding = page.facts.findings[number];
    const length = Math.max(finding.end - finding.begin, 50 * page.facts.tick);
    page.view.finding = number;
    page.view.region = -1;
    if (finding.row >= 0) {
        page.view.row = page.revealRow(finding.row);
        page.showRows();
        page.keepRowInSight();
    }
    page.showChosen();
    page.setRange(finding.begin - 0.6 * length, finding.end + 0.6 * length);
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

/* Search: regions by name, file and function; rows by name. */

page.search = function (text) {
    const wanted = text.trim().toLowerCase();
    const hits = [];
    rows.forEach((row, number) => {
        const { label, file, function: name } = page.facts.regions[number];
        const hit = `${label} ${file} ${name}`.toLowerCase().includes(wanted);
        row.hidden = !hit;
        if (hit && wanted)
            hits.push(number);
    });
    const found = page.facts.rows.findIndex((row) => wanted && row.name.toLowerCase().includes(wanted));
    get("matches").textContent = wanted ? `${plural(hits.length, "region")}${found >= 0 ? `, ${page.facts.rows[found].name}` : ""}` : "";
    return { regions: hits.sort(compare), row: found };
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

const MOST_TOLD = 4;

function tellStretch(one, stretch) {
    const { facts } = page;
    const bucket = facts.buckets[page.planes[stretch.plane].bucket].name;
    const arrows = page.arrowsOf(one.members[0], stretch);
    return [one.label, stretch.region >= 0 ? facts.regions[stretch.region].label : "in no region",
        `${bucket} for ${page.time(stretch.to - stretch.from, 4)}`,
        stretch.iterations > 0 ? plural(stretch.iterations, "iteration") : "",
        `from ${page.moment(stretch.from, facts.tick)}`,
        ...arrows.slice(0, MOST_TOLD), arrows.length > MOST_TOLD ? `and ${arrows.length - MOST_TOLD} more arrows` : ""].filter(Boolean).join("\n");
}

/* What is under the pointer, or at the cursor, as text. */
page.tell = function (one, time) {
    const { facts, view, place } = page;
    if (one.curve !== undefined) {
        const curve = facts.curves[one.curve];
        return `${one.label}\n${page.curveAt(one.curve, time).toLocaleString("en")} ${curve.unit} at ${page.moment(time, facts.width)}`;
    }
    const pixel = (view.end - view.begin) / (place.right - place.left);
    const stretch = one.members.length === 1 ? page.stretchAt(one.members[0], time) : undefined;
    if (stretch && stretch.to - stretch.from > 2 * pixel)
        return tellStretch(one, stretch);
    const about = page.topRegions(one, time - pixel / 2, time + pixel / 2);
    const shares = page.shares(one, about.begin, about.end)
        .map((share, i) => [share, facts.buckets[page.planes[i].bucket].name]).filter(([share]) => share > 0)
        .sort((a, b) => b[0] - a[0]).map(([share, name]) => `${name} ${page.percent(share)}`);
    const regions = about.regions.map(({ region, share }) => `${page.percent(share)} in ${facts.regions[region].label}`);
    const name = one.members.length === 1 ? nameOf(one.members[0]) : one.label;
    return [name, `${page.moment(about.begin, facts.width / 10)}, for ${page.time(about.end - about.begin)}`,
        shares.join(", ") || "not there", ...regions].join("\n");
};

/* For those who cannot see the canvas. */
page.describe = function () {
    const { view, facts } = page;
    const [from, to] = [view.begin, view.end].map((time) => page.moment(time, (view.end - view.begin) / 1000));
    get("range").textContent = `${from} to ${to} (${page.time(view.end - view.begin)})${page.arrowsHidden ? ", arrows when zoomed in" : ""}`;
    const about = page.hosts.members.length > 0 ? page.shares(page.hosts, view.begin, view.end) : [];
    const shares = about.map((share, i) => `${facts.buckets[page.planes[i].bucket].name} ${page.percent(share)}`);
    get("description").textContent = `Timeline of ${plural(page.visible.length, "row")} from ${from} to ${to}. `
        + `All threads: ${shares.join(", ")}. The arrow keys move a cursor, and what is at it is read out.`;
    get("timeline").setAttribute("aria-label", `${facts.title}, ${from} to ${to}`);
};

page.fillPanels = function () {
    fillHead();
    fillFindings();
    fillEfficiency();
    fillLegend();
    fillLimits();
    fillTable();
    page.showSource(-1);
};
