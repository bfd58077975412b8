package apiextensions

import (
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
)

func known(list []string, s string) bool { return slices.Contains(list, s) }

// label requires a DNS label that begins with a letter.
func (c *checker) label(value string, at *status.Path) {
	if faults := apimeta.ValidateDNS1035Label(value); len(faults) > 0 {
		c.fail(status.InvalidField(at, value, strings.Join(faults, ",")))
	}
}

// mixedLabel requires a label that may have capitals.
func (c *checker) mixedLabel(value string, at *status.Path) {
	if faults := apimeta.ValidateDNS1035Label(strings.ToLower(value)); value != "" && len(faults) > 0 {
		c.fail(status.InvalidField(at, value, "may have mixed case, but should otherwise match: "+strings.Join(faults, ",")))
	}
}

// allNames checks the names of a spec, where four of them are required.
func (c *checker) allNames(n *CustomResourceDefinitionNames, at *status.Path) {
	for _, name := range []struct{ field, value string }{{"plural", n.Plural}, {"singular", n.Singular}, {"kind", n.Kind},
		{"listKind", n.ListKind}} {
		if name.value == "" {
			c.fail(status.RequiredField(at.Child(name.field), ""))
		}
	}
	c.names(n, at)
}

// names checks the form of names that are set.
func (c *checker) names(n *CustomResourceDefinitionNames, at *status.Path) {
	if n.Plural != "" {
		c.label(n.Plural, at.Child("plural"))
	}
	if n.Singular != "" {
		c.label(n.Singular, at.Child("singular"))
	}
	c.mixedLabel(n.Kind, at.Child("kind"))
	c.mixedLabel(n.ListKind, at.Child("listKind"))
	for i, name := range n.ShortNames {
		c.label(name, at.Child("shortNames").Index(i))
	}
	if n.Kind != "" && n.Kind == n.ListKind {
		c.fail(status.InvalidField(at.Child("listKind"), n.ListKind, "kind and listKind may not be the same"))
	}
	for i, name := range n.Categories {
		c.label(name, at.Child("categories").Index(i))
	}
}
