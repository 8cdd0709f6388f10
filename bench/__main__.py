"""The matcher measured: quality, time, growth, memory, and beside other methods, all in one run.

    python -m bench [--catalogue FILE] [--full] [--only SECTION …] [--json FILE]

Without `--catalogue` the records are invented, which everybody can repeat. `--full` adds a million records and more
issues. Times are processor times; what counts are the ratios, for the machine is never the same.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from bench import sections
from bench.table import Table
from bench.world import base
from tests.issue_generator.keys import Split


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--catalogue", type=Path, help="records to make issues from: a folder or a file")
    parser.add_argument("--full", action="store_true", help="a million records, more issues")
    parser.add_argument("--only", nargs="*", choices=sections.SECTIONS, default=list(sections.SECTIONS))
    parser.add_argument("--json", type=Path, help="write the figures to this file, too")
    parser.add_argument("--failures", type=int, default=0, help="show this many wrong answers")
    parser.add_argument("--split", type=Split, choices=list(Split), default=Split.TEST, help="dev to look for faults")
    arguments = parser.parse_args()
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="burn-triage-bench-") as folder:
        setting = sections.Setting(
            sites=base(arguments.catalogue),
            catalogue=arguments.catalogue,
            full=arguments.full,
            folder=Path(folder),
            failures=arguments.failures,
            split=arguments.split,
        )
        tables: list[Table] = []
        for name in sections.SECTIONS:
            if name in arguments.only:
                for table in sections.SECTIONS[name](setting):
                    tables.append(table)
                    print(table.markdown(), flush=True)
    print(f"{len(setting.sites)} sites, {time.perf_counter() - begin:.0f} s in all", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps([table.data() for table in tables], indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
