/* Inside: in which functions threads were, by samples, of what is in sight or of all, as an icicle whose root is above, and as
 * a table. */

const get = (id) => document.getElementById(id);
const { element } = page;
const ROW = 20; /* pixels */
const [MIN_LEVELS, MAX_LEVELS] = [9, 18];
const MIN_WIDTH = 3; /* what is narrower is drawn together */
const [MIN_NAME, LETTER] = [26, 6.5]; /* a frame's width for letters of a name, and that of one */
const MAX_LISTED = 250;
const FEW = 20; /* samples: too few to tell shares apart */
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#882255"];

const colours = new Map(); /* by file or library */
let own; /* samples by frame, of what is chosen */
let root;
let zoomed = []; /* keys from the root to the node that is as wide as all */
let shown = []; /* nodes, as they are drawn */
let wanted = ""; /* what is searched for */

const count = (number) => number.toLocaleString("en");
const share = (number) => page.percent(root.total > 0 ? number / root.total : 0);
const of = (number) => `${count(number)} of ${count(root.total)}`;

/* The region whose samples are shown; -1: all. */
page.insideRegion = function () {
    const { view, data } = page;
    const region = view.region >= 0 ? view.region : view.inside;
    const whole = region >= 0 ? data.regions[region].whole : -1;
    return whole >= 0 ? whole : region;
};

function chosenRows() {
    const item = page.insideItems[get("inside-threads").selectedIndex - 1] || page.hosts;
    return item.members.filter((row) => page.data.rows[row].events > 0);
}

const isAsleep = () => get("inside-what").value === "asleep";

function chosenTime() {
    const { view } = page;
    return get("inside-time").value === "all" ? [-Infinity, Infinity] : [view.begin, view.end + page.data.tick / 2];
}

function findNode(keys) {
    let node = root;
    for (const key of keys)
        node = node.children.get(key) || node;
    return node;
}

function keysOf(node) {
    return node.parent ? [...keysOf(node.parent), node.key] : [];
}

function isWanted(node) {
    return wanted !== "" && `${node.name} ${page.nodeLabel(node)} ${node.file} ${node.module}`.toLowerCase().includes(wanted);
}

/* Samples in what is searched for, each once. */
function foundIn(node) {
    if (isWanted(node))
        return node.total;
    return [...node.children.values()].reduce((sum, child) => sum + foundIn(child), 0);
}

function tellNode(node) {
    if (!node.parent)
        return `${of(node.total)} samples`;
    const lines = [...node.lines].filter(([line]) => line > 0).sort((a, b) => b[1] - a[1]).slice(0, 4);
    const where = lines.length > 1 ? `. Lines: ${lines.map(([line, number]) => `${line} (${count(number)})`).join(", ")}` : "";
    const { name, short, file, module } = node;
    const long = name === short ? "" : `${name}, `;
    const place = `${file ? `, ${file}` : ""}${module && module !== file ? ` in ${module}` : ""}`;
    return `${long}${page.nodeLabel(node)}${place}: ${of(node.total)} samples (${share(node.total)}), ${count(node.self)} in itself${where}`;
}

/* What lies below a node, in the room from `left` on; all in parts of 1. */
function placeBelow(node, level, left, width, least, placed) {
    let [at, rest, frames] = [left, 0, 0];
    for (const child of page.sortedChildren(node)) {
        const part = width * child.total / node.total;
        if (part < least) {
            rest += child.total;
            frames++;
            continue;
        }
        placed.push({ node: child, level, left: at, width: part });
        placeBelow(child, level + 1, at, part, least, placed);
        at += part;
    }
    if (rest > 0)
        placed.push({ rest, frames, level, left: at, width: Math.max(width * rest / node.total, least / 2) });
}

/* The nodes around that which is as wide as all, it, and what is below. */
function placeAll(pixels) {
    const chosen = findNode(zoomed);
    const around = [];
    for (let node = chosen; node; node = node.parent)
        around.unshift(node);
    const placed = around.map((node, level) => ({ node, level, left: 0, width: 1, around: node !== chosen }));
    if (chosen.total > 0)
        placeBelow(chosen, around.length, 0, 1, MIN_WIDTH / pixels, placed);
    return placed;
}

/* What fits into so many letters says most: of a name in a namespace its end. */
function shortLabel(node, letters) {
    const label = page.nodeLabel(node);
    const name = node.short;
    return label.length <= letters || name.length <= letters ? label : name.replace(/^.*::(?=[^:])/, "");
}

/* The program's own files, and libraries. */
const colouredBy = ({ file, module }) => (module.includes(".so") ? module : file);

function tintOf(node) {
    return colours.get(colouredBy(node)) || "var(--faint)";
}

function makeFrame(one, number) {
    const { node } = one;
    const box = element("div", undefined, node ? "frame" : "frame rest");
    Object.assign(box.style, { top: `${one.level * ROW}px`, left: `${100 * one.left}%`, width: `${100 * one.width}%` });
    if (!node) {
        box.setAttribute("aria-hidden", "true");
        box.title = `${page.plural(one.frames, "smaller frame")}: ${of(one.rest)} samples`;
        return box;
    }
    box.style.setProperty("--tint", tintOf(node));
    box.classList.toggle("around", Boolean(one.around));
    box.classList.toggle("lit", isWanted(node));
    const pixels = one.width * get("flame").clientWidth;
    const label = node.parent ? shortLabel(node, pixels / LETTER) : "all";
    if (pixels >= MIN_NAME)
        box.append(element("span", label, "name"));
    if (pixels >= LETTER * (label.length + of(node.total).length + 4))
        box.append(element("span", of(node.total)));
    box.dataset.number = number;
    box.tabIndex = -1;
    box.setAttribute("role", "treeitem");
    box.setAttribute("aria-level", one.level + 1);
    box.setAttribute("aria-label", tellNode(node));
    box.title = tellNode(node);
    return box;
}

function drawFlame() {
    const box = get("flame");
    const had = box.contains(document.activeElement) ? shown[document.activeElement.dataset.number] : undefined;
    shown = placeAll(Math.max(1, box.clientWidth));
    box.replaceChildren(...shown.map(makeFrame));
    box.classList.toggle("searched", wanted !== "");
    const chosen = findNode(zoomed);
    const focus = Math.max(0, shown.findIndex((one) => one.node === (had && had.node ? findNode(keysOf(had.node)) : chosen)));
    box.children[focus].tabIndex = 0;
    if (had)
        box.children[focus].focus();
}

function zoomTo(node) {
    zoomed = keysOf(node);
    drawFlame();
    fillList();
}

/* The table. */

function fillHead(names) {
    const row = element("tr");
    names.forEach((name) => row.append(Object.assign(element("th", name), { scope: "col" })));
    const head = element("thead");
    head.append(row);
    return head;
}

function fillRow({ label, title, depth, cells, press, lit }) {
    const row = element("tr", undefined, lit ? "lit" : "");
    const name = element(press ? "button" : "span", label);
    const cell = element("td");
    cell.style.paddingLeft = `${6 + 10 * Math.min(depth, 14)}px`;
    if (press) {
        name.type = "button";
        name.title = title;
        row.addEventListener("click", press);
    }
    cell.append(name);
    row.append(cell, ...cells.map((text) => element("td", text)));
    return row;
}

/* Frames with less than 1 % of the samples are summed up: their number, and the samples that they have themselves. */
function listPaths() {
    const entries = [];
    let [frames, rest] = [0, 0];
    const visit = (node, depth) => {
        for (const child of page.sortedChildren(node)) {
            if (child.total < root.total / 100 || entries.length >= MAX_LISTED) {
                frames++;
                rest += child.total;
                continue;
            }
            entries.push({ label: page.nodeLabel(child), title: `${child.name}, ${child.file}`, depth,
                cells: [count(child.total), share(child.total), count(child.self)], press: () => zoomTo(child), lit: isWanted(child) });
            visit(child, depth + 1);
        }
    };
    visit(findNode(zoomed), 0);
    if (frames > 0)
        entries.push({ label: `${page.plural(frames, "path")} of less than 1 %`, depth: 0, cells: [count(rest), share(rest), ""] });
    return entries;
}

function listFunctions() {
    return page.sampleFunctions(findNode(zoomed)).slice(0, MAX_LISTED).map((one) => (
        { label: page.nodeLabel(one), title: `${one.name}, ${one.file}`, depth: 0, cells: [count(one.total), share(one.total), count(one.self)],
            press: () => page.searchFor(one.name), lit: isWanted(one) }));
}

function listLines() {
    return page.sampleLines(own).filter((one) => one.self > 0).slice(0, MAX_LISTED).map((one) => (
        { label: `${one.file.slice(one.file.lastIndexOf("/") + 1)}${one.line > 0 ? `:${one.line}` : ""} ${one.short}`, title: `${one.name}, ${one.file}`, depth: 0,
            cells: [count(one.total), share(one.total), count(one.self)],
            press: one.line > 0 ? () => page.showLine(one.file, one.line, one.name) : undefined }));
}

const LISTS = { paths: listPaths, functions: listFunctions, lines: listLines };

function fillList() {
    const kind = get("inside-list").value;
    const body = element("tbody");
    body.append(...LISTS[kind]().map(fillRow));
    get("inside-table").replaceChildren(fillHead([kind === "lines" ? "line" : "function", "samples", "share", "itself"]), body);
}

/* What is shown. */

function tellFew() {
    const samples = root.total / page.data.samples.every;
    const inAll = page.countSamples(chosenRows(), -Infinity, Infinity, page.insideRegion(), isAsleep()).reduce((sum, one) => sum + one, 0);
    const more = inAll > root.total ? ` The whole run has ${count(inAll)}.` : "";
    if (samples === 0)
        return `${isAsleep() ? "No thread was seen asleep at work." : "Samples are of processor time: threads that sleep have none."}${more}`;
    if (samples < FEW)
        return `Too few to tell shares apart.${more}`;
    const some = Math.round(root.total / 4);
    return samples < 500 ? `Shares are uncertain: ${count(some)} samples may be ${count(Math.round(Math.sqrt(some)))} more or less.` : "";
}

function tellWhat() {
    const { data } = page;
    const region = page.insideRegion();
    const { every } = data.samples;
    const [begin, end] = chosenTime();
    const time = end === Infinity ? "in the whole run" : `in sight (${page.time(end - begin)})`;
    const rows = chosenRows();
    const threads = page.plural(rows.length, "thread");
    const samples = isAsleep()
        ? `${page.plural(root.total, "look")} at ${threads} that slept at work,`
        : `${page.plural(root.total, "sample")} of ${threads}`;
    get("inside-about").textContent = `${every > 1 ? "About " : ""}${samples} ${time}`
        + `${region >= 0 ? `, in ${data.regions[region].label}` : ""}.${every > 1 ? ` Of ${every} samples this page has one.` : ""} ${tellFew()}`;
    get("inside-region").style.visibility = region < 0 ? "hidden" : "visible";
    get("inside-region").textContent = region < 0 ? "all regions" : `only ${data.regions[region].label} ×`;
    get("inside-found").textContent = wanted ? `${of(foundIn(root))} samples` : "";
    get("inside-told").textContent = "";
}

function showInside() {
    const [begin, end] = chosenTime();
    own = page.countSamples(chosenRows(), begin, end, page.insideRegion(), isAsleep());
    root = page.sampleTree(own, get("inside-lines").checked);
    drawFlame();
    fillList();
    tellWhat();
    page.showHeat(own);
}

let timer = 0;

/* After the timeline, when it is quiet: no zoom waits for it. */
page.requestInside = function () {
    if (!page.samples)
        return;
    clearTimeout(timer);
    timer = setTimeout(showInside, 100);
};

page.searchInside = function (text) {
    wanted = text;
    page.requestInside();
};

function moveFocus(key) {
    const current = shown[document.activeElement.dataset.number];
    const beside = shown.filter((one) => one.node && one.level === current.level);
    const at = beside.indexOf(current);
    const below = shown.filter((one) => one.node && one.node.parent === current.node);
    const next = {
        ArrowUp: shown.find((one) => one.node === current.node.parent),
        ArrowDown: below[0],
        ArrowLeft: beside[at - 1],
        ArrowRight: beside[at + 1],
        Home: shown[0],
    }[key];
    if (!next)
        return;
    document.activeElement.tabIndex = -1;
    const box = get("flame").children[shown.indexOf(next)];
    box.tabIndex = 0;
    box.focus();
}

const nodeOf = (target) => {
    const box = target.closest(".frame");
    return box && shown[box.dataset.number];
};

get("flame").addEventListener("keydown", (event) => {
    const one = nodeOf(event.target);
    const back = event.key === "Escape" && zoomed.length > 0;
    const isOwn = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "Enter", " "].includes(event.key);
    if (!one || event.ctrlKey || event.altKey || event.metaKey || !(isOwn || back))
        return;
    event.preventDefault();
    event.stopPropagation();
    if (back)
        zoomTo(findNode(zoomed.slice(0, -1)));
    else if (event.key === "Enter" || event.key === " ")
        zoomTo(one.node);
    else
        moveFocus(event.key);
});
get("flame").addEventListener("click", (event) => {
    const one = nodeOf(event.target);
    if (one)
        zoomTo(one.node);
});
["focusin", "pointerover"].forEach((kind) => get("flame").addEventListener(kind, (event) => {
    const one = nodeOf(event.target);
    if (one)
        get("inside-told").textContent = tellNode(one.node);
}));
["inside-threads", "inside-what", "inside-time", "inside-lines"].forEach((id) => get(id).addEventListener("change", showInside));
get("inside-list").addEventListener("change", () => fillList());
get("inside-region").addEventListener("click", () => {
    page.view.inside = -1;
    page.chooseRegion(-1);
});

/* Files and libraries have colours by their samples. */
function chooseColours(all) {
    const files = new Map();
    for (let i = 1; i < all.length; i++) {
        const name = colouredBy(page.frameAt(i));
        files.set(name, (files.get(name) || 0) + all[i]);
    }
    files.delete("");
    [...files].sort((a, b) => b[1] - a[1]).slice(0, COLOURS.length).forEach(([file], i) => colours.set(file, COLOURS[i]));
}

function deepest(node) {
    return 1 + Math.max(0, ...[...node.children.values()].map(deepest));
}

function fillThreads() {
    page.insideItems = [];
    get("inside-threads").append(new Option("all together"));
    page.everyItem((one) => {
        const { first } = page.samples;
        if (!one.members.some((row) => first[row + 1] > first[row]))
            return;
        page.insideItems.push(one);
        get("inside-threads").append(new Option(`${"\u00a0\u00a0".repeat(one.depth)}${one.label}`));
    });
}

/* When the timeline is there: it does not wait for samples. */
page.fillInside = async function () {
    get("inside").hidden = false;
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    page.readSamples(page.data, new Uint8Array(await page.unpack("samples")));
    const all = page.countSamples(page.hosts.members, -Infinity, Infinity, -1);
    get("inside-which").hidden = !page.countSamples(page.hosts.members, -Infinity, Infinity, -1, true).some((one) => one > 0);
    chooseColours(all);
    get("inside-both").style.setProperty("--flame", `${ROW * Math.max(MIN_LEVELS, Math.min(MAX_LEVELS, deepest(page.sampleTree(all, false))))}px`);
    fillThreads();
    page.requestInside();
};
