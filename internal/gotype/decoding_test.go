package gotype_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/gotype"
)

func TestDecodingError(t *testing.T) {
	type spec struct {
		Replicas int32             `json:"replicas,omitempty"`
		Ratio    float32           `json:"ratio,omitempty"`
		Labels   map[string]string `json:"labels,omitempty"`
		Names    []string          `json:"names,omitempty"`
		Data     []byte            `json:"data,omitempty"`
		On       *bool             `json:"on,omitempty"`
		At       apimeta.Time      `json:"at,omitempty"`
		Any      any               `json:"any,omitempty"`
		ByNumber map[int8]string   `json:"byNumber,omitempty"`
		Next     *spec             `json:"next,omitempty"`
		Exactly  apimeta.MicroTime `json:"exactly,omitempty"`
		Instant  time.Time         `json:"instant,omitempty"`
	}
	type thing struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		Spec               spec `json:"spec"`
	}
	for text, want := range map[string]string{
		`{}`: "",
		`{"kind":"Thing","metadata":{"name":"a","labels":null},"spec":{"replicas":3,"any":[{"a":1e3}],"on":null}}`: "",
		`"x"`: "json: cannot unmarshal string into Go value of type gotype_test.thing",
		`{"kind":1}`: "json: cannot unmarshal number into Go struct field thing.TypeMeta.kind " +
			"of type string",
		`{"metadata":1}`: "json: cannot unmarshal number into Go struct field thing.metadata of " +
			"type v1.ObjectMeta",
		`{"metadata":{"labels":{"a":1}}}`: "json: cannot unmarshal number into Go struct field " +
			"ObjectMeta.metadata.labels of type string",
		`{"metadata":{"uid":{}}}`: "json: cannot unmarshal object into Go struct field " +
			"ObjectMeta.metadata.uid of type types.UID",
		`{"metadata":{"ownerReferences":true}}`: "json: cannot unmarshal bool into Go struct field " +
			"ObjectMeta.metadata.ownerReferences of type []v1.OwnerReference",
		`{"metadata":{"ownerReferences":[{"uid":1}]}}`: "json: cannot unmarshal number into Go struct " +
			"field OwnerReference.metadata.ownerReferences.uid of type types.UID",
		`{"metadata":{"creationTimestamp":1}}`: "json: cannot unmarshal number into Go struct " +
			"field ObjectMeta.metadata.creationTimestamp of type string",
		`{"spec":{"replicas":2147483648}}`: "json: cannot unmarshal number 2147483648 into Go " +
			"struct field spec.spec.replicas of type int32",
		`{"spec":{"replicas":1.5}}`: "json: cannot unmarshal number 1.5 into Go struct " +
			"field spec.spec.replicas of type int32",
		`{"spec":{"ratio":1e39}}`: "json: cannot unmarshal number 1e39 into Go " +
			"struct field spec.spec.ratio of type float32",
		`{"spec":{"any":[1e400]}}`: "json: cannot unmarshal number 1e400 into Go " +
			"struct field spec.spec.any of type float64",
		`{"spec":{"any":1e400}}`: "json: cannot unmarshal number 1e400 into Go " +
			"struct field spec.spec.any of type float64",
		`{"spec":{"REPLICAS":"x"}}`: "json: cannot unmarshal string into Go struct " +
			"field spec.spec.replicas of type int32",
		`{"spec":{"data":"=="}}`: "illegal base64 data at input byte 0",
		`{"spec":{"data":[1,256]}}`: "json: cannot unmarshal number 256 into Go struct " +
			"field spec.spec.data of type uint8",
		`{"spec":{"byNumber":{"300":"a"}}}`: "json: cannot unmarshal number 300 into Go struct " +
			"field spec.spec.byNumber of type int8",
		`{"spec":{"next":{"next":{"names":["a",2]}}}}`: "json: cannot unmarshal number into Go struct " +
			"field spec.spec.next.next.names of type string",
		`{"spec":{"names":1,"labels":[]}}`: "json: cannot unmarshal number into Go struct " +
			"field spec.spec.names of type []string",
		`{"unknown":{"spec":1},"spec":{"on":"x"}}`: "json: cannot unmarshal string into Go struct " +
			"field spec.spec.on of type bool",
		`{"spec":{"replicas":"x","at":"noon"},"metadata":{"labels":1}}`: `parsing time "noon" as "2006-01-02T15:04:05Z07:00": cannot parse "noon" as "2006"`,
		`{"spec":{"data":"AA"}}`:                      "illegal base64 data at input byte 0",
		`{"spec":{"at":"2026-02-30T00:00:00Z"}}`:      `parsing time "2026-02-30T00:00:00Z": day out of range`,
		`{"spec":{"exactly":"2026-01-02T03:04:05Z"}}`: `parsing time "2026-01-02T03:04:05Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"`,
		`{"spec":{"exactly":1}}`: "json: cannot unmarshal number into Go struct " +
			"field spec.spec.exactly of type string",
		`{"spec":{"instant":"2026-01-02"}}`: `parsing time "2026-01-02" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"`,
		`{"spec":{"instant":{}}}`:           "Time.UnmarshalJSON: input is not a JSON string",
	} {
		t.Run(text, func(t *testing.T) {
			err := gotype.DecodingError([]byte(text), reflect.TypeFor[thing]())
			if want == "" {
				assert.NoError(t, err)
				return
			}
			assert.EqualError(t, err, want)
		})
	}
}
