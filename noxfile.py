"""Sessions that check the project: ``nox`` runs the default ones, ``nox -s NAME`` one, ``nox -l`` lists them."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
from functools import partial
from pathlib import Path
from typing import Any

import nox
from nox.command import CommandFailed

ROOT = Path(__file__).parent
PROJECT = nox.project.load_toml("pyproject.toml")
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
HAND_WRITTEN = ["codegen", "tests", "docs", "examples", "hatch_build.py", "noxfile.py"]
UPSTREAM = ROOT / ".upstream"

nox.needs_version = ">=2026.8.10"
nox.options.default_venv_backend = "virtualenv"
nox.options.reuse_venv = "yes"
# Whoever has one interpreter tests with one, on a build machine too.
nox.options.error_on_missing_interpreters = False
# Where two go by at a time (``nox --parallel 2``), the others do so beside the first, which is the longest.
nox.options.allow_parallel = True
CPUS = os.cpu_count() or 1

# pyenv's shims stand for the interpreter in use only; its folders take their place. They come last, as pyenv compiles
# without optimizations, unlike distributions, whose interpreters run the tests in nine tenths of the processor time.
_PYENV = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
_FOLDERS = [each for each in os.environ.get("PATH", "").split(os.pathsep) if Path(each) != _PYENV / "shims"]
os.environ["PATH"] = os.pathsep.join([*_FOLDERS, *map(str, sorted(_PYENV.glob("versions/3.1[1-9].*/bin")))])

# Container images set it. Thousands of processes of the tests would compile what they import, each again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Not everywhere an interpreter is found by its name; the one that runs this is there in any case.
PRESENT = [each for each in PYTHONS if shutil.which(f"python{each}")] or [
    f"{sys.version_info.major}.{sys.version_info.minor}"
]
OLDEST = PRESENT[0]
NEWEST = PRESENT[-1]

nox.options.sessions = [
    f"tests-{OLDEST}",
    *([f"tests-{NEWEST}"] if NEWEST != OLDEST else []),
    "types",
    "build",
    "conformance",
    "oldest",
    "lint",
    "differential",
    "vendored",
    "docs",
    "in_sync",
]


def _files(folder: str, *names: str) -> tuple[str, ...]:
    return tuple(f"tests/{folder}/test_{name}.py" for name in names)


CODEC = _files("bindings", "hostile_texts", "messages", "records", "request_methods", "round_trips")
"""Tests of the parts of the codec that depend on the interpreter and on attrs and cattrs: JSON, classes, signatures.

The verdicts on single values, which generated code gives, are tested on the oldest available Python.
"""

BY_INTERPRETER = (
    *CODEC,
    # Complete programs: they import most modules, and warnings are errors.
    "tests/examples",
    "tests/typing",
    # Signatures, annotations and dataclasses of the user, which become schemas and values.
    *_files("runtime/features", "conversion", "elicitation", "outputs", "prompts", "resources", "tools"),
    *_files("runtime", "backends", "conveniences", "framing", "limits", "shapes_agree"),
    # Threads, locks, signals, garbage collection and the end of the interpreter.
    *_files("runtime/conversations", "cancellation", "endings", "forgotten", "interrupts", "leader_followers"),
    *_files("runtime/conversations", "soak", "threads"),
    "tests/runtime/test_exit_imports.py",
    # Child processes, pipes and files that processes share.
    *_files("runtime/transports", "behaviour", "child", "stdio", "streams"),
    "tests/runtime/auth/test_token_stores.py",
    # Sockets and TLS, and what goes past the public interface of http.client, urllib3 and cheroot.
    *_files("runtime/http", "client", "client_plain", "client_tls", "disconnection", "heads", "load", "raw_requests"),
    *_files("runtime/http", "streams", "threads"),
)
"""Tests of what can differ from one interpreter to another, for the newest.

The other tests in tests/runtime are of rules in plain Python: which message is allowed when, what is sent in which revision.
They give the same result on each interpreter, so the oldest runs them for all.
"""
BETWEEN = (
    *_files("bindings", "messages", "records"),
    "tests/examples",
    "tests/typing",
    *_files("runtime/features", "conversion", "tools"),
    "tests/runtime/test_backends.py",
    *_files("runtime/conversations", "interrupts", "leader_followers", "threads"),
    "tests/runtime/test_exit_imports.py",
    "tests/runtime/transports/test_child.py",
    *_files("runtime/http", "client_plain", "heads"),
)
"""Some of these tests, for the interpreters between the oldest and the newest, which run all of them.

What a release of Python changes the next one has, too. What is left are compiled libraries, and what this project relies
on beyond their documentation; a machine with one interpreter only runs all tests with it.
"""
WRITTEN_PARTS = tuple(
    f"docs/{each}.py" for each in ("option_tables", "limit_tables", "bridge_tables", "terminal_pictures")
)
"""Programs that write the parts of pages that come from the code."""
QUICK = (
    *_files("bindings", "between_revisions", "lenient", "messages", "records", "request_methods"),
    "tests/bridge",
    "tests/cli",
    "tests/describe",
    "tests/docs",
    "tests/resolve",
    "tests/runtime/conversations",
    "tests/runtime/features",
    "tests/runtime/http",
    "tests/runtime/proxy",
    "tests/runtime/session",
    "tests/schema",
    "tests/support",
    "tests/validate",
)
"""Tests that depend on which revisions there are, except for those that take minutes each."""
AGAIN = {"HYPOTHESIS_PROFILE": "again"}
"""Hypothesis profile for tests that another session runs with more examples."""
RERUN_LIMIT = 10
"""Number of failed tests that are run a second time; if more fail, the load of the machine is not the cause."""
PYRIGHT = {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
"""Stops pyright from checking the network for a newer version."""


shared = partial(nox.session, venv_backend="none", requires=[f"environment-{OLDEST}"])
"""Declares a session that runs in the environment of the oldest Python; it begins with ``_enter``."""


def _group(*names: str) -> tuple[str, ...]:
    packages = nox.project.dependency_groups(PROJECT, *names)
    # Where there is a Node.js, pyright needs no other.
    return tuple(each.replace("[nodejs]", "") for each in packages) if shutil.which("node") else packages


def _install(session: nox.Session, *groups: str) -> None:
    """Install the checkout, editable and with the generator, and the other packages that the session needs."""
    # What is imported is compiled then, once; most of what is installed never is.
    session.install("--no-compile", "-e", ".[codegen]", *_group(*groups))


def _install_environment(session: nox.Session, python: str) -> None:
    more = ("mounts", "types", "lint", "differential", "docs", "build") if python == OLDEST else ()
    groups = ("test", *more)
    installed = Path(session.virtualenv.location) / "installed.txt"
    wanted = "\n".join([(ROOT / "pyproject.toml").read_text(encoding="utf-8"), *_group(*groups)])
    if installed.is_file() and installed.read_text(encoding="utf-8") == wanted:
        session.log("everything is installed; nox --reuse-existing-virtualenvs=never would install it anew")
        return
    _install(session, *groups)
    installed.write_text(wanted, encoding="utf-8")


def _environment_of(python: str) -> None:
    # A path, as nox prefers the interpreter that runs it, wherever that is found, to those of the same version.
    @nox.session(name=f"environment-{python}", python=shutil.which(f"python{python}"), default=False)
    def environment(session: nox.Session) -> None:
        """Install what the other sessions need: on the oldest Python all of it, on the others what the tests need."""
        _install_environment(session, python)


for each in PRESENT:
    _environment_of(each)


def _enter(session: nox.Session, python: str = OLDEST) -> None:
    """Let the session find the programs of ``environment``."""
    folder = session.cache_dir.parent.resolve() / f"environment-{python.replace('.', '-')}"
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    session.env["PATH"] = os.pathsep.join([str(programs), os.environ.get("PATH", "")])
    session.env["VIRTUAL_ENV"] = str(folder)


def _program(session: nox.Session, name: str) -> str:
    """Return the path of a program of the session's environment, or else of the system."""
    folders = [*(session.bin_paths or ()), session.env.get("PATH") or os.environ["PATH"]]
    return shutil.which(name, path=os.pathsep.join(folders)) or name


def _spread(session: nox.Session, *, beside: int = CPUS // 2) -> tuple[str, ...]:
    """Return options of pytest: one process more than CPUs, as tests wait, too; ``beside`` while another session runs."""
    processes = beside if session.parallel else CPUS + 1
    return ("-n", str(processes), "--dist", "worksteal") if processes > 1 else ()


def _run(session: nox.Session, *command: str, repair: str, **env: str) -> None:
    """Run a command; if it fails, print the command that repairs it."""
    try:
        session.run(_program(session, command[0]), *command[1:], env=env, external=True)
    except CommandFailed:
        session.error(f"{command[0]} failed; to repair: {repair}")


def _python(session: nox.Session, *arguments: str, **options: Any) -> None:
    """Run the interpreter of the environment."""
    session.run(_program(session, "python"), *arguments, external=True, **options)


def _pytest(session: nox.Session, *arguments: str, repair: str, **env: str) -> None:
    """Run tests. Run those that fail a second time, one by one, and warn about each that passes then.

    Many tests use threads, sockets and processes, which other work on the machine can disturb. A test that fails alone is
    wrong. One that fails only beside others is reported, and does not fail the session; the test runner of CPython does so.
    """
    cache = Path(session.create_tmp()).resolve() / "pytest-cache"
    shutil.rmtree(cache, ignore_errors=True)
    command = ("-o", f"cache_dir={cache}", *arguments)
    try:
        session.run(_program(session, "pytest"), *command, env=env, external=True)
    except CommandFailed:
        report = cache / "v/cache/lastfailed"
        failed = sorted(json.loads(report.read_text(encoding="utf-8"))) if report.is_file() else []
        if not 0 < len(failed) <= RERUN_LIMIT:
            session.error(f"pytest failed; to repair: {repair}")
        session.warn(f"running {len(failed)} failed tests a second time, one by one")
        _run(session, "pytest", *command, "--last-failed", "-n", "0", repair=repair, **env)
        for each in failed:
            session.warn(f"passed only when run alone: {each}")


def _fresh_venv(session: nox.Session, name: str, *packages: str) -> str:
    """Create an environment that contains only ``packages``; return its interpreter."""
    folder = Path(session.create_tmp()).resolve() / name
    shutil.rmtree(folder, ignore_errors=True)
    # nox brings virtualenv along, which makes one in a tenth of the time that venv takes.
    made_by = _program(session, "python")
    command = ("-m", "virtualenv", "-q", "--no-seed", "-p", made_by, str(folder))
    session.run(sys.executable, *command, external=True, silent=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    _python(session, "-m", "pip", "--python", str(python), "install", "-q", "--no-compile", *packages, silent=True)
    return str(python)


def _tests(session: nox.Session, python: str) -> None:
    if python not in PRESENT:
        session.skip(f"there is no python{python}")
    _enter(session, python)
    again = f"nox -s {session.name} -- tests/that/failed.py"
    everything = python == OLDEST
    if everything and not session.posargs and next(Path("tests").rglob("*-pytest-*.pyc"), None) is None:
        # In a fresh checkout each test process would compile all modules, at the same time.
        session.run(_program(session, "pytest"), "-q", "--collect-only", silent=True, external=True)
    tests = session.posargs or ([] if everything else BY_INTERPRETER if python == NEWEST else BETWEEN)
    spread = _spread(session, beside=CPUS + 1) if everything else _spread(session)
    profile = {} if everything or session.posargs else AGAIN
    _pytest(session, *spread, *tests, repair=f"mend what failed, then {again}", **profile, **PYRIGHT)


def _tests_on(python: str) -> None:
    requires = [f"environment-{python}"] if python in PRESENT else []

    @nox.session(name=f"tests-{python}", venv_backend="none", requires=requires, default=False)
    def tests(session: nox.Session) -> None:
        """Run the tests on one Python: all on the oldest; on the others, those that depend on the interpreter."""
        _tests(session, python)


for each in PYTHONS:
    _tests_on(each)


@nox.session(venv_backend="none", requires=[f"tests-{each}" for each in PRESENT], default=False)
def tests(session: nox.Session) -> None:
    """Run the tests on every available Python."""


@shared
def oldest(session: nox.Session) -> None:
    """Test the bindings with the oldest supported libraries, HTTP included where it uses their internals."""
    _enter(session)
    project = PROJECT["project"]
    allowed = [
        each.replace(">=", "==") for each in (*project["dependencies"], *project["optional-dependencies"]["http"])
    ]
    folder = Path(session.create_tmp()).resolve() / "oldest"
    shutil.rmtree(folder, ignore_errors=True)
    # Python finds them before those of the environment.
    _python(session, "-m", "pip", "install", "-q", "--no-compile", "--no-deps", "--target", str(folder), *allowed)
    session.env["PYTHONPATH"] = str(folder)
    for each in allowed:
        name, _, version = each.partition("==")
        check = f"from importlib.metadata import version; assert (version({name!r}) + '.').startswith('{version}.')"
        _python(session, "-c", check, silent=True)
    http = [f"tests/runtime/http/test_{name}.py" for name in ("client_plain", "heads", "load", "raw_requests")]
    _pytest(
        session,
        *_spread(session),
        *CODEC,
        "tests/bindings/test_lenient.py",
        *http,
        repair="mend what failed, or raise the bound in pyproject.toml",
        **AGAIN,
    )


@shared
def lint(session: nox.Session) -> None:
    """Check hand-written code with ruff and black, and the workflows with actionlint where it can be installed."""
    _enter(session)
    _run(session, "ruff", "check", *HAND_WRITTEN, repair="nox -s format, and mend by hand what it leaves")
    _run(session, "black", "--check", "--quiet", *HAND_WRITTEN, repair="nox -s format")
    actionlint = _actionlint(session)
    if actionlint is None:
        session.warn("the workflows in .github/ are not linted, because actionlint cannot be installed here")
    else:
        _run(
            session, actionlint, *map(str, sorted(Path(".github/workflows").glob("*.yml"))), repair="mend the workflow"
        )


def _actionlint(session: nox.Session) -> str | None:
    """Return the path of actionlint; None if it cannot be installed: its package fetches a program when it is built."""
    folder = Path(session.create_tmp()).resolve() / "actionlint"
    program = folder / ("Scripts/actionlint.exe" if sys.platform == "win32" else "bin/actionlint")
    if not program.is_file():
        if not _reaches("github.com"):
            # The package would try for half a minute.
            return None
        try:
            _fresh_venv(session, "actionlint", *_group("workflows"))
        except CommandFailed:
            return None
    return str(program)


def _reaches(host: str) -> bool:
    """Return whether a host can be reached, as far as that is known: a proxy may reach what this machine does not."""
    if urllib.request.getproxies():
        return True
    try:
        socket.create_connection((host, 443), timeout=10).close()
    except OSError:
        return False
    return True


@shared(name="format", default=False)
def format_(session: nox.Session) -> None:
    """Apply the repairs of ruff and black."""
    _enter(session)
    _python(session, "-m", "ruff", "check", "--fix", "--exit-zero", *HAND_WRITTEN)
    _python(session, "-m", "black", *HAND_WRITTEN)


@shared
def types(session: nox.Session) -> None:
    """Check types strictly with mypy and pyright: the generator and what it emits. Programs are checked by the tests."""
    _enter(session)
    repair = "mend the types above; for those in generated/, mend the emitter"
    _run(session, "mypy", "-p", "mcp_bindgen", "-p", "mcp_bindings_runtime", "-p", "mcp_bindings", repair=repair)
    _run(session, "pyright", repair=repair, **PYRIGHT)


BRIDGED = (
    ("2025-11-25", "2026-07-28", "server"),
    ("2026-07-28", "2025-11-25", "server"),
    ("2025-11-25", "2026-07-28", "program"),
)
"""Revision of a server, revision as whose server it is judged, and whether the bridge is in the server or a program."""
OAUTH_SCENARIOS = "^auth/"
"""Scenarios that the official suite does not score, and that must pass."""


@shared
def in_sync(session: nox.Session) -> None:
    """Compare generated/ with the generator's output."""
    _enter(session)
    _run(session, "mcp-codegen", "check", repair="nox -s generate")


@shared(default=False)
def generate(session: nox.Session) -> None:
    """Generate all bundled revisions into generated/."""
    _enter(session)
    _python(session, "-m", "mcp_bindgen", "--version", "all")


@shared(default=False)
def revisions(session: nox.Session) -> None:
    """Rewrite the pages in docs/revisions/; the tests compare them with the generated text."""
    _enter(session)
    _python(session, "docs/revisions/pages.py")


@shared(default=False)
def options(session: nox.Session) -> None:
    """Rewrite the tables of options, limits and the bridge and the pictures of commands in docs/; the tests compare them."""
    _enter(session)
    for script in WRITTEN_PARTS:
        _python(session, script)


@shared(default=False)
def charts(session: nox.Session) -> None:
    """Write docs/performance.md and docs/charts/ from the figures of docs/benchmarks.md; the tests compare them."""
    _enter(session)
    session.chdir("tests")
    _python(session, "-m", "benchmarks.performance")


@nox.session(default=False)
def next_revision(session: nox.Session) -> None:
    """Add a made-up revision to a copy of the checkout, as docs/adding-a-revision.md says, and run the quick tests there.

    It takes 10 to 15 minutes, so it is not among the default sessions.
    """
    checkout = Path(session.create_tmp()).resolve() / "checkout"
    shutil.rmtree(checkout, ignore_errors=True)
    checkout.mkdir()
    session.run("python", "tests/next_revision", str(checkout))
    with session.chdir(checkout):
        _install(session, "test", "mounts")
        session.run("mcp-codegen", "--version", "all", silent=True)
        for script in ("docs/revisions/pages.py", *WRITTEN_PARTS):
            _python(session, script, silent=True)
        tests = session.posargs or QUICK
        repair = "mend what failed here, not in the copy; then nox -s next_revision -- tests/that/failed.py"
        _run(session, "pytest", *_spread(session), *tests, repair=repair, **AGAIN)


@shared
def vendored(session: nox.Session) -> None:
    """Use a copy made with --out in an environment with only attrs and cattrs."""
    _enter(session)
    python = _fresh_venv(session, "attrs-and-cattrs", "attrs", "cattrs")
    tests = "tests/packaging/test_vendored.py"
    _run(session, "pytest", tests, repair="mend what failed, then nox -s vendored", MCP_BINDINGS_VENDORED_PYTHON=python)


@shared
def build(session: nox.Session) -> None:
    """Build sdist and wheel, and test the wheel in an installation outside the checkout."""
    _enter(session)
    dist = Path(session.create_tmp()).resolve() / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    # The wheel is built from the sdist, so that what the sdist lacks shows.
    _python(session, "-m", "build", "--outdir", str(dist), silent=True)
    (wheel,) = dist.glob("*.whl")
    env = {
        "MCP_BINDINGS_DIST": str(dist),
        "MCP_BINDINGS_PYTHON": _fresh_venv(session, "bindings", str(wheel)),
        "MCP_BINDINGS_FAST_PYTHON": _fresh_venv(session, "fast", f"{wheel}[fast]"),
        "MCP_CODEGEN_PYTHON": _fresh_venv(session, "codegen", f"{wheel}[codegen]"),
    }
    # That wrong programs have errors is tested in the checkout.
    chosen = ("tests/packaging", "tests/typing", "-k", "not vendored and not wrong_programs")
    _pytest(session, *chosen, repair="mend what failed, then nox -s build", **env, **PYRIGHT)


@shared
def docs(session: nox.Session) -> None:
    """Build the site into site/; its snippets run among the tests."""
    _enter(session)
    # The theme's advertisement for its makers' other products is no warning about this site.
    _run(session, "mkdocs", "build", "--strict", "--quiet", repair="mend docs/ or mkdocs.yml", NO_MKDOCS_2_WARNING="1")
    remote = re.compile(r'<(?:script|img)[^>]* src="https?:|<link[^>]* rel="?(?:stylesheet|preconnect)[^>]*https?:')
    fetching = [str(page) for page in Path("site").rglob("*.html") if remote.search(page.read_text(encoding="utf-8"))]
    if fetching:
        session.error(f"pages that load something from elsewhere: {', '.join(fetching)}")


def _upstream() -> Path | None:
    named = os.environ.get("MCP_UPSTREAM")
    folder = Path(named) if named else UPSTREAM
    return folder if folder.is_dir() else None


@shared
def differential(session: nox.Session) -> None:
    """Compare with an independent generator's reading of the official schema.json.

    Values are drawn at three tenths of the scale; ``-- 1``, or ``-- 10``, draws more of them.
    """
    if not any((ROOT / "tests" / "differential").glob("test_*.py")):
        session.skip("there are no tests in tests/differential")
    if _upstream() is None:
        session.skip("there are no official schema files; fetch them with: nox -s upstream")
    _enter(session)
    scale = {"MCP_DIFFERENTIAL_SCALE": session.posargs[0] if session.posargs else "0.3"}
    repair = "mend what failed, then nox -s differential"
    _run(session, "pytest", *_spread(session), "tests/differential", repair=repair, **scale)


def _free_port() -> int:
    """Return a port that the system assigns to no other socket before the server listens; it assigns those above 32767."""
    while True:
        port = random.randrange(12_000, 32_000)
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return port


def _answers(npm: str) -> bool:
    """Return whether npm reaches its configured registry."""
    try:
        return not subprocess.run([npm, "ping"], capture_output=True, check=False, timeout=60).returncode
    except subprocess.TimeoutExpired:
        return False


@shared
def conformance(session: nox.Session) -> None:
    """Run the official conformance suite against our fixture server and client, and against servers behind the bridge."""
    npm = shutil.which("npm")
    if npm is None or not _answers(npm):
        session.skip("needs npm and the registry that it is set up for, to fetch the official suite")
    _enter(session)
    folder = ROOT / "tests" / "conformance"
    suite = ("bash", str(folder / "conformance.sh"))
    server = f"exec {shlex.join(['python', str(folder / 'server.py')])}"
    env = {"CONFORMANCE_CACHE": str(Path(session.create_tmp()).resolve() / "suite")}
    for revision in ("2025-11-25", "2026-07-28"):
        port = _free_port()
        leg = ("server", f"http://127.0.0.1:{port}/mcp", revision, "--start", f"{server} --port {port}")
        session.run(*suite, *leg, "--all", "--verbose", external=True, env=env)
        client = ("client", f"python {folder / 'client.py'}", revision, "--require", OAUTH_SCENARIOS, "--no-warnings")
        session.run(*suite, *client, "--all", "--verbose", external=True, env=env)
    for own, judged, bridge in BRIDGED:
        port, behind = _free_port(), _free_port()
        start = f"{server} --port {port} --bridge {own}"
        if bridge == "program":
            listens = f"until (exec 3<>/dev/tcp/127.0.0.1/{behind}) 2>/dev/null; do sleep 0.1; done"
            command = f"mcp-codegen bridge --http {port} --url http://127.0.0.1:{behind}/mcp"
            start = f"{server.removeprefix('exec ')} --port {behind} {own} & bash -c '{listens}' && exec {command}"
        impossible = _impossible_checks(folder / "impossible.toml", own, judged, bridge)
        leg = ("server", f"http://127.0.0.1:{port}/mcp", judged, "--start", start, *impossible)
        session.run(*suite, *leg, "--no-warnings", "--verbose", external=True, env=env)
    client = ("client", f"python {folder / 'client.py'}", "2025-03-26", "--no-warnings", "--verbose")
    for each in ("metadata-backcompat", "endpoint-fallback"):
        client = (*client, "--scenario", f"auth/2025-03-26-oauth-{each}")
    session.run(*suite, *client, external=True, env=env)


def _impossible_checks(listed: Path, own: str, judged: str, bridge: str) -> list[str]:
    """Return the options for the checks that a server of one revision cannot pass as one of another."""
    checks = tomllib.loads(listed.read_text(encoding="utf-8"))["check"]
    pair = (own, judged)
    chosen = [each for each in checks if (each["server"], each["judged_as"]) == pair and bridge in each["bridge"]]
    return [part for each in chosen for part in ("--impossible", f"{each['scenario']}:{each['check']}")]


@shared(default=False)
def interop(session: nox.Session) -> None:
    """Test with servers and clients of other projects, from the package registries; docs/interop.md lists them."""
    if shutil.which("npm") is None:
        session.skip("needs npm, which installs the programs that are written in TypeScript")
    _enter(session)
    node = Path(session.create_tmp()).resolve() / "node"
    node.mkdir(exist_ok=True)
    shutil.copy(ROOT / "tests" / "interop" / "package.json", node)
    session.run("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(node), external=True)
    env = {
        "MCP_INTEROP_SDK": _fresh_venv(session, "sdk", *_group("interop-sdk")),
        "MCP_INTEROP_FASTMCP": _fresh_venv(session, "fastmcp", *_group("interop-fastmcp")),
        "MCP_INTEROP_FIRST_SDK": _fresh_venv(session, "first-sdk", *_group("interop-first-sdk")),
        "MCP_INTEROP_NODE": str(node),
    }
    chosen = session.posargs or ["tests/interop"]
    _run(session, "pytest", *chosen, repair="mend what failed; if it is theirs, say so in docs/interop.md", **env)


@shared(default=False)
def adapters(session: nox.Session) -> None:
    """Test the adapters and traces with the libraries of other projects that they are for."""
    _enter(session)
    env = {"MCP_INTEROP_ADAPTERS": _fresh_venv(session, "adapters", "-e", ".", *_group("interop-adapters"))}
    chosen = session.posargs or ["tests/interop/test_adapters.py", "tests/interop/test_traces.py"]
    _run(session, "pytest", *chosen, repair="mend what failed; a new release may have changed an interface", **env)


@shared(default=False)
def fuzz(session: nox.Session) -> None:
    """Decode mutated messages for a minute, or for `-- --seconds N`; save failing messages as tests."""
    _enter(session)
    session.chdir("tests")
    _python(session, "-m", "fuzz", *session.posargs)


@shared(default=False)
def subsumption(session: nox.Session) -> None:
    """Compare verdicts on tools with the truth: 10,000 instances for each pair of schemas, and mutations of tools."""
    _enter(session)
    env = {"MCP_BINDINGS_INSTANCES": session.posargs[0] if session.posargs else "10000"}
    _run(session, "pytest", "tests/subsumption", repair="mend the proof that has a counterexample", **env)
    session.chdir("tests")
    _python(session, "-m", "diff.tools.mutation_operators", env={"PYTHONPATH": "."})


@shared(default=False)
def public_servers(session: nox.Session) -> None:
    """Compare releases of public servers, judge mutations of their tools, and call them through typed clients."""
    if shutil.which("npm") is None:
        session.skip("needs npm, which installs the servers that are written in TypeScript")
    _enter(session)
    folder = Path(session.create_tmp()).resolve() / "servers"
    session.chdir("tests")
    _python(session, "-m", "public_servers", str(folder), *session.posargs)


@shared(default=False)
def soak(session: nox.Session) -> None:
    """Run long conversations: eight threads with 5,000 calls each, or with `-- N`."""
    _enter(session)
    times = session.posargs[0] if session.posargs else "5000"
    env = {"MCP_BINDINGS_SOAK": times, "MCP_BINDINGS_STARTS": "1000"}
    _python(
        session,
        "-m",
        "pytest",
        "tests/runtime/conversations",
        "-k",
        "long_conversation or leave_nothing_behind",
        env=env,
    )


@shared(default=False, allow_parallel=False)
def http_soak(session: nox.Session) -> None:
    """Soak HTTP servers for half an hour each, or for `-- --seconds N`: hostile peers, restarts, few descriptors."""
    _enter(session)
    session.chdir("tests")
    _python(session, "-m", "http_soak", *session.posargs)


@shared(default=False, allow_parallel=False)
def bench(session: nox.Session) -> None:
    """Run all benchmarks, with medians of this run, and write docs/benchmarks.md, docs/performance.md and docs/charts/.

    With ``-- --only codec --quick`` the results are printed and not written.
    """
    _enter(session)
    extras = PROJECT["project"]["optional-dependencies"]
    needed = (*PROJECT["project"]["dependencies"], *extras["http"])
    environments = {
        "fast": (*needed, *extras["fast"]),
        "standard": needed,
        "peer": _group("bench-peer"),
        "proxy": _group("bench-proxy"),
        "structs": _group("bench-structs"),
    }
    options = [f"--{name}={_fresh_venv(session, name, *packages)}" for name, packages in environments.items()]
    if not any(each.startswith(("--only", "--quick")) for each in session.posargs):
        options += ["--page", str(ROOT / "docs" / "benchmarks.md")]
    folder = _upstream()
    if folder is None:
        session.warn("there are no official schema files to measure generation with; fetch them with: nox -s upstream")
    else:
        options += ["--upstream", str(folder.resolve())]
    session.chdir("tests")
    _python(session, "-m", "benchmarks", *options, *session.posargs)


@nox.session(default=False, allow_parallel=False)
def scale(session: nox.Session) -> None:
    """Measure servers with many sessions, streams and processes, and print the figures of docs/running-at-scale.md.

    With ``-- --only streams --quick`` one part is measured, with few of everything.
    """
    _install(session, "test")
    session.chdir("tests")
    session.run("python", "-m", "benchmarks.scale", *session.posargs)


@nox.session(default=False, venv_backend="none")
def upstream(session: nox.Session) -> None:
    """Fetch the official schema files and pages that ours were checked against into .upstream/ (network)."""
    official = tomllib.loads((ROOT / "schema" / "official.toml").read_text(encoding="utf-8"))
    for revision, entry in official["revisions"].items():
        address = f"https://raw.githubusercontent.com/{official['repository']}/{entry['commit']}/schema/{revision}"
        for name, key in (("schema.ts", "sha256"), ("schema.json", "json_sha256")):
            if key in entry:
                _fetch(session, f"{address}/{name}", UPSTREAM / revision / name, entry[key])
    drafts = tomllib.loads((ROOT / "tests" / "schema" / "extensions.toml").read_text(encoding="utf-8"))
    for row in drafts["file"]:
        address = f"https://raw.githubusercontent.com/{row['repository']}/{row['commit']}/{row['path']}"
        _fetch(session, address, UPSTREAM / "extensions" / row["extension"] / f"{row['name']}.ts", row["sha256"])
    record = tomllib.loads((ROOT / "tests" / "docs" / "specification.toml").read_text(encoding="utf-8"))
    for page in record["page"]:
        place = f"{page['revision']}/{page['name']}.mdx"
        origin = {**record, "path": f"docs/specification/{place}", **page.get("origin", {})}
        address = f"https://raw.githubusercontent.com/{origin['repository']}/{origin['commit']}/{origin['path']}"
        _fetch(session, address, UPSTREAM / page["revision"] / "pages" / f"{page['name']}.mdx", page["sha256"])
    session.log(f"the official files are in {UPSTREAM.name}/; the tests find them there")


def _fetch(session: nox.Session, address: str, target: Path, sha256: str) -> None:
    if target.is_file() and hashlib.sha256(target.read_bytes()).hexdigest() == sha256:
        session.log(f"{target.relative_to(ROOT)}: already there")
        return
    try:
        with urllib.request.urlopen(address, timeout=30) as answer:
            data = answer.read()
    except (urllib.error.URLError, TimeoutError) as problem:
        reason = getattr(problem, "reason", problem)
        session.error(
            f"cannot fetch {address}: {reason}; the tests do without these files, and skip what compares with them"
        )
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        session.error(f"{address} has the sha256 {found}, the record says {sha256}; nothing was written")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    session.log(f"{target.relative_to(ROOT)}: fetched, {len(data)} bytes")
