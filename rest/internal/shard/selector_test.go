package shard_test

import (
	"fmt"
	"hash/fnv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/internal/shard"
)

const (
	lower = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"
	upper = "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')"
)

// A kube-apiserver 1.37.2 with the feature gate assigned these uids to these halves.
func TestMatchesAsUpstream(t *testing.T) {
	for uid, isLower := range map[string]bool{
		"76ebfc76-4fb6-427b-a8aa-9726e64e1c96": true, "df52e27b-1d08-4916-94f3-b179ba0c342b": true,
		"da303699-d253-4bb9-9d1c-4ca74634393d": true, "5832581a-7c08-4bc4-b454-f7626ad8cf23": true,
		"bcc20b0b-3484-4b96-9d2d-28d2998c6960": false, "2887e987-78e0-4e70-aa27-aa8631bd57fd": false,
	} {
		assert.Equal(t, isLower, parsed(t, lower).Matches(uid, ""), uid)
		assert.Equal(t, !isLower, parsed(t, upper).Matches(uid, ""), uid)
		assert.True(t, parsed(t, upper+"||"+lower).Matches(uid, ""), uid)
		assert.True(t, (*shard.Selector)(nil).Matches(uid, ""))
	}
}

func parsed(t *testing.T, text string) *shard.Selector {
	t.Helper()
	s, err := shard.Parse(text)
	require.NoError(t, err)
	return s
}

// A range includes its start and excludes its end.
func TestEndsOfRanges(t *testing.T) {
	const namespace = "default"
	h := fnv.New64a()
	_, _ = h.Write([]byte(namespace))
	hash := h.Sum64()
	of := func(first, end uint64) string {
		return fmt.Sprintf("shardRange(object.metadata.namespace, '0x%016x', '0x%016x')", first, end)
	}
	for text, want := range map[string]bool{
		of(hash, hash+1): true, of(hash+1, hash+2): false, of(hash-1, hash): false, of(hash-1, hash+1): true,
		of(0, 1) + " || " + of(hash, hash+1) + " || " + of(2, 3):           true,
		of(hash-9, hash-3) + " || " + of(hash-3, hash+3):                   true,
		of(hash-9, hash+9) + " || " + of(hash-8, hash-7):                   true,
		of(hash+1, hash+9) + " || " + of(hash-9, hash) + " || " + of(5, 6): false,
	} {
		assert.Equal(t, want, parsed(t, text).Matches("", namespace), text)
	}
}

func TestParse(t *testing.T) {
	loose := "( shardRange( object . metadata.uid ,\"0x0000000000000000\",'0x8000000000000000') )||" +
		"(shardRange(object.metadata.uid,'0x8000000000000000','0x8000000000000001'))"
	assert.Equal(t, "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000') || "+
		"shardRange(object.metadata.uid, '0x8000000000000000', '0x8000000000000001')", parsed(t, loose).String())
	assert.Empty(t, (*shard.Selector)(nil).String())
	of := func(field, start, end string) string {
		return "shardRange(" + field + ", '" + start + "', '" + end + "')"
	}
	const uid, zero, middle = "object.metadata.uid", "0x0000000000000000", "0x8000000000000000"
	for text, want := range map[string]string{
		"":                                       "only shardRange",
		"x":                                      "only shardRange",
		lower + " && " + upper:                   "only shardRange",
		lower + " || ":                           "only shardRange",
		lower + ")":                              "only shardRange",
		"((" + lower + ")":                       "a parenthesis is not closed",
		"shardRange(object.metadata.uid)":        "takes a field and two texts",
		of(uid, zero, middle+"', '0"):            "takes a field and two texts",
		"shardRange(" + uid + ", '0x0, 1)":       "takes a field and two texts",
		of("object.metadata.name", zero, middle): "is not supported",
		of(uid, "0x0", middle):                   "16 hexadecimal digits",
		of(uid, zero, "0x80000000000000000"):     "16 hexadecimal digits",
		of(uid, zero, "0x800000000000000A"):      "lower-case",
		of(uid, "8000000000000000", "0x10000000000000000"):                             "16 hexadecimal digits",
		of(uid, middle, middle):                                                        "is empty",
		of(uid, middle, zero):                                                          "is empty",
		of(uid, "0x10000000000000000", "0x10000000000000000"):                          "is empty",
		of(uid, "0x10000000000000000", middle):                                         "is empty",
		lower + " || " + of("object.metadata.namespace", middle, "0xffffffffffffffff"): "use the same field",
	} {
		_, err := shard.Parse(text)
		assert.ErrorContains(t, err, want, text)
	}
}

// The canonical form of a selector parses as the same selector.
func FuzzParse(f *testing.F) {
	f.Add(lower+" || "+upper, "uid-1")
	f.Add("(("+lower+"))", "")
	f.Fuzz(func(t *testing.T, text, uid string) {
		s, err := shard.Parse(text)
		if err != nil {
			return
		}
		again := parsed(t, s.String())
		assert.Equal(t, s.String(), again.String())
		assert.Equal(t, s.Matches(uid, uid), again.Matches(uid, uid))
	})
}
