//go:build !race

package crd_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// numbered repeats a part of a text, with a number in it, separated by commas.
func numbered(format string, n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(format, "%d", fmt.Sprint(i))
	}
	return strings.Join(parts, ",")
}

// nested returns the schema of an object so many levels deep.
func nested(levels int, innermost string) string {
	return strings.Repeat(`{"type":"object","properties":{"a":`, levels) + innermost + strings.Repeat("}}", levels)
}

// definition returns a definition of traps with one version, whose schema has one more property, spec.
func definition(spec string) string { return definitionOf(version("v1", "true", spec)) }

func definitionOf(versions string) string {
	return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"traps.example.org"},` +
		`"spec":{"group":"example.org","names":{"plural":"traps","kind":"Trap"},"scope":"Cluster","versions":[` + versions +
		`]}}`
}

// withPart returns a definition whose version has one more member.
func withPart(member string) string {
	return definitionOf(strings.TrimSuffix(version("v1", "true", `{"type":"string"}`), "}") + "," + member + "}")
}

func version(name, storage, spec string) string {
	return `{"name":"` + name + `","served":true,"storage":` + storage +
		`,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":` + spec + `}}}}`
}

// The costs of a definition, in memory, time and bytes of the answer, grow linearly with its length, for every content.
// The test does not run under the race detector, whose own costs it would measure.
func TestCostOfHostileDefinitions(t *testing.T) {
	text := func(n int) string { return strings.Repeat("x", n) }
	object := func(properties string) string { return `{"type":"object","properties":{` + properties + `}}` }
	tests := map[string]struct {
		definition string
		code       int
		message    string // a part of the answer
	}{
		"5,000 properties":  {definition(object(numbered(`"p%d":{"type":"string","pattern":"^[a-z]{1,63}$","default":"a"}`, 5000))), 201, ""},
		"20,000 properties": {definition(object(numbered(`"p%d":{"type":"string","description":"A property of the trap."}`, 20_000))), 201, ""},
		"500 levels":        {definition(nested(500, `{"type":"string"}`)), 201, ""},
		"3,000 levels":      {definition(nested(3000, `{"type":"string"}`)), 201, ""},
		"9,000 levels":      {definition(nested(9000, `{"type":"string"}`)), 400, "exceeded max depth"},
		"1.5 MB of text":    {definition(`{"type":"string","description":"` + text(1_500_000) + `"}`), 201, ""},
		"3 MiB": {definition(`{"type":"string","description":"` + text(3<<20) + `"}`), 413,
			"limit is 3145728"},
		"100,000 values": {definition(`{"type":"string","enum":[` + numbered(`"v%d"`, 100_000) +
			`],"default":"v99999"}`), 201, ""},
		"repeated repetitions": {definition(`{"type":"string","pattern":"((a{100}){100}){100}"}`), 422,
			"invalid repeat count"},
		"a repetition of 1,000": {definition(`{"type":"string","pattern":"(abcdefgh){1000}"}`), 201, ""},
		"2,000 large patterns": {definition(object(numbered(`"p%d":{"type":"string","pattern":"([a-z]|b%d){1000}"}`, 2000))),
			422, "expression too large"},
		"a long pattern": {definition(`{"type":"string","pattern":"` + strings.Repeat("(a|b)*", 50_000) + `"}`), 201,
			""},
		"a deep pattern": {definition(`{"type":"string","pattern":"` + strings.Repeat("(", 100_000) + strings.Repeat(")",
			100_000) +
			`"}`), 422, "expression nests too deeply"},
		"a default of 1 MB": {definition(`{"type":"object","x-kubernetes-preserve-unknown-fields":true,"default":{` +
			numbered(`"k%d":"v"`, 80_000) + `}}`), 201, ""},
		"defaults that multiply": {definition(multiplying(8, 10)), 422, "too large with the defaults below it"},
		"a default of a wrong type": {definition(`{"type":"object","additionalProperties":{"type":"integer"},"default":{` +
			numbered(`"k%d":"v"`, 80_000) + `}}`), 422, "must be of type integer"},
		"1,000 versions": {definitionOf(version("v1", "true", `{"type":"string"}`) + "," +
			numbered(version("v1beta%d1", "false", `{"type":"string"}`), 999)), 201, ""},
		"versions of one name": {definitionOf(numbered(version("v1", "true", object(`"p%d":{"type":"string"}`)), 2000)), 422,
			"must contain unique version names"},
		"10,000 columns": {withPart(`"additionalPrinterColumns":[` +
			numbered(`{"name":"c%d","type":"string","jsonPath":".spec"}`, 10_000) + `]`), 201, ""},
		"wrong columns": {withPart(`"additionalPrinterColumns":[` + numbered(`{"name":"c%d","type":"text","jsonPath":"{"}`,
			10_000) +
			`]`), 422, "must be one of boolean,date,integer,number,string"},
		"10,000 selectable fields": {withPart(`"selectableFields":[` + numbered(`{"jsonPath":".spec.f%d"}`, 10_000) + `]`),
			422, "is an invalid path"},
		"20,000 names": {strings.Replace(definition(`{"type":"string"}`), `"kind":"Trap"}`,
			`"kind":"Trap","shortNames":[`+numbered(`"t%d"`, 20_000)+`]}`, 1), 201, ""},
		"wrong types": {definition(object(numbered(`"p%d":{"type":"text"}`, 20_000))), 422, "supported values"},
		"no types, below long keys": {definition(object(`"` + text(1<<18) + `":` + object(numbered(`"p%d":{}`, 20_000)))),
			422, "must not be empty for specified object fields"},
		"no types, deep": {definition(nested(2000, object(numbered(`"p%d":{}`, 5000)))), 422,
			"must not be empty for specified object fields"},
		"alternatives": {definition(`{"type":"string","anyOf":[` +
			strings.TrimSuffix(strings.Repeat(`{"minLength":1},`, 30_000), ",") + `]}`), 201, ""},
		"alternatives of fields": {definition(`{"type":"object","allOf":[{"properties":{` + numbered(`"p%d":{"minLength":1}`,
			20_000) + `}}]}`), 201, ""},
		"nested alternatives": {definition(`{"type":"string","not":` + strings.Repeat(`{"not":`, 3000) + "{}" +
			strings.Repeat("}", 3001)), 201, ""},
		"100,000 required": {definition(`{"type":"object","required":[` + numbered(`"r%d"`, 100_000) + `],"properties":{` +
			numbered(`"r%d":{"type":"string"}`, 10_000) + `}}`), 201, ""},
		"100,000 keys": {definition(`{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":[` +
			numbered(`"k%d"`, 100_000) + `],"items":{"type":"object","properties":{` + numbered(`"k%d":{"type":"string"}`,
			10_000) + `}}}`), 422,
			"entries must all be names of item properties"},
		"unknown keywords": {definition(`{"type":"string",` + numbered(`"q%d":1`, 100_000) + `}`), 201, ""},
		"rules without evaluator": {definition(`{"type":"string","x-kubernetes-validations":[` +
			numbered(`{"rule":"self != '%d'"}`, 30_000) +
			`]}`), 422, "does not evaluate validation rules"},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			api := enabled(t, rest.Options{})
			r := httptest.NewRequest("POST", definitions, strings.NewReader(c.definition))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			took := apitest.Cost(t, func() { api.ServeHTTP(w, r) })
			served := took
			if w.Code == 201 {
				served += apitest.Cost(t, func() { await(t, api, "traps.example.org", established) })
			}
			runtime.ReadMemStats(&after)
			in, allocated := len(c.definition), int(after.TotalAlloc-before.TotalAlloc)
			t.Logf("%d bytes in, %d out, %d MiB allocated, %v until the answer, %v until served", in, w.Body.Len(),
				allocated>>20, took, served)
			assert.Equal(t, c.code, w.Code, "%.300s", w.Body)
			assert.True(t, strings.Contains(w.Body.String(), c.message), "%.300s", w.Body)
			assert.LessOrEqual(t, w.Body.Len(), 2*in+3<<20)
			assert.LessOrEqual(t, allocated, 2000*in+256<<20)
			// The plug-in may still work on the definition. At the end, Close would give it four seconds.
			ctx, cancel := context.WithTimeout(t.Context(), apitest.Deadline)
			defer cancel()
			assert.NoError(t, api.Shutdown(ctx))
		})
	}
}

// multiplying returns a schema whose defaults contain one another: each list of n elements gets the defaults of its
// elements.
func multiplying(levels, n int) string {
	elements := strings.TrimSuffix(strings.Repeat("{},", n), ",")
	inner := `{"type":"string","default":"x"}`
	for range levels {
		inner = `{"type":"array","default":[` + elements + `],"items":{"type":"object","properties":{"a":` + inner + `}}}`
	}
	return inner
}
