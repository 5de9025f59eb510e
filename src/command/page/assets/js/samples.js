/* Samples: when each thread was in which calling context, and in which regions that was. Calling contexts become a tree
 * of functions for any part of them. */

page.readSamples = function (data, bytes) {
    const { counts, unit } = data.samples;
    const all = counts.reduce((sum, count) => sum + count, 0);
    const [places, times, first] = [new Uint32Array(all), new Float64Array(all), []];
    for (let i = 0; i < all; i++)
        places[i] = bytes[i] | bytes[all + i] << 8 | bytes[2 * all + i] << 16;
    let [at, sample] = [3 * all, 0];
    for (const count of counts) {
        let now = 0;
        first.push(sample);
        for (let i = 0; i < count; i++) {
            let [step, scale] = [0, 1];
            for (; bytes[at] > 127; scale *= 128)
                step += (bytes[at++] - 128) * scale;
            now += step + bytes[at++] * scale;
            times[sample++] = (now * unit + (unit - 1) / 2) * data.tick;
        }
    }
    first.push(sample);
    page.samples = { places, times, first };
};

/* The first sample of the row, by its number among all, that is not before this time. */
page.sampleFrom = function (row, time) {
    const { times, first } = page.samples;
    let [low, high] = [first[row], first[row + 1]];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (times[middle] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
};

/* By a path's number: does it lead through the region? A loop's chunks belong to the loop. */
function pathsThrough(region) {
    const { outer, region: regions } = page.data.samples;
    const through = new Uint8Array(regions.length + 1);
    regions.forEach((one, i) => {
        const is = one === region || page.data.regions[one].whole === region;
        through[i + 1] = is || through[outer[i]] === 1 ? 1 : 0;
    });
    return through;
}

/* By a frame's number: is it the mark of a thread that was looked at while it slept? */
function sleepers() {
    const { texts, function: names, asleep } = page.data.samples;
    return Uint8Array.from([-1, ...names], (name) => (asleep.includes(texts[name]) ? 1 : 0));
}

/* How many samples each frame itself has, by its number: of these rows, in this time, and in the region; -1: in any. Of
 * processor time, or of threads that slept. Of thinned ones each stands for several. */
page.countSamples = function (rows, begin, end, region, asleep) {
    const { frame, path, caller, every } = page.data.samples;
    const slept = sleepers();
    const wanted = asleep ? 1 : 0;
    const through = region >= 0 ? pathsThrough(region) : undefined;
    const own = new Float64Array(caller.length + 1);
    for (const row of rows) {
        const last = page.sampleFrom(row, end);
        for (let i = page.sampleFrom(row, begin); i < last; i++) {
            const place = page.samples.places[i];
            if (slept[frame[place]] === wanted && (!through || through[path[place]] === 1))
                own[frame[place]] += every;
        }
    }
    return own;
};

/* A frame's caller has a smaller number than it. */
page.withCallees = function (own) {
    const { caller } = page.data.samples;
    const total = own.slice();
    for (let i = caller.length; i > 0; i--)
        total[caller[i - 1]] += total[i];
    return total;
};

const base = (file) => file.slice(file.lastIndexOf("/") + 1);

/* A frame's name, file, line and module. */
page.frameAt = function (number) {
    const { texts, short, function: name, file, module, line } = page.data.samples;
    const text = name[number - 1];
    return { name: texts[text], short: short[text] || texts[text], file: texts[file[number - 1]], module: texts[module[number - 1]], line: line[number - 1] };
};

function makeNode(key, { name, short, file, module }, parent) {
    return { key, name, short, file, module, parent, total: 0, self: 0, lines: new Map(), children: new Map() };
}

/* The tree of functions, or of their lines, in which these samples are. A node's lines are those where it was, or where it
 * called. */
page.sampleTree = function (own, linesApart) {
    const total = page.withCallees(own);
    const root = makeNode("", { name: "", short: "", file: "", module: "" });
    const nodes = [root];
    [root.total, root.self] = [total[0], own[0]];
    for (let i = 1; i < total.length; i++) {
        if (total[i] === 0)
            continue;
        const parent = nodes[page.data.samples.caller[i - 1]];
        const frame = page.frameAt(i);
        const key = `${frame.name}\n${frame.file}${linesApart ? `\n${frame.line}` : ""}`;
        const node = parent.children.get(key) || makeNode(key, frame, parent);
        parent.children.set(key, node);
        node.total += total[i];
        node.self += own[i];
        node.lines.set(frame.line, (node.lines.get(frame.line) || 0) + total[i]);
        nodes[i] = node;
    }
    return root;
};

/* A node's children, those with most samples first. */
page.sortedChildren = (node) => [...node.children.values()].sort((a, b) => b.total - a.total || (a.key < b.key ? -1 : 1));

/* "strlen @parse.c:31"; of several lines without them. */
page.nodeLabel = function (node) {
    const line = node.lines.size === 1 ? [...node.lines.keys()][0] : 0;
    const place = node.file && !node.name.includes(base(node.file)) ? ` @${base(node.file)}${line > 0 ? `:${line}` : ""}` : "";
    return `${node.short || "[unknown]"}${place}`;
};

/* All functions of the tree: samples in them, and with what they call; one that calls itself counts once. */
page.sampleFunctions = function (root) {
    const found = new Map();
    const visit = (node, open) => {
        const key = `${node.name}\n${node.file}`;
        const one = found.get(key) || makeNode(key, node);
        found.set(key, one);
        one.self += node.self;
        one.total += open.has(key) ? 0 : node.total;
        node.lines.forEach((count, line) => one.lines.set(line, count));
        const inside = new Set(open).add(key);
        node.children.forEach((child) => visit(child, inside));
    };
    root.children.forEach((child) => visit(child, new Set()));
    return [...found.values()].sort((a, b) => b.self - a.self || b.total - a.total);
};

/* Lines of one file: samples in them and in what is called there; a line that leads to itself counts once. */
page.sampleLines = function (own, file) {
    const { caller } = page.data.samples;
    const total = page.withCallees(own);
    const lines = new Map();
    for (let i = 1; i < total.length; i++) {
        const frame = total[i] > 0 ? page.frameAt(i) : undefined;
        if (!frame || (file !== undefined && frame.file !== file))
            continue;
        const key = `${frame.file}\n${frame.line}\n${frame.name}`;
        const one = lines.get(key) || { ...frame, self: 0, total: 0 };
        lines.set(key, one);
        one.self += own[i];
        let outer = caller[i - 1];
        const is = (other) => other.line === frame.line && other.file === frame.file;
        while (outer > 0 && !is(page.frameAt(outer)))
            outer = caller[outer - 1];
        one.total += outer > 0 ? 0 : total[i];
    }
    return [...lines.values()].sort((a, b) => b.self - a.self || b.total - a.total);
};
