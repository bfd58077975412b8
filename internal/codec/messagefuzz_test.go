package codec_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/codec"
)

// Decoding ends for any bytes, and what it decodes survives encoding and decoding unchanged.
func FuzzMetadataMessage(f *testing.F) {
	all, err := codec.MessageOf(reflect.TypeFor[tagged]())
	require.NoError(f, err)
	metadata, _, err := codec.DecodeJSON([]byte(`{"metadata":{"name":"a","labels":{"k":"v"},"creationTimestamp":"2026-01-02T03:04:05Z","finalizers":["x"],
		"ownerReferences":[{"kind":"Node","controller":true}],"managedFields":[{"manager":"m","fieldsV1":{"f:data":{}}}]}}`))
	require.NoError(f, err)
	raw, err := codec.PartialObjectMetadataMessage().Append(nil, metadata)
	require.NoError(f, err)
	f.Add(raw)
	f.Add(codec.AppendEnvelope(nil, codec.Envelope{APIVersion: "v1", Kind: "Status", Raw: raw}))
	f.Add([]byte("\x0a\x02\x0a\xff"))
	types, _, err := codec.DecodeJSON([]byte(`{"count":-1,"on":true,"micro":"2026-01-02T03:04:05.000006Z","data":"AP8=","names":["",null],"parts":[{"name":"p"}],
		"byName":{"x":{}},"lists":{"x":["y"]},"ratio":-0.25,"any":[{"a":[1]},null],"rule":[true,{"next":[]},{"name":"d","next":{}}]}`))
	require.NoError(f, err)
	raw, err = all.Append(nil, types)
	require.NoError(f, err)
	f.Add(raw)
	f.Fuzz(func(t *testing.T, data []byte) {
		if e, err := codec.DecodeEnvelope(data); err == nil {
			data = e.Raw
		}
		for _, message := range []*codec.Message{codec.PartialObjectMetadataMessage(), all} {
			v, err := message.Decode(data)
			if err != nil {
				continue
			}
			written, err := message.Append(nil, v)
			if err != nil {
				continue // a time without a text form
			}
			again, err := message.Decode(written)
			require.NoError(t, err)
			twice, err := message.Append(nil, again)
			require.NoError(t, err)
			require.Equal(t, written, twice)
		}
	})
}
