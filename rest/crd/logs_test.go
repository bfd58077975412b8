package crd_test

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
)

// A conversion webhook may quote objects in what it answers. The client gets its words, and the log does not.
func TestNoLogQuotesAConversion(t *testing.T) {
	const planted = "pl4nted"
	result := func(a object) object { return a["response"].(object) }
	for _, c := range []struct {
		name   string
		tamper func(answer object)
		want   string // a text that the log must contain
	}{
		{"refuses", func(a object) { result(a)["result"] = object{"status": "Failure", "message": "no " + planted} },
			"a conversion webhook refused to convert"},
		{"answers with another status", func(a object) { result(a)["result"] = object{"status": planted} },
			"a conversion webhook refused to convert"},
		{"answers another question", func(a object) { result(a)["uid"] = planted },
			"a conversion webhook refused to convert"},
		{"returns another kind", func(a object) {
			result(a)["convertedObjects"].([]any)[0].(object)["kind"] = planted
		}, "returned an invalid object"},
		{"returns an invalid label", func(a object) {
			result(a)["convertedObjects"].([]any)[0].(object)["metadata"].(object)["labels"] = object{"a": planted + "!"}
		}, "returned an invalid object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			logger := slog.New(slog.NewTextHandler(&log, nil))
			webhook := newConverter(t)
			api := started(t, rest.Options{Logger: logger}, crd.Options{Calls: calling(t), Logger: discard})
			define(t, api, webhook)
			webhook.behave(c.tamper, nil)
			require.Equal(t, 500, send(t, api, "POST "+rodsV2, rod("v2", "a", `{"length":3}`), nil))
			assert.Contains(t, log.String(), c.want)
			assert.NotContains(t, log.String(), planted)
		})
	}
}
