package trial_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/registry/trial"
)

// TestOTLP: a record becomes a log record of the protocol's JSON mapping, in which 64-bit integers are strings.
func TestOTLP(t *testing.T) {
	id, err := trial.ParseID("01KAJ8Z6M0000000000000000A")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
	got, err := trial.OTLP(map[string]any{"service.name": "assent"}, []trial.Trial{{V: 1, ID: id, Observation: trial.Observation{
		At: at, Source: trial.Engine, Level: trial.Followed, Capability: "parse-csv", Tags: []string{"eu", "us"}, Outcome: trial.Failure, MS: 12, Cost: 0.25, Returned: true,
		Tests: &trial.Tests{Report: "r"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"resourceLogs": [{
		"resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "assent"}}]},
		"scopeLogs": [{"scope": {"name": "assent.trials"}, "logRecords": [{
			"timeUnixNano": "1795770000000000000", "observedTimeUnixNano": "OBSERVED", "severityNumber": 13, "severityText": "WARN", "eventName": "assent.trial",
			"body": {"stringValue": "parse-csv followed failure"}, "attributes": [
				{"key": "assent.trial.at", "value": {"stringValue": "2026-11-27T09:00:00Z"}},
				{"key": "assent.trial.capability", "value": {"stringValue": "parse-csv"}},
				{"key": "assent.trial.cost", "value": {"doubleValue": 0.25}},
				{"key": "assent.trial.id", "value": {"stringValue": "01KAJ8Z6M0000000000000000A"}},
				{"key": "assent.trial.level", "value": {"stringValue": "followed"}},
				{"key": "assent.trial.ms", "value": {"intValue": "12"}},
				{"key": "assent.trial.outcome", "value": {"stringValue": "failure"}},
				{"key": "assent.trial.returned", "value": {"boolValue": true}},
				{"key": "assent.trial.source", "value": {"stringValue": "engine"}},
				{"key": "assent.trial.tags", "value": {"arrayValue": {"values": [{"stringValue": "eu"}, {"stringValue": "us"}]}}},
				{"key": "assent.trial.tests", "value": {"stringValue": "{\"report\":\"r\"}"}},
				{"key": "assent.trial.v", "value": {"intValue": "1"}}
			]}]}]}]}`
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	record := g.(map[string]any)["resourceLogs"].([]any)[0].(map[string]any)["scopeLogs"].([]any)[0].(map[string]any)["logRecords"].([]any)[0].(map[string]any)
	record["observedTimeUnixNano"] = "OBSERVED"
	if d := cmp.Diff(w, g); d != "" {
		t.Error(d)
	}
}

func TestOTLPRejected(t *testing.T) {
	for answer, want := range map[string]struct {
		n     int
		why   string
		fails bool
	}{
		``:                      {},
		`{}`:                    {},
		`{"partialSuccess":{}}`: {},
		`{"partialSuccess":{"rejectedLogRecords":"3","errorMessage":"full"}}`: {n: 3, why: "full"},
		`{"partialSuccess":{"rejectedLogRecords":2}}`:                         {n: 2},
		`{"partialSuccess":{"rejectedLogRecords":null,"errorMessage":null}}`:  {},
		`{"partialSuccess":null}`:                                             {},
		`{"partialSuccess":{"rejectedLogRecords":-5}}`:                        {},
		`{"partialSuccess":{"rejectedLogRecords":"-5"}}`:                      {},
		`{"partialSuccess":{"rejectedLogRecords":1e1}}`:                       {n: 10},
		`{"partialSuccess":{"rejectedLogRecords":"2.0"}}`:                     {n: 2},
		`{"partialSuccess":{"rejectedLogRecords":1e300}}`:                     {fails: true},
		`{"partialSuccess":{"rejectedLogRecords":"NaN"}}`:                     {fails: true},
		`{"partialSuccess":{"rejectedLogRecords":true}}`:                      {fails: true},
		`{"partialSuccess":{"rejectedLogRecords":"x"}}`:                       {fails: true},
		`<!doctype html>`: {fails: true},
	} {
		n, why, err := trial.OTLPRejected([]byte(answer))
		if n != want.n || why != want.why || (err != nil) != want.fails {
			t.Errorf("%q: %d, %q, %v", answer, n, why, err)
		}
	}
}
