"""Lists what changed between two JSON values, as JSON Pointers."""

import json
import sys

KEYS = {"before", "after", "ignore"}


class InvalidInput(Exception):
    """The payload cannot be compared; the message is one line for the caller."""


def refuse_constant(name):
    raise InvalidInput(f"{name} is not a JSON number")


def read_payload(argv):
    if len(argv) != 2:
        raise InvalidInput("expected exactly one argument: the payload as JSON")
    try:
        payload = json.loads(sys.stdin.buffer.read() if argv[1] == "-" else argv[1], parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"payload is not JSON: {error}") from error
    if not isinstance(payload, dict):
        raise InvalidInput("payload must be a JSON object")
    unknown = sorted(set(payload) - KEYS)
    if unknown:
        raise InvalidInput(f"unknown field {unknown[0]!a}")
    for key in ("before", "after"):
        if key not in payload:
            raise InvalidInput(f"{key} is required")
    ignore = payload.get("ignore", [])
    if not isinstance(ignore, list) or not all(isinstance(p, str) for p in ignore):
        raise InvalidInput("ignore must be a list of JSON Pointers")
    for pointer in ignore:
        if not pointer.startswith("/"):
            raise InvalidInput(f"ignore: {pointer!a} is not a JSON Pointer below the root, which starts with /")
    return payload


def step(pointer, token):
    return pointer + "/" + str(token).replace("~", "~0").replace("/", "~1")


def kind(value):
    """The JSON type; true is no number, and 1 and 1.0 are the same number."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    return type(value).__name__


def same(a, b):
    if kind(a) != kind(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return a == b


class Comparison:
    def __init__(self, ignore):
        self.ignore = set(ignore)
        self.changes = []

    def value(self, old_path, new_path, before, after):
        if old_path in self.ignore or new_path in self.ignore:
            return
        if isinstance(before, dict) and isinstance(after, dict):
            self.object(old_path, new_path, before, after)
        elif isinstance(before, list) and isinstance(after, list):
            self.array(old_path, new_path, before, after)
        elif not same(before, after):
            self.changes.append({"op": "replace", "path": new_path, "before": before, "after": after})

    def object(self, old_path, new_path, before, after):
        for key in sorted(before.keys() | after.keys()):
            old, new = step(old_path, key), step(new_path, key)
            if key not in after:
                self.removed(old, before[key])
            elif key not in before:
                self.added(new, after[key])
            else:
                self.value(old, new, before[key], after[key])

    def array(self, old_path, new_path, before, after):
        """Equal elements at both ends pair up, so one insertion is one change."""
        shortest = min(len(before), len(after))
        head = 0
        while head < shortest and same(before[head], after[head]):
            head += 1
        tail = 0
        while tail < shortest - head and same(before[-1 - tail], after[-1 - tail]):
            tail += 1
        old_end, new_end = len(before) - tail, len(after) - tail
        paired = min(old_end, new_end)
        for i in range(head, paired):
            self.value(step(old_path, i), step(new_path, i), before[i], after[i])
        for i in range(paired, old_end):
            self.removed(step(old_path, i), before[i])
        for i in range(paired, new_end):
            self.added(step(new_path, i), after[i])

    def removed(self, path, value):
        if path not in self.ignore:
            self.changes.append({"op": "remove", "path": path, "before": value})

    def added(self, path, value):
        if path not in self.ignore:
            self.changes.append({"op": "add", "path": path, "after": value})


def diff(payload):
    comparison = Comparison(payload.get("ignore", []))
    try:
        comparison.value("", "", payload["before"], payload["after"])
    except RecursionError as error:
        raise InvalidInput("values are nested too deeply to compare") from error
    return {"equal": not comparison.changes, "changes": comparison.changes}


def main(argv):
    try:
        result = diff(read_payload(argv))
    except InvalidInput as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
