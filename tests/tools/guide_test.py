#!/usr/bin/env python3
"""guide_test.py GUIDE EXAMPLE...: every ```cpp block of the guide stands in an example, but for its indentation."""
import re
import sys

guide, *examples = sys.argv[1:]
sources = {}
for path in examples:
    with open(path, encoding="utf-8") as file:
        sources[path] = file.read()
with open(guide, encoding="utf-8") as file:
    text = file.read()


def stands_in(block, source):
    for indent in ("", "  ", "    ", "      "):
        shifted = "\n".join(indent + line if line else line for line in block.splitlines()) + "\n"
        if shifted in source:
            return True
    return False


blocks = re.findall(r"^```cpp\n(.*?)^```$", text, re.M | re.S)
lost = [block for block in blocks if not any(stands_in(block, source) for source in sources.values())]
for block in lost:
    print("in no example:\n" + block)
print(f"{len(blocks)} blocks, {len(examples)} examples")
sys.exit(1 if lost or not blocks else 0)
