"""Clients of one server: calls answered by a real process, strict types, stable text, and the command that writes them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import black
import pytest
from checkout import REVISIONS
from mcp_bindings import v2025_11_25 as mcp
from mcp_bindings_runtime.errors import DecodeError, EncodeError, ToolFailed, UsageError
from mcp_bindings_runtime.unset import UNSET
from support.server_packages import import_package, write_package

HERE = Path(__file__).parent
SERVER = HERE / "weather_server.py"
OFFERS = json.loads((HERE / "weather.json").read_text(encoding="utf-8"))


def command(revision: str) -> list[str]:
    return [sys.executable, str(SERVER), revision]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return import_package(OFFERS, tmp_path_factory.mktemp("client"))


@pytest.fixture(scope="module", params=REVISIONS)
def weather(package: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    cls = next(value for name, value in vars(package).items() if name.startswith("Server"))
    with cls.stdio(command(request.param)) as client:
        assert client.client.binding.revision == request.param
        yield client


def test_a_call_is_answered_in_the_types_of_the_tool(weather: Any, package: Any) -> None:
    types = package.types
    result = weather.get_forecast("Bergen", near=types.GetForecastPoint(lat=60.4, lon=5), timeout_=2.5, foo_bar="x")
    assert isinstance(result, types.GetForecastResult)
    assert [day.high for day in result.days] == [21.5, 1]
    assert (result.days[0].wind, result.days[1].wind) == (None, UNSET)
    assert result.days[0].hour_by_hour == [1, 2.5]
    assert result.place == types.GetForecastCity(name="Bergen")
    assert result.extra["unknown"] == {"kept": None}
    sent = {"city": "Bergen", "days": 3, "near": {"lat": 60.4, "lon": 5}, "timeout": 2.5, "fooBar": "x"}
    assert result.extra["arguments"] == sent


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_recording_stands_in_for_the_server(package: Any, revision: str, tmp_path: Path) -> None:
    cls = next(value for name, value in vars(package).items() if name.startswith("Server"))
    recording = tmp_path / "session.jsonl"
    with cls.stdio(command(revision), record=recording) as live:
        expected = (live.get_forecast("Bergen"), live.find_place("Bergen"))
    with cls.replay(recording) as replayed:
        # A recording is served in every revision, and `connect` uses the newest.
        assert replayed.client.binding.revision == REVISIONS[-1]
        assert (replayed.get_forecast("Bergen"), replayed.find_place("Bergen")) == expected


def test_null_and_absent_arguments_differ(weather: Any) -> None:
    assert "units" not in weather.get_forecast("Oslo").extra["arguments"]
    assert weather.get_forecast("Oslo", units=None).extra["arguments"]["units"] is None


def test_recursive_types_are_decoded(weather: Any, package: Any) -> None:
    found = weather.find_place("Bergen")
    assert found.tree.parts == [package.types.FindPlacePlace(name="Bergen", parts=[])]
    assert found.path == ["a", ["b", []]]


@pytest.mark.parametrize(
    ("value", "instead"),
    [
        (["python", "x.py"], r"to start a server, write Server\w*\.stdio\(\['python', 'x.py'\]\)$"),
        ("http://a/mcp", r"to connect to a URL, write Server\w*\.http\('http://a/mcp'\)$"),
        (mcp.Server("s", "1"), r"write connect\.in_memory\(server\), and pass what that returns$"),
    ],
)
def test_what_is_no_client_is_refused_with_what_to_write(package: Any, value: Any, instead: str) -> None:
    cls = next(value for name, value in vars(package).items() if name.startswith("Server"))
    with pytest.raises(UsageError, match=instead):
        cls(value)


def test_a_program_apart_from_its_arguments_is_refused_with_what_to_write(package: Any) -> None:
    cls = next(value for name, value in vars(package).items() if name.startswith("Server"))
    with pytest.raises(UsageError, match=r"write Server\w*\.stdio\(\['python', 'x.py'\]\)$"):
        cls.stdio("python", ["x.py"])


def test_a_tool_without_a_schema_returns_the_result_of_the_revision(weather: Any) -> None:
    result = weather.list_({"a": 1})
    assert result.data == {"arguments": {"a": 1}}
    assert json.loads(result.text) == {"arguments": {"a": 1}}


def test_a_tool_that_fails_raises_with_its_result(weather: Any) -> None:
    with pytest.raises(ToolFailed, match="no such station") as caught:
        weather.get_forecast_2()
    assert caught.value.result.is_error


def test_prompts_and_templates_are_methods(weather: Any) -> None:
    greeting = weather.prompt_greet("Ada", in_="no")
    assert json.loads(greeting.messages[0].content.text) == {"who": "Ada", "in": "no"}
    assert weather.read_station("no", "b/c").contents[0].uri == "weather://no/b%2Fc"


def test_resources_are_methods_named_by_their_names_and_by_their_uris_where_these_are_equal(weather: Any) -> None:
    uris = {
        "read_map_north": "weather://maps/{north}/",
        "read_map_south": "weather://maps/south",
        # The template has the name `read_station`.
        "read_station_2": "weather://stations",
    }
    for name, uri in uris.items():
        assert getattr(weather, name)().contents[0].uri == uri
    assert "URI: `weather://maps/south`." in type(weather).read_map_south.__doc__


def test_a_wrong_argument_is_refused_with_its_place(weather: Any) -> None:
    with pytest.raises(EncodeError, match="days"):
        weather.get_forecast("Bergen", days="many")


def test_a_result_of_another_type_is_refused_with_its_place(package: Any) -> None:
    with pytest.raises(DecodeError, match="high"):
        package.converter.structure({"high": "x"}, package.types.GetForecastDay)


def python(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


def run(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run ``mcp-codegen``."""
    return python("-m", "mcp_bindgen", *words, folder=folder)


PROGRAM = """
from typing import Literal
from weather import Weather, types

def use(weather: Weather) -> list[object]:
    found: list[object] = []
    result: types.GetForecastResult = weather.get_forecast("Bergen", days=2, units=None, near="here", timeout=5)
    place: types.GetForecastCity | types.GetForecastSea = result.place
    if isinstance(place, types.GetForecastSea):
        kind: Literal["sea"] = place.kind
        depth: int = place.depth
        found += [kind, depth]
    names: list[str] = [part.name for part in weather.find_place("x").tree.parts]
    text: str = weather.list_({"a": 1}).text
    highest: list[float] = [day.high for day in result.days]
    return [*found, *names, text, *highest]
"""
WRONG = """
from weather import Weather

def use(weather: Weather) -> None:
    weather.get_forecast(5)
    weather.get_forecast("Bergen", days="many")
    weather.get_forecast("Bergen", nosuch=1)
    weather.get_forecast()
    weather.get_forecast("Bergen", units="k")
    weather.list_({"a": "b"})
    weather.find_place("x").tree.size
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    write_package(OFFERS, folder, "weather", has_functions=True)
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    (folder / "wrong.py").write_text(WRONG, encoding="utf-8")
    return folder


def test_the_package_and_its_user_pass_mypy_and_a_wrong_user_does_not(project: Path) -> None:
    mypy = ["-m", "mypy", "--strict", "--cache-dir", ".cache"]
    right = python(*mypy, "-p", "weather", "-m", "program", folder=project)
    assert right.returncode == 0, right.stdout
    wrong = python(*mypy, "wrong.py", folder=project)
    lines = {line.split(":")[1] for line in wrong.stdout.splitlines() if ": error:" in line}
    assert lines == {str(number) for number in range(5, 12)}


def test_the_package_and_its_user_pass_pyright(project: Path) -> None:
    settings = {"typeCheckingMode": "strict", "include": ["weather", "program.py"]}
    (project / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    found = python("-m", "pyright", "--pythonpath", sys.executable, "-p", str(project), folder=project)
    assert found.returncode == 0, found.stdout


def test_the_command_writes_the_package_of_a_running_server(tmp_path: Path) -> None:
    made = run("client", "--out", "src/weather", "--", *command(REVISIONS[-1]), folder=tmp_path)
    assert made.returncode == 0, made.stderr
    assert made.stdout.startswith("Weather: 8 files, 4 tools, 1 prompt, 1 template, 3 resources, 10 types, ")
    assert "'get_forecast' is the method get_forecast_2" in made.stderr
    write_package(OFFERS, tmp_path / "expected", "weather")
    for file in sorted((tmp_path / "expected").rglob("*.py")):
        written = tmp_path / "src" / file.relative_to(tmp_path / "expected")
        assert written.read_text(encoding="utf-8") == file.read_text(encoding="utf-8")
    again = run("client", "--out", "src/weather", "--", *command(REVISIONS[0]), folder=tmp_path)
    assert again.stdout.startswith("Weather: unchanged, ")


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_the_docstring_of_a_member_that_may_be_null_has_its_constraints(tmp_path: Path, keyword: str) -> None:
    """Pydantic writes an optional value as a union with null."""
    limited = {"type": "integer", "minimum": 3, "description": "How many."}
    members = {
        "one": {keyword: [limited, {"type": "null"}]},
        "several": {keyword: [limited, {"type": "string"}, {"type": "null"}]},
    }
    tools = [{"name": "t", "inputSchema": {"type": "object", "properties": members}}]
    (tmp_path / "tools.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")
    done = run("client", "--from", "tools.json", "--out", "made", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "made/types.py").read_text(encoding="utf-8")
    assert '    one: int | None | Unset\n    """How many.\n\n    At least 3. ' in text
    assert text.count("At least 3.") == 1


def test_the_configured_package_is_generated_and_checked_with_the_lock_file(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[[tool.mcp-codegen.clients]]\nfrom = "lock.json"\nout = "src/weather"\nsplit = true\n', encoding="utf-8"
    )
    lock = tmp_path / "lock.json"
    lock.write_text(json.dumps(OFFERS), encoding="utf-8")
    bare = run(folder=tmp_path)
    assert bare.stdout.startswith("Weather: 18 files, 4 tools, "), bare.stderr
    assert run("check", folder=tmp_path).returncode == 0
    as_json = json.loads(run("generate", "--json", folder=tmp_path).stdout)
    assert [each["class"] for each in as_json["clients"]] == ["Weather"]
    shutil.rmtree(tmp_path / "src")
    before = run("check", folder=tmp_path)
    assert before.returncode == 1
    repair = "mcp-codegen client --from lock.json --out src/weather --split"
    assert repair in before.stderr
    assert run(*repair.split()[1:], folder=tmp_path).returncode == 0
    after = run("check", folder=tmp_path)
    assert (after.returncode, after.stdout) == (0, "src/weather is up to date with lock.json\n")
    changed = {**OFFERS, "tools": [{**each, "description": "New."} for each in OFFERS["tools"]]}
    lock.write_text(json.dumps(changed), encoding="utf-8")
    drifted = run("check", folder=tmp_path)
    assert drifted.returncode == 1
    assert '+        """New.' in drifted.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--out", "src/my-client", "--from", "lock.json"], "'my-client' cannot be the name of a package"),
        (["--out", "src/a", "--from", "nosuch.json"], "cannot read 'nosuch.json': No such file or directory"),
        (["--out", "src/a", "--from", "broken.json"], "broken.json#/tools/1: has the name 'a', as /tools/0 has"),
        (["--out", "src/a"], "no server given; run: mcp-codegen client --out FOLDER -- COMMAND"),
        (["--out", "src/a", "--from", "lock.json", "--url", "http://127.0.0.1:1"], "--from and a server given"),
        (["--out", "src/a", "--from", "lock.json", "--version", "2025-06-18"], "--version requires --vendored"),
        (["--out", "taken", "--from", "lock.json"], "contains another generated package, inner"),
        (
            ["--out", "scripts", "--from", "lock.json"],
            "scripts has files that mcp-codegen did not generate (a.py, b.py, c, …); choose a new folder, or pass --force",
        ),
        (
            ["--out", ".", "--from", "lock.json"],
            "has files that mcp-codegen did not generate (broken.json, lock.json, scr",
        ),
    ],
)
def test_a_mistake_is_explained_and_nothing_is_written(tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "lock.json").write_text(json.dumps(OFFERS), encoding="utf-8")
    (tmp_path / "broken.json").write_text('{"tools": [{"name": "a"}, {"name": "a"}]}', encoding="utf-8")
    inner = tmp_path / "taken" / "inner" / "types.py"
    inner.parent.mkdir(parents=True)
    inner.write_text("# Generated by mcp-codegen 0.1.0.\n", encoding="utf-8")
    (tmp_path / "scripts" / "c").mkdir(parents=True)
    for name in ("a.py", "b.py", "c/d.py", "e.py"):
        (tmp_path / "scripts" / name).touch()
    files = sorted(tmp_path.rglob("*"))
    done = run("client", *words, folder=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert sorted(tmp_path.rglob("*")) == files


def test_the_package_is_the_current_folder_and_may_have_files_of_its_user(tmp_path: Path) -> None:
    (tmp_path / "lock.json").write_text(json.dumps(OFFERS), encoding="utf-8")
    package = tmp_path / "weather"
    (package / "__pycache__").mkdir(parents=True)
    words = ["client", "--from", "../lock.json", "--out", "."]
    assert run(*words, folder=package).stdout.startswith("Weather: 8 files, ")
    (package / "mine.py").touch()
    (package / "client.py").unlink()
    assert run("client", "--from", "lock.json", "--out", "weather", folder=tmp_path).stdout.startswith(
        "Weather: 8 files, "
    )
    assert (package / "client.py").is_file()
    assert (package / "mine.py").is_file()


def test_a_vendored_package_imports_no_installed_bindings(tmp_path: Path) -> None:
    (tmp_path / "lock.json").write_text(json.dumps(OFFERS), encoding="utf-8")
    words = ["--from", "lock.json", "--out", "weather", "--vendored", "--version", REVISIONS[-1]]
    made = run("client", *words, folder=tmp_path)
    assert made.returncode == 0, made.stderr
    program = f"""
import sys
for name in ("mcp_bindings", "mcp_bindings_runtime", "mcp_bindgen"):
    sys.modules[name] = None
from weather import Weather
with Weather.stdio({command(REVISIONS[-1])!r}, inherit_env=True) as weather:
    print(weather.get_forecast("Bergen").days[0].high)
"""
    done = python("-c", program, folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "21.5\n"), done.stderr


def test_the_text_is_that_of_black(project: Path) -> None:
    for file in sorted(project.glob("weather/**/*.py")):
        text = file.read_text(encoding="utf-8")
        assert black.format_str(text, mode=black.Mode()) == text, file
