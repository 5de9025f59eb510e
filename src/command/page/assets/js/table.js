/* The table of regions, and the search in it. */

const { element, plural } = page;
const get = (id) => document.getElementById(id);

const COLUMNS = [
    { name: "region", value: (region) => region.label, text: true },
    { name: "visits", value: (region) => region.count, show: (count) => count.toLocaleString("en") },
    { name: "thread time", value: (region) => region.inclusive, show: page.time },
    { name: "itself", value: (region) => region.exclusive, show: page.time },
    { name: "longest", value: (region) => region.longest, show: page.time },
    { name: "to win (wall)", value: (region) => region.gain, show: (gain) => (gain > 0 ? page.time(gain) : "") },
    { name: "share of thread time", value: (region) => region.exclusive, show: (time) => page.percent(time / lived()) },
];
const [LONGEST, SHARE] = [4, 6];
const order = { column: 5, down: true };
const rows = new Map();

/* All threads' lives, of which the region's own time is a share. */
function lived() {
    return page.hosts.members.reduce((sum, row) => sum + page.data.rows[row].end - page.data.rows[row].begin, 0) || 1;
}

function sharesBar(region) {
    const bar = element("span", undefined, "bar");
    const whole = region.parts.reduce((sum, part) => sum + part, 0) || 1;
    region.parts.forEach((part, bucket) => {
        if (part <= 0)
            return;
        const piece = element("i");
        piece.style.width = `${100 * part / whole}%`;
        piece.style.background = page.colourOf(bucket) || "var(--idle)";
        bar.append(piece);
    });
    bar.title = region.parts.map((part, bucket) => (part > 0 ? `${page.data.buckets[bucket].name} ${page.percent(part / whole)}` : ""))
        .filter(Boolean).join(", ");
    return bar;
}

/* Leads to the longest visit, and when it is pressed again to the next longest. */
function longestButton(region, number) {
    const button = element("button", page.time(region.longest));
    button.type = "button";
    button.title = "go to the longest visit; again: to the next longest";
    button.setAttribute("aria-label", `longest visit of ${region.label}: ${page.time(region.longest)}; go there`);
    button.addEventListener("click", (event) => {
        event.stopPropagation();
        page.goToLongest(number);
    });
    return button;
}

function nameButton(region) {
    const button = element("button", page.middle(region.label));
    button.type = "button";
    button.title = [region.label, region.function, region.file && `${region.file}:${region.line}`].filter(Boolean).join(", ");
    return button;
}

function rowFor(region, number) {
    const row = element("tr");
    COLUMNS.forEach((column, i) => {
        const cell = element("td");
        if (i === 0)
            cell.append(nameButton(region));
        else if (i === LONGEST && region.longestVisits.length > 0)
            cell.append(longestButton(region, number));
        else
            cell.textContent = column.show(column.value(region));
        if (i === SHARE)
            cell.append(sharesBar(region));
        row.append(cell);
    });
    row.addEventListener("click", () => page.chooseRegion(page.view.region === number ? -1 : number));
    return row;
}

function compare(one, other) {
    const { value, text } = COLUMNS[order.column];
    const [a, b] = [value(page.data.regions[one]), value(page.data.regions[other])];
    const less = text ? a.localeCompare(b) : a - b || page.data.regions[one].inclusive - page.data.regions[other].inclusive;
    return order.down ? -less : less;
}

function sortTable() {
    const body = get("regions").tBodies[0];
    for (const number of [...rows.keys()].sort(compare))
        body.append(rows.get(number));
    [...get("regions").tHead.rows[0].cells].forEach((cell, i) =>
        cell.setAttribute("aria-sort", i === order.column ? (order.down ? "descending" : "ascending") : "none"));
}

page.fillTable = function () {
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
    table.createTBody();
    page.data.regions.forEach((region, number) => {
        if (region.count > 0)
            rows.set(number, rowFor(region, number));
    });
    if (rows.size === 0)
        get("table-scroll").replaceChildren(element("p", "No regions: nothing of OpenMP was entered."));
    else
        sortTable();
};

page.selectRow = (number) => rows.forEach((row, one) => row.setAttribute("aria-selected", String(one === number)));

page.showRow = function (number) {
    if (rows.has(number))
        rows.get(number).scrollIntoView({ block: "nearest" });
};

/* Search: regions by name, file and function; rows by name; frames. */

page.searchFor = function (text) {
    get("query").value = text;
    page.search(text);
};

page.search = function (text) {
    const wanted = text.trim().toLowerCase();
    const hits = [];
    rows.forEach((row, number) => {
        const { label, file, function: name } = page.data.regions[number];
        const hit = `${label} ${file} ${name}`.toLowerCase().includes(wanted);
        row.hidden = !hit;
        if (hit && wanted)
            hits.push(number);
    });
    page.searchInside(wanted);
    const found = page.data.rows.findIndex((row) => wanted && row.name.toLowerCase().includes(wanted));
    get("matches").textContent = wanted ? `${plural(hits.length, "region")}${found >= 0 ? `, ${page.data.rows[found].name}` : ""}` : "";
    return { regions: hits.sort(compare), row: found };
};

