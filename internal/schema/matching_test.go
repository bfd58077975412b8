package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// manyStates is a pattern of about 100,000 states. Only hostile texts visit them: those that begin with b.
var manyStates = "^a|^(" + strings.Repeat("b?", 50) + "){1000}$"

// The patterns of an object take a bounded number of steps, wherever they are. Beyond it, the object is invalid, even
// where the pattern must not match.
func TestMatchingIsBounded(t *testing.T) {
	object := func(properties string) string { return `{"type":"object","properties":{` + properties + `}}` }
	pattern := `"pattern":"` + manyStates + `"`
	short := strings.Repeat("a", 100) // ten million steps
	for name, c := range map[string]struct {
		schema, value, says string
	}{
		"a long text": {object(`"t":{"type":"string",` + pattern + `}`), `{"t":"` + strings.Repeat("b", 20<<10) + `"}`, "t"},
		"many short texts": {object(`"t":{"type":"array","items":{"type":"string",` + pattern + `}}`),
			`{"t":["` + strings.Repeat(short+`","`, 10_000) + `"]}`, "t[19]"},
		"below a not": {object(`"t":{"type":"string","not":{` + pattern + `}}`),
			`{"t":"` + strings.Repeat("b", 20<<10) + `"}`, "t"},
		"many alternatives": {object(`"t":{"type":"string","allOf":[` +
			strings.TrimSuffix(strings.Repeat(`{`+pattern+`},`, 25), ",") + `]}`), `{"t":"` + short + `"}`, "t"},
		"some short texts": {object(`"t":{"type":"array","items":{"type":"string",` + pattern + `}}`),
			`{"t":["` + short + `","` + short + `"]}`, ""},
		"an ordinary pattern and 3 MB": {object(`"t":{"type":"string","pattern":"^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"}`),
			`{"t":"` + strings.Repeat("a", 3<<20) + `"}`, ""},
		"10,000 addresses": {object(`"t":{"type":"array","items":{"type":"string","pattern":"^(([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])[.]){3}([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])/[0-9]{1,2}$"}}`),
			`{"t":["` + strings.Repeat(`192.168.100.200/24","`, 10_000) + `10.0.0.0/8"]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := schema.ReadOpenAPI([]byte(c.schema))
			require.NoError(t, err)
			value := decode(t, c.value)
			var want []string
			if c.says != "" {
				want = []string{fmt.Sprintf("%s in body is too long for the pattern '%s': the patterns of the object could take more than 200000000 steps", c.says, manyStates)}
			}
			for _, errs := range []status.FieldErrors{s.CheckRules(nil, value, doc.Value{}),
				s.CheckTypesAndRules(nil, value, doc.Value{})} {
				var got []string
				for _, e := range errs[max(len(errs)-1, 0):] { // the error of the whole object is the last one
					got = append(got, e.Detail)
				}
				assert.Equal(t, want, got)
			}
			assert.Empty(t, s.CheckRules(nil, value, value), "an update that does not change the text")
		})
	}
}
