"""Every lint rule: a sound record passes it, a record broken in one place breaks it, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.records.lint import CROSS_RULES, RULES
from bot.records.model import Level
from tests.records.samples import OWN, REPO, SHA, erratum, load, only, raw, rules

LINK = f"https://github.com/{REPO}/blob/{SHA}/crates/burn-tensor/src/fold.rs#L101-L106"

# What breaks a raw record, and the rules it breaks.
BROKEN_RAW: list[tuple[dict[str, Any], set[str]]] = [
    ({"id": "0123456789abcdef"}, {"id-derived"}),
    ({"slug": "something-else"}, {"slug-derived"}),
    ({"analyzedAt": "2026-09-05 13:19"}, {"times-are-utc"}),
    ({"analyzedAt": "2026-13-05T13:19:14Z"}, {"times-are-utc"}),
    ({"contentChangedAt": "yesterday"}, {"times-are-utc"}),
    ({"githubUrl": LINK.replace(SHA, "main")}, {"permalink-pinned"}),
    ({"githubUrl": "https://example.org/x"}, {"permalink-pinned"}),
    ({"githubUrl": f"{LINK}?x"}, {"permalink-pinned"}),
    ({"githubUrl": LINK.replace("tracel-ai", "someone")}, {"permalink-agrees"}),
    ({"githubUrl": LINK.replace("fold.rs", "unfold.rs")}, {"permalink-agrees"}),
    ({"analyzedSha": "a" * 40}, {"permalink-agrees"}),
    ({"githubUrl": LINK.replace("L106", "L107")}, {"permalink-shows-line"}),
    ({"githubUrl": LINK.partition("#")[0]}, {"permalink-shows-line"}),
    ({"sourceCodeEnd": None}, {"window-whole"}),
    ({"sourceCodeEnd": 107, "githubUrl": LINK.replace("L106", "L107")}, {"window-whole"}),
    ({"lineNumber": 107}, {"line-in-window"}),
    ({"lineNumber": 100}, {"line-in-window"}),
    ({"messagePattern": "Cannot fold the tensor along dimension (.+? twice."}, {"pattern-compiles"}),
    ({"messagePattern": r"(Cannot fold the tensor) \1"}, {"pattern-compiles"}),
    ({"messagePattern": "(x{1000}){1000}"}, {"pattern-compiles"}),
    ({"messagePattern": "Cannot unfold the tensor"}, {"pattern-matches"}),
    ({"messagePattern": ".*"}, {"pattern-specific"}),
    ({"messagePattern": ""}, {"pattern-specific"}),
    ({"tags": ["Tensor API"]}, {"tags-are-kebab"}),
    ({"backgroundTag": "a_b"}, {"tags-are-kebab"}),
    ({"documentation": "It is slow, and nobody knows the reason."}, {"documentation-covers-message"}),
    ({"documentation": "fold_twice refuses: see fold_once. Cannot fold the tensor along dimension {} twice."},
     {"identifiers-in-excerpt"}),
    ({"documentation": "fold_twice needs a FoldPlan. Cannot fold the tensor along dimension {} twice."},
     {"types-in-excerpt"}),
    ({"documentation": "Cannot fold the tensor along dimension {} twice.", "triggerScenarios": "Folding."},
     {"function-named"}),
    ({"tags": ["rust", "burn-router"]}, {"tags-name-crate"}),
    ({"commonSituations": " \n"}, {"text-present"}),
    ({"solutions": ["Call it once.", ""]}, {"text-present"}),
    ({"preventionTips": [""]}, {"text-present"}),
]  # fmt: skip

# What breaks a record of our own: text replaced in the sound one.
BROKEN_OWN: list[tuple[str, str, set[str]]] = [
    (
        "[record]",
        '[record]\nsourceCode = "x"',
        {"own-has-no-excerpt", "window-whole"},
    ),
    ("#L243-L262", "", {"permalink-shows-line"}),
    ("#L243-L262", "#L255-L262", {"permalink-shows-line"}),
    ('solutions = ["Squeeze the dimension whose size is 1."]\n', "", {"own-helps"}),
    ("Squeeze the dimension", "Ask @someone about the dimension", {"no-mentions"}),
    ("`squeeze_dim` drops", "Tensor<B, D> drops", {"no-html"}),
    ("`squeeze_dim` drops", "<!-- squeeze_dim drops", {"no-html"}),
    ('since = "0.8.0"', 'since = "0.8"', {"versions-valid"}),
    ('since = "0.8.0"', 'since = "0.8.0"\nuntil = "0.7.0"', {"versions-valid"}),
    ("tracel-ai/burn#1234", "#1234", {"references-valid"}),
    ('since = "0.8.0"', 'movedTo = "burn-onnx"', {"references-valid"}),
    ('since = "0.8.0"', 'fixedBy = "tracel-ai/burn/pull/12"', {"references-valid"}),
    ('function = "squeeze"', 'kind = "located"', {"located-has-function"}),
    ("Can't squeeze dimension 1", "Won't unsqueeze axis 1", {"example-prints-message"}),
    ("check.rs:243-262", "check.rs", {"review-proves"}),
    ("check.rs:243-262", "check.rs:262-243", {"review-proves"}),
    ("crates/burn-tensor/src/tensor/api/check.rs:243-262", "../check.rs:243", {"review-proves"}),
    ('"crates/burn-tensor/src/tensor/api/check.rs:243-262"', "", {"review-proves"}),
    ('claim = "squeeze_dim refuses a dimension whose size is not 1"', 'claim = ""', {"review-proves"}),
    ('by = "burn-triage"', 'by = " "', {"review-proves"}),
]


def broken(findings: Any) -> set[str]:
    """The rules broken, notes aside."""
    return {finding.rule for finding in findings if finding.level is not Level.NOTE}


def test_the_sound_records_break_no_rule(tmp_path: Path) -> None:
    catalogue = load(tmp_path, raw=raw(), own=OWN)
    assert [entry.findings for entry in catalogue.entries] == [(), ()]


@pytest.mark.parametrize(("change", "expected"), BROKEN_RAW)
def test_a_raw_record_broken_in_one_place(tmp_path: Path, change: dict[str, Any], expected: set[str]) -> None:
    entry = only(load(tmp_path, raw=raw(**change)))
    assert broken(entry.findings) == expected
    for finding in entry.findings:
        assert (finding.path, finding.record, finding.level) == ("raw.json", entry.id, Level.ERROR)


@pytest.mark.parametrize(("before", "after", "expected"), BROKEN_OWN)
def test_a_record_of_our_own_broken_in_one_place(tmp_path: Path, before: str, after: str, expected: set[str]) -> None:
    assert before in OWN
    catalogue = load(tmp_path, own=OWN.replace(before, after, 1))
    findings = [*catalogue.problems, *(finding for entry in catalogue.entries for finding in entry.findings)]
    assert broken(findings) == expected


def test_every_rule_has_a_record_that_breaks_it() -> None:
    tested = set().union(*(expected for _, expected in BROKEN_RAW), *(expected for *_, expected in BROKEN_OWN))
    elsewhere = {
        "file-path-inside",
        "literal-in-excerpt",
        "prose-covers-message",
        "own-shows-example",
        "own-is-reviewed",
        "review-fits",
    }
    assert {rule.id for rule in RULES} - tested - elsewhere == set()


def test_every_rule_says_why() -> None:
    reasons = [(rule.id, rule.why) for rule in RULES] + [(rule.id, rule.why) for rule in CROSS_RULES]
    for identity, why in reasons:
        assert len(why) > 40, identity
        assert why.endswith("."), identity
    assert len(dict(reasons)) == len(reasons)


# Rules that take a whole other record to break


@pytest.mark.parametrize("path", ["/etc/passwd", "../../x.rs", "a\\b.rs"])
def test_a_path_that_leaves_the_repository(tmp_path: Path, path: str) -> None:
    assert "file-path-inside" in broken(only(load(tmp_path, raw=raw(path=path))).findings)


def test_an_excerpt_of_other_code(tmp_path: Path) -> None:
    record = raw()
    record["sourceCode"] = record["sourceCode"].replace("Cannot fold the tensor", "Everything is fine with the shape")
    assert broken(only(load(tmp_path, raw=record)).findings) == {"literal-in-excerpt"}


@pytest.mark.parametrize(
    "text",
    [
        'panic!(\n            "Cannot fold the tensor along dimension {} twice.",\n            dim\n        );',
        'panic!("Cannot fold the tensor \\\n                along dimension {dim} twice.");',
        'panic!("Cannot fold\\nthe tensor along dimension {:?} twice.", dim);',
    ],
)
def test_a_literal_over_several_lines_is_seen(tmp_path: Path, text: str) -> None:
    record = raw()
    record["sourceCode"] = record["sourceCode"].replace(
        'panic!("Cannot fold the tensor along dimension {} twice.");', text
    )
    record["sourceCodeEnd"] = record["sourceCodeStart"] + record["sourceCode"].count("\n")
    record["githubUrl"] = record["githubUrl"].replace("L106", f"L{record['sourceCodeEnd']}")
    assert only(load(tmp_path, raw=record)).findings == ()


def test_an_excerpt_of_more_than_forty_lines(tmp_path: Path) -> None:
    record = raw()
    record["sourceCode"] += "\n" * 40
    record["sourceCodeEnd"] += 40
    record["githubUrl"] = record["githubUrl"].replace("L106", "L146")
    assert broken(only(load(tmp_path, raw=record)).findings) == {"window-whole"}


def test_a_message_of_few_letters_needs_its_location(tmp_path: Path) -> None:
    short = raw("Bad dim {}", function="bad_dim")
    assert broken(only(load(tmp_path / "a", raw=short)).findings) == {"pattern-specific"}
    beside = f'id = "{short["id"]}"\n[extension]\nneedsLocation = true\n'
    assert only(load(tmp_path / "b", raw=short, beside=beside)).findings == ()


def test_a_pattern_that_matches_any_issue_is_refused_though_the_message_is_long(tmp_path: Path) -> None:
    record = raw("thread 'main' panicked at {}", function="main")
    assert "pattern-specific" in broken(only(load(tmp_path, raw=record)).findings)


def test_a_surfaced_record_links_where_it_is_raised(tmp_path: Path) -> None:
    surfaced = OWN.replace("github.com/tracel-ai/burn/blob", "github.com/gfx-rs/wgpu/blob")
    assert broken(only(load(tmp_path / "a", own=surfaced)).findings) == {"permalink-agrees"}
    surfaced = surfaced.replace("[extension]", '[extension]\nkind = "surfaced"')
    assert only(load(tmp_path / "b", own=surfaced)).findings == ()


def test_a_code_span_may_hold_what_prose_may_not(tmp_path: Path) -> None:
    text = OWN.replace("`squeeze_dim` drops", "`Tensor<B, D>` and `@user` in `squeeze_dim` drop")
    assert only(load(tmp_path, own=text)).findings == ()


def test_upstreams_own_prose_may_mention_and_mark_up(tmp_path: Path) -> None:
    record = raw(solutions=["Ask @upstream about <b>folding</b>."])
    assert only(load(tmp_path / "a", raw=record)).findings == ()
    beside = erratum(record["id"], 'solutions = ["Ask @upstream about <b>folding</b>."]')
    assert {"no-mentions", "no-html"} <= broken(only(load(tmp_path / "b", raw=record, beside=beside)).findings)


def test_a_burn_bug_may_ask_for_a_report_instead_of_offering_solutions(tmp_path: Path) -> None:
    text = OWN.replace('solutions = ["Squeeze the dimension whose size is 1."]\n', "").replace(
        "[extension]", '[extension]\nburnBug = true\nreport = ["The shape that was squeezed."]'
    )
    assert only(load(tmp_path, own=text)).findings == ()


def test_our_own_record_needs_an_example(tmp_path: Path) -> None:
    head, _, tail = OWN.partition("examples = [")
    text = head + "examples = []" + tail.partition("''']")[2]
    assert broken(only(load(tmp_path, own=text)).findings) == {"own-shows-example"}


def test_an_example_may_print_a_further_wording(tmp_path: Path) -> None:
    text = OWN.replace("1. Can't squeeze dimension 1", "1. Refusing to squeeze dimension 1")
    assert broken(only(load(tmp_path / "a", own=text)).findings) == {"example-prints-message"}
    site = (
        '\n[[extension.sites]]\nerrorMessage = "Refusing to squeeze dimension {} because its size is not 1"\n\n[review]'
    )
    assert only(load(tmp_path / "b", own=text.replace("\n[review]", site))).findings == ()


# Corrected records are judged as corrected


def test_a_correction_mends_the_join_and_is_what_is_judged(tmp_path: Path) -> None:
    record = raw(documentation="q_reshape is a stub of BackendRouter.", tags=["burn-router"])
    assert "documentation-covers-message" in broken(only(load(tmp_path / "a", raw=record)).findings)
    body = "documentation = '''`fold_twice` refuses to fold a tensor along one dimension twice; see `fold_once`.'''\n"
    mended = only(load(tmp_path / "b", raw=record, beside=erratum(record["id"], body + 'tags = ["rust"]')))
    assert broken(mended.findings) == {"review-fits"}


def test_a_finding_about_a_corrected_field_names_the_errata_file(tmp_path: Path) -> None:
    entry = only(load(tmp_path, raw=raw(tags=["A B"]), beside=erratum(raw()["id"], 'solutions = ["Ask @someone."]')))
    paths = {finding.rule: finding.path for finding in entry.findings}
    assert paths["no-mentions"] == "beside.toml"
    assert paths["tags-are-kebab"] == "raw.json"


def test_rules_of_records_with_erratum_are_those_of_the_corrected_half(tmp_path: Path) -> None:
    entry = only(load(tmp_path, raw=raw(), beside=erratum(raw()["id"], 'documentation = "Nothing of the sort."')))
    assert "documentation-covers-message" in rules(entry.findings)


def test_a_hole_may_stand_inside_a_word_of_the_example(tmp_path: Path) -> None:
    text = OWN.replace("Can't squeeze dimension {} because", "Squeeze{}D refuses the dimension because")
    text = text.replace(
        "Can't squeeze dimension 1 because its size", "Squeeze3D refuses the dimension because its\n size"
    )
    assert only(load(tmp_path, own=text)).findings == ()
