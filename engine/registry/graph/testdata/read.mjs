// Reads the four forms of one graph in the folder of the first argument with the programs in the
// folder of the second, and fails where one of them says something else than the JSON.
import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [dir, programs] = process.argv.slice(2);
const require = createRequire(path.join(programs, "package.json"));
const read = (name) => fs.readFileSync(path.join(dir, name), "utf8");
const graph = JSON.parse(read("graph.json"));
const labels = new Map(graph.nodes.map((n) => [n.id, n.label]));

// The database wants tables first; other engines need none.
const floats = new Set(["cost", "cost_incurred", "cost_per_use", "confidence", "hours", "mastery_score", "practice_hours", "total_cost", "validation_interval_days"]);
const typeOf = (name, v) => (Array.isArray(v) ? "STRING[]" : floats.has(name) ? "DOUBLE" : { string: "STRING", boolean: "BOOLEAN", number: "INT64" }[typeof v]);
const columns = (things) => {
  const all = new Map();
  for (const t of things) for (const [name, v] of Object.entries(t.properties ?? {})) all.set(name, typeOf(name, v));
  return [...all].map(([name, type]) => `, ${name} ${type}`).join("");
};
const tables = [];
for (const label of new Set(labels.values())) tables.push(`CREATE NODE TABLE ${label}(id STRING PRIMARY KEY${columns(graph.nodes.filter((n) => n.label === label))})`);
for (const type of new Set(graph.edges.map((e) => e.type))) {
  const edges = graph.edges.filter((e) => e.type === type);
  const ends = new Set(edges.map((e) => `FROM ${labels.get(e.from)} TO ${labels.get(e.to)}`));
  tables.push(`CREATE REL TABLE ${type}(${[...ends].join(", ")}${columns(edges)})`);
}

const { Database, Connection } = require("@ladybugdb/core");
const db = new Connection(new Database(":memory:"));
const ask = async (statement) => {
  try {
    return await (await db.query(statement)).getAll();
  } catch (e) {
    throw new Error(`${statement.slice(0, 300)}: ${e.message}`);
  }
};
for (const t of tables) await ask(t);
for (const run of [1, 2]) for (const line of read("graph.cypher").split("\n")) if (line) await ask(line); // twice changes nothing
const said = (properties) => Object.fromEntries(Object.entries(properties).filter(([name, v]) => v !== null && !["id", "_id", "_label", "_src", "_dst"].includes(name)));
const found = (await ask("MATCH (n) RETURN n")).map(({ n }) => ({ id: n.id, label: n._label, properties: said(n) }));
const byID = (a, b) => (a.id < b.id ? -1 : 1);
assert.deepEqual(found.sort(byID), [...graph.nodes].sort(byID));
const linked = (await ask("MATCH (a)-[r]->(b) RETURN a.id, b.id, r")).map((e) => ({ from: e["a.id"], type: e.r._label, to: e["b.id"], properties: said(e.r) }));
const byEnds = (a, b) => (JSON.stringify([a.from, a.type, a.to]) < JSON.stringify([b.from, b.type, b.to]) ? -1 : 1);
assert.deepEqual(linked.sort(byEnds), graph.edges.map((e) => ({ ...e, properties: e.properties ?? {} })).sort(byEnds));

const brief = (n) => {
  const name = [...(n.properties.name ?? n.id)];
  return name.length > 60 ? name.slice(0, 59).join("") + "…" : name.join("");
};
const module = (file) => import(pathToFileURL(require.resolve(file)));
const { Graphviz } = await module("@hpcc-js/wasm-graphviz");
const drawn = JSON.parse((await Graphviz.load()).layout(read("graph.dot"), "dot_json", "dot"));
assert.deepEqual(drawn.objects.map((o) => o.label.replaceAll("\\n", "\n").replaceAll("\\\\", "\\")), graph.nodes.map((n) => `${n.label}\n${brief(n)}`));
assert.equal(drawn.edges.length, graph.edges.length);

const { window } = new (require("jsdom").JSDOM)("");
Object.assign(globalThis, { window, document: window.document });
const mermaid = (await import(pathToFileURL(path.join(programs, "node_modules/mermaid/dist/mermaid.core.mjs")))).default;
mermaid.initialize({ maxEdges: 1e6, maxTextSize: 1e9 });
const chart = (await mermaid.mermaidAPI.getDiagramFromText(read("graph.mermaid"))).db;
const decoded = (s) => s.replace(/ﬂ°°(\d+)¶ß/g, (_, code) => String.fromCodePoint(code));
assert.deepEqual([...chart.getVertices().values()].map((v) => decoded(v.text)), graph.nodes.map((n) => `${n.label}: ${brief(n)}`.trim()));
assert.equal(chart.getEdges().length, graph.edges.length);
