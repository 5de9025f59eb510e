# SPDX-License-Identifier: BSD-3-Clause
"""What cpack makes of the build, and what an installation gives to shells and environment modules."""
import glob
import hashlib
import html.parser
import os
import re
import runpy
import shutil
import subprocess
import sys
import types

from harness import Missing, main, source_of

CHECKOUT = os.path.dirname(source_of())
PACKAGING = os.path.join(CHECKOUT, "packaging")


def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            raise Missing(f"there is no {program}")


def run(test, what, *command, **more):
    """The program's output; that it fails is a problem."""
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900, **more)
    if done.returncode != 0:
        test.fail(f"{what}: {done.returncode}: {done.stdout}")
    return done.stdout


def package(test, build, generator, pattern):
    """What cpack makes of a build."""
    config = "CPackSourceConfig.cmake" if generator == "TGZ" else "CPackConfig.cmake"
    said = run(test, "cpack", "cpack", "--config", os.path.join(build, config), "-G", generator, "-B", test.path("packed"))
    found = glob.glob(test.path("packed", pattern))
    if len(found) != 1:
        raise RuntimeError(f"cpack -G {generator} made {found}: {said}")
    return found[0]


def trace(test, command):
    """A program runs on an installation's command and leaves a trace that the checker and the report understand."""
    program = test.compile("programs", "tasks_nested.c")
    ended = test.run("traced", [command, "--output=out", program], test.environment(OMP_NUM_THREADS="2"))
    if ended.code != 0:
        test.fail(f"the program ended with {ended.code}: {ended.output}")
    test.verify_archive("the trace", test.path("traced", "out", "traces.otf2"))
    said = run(test, "report", command, "report", test.path("traced", "out"))
    if "efficiency" not in said:
        test.fail(f"report says {said}")


def without(test, unwanted):
    """An environment whose PATH has every program but one."""
    folder = test.path("bin")
    os.mkdir(folder)
    for place in os.environ["PATH"].split(":"):
        for program in os.scandir(place) if os.path.isdir(place) else ():
            if program.name != unwanted and not os.path.lexists(os.path.join(folder, program.name)):
                os.symlink(program.path, os.path.join(folder, program.name))
    return {**os.environ, "PATH": folder}


def source(test):
    """The tarball holds what git knows. The build that it makes without git, for packages."""
    path = package(test, test.build, "TGZ", "*.tar.gz")
    run(test, "tar", "tar", "xzf", path, "-C", test.folder)
    folder = test.path(os.path.basename(path)[:-len(".tar.gz")])
    # cpack takes what lies there: new files too, in a checkout that is being worked on.
    known = set(run(test, "git", "git", "-C", CHECKOUT, "ls-files", "--cached", "--others", "--exclude-standard").splitlines())
    packed = {os.path.relpath(os.path.join(place, name), folder) for place, _, names in os.walk(folder) for name in names}
    test.expect("files that the tarball has too many", set(), packed - known)
    test.expect("files that the tarball lacks", set(), {name for name in known - packed if os.path.exists(os.path.join(CHECKOUT, name))})
    environment = without(test, "git")
    with open(os.path.join(test.build, "CMakeCache.txt"), encoding="utf-8") as file:
        include = next(line.split("=", 1)[1].strip() for line in file if line.startswith("OMPT_INCLUDE_DIR:"))
    build = test.path("build")
    run(test, "cmake", "cmake", "-S", folder, "-B", build, "-DCMAKE_INSTALL_PREFIX=/usr", "-DBUILD_TESTING=OFF",
        f"-DOMPT_INCLUDE_DIR={include}", env=environment)
    run(test, "make", "cmake", "--build", build, "-j2", env=environment)
    return build


def deb(test, build):
    """Lintian has nothing to say, and what is in it works where it lies. The package's path."""
    path = package(test, build, "DEB", "*.deb")
    run(test, "lintian", "lintian", "--allow-root", "--fail-on", "error,warning", path)
    depends = run(test, "dpkg-deb", "dpkg-deb", "-f", path, "Depends")
    for library in ("libc6", "libdw1", "libopen-trace-format2", "zlib1g"):
        if library not in depends:
            test.fail(f"it does not depend on {library}: {depends}")
    root = test.path("unpacked")
    run(test, "dpkg-deb", "dpkg-deb", "-x", path, root)
    for name in ("doc/omptape/copyright", "doc/omptape/changelog.Debian.gz", "bash-completion/completions/omptape",
                 "zsh/vendor-completions/_omptape", "fish/vendor_completions.d/omptape.fish"):
        if not os.path.exists(os.path.join(root, "usr", "share", name)):
            test.fail(f"there is no {name}")
    for page in glob.glob(os.path.join(build, "share", "man", "man1", "*.1")):
        if not os.path.exists(os.path.join(root, "usr", "share", "man", "man1", os.path.basename(page) + ".gz")):
            test.fail(f"the package lacks {os.path.basename(page)}")
    run(test, "hardening", sys.executable, source_of("structure", "hardening.py"), os.path.join(root, "usr"), "--protected", "--fortified")
    trace(test, os.path.join(root, "usr", "bin", "omptape"))
    return path


def rpm(test, build):
    """rpmlint has nothing to say, and folders of the system do not belong to it."""
    path = package(test, build, "RPM", "*.rpm")
    said = run(test, "rpmlint", "rpmlint", "-c", os.path.join(PACKAGING, "rpm", "rpmlint.toml"), path)
    if "0 errors, 0 warnings" not in said:
        test.fail(f"rpmlint says {said}")
    for line in run(test, "rpm", "rpm", "-qpl", path).splitlines():
        if "omptape" not in line and "/.build-id" not in line:
            test.fail(f"the package owns {line}")


# What the package manager itself keeps.
KEPT = ("/var/lib/dpkg", "/var/cache", "/var/log", "/var/lib/apt", "/etc/ld.so.cache", "/tmp", "/root")


def install(test, deb_path):
    """On a clean Debian 12: installed by one command, traces, is removed without a trace."""
    root = test.path("debian")
    run(test, "mmdebstrap", "mmdebstrap", "--variant=apt", "bookworm", root)
    shutil.copy(deb_path, os.path.join(root, "root"))
    shutil.copy(test.compile("programs", "tasks_nested.c"), os.path.join(root, "root", "program"))
    for name in ("proc", "dev"):
        run(test, "mount", "mount", "--rbind", "--make-rslave", f"/{name}", os.path.join(root, name))

    def inside(what, script):
        return run(test, what, "chroot", root, "/bin/sh", "-ec", f"cd /root; export HOME=/root LC_ALL=C {script}",
                   env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"})

    def files():
        return {line for line in inside("find", "; find / -xdev -not -type d").splitlines() if not line.startswith(KEPT)}

    try:
        # What it depends on comes first, so that the package is all that differs.
        shutil.copy("/etc/resolv.conf", os.path.join(root, "etc"))
        inside("dependencies", f"; apt-get -q update; apt-get -qy install $(dpkg-deb -f {os.path.basename(deb_path)} Depends | sed 's/([^)]*)//g; s/,//g') libomp5")
        before = files()
        inside("apt", f"; apt-get -qy install ./{os.path.basename(deb_path)}")
        said = inside("omptape", "OMP_NUM_THREADS=2; omptape -o out ./program 2>&1; omptape report out")
        if "efficiency" not in said:
            test.fail(f"it says {said}")
        inside("purge", "; apt-get -qy purge omptape")
        test.expect("what is left or gone", set(), before ^ files())
    finally:
        for name in ("dev", "proc"):
            run(test, "umount", "umount", "-R", "-l", os.path.join(root, name))


def packages(test):
    """All of them, from the source. Needs minutes, root rights and a mirror of Debian."""
    need("cpack", "git", "dpkg-deb", "dpkg-shlibdeps", "lintian", "rpmbuild", "rpm", "rpmlint", "mmdebstrap")
    if os.getuid() != 0:
        raise Missing("this needs root rights")
    build = source(test)
    rpm(test, build)
    install(test, deb(test, build))


LINES = {"omptape --outp": "--output", "omptape --when-full=w": "wait", "omptape snapsh": "snapshot", "omptape report --ht": "--html",
         "omptape -o out compare --al": "--all"}


def bash(test):
    """bash completes options, their words, subcommands and these' options, and files; with and without bash-completion."""
    need("bash")
    script = test.write("complete.bash", """
        [[ -z $3 ]] || source "$3"
        source "$1/completions/omptape.bash"
        compopt() { :; }
        COMP_LINE=$2 COMP_POINT=${#2} # as readline cuts it
        read -ra COMP_WORDS <<<"${2//=/ = }"
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _omptape
        printf '%s\\n' "${COMPREPLY[@]}"
        """)
    os.makedirs(test.path("heat.trace"), exist_ok=True)
    files = {"omptape report he": "heat.trace", "omptape report --html pa": "page.html", "omptape -o he": "heat.trace",
             "omptape report --top pa": "", "omptape cat pa": "page.html", "omptape -- pa": "page.html"}
    test.write("page.html", "")
    for package in ("", "/usr/share/bash-completion/bash_completion"):
        if package and not os.path.exists(package):
            raise Missing("there is no bash-completion")
        for line, word in {**LINES, **files}.items():
            found = run(test, line, "bash", script, PACKAGING, line, package, cwd=test.folder,
                        env={**os.environ, "PATH": f"{test.built('bin')}:{os.environ['PATH']}"})
            if found.split() if word == "" else word not in found.split():
                test.fail(f"\"{line}\" is completed to {found}")


def fish(test):
    """So does fish."""
    need("fish")
    for line, word in LINES.items():
        found = run(test, line, "fish", "-c", "source $argv[1]/completions/omptape.fish; complete -C $argv[2]", PACKAGING, line,
                    cwd=test.folder, env={**os.environ, "HOME": test.folder, "PATH": f"{test.built('bin')}:{os.environ['PATH']}"})
        if word not in [one.split("\t")[0].split("=")[-1] for one in found.splitlines()]:
            test.fail(f"\"{line}\" is completed to {found}")


def zsh(test):
    """So does zsh, on a terminal of its own."""
    need("zsh")
    script = test.write("complete.zsh", """
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell "PATH=${(q)1}/bin:\\$PATH; fpath=(${(q)2}/completions \\$fpath); autoload -Uz compinit; compinit -u -D; PROMPT="
        zpty -w shell 'bindkey "^I" complete-word; comppostfuncs=(tell)'
        zpty -w shell 'tell() { print -r -- "<<$compstate[unambiguous]>>"; }; print rea""dy'
        zpty -r shell said '*ready*'
        zpty -w -n shell "$3"$'\\t'
        zpty -r shell said '*<<*>>*'
        print -r -- "$said"
        zpty -d shell
        """)
    for line, word in {**LINES, "omptape --when-full=w": "--when-full=wait"}.items():
        found = run(test, line, "timeout", "60", "zsh", "-f", script, test.build, PACKAGING, line, cwd=test.folder,
                    env={**os.environ, "HOME": test.folder, "TERM": "dumb"})
        if f"<<{word}" not in found:
            test.fail(f"\"{line}\" is completed to {found}")


def module(test):
    """The module file finds its installation, wherever that was moved."""
    need("modulecmd")
    run(test, "install", "cmake", "--install", test.build, "--prefix", test.path("first"))
    os.rename(test.path("first"), test.path("moved"))
    said = run(test, "module", "modulecmd", "bash", "load", "omptape",
               env={**os.environ, "MODULEPATH": test.path("moved", "share", "modulefiles")})
    script = test.write("load.sh", said + '\nomptape --version && echo "$OMPTAPE_ROOT" && echo "$MANPATH"\n')
    found = run(test, "omptape", "bash", script)
    if "omptape 0" not in found or test.path("moved") not in found.splitlines()[1:]:
        test.fail(f"with the module: {found}")


def recipe_of_spack(path):
    """What the recipe says, by stand-ins for Spack's modules: version, dependencies, and the arguments for CMake."""
    said = {"version": [], "depends_on": []}

    class Package:
        """Of a prefix that names itself."""
        spec = {"llvm-openmp": types.SimpleNamespace(prefix=types.SimpleNamespace(include="INCLUDE"))}

        @staticmethod
        def define(name, value):
            return f"-D{name}={value}"

    def ignore(*_words, **_more):
        """A directive that nothing is asked of."""

    directives = {name: ignore for name in ("license", "requires", "conflicts", "variant", "maintainers")}
    for name, heard in said.items():
        directives[name] = lambda first, heard=heard, **more: heard.append((first, more))
    modules = {"spack_repo.builtin.build_systems.cmake": {"CMakePackage": Package}, "spack.package": directives}
    for name, content in modules.items():
        parts = name.split(".")
        for length in range(1, len(parts) + 1):
            sys.modules.setdefault(".".join(parts[:length]), types.ModuleType(".".join(parts[:length])))
        vars(sys.modules[name]).update(content)
    content = runpy.run_path(path)
    return said, content["Omptape"]().cmake_args(), content["Omptape"]


def recipe_of_conda(test, release, checksum):
    """conda-forge's: it has what its linter asks for, and names no file that is not installed."""
    try:
        import yaml
    except ImportError as missing:
        raise Missing("there is no yaml for Python") from missing
    with open(test.path("made", "conda", "recipe.yaml"), encoding="utf-8") as file:
        recipe = yaml.safe_load(file)
    test.expect("conda: parts", ["schema_version", "context", "package", "source", "build", "requirements", "tests", "about", "extra"],
                list(recipe))
    test.expect("conda: release", (release, checksum, f"omptape-{release}.tar.gz"),
                (recipe["context"]["version"], recipe["source"]["sha256"],
                 os.path.basename(recipe["source"]["url"]).replace("${{ version }}", recipe["context"]["version"])))
    about = recipe["about"]
    test.expect("conda: licence", (True, "BSD-3-Clause"), (os.path.exists(os.path.join(CHECKOUT, about["license_file"])), about["license"]))
    test.expect("conda: maintainers", True, bool(recipe["extra"]["recipe-maintainers"]))
    needs = recipe["requirements"]
    test.expect("conda: dependencies", {"elfutils", "libzlib", "llvm-openmp", "otf2", "sqlite"}, set(needs["host"]))
    with open(test.path("made", "conda", "conda_build_config.yaml"), encoding="utf-8") as file:
        test.expect("conda: the C library", {"c_stdlib_version": ["2.28"]}, yaml.safe_load(file))
    test.expect("conda: compiler", True, {'${{ stdlib("c") }}', '${{ compiler("c") }}'} <= set(needs["build"]))
    contents = next(one["package_contents"] for one in recipe["tests"] if "package_contents" in one)
    for name in (*contents["files"], *(os.path.join("bin", one) for one in contents["bin"])):
        found = test.path("installed", name)
        if not glob.glob(found) and not glob.glob(found.replace("/lib/", "/lib/*/")):
            test.fail(f"conda: nothing installs {name}")


def recipe_of_container(test):
    """The image is built from packages that the documentation names, too, and its program is there."""
    with open(os.path.join(PACKAGING, "container", "Containerfile"), encoding="utf-8") as file:
        lines = [line for line in file.read().replace("\\\n", " ").splitlines() if line and not line.startswith("#")]
    words = [line.split()[0] for line in lines]
    test.expect("container: instructions", ["ARG", "FROM", "RUN", "COPY", "RUN", "FROM", "COPY", "RUN", "WORKDIR", "ENTRYPOINT"], words)
    with open(os.path.join(PACKAGING, "debian", "control"), encoding="utf-8") as file:
        needs = re.search(r"^Build-Depends:(.*?)^\S", file.read(), flags=re.M | re.S)[1]
    needs = {re.split(r"[ :]", one.strip())[0] for one in needs.split(",")} - {"cmark-gfm", "debhelper-compat", "mandoc", "python3"}
    test.expect("container: packages that are built with", set(), needs - set(lines[words.index("RUN")].split()))


def recipe_of_debian(test, release):
    """The source package is the tarball's release, with debian/ beside what is in it."""
    folder = test.path("made", "debian")
    test.expect("Debian: tarball", True, os.path.exists(os.path.join(folder, f"omptape_{release}.orig.tar.gz")))
    with open(os.path.join(folder, f"omptape-{release}", "debian", "changelog"), encoding="utf-8") as file:
        test.expect("Debian: version", f"omptape ({release}-1)", " ".join(file.readline().split()[:2]))
    if shutil.which("dpkg-source") is not None:
        test.expect("Debian: source package", True, os.path.exists(os.path.join(folder, f"omptape_{release}-1.dsc")))


def options_of_recipes(test):
    """What recipes tell CMake is an option of this build."""
    files = ("conda/recipe.yaml", "container/Containerfile", "debian/rules", "easybuild/*.eb", "spack/package.py")
    said = set()
    for path in (path for name in files for path in glob.glob(os.path.join(PACKAGING, name))):
        with open(path, encoding="utf-8") as file:
            said |= set(re.findall(r"\bOMPTAPE_[A-Z_]+", file.read()))
    with open(os.path.join(test.build, "CMakeCache.txt"), encoding="utf-8") as file:
        known = set(re.findall(r"^(OMPTAPE_[A-Z_]+):", file.read(), flags=re.M))
    test.expect("options that CMake does not know", set(), said - known)
    test.expect("options of recipes", True, {"OMPTAPE_WITH_SQLITE", "OMPTAPE_WITH_ZYDIS"} <= said)


def recipes(test):
    """Each recipe names this release, its tarball's checksum, and what it really needs and installs."""
    release = run(test, "version", test.omptape, "--version").split()[1]
    os.mkdir(test.path(f"omptape-{release}"))
    test.write(os.path.join(f"omptape-{release}", "README"), "of a release")
    tarball = test.path(f"omptape-{release}.tar.gz")
    run(test, "tar", "tar", "-czf", tarball, "-C", test.folder, f"omptape-{release}")
    run(test, "recipes", os.path.join(CHECKOUT, "scripts", "recipes"), tarball, test.path("made"))
    with open(tarball, "rb") as file:
        checksum = hashlib.sha256(file.read()).hexdigest()
    options_of_recipes(test)
    recipe_of_debian(test, release)
    recipe_of_container(test)

    said, arguments, package_class = recipe_of_spack(test.path("made", "spack", "package.py"))
    test.expect("Spack: versions", [(release, {"sha256": checksum})], said["version"])
    test.expect("Spack: what CMake is told", ["-DBUILD_TESTING=False", "-DOMPTAPE_WITH_SQLITE=True", "-DOMPTAPE_WITH_ZYDIS=False", "-DOMPT_INCLUDE_DIR=INCLUDE"], arguments)
    test.expect("Spack: the tarball's name", f"omptape-{release}.tar.gz", os.path.basename(package_class.url))
    needs = {"otf2", "elfutils", "sqlite", "zlib-api", "llvm-openmp", "cmake", "pkgconfig", "c"}
    test.expect("Spack: dependencies", needs, {re.split("[@+]", name)[0] for name, _ in said["depends_on"]})

    found = glob.glob(test.path("made", "easybuild", "*.eb"))
    for path in found:
        config = runpy.run_path(path, {"SOURCE_TAR_GZ": "%(name)s-%(version)s.tar.gz", "SHLIB_EXT": "so"})
        chain = config["toolchain"]
        test.expect("EasyBuild: the file's name", f"omptape-{release}-{chain['name']}-{chain['version']}.eb", os.path.basename(path))
        test.expect("EasyBuild: version and checksum", (release, [checksum]), (config["version"], config["checksums"]))
        run(test, "install", "cmake", "--install", test.build, "--prefix", test.path("installed"))
        for name in (*config["sanity_check_paths"]["files"], *config["sanity_check_paths"]["dirs"]):
            if not glob.glob(test.path("installed", name)) and not glob.glob(test.path("installed", name.replace("lib/", "lib/*/"))):
                test.fail(f"EasyBuild: nothing installs {name}")
    test.expect("recipes for EasyBuild", 1, len(found))
    recipe_of_conda(test, release, checksum)


class Page(html.parser.HTMLParser):
    """A page's elements are closed in order; what it leads to and what is an aim."""

    EMPTY = {"meta", "link", "br", "hr", "img", "col"}

    def __init__(self):
        super().__init__()
        self.open, self.links, self.aims = [], [], set()

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.aims.add(attributes.get("id"))
        self.links += [attributes[name] for name in ("href", "src") if name in attributes]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.EMPTY and self.open.pop() != tag:
            raise ValueError(f"</{tag}> at {self.getpos()} ends another element")


def html_pages(test):
    """The documentation as HTML: all links lead somewhere on the pages, and index.html leads to all."""
    need("cmark-gfm", "mandoc")
    folder = test.path("html")
    manuals = glob.glob(os.path.join(test.built("share", "man", "man1"), "*.1"))
    run(test, "html", os.path.join(CHECKOUT, "scripts", "html"), folder, *manuals)
    pages = {}
    for name in os.listdir(folder):
        if name.endswith(".html"):
            pages[name] = Page()
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                pages[name].feed(file.read())
            test.expect(f"{name}: open elements", [], pages[name].open)
    test.expect("pages", True, {"index.html", "report.html", "news.html", "omptape.1.html", "omptape-report.1.html"} <= set(pages))
    test.expect("pages that index.html does not lead to", {"index.html"}, set(pages) - set(pages["index.html"].links) | {"index.html"})
    for name, page in pages.items():
        for link in page.links:
            path, _, aim = link.partition("#")
            if re.match(r"[a-z]+:", link):
                continue
            if path and not os.path.exists(os.path.join(folder, path)):
                test.fail(f"{name} leads to {link}, which is not there")
            elif aim and aim not in pages[path or name].aims:
                test.fail(f"{name} leads to {link}: no such heading")


APT = """#!/bin/sh
# Knows every package but nosuch-dev, and refuses all that are asked for beside that.
case "$*" in
*--simulate*nosuch-dev* | *install*nosuch-dev*) echo "E: Unable to locate package nosuch-dev" >&2; exit 100 ;;
*--simulate* | *update*) ;;
*) while [ "$1" != install ]; do shift; done; shift; printf '%s\\n' "$@" >>"$INSTALLED" ;;
esac
"""


def scripts(test):
    """One package that cannot be had is named, and keeps none of the others from being installed."""
    os.mkdir(test.path("apt"))
    for name, text in (("apt-get", APT), ("dpkg-query", '#!/bin/sh\nexit 1\n'), ("id", '#!/bin/sh\necho ${USER_ID:-0}\n')):
        test.write(os.path.join("apt", name), text, 0o755)
    tools = without(test, "sudo")
    path = f"{test.path('apt')}:{tools['PATH']}"
    for name, user in (("root", "0"), ("nobody", "1")):
        for how, code in (("want", 0), ("need", 1)):
            installed = test.path(f"{how}.{name}")
            done = subprocess.run(
                ["bash", "-euc", f'source "$0"; {how}_packages one nosuch-dev two; echo on', os.path.join(CHECKOUT, "scripts", "lib.sh")],
                env={**tools, "PATH": path, "USER_ID": user, "INSTALLED": installed}, check=False, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            lines = [line for line in done.stdout.splitlines() if line.startswith(("lib.sh: ", "on", "E: "))]
            there = open(installed, encoding="utf-8").read().split() if os.path.exists(installed) else []
            left = "nosuch-dev" if user == "0" else "one nosuch-dev two"
            last = {"want": [f"lib.sh: going on without {left}: tests that need them will be skipped", "on"],
                    "need": ["lib.sh: apt-get could not install: nosuch-dev" if user == "0" else
                             f"lib.sh: please install (this needs root rights): {left}"]}[how]
            test.expect(f"{how} as {name}", (code, last, ["one", "two"] if user == "0" else []),
                        (done.returncode, lines[-len(last):], there))


def quickstart(test):
    """The commands that scripts/quickstart prints are run as they stand, where it was called. Nothing is installed or built."""
    lib = """root=$CHECKOUT
        say() { echo "quickstart: $*"; }
        need_packages() { :; }
        want_packages() { :; }
        installed_libomp() { echo 19; }
        build() { :; }
        make_folder() { made=$(cd -P -- "$1" && pwd -P); }
        """
    for name in ("scripts", "tools", os.path.join("here", "my build")):
        os.makedirs(test.path(name))
    test.write("scripts/lib.sh", lib)
    shutil.copy(os.path.join(CHECKOUT, "scripts", "quickstart"), test.path("scripts", "quickstart"))
    heat = test.toolchain.compile(os.path.join(CHECKOUT, "examples", "heat.c"), test.path("heat"))
    test.write("tools/clang-19", f'#!/bin/bash\ncp {heat} "${{@: -1}}"\n', 0o755)
    os.symlink(os.path.join(test.build, "bin"), test.path("here", "my build", "bin"))
    environment = test.environment(CHECKOUT=CHECKOUT, PATH=f"{test.path('tools')}:{os.environ['PATH']}")
    said = run(test, "quickstart", "bash", test.path("scripts", "quickstart"), "my build", cwd=test.path("here"), env=environment)
    commands = [line.strip() for line in said.splitlines() if line.startswith("  ")]
    test.expect("commands", ["heat", "report", "report --html"],
                ["report --html" if " --html " in one else "report" if " report " in one else one.rsplit("/", 1)[1] for one in commands])
    for command in commands:
        run(test, command, "bash", "-c", command, cwd=test.path("here"), env=environment)
    test.expect("the page", True, os.path.exists(test.path("here", "my build", "example", "heat.html")))
    # The summary's own commands, too.
    report = [line.removeprefix("omptape: ") for line in said.splitlines() if re.match("omptape: .* report ", line)]
    test.expect("the summary's command", 1, len(report))
    for command in report:
        run(test, command, "bash", "-c", command, cwd=test.path("here"), env=environment)


TESTS = {"all": packages, "recipes": recipes, "html": html_pages, "scripts": scripts, "quickstart": quickstart, "bash": bash, "fish": fish, "zsh": zsh, "module": module}

if __name__ == "__main__":
    sys.exit(main(__doc__, TESTS, "packages", stage="19"))
