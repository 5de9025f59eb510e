/* Mouse and keyboard. What the mouse does the keyboard does too. */

const canvas = document.getElementById("timeline");
const hover = document.getElementById("hover");
let drag;
let pointer;

function position(event) {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
}

const inTime = (at) => at.x >= page.place.left && at.x <= page.place.right;

function showHover(at) {
    const one = drag && drag.moved ? undefined : page.itemAt(at.y);
    hover.hidden = !one || !inTime(at);
    if (hover.hidden)
        return;
    hover.textContent = page.tell(one, page.timeAt(at.x));
    const left = at.x + 16 + hover.offsetWidth > page.place.width ? at.x - hover.offsetWidth - 12 : at.x + 16;
    hover.style.left = `${Math.max(0, left)}px`;
    hover.style.top = `${Math.max(0, Math.min(at.y + 14, page.place.height - hover.offsetHeight - 2))}px`;
}

/* What is under the pointer may have moved away. */
page.refreshHover = function () {
    if (pointer && !hover.hidden)
        showHover(pointer);
};

function toggle(one) {
    if (one.children.length === 0)
        return;
    one.open = !one.open;
    page.showRows();
    page.changed();
}

/* What is there stays to be read, its row and its source are chosen. */
function keep(one, time) {
    if (!one)
        return;
    page.view.row = one;
    page.view.cursor = time;
    document.getElementById("kept").textContent = page.tell(one, time);
    const pixel = (page.view.end - page.view.begin) / (page.place.right - page.place.left);
    const [most] = one.members.length > 0 ? page.topRegions(one, time - pixel / 2, time + pixel / 2).regions : [];
    page.view.inside = most ? most.region : -1;
    if (most && page.view.region < 0)
        page.showSource(most.region);
    page.changed();
}

function released(at) {
    const { view } = page;
    if (view.choice) {
        const [from, to] = [Math.min(...view.choice), Math.max(...view.choice)];
        view.choice = undefined;
        if (to > from)
            page.setRange(from, to);
    } else if (!drag.moved) {
        const one = page.itemAt(at.y);
        if (one && at.x < page.place.left)
            toggle(one);
        else if (one && inTime(at))
            keep(one, page.timeAt(at.x));
    }
}

function dragged(at) {
    const { view, place } = page;
    drag.moved = drag.moved || Math.abs(at.x - drag.x) + Math.abs(at.y - drag.y) > 3;
    if (!drag.moved)
        return;
    if (drag.choosing) {
        view.choice = [drag.time, page.timeAt(at.x)];
    } else {
        const step = (drag.lastX - at.x) / (place.right - place.left) * (view.end - view.begin);
        view.scroll += drag.lastY - at.y;
        page.setRange(view.begin + step, view.end + step);
    }
    drag.lastX = at.x;
    drag.lastY = at.y;
    page.changed();
}

canvas.addEventListener("pointerdown", (event) => {
    const at = position(event);
    drag = { x: at.x, y: at.y, lastX: at.x, lastY: at.y, time: page.timeAt(at.x), choosing: event.shiftKey, moved: false };
    canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener("pointermove", (event) => {
    pointer = position(event);
    if (drag)
        dragged(pointer);
    showHover(pointer);
});
canvas.addEventListener("pointerup", (event) => {
    if (drag)
        released(position(event));
    drag = undefined;
});
canvas.addEventListener("pointercancel", () => { drag = undefined; });
canvas.addEventListener("pointerleave", () => {
    pointer = undefined;
    hover.hidden = true;
});
canvas.addEventListener("wheel", (event) => {
    const at = position(event);
    const lines = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        page.move(event.deltaX / (page.place.right - page.place.left));
    } else if (event.shiftKey || at.x < page.place.left) {
        page.view.scroll += lines;
        page.changed();
    } else {
        page.zoom(Math.exp(Math.max(-1, Math.min(1, lines / 300))), page.timeAt(at.x));
    }
    hover.hidden = true;
}, { passive: false });
canvas.addEventListener("dblclick", () => page.zoom(0.25, focusTime()));

function middle() {
    return (page.view.begin + page.view.end) / 2;
}

/* Where the keyboard zooms: at the pointer, the cursor, or in the middle. */
function focusTime() {
    const { view } = page;
    if (pointer && inTime(pointer))
        return page.timeAt(pointer.x);
    return view.cursor >= view.begin && view.cursor <= view.end ? view.cursor : middle();
}

function moveRow(step) {
    const { view, visible } = page;
    const index = visible.indexOf(view.row);
    view.row = visible[Math.max(0, Math.min(visible.length - 1, index < 0 ? 0 : index + step))];
    if (view.row)
        page.keepRowInSight();
    keep(view.row, focusCursor());
}

function focusCursor() {
    const { view } = page;
    return view.cursor >= view.begin && view.cursor <= view.end ? view.cursor : middle();
}

function moveCursor(step) {
    const { view } = page;
    const time = focusCursor() + step * (view.end - view.begin) / 100;
    if (time < view.begin || time > view.end)
        page.move(step > 0 ? 0.5 : -0.5);
    keep(view.row || page.visible[0], Math.max(view.begin, Math.min(view.end, time)));
}

function nextFinding(step) {
    const { length } = page.data.findings;
    if (length > 0)
        page.goToFinding((page.view.finding + step + length) % length);
}

/* All rows of the table are there again. */
function endSearch() {
    document.getElementById("query").value = "";
    page.search("");
}

function nothingChosen() {
    endSearch();
    Object.assign(page.view, { row: undefined, region: -1, finding: -1, inside: -1, cursor: undefined, visit: undefined });
    document.getElementById("kept").textContent = "";
    page.showChosen();
    page.changed();
}

function unfoldAll() {
    const open = !page.tree.some((one) => one.open);
    page.everyItem((one) => { one.open = open && one.children.length > 0; });
    page.showRows();
    page.changed();
}

function everything() {
    const limits = page.limits();
    page.setRange(limits.begin, limits.end);
}

const keys = {
    w: () => page.zoom(0.7, focusTime()),
    s: () => page.zoom(1 / 0.7, focusTime()),
    a: () => page.move(-0.2),
    d: () => page.move(0.2),
    0: everything,
    f: () => nextFinding(1),
    F: () => nextFinding(page.view.finding < 0 ? 0 : -1),
    p: () => page.nextSlowest(1),
    P: () => page.nextSlowest(-1),
    u: unfoldAll,
    c: () => page.copyCommand(),
    "/": () => document.getElementById("query").focus(),
    Escape: nothingChosen,
};
/* Only where the timeline has the focus: elsewhere they scroll. */
const ownKeys = {
    ArrowUp: () => moveRow(-1),
    ArrowDown: () => moveRow(1),
    ArrowLeft: () => moveCursor(-1),
    ArrowRight: () => moveCursor(1),
    Enter: () => page.view.row && toggle(page.view.row),
    "+": () => page.zoom(0.7, focusTime()),
    "-": () => page.zoom(1 / 0.7, focusTime()),
    Home: () => page.setRange(page.limits().begin, page.limits().begin + page.view.end - page.view.begin),
    End: () => page.setRange(page.limits().end - page.view.end + page.view.begin, page.limits().end),
};

document.addEventListener("keydown", (event) => {
    const query = document.getElementById("query");
    if (event.ctrlKey || event.altKey || event.metaKey || document.activeElement.tagName === "SELECT")
        return;
    if (document.activeElement === query) {
        if (event.key === "Escape") {
            endSearch();
            query.blur();
        }
        return;
    }
    const action = (document.activeElement === canvas && ownKeys[event.key]) || keys[event.key];
    if (!action)
        return;
    event.preventDefault();
    action();
});

const query = document.getElementById("query");
query.addEventListener("input", () => page.search(query.value));
document.getElementById("search").addEventListener("submit", (event) => {
    event.preventDefault();
    page.enterSearch(query.value);
});
document.getElementById("zoom-in").addEventListener("click", () => page.zoom(0.5, focusCursor()));
document.getElementById("zoom-out").addEventListener("click", () => page.zoom(2, focusCursor()));
document.getElementById("zoom-all").addEventListener("click", everything);
document.getElementById("unfold").addEventListener("click", unfoldAll);
