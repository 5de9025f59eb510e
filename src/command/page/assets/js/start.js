/* Unpacks, shows, and draws. */

function failed(reason) {
    const problem = document.getElementById("problem");
    problem.textContent = `The timeline cannot be shown: ${reason} The report as text follows.`;
    problem.hidden = false;
}

function broken(reason) {
    failed(`${reason.message}.`);
    throw reason;
}

async function start() {
    if (typeof DecompressionStream === "undefined") {
        failed("this browser is too old (it has no DecompressionStream).");
        return;
    }
    const [data, bins] = await Promise.all(["data", "bins"].map(page.unpack));
    page.data = JSON.parse(new TextDecoder().decode(data));
    page.readBins(page.data, new Uint8Array(bins));
    page.readWindows(page.data);
    page.readLives(page.data);
    page.readPhases(page.data);
    page.buildRows();
    document.getElementById("app").hidden = false;
    document.getElementById("report").open = false;
    page.readColours();
    page.fillPanels();
    page.fillPhases();
    page.layout();
    page.restore();
    page.showChosen();
    if (page.data.samples)
        page.fillInside().catch(broken);
    window.addEventListener("hashchange", () => {
        page.restore();
        page.showChosen();
    });
    new ResizeObserver(page.requestDraw).observe(document.getElementById("stage"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
        page.readColours();
        page.requestDraw();
    });
}

start().catch(broken);
