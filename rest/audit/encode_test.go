package audit_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/audit"
	"github.com/decorum-go/decorum/status"
)

// A sink writes an event as encoding/json does.
func TestEventsInJSON(t *testing.T) {
	at := apimeta.NewMicroTime(time.Date(2026, 1, 2, 3, 4, 5, 67_000, time.UTC))
	full := audit.Event{
		TypeMeta: apimeta.TypeMeta{Kind: "Event", APIVersion: "audit.k8s.io/v1"}, Level: audit.LevelRequestResponse,
		AuditID: "id",
		Stage:   audit.StagePanic, RequestURI: `/a?b="<c>"&d`, Verb: "create",
		User: audit.User{Username: "jäne\n\u2028", UID: "1", Groups: []string{"a", "b"},
			Extra: map[string][]string{"z": {}, "y": {"1", "2"}}},
		ImpersonatedUser: &audit.User{Username: "other"}, SourceIPs: []string{"192.0.2.1", "::1"}, UserAgent: "agent",
		ObjectRef: &audit.ObjectReference{Resource: "widgets", Namespace: "n", Name: "a", UID: "u", APIGroup: "example.com",
			APIVersion: "v1", ResourceVersion: "7", Subresource: "status"},
		ResponseStatus: &status.Status{Status: status.Failure, Message: "no", Reason: "Conflict", Code: 409,
			Details: &status.Details{Causes: []status.Cause{{Field: "a"}}}},
		RequestObject: json.RawMessage(`{"a":[1,2]}`), ResponseObject: json.RawMessage(`[]`), RequestReceivedTimestamp: at,
		StageTimestamp: at,
		Annotations:    map[string]string{"b": "2", "a": "1"},
	}
	for name, e := range map[string]audit.Event{
		"everything": full, "nothing": {},
		"a code":       {ResponseStatus: &status.Status{Code: 200}},
		"empty status": {ResponseStatus: &status.Status{}},
		"invalid text": {UserAgent: "a\xff", RequestURI: "\\"},
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			require.NoError(t, audit.NewWriter(&got).Write(t.Context(), []*audit.Event{&e}))
			want, err := json.Marshal(e)
			require.NoError(t, err)
			assert.JSONEq(t, string(want), got.String())
			assert.Equal(t, 1, bytes.Count(got.Bytes(), []byte("\n")))
		})
	}
}

func TestEventsThatHaveNoJSON(t *testing.T) {
	for name, e := range map[string]audit.Event{
		"broken object":   {RequestObject: json.RawMessage(`{`)},
		"impossible year": {StageTimestamp: apimeta.NewMicroTime(time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC))},
	} {
		var got bytes.Buffer
		require.Error(t, audit.NewWriter(&got).Write(t.Context(), []*audit.Event{{}, &e}), name)
		assert.Empty(t, got.String(), name)
	}
}
