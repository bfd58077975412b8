package crdbench

import (
	"fmt"
	"strings"
)

// Definition returns the JSON of a CustomResourceDefinition of a kind named by a number. It is about size bytes long.
// Rules are spread over its sections. The schema resembles those of real projects: sections with described fields of
// several types, with patterns, bounds, enumerations, defaults, lists and maps.
func Definition(number, size, rules int) string {
	const perSection = 2600
	sections := max(1, (size-1000)/perSection)
	var spec strings.Builder
	for i := range sections {
		if i > 0 {
			spec.WriteByte(',')
		}
		own := rules / sections
		if i < rules%sections {
			own++
		}
		section(&spec, i, own)
	}
	return fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":%q},"spec":{"group":"example.org",`+
		`"names":{"plural":%q,"kind":%q},"scope":"Namespaced","versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},`+
		`"additionalPrinterColumns":[{"name":"Mode","type":"string","jsonPath":".spec.section0.mode"}],"schema":{"openAPIV3Schema":{"type":"object",`+
		`"properties":{"spec":{"type":"object","properties":{%s}},"status":{"type":"object","properties":{"phase":{"type":"string"},`+
		`"observedGeneration":{"type":"integer","format":"int64"}}}}}}}]}}`,
		Plural(number)+".example.org", Plural(number), fmt.Sprintf("Crate%d", number), spec.String())
}

// Plural returns the plural of the kind of a definition.
func Plural(number int) string { return fmt.Sprintf("crates%d", number) }

// Collection returns the path of the objects of a kind.
func Collection(number int) string {
	return "/apis/example.org/v1/namespaces/default/" + Plural(number)
}

// Definitions is the path of the definitions.
const Definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// section appends one section of a schema, with rules about it.
func section(b *strings.Builder, number, rules int) {
	text := func(what string) string {
		return fmt.Sprintf("%s of section %d. It says how the controller treats the parts of this section while it rolls out a change, and has no effect on other sections.", what, number)
	}
	fmt.Fprintf(b, `"section%d":{"type":"object","description":%q,"required":["mode"],"properties":{`, number,
		text("The configuration"))
	fmt.Fprintf(b, `"mode":{"type":"string","description":%q,"enum":["Always","Never","IfIdle"],"default":"IfIdle"},`,
		text("The mode"))
	fmt.Fprintf(b, `"host":{"type":"string","description":%q,"maxLength":253,"pattern":"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"},`, text("The host"))
	fmt.Fprintf(b, `"port":{"type":"integer","format":"int32","description":%q,"minimum":1,"maximum":65535},`,
		text("The port"))
	fmt.Fprintf(b, `"target":{"x-kubernetes-int-or-string":true,"description":%q,"anyOf":[{"type":"integer"},{"type":"string"}]},`, text("The target"))
	fmt.Fprintf(b, `"labels":{"type":"object","maxProperties":16,"additionalProperties":{"type":"string","maxLength":63}},`)
	fmt.Fprintf(b, `"weights":{"type":"object","description":%q,"properties":{"low":{"type":"number"},"high":{"type":"number"}}},`, text("The weights"))
	fmt.Fprintf(b, `"parts":{"type":"array","maxItems":16,"description":%q,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object","required":["name"],"properties":{`, text("The parts"))
	fmt.Fprintf(b, `"name":{"type":"string","maxLength":63,"minLength":1,"description":%q},`, text("The name of a part"))
	fmt.Fprintf(b, `"replicas":{"type":"integer","format":"int32","minimum":0,"default":1},"paused":{"type":"boolean","default":false},`)
	fmt.Fprintf(b, `"since":{"type":"string","format":"date-time"},"arguments":{"type":"array","maxItems":32,"items":{"type":"string","maxLength":256},"description":%q}}}}}`, text("The arguments"))
	if rules > 0 {
		b.WriteString(`,"x-kubernetes-validations":[`)
		for i := range rules {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(b, `{"rule":"self.mode != 'Never' || !has(self.parts) || self.parts.all(p, p.replicas <= %d)","message":"a section that never runs has few replicas"}`, i+1)
		}
		b.WriteByte(']')
	}
	b.WriteByte('}')
}
