/* The source around a region or a line, with the samples of each line beside it. */

const get = (id) => document.getElementById(id);
let own; /* samples by frame, of what is shown above; undefined: there are none */
let shown; /* the file that is shown, and its lines' elements by number */

/* What the page has around this line; undefined: nothing. */
function findSource(file, line) {
    const { sources } = page.data;
    const around = Object.entries(sources).filter(([place]) => place.slice(0, place.lastIndexOf(":")) === file)
        .map(([, source]) => ({ ...source, lines: source.text.replace(/\n$/, "").split("\n") }))
        .filter(({ first, lines }) => line >= first && line < first + lines.length);
    const away = ({ first, lines }) => Math.abs(first + lines.length / 2 - line);
    return around.sort((one, other) => away(one) - away(other))[0];
}

/* Beside each line its samples and a bar. */
function showHeat() {
    if (!own || !shown)
        return;
    const all = own.reduce((sum, one) => sum + one, 0);
    const lines = new Map(page.sampleLines(own, shown.file).map((one) => [one.line, one]));
    for (const [number, { line, heat }] of shown.lines) {
        const { total = 0, self = 0 } = lines.get(number) || {};
        heat.textContent = (total > 0 ? total.toLocaleString("en") : "").padStart(shown.width);
        line.style.setProperty("--share", `${all > 0 ? 100 * total / all : 0}%`);
        const [most, some] = [total, self].map((one) => one.toLocaleString("en"));
        line.title = total > 0 ? `${most} of ${page.plural(all, "sample")} (${page.percent(total / all)}), ${some} in the line itself` : "";
    }
    get("source-heat").hidden = shown.lines.size === 0;
    get("source-heat").textContent = `Left: samples in a line and in what it calls, of ${all.toLocaleString("en")}.`;
}

page.showHeat = function (samples) {
    own = samples;
    showHeat();
};

function showText({ first, lines }, line) {
    const { element } = page;
    lines.forEach((text, i) => {
        const number = first + i;
        const row = element("span", undefined, number === line ? "here" : "");
        const heat = element("i");
        if (page.data.samples)
            row.append(heat);
        row.append(`${String(number).padStart(5)}  ${text}`);
        shown.lines.set(number, { line: row, heat });
        get("source").append(row);
    });
}

function showPlace({ file, line, name }) {
    const { element } = page;
    const found = findSource(file, line);
    const box = get("source");
    const warning = get("source-warning");
    shown = { file, lines: new Map(), width: 7 };
    get("source-heat").hidden = true;
    warning.hidden = !found || !found.changed;
    if (!warning.hidden)
        warning.textContent = `The file was changed after the program had begun (${found.changed}): these may be other lines than those that ran.`;
    box.replaceChildren(element("span", `${file}${line > 0 ? `:${line}` : ""}${name ? ` in ${name}` : ""}`, "file"));
    if (found)
        showText(found, line);
    else
        box.append(element("span", line > 0 ? "The file was not there, or is no source, when this page was made."
            : "The source line is not known. Compile with -g to see it.", "file"));
    showHeat();
}

page.showSource = function (number) {
    const { element } = page;
    const region = page.data.regions[number];
    if (region && region.file) {
        showPlace({ file: region.file, line: region.line, name: region.function });
        return;
    }
    shown = undefined;
    get("source-warning").hidden = get("source-heat").hidden = true;
    get("source").replaceChildren(element("span", region ? `${region.label}: the source line is not known. Compile with -g to see it.`
        : "Choose a region or a finding."));
};

/* A line of a function, by samples. */
page.showLine = function (file, line, name) {
    showPlace({ file, line, name });
    get("source").scrollIntoView({ block: "nearest" });
};
