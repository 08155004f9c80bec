"""Counts, for every word of a file, the lines that hold it: an independent reading of the rule.

A word is a maximal run of ASCII letters, digits, `_` and characters that are not ASCII, in lower
case. Bytes that are not UTF-8 are word characters too, but what they spell cannot be typed into a
query, so such words are left out. Reads messages, one a line; prints `count word` lines.
"""

import collections
import re
import sys

WORD = re.compile(r"[A-Za-z0-9_\u0080-\U0010ffff]+")


def words(line):
    """The distinct words of a line."""
    for word in WORD.findall(line):
        # Character by character: Python's lower() has a rule for the last letter of a word.
        yield "".join(character.lower() for character in word)


def main():
    counts = collections.Counter()
    # Lone surrogates stand for bytes that are not UTF-8.
    with open(sys.argv[1], encoding="utf-8", errors="surrogateescape", newline="\n") as lines:
        for line in lines:
            counts.update(set(words(line.rstrip("\n"))))
    for word, count in sorted(counts.items()):
        if not any("\ud800" <= character <= "\udfff" for character in word):
            print(count, word)


main()
