"""Counts what a text costs its readers: lines, words and an estimate of tokens."""

import json
import re
import sys

KEYS = {"text", "limits"}
MEASURES = ("characters", "words", "lines", "longest_line", "tokens")
WORD = re.compile(r"\w+(?:[-'’.]\w+)*")
# English prose in common tokenizers averages about four bytes a token; counting
# UTF-8 bytes keeps the estimate usable for other scripts.
BYTES_PER_TOKEN = 4


class InvalidInput(Exception):
    """The payload cannot be measured; the message is one line for the caller."""


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
    limits = payload.get("limits", {})
    if not isinstance(limits, dict):
        raise InvalidInput("limits must be an object of measure and maximum")
    for name, maximum in sorted(limits.items()):
        if name not in MEASURES:
            raise InvalidInput(f"limits: {name!a} is not one of {', '.join(MEASURES)}")
        if isinstance(maximum, bool) or not isinstance(maximum, int) or maximum < 0:
            raise InvalidInput(f"limits: {name} must be a whole number from 0")
    return payload


def measure(payload):
    text = payload["text"]
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    size = len(text.encode("utf-8", "surrogatepass"))
    result = {
        "characters": len(text),
        "words": len(WORD.findall(text)),
        "lines": len(lines),
        "longest_line": max(map(len, lines), default=0),
        "tokens": -(-size // BYTES_PER_TOKEN),
    }
    limits = payload.get("limits", {})
    result["over"] = [name for name in MEASURES if name in limits and result[name] > limits[name]]
    return result


def main(argv):
    try:
        result = measure(read_payload(argv))
    except InvalidInput as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
