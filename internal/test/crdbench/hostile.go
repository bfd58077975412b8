package crdbench

import (
	"fmt"
	"strings"
)

// Hostile returns definitions that are expensive to check, all of kind 0.
func Hostile() []string {
	repeat := func(n int, format string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf(format, i)
		}
		return strings.Join(parts, ",")
	}
	rules := Definition(0, 100_000, 2000)
	return []string{
		Definition(0, 1_500_000, 40),
		rules,
		With(`{"type":"object","properties":{` + repeat(5000,
			`"p%d":{"type":"string","pattern":"^[a-z]{1,63}$","default":"a"}`) + `}}`),
		With(strings.Repeat(`{"type":"object","properties":{"a":`, 500) + `{"type":"string"}` + strings.Repeat("}}", 500)),
		With(`{"type":"string","enum":[` + repeat(10_000, `"value%d"`) + `]}`),
		With(`{"type":"object","properties":{` + repeat(2000, `"p%d":{"type":"string","pattern":"([a-z]|b){1000}"}`) + `}}`),
		With(`{"type":"string","pattern":"` + strings.Repeat("(a|b)*", 50_000) + `"}`),
		With(`{"type":"object","x-kubernetes-preserve-unknown-fields":true,"default":{` + repeat(50_000, `"k%d":"v"`) + `}}`),
		With(`{"type":"object","properties":{` + repeat(20_000, `"p%d":{}`) + `}}`),
	}
}

// With returns a definition with this schema of the spec.
func With(spec string) string {
	small := Definition(0, 0, 0)
	begin := strings.Index(small, `"spec":{"type":"object"`) + len(`"spec":`)
	end := strings.Index(small, `,"status":{"type"`)
	return small[:begin] + spec + small[end:]
}
