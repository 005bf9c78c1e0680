package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/config"

	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/registry/graph"
)

// written counts what a graph brought, and the nodes of the workspace that it replaced.
type written struct {
	Nodes    int `json:"nodes"`
	Edges    int `json:"edges"`
	Replaced int `json:"replaced"`
}

// patience is how long a server may take to answer at all.
const patience = 30 * time.Second

// batch is how many nodes or edges one statement writes.
const batch = 1000

// write replaces the graph of a workspace in one transaction. Besides its own label each node has the label
// Assent and the property workspace, by which it is found again.
func (s server) write(ctx context.Context, workspace string, g graph.Graph) (done written, err error) {
	login := neo4j.NoAuth()
	if s.password != "" {
		login = neo4j.BasicAuth(s.user, s.password, "")
	}
	driver, err := neo4j.NewDriverWithContext(s.uri, login, func(c *config.Config) {
		c.UserAgent, c.TelemetryDisabled = "assent-bolt/"+version.Engine, true
		c.SocketConnectTimeout, c.ConnectionAcquisitionTimeout, c.MaxTransactionRetryTime = 10*time.Second, 20*time.Second, 20*time.Second
	})
	if err != nil {
		return done, err
	}
	defer func() { _ = driver.Close(context.WithoutCancel(ctx)) }()
	reached, stop := context.WithTimeout(ctx, patience)
	err = driver.VerifyConnectivity(reached)
	if stop(); err != nil {
		return done, err
	}
	session := driver.NewSession(ctx, neo4j.SessionConfig{DatabaseName: s.database, AccessMode: neo4j.AccessModeWrite})
	defer func() { _ = session.Close(context.WithoutCancel(ctx)) }()
	// An index is not made in the transaction that writes.
	_, err = session.ExecuteWrite(ctx, func(tx neo4j.ManagedTransaction) (any, error) {
		return one(ctx, tx, "CREATE INDEX assent_nodes IF NOT EXISTS FOR (n:Assent) ON (n.workspace, n.id)", nil)
	})
	if err != nil {
		return done, fmt.Errorf("create the index: %w", err)
	}
	_, err = session.ExecuteWrite(ctx, func(tx neo4j.ManagedTransaction) (any, error) { // which may run it again
		done, err = replace(ctx, tx, workspace, g)
		return nil, err
	})
	return done, err
}

// replace removes the nodes of a workspace, with their edges, and creates those of its graph.
func replace(ctx context.Context, tx neo4j.ManagedTransaction, workspace string, g graph.Graph) (done written, err error) {
	removed, err := one(ctx, tx, "MATCH (n:Assent {workspace: $workspace}) DETACH DELETE n", map[string]any{"workspace": workspace})
	if err != nil {
		return done, fmt.Errorf("remove the earlier graph: %w", err)
	}
	done.Replaced = removed.Counters().NodesDeleted()
	nodes, edges := map[string][]any{}, map[string][]any{}
	for _, n := range g.Nodes {
		nodes[string(n.Label)] = append(nodes[string(n.Label)], map[string]any{"id": n.ID, "properties": plain(n.Properties)})
	}
	for _, e := range g.Edges {
		edges[string(e.Type)] = append(edges[string(e.Type)], map[string]any{"from": e.From, "to": e.To, "properties": plain(e.Properties)})
	}
	// Labels and types cannot be parameters; graph.Read admits none but those that it knows.
	create := func(query string, rows []any) (n int, err error) {
		for part := range slices.Chunk(rows, batch) {
			made, err := one(ctx, tx, query, map[string]any{"workspace": workspace, "rows": part})
			if err != nil {
				return n, err
			}
			n += made.Counters().NodesCreated() + made.Counters().RelationshipsCreated()
		}
		return n, nil
	}
	for _, l := range slices.Sorted(maps.Keys(nodes)) {
		n, err := create("UNWIND $rows AS row CREATE (n:Assent:"+l+") SET n = row.properties, n.id = row.id, n.workspace = $workspace", nodes[l])
		if done.Nodes += n; err != nil {
			return done, fmt.Errorf("write nodes %s: %w", l, err)
		}
	}
	for _, t := range slices.Sorted(maps.Keys(edges)) {
		n, err := create("UNWIND $rows AS row MATCH (a:Assent {workspace: $workspace, id: row.from}), (b:Assent {workspace: $workspace, id: row.to}) "+
			"CREATE (a)-[r:"+t+"]->(b) SET r = row.properties", edges[t])
		if done.Edges += n; err != nil {
			return done, fmt.Errorf("write edges %s: %w", t, err)
		}
	}
	if done.Nodes != len(g.Nodes) || done.Edges != len(g.Edges) {
		return done, fmt.Errorf("the database reports %d nodes and %d edges, not %d and %d", done.Nodes, done.Edges, len(g.Nodes), len(g.Edges))
	}
	return done, nil
}

// plain are properties in a type that the driver writes.
func plain(p graph.Properties) map[string]any {
	return maps.Collect(maps.All(p)) // a node without properties has an empty map, not null
}

// one runs a statement and waits for its end.
func one(ctx context.Context, tx neo4j.ManagedTransaction, query string, params map[string]any) (neo4j.ResultSummary, error) {
	r, err := tx.Run(ctx, query, params)
	if err != nil {
		return nil, err
	}
	return r.Consume(ctx)
}
