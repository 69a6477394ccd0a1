"""The composite action, the pre-commit hooks and the workflows name commands and sessions that exist."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from checkout import ROOT
from mcp_bindgen.cli.app import App

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
COMMANDS = ["check", "validate", "tools check", "diff"]


def steps_of(workflow: Path) -> list[dict[str, Any]]:
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"].values()
    return [step for job in jobs for step in job.get("steps", ())]


def run_action(folder: Path, command: str, arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the last step of the action as its host does."""
    step = ACTION["runs"]["steps"][-1]
    assert step["shell"] == "python"
    assert step["env"] == {"COMMAND": "${{ inputs.command }}", "ARGUMENTS": "${{ inputs.arguments }}"}
    script = folder / "step.py"
    script.write_text(step["run"], encoding="utf-8")
    env = {**os.environ, "COMMAND": command, "ARGUMENTS": arguments}
    return subprocess.run(
        [sys.executable, str(script)], cwd=folder, env=env, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("command", "arguments", "status"),
    [
        ("diff", "2025-06-18 2025-11-25 --fail-on none", 0),
        ("diff", "2025-11-25 2026-07-28", 1),
        ("validate", "'two words.jsonl'", 0),
        ("validate", "absent.jsonl", 2),
        ("tools check", "absent.json -- python server.py", 2),
    ],
)
def test_the_action_runs_the_command(tmp_path: Path, command: str, arguments: str, status: int) -> None:
    (tmp_path / "two words.jsonl").write_text('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n', encoding="utf-8")
    done = run_action(tmp_path, command, arguments)
    assert done.returncode == status, done.stderr


def test_files_of_the_working_directory_hide_no_modules_from_the_action(tmp_path: Path) -> None:
    (tmp_path / "queue.py").write_text("raise SystemExit('the wrong queue')\n", encoding="utf-8")
    (tmp_path / "mcp_bindgen.py").write_text("raise SystemExit('the wrong package')\n", encoding="utf-8")
    done = run_action(tmp_path, "diff", "2025-06-18 2025-11-25 --fail-on none")
    assert done.returncode == 0, done.stderr


def test_the_job_that_tries_the_action_passes(tmp_path: Path) -> None:
    job = yaml.safe_load((ROOT / ".github" / "workflows" / "checks.yml").read_text(encoding="utf-8"))["jobs"]["action"]
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for step in job["steps"]:
        if step.get("uses") == "./":
            inputs = step["with"]
            done = run_action(tmp_path, inputs["command"], inputs["arguments"])
            # An installed generator, unlike that of a checkout, has no default folder.
            assert inputs["command"] != "check" or "--out" in inputs["arguments"]
        elif "run" in step:
            words = [sys.executable if word == "python" else word for word in shlex.split(step["run"])]
            assert words.pop(0) == "mcp-codegen"
            call = [sys.executable, "-m", "mcp_bindgen", *words]
            done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False)
        else:
            continue
        assert done.returncode == 0, (step, done.stderr)


def test_the_extras_that_a_command_needs_are_installed() -> None:
    # The command compares tools with the help of jsonschema, and reaches servers over HTTP.
    needed = "[codegen,http,schema]"
    hook = next(each for each in HOOKS if each["entry"] == "mcp-codegen tools check")
    assert hook["additional_dependencies"] == [f".{needed}"]
    assert f'"$ACTION{needed}"' in ACTION["runs"]["steps"][1]["run"]


def test_the_action_offers_the_commands_of_the_hooks() -> None:
    entries = [hook["entry"].removeprefix("mcp-codegen ") for hook in HOOKS]
    assert entries == COMMANDS
    assert all(command in ACTION["inputs"]["command"]["description"] for command in COMMANDS)


@pytest.mark.parametrize("hook", HOOKS, ids=[hook["id"] for hook in HOOKS])
def test_the_command_of_a_hook_exists(hook: dict[str, Any]) -> None:
    found: click.Command = App()
    for word in hook["entry"].split()[1:]:
        assert isinstance(found, click.Group)
        command = found.get_command(click.Context(found), word)
        assert command is not None, hook["entry"]
        found = command


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=[path.name for path in WORKFLOWS])
def test_the_sessions_of_a_workflow_exist(workflow: Path) -> None:
    noxfile = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    for step in steps_of(workflow):
        for names in re.findall(r"nox -s ([\w -]+)$", step.get("run", ""), re.MULTILINE):
            for name in names.split():
                assert name == "tests-" or f"def {name}(" in noxfile, name


def test_the_release_is_published_without_a_secret() -> None:
    release = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(release)["jobs"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert jobs["publish"]["needs"] == ["checks", "build"]
    assert "secrets." not in release
