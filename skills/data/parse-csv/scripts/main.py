"""Reads CSV text into columns and rows without guessing at values."""

import csv
import io
import json
import sys

DELIMITERS = (",", ";", "\t", "|")
SAMPLE = 50
KEYS = {"text", "delimiter", "header"}

csv.field_size_limit(2**31 - 1)  # else a field ends at 131 072 characters


class InvalidInput(Exception):
    """The payload cannot be parsed; the message is one line for the caller."""


def read_payload(argv):
    if len(argv) != 2:
        raise InvalidInput("expected exactly one argument: the payload as JSON")
    try:
        payload = json.loads(sys.stdin.buffer.read() if argv[1] == "-" else argv[1])
    except ValueError as error:
        raise InvalidInput(f"payload is not JSON: {error}") from error
    if not isinstance(payload, dict):
        raise InvalidInput("payload must be a JSON object")
    unknown = sorted(set(payload) - KEYS)
    if unknown:
        raise InvalidInput(f"unknown field {unknown[0]!a}")
    if not isinstance(payload.get("text"), str):
        raise InvalidInput("text is required and must be a string")
    if not isinstance(payload.get("header", True), bool):
        raise InvalidInput("header must be true or false")
    delimiter = payload.get("delimiter", ",")
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
        raise InvalidInput("delimiter must be one character other than a quote or line break")
    return payload


def records(text, delimiter):
    """Yields (line on which the record ends, its fields), skipping blank lines."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise InvalidInput(f"line {reader.line_num}: {error}") from error


def detect(text):
    """The delimiter under which the first records agree best on a width above 1."""
    best, best_score = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        widths = []
        try:
            for _, row in records(text, delimiter):
                widths.append(len(row))
                if len(widths) == SAMPLE:
                    break
        except InvalidInput:
            continue
        if not widths or widths[0] < 2:
            continue
        score = (widths.count(widths[0]) / len(widths), widths[0])
        if score > best_score:
            best, best_score = delimiter, score
    return best


def parse(payload):
    text = payload["text"].removeprefix("\ufeff")
    delimiter = payload.get("delimiter") or detect(text)
    found = list(records(text, delimiter))
    columns, problems = [], []
    if payload.get("header", True) and found:
        line, columns = found.pop(0)
        for name in sorted({c for c in columns if columns.count(c) > 1}):
            problems.append({"line": line, "message": f"column {name!a} stands {columns.count(name)} times"})
    width = len(columns) if columns else (len(found[0][1]) if found else 0)
    for line, row in found:
        if len(row) != width:
            problems.append({"line": line, "message": f"{len(row)} fields where {width} are expected"})
    return {
        "delimiter": delimiter,
        "columns": columns,
        "rows": [row for _, row in found],
        "problems": problems,
    }


def main(argv):
    try:
        result = parse(read_payload(argv))
    except InvalidInput as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
