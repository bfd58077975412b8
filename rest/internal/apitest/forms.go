package apitest

import (
	"context"
	"testing"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
)

// NewManyKinds is an API of a few resources in several groups and versions.
func NewManyKinds(t *testing.T) *rest.API {
	t.Helper()
	return New(t, rest.Options{NoSelfReviews: true},
		WidgetResource(),
		SettingsResource(),
		SumResource(func(context.Context, *Sum) error { return nil }),
		rest.Resource[Zone]{Group: "aaa.example.com", Version: "v1beta1", Plural: "zones", Scope: rest.ScopeCluster,
			Names: rest.Names{Short: []string{"zn"}}},
		rest.Resource[Memo]{Version: "v1", Plural: "memos", Wire: rest.Wire{Dialect: rest.DialectBuiltin},
			Verbs: []access.Verb{access.VerbGet, access.VerbList}},
	)
}

// Sum is a call: the sum of numbers.
type Sum struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               SumSpec   `json:"spec"`
	Status             SumStatus `json:"status,omitzero"`
}

// SumSpec has the numbers to add.
type SumSpec struct {
	Numbers []int64 `json:"numbers" api:"maxItems=3"`
}

// SumStatus has their sum.
type SumStatus struct {
	Total int64 `json:"total"`
}

// Sums is the path of the call.
const Sums = ExampleV1 + "/sums"

// SumResource declares the call that this function answers.
func SumResource(call func(ctx context.Context, s *Sum) error) rest.Resource[Sum] {
	return rest.Resource[Sum]{Group: "example.com", Version: "v1", Plural: "sums", Scope: rest.ScopeCluster,
		Hooks: rest.Hooks[Sum]{Call: call}}
}

// SumBody is the JSON of a Sum with this spec.
func SumBody(spec string) string {
	return `{"apiVersion":"example.com/v1","kind":"Sum","spec":` + spec + `}`
}

// Settings is a kind with one object.
type Settings struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               SettingsSpec   `json:"spec"`
	Status             SettingsStatus `json:"status,omitzero"`
}

// SettingsSpec is the desired state of the Settings.
type SettingsSpec struct {
	Level string `json:"level" api:"enum=low|high,default=low"`
}

// SettingsStatus is the observed state of the Settings.
type SettingsStatus struct {
	Applied string `json:"applied,omitempty"`
}

// SettingsPath is the path of the kind.
const SettingsPath = ExampleV1 + "/settings"

// SettingsResource declares a singleton.
func SettingsResource() rest.Resource[Settings] {
	return rest.Resource[Settings]{Group: "example.com", Version: "v1", Plural: "settings",
		Names: rest.Names{Singular: "setting"}, Scope: rest.ScopeCluster, Singleton: "cluster"}
}

// Zone is a kind outside of namespaces.
type Zone struct{ Widget }
