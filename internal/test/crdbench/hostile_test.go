//go:build !race

package crdbench_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/internal/test/crdbench"
	"github.com/decorum-go/decorum/internal/test/hangtest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
)

// The costs of the rules of a definition, in memory, time and bytes of the answer, grow linearly with their number. The
// checker of cel-go takes time with the square of the length of one rule, which may have 100,000 characters.
func TestCostOfHostileRules(t *testing.T) {
	chain := func(term, operator string, n int) string {
		return strings.TrimSuffix(strings.Repeat(term+operator, n), operator)
	}
	tests := map[string]struct {
		rule  string
		count int
		code  int
		says  string // a part of the answer
	}{
		"2,000 rules":       {"self.size() < %d + 10", 2000, http.StatusCreated, ""},
		"2,000 wrong rules": {"self.size() < nothing%d", 2000, http.StatusUnprocessableEntity, "undeclared reference"},
		"a rule of 1 MB": {chain("self != 'x'", " && ", 60_000), 1, http.StatusUnprocessableEntity,
			"expression code point size exceeds limit"},
		"a rule of 15 KB": {chain("self != 'x'", " && ", 1000), 1, http.StatusCreated, ""},
		"a deep rule": {strings.Repeat("(", 5000) + "true" + strings.Repeat(")", 5000), 1,
			http.StatusUnprocessableEntity, "recursion"},
		"a chain of calls": {"self" + strings.Repeat(".trim()", 5000) + " == ''", 1, http.StatusUnprocessableEntity,
			""},
		"a long list": {"self in [" + chain("'x'", ",", 15_000) + "]", 1, http.StatusCreated, ""},
		"nested macros": {strings.Repeat("[1,2,3].all(x, ", 20) + "true" + strings.Repeat(")", 20), 1,
			http.StatusUnprocessableEntity, ""},
		"rules that cost too much": {"self.matches('(a+)+%d')", 300, http.StatusUnprocessableEntity, "exceeds budget"},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			api, err := rest.New(rest.Options{},
				apiextensions.CustomResourceDefinitions(apiextensions.Checks{CEL: cel.Evaluator()}))
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, api.Close()) })
			rules := make([]string, c.count)
			for i := range rules {
				rules[i] = fmt.Sprintf(`{"rule":%q}`, strings.ReplaceAll(c.rule, "%d", fmt.Sprint(i)))
			}
			definition := crdbench.With(`{"type":"string","x-kubernetes-validations":[` + strings.Join(rules, ",") + `]}`)
			w := httptest.NewRecorder()
			r := httptest.NewRequest("POST", crdbench.Definitions, strings.NewReader(definition))
			r.Header.Set("Content-Type", "application/json")
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			api.ServeHTTP(w, r)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			in, allocated := len(definition), int(after.TotalAlloc-before.TotalAlloc)
			t.Logf("%d bytes in, %d out, %d MiB allocated, %v", in, w.Body.Len(), allocated>>20, took)
			assert.Equal(t, c.code, w.Code, "%.600s", w.Body)
			assert.True(t, strings.Contains(w.Body.String(), c.says), "%.600s", w.Body)
			assert.LessOrEqual(t, w.Body.Len(), 10*in+3<<20)
			assert.LessOrEqual(t, allocated, 5000*in+256<<20)
			assert.Less(t, took, hangtest.Deadline)
		})
	}
}
