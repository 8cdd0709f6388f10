"""The files that people deploy with say what the code does, and ask for no more than it needs."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot import settings as settings_module
from bot.settings import Settings

PROJECT = Path(__file__).parent.parent


def load(name: str) -> ModuleType:
    """A module of `packaging/`, which is a folder of scripts and not a package (that name is taken)."""
    spec = importlib.util.spec_from_file_location(f"image_{name}", PROJECT / "packaging" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


dockerfile = load("dockerfile")


# The Dockerfile


def test_the_image_runs_as_a_numbered_user_that_is_not_root_and_stops_at_sigterm() -> None:
    image = dockerfile.read_dockerfile((PROJECT / "Dockerfile").read_text())[-1]
    assert int(image.last("USER").text) > 0
    assert image.last("STOPSIGNAL").text == "SIGTERM"
    assert image.last("ENTRYPOINT").command() == ["burn-triage"]
    assert image.last("CMD").command() == ["serve"]
    assert image.last("VOLUME").plain() == ["/data"]


def test_the_health_check_asks_the_port_that_the_image_sets() -> None:
    image = dockerfile.read_dockerfile((PROJECT / "Dockerfile").read_text())[-1]
    program, flag, code = image.last("HEALTHCHECK").command()
    assert (program, flag) == ("python", "-c")
    assert 'os.environ["PORT"]}/healthz' in code
    compile(code, "HEALTHCHECK", "exec")
    environ = dict(word.split("=", 1) for word in image.last("ENV").plain())
    settings = Settings.from_env({name: value for name, value in environ.items() if name != "PATH"})
    assert settings.host == "0.0.0.0"
    assert str(settings.port) == image.last("EXPOSE").text


def test_nothing_is_installed_that_is_not_pinned_by_hash_and_no_secret_is_baked_in() -> None:
    text = (PROJECT / "Dockerfile").read_text()
    stages = dockerfile.read_dockerfile(text)
    runs = [each.text for stage in stages for each in stage.instructions if each.name == "RUN"]
    installs = [run for run in runs if "pip install" in run]
    assert len(installs) == 2
    assert all("--require-hashes" in run or "--no-deps --no-build-isolation ." in run for run in installs)
    assert not re.search(r"apt-get|curl|wget|ADD ", text)
    assert not re.search(r"(SECRET|TOKEN|PRIVATE_KEY|PASSWORD)\s*=", text)


def test_the_build_sees_the_source_and_the_records_and_nothing_private() -> None:
    ignore = dockerfile.Ignore((PROJECT / ".dockerignore").read_text())
    for seen in ("bot/cli.py", "records/tracel-ai/burn/x.json", "requirements/runtime.txt", "pyproject.toml"):
        assert not ignore.leaves_out(seen)
    for unseen in (".env", ".git/config", "tests/conftest.py", "bot/__pycache__/cli.pyc", "app.pem", "x.sqlite3"):
        assert ignore.leaves_out(unseen)


@pytest.mark.parametrize(
    "text",
    [
        "RUN true",
        "FROM a\nADD x y",
        "FROM a\nHEALTHCHECK NONE",
        "FROM a\nCOPY $X y",
        'FROM a\nCMD ["serve"',
        "FROM a\nRUN x \\",
        "FROM a b c d",
        "",
    ],
)
def test_what_the_proof_does_not_understand_it_refuses(text: str) -> None:
    with pytest.raises(dockerfile.NotUnderstood):
        dockerfile.read_dockerfile(text)


def test_an_instruction_may_go_over_several_lines_with_comments_between() -> None:
    (stage,) = dockerfile.read_dockerfile(
        'FROM a AS b\nRUN one \\\n# why\n    && two\nCOPY --from=x /a /b\nCMD ["c d"]'
    )
    run, copy, command = stage.instructions
    assert stage.name == "b"
    assert (run.line, run.command()) == (2, ["/bin/sh", "-c", "one && two"])
    assert (copy.flags, copy.plain()) == ({"from": "x"}, ["/a", "/b"])
    assert command.command() == ["c d"]


@given(st.lists(st.text(min_size=1), min_size=1))
def test_an_exec_form_comes_through_word_for_word(words: list[str]) -> None:
    (stage,) = dockerfile.read_dockerfile(f"FROM a\nCMD {json.dumps(words)}")
    assert stage.last("CMD").command() == words


# The App's manifest


def test_the_app_asks_for_the_least_and_for_the_events_that_are_worked_on() -> None:
    lines = [line.split("#")[0].rstrip() for line in (PROJECT / "app.yml").read_text().splitlines()]
    text = "\n".join(line for line in lines if line)
    block = re.search(r"^default_permissions:\n((?:  .+\n?)+)", text, re.MULTILINE)
    assert block
    assert block[1].split() == ["issues:", "write", "metadata:", "read"]
    events = re.search(r"^default_events:\n((?:  - .+\n?)+)", text, re.MULTILINE)
    assert events
    assert re.findall(r"- (\w+)", events[1]) == ["issues", "issue_comment"]
    assert re.search(r"^name: \S", text, re.MULTILINE)
    assert re.search(r"^url: https://", text, re.MULTILINE)
    assert f"url: https://burn-triage.example.org{Settings().webhook_path}" in text
    assert re.search(r"^public: false$", text, re.MULTILINE)


# The example of the settings


def example() -> dict[str, str]:
    """Every variable of .env.example, set or commented out; of several values the first."""
    found: dict[str, str] = {}
    for line in (PROJECT / ".env.example").read_text().splitlines():
        if match := re.fullmatch(r"#?([A-Z][A-Z_]+)=(.*)", line):
            found.setdefault(match[1], match[2])
    return found


def test_the_example_names_every_setting_and_no_other() -> None:
    read = re.findall(r'"([A-Z][A-Z_]+)"', Path(str(settings_module.__file__)).read_text())
    assert set(example()) == {*read, "POSTGRES_PASSWORD"}


def test_the_values_in_the_example_are_the_defaults() -> None:
    given = {name: value for name, value in example().items() if name != "GHE_HOST"}
    assert Settings.from_env(given) == Settings.from_env({})


def test_the_composed_bot_uses_variables_that_exist() -> None:
    text = (PROJECT / "compose.yaml").read_text()
    block = re.search(r"    environment:\n((?:      [A-Z_]+: .+\n)+)", text)
    assert block
    assert set(re.findall(r"^      ([A-Z_]+):", block[1], re.MULTILINE)) <= set(example())
    assert "condition: service_healthy" in text
    assert not re.search(r"(SECRET|TOKEN|PRIVATE_KEY|PASSWORD): (?!\$\{)", text)
