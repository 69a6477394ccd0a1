"""The revisions whose packages are installed, or lie beside this copy of the runtime."""

from __future__ import annotations

import pkgutil
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, cast

from .binding import Binding
from .distribution import BUNDLED, PACKAGE
from .errors import UsageError
from .facts import Facts
from .validation import require_list

_PACKAGE = re.compile(r"v(\d{4})_(\d{2})_(\d{2})")


@cache
def installed_revisions() -> tuple[str, ...]:
    """Return the labels of the installed revisions, newest first."""
    names = (module.name for module in pkgutil.iter_modules(import_module(PACKAGE).__path__) if module.ispkg)
    return tuple(sorted(("-".join(found.groups()) for found in map(_PACKAGE.fullmatch, names) if found), reverse=True))


@cache
def _version_of(label: str) -> str:
    """Return the protocol version of a package; that of a bundled one is its label."""
    if PACKAGE == BUNDLED:
        return label
    return _facts(label).version


@cache
def _facts(label: str) -> Facts:
    """Return the facts of a package without an import of the package, whose types would take long."""
    name = f"{_package(label)}.revision"
    folder = Path(import_module(PACKAGE).__path__[0], name.split(".")[-2])
    spec = spec_from_file_location(name, folder / "revision.py")
    module: Any
    if name in sys.modules or spec is None or spec.loader is None or not folder.is_dir():
        # It is imported, perhaps in another thread that is not done, for which this waits; or it lies in an archive.
        module = import_module(name)
    else:
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
    facts: Facts = module.FACTS
    return facts


def select_revisions(wanted: Sequence[str] | None) -> dict[str, str]:
    """Return the protocol versions of the wanted revisions, all for None, in their order, each with its label.

    Raise ``UsageError`` if a wanted one is not installed, and if two have the same protocol version.
    """
    installed = installed_revisions()
    if wanted is not None:
        require_list("revisions", wanted, installed[0])
    found: dict[str, str] = {}
    for label in installed if wanted is None else wanted:
        if label not in installed:
            text = f"there are no bindings of {label!r} here; use one of {', '.join(installed)}"
            raise UsageError(text)
        version = _version_of(label)
        if found.setdefault(version, label) != label:
            both = f"{found[version]} and {label}"
            text = f"the packages of {both} both have the protocol version {version}; name one in `revisions`"
            raise UsageError(text)
    return found


def other_revisions(own: str, wanted: Sequence[str] | None) -> tuple[str, ...]:
    """Return the labels of the wanted revisions, all for None, with which a program of revision ``own`` can be bridged.

    There are none for a schema of one's own.
    """
    installed = installed_revisions()
    if own not in installed:
        return ()
    return tuple(label for label in (installed if wanted is None else wanted) if label != own)


@cache
def facts_of(version: str) -> Facts | None:
    """Return the facts about the revision with a protocol version; None if there is no package of it."""
    label = next((label for label in installed_revisions() if _version_of(label) == version), None)
    return None if label is None else _facts(label)


def package_of(version: str) -> Any:
    """Import and return the package of the revision with a protocol version; None if there is none."""
    label = next((label for label in installed_revisions() if _version_of(label) == version), None)
    return None if label is None else import_module(_package(label))


def binding_of(version: str) -> Binding | None:
    """Return the binding of the revision with a protocol version; None if there is no package of it."""
    package = package_of(version)
    if package is None:
        return None
    binding: Binding = import_module(f"{package.__name__}.binding").BINDING
    return binding


def binding_of_class(cls: type) -> Binding | None:
    """Return the binding of the installed revision that declares a class; None for any other class."""
    name = cls.__module__.rpartition(".")[0]
    if name not in map(_package, installed_revisions()):
        return None
    binding: Binding = import_module(f"{name}.binding").BINDING
    return binding if binding.codec.knows(cls) else None


def json_of(value: Any) -> dict[str, Any] | None:
    """Return the JSON value of a mapping, or of an object of any installed revision; None for other values.

    Raise `EncodeError` for an object with wrong members.
    """
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, Any]", value))
    owner = binding_of_class(value.__class__)
    found: dict[str, Any] | None = None if owner is None else owner.codec.unstructure(value)
    return found


def client_class_of(server: Any) -> Any:
    """Return the client class of the package of a server."""
    cls = next(cls for cls in type(server).__mro__ if "binding" in vars(cls))
    return import_module(cls.__module__.rpartition(".")[0]).Client


def client_class(label: str) -> Any:
    """Import the package of a revision and return its client class."""
    return import_module(_package(label)).Client


def server_class(revision: str) -> Any:
    """Import the package of a revision and return its server class."""
    return import_module(f"{_package(revision)}.server").Server


def bridged_revisions(own: Facts) -> tuple[str, ...]:
    """Return the revisions that a program of a revision can serve or use, its own included, newest first.

    The steps between revisions are those of the protocol; a schema of one's own has none.
    """
    official = _official_revisions()
    return official if own.version in official and own.label == own.base else (own.version,)


@cache
def _official_revisions() -> tuple[str, ...]:
    """Return the installed revisions of the protocol itself, newest first."""
    facts = map(_facts, installed_revisions())
    return tuple(each.version for each in facts if each.label == each.base == each.version)


def _package(label: str) -> str:
    return f"{PACKAGE}.v{label.replace('-', '_')}"


def bridge_package() -> Any:
    """Return the package of the steps between revisions; raise `UsageError` if it is not installed."""
    try:
        return import_module(f"{PACKAGE}.bridge")
    except ModuleNotFoundError as error:
        text = "there are no steps between revisions here; generate more than one revision into this folder"
        raise UsageError(text) from error


def extension_package(name: str) -> Any:
    """Return the package of an extension; raise ``UsageError`` if it is not installed."""
    try:
        return import_module(f"{PACKAGE}.{name}")
    except ModuleNotFoundError as error:
        label = name.replace("_", "-")
        text = f"there are no bindings of {label} here; add `--version {label}` to the command that generates these"
        raise UsageError(text) from error
