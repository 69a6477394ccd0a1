"""Logins from the shell: against a real authorization server."""

from __future__ import annotations

import re
import stat
import subprocess
import sys
import urllib.request
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from mcp_bindgen.calling import logins
from mcp_bindings import ApiKeys, Authorization, MissingScope
from mcp_bindings_runtime.http.server.http_server import make_server
from support.authorization_server import Client, Judge, authorization_server, protected_server
from support.proof_judge import ProofJudge, guarded_resource
from support.revisions import REVISIONS
from support.scripted_peers import PATIENCE, package


class Shell:
    """A user with a configuration folder, and a browser in which the authorization server agrees at once."""

    def __init__(
        self, url: str, judge: Judge, issuer: str, cli: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.url = url
        self.judge = judge
        self.issuer = issuer
        self._cli = cli
        self.tokens = folder / "mcp-codegen" / "tokens.json"
        monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
        monkeypatch.setenv("DISPLAY", ":0")
        monkeypatch.setattr(webbrowser, "open", self._visit)

    def _visit(self, url: str) -> bool:
        with urllib.request.urlopen(url, timeout=20) as response:
            return bool(response.read())

    def run(self, *words: str) -> tuple[int, str, str]:
        status, out, err = self._cli("call", *words)
        return status, out, err

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start a process of its own."""
        command = [sys.executable, "-m", "mcp_bindgen", "call", *words]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True)


@pytest.fixture
def make(cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Judge, str], Shell]:
    return lambda url, judge, issuer: Shell(url, judge, issuer, cli, tmp_path, monkeypatch)


@pytest.fixture
def shell(make: Callable[[str, Judge, str], Shell]) -> Iterator[Shell]:
    server = package(REVISIONS[-1]).Server("s", "1")
    server.tool(lambda context: context.principal, name="whoami")
    with authorization_server() as (issuer, judge), protected_server(server, issuer, judge) as url:
        yield make(url, judge, issuer)


def whoami(shell: Shell, *words: str) -> tuple[int, str, str]:
    return shell.run("call", "whoami", "--url", shell.url, *words)


def test_a_login_serves_later_commands_until_the_logout(shell: Shell) -> None:
    status, out, err = whoami(shell)
    assert (status, out) == (1, "")
    assert err == f"error: {shell.url} requires a login; run: mcp-codegen call --login {shell.url}\n"
    status, out, err = shell.run("--login", shell.url)
    assert (status, out) == (0, "")
    assert f"logged in at {shell.url}; the tokens are in {shell.tokens}\n" in err
    assert stat.S_IMODE(shell.tokens.stat().st_mode) == 0o600
    assert whoami(shell) == (0, "ada\n", "")
    # The token is refreshed, and nobody logs in.
    shell.judge.tokens.clear()
    assert whoami(shell) == (0, "ada\n", "")
    assert shell.judge.requests["refresh_token"] == 1
    assert "already logged in" in shell.run("--login", shell.url)[2]
    assert shell.judge.requests["/authorize"] == 1
    assert shell.run("--logout", shell.url)[0] == 0
    assert shell.run("--logout", shell.url) == (0, "", f"not logged in at {shell.url}\n")
    assert whoami(shell)[0] == 1


def tokens_in(shell: Shell) -> str:
    return shell.tokens.read_text(encoding="utf-8")


def test_a_logout_revokes_the_tokens(shell: Shell) -> None:
    judge = shell.judge
    assert shell.run("--login", shell.url)[0] == 0
    assert (len(judge.tokens), len(judge.refresh_tokens)) == (1, 1)
    (refreshed,) = judge.refresh_tokens
    issuer = shell.issuer
    expected = f"logged out of {shell.url}; {issuer} has revoked the tokens\n"
    assert shell.run("--logout", shell.url) == (0, "", expected)
    assert (judge.tokens, judge.refresh_tokens) == ({}, {})
    assert refreshed not in tokens_in(shell)


def log_out_in_vain(shell: Shell, prepare: Callable[[], object]) -> str:
    """Log in, prepare the authorization server, and log out; return the reason why nothing was revoked."""
    assert shell.run("--login", shell.url)[0] == 0
    (refreshed,) = shell.judge.refresh_tokens
    prepare()
    status, out, err = shell.run("--logout", shell.url)
    assert (status, out) == (0, "")
    assert refreshed in shell.judge.refresh_tokens
    assert refreshed not in tokens_in(shell)
    shell.judge.refresh_tokens.clear()
    expected = f"logged out of {shell.url}; the tokens are removed, but stay valid until they expire"
    assert err.startswith(expected)
    return err.removeprefix(expected).strip()


def test_a_logout_removes_tokens_that_cannot_be_revoked(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    judge, issuer, over = shell.judge, shell.issuer, Event()
    reason = log_out_in_vain(shell, lambda: setattr(judge, "revokes", False))
    assert reason == f"({issuer} offers no revocation)"
    judge.revokes = True
    reason = log_out_in_vain(shell, lambda: setattr(judge, "down", True))
    assert reason == f"(the revocation at {issuer} failed with HTTP status 503)"
    judge.down = False
    monkeypatch.setattr(logins, "REVOCATION_TIME", 0.5)
    judge.before_revocation = lambda: over.wait(PATIENCE)
    reason = log_out_in_vain(shell, lambda: None)
    over.set()
    assert re.fullmatch(rf"\(the revocation: no answer from {issuer}/\w+ in 0\.5 s\)", reason)


def test_a_logout_says_which_token_was_revoked(shell: Shell) -> None:
    judge, issuer = shell.judge, shell.issuer
    assert shell.run("--login", shell.url)[0] == 0
    revocations = count(1)

    def fail_the_second_time() -> None:
        judge.down = next(revocations) == 2

    judge.before_revocation = fail_the_second_time
    expected = (
        f"logged out of {shell.url}; the refresh token is revoked; the access token is removed, but stays valid until it "
        f"expires (the revocation at {issuer} failed with HTTP status 503)\n"
    )
    assert shell.run("--logout", shell.url) == (0, "", expected)
    assert (len(judge.tokens), len(judge.refresh_tokens)) == (1, 0)


def test_a_login_is_bound_to_a_key(make: Callable[[str, Judge, str], Shell]) -> None:
    server = package(REVISIONS[-1]).Server("s", "1")
    server.tool(lambda context: context.principal, name="whoami")
    proofs = ProofJudge()
    with authorization_server(proofs.before_tokens) as (issuer, judge):

        def guard_of(url: str) -> Authorization:
            return Authorization(judge.validate, resource=url, authorization_servers=[issuer])

        with guarded_resource(server, guard_of, proofs) as url:
            shell = make(url, judge, issuer)
            needed = f"error: {url} accepts only tokens that are bound to a key (DPoP); "
            assert whoami(shell)[2] == f"{needed}run: mcp-codegen call --login {url} --dpop\n"
            assert shell.run("--login", url)[2] == f"{needed}pass --dpop\n"
            assert shell.run("--login", url, "--dpop")[0] == 0
            assert whoami(shell) == (0, "ada\n", "")
            assert shell.run("--logout", url)[2] == f"logged out of {url}; {issuer} has revoked the tokens\n"


def test_a_program_has_bound_tokens(make: Callable[[str, Judge, str], Shell], monkeypatch: pytest.MonkeyPatch) -> None:
    server = package(REVISIONS[-1]).Server("s", "1")
    server.tool(lambda context: context.principal, name="whoami")
    proofs = ProofJudge()
    monkeypatch.setenv("SECRET", "s3cr3t-value")
    metadata = {"grant_types": ["client_credentials"], "token_endpoint_auth_method": "client_secret_basic"}
    with authorization_server(proofs.before_tokens) as (issuer, judge):
        judge.clients["robot"] = Client("robot", "s3cr3t-value", {**metadata, "redirect_uris": []})

        def guard_of(url: str) -> Authorization:
            return Authorization(judge.validate, resource=url, authorization_servers=[issuer])

        with guarded_resource(server, guard_of, proofs) as url:
            shell = make(url, judge, issuer)
            robot = ("--client-id", "robot", "--client-secret-env", "SECRET")
            assert "(DPoP); pass --dpop\n" in whoami(shell, *robot)[2]
            assert whoami(shell, *robot, "--dpop") == (0, "ada\n", "")


def test_a_withdrawn_login_is_reported(shell: Shell) -> None:
    assert shell.run("--login", shell.url)[0] == 0
    shell.judge.tokens.clear()
    shell.judge.refresh_tokens.clear()
    status, _, err = whoami(shell)
    assert (status, err) == (
        1,
        f"error: {shell.url} no longer accepts the login; run: mcp-codegen call --login {shell.url}\n",
    )
    assert "\nlogged in at" in shell.run("--login", shell.url)[2]


def test_a_user_logs_in_on_another_device(shell: Shell) -> None:
    process = shell.start("--login", shell.url, "--device")
    assert process.stderr is not None
    line = process.stderr.readline()
    found = re.search(r"enter the code (\S+)", line)
    assert found is not None, line
    shell.judge.entered[found[1]] = True
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, "logged in at" in err) == (0, True)
    assert whoami(shell) == (0, "ada\n", "")


def test_scopes_that_a_login_lacks_are_named(make: Callable[[str, Judge, str], Shell]) -> None:
    server = package(REVISIONS[-1]).Server("s", "1")
    server.tool(lambda context: context.principal, name="whoami")
    with authorization_server() as (issuer, judge):
        validate, needed = judge.validate, "files:write"

        def scoped(token: str) -> str | None:
            found = judge.tokens.get(token)
            if found is not None and needed not in (found.get("scope") or "").split():
                raise MissingScope(needed)
            return validate(token)

        judge.validate = scoped  # type: ignore[method-assign]  # the judge of one test
        with protected_server(server, issuer, judge) as url:
            shell = make(url, judge, issuer)
            status, _, err = shell.run("--login", url)
            assert (status, "logged in at" in err) == (0, True)
            # The login asked for more by itself; one with other scopes does not suffice.
            assert shell.run("--login", url, "--scope", "files:read")[0] == 1
            status, _, err = whoami(shell)
            assert status == 1
            assert f"run: mcp-codegen call --login {url} --scope 'files:read files:write'" in err
            assert shell.run("--login", url, "--scope", "files:read files:write")[0] == 0
            assert whoami(shell)[:2] == (0, "ada\n")


def test_a_program_uses_a_secret_or_a_token_of_its_environment(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "s3cr3t-value")
    metadata = {"grant_types": ["client_credentials"], "token_endpoint_auth_method": "client_secret_basic"}
    shell.judge.clients["robot"] = Client("robot", "s3cr3t-value", {**metadata, "redirect_uris": []})
    robot = ("--client-id", "robot", "--client-secret-env", "SECRET")
    assert whoami(shell, *robot) == (0, "ada\n", "")
    assert not shell.tokens.exists()
    monkeypatch.setenv("TOKEN", next(iter(shell.judge.tokens)))
    assert whoami(shell, "--token-env", "TOKEN") == (0, "ada\n", "")
    monkeypatch.setenv("TOKEN", "0ld-value")
    status, _, err = whoami(shell, "--token-env", "TOKEN")
    refusal = "HTTP status 401 Unauthorized: the access token is invalid or expired (Bearer: invalid_token)"
    assert (status, err) == (1, f"error: {shell.url} answered with {refusal}\n")
    monkeypatch.setenv("SECRET", "wr0ng-value")
    status, _, err = whoami(shell, *robot)
    assert (status, "invalid_client" in err, "wr0ng-value" in err) == (1, True, False)


def test_a_login_at_an_open_server_is_not_required(make: Callable[[str, Judge, str], Shell]) -> None:
    server = package(REVISIONS[-1]).Server("s", "1")
    with make_server([server], port=0, path="/mcp") as served:
        url = f"http://127.0.0.1:{served.port}/mcp"
        shell = make(url, Judge(), "")
        assert shell.run("--login", url) == (0, "", f"{url} requires no login\n")


@pytest.mark.parametrize("header", ["X-API-Key", "Authorization"])
def test_a_server_with_api_keys_requires_a_header(make: Callable[[str, Judge, str], Shell], header: str) -> None:
    server = package(REVISIONS[-1]).Server("s", "1")
    keys = ApiKeys({"a key of sixteen": "ada"}, header=header)
    with make_server([server], port=0, path="/mcp", authorization=keys) as served:
        url = f"http://127.0.0.1:{served.port}/mcp"
        shell = make(url, Judge(), "")
        status, _, err = shell.run("list", "--url", url)
    assert (status, err) == (
        1,
        f"error: {url} requires credentials, and names no authorization server; pass --header 'X-API-Key: …' or "
        f"--token-env NAME, or try: mcp-codegen call --login {url}\n",
    )


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--device"], "--device requires --login URL"),
        (["--scope", "a"], "--scope requires --login URL"),
        (["--login", "https://a.example/mcp", "list"], "--login is used without another server or action"),
        (["--login", "https://a.example/mcp", "--url", "https://a.example/mcp"], "--login is used without another"),
        (["--login", "https://a.example/mcp", "--", "server"], "--login is used without another"),
        (["--login", "https://a.example/mcp", "--logout", "https://a.example/mcp"], "--login is used without another"),
        (["--url", "https://a.example/mcp", "--client-id", "me"], "--client-id needs --client-secret-env"),
        (["--url", "https://a.example/mcp", "--client-secret-env", "PATH"], "--client-secret-env requires --client-id"),
        (["--client-id", "me", "--", "server"], "--client-id requires --url"),
        (["--dpop", "--", "server"], "--dpop requires --url"),
        (["--url", "https://a.example/mcp", "--dpop"], "--dpop requires --client-id, or --login URL"),
    ],
)
def test_options_that_do_not_fit(cli: Any, words: Sequence[str], complaint: str) -> None:
    found = cli("call", *words)
    assert (found.status, found.out) == (2, "")
    assert complaint in found.err


def test_an_invalid_url_and_a_broken_file_are_reported(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    found = cli("call", "--logout", "nonsense")
    assert (found.status, found.err) == (
        2,
        "error: 'nonsense' is not the URL of a server; write 'http://nonsense', or with https\n",
    )
    (tmp_path / "mcp-codegen").mkdir()
    (tmp_path / "mcp-codegen" / "tokens.json").write_text("[", encoding="utf-8")
    found = cli("call", "--logout", "https://a.example/mcp")
    assert found.status == 1
    assert "tokens.json cannot be read" in found.err


def test_tokens_are_not_sent_over_plain_http_to_another_host(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    found = cli("call", "--login", "http://192.0.2.1/mcp")
    assert (found.status, "access tokens are not sent over plain HTTP" in found.err) == (2, True)


def test_two_commands_at_once_refresh_one_token(shell: Shell) -> None:
    assert shell.run("--login", shell.url)[0] == 0
    shell.judge.tokens.clear()
    processes = [shell.start("call", "whoami", "--url", shell.url) for _ in range(2)]
    results = [(*process.communicate(timeout=PATIENCE), process.returncode) for process in processes]
    assert results == [("ada\n", "", 0)] * 2
    assert (shell.judge.requests["refresh_token"], shell.judge.replayed) == (1, 0)
