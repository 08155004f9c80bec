"""Reads formats with Python's own modules: an independent reading for the tests of `parsers`.

The first argument is the format. Each line of the input is a text in hexadecimal digits; each line of the
output has its pairs, `name=value` in hexadecimal digits with spaces between, or `!` where the text is none.
For `date`, a line is a pattern, microseconds since 1970 and an offset in minutes; the answer is the text.
"""

import csv
import datetime
import json
import re
import sys
import xml.etree.ElementTree

DEPTH_MAX = 32
COLUMNS = [f"c{number}" for number in range(8)]
SURROGATE = re.compile("[\ud800-\udfff]")


class Number(str):
    """A number as it is written."""


class Members(list):
    """The members of an object, also those of one name."""


def no_constant(name):
    raise ValueError(name)


def json_pairs(text):
    document = json.loads(
        text.decode(),
        strict=False,
        object_pairs_hook=Members,
        parse_int=Number,
        parse_float=Number,
        parse_constant=no_constant,
    )
    if not isinstance(document, Members):
        raise ValueError("no object")
    return list(json_values(None, document, 1))


def json_values(name, value, depth):
    if isinstance(value, list) and depth > DEPTH_MAX:
        raise ValueError("too deep")
    if isinstance(value, Members):
        for key, member in value:
            yield from json_values(key if name is None else f"{name}.{key}", member, depth + 1)
    elif isinstance(value, list):
        for element in value:
            yield from json_values(name, element, depth + 1)
    elif isinstance(value, bool):
        yield name, str(value).lower()
    elif value is not None:
        yield name, value


def csv_pairs(text, **dialect):
    rows = list(csv.reader([text.decode()], strict=False, **dialect))
    return zip(COLUMNS, rows[0] if rows else [])


def xml_pairs(text):
    return list(xml_values("", xml.etree.ElementTree.fromstring(text), 1))


def xml_values(path, element, depth):
    if depth > DEPTH_MAX:
        raise ValueError("too deep")
    path += element.tag
    for name, value in element.attrib.items():
        yield f"{path}._{name}", value
    yield path, (element.text or "").strip(" \t\n\r")
    for child in element:
        yield from xml_values(path + ".", child, depth + 1)
        yield path, (child.tail or "").strip(" \t\n\r")


def regex_pairs(text):
    pattern, text = text.split(b"\0", 1)
    match = re.search(pattern, text)
    if not match:
        raise ValueError("no match")
    groups = sorted(match.re.groupindex.items(), key=lambda group: group[1])
    return [(name, match[name] or "") for name, _ in groups]


def date_text(line):
    pattern, micros, minutes = line.decode().split("\0")
    zone = datetime.timezone(datetime.timedelta(minutes=int(minutes)))
    start = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    time = start + datetime.timedelta(microseconds=int(micros))
    return time.astimezone(zone).strftime(pattern)


FORMATS = {
    "json": json_pairs,
    "csv_double": lambda text: csv_pairs(text, doublequote=True),
    "csv_backslash": lambda text: csv_pairs(text, doublequote=False, escapechar="\\"),
    "csv_none": lambda text: csv_pairs(text, doublequote=False, delimiter=";", quotechar="'"),
    "xml": xml_pairs,
    "regex": regex_pairs,
}


def encoded(text):
    if isinstance(text, bytes):
        return text.hex()
    # Halves of pairs stand for no character.
    return SURROGATE.sub("\ufffd", text).encode().hex()


def main():
    name = sys.argv[1]
    for line in sys.stdin:
        text = bytes.fromhex(line)
        if name == "date":
            print(encoded(date_text(text)))
            continue
        try:
            pairs = FORMATS[name](text)
        except (ValueError, csv.Error, RecursionError, xml.etree.ElementTree.ParseError):
            print("!")
            continue
        print(" ".join(f"{encoded(name)}={encoded(value)}" for name, value in pairs if name and value))


main()
