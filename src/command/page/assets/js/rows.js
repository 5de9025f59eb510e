/* The rows of the timeline as a tree: nodes, processes, blocks of threads, threads; devices below their process;
 * curves last. What is folded is one row, the mean of what is in it. */

const MOST_ROWS = 64;

function item(kind, label, members, children) {
    return { kind, label, members, children: children || [], open: false };
}

function threadsOf(rows, named) {
    const threads = rows.map((row) => item("thread", named(row), [row]));
    if (threads.length <= MOST_ROWS)
        return threads;
    const size = Math.ceil(threads.length / MOST_ROWS);
    const blocks = [];
    for (let i = 0; i < threads.length; i += size) {
        const part = threads.slice(i, i + size);
        const label = part.length > 1 ? `${part[0].label} to ${i + part.length - 1}` : part[0].label;
        blocks.push(item("block", label, part.flatMap((thread) => thread.members), part));
    }
    return blocks;
}

/* With its number where others have the same name. */
function groupName(number) {
    const { groups } = page.facts;
    const { name, process } = groups[number];
    const alone = groups.filter((group) => group.name === name).length === 1;
    return alone || process < 0 ? name : `${name}, process ${process}`;
}

function groupItem(number, rowsOf) {
    const { facts } = page;
    const rows = rowsOf.get(number) || [];
    const known = rows.filter((row) => !facts.rows[row].other);
    /* Threads that OpenMP and MPI do not know are in no mean, and come last. */
    const others = rows.filter((row) => facts.rows[row].other).map((row) => item("other", facts.rows[row].name, [row]));
    const children = [...threadsOf(known, (row) => facts.rows[row].name), ...others];
    return item(facts.groups[number].device ? "device" : "process", groupName(number), known, children);
}

function byNode(processes) {
    const nodes = new Map();
    for (const process of processes) {
        const { node } = page.facts.groups[process.group];
        nodes.set(node, [...(nodes.get(node) || []), process]);
    }
    return [...nodes].map(([node, children]) => item("node", node || "?", children.flatMap((child) => child.members), children));
}

/* A process's devices are its last children. */
function attachDevices(processes, devices) {
    const rest = [];
    for (const device of devices) {
        const { process } = page.facts.groups[device.group];
        const owner = processes.find((one) => process >= 0 && page.facts.groups[one.group].process === process);
        if (owner)
            owner.children.push(device);
        else
            rest.push(device);
    }
    return rest;
}

function visibleIn(items) {
    return items.flatMap((one) => [one, ...(one.open ? visibleIn(one.children) : [])]);
}

/* Opens level after level as long as not too many rows are to be seen. */
function openWhatFits(items) {
    for (let depth = 0; depth < 4; depth++) {
        const candidates = visibleIn(items).filter((one) => !one.open && one.children.length > 0 && one.kind !== "block");
        const more = candidates.reduce((sum, one) => sum + one.children.length, 0);
        if (candidates.length === 0 || visibleIn(items).length + more > MOST_ROWS)
            return;
        candidates.forEach((one) => { one.open = true; });
    }
}

page.buildRows = function () {
    const { facts } = page;
    const rowsOf = new Map();
    facts.rows.forEach((row, number) => {
        if (row.events > 0)
            rowsOf.set(row.group, [...(rowsOf.get(row.group) || []), number]);
    });
    const groups = [...rowsOf.keys()].map((number) => Object.assign(groupItem(number, rowsOf), { group: number }));
    const devices = groups.filter((one) => one.kind === "device");
    const processes = groups.filter((one) => one.kind === "process");
    const rest = attachDevices(processes, devices);
    let top = processes.length > MOST_ROWS ? byNode(processes) : processes;
    if (top.length === 1)
        top = top[0].children;
    const curves = facts.curves.map((curve, i) => Object.assign(item("curve", `${curve.name}, ${curve.where}`, []), { curve: i }));
    page.tree = [...top, ...rest, ...curves];
    page.tree.forEach((one, number) => nameItems(one, String(number), 0));
    openWhatFits(page.tree);
    const hosts = facts.rows.map((row, number) => number).filter((row) => !facts.rows[row].device && !facts.rows[row].other && facts.rows[row].events > 0);
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
