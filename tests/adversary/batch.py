# SPDX-License-Identifier: BSD-3-Clause
"""What one user plants where another one's batch job puts its notes, or where root builds:

    tests/run adversary.batch --build BUILD --runtimes DIR NAME
"""
import os
import re
import subprocess
import sys

from adversary.world import ATTACKER, PATIENCE, PRECIOUS, VICTIM, World
from harness import main, source_of, wait_for
from harness.users import as_user

# A launcher in the place of srun: it says where the notes are, and waits.
SRUN = """#!/bin/sh
echo "$OMPTAPE_BATCH_NOTES" >notes.new
mv notes.new notes
while [ ! -e "$GO" ]; do sleep 0.05; done
"""


def batch(world):
    """A batch script's notes lie where all nodes, and so others, may write; its temporary files lie where nobody else may.
    Somebody puts the victim's own folders in the place of both."""
    commands = world.make_folder("commands", 0, 0o755)
    for name, text in (("srun", SRUN), ("sbatch", '#!/bin/sh\nfor word; do case $word in */job.sh) cp "$word" submitted ;; esac; done\n')):
        with open(os.path.join(commands, name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(os.path.join(commands, name), 0o755)
    wrapper = world.at("omptape", "bin", "omptape-batch")
    environment = world.environment(PATH=f"{commands}:{os.environ['PATH']}", TMPDIR=world.share, GO=world.at("go"))
    for how in ("folder", "link", "own notes"):
        swap_notes(world, how, wrapper, environment)

    # The temporary folder of a submission and of a job, where TMPDIR is the folder of both.
    world.write_for(VICTIM, world.shared("job.sh"), b'#!/bin/sh\necho "the script is $0"; test -z "$(ls -d "$TMPDIR"/omptape-batch.*)"\n')
    submitted = world.run("submitted", [wrapper, "sbatch", "job.sh"], environment, cwd=world.share, **as_user(VICTIM))
    world.expect(f"sbatch: {submitted.output}", 0, submitted.code)
    for what, script in (("job", world.shared("submitted")), ("untraced job", untraced(world))):
        done = world.run(what, ["bash", script], environment, cwd=world.share, **as_user(VICTIM))
        if done.code != 0 or f"the script is {world.share}" in done.output or "the script is /" not in done.output:
            world.fail(f"{what}: its temporary folder lies where others can replace it: {done.code}, {done.output}")

    # Nobody waits for a writer whose mark somebody else has planted.
    os.mkdir(world.shared("marked"))
    world.link(f"{os.uname().nodename}:1:0", world.shared("marked", ".omptape-writing"))
    parts = os.path.join(os.path.dirname(world.installed), "..", "libexec", "omptape", "batch", "steps.sh")
    asked = subprocess.run(["bash", "-c", 'source "$0"; has_writer "$1"', parts, world.shared("marked")], check=False, timeout=PATIENCE)
    world.expect("somebody's mark is no writer", 1, asked.returncode)


def untraced(world):
    """The submitted script on a node without omptape."""
    path = world.shared("untraced")
    with open(world.shared("submitted"), encoding="utf-8") as file:
        text = re.sub("(?m)^omptape_batch=.*", "omptape_batch=/nonesuch/omptape-batch", file.read())
    world.write_for(VICTIM, path, text.encode())
    return path


def swap_notes(world, how, wrapper, environment):
    """While a program runs, the folder of the notes is renamed and another one of the victim's gets its name."""
    keep = world.make_folder("home/data" if how == "link" else f"share/data {how}", VICTIM, 0o700)
    for name in ("result", "1.0"):
        world.write_for(VICTIM, os.path.join(keep, name), PRECIOUS)
    os.symlink(world.home, os.path.join(keep, "7.0"))
    if how == "own notes":
        world.write_for(VICTIM, os.path.join(keep, "omptape-batch-notes"), b"")
        os.remove(os.path.join(keep, "7.0"))
    before = world.snapshot(keep)
    program = world.start(f"srun {how}", [wrapper, "-o", world.shared("out-%s"), "srun", world.busy], environment, cwd=world.share,
                          **as_user(VICTIM))
    wait_for("the notes", lambda: os.path.exists(world.shared("notes")))
    with open(world.shared("notes"), encoding="utf-8") as file:
        notes = file.read().strip()
    os.remove(world.shared("notes"))
    place = os.path.dirname(notes)
    world.expect(f"{how}: where the notes are", world.share, place)
    move = ["sh", "-ec", 'mv "$1" "$1.away"; if [ "$3" = link ]; then ln -s "$2" "$1"; else mv "$2" "$1"; fi', "sh", notes, keep, how]
    subprocess.run(move, check=True, **as_user(ATTACKER))
    if how != "own notes":
        prolog = {"SLURM_SCRIPT_CONTEXT": "prolog_task", "SLURM_JOB_ID": "8", "SLURM_STEP_ID": "0", "OMPTAPE_BATCH_COMPLETE": "1",
                  "OMPTAPE_BATCH_PATTERN": "/traces/%s", "OMPTAPE_BATCH_NOTES": notes}
        said = subprocess.run([wrapper], env={**environment, **prolog}, capture_output=True, text=True, check=True, timeout=PATIENCE,
                              cwd=world.share, **as_user(VICTIM)).stdout
        world.expect(f"{how}: the prolog", "export OMPTAPE_OUTPUT=/traces/0", said.splitlines()[0])
    world.write_for(ATTACKER, world.at("go"), b"")
    ended = world.finish(program, PATIENCE)
    world.expect(f"{how}: exit code: {ended.output}", 0, ended.code)
    os.remove(world.at("go"))
    after = world.snapshot(keep if how == "link" else notes)
    if how == "own notes":  # what lies in the victim's own notes of another job is notes or stays
        before.pop("omptape-batch-notes")
        after.pop("omptape-batch-notes", None)
    elif "somebody else has replaced" not in ended.output:
        world.fail(f"{how}: it is not said that the notes are gone: {ended.output}")
    world.expect(f"{how}: the victim's folder", before, after)


def builds(world):
    """Root builds where somebody else has put a folder, or a link to one of root's."""
    stubs = world.make_folder("stubs", 0, 0o755)
    for name in ("apt-get", "cmake", "curl", "mmdebstrap"):
        with open(os.path.join(stubs, name), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexit 1\n")
        os.chmod(os.path.join(stubs, name), 0o755)
    planted = world.make_folder("planted", ATTACKER, 0o777)
    target = world.make_folder("target", 0, 0o755)
    world.link(target, world.at("link"))
    scripts = os.path.join(os.path.dirname(source_of()), "scripts")
    for script, *words in (("quickstart",), ("test",), ("fetch-runtimes",), ("matrix", "--folder"), ("fresh", "--folder")):
        for folder in (planted, planted + "//", world.at("link")):
            done = subprocess.run([os.path.join(scripts, script), *words, folder], check=False, capture_output=True, text=True,
                                  timeout=PATIENCE, env={**os.environ, "PATH": f"{stubs}:{os.environ['PATH']}"})
            if done.returncode == 0 or f"belongs to user {ATTACKER}" not in done.stderr:
                world.fail(f"{script} {folder}: {done.returncode}: {done.stderr}")
    world.expect("what is in the folders", ([], []), (os.listdir(planted), os.listdir(target)))


if __name__ == "__main__":
    sys.exit(main("What another user can do to batch jobs and builds.", {"batch": batch, "builds": builds}, "adversary", World, "19"))
