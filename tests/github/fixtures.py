"""The pytest side of the fake: the `gh` fixture, and a line that says what the contract saw.

One line in `tests/conftest.py` is enough: `pytest_plugins = ["tests.github.fixtures"]`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from typing import Any

import pytest

from tests.github.contract import from_environment
from tests.github.fake import FakeGitHub

MARKER = "contract"
_FAILED = pytest.StashKey[bool]()


@pytest.fixture
def gh(request: pytest.FixtureRequest) -> Iterator[FakeGitHub]:
    """A running fake GitHub. The test fails on a write that it did not claim, on a request for an endpoint that does
    not exist, and, where the contract is on, on anything that GitHub's own description does not allow."""
    with FakeGitHub() as fake:
        yield fake
        fake.stop()
        if not request.node.stash.get(_FAILED, False):
            fake.assert_all_writes_asserted()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that failed half way owes no further claims: its own failure is the news."""
    report = yield
    if report.failed:
        item.stash[_FAILED] = True
    return report


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--contract-only",
        action="store_true",
        help="run only the tests that talk to the fake GitHub or read its contract",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{MARKER}: has more to check when GitHub's own description is at hand")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--contract-only"):
        kept = [item for item in items if _concerned(item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept


def _concerned(item: pytest.Item) -> bool:
    """Whether a test uses a fixture that stands on `gh`, or says so by the marker."""
    return "gh" in getattr(item, "fixturenames", ()) or item.get_closest_marker(MARKER) is not None


_SEEN = pytest.StashKey[Counter[str]]()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist hands its counts to the one that prints."""
    contract = from_environment()
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if contract is not None and output is not None:
        output["contract"] = dict(contract.seen)
    elif contract is not None:
        session.config.stash.setdefault(_SEEN, Counter()).update(contract.seen)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    node.config.stash.setdefault(_SEEN, Counter()).update(getattr(node, "workeroutput", {}).get("contract", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Said at the end: `-q` hides the header."""
    contract = from_environment()
    if contract is None:
        said = "off; make contract runs the same tests against GitHub's own description"
        terminalreporter.write_line(f"GitHub contract: {said}")
        return
    seen = terminalreporter.config.stash.get(_SEEN, Counter())
    never = sorted(contract.operations.keys() - seen.keys())
    said = f"{seen.total()} exchanges of {len(seen)} operations checked against GitHub's own description"
    terminalreporter.write_line(f"GitHub contract: {said}" + (f"; never seen: {', '.join(never)}" if never else ""))
