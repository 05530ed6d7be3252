#!/usr/bin/env python3
"""check_output.py PROGRAM EXPECTED: runs PROGRAM and compares its standard output with the file EXPECTED.

In EXPECTED `...` stands for any text within a line, and a line that is just `...` for any number of lines.
"""
import difflib
import re
import subprocess
import sys


def pattern(expected):
    parts = []
    for line in expected.splitlines():
        if line == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(re.escape(text) for text in line.split("...")) + r"\n")
    return re.compile("".join(parts))


def main():
    program, expected_file = sys.argv[1:3]
    run = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=False)
    with open(expected_file, encoding="utf-8") as file:
        expected = file.read()
    if run.returncode:
        sys.exit(f"{program} ended with {run.returncode}; its output was:\n{run.stdout}")
    if not pattern(expected).fullmatch(run.stdout):
        diff = difflib.unified_diff(expected.splitlines(), run.stdout.splitlines(), "expected", "printed", lineterm="")
        sys.exit("\n".join(diff))


main()
