"""Counts working days between two dates, or finds the date some days away."""

import datetime
import json
import re
import sys

KEYS = {"from", "to", "add", "holidays", "weekend"}
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
MAX_SPAN = 36525
MAX_ADD = 10000
ONE = datetime.timedelta(days=1)


class InvalidInput(Exception):
    """No answer exists; the message is one line for the caller."""


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
    if ("to" in payload) == ("add" in payload):
        raise InvalidInput("give exactly one of to and add")
    return payload


def read_date(value, field):
    if not isinstance(value, str) or not DATE.fullmatch(value):
        raise InvalidInput(f"{field} must be a date such as 2026-02-28")
    try:
        return datetime.date.fromisoformat(value)
    except ValueError as error:
        raise InvalidInput(f"{field}: {value} is not in the calendar") from error


def read_list(payload, key, default):
    value = payload.get(key, default)
    if not isinstance(value, list):
        raise InvalidInput(f"{key} must be a list")
    return value


class Calendar:
    def __init__(self, payload):
        weekend = read_list(payload, "weekend", ["sat", "sun"])
        for day in weekend:
            if day not in DAYS:
                raise InvalidInput(f"weekend: {day!a} is not one of {', '.join(DAYS)}")
        if len(set(weekend)) == len(DAYS):
            raise InvalidInput("weekend leaves no working day")
        self.weekend = {DAYS.index(day) for day in weekend}
        self.holidays = {read_date(day, "holidays") for day in read_list(payload, "holidays", [])}

    def works(self, day):
        return day.weekday() not in self.weekend and day not in self.holidays


def count(calendar, start, end):
    """Working days after start, up to and including end; negative backwards."""
    if abs((end - start).days) > MAX_SPAN:
        raise InvalidInput("from and to are more than 100 years apart")
    if end < start:
        return -count_backwards(calendar, start, end)
    days, day = 0, start
    while day < end:
        day += ONE
        days += calendar.works(day)
    return days


def count_backwards(calendar, start, end):
    days, day = 0, start
    while day > end:
        day -= ONE
        days += calendar.works(day)
    return days


def add(calendar, start, days):
    if isinstance(days, bool) or not isinstance(days, int) or abs(days) > MAX_ADD:
        raise InvalidInput(f"add must be a whole number from -{MAX_ADD} to {MAX_ADD}")
    direction = ONE if days >= 0 else -ONE
    day, left = start, abs(days)
    try:
        while left:
            day += direction
            left -= calendar.works(day)
    except OverflowError as error:
        raise InvalidInput("the answer lies outside the years 1 to 9999") from error
    return day


def solve(payload):
    start = read_date(payload.get("from"), "from")
    calendar = Calendar(payload)
    if "add" in payload:
        return {"date": add(calendar, start, payload["add"]).isoformat()}
    return {"days": count(calendar, start, read_date(payload["to"], "to"))}


def main(argv):
    try:
        result = solve(read_payload(argv))
    except InvalidInput as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
