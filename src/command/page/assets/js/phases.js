/* Above the threads: what the program named, a lane for each depth, a strip of bars as high as each step was long, and a
 * strip for each value with a line for each thread. A click, or a key, leads to a step. The table below the timeline says the same. */

const { element, plural } = page;
const LANE = 16;
const STRIP = 36;
const MAX_LANES = 4;
const MAX_VALUES = 4;
const PHASE_COLOURS = ["#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442", "#0072b2"];
const canvas = document.getElementById("phases");
const state = { chosen: undefined, order: [], slowest: -1, values: [] };

/* A phase lies within those that last around its first instance. */
function depthOf(phase, all) {
    const [first] = phase.steps;
    return all.filter((other) => other !== phase && other.steps.some((step) =>
        step.begin <= first.begin && step.end >= first.end && step.end - step.begin > first.end - first.begin)).length;
}

/* What falls over orders of magnitude is drawn by its logarithm. */
function readValues(data) {
    const byName = new Map();
    data.curves.forEach((curve, number) => {
        if (curve.named)
            byName.set(curve.name, [...(byName.get(curve.name) || []), number]);
    });
    return [...byName].slice(0, MAX_VALUES).map(([name, curves]) => {
        const all = curves.flatMap((number) => data.curves[number].values);
        const low = all.reduce((one, other) => Math.min(one, other));
        const high = all.reduce((one, other) => Math.max(one, other));
        return { name, curves, low, high, scale: low > 0 && high >= 1000 * low ? Math.log10 : (value) => value };
    });
}

page.readPhases = function (data) {
    state.values = readValues(data);
    page.phases = data.phases.map((phase, number) => ({
        ...phase,
        colour: PHASE_COLOURS[number % PHASE_COLOURS.length],
        steps: phase.begin.map((begin, i) => ({ begin, end: begin + phase.length[i], number: phase.number[i], phase: number })),
    }));
    page.phases.forEach((phase) => { phase.depth = Math.min(MAX_LANES - 1, depthOf(phase, page.phases)); });
    /* The steps in the strip: rather numbered ones, of these the outermost, of which there are many. */
    const rank = (phase) => [phase.numbered ? 0 : 1, phase.depth, -phase.steps.length];
    [state.strip] = page.phases.filter((phase) => phase.steps.length > 1)
        .sort((one, other) => rank(one).map((value, i) => value - rank(other)[i]).find((difference) => difference !== 0) || 0);
    state.order = state.strip ? [...state.strip.steps].sort((one, other) => other.end - other.begin - one.end + one.begin) : [];
    state.lanes = 1 + Math.max(-1, ...page.phases.map((phase) => phase.depth));
    canvas.hidden = state.lanes === 0 && state.values.length === 0;
};

const topOfValues = () => state.lanes * LANE + (state.strip ? STRIP : 0);
const heightOf = () => topOfValues() + state.values.length * STRIP + 2;

/* Paler than what threads do, whose colours mean something else. */
function fillPale(context, colour, ...box) {
    context.globalAlpha = 0.5;
    context.fillStyle = colour;
    context.fillRect(...box);
    context.globalAlpha = 1;
}

/* The name; of a step that has no room for half of it its number alone; or nothing. */
function labelOf(context, step, width) {
    const name = nameOf(step);
    const number = String(step.number);
    if (context.measureText(name).width > 2 * width && name.endsWith(` ${number}`))
        return context.measureText(number).width <= width ? number : "";
    return width > 18 ? page.clipped(context, name, width) : "";
}

function drawLanes(context, look) {
    const { place } = page;
    for (const phase of page.phases) {
        const top = phase.depth * LANE;
        let last = place.left - 1;
        for (const step of phase.steps) {
            const left = Math.max(place.left, page.xAt(step.begin));
            const right = Math.min(place.right, page.xAt(step.end));
            if (right < place.left || left > place.right || (right - left < 1 && left < last))
                continue;
            last = Math.max(left + 1, right);
            fillPale(context, phase.colour, left, top + 1, Math.max(1, right - left - (right - left > 3 ? 1 : 0)), LANE - 2);
            if (step === state.chosen) {
                context.strokeStyle = look.text;
                context.strokeRect(left + 0.5, top + 1.5, Math.max(1, right - left - 1), LANE - 3);
            }
            context.fillStyle = look.text;
            context.fillText(labelOf(context, step, right - left - 6), left + 3, top + LANE / 2);
        }
    }
}

/* Of several steps in one pixel the longest is seen. */
function drawStrip(context, look) {
    const { place } = page;
    const { strip } = state;
    const top = state.lanes * LANE;
    const longest = state.order[0].end - state.order[0].begin || 1;
    const heights = (step) => Math.max(1, (step.end - step.begin) / longest * (STRIP - 4));
    for (const step of strip.steps) {
        const left = page.xAt(step.begin);
        const right = page.xAt(step.end);
        if (right < place.left || left > place.right)
            continue;
        const from = Math.max(place.left, left);
        const isLong = strip.median > 0 && step.end - step.begin >= 1.5 * strip.median;
        const box = [from, top + STRIP - heights(step), Math.max(1, Math.min(place.right, right) - from - (right - from > 3 ? 1 : 0)), heights(step)];
        context.fillStyle = step === state.chosen ? look.text : "#d55e00";
        if (step === state.chosen || isLong)
            context.fillRect(...box);
        else
            fillPale(context, strip.colour, ...box);
    }
    const usual = top + STRIP - heights({ begin: 0, end: strip.median });
    context.fillStyle = look.faint;
    for (let x = place.left; x < place.right; x += 6)
        context.fillRect(x, Math.round(usual), 3, 1);
}

function drawValue(context, look, value, top) {
    const { place } = page;
    const range = value.scale(value.high) - value.scale(value.low) || 1;
    context.strokeStyle = look.accent;
    for (const number of value.curves) {
        context.beginPath();
        for (let x = place.left; x < place.right; x++) {
            const now = page.curveAt(number, page.timeAt(x));
            if (now !== undefined)
                context.lineTo(x, top + STRIP - 2 - (value.scale(now) - value.scale(value.low)) / range * (STRIP - 6));
        }
        context.stroke();
    }
}

const shortNumber = (number) => Number(number.toPrecision(3)).toString();

function labelValue(context, look, value, top) {
    const { place } = page;
    context.fillStyle = look.text;
    context.fillText(page.clipped(context, value.name, place.left - 12), 6, top + STRIP / 2 - 7);
    context.fillStyle = look.faint;
    const range = `${shortNumber(value.low)} to ${shortNumber(value.high)}${value.scale === Math.log10 ? " (log)" : ""}`;
    context.fillText(page.clipped(context, range, place.left - 12), 6, top + STRIP / 2 + 8);
}

/* In the page's frame, after the timeline has its place. */
page.drawPhases = function (look, scale) {
    if (canvas.hidden)
        return;
    const { place } = page;
    const height = heightOf();
    canvas.width = Math.round(place.width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.height = `${height}px`;
    const context = canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = look.panel;
    context.fillRect(0, 0, place.width, height);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    drawLanes(context, look);
    if (state.strip)
        drawStrip(context, look);
    state.values.forEach((value, i) => drawValue(context, look, value, topOfValues() + i * STRIP));
    context.fillStyle = look.panel;
    context.fillRect(0, 0, place.left, height);
    state.values.forEach((value, i) => labelValue(context, look, value, topOfValues() + i * STRIP));
    context.fillStyle = look.text;
    if (state.lanes > 0)
        context.fillText(page.clipped(context, "phases", place.left - 12), 6, LANE / 2);
    if (state.strip) {
        context.fillText(page.clipped(context, `each ${state.strip.name}`, place.left - 12), 6, state.lanes * LANE + STRIP / 2 - 7);
        context.fillStyle = look.faint;
        const range = `0 to ${page.time(state.order[0].end - state.order[0].begin)}`;
        context.fillText(page.clipped(context, range, place.left - 12), 6, state.lanes * LANE + STRIP / 2 + 8);
    }
};

function nameOf(step) {
    const phase = page.phases[step.phase];
    return phase.numbered || phase.steps.length > 1 ? `${phase.name} ${step.number}` : phase.name;
}

function tellStep(step) {
    const phase = page.phases[step.phase];
    const length = step.end - step.begin;
    const ratio = phase.steps.length > 1 && phase.median > 0
        ? `, ${(length / phase.median).toFixed(1)} times the median of ${plural(phase.steps.length, "step")}`
        : "";
    return `${nameOf(step)}: ${page.time(length)} at ${page.moment(step.begin, length / 100 || 1e-6)}${ratio}`;
}

/* Chooses it, says what it is, and brings it into sight; `near`: with as much beside it. */
function goTo(step, near) {
    const length = step.end - step.begin || page.data.tick;
    state.chosen = step;
    document.getElementById("kept").textContent = tellStep(step);
    const { view } = page;
    if (near)
        page.setRange(step.begin - 0.25 * length, step.end + 0.25 * length);
    else if (step.begin < view.begin || step.end > view.end)
        page.setRange(step.begin - (view.end - view.begin) / 2, step.begin + (view.end - view.begin) / 2);
    page.changed();
}

/* p: the slowest step, and then the next slowest. */
page.nextSlowest = function (by) {
    if (state.order.length === 0)
        return;
    state.slowest = (state.slowest + by + state.order.length) % state.order.length;
    goTo(state.order[state.slowest], true);
};

function stepAt(event) {
    const box = canvas.getBoundingClientRect();
    const time = page.timeAt(event.clientX - box.left);
    const lane = Math.floor((event.clientY - box.top) / LANE);
    if (event.clientY - box.top >= topOfValues())
        return undefined;
    const among = lane < state.lanes ? page.phases.filter((phase) => phase.depth === lane) : [state.strip];
    return among.flatMap((phase) => (phase ? phase.steps : [])).find((step) => step.begin <= time && time <= step.end);
}

/* "residual: 0.001 at 2.5 s"; of several threads each. */
function tellValue(event) {
    const box = canvas.getBoundingClientRect();
    const time = page.timeAt(event.clientX - box.left);
    const value = state.values[Math.floor((event.clientY - box.top - topOfValues()) / STRIP)];
    if (!value)
        return "";
    const told = value.curves.map((number) => [page.curveAt(number, time), page.data.curves[number].where])
        .filter(([now]) => now !== undefined);
    const moment = page.moment(time, page.data.width);
    return told.map(([now, where]) => `${value.name}${told.length > 1 ? `, ${where}` : ""}: ${now} at ${moment}`).join("\n");
}

function moveChosen(by) {
    if (page.phases.length === 0)
        return;
    const steps = state.chosen ? page.phases[state.chosen.phase].steps : (state.strip || page.phases[0]).steps;
    const index = state.chosen ? steps.indexOf(state.chosen) + by : 0;
    goTo(steps[Math.max(0, Math.min(steps.length - 1, index))], false);
}

canvas.addEventListener("click", (event) => {
    const step = stepAt(event);
    if (step)
        goTo(step, true);
});
canvas.addEventListener("pointermove", (event) => {
    const step = stepAt(event);
    canvas.title = step ? tellStep(step) : tellValue(event);
});
canvas.addEventListener("keydown", (event) => {
    const actions = { ArrowLeft: () => moveChosen(-1), ArrowRight: () => moveChosen(1), Enter: () => state.chosen && goTo(state.chosen, true) };
    if (!actions[event.key])
        return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
});

function addHead(table, names) {
    const head = element("tr");
    for (const name of names)
        head.append(Object.assign(element("th", name), { scope: "col" }));
    table.append(head);
}

function fillValues(values) {
    const table = document.getElementById("value-table");
    table.parentNode.hidden = values.length === 0;
    addHead(table, ["value", "times", "smallest", "largest", "last"]);
    for (const value of values) {
        const row = element("tr");
        row.append(element("td", value.name), element("td", value.count.toLocaleString("en")));
        for (const number of [value.smallest, value.largest, value.last])
            row.append(element("td", number === null ? "" : shortNumber(number)));
        table.append(row);
    }
}

/* The same as text. */
page.fillPhases = function () {
    const table = document.getElementById("phase-table");
    const { values } = page.data;
    document.getElementById("phase-section").hidden = page.phases.length === 0 && values.length === 0;
    table.parentNode.hidden = page.phases.length === 0;
    fillValues(values);
    addHead(table, ["phase", "times", "mean", "median", "time", "longest", "parallel", "lost most to"]);
    page.phases.forEach((phase) => {
        const row = element("tr");
        const longest = phase.steps.reduce((most, step) => (step.end - step.begin > most.end - most.begin ? step : most));
        const button = element("button", page.time(longest.end - longest.begin));
        button.type = "button";
        button.setAttribute("aria-label", `longest ${phase.name}: ${tellStep(longest)}; go there`);
        button.addEventListener("click", () => goTo(longest, true));
        const cell = element("td");
        cell.append(button, phase.steps.length > 1 ? ` (${longest.number})` : "");
        row.append(element("td", phase.found ? `${phase.name} (found)` : phase.name),
            element("td", phase.count.toLocaleString("en")), element("td", page.time(phase.time / phase.count)),
            element("td", phase.median > 0 ? page.time(phase.median) : ""), element("td", page.time(phase.time)), cell,
            element("td", page.percent(phase.parallel)), element("td", phase.lost));
        table.append(row);
    });
};
