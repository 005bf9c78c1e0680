"""Turns a title into a name that is safe in paths, URLs and branch names."""

import json
import re
import sys
import unicodedata

KEYS = {"text", "max_length", "taken"}
DEFAULT_LENGTH = 64
# Letters that Unicode does not decompose into a base letter and a mark.
LETTERS = str.maketrans({
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d",
    "þ": "th", "ł": "l", "ħ": "h", "ı": "i", "ŋ": "ng",
})
APOSTROPHES = re.compile("['\u2018\u2019\u02bc]")
OTHER = re.compile("[^a-z0-9]+")


class InvalidInput(Exception):
    """No slug can be made; the message is one line for the caller."""


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
    length = payload.get("max_length", DEFAULT_LENGTH)
    if isinstance(length, bool) or not isinstance(length, int) or not 8 <= length <= 255:
        raise InvalidInput("max_length must be a whole number from 8 to 255")
    taken = payload.get("taken", [])
    if not isinstance(taken, list) or not all(isinstance(name, str) for name in taken):
        raise InvalidInput("taken must be a list of strings")
    return payload


def shorten(slug, length):
    """Cuts at a hyphen where that keeps at least half, else in the word."""
    if len(slug) <= length:
        return slug
    cut = slug[:length]
    if slug[length] != "-":
        hyphen = cut.rfind("-")
        if hyphen >= length // 2:
            cut = cut[:hyphen]
    return cut.strip("-")


def fold(name):
    return name.lower().replace("_", "-")


def slugify(payload):
    text = payload["text"].lower().translate(LETTERS)
    text = unicodedata.normalize("NFKD", APOSTROPHES.sub("", text))
    text = "".join(c for c in text if not unicodedata.combining(c))
    base = OTHER.sub("-", text.lower()).strip("-")
    if not base:
        raise InvalidInput("text holds no Latin letter or digit to build a slug from")
    length = payload.get("max_length", DEFAULT_LENGTH)
    taken = {fold(name) for name in payload.get("taken", [])}
    slug, number = shorten(base, length), 1
    while slug in taken:
        number += 1
        suffix = f"-{number}"
        slug = shorten(base, length - len(suffix)) + suffix
    return {"slug": slug}


def main(argv):
    try:
        result = slugify(read_payload(argv))
    except InvalidInput as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
