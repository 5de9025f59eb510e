/* Below the timeline: are single events shown of what is in sight, and if not, the command that makes a page of it. */

const get = (id) => document.getElementById(id);

/* More events than this in sight are too many for one window. */
const MANY = 2;

function eventsInSight() {
    const { view, data } = page;
    return data.events * (view.end - view.begin) / (data.end - data.begin || 1);
}

function isCovered() {
    const { view, data } = page;
    const some = data.tick / 2;
    return page.windows.some((window) => view.begin >= window.begin - some && view.end <= window.end + some)
        || (page.windows.length === 1 && !page.windows[0].cut
            && page.windows[0].begin <= data.begin + some && page.windows[0].end >= data.end - some);
}

/* The command for what is in sight; undefined: none would show more. */
page.commandOf = function () {
    const { view, data } = page;
    if (!data.single || data.events === 0 || isCovered() || eventsInSight() > MANY * data.mostSingle)
        return undefined;
    const step = (view.end - view.begin) / 1000;
    const [from, to] = [view.begin, view.end].map((time) => page.moment(Math.max(time, data.zero), step).replace(/ s$/, ""));
    return `omptape report --html window.html --from ${from} --to ${to} ${data.archive}`;
};

function stateOf(command) {
    const { data } = page;
    if (data.events === 0)
        return "";
    if (!data.single)
        return "A profile has no single events.";
    if (isCovered())
        return "Single events are shown.";
    return command ? "A page with the single events of what is in sight:"
        : `About ${Number(eventsInSight().toPrecision(2)).toLocaleString("en")} events are in sight: zoom in, or choose a finding, for single ones.`;
}

page.showCommand = function () {
    const command = page.commandOf();
    get("single-text").textContent = stateOf(command);
    get("command").textContent = command || "";
    get("copy").hidden = !command;
};

/* A page from a disk may have no clipboard: then the old way, by a selection. */
async function copied(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch (reason) {
        const range = document.createRange();
        range.selectNodeContents(get("command"));
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        return document.execCommand("copy");
    }
}

let timer = 0;

page.copyCommand = async function () {
    const command = page.commandOf();
    if (!command)
        return;
    get("copy").textContent = await copied(command) ? "copied" : "selected";
    clearTimeout(timer);
    timer = setTimeout(() => { get("copy").textContent = "copy (c)"; }, 2000);
};

get("copy").addEventListener("click", page.copyCommand);
