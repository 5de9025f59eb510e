/* Single samples in the timeline: a tick for each, where they lie far enough apart, and their paths as text. */

const APART = 6; /* pixels between two samples, */
const MAX_NEARER = 0.2; /* ...but for so many of them */
const MAX_TICKS = 400;
const MIN_BAR = 12;
const NEAR = 4; /* pixels from the pointer */
const MAX_FRAMES = 10;

/* Of a row's samples in sight the first and the one behind the last; undefined: too many, too near, or none. */
function samplesInSight(row) {
    const { view, samples: { times } } = page;
    const [first, last] = [page.sampleFrom(row, view.begin), page.sampleFrom(row, view.end)];
    let nearer = 0;
    for (let i = first + 1; i < last && last - first <= MAX_TICKS; i++)
        nearer += page.xAt(times[i]) - page.xAt(times[i - 1]) < APART ? 1 : 0;
    return last > first && last - first <= MAX_TICKS && nearer <= MAX_NEARER * (last - first) ? { first, last } : undefined;
}

/* Of the row of one thread; a folded row has none. */
page.drawTicks = function (context, look) {
    const { place } = page;
    if (!page.samples || place.bar < MIN_BAR)
        return;
    page.visible.forEach((one, index) => {
        const bottom = page.topOf(index) + place.bar;
        const some = one.members.length === 1 && bottom > 0 && bottom < place.height ? samplesInSight(one.members[0]) : undefined;
        for (let i = some ? some.first : 0; some && i < some.last; i++) {
            const x = Math.round(page.xAt(page.samples.times[i]));
            context.fillStyle = look.panel;
            context.fillRect(x - 2, bottom - 9, 4, 9);
            context.fillStyle = look.text;
            context.fillRect(x - 1, bottom - 8, 2, 8);
        }
    });
};

/* The functions of a sample, the innermost first. */
function pathOf(sample) {
    const { frame, caller } = page.data.samples;
    const names = [];
    for (let i = frame[page.samples.places[sample]]; i > 0; i = caller[i - 1]) {
        const { line, ...one } = page.frameAt(i);
        names.push(page.nodeLabel({ ...one, lines: new Map([[line, 1]]) }));
    }
    return names.length > MAX_FRAMES ? `${names.slice(0, MAX_FRAMES).join(" ← ")} ← ...` : names.join(" ← ");
}

/* "sample: strlen @parse.c:31 ← parse @parse.c:12 ← main @main.c:7", of the row's sample that is near this time; else "". */
page.tellSample = function (row, time) {
    if (!page.samples || !samplesInSight(row))
        return "";
    const { view, place, samples: { times, first } } = page;
    const near = NEAR * (view.end - view.begin) / (place.right - place.left);
    const after = page.sampleFrom(row, time);
    const [found] = [after - 1, after].filter((i) => i >= first[row] && i < first[row + 1] && Math.abs(times[i] - time) <= near)
        .sort((a, b) => Math.abs(times[a] - time) - Math.abs(times[b] - time));
    return found === undefined ? "" : `sample: ${pathOf(found)}`;
};
