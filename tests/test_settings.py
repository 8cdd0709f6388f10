"""Settings are read from the environment, all mistakes are reported at once, and secrets show up nowhere."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
)
from hypothesis import given
from hypothesis import strategies as st

from bot.policy.settings import LabelMode, Mode
from bot.records.model import Trust
from bot.settings import Need, Problem, Settings, SettingsError, load_settings, read_environment

PLANTED = "planted-secret-3f9a"


def pem_of(
    key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey, protection: KeySerializationEncryption | None = None
) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, protection or NoEncryption()).decode()


@pytest.fixture(scope="module")
def rsa_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture(scope="module")
def pem(rsa_key: rsa.RSAPrivateKey) -> str:
    return pem_of(rsa_key)


def problems(env: dict[str, str], need: Need = Need.NOTHING) -> dict[str, str]:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env(env, need=need)
    return {problem.variable: problem.message for problem in caught.value.problems}


def test_an_empty_environment_gives_the_documented_defaults() -> None:
    settings = Settings.from_env({})
    assert (settings.host, settings.port, settings.webhook_path) == ("127.0.0.1", 3000, "/api/github/webhooks")
    assert settings.github_api_url == "https://api.github.com"
    assert settings.database_url.reveal().startswith("sqlite:///")
    assert settings.trust_floor is Trust.REVIEWED
    assert settings.label_mode is LabelMode.SUGGEST


def test_what_a_black_box_trial_sets_is_enough_to_serve() -> None:
    settings = Settings.from_env(
        {
            "GITHUB_API_URL": "http://127.0.0.1:9999/",
            "WEBHOOK_SECRET": "s",
            "DATABASE_URL": "sqlite:////tmp/x.db",
            "PORT": "0",
            "HOST": "127.0.0.1",
            "GITHUB_TOKEN": "t",
        },
        need=Need.SECRET | Need.CREDENTIALS,
    )
    assert settings.github_api_url == "http://127.0.0.1:9999"
    assert settings.port == 0


def test_nothing_set_names_both_the_secret_and_the_credentials() -> None:
    found = problems({}, Need.SECRET | Need.CREDENTIALS)
    assert "Set it to the webhook secret" in found["WEBHOOK_SECRET"]
    assert "PRIVATE_KEY_PATH" in found["APP_ID"]
    assert "GITHUB_TOKEN" in found["APP_ID"]


def test_every_mistake_is_reported_in_one_go() -> None:
    env = {
        "PORT": "70000",
        "TRIAGE_MODE": "loud",
        "LOG_LEVEL": "verbose",
        "WORKERS": "0",
        "CONFIDENCE_FLOOR": "1.5",
        "TRUST_FLOOR": "quarantined",
        "WEBHOOK_PATH": "no-slash",
        "GITHUB_API_URL": "ftp://x",
        "DATABASE_URL": "mysql://u:p@h/d",
        "HOST": "a b",
        "PRIVATE_KEY_PATH": "/does/not/exist.pem",
    }
    found = problems(env, Need.SECRET)
    assert set(found) == {*env, "APP_ID", "WEBHOOK_SECRET"}
    assert "/does/not/exist.pem" in found["PRIVATE_KEY_PATH"]
    assert "No such file" in found["PRIVATE_KEY_PATH"]
    assert "off, shadow, live" in found["TRIAGE_MODE"]


@pytest.mark.parametrize("blank", ["", "  ", "\t"])
def test_a_blank_value_counts_as_unset(blank: str) -> None:
    assert Settings.from_env({"PORT": blank, "TRIAGE_MODE": blank, "GITHUB_TOKEN": blank}) == Settings.from_env({})
    assert "WEBHOOK_SECRET" in problems({"WEBHOOK_SECRET": blank}, Need.SECRET)


def test_several_secrets_are_taken_apart_while_one_is_rotated_out() -> None:
    settings = Settings.from_env({"WEBHOOK_SECRET": "new one, old one,,"})
    assert [secret.reveal() for secret in settings.webhook_secrets] == ["new one", "old one"]


def test_a_key_may_be_raw_or_escaped_or_base64(pem: str) -> None:
    forms = [pem, pem.replace("\n", "\\n"), base64.b64encode(pem.encode()).decode()]
    forms.append("\n".join(forms[2][at : at + 76] for at in range(0, len(forms[2]), 76)))
    forms.append(f"\ufeff{pem}")
    for form in forms:
        settings = Settings.from_env({"APP_ID": "12", "PRIVATE_KEY": form}, need=Need.CREDENTIALS)
        assert settings.private_key is not None
        assert settings.private_key.reveal().strip() == pem.strip()


def test_a_key_in_the_environment_goes_before_a_key_in_a_file(pem: str) -> None:
    settings = Settings.from_env({"APP_ID": "12", "PRIVATE_KEY": pem, "PRIVATE_KEY_PATH": "/does/not/exist"})
    assert settings.private_key is not None


def test_a_key_file_open_to_others_works_but_is_warned_about(pem: str, tmp_path: Path) -> None:
    file = tmp_path / "app.pem"
    file.write_text(pem)
    file.chmod(0o640)
    settings = Settings.from_env({"APP_ID": "12", "PRIVATE_KEY_PATH": str(file)})
    assert [warning.variable for warning in settings.warnings] == ["PRIVATE_KEY_PATH"]
    assert f"chmod 600 {file}" in settings.warnings[0].message
    file.chmod(0o600)
    assert Settings.from_env({"APP_ID": "12", "PRIVATE_KEY_PATH": str(file)}).warnings == ()


def test_a_key_that_cannot_work_is_refused_before_the_first_delivery(rsa_key: rsa.RSAPrivateKey, pem: str) -> None:
    elliptic = pem_of(ec.generate_private_key(ec.SECP256R1()))
    locked = pem_of(rsa_key, BestAvailableEncryption(b"x"))
    reasons = {pem[:300]: "damaged", elliptic: "RSA", locked: "password", "not a key!": "neither", "AAAA": "damaged"}
    reasons["\ufffd\ufffdé"] = "neither"
    for key, reason in reasons.items():
        message = problems({"APP_ID": "12", "PRIVATE_KEY": key})["PRIVATE_KEY"]
        assert reason in message
        assert key[40:80] not in message or len(key) < 40


@pytest.mark.parametrize("token", ["ghp_one\nghp_two", "token ghp_x", "ghp_é"])
def test_a_token_that_no_header_can_carry_is_refused_without_being_shown(token: str) -> None:
    found = problems({"GITHUB_TOKEN": token, "WEBHOOK_SECRET": "0123456789abcdef"})
    assert list(found) == ["GITHUB_TOKEN"]
    assert "ghp_" not in found["GITHUB_TOKEN"]


def test_half_an_app_is_not_an_app_even_beside_a_token(pem: str) -> None:
    assert "PRIVATE_KEY_PATH" in problems({"APP_ID": "12", "GITHUB_TOKEN": "t"})["PRIVATE_KEY"]
    assert "PRIVATE_KEY is" in problems({"PRIVATE_KEY": pem, "GITHUB_TOKEN": "t"})["APP_ID"]


def test_a_secret_that_can_be_guessed_is_warned_about() -> None:
    settings = Settings.from_env({"WEBHOOK_SECRET": "0123456789abcdef0123456789abcdef,hush"})
    assert [warning.variable for warning in settings.warnings] == ["WEBHOOK_SECRET"]
    assert "hush" not in settings.warnings[0].message
    assert Settings.from_env({"WEBHOOK_SECRET": "0123456789abcdef"}).warnings == ()


def test_a_directory_as_key_file_says_so(tmp_path: Path) -> None:
    assert "directory" in problems({"APP_ID": "1", "PRIVATE_KEY_PATH": str(tmp_path)})["PRIVATE_KEY_PATH"]


def test_an_enterprise_host_becomes_its_api_address() -> None:
    assert Settings.from_env({"GHE_HOST": "git.example.org"}).github_api_url == "https://git.example.org/api/v3"
    both = {"GHE_HOST": "git.example.org", "GITHUB_API_URL": "http://127.0.0.1:1"}
    assert Settings.from_env(both).github_api_url == "http://127.0.0.1:1"
    assert "GHE_HOST" in problems({"GHE_HOST": "https://git.example.org/"})


@pytest.mark.parametrize("url", ["http://user:pw@h", "http://[::1", "http://h:99999", "https://h?x=1", "//h"])
def test_an_api_address_that_cannot_be_one_is_refused(url: str) -> None:
    assert "pw" not in problems({"GITHUB_API_URL": url})["GITHUB_API_URL"]


def test_secrets_show_up_neither_in_the_settings_nor_in_their_errors(pem: str) -> None:
    env = {
        "WEBHOOK_SECRET": PLANTED,
        "GITHUB_TOKEN": PLANTED,
        "APP_ID": "1",
        "PRIVATE_KEY": pem,
        "DATABASE_URL": f"postgresql://bot:{PLANTED}@db/bot",
    }
    settings = Settings.from_env(env)
    assert PLANTED not in repr(settings) + str(settings) + repr(list(settings.__rich_repr__()))
    assert pem[100:140] not in repr(settings)
    wrong = {**env, "APP_ID": PLANTED + "!", "DATABASE_URL": f"mysql://u:{PLANTED}@h/d", "PRIVATE_KEY": PLANTED}
    with pytest.raises(SettingsError) as caught:
        Settings.from_env(wrong)
    assert PLANTED not in f"{caught.value}{caught.value!r}{caught.value.problems}"


def test_every_secret_is_known_to_the_redactor(pem: str) -> None:
    settings = Settings.from_env(
        {
            "WEBHOOK_SECRET": "one,two",
            "GITHUB_TOKEN": "three",
            "APP_ID": "1",
            "PRIVATE_KEY": pem,
            "DATABASE_URL": "postgresql://bot:fo%40ur@db/bot",
        }
    )
    assert {"one", "two", "three", "fo%40ur", "fo@ur"} < set(settings.secret_values())
    assert any(pem.strip() in value for value in settings.secret_values())


def test_the_environment_wins_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = {"PORT": "4000", "HOST": "0.0.0.0", "LABEL_MODE": "off", "TRIAGE_MODE": "", "WEBHOOK_SECRET": "a${HOME}#b"}
    (tmp_path / ".env").write_text("".join(f"{name}={json.dumps(value)}\n" for name, value in lines.items()))
    for name in lines:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PORT", "5000")
    monkeypatch.setenv("HOST", "")
    env = read_environment(tmp_path)
    assert "TRIAGE_MODE" not in env
    settings = Settings.from_env(env)
    assert (settings.port, settings.host) == (5000, "0.0.0.0")
    assert settings.label_mode is LabelMode.OFF
    assert settings.triage_mode is Mode.LIVE
    assert settings.webhook_secrets[0].reveal() == "a${HOME}#b"


def test_the_file_of_the_current_directory_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text("COMMENTS_PER_HOUR=7\nCONFIDENCE_FLOOR=0.95\nTRIAGE_MODE=shadow\n")
    monkeypatch.chdir(tmp_path)
    policy = load_settings().policy()
    assert (policy.comments_per_hour, policy.confidence_floor, policy.mode) == (7, 0.95, Mode.SHADOW)
    assert not policy.writes


def test_without_a_file_the_environment_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "5000")
    assert read_environment(tmp_path)["PORT"] == "5000"


NAMES = ["PORT", "HOST", "GITHUB_API_URL", "GHE_HOST", "DATABASE_URL", "WEBHOOK_PATH", "APP_ID", "PRIVATE_KEY"]
NAMES += ["WORKERS", "LEASE_SECONDS", "CONFIDENCE_FLOOR", "LOG_LEVEL", "TRUST_FLOOR", "WEBHOOK_SECRET"]


@given(st.dictionaries(st.sampled_from(NAMES), st.text(max_size=60)))
def test_any_environment_is_either_settings_or_a_list_of_problems(env: dict[str, str]) -> None:
    found: tuple[Problem, ...] = ()
    try:
        settings = Settings.from_env(env, need=Need.SECRET)
    except SettingsError as error:
        found = error.problems
    assert found or settings.webhook_secrets
    assert all(problem.variable and problem.message for problem in found)
