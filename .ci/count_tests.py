#!/usr/bin/env python3
"""count_tests.py EVENTS: counts test cases from the JUnit files of one `bazel test`.

EVENTS is Bazel's build event file; the expected test targets come on standard input, one a line. A target that did not
run, wrote no JUnit file or failed although no case in its file did counts as one failure. Exits 1 if anything failed.
"""
import json
import sys
import urllib.parse
import xml.etree.ElementTree as ET


def results(path):
    """Yields (label, status, path of test.xml or None) of every test that ran."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            event = json.loads(line)
            if "testResult" not in event:
                continue
            outputs = {o["name"]: o.get("uri", "") for o in event["testResult"].get("testActionOutput", [])}
            xml = urllib.parse.unquote(urllib.parse.urlparse(outputs.get("test.xml", "")).path)
            yield event["id"]["testResult"]["label"], event["testResult"].get("status"), xml or None


def count(status, xml):
    """(passed, failed) test cases of one test binary."""
    try:
        suites = list(ET.parse(xml).getroot().iter("testsuite")) if xml else []
    except (OSError, ET.ParseError):
        suites = []
    tests = sum(int(s.get("tests", 0)) for s in suites)
    failed = sum(int(s.get("failures", 0)) + int(s.get("errors", 0)) for s in suites)
    if tests == 0 or (status != "PASSED" and failed == 0):
        return tests, 1
    return tests - failed, failed


def main():
    expected = {line.strip() for line in sys.stdin if line.strip()}
    totals = {label: count(status, xml) for label, status, xml in results(sys.argv[1])}
    for label in sorted(expected - totals.keys()):
        print(f"{label}: did not run")
        totals[label] = (0, 1)
    if not totals:
        print("there is no test")
        totals[""] = (0, 1)
    passed = sum(p for p, _ in totals.values())
    failed = sum(f for _, f in totals.values())
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
