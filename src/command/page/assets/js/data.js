/* Unpacks the page's two blocks: the data (JSON) and the bins (bytes), which are deflated and in base64. */

page.unpack = async function (id) {
    const text = atob(document.getElementById(id).textContent.trim());
    const packed = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++)
        packed[i] = text.charCodeAt(i);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).arrayBuffer();
};

/* The bytes as planes: for each bucket that there is, one share (of 255) for each row's bin, then the numbers and
 * shares of the regions in which a bin's time was spent most; then, where the kernel told it, those on a processor,
 * runnable, and of which it told anything. */
page.readBins = function (data, bytes) {
    const cells = data.rows.length * data.bins;
    let at = 0;
    const plane = () => {
        const part = bytes.subarray(at, at + cells);
        at += cells;
        return part;
    };
    page.planes = [];
    data.buckets.forEach((bucket, number) => {
        if (bucket.plane)
            page.planes.push({ bucket: number, cells: plane(), work: Boolean(bucket.work) });
    });
    page.tops = [];
    for (let i = 0; i < data.tops; i++)
        page.tops.push({ low: plane(), high: plane(), share: plane() });
    page.states = [];
    for (let i = 0; i < data.states; i++)
        page.states.push(plane());
    /* The last one is blocked: what is known, and neither of the others. */
    if (data.states > 0) {
        const [running, runnable, known] = page.states;
        page.states[2] = known.map((share, cell) => share - running[cell] - runnable[cell]);
    }
};

/* Seconds as people read them, and as the report writes them. */
page.time = function (seconds, digits = 3) {
    const units = ["ns", "us", "ms", "s"];
    let value = seconds * 1e9;
    let unit = 0;
    for (; Math.abs(value) >= 999.5 && unit + 1 < units.length; unit++)
        value /= 1000;
    const whole = [9.995, 99.95].filter((limit) => Math.abs(value) >= limit).length + 1;
    return `${value.toFixed(unit === 0 ? 0 : Math.max(0, digits - whole))} ${units[unit]}`;
};

/* A moment since the trace's beginning, with as many digits as tell steps of this length apart. */
page.moment = function (seconds, step) {
    const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step))));
    return `${(seconds - page.data.zero).toFixed(digits)} s`;
};

/* Three digits and the unit with its prefix. */
page.amount = function (value, unit) {
    const base = unit === "bytes" ? 1024 : 1000;
    const prefixes = base === 1024 ? ["bytes", "KiB", "MiB", "GiB", "TiB"] : ["", "k", "M", "G", "T"].map((prefix) => prefix + unit);
    let at = 0;
    for (; Math.abs(value) >= 999.5 && at + 1 < prefixes.length; at++)
        value /= base;
    return `${Number(value.toPrecision(3))} ${prefixes[at]}`.trim();
};

page.percent = (share) => `${(100 * share).toFixed(share < 0.0995 && share > 0 ? 1 : 0)} %`;

page.plural = function (count, what) {
    const ending = what.endsWith("s") ? "es" : "s";
    return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : ending}`;
};

/* An element with text; what archives say never becomes markup. */
page.element = function (name, text, className) {
    const made = document.createElement(name);
    if (text !== undefined)
        made.textContent = text;
    if (className)
        made.className = className;
    return made;
};

/* Of long names the begin, which has the place, and the end, which tells instances of templates apart. */
page.middle = (text, most = 64) => (text.length <= most ? text : `${text.slice(0, most / 2)}…${text.slice(-most / 2)}`);

page.clipped = function (context, text, width) {
    if (context.measureText(text).width <= width)
        return text;
    let keep = text.length - 1;
    const cut = () => `${text.slice(0, Math.ceil(keep / 2))}…${text.slice(text.length - Math.floor(keep / 2))}`;
    while (keep > 2 && context.measureText(cut()).width > width)
        keep--;
    return cut();
};
