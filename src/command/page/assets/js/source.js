/* The source around a region. */

page.showSource = function (number) {
    const { element } = page;
    const region = page.facts.regions[number];
    const box = document.getElementById("source");
    const warning = document.getElementById("source-warning");
    const place = region && region.file ? `${region.file}:${region.line}` : "";
    const found = page.facts.sources[place];
    box.replaceChildren();
    warning.hidden = !found || !found.changed;
    if (!warning.hidden)
        warning.textContent = `The file was changed after the program had begun (${found.changed}): these may be other lines than those that ran.`;
    if (!region)
        box.append(element("span", "Choose a region or a finding."));
    else if (!place)
        box.append(element("span", `${region.label}: the source line is not known. Compile with -g to see it.`));
    else
        box.append(element("span", `${place}${region.function ? ` in ${region.function}` : ""}`));
    if (place && !found)
        box.append(element("span", "The file was not there, or is no source, when this page was made."));
    if (found)
        found.text.replace(/\n$/, "").split("\n").forEach((line, i) => {
            const shown = element("span", `${String(found.first + i).padStart(5)}  ${line}`);
            if (found.first + i === region.line)
                shown.className = "here";
            box.append(shown);
        });
};
