"""Sessions that check the project: ``nox`` runs the default ones, ``nox -s NAME`` one, ``nox -l`` lists them."""

from __future__ import annotations

import hashlib
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
from pathlib import Path

import nox
from nox.command import CommandFailed

ROOT = Path(__file__).parent
PROJECT = nox.project.load_toml("pyproject.toml")
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
HAND_WRITTEN = ["codegen", "tests", "docs", "noxfile.py"]
UPSTREAM = ROOT / ".upstream"

nox.needs_version = ">=2026.8.10"
nox.options.default_venv_backend = "virtualenv"
nox.options.reuse_venv = "yes"
# Whoever has one interpreter tests with one, on a build machine too.
nox.options.error_on_missing_interpreters = False
# Where two go by at a time (``nox --parallel 2``), the others do so beside the first, which is the longest.
nox.options.allow_parallel = True
nox.options.sessions = [
    "tests",
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
CPUS = os.cpu_count() or 1

# pyenv's shims stand for the interpreter in use only; the others are found in their own folders.
_PYENV = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv").glob("versions/3.1[1-9].*/bin")
os.environ["PATH"] = os.pathsep.join([*map(str, sorted(_PYENV)), os.environ.get("PATH", "")])

# Not everywhere an interpreter is found by its name; the one that runs this is there in any case.
PRESENT = [each for each in PYTHONS if shutil.which(f"python{each}")] or [
    f"{sys.version_info.major}.{sys.version_info.minor}"
]
USED = (
    "tests/runtime",
    "tests/typing",
    "tests/bindings/test_hostile_texts.py",
    "tests/bindings/test_messages.py",
    "tests/bindings/test_records.py",
    "tests/bindings/test_request_methods.py",
    "tests/bindings/test_round_trips.py",
)
"""Tests of the parts that users import and that depend on the interpreter: threads, processes, sockets, JSON, classes.

Values of the revisions, and the generator, are tested on the oldest available Python.
"""
QUICK = (
    *(f"tests/bindings/test_{name}.py" for name in ("between_revisions", "messages", "records", "request_methods")),
    "tests/cli",
    "tests/describe",
    "tests/docs",
    "tests/resolve",
    "tests/runtime/conversations",
    "tests/runtime/features",
    "tests/runtime/http",
    "tests/runtime/session",
    "tests/schema",
    "tests/support",
    "tests/validate",
)
"""Tests that depend on which revisions there are, except for those that take minutes each."""
AGAIN = {"HYPOTHESIS_PROFILE": "again"}
"""Hypothesis profile for tests that another session runs with more examples."""


def _group(*names: str) -> tuple[str, ...]:
    return nox.project.dependency_groups(PROJECT, *names)


def _install(session: nox.Session, *groups: str) -> None:
    """Install the checkout, editable and with the generator, and the other packages that the session needs."""
    # What is imported is compiled then; most of what is installed never is.
    session.install("--no-compile", "-e", ".[codegen]", *_group(*groups))


def _spread(session: nox.Session, *, beside: int = CPUS // 2) -> tuple[str, ...]:
    """Return options of pytest: one process for each CPU, or ``beside`` while another session runs."""
    processes = beside if session.parallel else CPUS
    return ("-n", str(processes), "--dist", "worksteal") if processes > 1 else ()


def _run(session: nox.Session, *command: str, repair: str, **env: str) -> None:
    """Run a command; if it fails, print the command that repairs it."""
    try:
        session.run(*command, env=env)
    except CommandFailed:
        session.error(f"{command[0]} failed; to repair: {repair}")


def _fresh_venv(session: nox.Session, name: str, *packages: str) -> str:
    """Create an environment that contains only ``packages``; return its interpreter."""
    folder = Path(session.create_tmp()).resolve() / name
    shutil.rmtree(folder, ignore_errors=True)
    # nox brings virtualenv along, which makes one in a tenth of the time that venv takes.
    made_by = shutil.which("python", path=session.bin) or "python"
    session.run(sys.executable, "-m", "virtualenv", "-q", "-p", made_by, str(folder), external=True, silent=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    session.run(str(python), "-m", "pip", "install", "-q", *packages, external=True, silent=True)
    return str(python)


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the tests on every available interpreter: all on the oldest, those of imported parts on the others."""
    _install(session, "test")
    again = f"nox -s {session.name} -- tests/that/failed.py"
    everything = session.python in PRESENT[:1]
    tests = session.posargs or ([] if everything else USED)
    spread = _spread(session, beside=CPUS) if everything else _spread(session)
    profile = {} if everything or session.posargs else AGAIN
    _run(session, "pytest", *spread, *tests, repair=f"mend what failed, then {again}", **profile)


@nox.session
def oldest(session: nox.Session) -> None:
    """Test the bindings with the oldest supported libraries, HTTP included where it uses their internals."""
    _install(session, "test")
    project = PROJECT["project"]
    allowed = (*project["dependencies"], *project["optional-dependencies"]["http"])
    session.install(*(each.replace(">=", "==") for each in allowed))
    http = [f"tests/runtime/http/test_{name}.py" for name in ("client_plain", "heads", "load", "raw_requests")]
    _run(
        session,
        "pytest",
        *_spread(session),
        "tests/bindings",
        *http,
        repair="mend what failed, or raise the bound in pyproject.toml",
        **AGAIN,
    )


@nox.session
def lint(session: nox.Session) -> None:
    """Check hand-written code with ruff and black."""
    session.install(*_group("lint"))
    _run(session, "ruff", "check", *HAND_WRITTEN, repair="nox -s format, and mend by hand what it leaves")
    _run(session, "black", "--check", "--quiet", *HAND_WRITTEN, repair="nox -s format")


@nox.session(name="format", default=False)
def format_(session: nox.Session) -> None:
    """Apply the repairs of ruff and black."""
    session.install(*_group("lint"))
    session.run("ruff", "check", "--fix", "--exit-zero", *HAND_WRITTEN)
    session.run("black", *HAND_WRITTEN)


@nox.session
def types(session: nox.Session) -> None:
    """Check types strictly with mypy and pyright: the generator, what it emits, and programs that use it."""
    _install(session, "types", "test")
    packages = ("-p", "mcp_bindgen", "-p", "mcp_bindings_runtime", "-p", "mcp_bindings")
    _run(session, "mypy", *packages, repair="mend the types above; for those in generated/, mend the emitter")
    _run(session, "pyright", repair="mend the types above; for those in generated/, mend the emitter", **PYRIGHT)
    chosen = ("tests/typing", "tests/emit/test_nasty_schemas.py", "-k", "typing or strictly")
    _run(session, "pytest", *chosen, repair="mend tests/typing, or what its programs use; or the emitter", **PYRIGHT)


PYRIGHT = {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
"""Stops pyright from checking the network for a newer version."""


@nox.session
def in_sync(session: nox.Session) -> None:
    """Compare generated/ with the generator's output."""
    session.install("-e", ".[codegen]")
    _run(session, "mcp-codegen", "check", repair="nox -s generate")


@nox.session(default=False)
def generate(session: nox.Session) -> None:
    """Generate all bundled revisions into generated/."""
    session.install("-e", ".[codegen]")
    session.run("mcp-codegen", "--version", "all")


@nox.session(default=False)
def revisions(session: nox.Session) -> None:
    """Rewrite the pages in docs/revisions/; the tests compare them with the generated text."""
    session.install("-e", ".[codegen]")
    session.run("python", "docs/revisions/pages.py")


@nox.session(default=False)
def options(session: nox.Session) -> None:
    """Rewrite the tables of options in docs/; the tests compare them with the generated text."""
    session.install("-e", ".[codegen]")
    session.run("python", "docs/option_tables.py")


@nox.session(default=False)
def next_revision(session: nox.Session) -> None:
    """Add a made-up revision to a copy of the checkout, as docs/adding-a-revision.md says, and run the quick tests there.

    It takes more than three minutes, so it is not among the default sessions.
    """
    checkout = Path(session.create_tmp()).resolve() / "checkout"
    shutil.rmtree(checkout, ignore_errors=True)
    checkout.mkdir()
    session.run("python", "tests/next_revision", str(checkout))
    with session.chdir(checkout):
        _install(session, "test")
        session.run("mcp-codegen", "--version", "all", silent=True)
        session.run("python", "docs/revisions/pages.py", silent=True)
        session.run("python", "docs/option_tables.py", silent=True)
        tests = session.posargs or QUICK
        repair = "mend what failed here, not in the copy; then nox -s next_revision -- tests/that/failed.py"
        _run(session, "pytest", *_spread(session), *tests, repair=repair, **AGAIN)


@nox.session
def vendored(session: nox.Session) -> None:
    """Use a copy made with --out in an environment with only attrs and cattrs."""
    _install(session, "test")
    python = _fresh_venv(session, "attrs-and-cattrs", "attrs", "cattrs")
    tests = "tests/packaging/test_vendored.py"
    _run(session, "pytest", tests, repair="mend what failed, then nox -s vendored", MCP_BINDINGS_VENDORED_PYTHON=python)


@nox.session
def build(session: nox.Session) -> None:
    """Build sdist and wheel, and test the wheel in an installation outside the checkout."""
    _install(session, "test", "types")
    session.install("build")
    dist = Path(session.create_tmp()).resolve() / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    # The wheel is built from the sdist, so that what the sdist lacks shows.
    session.run("python", "-m", "build", "--outdir", str(dist), silent=True)
    (wheel,) = dist.glob("*.whl")
    env = {
        "MCP_BINDINGS_DIST": str(dist),
        "MCP_BINDINGS_PYTHON": _fresh_venv(session, "bindings", str(wheel)),
        "MCP_BINDINGS_FAST_PYTHON": _fresh_venv(session, "fast", f"{wheel}[fast]"),
        "MCP_CODEGEN_PYTHON": _fresh_venv(session, "codegen", f"{wheel}[codegen]"),
    }
    chosen = ("tests/packaging", "tests/typing", "--ignore=tests/packaging/test_vendored.py")
    _run(session, "pytest", *chosen, repair="mend what failed, then nox -s build", **env, **PYRIGHT)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the site into site/; its snippets run among the tests."""
    session.install("-e", ".[codegen]", *_group("docs"))
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


@nox.session
def differential(session: nox.Session) -> None:
    """Compare with an independent generator's reading of the official schema.json.

    Values are drawn at three tenths of the scale; ``-- 1``, or ``-- 10``, draws more of them.
    """
    if not any((ROOT / "tests" / "differential").glob("test_*.py")):
        session.skip("there are no tests in tests/differential")
    if _upstream() is None:
        session.skip("there are no official schema files; fetch them with: nox -s upstream")
    _install(session, "test", "differential")
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


@nox.session
def conformance(session: nox.Session) -> None:
    """Run the official conformance suite, required and other scenarios, against our fixture server and client."""
    npm = shutil.which("npm")
    if npm is None or not _answers(npm):
        session.skip("needs npm and the registry that it is set up for, to fetch the official suite")
    _install(session, "test")
    folder = ROOT / "tests" / "conformance"
    suite = ("bash", str(folder / "conformance.sh"))
    server = f"exec {shlex.join(['python', str(folder / 'server.py')])}"
    env = {"CONFORMANCE_CACHE": str(Path(session.create_tmp()).resolve() / "suite")}
    for revision in ("2025-11-25", "2026-07-28"):
        port = _free_port()
        leg = ("server", f"http://127.0.0.1:{port}/mcp", revision, "--start", f"{server} --port {port}")
        session.run(*suite, *leg, "--all", "--verbose", external=True, env=env)
        client = ("client", f"python {folder / 'client.py'}", revision, "--exclude", "^auth/")
        session.run(*suite, *client, "--all", "--verbose", external=True, env=env)


@nox.session(default=False)
def interop(session: nox.Session) -> None:
    """Test with servers and clients of other projects, from the package registries; docs/interop.md lists them."""
    if shutil.which("npm") is None:
        session.skip("needs npm, which installs the programs that are written in TypeScript")
    _install(session, "test")
    node = Path(session.create_tmp()).resolve() / "node"
    node.mkdir(exist_ok=True)
    shutil.copy(ROOT / "tests" / "interop" / "package.json", node)
    session.run("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(node), external=True)
    env = {
        "MCP_INTEROP_SDK": _fresh_venv(session, "sdk", *_group("interop-sdk")),
        "MCP_INTEROP_FASTMCP": _fresh_venv(session, "fastmcp", *_group("interop-fastmcp")),
        "MCP_INTEROP_NODE": str(node),
    }
    chosen = session.posargs or ["tests/interop"]
    _run(session, "pytest", *chosen, repair="mend what failed; if it is theirs, say so in docs/interop.md", **env)


@nox.session(default=False)
def fuzz(session: nox.Session) -> None:
    """Decode mutated messages for a minute, or for `-- --seconds N`; save failing messages as tests."""
    _install(session, "test")
    session.chdir("tests")
    session.run("python", "-m", "fuzz", *session.posargs)


@nox.session(default=False)
def soak(session: nox.Session) -> None:
    """Run long conversations: eight threads with 5,000 calls each, or with `-- N`."""
    _install(session, "test")
    times = session.posargs[0] if session.posargs else "5000"
    env = {"MCP_BINDINGS_SOAK": times, "MCP_BINDINGS_STARTS": "1000"}
    session.run("pytest", "tests/runtime/conversations", "-k", "long_conversation or leave_nothing_behind", env=env)


@nox.session(default=False, allow_parallel=False)
def http_soak(session: nox.Session) -> None:
    """Soak HTTP servers for half an hour each, or for `-- --seconds N`: hostile peers, restarts, few descriptors."""
    _install(session, "test")
    session.chdir("tests")
    session.run("python", "-m", "http_soak", *session.posargs)


@nox.session(default=False, allow_parallel=False)
def bench(session: nox.Session) -> None:
    """Run all benchmarks, with medians of this run, and write docs/benchmarks.md.

    With ``-- --only codec --quick`` the results are printed and not written.
    """
    _install(session, "differential")
    extras = PROJECT["project"]["optional-dependencies"]
    needed = (*PROJECT["project"]["dependencies"], *extras["http"])
    environments = {
        "fast": (*needed, *extras["fast"]),
        "standard": needed,
        "peer": _group("bench-peer"),
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
    session.run("python", "-m", "benchmarks", *options, *session.posargs)


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
