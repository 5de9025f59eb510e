/* The rows of the timeline as a tree: nodes, processes, blocks of threads, threads; devices below their process;
 * curves last. What is folded is one row, the mean of what is in it. */

const MAX_ROWS = 64;

function item(kind, label, members, children) {
    return { kind, label, members, children: children || [], open: false };
}

/* What the rows did, by plane, in each part of the time: shares, the mean of all of them. */
const PARTS = 8;
function courseOf(rows) {
    const { bins } = page.data;
    const course = new Float32Array(page.planes.length * PARTS);
    page.planes.forEach(({ cells }, plane) => {
        for (const row of rows)
            for (let bin = 0; bin < bins; bin++)
                course[plane * PARTS + Math.floor(bin * PARTS / bins)] += cells[row * bins + bin];
    });
    return course.map((sum) => sum * PARTS / (255 * bins * rows.length));
}

/* In so much of the time they did different things. */
const ALIKE = 0.04;
function areAlike(one, other) {
    const sum = one.reduce((all, share, at) => all + Math.abs(share - other[at]), 0);
    return sum / (2 * PARTS) <= ALIKE;
}

/* "OMP thread 1-84, 86-255": numbers behind one name; else the first and the last. */
function namesOf(items) {
    const parts = items.map(({ label }) => label.match(/^(.*?)(\d+)$/));
    if (!parts.every((part) => part !== null && part[1] === parts[0][1]))
        return `${items[0].label} to ${items[items.length - 1].label}`;
    const ranges = [];
    for (const number of parts.map((part) => Number(part[2]))) {
        const last = ranges[ranges.length - 1];
        if (last !== undefined && last[1] + 1 === number)
            last[1] = number;
        else
            ranges.push([number, number]);
    }
    return parts[0][1] + ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(", ");
}

function blocksOf(items) {
    const size = Math.ceil(items.length / MAX_ROWS);
    const blocks = [];
    for (let i = 0; i < items.length; i += size) {
        const part = items.slice(i, i + size);
        const label = part.length > 1 ? namesOf(part) : part[0].label;
        blocks.push(item("block", label, part.flatMap((one) => one.members), part));
    }
    return blocks;
}

/* Those that do the same at the same time are one row, so that the others are seen: as many as there are, or
 * `instead` where too many differ. */
function foldAlike(items, instead) {
    const alike = [];
    for (const one of items) {
        const course = courseOf(one.members);
        const found = alike.find((other) => areAlike(other.course, course));
        if (found !== undefined)
            found.items.push(one);
        else
            alike.push({ course, items: [one] });
        if (alike.length > MAX_ROWS / 2)
            return instead(items);
    }
    return alike.map((group) => {
        const { items: inside } = group;
        if (inside.length === 1)
            return inside[0];
        const label = `${inside.length} alike: ${namesOf(inside)}`;
        return item("block", label, inside.flatMap((one) => one.members), inside.length > MAX_ROWS ? blocksOf(inside) : inside);
    });
}

function threadsOf(rows, named) {
    const threads = rows.map((row) => item("thread", named(row), [row]));
    return threads.length > MAX_ROWS ? foldAlike(threads, blocksOf) : threads;
}

/* With its number where others have the same name. */
function groupName(number) {
    const { groups } = page.data;
    const { name, process } = groups[number];
    const alone = groups.filter((group) => group.name === name).length === 1;
    return alone || process < 0 ? name : `${name}, process ${process}`;
}

function groupItem(number, rowsOf) {
    const { data } = page;
    const rows = rowsOf.get(number) || [];
    const known = rows.filter((row) => !data.rows[row].other);
    /* Threads that OpenMP and MPI do not know are in no mean, and come last. */
    const others = rows.filter((row) => data.rows[row].other).map((row) => item("other", data.rows[row].name, [row]));
    const children = [...threadsOf(known, (row) => data.rows[row].name), ...others];
    return item(data.groups[number].device ? "device" : "process", groupName(number), known, children);
}

function byNode(processes) {
    const nodes = new Map();
    for (const process of processes) {
        const { node } = page.data.groups[process.group];
        nodes.set(node, [...(nodes.get(node) || []), process]);
    }
    return [...nodes].map(([node, children]) => item("node", node || "?", children.flatMap((child) => child.members), children));
}

/* A process's devices are its last children. */
function attachDevices(processes, devices) {
    const rest = [];
    for (const device of devices) {
        const { process } = page.data.groups[device.group];
        const owner = processes.find((one) => process >= 0 && page.data.groups[one.group].process === process);
        if (owner)
            owner.children.push(device);
        else
            rest.push(device);
    }
    return rest;
}

/* A process or device whose only row is a thread or stream is that row: a second one would say the same. */
function mergeOnly(items) {
    for (const one of items)
        if (one.children.length === 1 && one.children[0].kind === "thread")
            one.children = [];
}

function visibleIn(items) {
    return items.flatMap((one) => [one, ...(one.open ? visibleIn(one.children) : [])]);
}

/* Opens level after level as long as not too many rows are to be seen. */
function openWhatFits(items) {
    for (let depth = 0; depth < 4; depth++) {
        const candidates = visibleIn(items).filter((one) => !one.open && one.children.length > 0 && one.kind !== "block");
        const more = candidates.reduce((sum, one) => sum + one.children.length, 0);
        if (candidates.length === 0 || visibleIn(items).length + more > MAX_ROWS)
            return;
        candidates.forEach((one) => { one.open = true; });
    }
}

page.buildRows = function () {
    const { data } = page;
    const rowsOf = new Map();
    data.rows.forEach((row, number) => {
        if (row.events > 0)
            rowsOf.set(row.group, [...(rowsOf.get(row.group) || []), number]);
    });
    const groups = [...rowsOf.keys()].map((number) => Object.assign(groupItem(number, rowsOf), { group: number }));
    const devices = groups.filter((one) => one.kind === "device");
    const processes = groups.filter((one) => one.kind === "process");
    mergeOnly(devices);
    const rest = attachDevices(processes, devices);
    if (processes.length > 1)
        mergeOnly(processes);
    let top = processes.length > MAX_ROWS ? foldAlike(processes, byNode) : processes;
    if (top.length === 1)
        top = top[0].children;
    const curves = data.curves.map((curve, i) => Object.assign(item("curve", `${curve.name}, ${curve.where}`, []), { curve: i }))
        .filter((each) => !data.curves[each.curve].named);
    page.tree = [...top, ...rest, ...curves];
    page.tree.forEach((one, number) => nameItems(one, String(number), 0));
    openWhatFits(page.tree);
    const hosts = data.rows.map((row, number) => number)
        .filter((row) => !data.rows[row].device && !data.rows[row].other && data.rows[row].events > 0);
    page.hosts = item("all", "all threads", hosts);
    page.showRows();
};

/* The id stands in the URL. */
function nameItems(one, id, depth) {
    one.id = id;
    one.depth = depth;
    one.children.forEach((child, number) => nameItems(child, `${id}.${number}`, depth + 1));
}

page.showRows = function () {
    page.visible = visibleIn(page.tree);
    page.prepare();
};

page.everyItem = function (visit, items = page.tree) {
    for (const one of items) {
        visit(one);
        page.everyItem(visit, one.children);
    }
};

/* Opens all that is around the row of bins; its item, or undefined. */
page.revealRow = function (row, items = page.tree) {
    for (const one of items) {
        if (!one.members.includes(row))
            continue;
        if (one.children.length === 0)
            return one;
        one.open = true;
        return page.revealRow(row, one.children);
    }
    return undefined;
};
