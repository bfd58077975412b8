package storage_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/storage"
)

func TestExtract(t *testing.T) {
	extract := storage.NewExtractor(
		[]string{"spec", "nodeName"}, []string{"spec", "unschedulable"}, []string{"spec", "replicas"},
		[]string{"metadata", "name"},
		[]string{"metadata", "labels", "b"}, []string{"spec"}, []string{"metadata", "name"}, []string{"no", "such"},
	)
	for name, c := range map[string]struct {
		json string
		want storage.Extracted // the test compares the texts that the spans select
	}{
		"everything": {
			`{"kind":"K","metadata":{"name":"x","uid":"u1","resourceVersion":"12","labels":{"a":"1","b":"2"},"deletionTimestamp":"2024-01-01T00:00:00Z",` +
				`"ownerReferences":[{"kind":"O","uid":"o1"},{"uid":"o2","name":"n"}]},"spec":{"nodeName":"n1","unschedulable":true,"replicas":-3}}`,
			storage.Extracted{UID: "u1", Labels: apimeta.Labels{{Key: "a", Value: "1"}, {Key: "b", Value: "2"}},
				Owners: []string{"o1", "o2"}, Deleting: true, Fields: []string{"n1", "true", "-3", "x", "2", "", "x", ""}},
		},
		"any order, spaces, labels unsorted": {
			"{ \"spec\" : {\"replicas\":1e3, \"nodeName\":null} ,\n\"metadata\" : { \"labels\" : {\"b\":\"2\" , \"a\":\"1\"}, \"resourceVersion\" : \"\" , \"uid\":\"u1\" } }\n",
			storage.Extracted{UID: "u1", Labels: apimeta.Labels{{Key: "a", Value: "1"}, {Key: "b", Value: "2"}},
				Fields: []string{"", "", "1e3", "", "2", "", "", ""}},
		},
		"nulls and empties": {
			`{"metadata":{"labels":null,"ownerReferences":null,"deletionTimestamp":null,"uid":null,"resourceVersion":"7"}}`,
			storage.Extracted{Fields: make([]string, 8)},
		},
		"empty collections": {
			`{"metadata":{"labels":{},"ownerReferences":[],"resourceVersion":"7"},"spec":{}}`,
			storage.Extracted{Fields: make([]string, 8)},
		},
		"escapes": {
			`{"metadata":{"\u006eame":"a\"b\\","uid":"\u00fc","resourceVersion":"7","annotations":{"a":"}{\"],\\"},"labels":{"\u0062":"\n"}},"spec":{"nodeName":"\"}"}}`,
			storage.Extracted{UID: "ü", Labels: apimeta.Labels{{Key: "b", Value: "\n"}},
				Fields: []string{`"}`, "", "", `a"b\`, "\n", "", `a"b\`, ""}},
		},
		"scalars where objects are expected": {
			`{"metadata":{"resourceVersion":"7"},"spec":"text","no":[{"such":1}]}`,
			storage.Extracted{Fields: []string{"", "", "", "", "", "text", "", ""}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := extract([]byte(c.json))
			require.NoError(t, err)
			metadata, version := c.json[got.Metadata.Start:got.Metadata.End], c.json[got.Version.Start-1:got.Version.End+1]
			assert.True(t, json.Valid([]byte(metadata)) && metadata[0] == '{', metadata)
			assert.Contains(t, strings.ReplaceAll(metadata, " ", ""), `"resourceVersion":`+version)
			got.Metadata, got.Version = storage.Span{}, storage.Span{}
			assert.Equal(t, c.want, got)

			plain, err := storage.ExtractMetadata([]byte(c.json))
			require.NoError(t, err)
			assert.Nil(t, plain.Fields)
			assert.Equal(t, got.UID, plain.UID)
			assert.Equal(t, got.Labels, plain.Labels)
		})
	}
}

func TestExtractReportsDamage(t *testing.T) {
	for _, bad := range []string{
		"", " ", "null", "1", "[]", `"x"`, "{", `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":1 "b":2}`, `{a:1}`, `{"a":1}}`,
		`{"a":1}x`, `{"a":"`, `{"a":"\`, `{"a":[}`,
		"{\"a\":1}\x00", `{"metadata":[]}`, `{"metadata":"x"}`, `{"metadata":null}`, `{"metadata":{"labels":[]}}`,
		`{"metadata":{"labels":{"a":1}}}`,
		`{"metadata":{"ownerReferences":{}}}`, `{"metadata":{"ownerReferences":[1]}}`,
		`{"metadata":{"ownerReferences":[{"uid":1}]}}`,
		`{"metadata":{"uid":1}}`, `{"metadata":{"resourceVersion":1}}`, `{"metadata":{"uid":"\u00"}}`,
	} {
		_, err := storage.ExtractMetadata([]byte(bad))
		assert.ErrorIs(t, err, storage.ErrJSON, bad)
	}
}

// Objects with the same labels share one copy of them, so that a selector reads less memory.
func TestObjectsShareEqualLabels(t *testing.T) {
	extract := storage.NewExtractor()
	labelsOf := func(labels string) apimeta.Labels {
		parts, err := extract([]byte(`{"metadata":{"labels":` + labels + `,"resourceVersion":"1"}}`))
		require.NoError(t, err)
		return parts.Labels
	}
	want := apimeta.Labels{{Key: "app", Value: "a\"b"}, {Key: "tier", Value: ""}}
	first, second := labelsOf(`{"app":"a\"b","tier":""}`), labelsOf(`{"app":"a\"b","tier":""}`)
	assert.Equal(t, want, first)
	assert.Equal(t, want, second)
	assert.Same(t, &first[0], &second[0])
	assert.Equal(t, want, labelsOf(`{"tier":"","app":"a\"b"}`), "in another order")
	assert.Equal(t, want[:1], labelsOf(`{"app":"a\"b"}`))
	assert.Equal(t, append(want[:2:2], apimeta.Label{Key: "x", Value: "y"}), labelsOf(`{"app":"a\"b","tier":"","x":"y"}`))
}

// Objects with the same field values share one copy of them.
func TestObjectsShareEqualFields(t *testing.T) {
	extract := storage.NewExtractor([]string{"spec", "color"}, []string{"spec", "size"})
	fieldsOf := func(spec string) []string {
		parts, err := extract([]byte(`{"metadata":{"resourceVersion":"1"},"spec":` + spec + `}`))
		require.NoError(t, err)
		return parts.Fields
	}
	first, second := fieldsOf(`{"color":"red","size":1}`), fieldsOf(`{"size":1,"color":"red"}`)
	assert.Equal(t, []string{"red", "1"}, first)
	assert.Same(t, &first[0], &second[0])
	assert.Equal(t, []string{"1", "red"}, fieldsOf(`{"color":1,"size":"red"}`))
	assert.Equal(t, []string{"red", ""}, fieldsOf(`{"color":"red"}`))
	long := strings.Repeat("x", 1000)
	assert.Equal(t, []string{long, ""}, fieldsOf(`{"color":"`+long+`"}`))
}

// plainParts extracts with encoding/json, slowly and obviously. It returns ok == false where the fast extractor must
// fail.
func plainParts(data []byte) (parts storage.Extracted, ok bool) {
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &object) != nil || object == nil {
		return parts, false
	}
	parts.Fields = []string{""}
	var spec map[string]json.RawMessage
	if json.Unmarshal(object["spec"], &spec) == nil {
		parts.Fields[0] = plainScalar(spec["nodeName"])
	}
	raw, exists := object["metadata"]
	if !exists {
		return parts, true
	}
	var metadata map[string]json.RawMessage
	if json.Unmarshal(raw, &metadata) != nil || metadata == nil {
		return parts, false
	}
	var version *string
	var labels map[string]*string
	var owners []map[string]json.RawMessage
	for name, into := range map[string]any{"uid": &parts.UID, "resourceVersion": &version, "labels": &labels,
		"ownerReferences": &owners} {
		if value, exists := metadata[name]; exists && json.Unmarshal(value, into) != nil {
			return parts, false
		}
	}
	strings := map[string]string{}
	for key, value := range labels {
		if value == nil {
			return parts, false
		}
		strings[key] = *value
	}
	parts.Labels = apimeta.LabelsOf(strings)
	for _, owner := range owners {
		if owner == nil {
			return parts, false
		}
		if raw, exists := owner["uid"]; exists {
			var uid *string
			if json.Unmarshal(raw, &uid) != nil || uid == nil {
				return parts, false
			}
			parts.Owners = append(parts.Owners, *uid)
		}
	}
	deleted, exists := metadata["deletionTimestamp"]
	parts.Deleting = exists && string(deleted) != "null"
	return parts, true
}

func plainScalar(raw json.RawMessage) string {
	var value any
	switch json.Unmarshal(raw, &value); v := value.(type) {
	case string:
		return v
	case bool, float64:
		return string(raw)
	default:
		return ""
	}
}

// The fast extractor must agree with encoding/json on everything an encoder can have written, and must never panic on
// anything else.
func FuzzExtract(f *testing.F) {
	for _, seed := range []string{
		`{"metadata":{"name":"x","uid":"u","resourceVersion":"1","labels":{"b":"1","a":"2"},"ownerReferences":[{"uid":"o"}]},"spec":{"nodeName":"n"}}`,
		`{"spec":{"nodeName":1.5e3},"metadata":{"deletionTimestamp":null,"labels":{},"annotations":{"a":"\"}\\"}}}`,
		`{"metadata":{"labels":{"a":null}}}`, `{"metadata":null}`, `{"\u006detadata":{"u\u0069d":"\ud83d\ude00"}}`, `[]`,
		`{"a":"\`,
	} {
		f.Add([]byte(seed))
	}
	extract := storage.NewExtractor([]string{"spec", "nodeName"})
	f.Fuzz(func(t *testing.T, data []byte) {
		first, firstErr := extract(data)
		got, err := extract(data) // finds the labels that the first run has kept
		require.Equal(t, firstErr == nil, err == nil)
		require.Equal(t, first, got)
		if !jsontext.Value(data).IsValid() { // IsValid also rejects duplicate keys and invalid UTF-8, which no encoder writes
			return
		}
		want, ok := plainParts(data)
		if !ok {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		if got.Metadata != (storage.Span{}) {
			require.True(t, json.Valid(data[got.Metadata.Start:got.Metadata.End]))
		}
		if got.Version != (storage.Span{}) {
			require.True(t, json.Valid(data[got.Version.Start-1:got.Version.End+1]))
		}
		got.Metadata, got.Version = storage.Span{}, storage.Span{}
		if len(got.Labels) == 0 && len(want.Labels) == 0 {
			got.Labels, want.Labels = nil, nil
		}
		require.Equal(t, want, got)
	})
}

func ExampleNewExtractor() {
	extract := storage.NewExtractor([]string{"spec", "nodeName"}, []string{"status", "phase"})
	parts, err := extract([]byte(`{"metadata":{"labels":{"app":"web"},"resourceVersion":""},"spec":{"nodeName":"n1"}}`))
	fmt.Println(parts.Labels, parts.Fields, err)
	// Output: [{app web}] [n1 ] <nil>
}
