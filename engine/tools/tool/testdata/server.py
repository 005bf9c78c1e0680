"""A server that speaks just enough of MCP, without a library."""

import json
import os
import sys

METHODS = [
    {"name": "add", "description": "Adds two numbers", "inputSchema": {"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}},
    {"name": "read-notes", "description": "Reads the notes", "inputSchema": {"type": "object"}},
    {"name": "fail", "description": "Fails", "inputSchema": {"type": "object"}},
    {"name": "die", "description": "Ends", "inputSchema": {"type": "object"}},
    {"name": "hang", "description": "Never answers", "inputSchema": {"type": "object"}},
    {"name": "garble", "description": "Prints what is for people", "inputSchema": {"type": "object"}},
    {"name": "leave", "description": "Ends without a word", "inputSchema": {"type": "object"}},
    {"name": "circle", "description": "Has a schema that no value fits", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}}},
    {"name": "reach", "description": "Looks for what it must not see", "inputSchema": {"type": "object"}},
]


def text(value, **more):
    return dict({"content": [{"type": "text", "text": value}]}, **more)


def call(name, given):
    if name == "add":
        return text("unread", structuredContent={"sum": given["a"] + given["b"]}, _meta={"assent/cost": 0.25})
    if name == "read-notes":
        return text(open("assets/notes.txt").read())
    if name == "fail":
        return text("the notes are lost", isError=True)
    if name == "die":
        print("Traceback (most recent call last):\nRuntimeError: out of paper", file=sys.stderr)
        sys.exit(3)
    if name == "garble":
        print("loading the notes", flush=True)
        return text("loaded")
    if name == "leave":
        sys.exit(0)
    if name == "reach":
        return text(json.dumps({"home": os.path.exists(os.environ["HOME"] + "/.ssh"), "parent": os.environ.get("ASSENT_TOOL_TEST", "")}))
    while True:
        sys.stdin.readline()


for line in sys.stdin:
    message = json.loads(line)
    method, params = message["method"], message.get("params", {})
    if "id" not in message:
        continue
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    if method == "initialize":
        answer["result"] = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "test", "version": "1"}}
    elif method == "tools/list":
        answer["result"] = {"tools": METHODS}
    elif method == "tools/call":
        answer["result"] = call(params["name"], params.get("arguments", {}))
    else:
        answer["error"] = {"code": -32601, "message": "no such method"}
    print(json.dumps(answer), flush=True)
