"""Sound records, as dictionaries and as TOML, for tests to break in exactly one place."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from bot.records.derive import pattern_of, permalink, record_id, slug_of
from bot.records.load import load_catalogue
from bot.records.model import Catalogue, Entry, Finding

BURN = Path(__file__).parents[2] / "records" / "tracel-ai" / "burn"
ADAPTIVE = BURN / "can-t-differentiate-adaptive-avg-pool2d-backward.json"
DEFORM = BURN / "can-t-differentiate-deform-conv-2d-backward.json"
REPO = "tracel-ai/burn"
SHA = "2c06be351006851d42fdb6df16b976f4a82d9747"
START = 101
LINE = 104


def seed(path: Path = ADAPTIVE) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["record"]
    return record


def raw(
    message: str = "Cannot fold the tensor along dimension {} twice.",
    *,
    function: str = "fold_twice",
    path: str = "crates/burn-tensor/src/fold.rs",
    repo: str = REPO,
    **changes: Any,
) -> dict[str, Any]:
    """A raw record that passes lint: its window, link, id, slug and pattern agree, its prose is its own."""
    excerpt = [
        "",
        f"    pub fn {function}(x: Tensor, dim: usize) -> Tensor {{",
        "        if x.is_folded(dim) {",
        f'            panic!("{message}");',
        "        }",
        "    }",
    ]
    start, end = START, START + len(excerpt) - 1
    record = {
        "id": record_id(repo, None, message, path),
        "repo": repo,
        "slug": slug_of(None, message),
        "errorCode": None,
        "errorMessage": message,
        "messagePattern": pattern_of(message),
        "errorType": "panic",
        "errorClass": None,
        "httpStatus": None,
        "severity": "error",
        "filePath": path,
        "lineNumber": LINE,
        "sourceCode": "\n".join(excerpt),
        "sourceCodeStart": start,
        "sourceCodeEnd": end,
        "githubUrl": permalink(repo, SHA, path, start, end),
        "documentation": f"`{function}` refuses its input: {message}",
        "triggerScenarios": f"Calling {function} on a tensor that is not ready for it.",
        "commonSituations": "Loops that call it once too often.",
        "solutions": ["Call it once."],
        "exampleFix": None,
        "handlingStrategy": None,
        "validationCode": None,
        "typeGuard": None,
        "tryCatchPattern": None,
        "preventionTips": [],
        "tags": ["rust", "tensor-api"],
        "backgroundTag": None,
        "analyzedSha": SHA,
        "analyzedAt": "2026-09-05T13:19:14.260Z",
        "contentChangedAt": "2026-09-05T13:19:14.260Z",
        "schemaVersion": 2,
    }
    return record | changes


OWN = """\
[record]
repo = "tracel-ai/burn"
errorMessage = "Can't squeeze dimension {} because its size is not 1"
errorType = "panic"
severity = "error"
filePath = "crates/burn-tensor/src/tensor/api/check.rs"
lineNumber = 254
githubUrl = "https://github.com/tracel-ai/burn/blob/2c06be351006851d42fdb6df16b976f4a82d9747/crates/burn-tensor/src/tensor/api/check.rs#L243-L262"
documentation = '''`squeeze_dim` drops a dimension of size 1; this dimension has another size.'''
triggerScenarios = '''`squeeze_dim` on a dimension whose size is not 1.'''
commonSituations = '''A batch of one turned into a batch of many.'''
solutions = ["Squeeze the dimension whose size is 1."]
tags = ["tensor-api", "shape"]

[extension]
function = "squeeze"
apiVersion = "0.21.0"
since = "0.8.0"
relatedIssues = ["tracel-ai/burn#1234"]
examples = ['''
thread 'main' panicked at …/burn-tensor-0.21.0/src/tensor/api/base.rs:700:9:
=== Tensor Operation Error ===
  Operation: 'Squeeze'
  Reason:
    1. Can't squeeze dimension 1 because its size is not 1
''']

[review]
by = "burn-triage"
at = 2026-11-30
commit = "2c06be351006851d42fdb6df16b976f4a82d9747"
[[review.proofs]]
claim = "squeeze_dim refuses a dimension whose size is not 1"
lines = ["crates/burn-tensor/src/tensor/api/check.rs:243-262"]
"""


def erratum(identity: str, body: str = 'documentation = "Corrected."', *, raw_sha256: str | None = None) -> str:
    """An erratum with a review, which fits a raw half when that half's hash is given."""
    stated = f'rawSha256 = "{raw_sha256}"\n' if raw_sha256 else ""
    return f"""\
id = "{identity}"
[erratum]
{body}
[review]
by = "burn-triage"
at = 2026-11-30
commit = "{SHA}"
{stated}[[review.proofs]]
claim = "it is so"
lines = ["crates/burn-tensor/src/fold.rs:104"]
"""


def write(path: Path, content: Any) -> Path:
    """JSON (gzip for `.gz`), or text as it is; parents are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        path.write_text(content, encoding="utf-8")
        return path
    data = json.dumps(content).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def load(root: Path, **files: Any) -> Catalogue:
    """A catalogue of these files; `__` in a name is a folder, the suffix follows the content."""
    for name, content in files.items():
        suffix = ".toml" if isinstance(content, str) else ".json"
        write(root / (name.replace("__", "/") + suffix), content)
    return load_catalogue(root)


def only(catalogue: Catalogue) -> Entry:
    assert len(catalogue.entries) == 1, (catalogue.entries, catalogue.problems)
    return catalogue.entries[0]


def rules(findings: tuple[Finding, ...]) -> set[str]:
    return {finding.rule for finding in findings}
