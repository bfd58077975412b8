package conventions_test

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/conventions"
)

// thing is a kind whose objects have that type. It needs no rest.Resource, which would take long to compile for each
// type.
func thing(t reflect.Type) conventions.Declared {
	return conventions.Declared{Type: t, Group: "example.com", Kind: "Thing", ListKind: "ThingList", Plural: "things",
		Singular: "thing"}
}

// typed is the thing whose objects have that type.
func typed[T any]() conventions.Declared { return thing(reflect.TypeFor[T]()) }

// objectOf returns the type of objects with that spec and status.
func objectOf(spec, status reflect.Type) reflect.Type {
	text := reflect.TypeFor[string]()
	return reflect.StructOf([]reflect.StructField{
		{Name: "APIVersion", Type: text, Tag: `json:"apiVersion,omitempty"`},
		{Name: "Kind", Type: text, Tag: `json:"kind,omitempty"`},
		{Name: "Metadata", Type: reflect.TypeFor[apimeta.ObjectMeta](), Tag: `json:"metadata,omitempty"`},
		{Name: "Spec", Type: spec, Tag: `json:"spec"`},
		{Name: "Status", Type: status, Tag: `json:"status,omitzero"`},
	})
}

type none struct{}

// withSpec returns a kind whose objects have that spec.
func withSpec[Spec any]() conventions.Declared {
	return thing(objectOf(reflect.TypeFor[Spec](), reflect.TypeFor[none]()))
}

// withStatus returns a kind whose objects have that status.
func withStatus[Status any]() conventions.Declared {
	return thing(objectOf(reflect.TypeFor[none](), reflect.TypeFor[Status]()))
}

// named changes the names of a faultless kind.
func named(change func(*conventions.Declared)) conventions.Declared {
	d := withSpec[none]()
	change(&d)
	return d
}

type colorRef struct {
	Name string `json:"name" api:"minLength=1,maxLength=253"`
}

type anyRef struct {
	Group    string `json:"group" api:"minLength=1,maxLength=253"`
	Resource string `json:"resource" api:"minLength=1,maxLength=63"`
	Name     string `json:"name" api:"minLength=1,maxLength=253"`
}

type farRef struct {
	Namespace string `json:"namespace" api:"minLength=1,maxLength=63"`
	Name      string `json:"name" api:"minLength=1,maxLength=253"`
}

type versionedRef struct {
	APIVersion string `json:"apiVersion" api:"minLength=1,maxLength=253"`
	Kind       string `json:"kind" api:"minLength=1,maxLength=63"`
	Name       string `json:"name" api:"minLength=1,maxLength=253"`
}

type part struct {
	Name string `json:"name" api:"minLength=1,maxLength=63"`
}

type tree struct {
	Children []tree `json:"children,omitempty" api:"list=atomic"`
}

type shared struct {
	Size int32 `json:"size" api:"min=1"`
}

type weakCondition struct {
	Type   string `json:"type" api:"minLength=1,maxLength=63"`
	Status string `json:"status" api:"enum=True|False|Unknown"`
	Reason string `json:"reason,omitempty" api:"minLength=1,maxLength=63"`
}

type ownCondition struct {
	Type               string       `json:"type" api:"minLength=1,maxLength=63"`
	Status             string       `json:"status" api:"enum=Yes|No"`
	Reason             string       `json:"reason" api:"minLength=1,maxLength=63"`
	Message            string       `json:"message" api:"minLength=1,maxLength=63"`
	LastTransitionTime apimeta.Time `json:"lastTransitionTime"`
}

type goodCondition struct {
	Type               string       `json:"type" api:"minLength=1,maxLength=63"`
	Status             string       `json:"status" api:"enum=True|False|Unknown"`
	Reason             string       `json:"reason" api:"minLength=1,maxLength=63"`
	Message            string       `json:"message" api:"minLength=1,maxLength=63"`
	LastTransitionTime apimeta.Time `json:"lastTransitionTime"`
}

type Base struct {
	Size   int32 `json:"size,omitempty" api:"min=1"`
	Hidden int32 `json:"hidden" api:"min=1"`
}

type vetCase struct {
	name string
	d    conventions.Declared
	want []string // rule and field
}

// vetCases has for each rule a case that breaks it, and similar cases that do not. No case breaks another rule.
func vetCases() []vetCase {
	return []vetCase{
		{"a kind that keeps all rules", typed[Ship](), nil},
		{"the core group", named(func(d *conventions.Declared) { d.Group = "" }), []string{"group-name "}},
		{"a group of one word", named(func(d *conventions.Declared) { d.Group = "things" }),
			[]string{"group-name "}},
		{"a group of Kubernetes", named(func(d *conventions.Declared) { d.Group = "things.k8s.io" }),
			[]string{"group-name "}},
		{"the other domain of Kubernetes", named(func(d *conventions.Declared) { d.Group = "kubernetes.io" }),
			[]string{"group-name "}},
		{"a group that only ends like a reserved domain", named(func(d *conventions.Declared) {
			d.Group = "notk8s.io"
		}), nil},
		{"a group of Kubernetes for its own kinds", named(func(d *conventions.Declared) {
			d.Group, d.Builtin = "apps", true
		}), nil},
		{"a plural like the singular", named(func(d *conventions.Declared) { d.Plural = "thing" }),
			[]string{"plural "}},
		{"a plural without an s", named(func(d *conventions.Declared) { d.Plural = "stuff" }),
			[]string{"plural "}},
		{"a kind in lower case", named(func(d *conventions.Declared) { d.Kind = "thing" }),
			[]string{"kind-name "}},
		{"a kind with a dash", named(func(d *conventions.Declared) { d.Kind = "My-Thing" }),
			[]string{"kind-name "}},
		{"a kind that is a plural", named(func(d *conventions.Declared) {
			d.Kind, d.Singular = "Things", "thing"
		}), []string{"kind-name "}},
		{"a field of any type", withSpec[struct {
			Extra json.RawMessage `json:"extra,omitempty"`
		}](), []string{"schema spec.extra"}},
		{"a map of any values", withSpec[struct {
			Extra map[string]any `json:"extra,omitempty"`
		}](), []string{"schema spec.extra"}},
		{"a list of any values", withSpec[struct {
			Extra []any `json:"extra,omitempty" api:"list=atomic,maxItems=3"`
		}](), []string{"schema spec.extra[]"}},
		{"a raw value with a type", withSpec[struct {
			Port json.RawMessage `json:"port,omitempty" api:"intOrString"`
		}](), nil},

		{"a list of another name", named(func(d *conventions.Declared) { d.ListKind = "Things" }),
			[]string{"list-kind "}},
		{"a kind that is called a list", named(func(d *conventions.Declared) { d.Kind = "ToDoList" }),
			[]string{"list-kind "}},
		{"a kind with items", typed[struct {
			apimeta.TypeMeta   `json:",inline"`
			apimeta.ObjectMeta `json:"metadata,omitempty"`
			Items              []part `json:"items,omitempty" api:"list=atomic,maxItems=3"`
		}](), []string{"items items"}},
		{"a category called kind", withSpec[struct {
			Kind string `json:"kind" api:"enum=Bolt|Nut"`
		}](), []string{"kind-field spec.kind"}},
		{"a category called kind beside a name", withSpec[struct {
			Name string `json:"name" api:"minLength=1,maxLength=63"`
			Kind string `json:"kind" api:"enum=Bolt|Nut"`
			Size string `json:"size" api:"enum=Small|Large"`
		}](), []string{"kind-field spec.kind"}},
		{"no kind and apiVersion", typed[struct {
			apimeta.ObjectMeta `json:"metadata,omitempty"`
			Spec               none `json:"spec"`
		}](), []string{"type-meta apiVersion"}},
		{"a kind with metadata of its own", typed[struct {
			apimeta.TypeMeta `json:",inline"`
			Metadata         struct {
				Name              string            `json:"name,omitempty"`
				Namespace         string            `json:"namespace,omitempty"`
				UID               string            `json:"uid,omitempty"`
				ResourceVersion   string            `json:"resourceVersion,omitempty"`
				CreationTimestamp string            `json:"creationTimestamp,omitempty"`
				DeletionTimestamp string            `json:"deletionTimestamp,omitempty"`
				Labels            map[string]string `json:"labels,omitempty"`
			} `json:"metadata,omitzero"`
		}](), []string{"metadata metadata.generation", "metadata metadata.annotations"}},
		{"a kind called after its controller", named(func(d *conventions.Declared) {
			d.Kind = "ThingController"
		}), []string{"controller-kind "}},

		{"a field beside spec and status", typed[struct {
			apimeta.TypeMeta   `json:",inline"`
			apimeta.ObjectMeta `json:"metadata,omitempty"`
			Spec               none  `json:"spec"`
			Status             none  `json:"status,omitzero"`
			Paused             *bool `json:"paused,omitempty"`
		}](), []string{"top-level paused"}},
		{"fields without a status", typed[struct {
			apimeta.TypeMeta   `json:",inline"`
			apimeta.ObjectMeta `json:"metadata,omitempty"`
			Paused             *bool `json:"paused,omitempty"`
		}](), nil},
		{"a status without a spec", typed[struct {
			apimeta.TypeMeta   `json:",inline"`
			apimeta.ObjectMeta `json:"metadata,omitempty"`
			Status             none `json:"status,omitzero"`
		}](), []string{"spec-and-status "}},
		{"a status that is a string", typed[struct {
			apimeta.TypeMeta   `json:",inline"`
			apimeta.ObjectMeta `json:"metadata,omitempty"`
			Spec               none   `json:"spec"`
			Status             string `json:"status,omitempty" api:"enum=Ready|Failed"`
		}](), []string{"spec-and-status status"}},
		{"conditions that are not a map by type", withStatus[struct {
			Conditions []apimeta.Condition `json:"conditions,omitempty"`
		}](), []string{"conditions status.conditions"}},
		{"conditions that are strings", withStatus[struct {
			Conditions []string `json:"conditions,omitempty" api:"list=set,items.maxLength=10"`
		}](), []string{"conditions status.conditions"}},
		{"conditions below", withStatus[struct {
			Left struct {
				Conditions []apimeta.Condition `json:"conditions,omitempty" api:"list=atomic"`
			} `json:"left,omitzero"`
		}](), []string{"conditions status.left.conditions", "conditions-place status.left.conditions"}},
		{"conditions that may lack a reason", withStatus[struct {
			Conditions []weakCondition `json:"conditions,omitempty" api:"list=map,key=type"`
		}](), []string{"condition-fields status.conditions"}},
		{"conditions that are not true or false", withStatus[struct {
			Conditions []ownCondition `json:"conditions,omitempty" api:"list=map,key=type"`
		}](), []string{"condition-fields status.conditions"}},
		{"conditions of a type of its own", withStatus[struct {
			Conditions []goodCondition `json:"conditions,omitempty" api:"list=map,key=type"`
		}](), nil},
		{"a phase", withStatus[struct {
			Phase string `json:"phase,omitempty" api:"enum=Pending|Done"`
		}](), []string{"phase status.phase"}},
		{"a phase of something else", withSpec[struct {
			Phase string `json:"phase,omitempty" api:"enum=Alpha|Beta"`
		}](), nil},
		{"a map of objects", withSpec[struct {
			Parts map[string]part `json:"parts,omitempty" api:"maxProperties=9"`
		}](), []string{"map-of-objects spec.parts"}},
		{"a map of lists of objects", withSpec[struct {
			Parts map[string][]part `json:"parts,omitempty" api:"maxProperties=9,values.list=atomic,values.maxItems=9"`
		}](), []string{"map-of-objects spec.parts"}},
		{"a map of strings", withSpec[struct {
			Data map[string]string `json:"data,omitempty" api:"maxProperties=9,values.maxLength=9"`
		}](), nil},

		{"a float in the spec", withSpec[struct {
			Ratio float64 `json:"ratio" api:"exclusiveMin,min=0,max=1"`
		}](), []string{"float spec.ratio"}},
		{"a float in the status", withStatus[struct {
			Ratio *float32 `json:"ratio,omitempty" api:"min=0,max=1"`
		}](), []string{"float status.ratio"}},
		{"an unsigned integer", withSpec[struct {
			Size uint32 `json:"size" api:"min=1,max=9"`
		}](), []string{"unsigned spec.size"}},
		{"bytes", withSpec[struct {
			Data []byte `json:"data,omitempty" api:"maxLength=99"`
		}](), nil},
		{"an int", withSpec[struct {
			Size int `json:"size" api:"min=1,max=9"`
		}](), []string{"int-size spec.size"}},
		{"an int16", withSpec[struct {
			Size int16 `json:"size" api:"min=1,max=9"`
		}](), []string{"int-size spec.size"}},
		{"a large int64", withSpec[struct {
			Size int64 `json:"size" api:"min=1,max=9007199254740992"`
		}](), []string{"int64-range spec.size"}},
		{"a low int64", withSpec[struct {
			Size int64 `json:"size" api:"min=-9007199254740992,max=-1"`
		}](), []string{"int64-range spec.size"}},
		{"a safe int64", withSpec[struct {
			Size int64 `json:"size" api:"min=1,max=9007199254740991"`
		}](), nil},
		{"an enumeration of numbers", withSpec[struct {
			Level int32 `json:"level" api:"enum=1|2"`
		}](), []string{"numeric-enum spec.level"}},
		{"constants in lower case", withSpec[struct {
			Color string `json:"color" api:"enum=Red|dark-blue"`
		}](), []string{"constants spec.color"}},
		{"constants with an acronym in mixed case", withSpec[struct {
			Route string `json:"route" api:"enum=Tcp|UDP"`
		}](), []string{"constants spec.route"}},
		{"constants in a list", withSpec[struct {
			Colors []string `json:"colors,omitempty" api:"list=set,items.enum=red|Blue"`
		}](), []string{"constants spec.colors[]"}},
		{"constants with an acronym", withSpec[struct {
			Route string `json:"route,omitempty" api:"enum=ClientIP|TCP|"`
		}](), []string{"optional-pointer spec.route"}},
		{"a union whose member is required", withSpec[struct {
			Type string `json:"type" api:"enum=Sea|Land"`
			Sea  part   `json:"sea"`
			Land *part  `json:"land,omitempty"`
		}](), []string{"union spec.sea"}},
		{"a union with a default", withSpec[struct {
			Type string `json:"type" api:"enum=Sea|Land"`
			Sea  *none  `json:"sea,omitempty" api:"default={}"`
			Land *part  `json:"land,omitempty"`
		}](), []string{"union spec.sea"}},

		{"an optional number that may be 0", withSpec[struct {
			Size int32 `json:"size,omitempty" api:"min=0,max=9"`
		}](), []string{"optional-pointer spec.size"}},
		{"an optional boolean", withSpec[struct {
			Paused bool `json:"paused,omitempty"`
		}](), []string{"optional-pointer spec.paused"}},
		{"an optional text that may be empty", withSpec[struct {
			Text string `json:"text,omitempty" api:"maxLength=9"`
		}](), []string{"optional-pointer spec.text"}},
		{"optional fields whose zero is invalid", withSpec[struct {
			Size  int32        `json:"size,omitempty" api:"min=1,max=9"`
			Debt  int32        `json:"debt,omitempty" api:"min=-9,max=0,exclusiveMax"`
			Text  string       `json:"text,omitempty" api:"minLength=1,maxLength=9"`
			Code  string       `json:"code,omitempty" api:"pattern='^[a-z]+$',maxLength=9"`
			Color string       `json:"color,omitempty" api:"enum=Red|Blue"`
			Start string       `json:"startTime,omitempty" api:"format=date-time"`
			Other *bool        `json:"other,omitempty"`
			Last  apimeta.Time `json:"lastTime,omitzero"`
		}](), []string{"go-name spec.lastTime", "go-name spec.startTime"}},
		{"an optional number whose default is its zero value", withSpec[struct {
			Size int32 `json:"size" api:"default=0,min=0,max=9"`
		}](), nil},
		{"an optional struct that is never empty", withSpec[struct {
			Part *part        `json:"part,omitempty"`
			Last apimeta.Time `json:"lastTime,omitempty"`
		}](), []string{"optional-omitted spec.lastTime", "go-name spec.lastTime"}},
		{"a pointer that is written as null", withSpec[struct {
			Part *part `json:"part"`
		}](), []string{"optional-omitted spec.part"}},
		{"a default that Go clients cannot get", withSpec[struct {
			Size int32 `json:"size" api:"default=3,min=1,max=9"`
		}](), []string{"optional-omitted spec.size"}},
		{"a required number that may be 0", withSpec[struct {
			Size int32 `json:"size" api:"min=0,max=9"`
		}](), []string{"required-zero spec.size"}},
		{"a required pointer", withSpec[struct {
			Size *int32 `json:"size,omitempty" api:"required,min=0,max=9"`
		}](), nil},
		{"a default of a required field", withSpec[struct {
			Size int32 `json:"size,omitempty" api:"required,default=3,min=1,max=9"`
		}](), []string{"default-of-required spec.size"}},
		{"null", withSpec[struct {
			Text *string `json:"text,omitempty" api:"nullable,maxLength=9"`
		}](), []string{"nullable spec.text"}},
		{"a default beside a zero", withSpec[struct {
			Size int32 `json:"size,omitempty" api:"default=3,min=0,max=9"`
		}](), []string{"default-overrides spec.size"}},
		{"a default that overrides, of a built-in kind", builtin(withSpec[struct {
			Size int32 `json:"size,omitempty" api:"default=3,min=0,max=9"`
		}]()), []string{"default-overrides spec.size"}},

		{"a time in seconds", withSpec[struct {
			StartTime int64 `json:"startTime" api:"min=1,max=9007199254740991"`
		}](), []string{"time-format spec.startTime"}},
		{"a time of any form", withSpec[struct {
			StartTime string `json:"startTime" api:"minLength=1,maxLength=20"`
		}](), []string{"time-format spec.startTime"}},
		{"a duration of Go", withSpec[struct {
			Timeout time.Duration `json:"timeout" api:"min=1,max=9007199254740991"`
		}](), []string{"duration spec.timeout"}},
		{"a duration in words", withSpec[struct {
			Timeout string `json:"timeout" api:"minLength=1,maxLength=9"`
		}](), []string{"duration spec.timeout"}},
		{"a duration with a format", withSpec[struct {
			Wait string `json:"wait" api:"minLength=1,format=duration,maxLength=9"`
		}](), []string{"duration spec.wait"}},
		{"seconds in words", withSpec[struct {
			TimeoutSeconds string `json:"timeoutSeconds" api:"minLength=1,maxLength=9"`
		}](), []string{"duration spec.timeoutSeconds"}},
		{"a duration without its unit", withSpec[struct {
			Timeout int32 `json:"timeout" api:"min=1,max=9"`
		}](), []string{"unit spec.timeout"}},
		{"an amount without its unit", withSpec[struct {
			Memory int32 `json:"memory" api:"min=1,max=9"`
		}](), []string{"unit spec.memory"}},
		{"a duration and an amount with it", withSpec[struct {
			TimeoutSeconds int32  `json:"timeoutSeconds" api:"min=1,max=9"`
			MemoryMiB      int32  `json:"memoryMiB" api:"min=1,max=9"`
			Backoff        string `json:"backoff" api:"enum=Linear|Exponential"`
		}](), nil},
		{"an interval", withSpec[struct {
			ProbeIntervalSeconds int32 `json:"probeIntervalSeconds" api:"min=1,max=9"`
			IntervalSeconds      int32 `json:"intervalSeconds" api:"min=1,max=9"`
		}](), []string{"period-seconds spec.intervalSeconds", "period-seconds spec.probeIntervalSeconds"}},

		{"a reference without Ref", withSpec[struct {
			Color *colorRef `json:"color,omitempty"`
		}](), []string{"ref-name spec.color"}},
		{"a reference recognized by its fields", withSpec[struct {
			Target *anyRef `json:"target,omitempty"`
		}](), []string{"ref-name spec.target"}},
		{"references without Refs", withSpec[struct {
			Targets []anyRef `json:"targets,omitempty" api:"list=atomic,maxItems=9"`
		}](), []string{"ref-name spec.targets"}},
		{"pointers to references without Refs", withSpec[struct {
			Targets []*anyRef `json:"targets,omitempty" api:"list=atomic,maxItems=9"`
		}](), []string{"ref-name spec.targets"}},
		{"well-named references", withSpec[struct {
			ColorRef   *colorRef `json:"colorRef,omitempty"`
			TargetRefs []anyRef  `json:"targetRefs,omitempty" api:"list=atomic,maxItems=9"`
			Parts      []part    `json:"parts,omitempty" api:"list=map,key=name,maxItems=9"`
		}](), nil},
		{"a name that is called a reference", withSpec[struct {
			ColorRef  string   `json:"colorRef" api:"minLength=1,maxLength=9"`
			ColorRefs []string `json:"colorRefs,omitempty" api:"list=set,maxItems=9,items.maxLength=9"`
		}](), []string{"ref-object spec.colorRef", "ref-object spec.colorRefs"}},
		{"a name that is called an object", withSpec[struct {
			Secret string `json:"secret" api:"minLength=1,maxLength=253"`
			Thing  string `json:"thing" api:"minLength=1,maxLength=253"`
		}](), []string{"object-name spec.secret", "object-name spec.thing"}},
		{"a reference to another namespace", withSpec[struct {
			FarRef *farRef `json:"farRef,omitempty"`
		}](), []string{"ref-namespace spec.farRef"}},
		{"the same in a cluster-scoped object", clusterScoped(withSpec[struct {
			FarRef *farRef `json:"farRef,omitempty"`
		}]()), nil},
		{"a reference to a version", withSpec[struct {
			OwnerRef *versionedRef `json:"ownerRef,omitempty"`
		}](), []string{"ref-version spec.ownerRef"}},

		{"a name with an underscore", withSpec[struct {
			My_Size *int32 `json:"my_size,omitempty" api:"min=0,max=9"`
		}](), []string{"json-name spec.my_size"}},
		{"a name in upper case", withSpec[struct {
			Size *int32 `json:"Size,omitempty" api:"min=0,max=9"`
		}](), []string{"json-name spec.Size"}},
		{"two names", withSpec[struct {
			Amount *int32 `json:"size,omitempty" api:"min=0,max=9"`
			PodIPs *int32 `json:"podIPs,omitempty" api:"min=0,max=9"`
		}](), []string{"go-name spec.size"}},
		{"who did it", withSpec[struct {
			CreatedBy string `json:"createdBy" api:"minLength=1,maxLength=9"`
		}](), []string{"declarative spec.createdBy"}},
		{"when it was done", withStatus[struct {
			DoneAt      *apimeta.Time `json:"doneAt,omitempty"`
			LastUpdated *apimeta.Time `json:"lastUpdated,omitempty"`
			StartTime   *apimeta.Time `json:"startTime,omitempty"`
		}](), []string{"time-name status.doneAt", "time-name status.lastUpdated"}},
		{"a stamp", withStatus[struct {
			StartTimestamp *apimeta.Time `json:"startTimestamp,omitempty"`
		}](), []string{"time-name status.startTimestamp"}},
		{"an abbreviation", withSpec[struct {
			MaxConnNum *int32 `json:"maxConnNum,omitempty" api:"min=0,max=9"`
			MaxIPNum   *int32 `json:"maxIPNum,omitempty" api:"min=0,max=9"`
			Args       *int32 `json:"args,omitempty" api:"min=0,max=9"`
		}](), []string{"abbreviation spec.maxConnNum", "abbreviation spec.maxIPNum"}},
		{"an acronym in mixed case", withSpec[struct {
			PodIp    *int32 `json:"podIp,omitempty" api:"min=0,max=9"`
			PodIps   *int32 `json:"podIps,omitempty" api:"min=0,max=9"`
			BaseUrl  *int32 `json:"baseUrl,omitempty" api:"min=0,max=9"`
			HTTPGet  *int32 `json:"httpGet,omitempty" api:"min=0,max=9"`
			PodIPs   *int32 `json:"podIPs,omitempty" api:"min=0,max=9"`
			DNSNames *int32 `json:"dnsNames,omitempty" api:"min=0,max=9"`
			Osprey   *int32 `json:"osprey,omitempty" api:"min=0,max=9"`
			PodIPTag *int32 `json:"podIPTag,omitempty" api:"min=0,max=9"`
			PodIPtag *int32 `json:"podIptag,omitempty" api:"min=0,max=9"`
		}](), []string{"acronym spec.baseUrl", "acronym spec.podIp", "acronym spec.podIps"}},
		{"a question", withSpec[struct {
			IsReady *bool  `json:"isReady,omitempty"`
			Island  *bool  `json:"island,omitempty"`
			IsA     *int32 `json:"isA,omitempty" api:"min=0,max=9"`
		}](), []string{"is-bool spec.isReady"}},
		{"a reserved key", withSpec[struct {
			LabelKey string `json:"labelKey,omitempty" api:"minLength=1,maxLength=99,default=app.kubernetes.io/name"`
			Owner    string `json:"owner,omitempty" api:"minLength=1,maxLength=99,default=example.com/name"`
		}](), []string{"reserved-prefix spec.labelKey"}},
		{"a reserved namespace", withSpec[struct {
			HomeNamespace string `json:"homeNamespace,omitempty" api:"minLength=1,maxLength=63,default=kube-system"`
		}](), []string{"reserved-prefix spec.homeNamespace"}},

		{"a string without a bound", withSpec[struct {
			Text string `json:"text" api:"minLength=1"`
		}](), []string{"string-bounds spec.text"}},
		{"strings without a bound", withSpec[struct {
			Texts []string          `json:"texts,omitempty" api:"list=set,maxItems=9"`
			Data  map[string]string `json:"data,omitempty" api:"maxProperties=9"`
		}](), []string{"string-bounds spec.data{}", "string-bounds spec.texts[]"}},
		{"numbers without bounds", withSpec[struct {
			A *int32 `json:"a,omitempty"`
			B *int64 `json:"b,omitempty" api:"min=0"`
			C *int64 `json:"c,omitempty" api:"max=9"`
		}](), []string{"number-bounds spec.a", "number-bounds spec.b", "number-bounds spec.c"}},
		{"a list without a bound", withSpec[struct {
			Parts []part `json:"parts,omitempty" api:"list=map,key=name"`
		}](), []string{"list-bounds spec.parts"}},
		{"a set of constants", withSpec[struct {
			Colors []string `json:"colors,omitempty" api:"list=set,items.enum=Red|Blue"`
		}](), nil},
		{"a list without a list type", withSpec[struct {
			Parts  []part   `json:"parts,omitempty" api:"maxItems=9"`
			Colors []string `json:"colors,omitempty" api:"maxItems=9,items.enum=Red"`
		}](), []string{"list-type spec.colors", "list-type spec.parts"}},
		{"a set of objects", withSpec[struct {
			Parts []part `json:"parts,omitempty" api:"list=set,maxItems=9"`
		}](), []string{"list-type spec.parts"}},
		{"a map without a bound", withSpec[struct {
			Data map[string]string `json:"data,omitempty" api:"values.maxLength=9"`
		}](), []string{"map-bounds spec.data"}},

		{"a type that contains itself", withSpec[tree](), []string{"list-bounds spec.children"}},
		{"a type in several places is reported once", thing(objectOf(reflect.TypeFor[struct {
			Left  *shared  `json:"left,omitempty"`
			Right *shared  `json:"right,omitempty"`
			More  []shared `json:"more,omitempty" api:"list=atomic,maxItems=2"`
		}](), reflect.TypeFor[struct {
			Seen *shared `json:"seen,omitempty"`
		}]())), []string{"number-bounds spec.left.size"}},
		{"fields of an embedded struct", withSpec[struct {
			shared `json:",inline"`
		}](), []string{"number-bounds spec.size"}},
		{"fields of an embedded pointer, one of them hidden", withSpec[struct {
			*Base
			Hidden int32 `json:"hidden" api:"min=1,max=9"`
			Secret int32 `json:"-"`
		}](), []string{"number-bounds spec.size"}},
		{"a field without a tag", withSpec[struct {
			Size *int32 `api:"min=0,max=9"`
		}](), []string{"json-name spec.Size", "optional-omitted spec.Size"}},
	}
}

func builtin(d conventions.Declared) conventions.Declared {
	d.Builtin = true
	return d
}

func clusterScoped(d conventions.Declared) conventions.Declared {
	d.ClusterScoped = true
	return d
}

type Sink struct {
	Spec struct {
		Depth int32 `json:"depth" api:"min=1"`
	} `json:"spec"`
}

func TestFindings(t *testing.T) {
	for _, tt := range vetCases() {
		t.Run(tt.name, func(t *testing.T) {
			findings := conventions.FindingsOf(tt.d)
			check(t, tt.want, findings)

			var exceptions conventions.Exceptions
			for _, f := range findings {
				e := conventions.Exception{Kind: f.Kind, Field: f.Field, Rule: f.Rule, Reason: "r"}
				if !slices.Contains(exceptions, e) {
					exceptions = append(exceptions, e)
				}
			}
			left, faults := exceptions.Apply(findings)
			assert.Empty(t, left, "an exception can silence each finding")
			assert.Empty(t, faults)
		})
	}
}

// check compares findings with rules and fields.
func check(t *testing.T, want []string, findings []conventions.Finding) {
	t.Helper()
	var got []string
	for _, f := range findings {
		got = append(got, string(f.Rule)+" "+f.Field)
		assert.NotEmpty(t, f.Section)
		assert.NotEmpty(t, f.Reason)
		assert.Contains(t, []conventions.Severity{conventions.Must, conventions.Should}, f.Severity)
	}
	slices.Sort(got)
	assert.Equal(t, slices.Sorted(slices.Values(want)), got, "%s", findings)
}

// Findings sees all kinds of a definition: those of its subresources, too, and what rest.New refuses.
func TestFindingsOfDefinitions(t *testing.T) {
	boat := rest.Resource[Boat]{Group: "fleet.example.com", Version: "v1", Plural: "boats"}
	stuff := rest.Resource[apimeta.PartialObjectMetadata]{Version: "v1", Plural: "stuff", Names: rest.Names{Kind: "stuff"}}
	unnamed, virtual, withSink := boat, boat, boat
	unnamed.Plural = ""
	virtual.Hooks.Call = func(context.Context, *Boat) error { return nil }
	withSink.Subresources = []rest.SubresourceOf[Boat]{rest.Subresource[Boat, Sink]{Name: "sink",
		Create: func(context.Context, *Boat, *Sink) (*Sink, error) { return nil, nil }}}
	own := []string{"float spec.speed", "is-bool spec.isSailed"}
	tests := []struct {
		name string
		d    rest.Definition
		want []string
	}{
		{"a resource that cannot work", unnamed, []string{"works "}},
		{"no resource", nil, []string{"works "}},
		{"a type that is not the host's", stuff, nil},
		{"a call", virtual, own},
		{"the kind of a subresource", withSink, append(own, "type-meta apiVersion", "number-bounds spec.depth")},
		{"a kind without a Go type", rest.Resource[apimeta.Document]{Group: "example.com", Version: "v1", Plural: "cranes",
			Names: rest.Names{Kind: "Crane"}, Schema: rest.Schema{OpenAPI: []byte(`{"type":"object","properties":{"spec":
				{"type":"object","properties":{"reach_m":{"type":"integer","minimum":1,"maximum":9}}}}}`)}},
			[]string{"json-name spec.reach_m"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { check(t, tt.want, conventions.Findings(tt.d)) })
	}
}

// rules reads the names of all rules from the source.
func rules(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "rules.go", nil, 0)
	require.NoError(t, err)
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && strings.HasPrefix(spec.Names[0].Name, "Rule") {
			name, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			out = append(out, name)
		}
		return true
	})
	require.NotEmpty(t, out)
	return out
}

// A case breaks every rule, and docs/testing.md explains every rule.
func TestEveryRuleIsTriedAndExplained(t *testing.T) {
	tried := map[string]bool{}
	tried[string(conventions.RuleWorks)] = true // TestFindingsOfDefinitions
	for _, tt := range vetCases() {
		for _, want := range tt.want {
			rule, _, _ := strings.Cut(want, " ")
			tried[rule] = true
		}
	}
	for _, c := range corpus(t, "testdata/wrong.go") {
		for _, want := range c.want {
			rule, _, _ := strings.Cut(want, " ")
			tried[rule] = true
		}
	}
	page, err := os.ReadFile("../../docs/testing.md")
	require.NoError(t, err)
	severities, sections := map[string][]string{}, map[string]string{}
	for _, r := range conventions.Rules() {
		name := string(r.Rule)
		if !slices.Contains(severities[name], string(r.Severity)) {
			severities[name] = append(severities[name], string(r.Severity))
		}
		if sections[name] == "" && r.Rule != conventions.RuleWorks {
			sections[name] = r.Section
		}
	}
	for _, rule := range rules(t) {
		assert.True(t, tried[rule], "no case breaks the rule %s", rule)
		row := fmt.Sprintf("| `%s` | %s | %s |", rule, strings.Join(severities[rule], ", "), sections[rule])
		assert.True(t, strings.Contains(string(page), row), "the row %s is not in docs/testing.md", row)
	}
}

// A finding is one line that names the place, the severity, the reason, the rule, and who explains it.
func TestVetFailsTheTest(t *testing.T) {
	errs := inside(func(t *fakeT) { conventions.Vet(t, ships(), boats()) })
	assert.Equal(t, []string{
		"Boat spec.isSailed: should: a boolean is named after its property alone, and asks no question: sailed " +
			"(rule is-bool; docs/designing-kinds.md#names; API conventions, Naming conventions)",
		"Boat spec.speed: must: clients do not preserve floating-point numbers exactly, so a spec must not have them: " +
			"use an integer of a smaller unit, or a quantity " +
			"(rule float; docs/designing-kinds.md#numbers; API conventions, Primitive types)",
	}, errs)
}

func TestExceptions(t *testing.T) {
	type limits struct {
		Low  *int32 `json:"low,omitempty"`
		High *int32 `json:"high,omitempty"`
	}
	d := withSpec[struct {
		Limits     *limits  `json:"limits,omitempty"`
		LimitsAlso *int32   `json:"limitsAlso,omitempty"`
		Texts      []string `json:"texts,omitempty" api:"list=set,maxItems=3"`
	}]()
	findings := conventions.FindingsOf(d)
	const bounds = conventions.RuleNumberBounds
	tests := []struct {
		name       string
		exceptions conventions.Exceptions
		left       []string // parts of the remaining errors
	}{
		{"none", nil, []string{"spec.limits.high", "spec.limits.low", "spec.limitsAlso", "spec.texts[]"}},
		{"a field", conventions.Exceptions{{Kind: "Thing", Field: "spec.limits.low", Rule: bounds, Reason: "r"}},
			[]string{"spec.limits.high", "spec.limitsAlso", "spec.texts[]"}},
		{"a field and everything below it", conventions.Exceptions{{Kind: "Thing", Field: "spec.limits", Rule: bounds,
			Reason: "r"}},
			[]string{"spec.limitsAlso", "spec.texts[]"}},
		{"the elements of a list", conventions.Exceptions{{Kind: "Thing", Field: "spec.texts",
			Rule: conventions.RuleStringBounds, Reason: "r"}},
			[]string{"spec.limits.high", "spec.limits.low", "spec.limitsAlso"}},
		{"the whole kind", conventions.Exceptions{{Kind: "Thing", Rule: bounds, Reason: "r"}}, []string{"spec.texts[]"}},
		{"another kind", conventions.Exceptions{{Kind: "Other", Rule: bounds, Reason: "r"}},
			[]string{"spec.limits.high", "spec.limits.low", "spec.limitsAlso", "spec.texts[]", "silences nothing"}},
		{"another rule", conventions.Exceptions{{Kind: "Thing", Field: "spec.limitsAlso", Rule: conventions.RuleFloat,
			Reason: "r"}},
			[]string{"spec.limits.high", "spec.limits.low", "spec.limitsAlso", "spec.texts[]", "silences nothing"}},
		{"without a reason", conventions.Exceptions{{Kind: "Thing", Rule: bounds, Reason: " "}},
			[]string{"spec.texts[]", "has no reason"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			left, errs := tt.exceptions.Apply(findings)
			for i, f := range left {
				errs = slices.Insert(errs, i, f.String())
			}
			require.Len(t, errs, len(tt.left), "%q", errs)
			for i, part := range tt.left {
				assert.Contains(t, errs[i], part)
			}
		})
	}
}

// The kinds of this module equal those of Kubernetes, and break the same conventions.
func TestReviewsKeepTheConventions(t *testing.T) {
	const reason = "the type is Kubernetes' own, field by field"
	var exceptions conventions.Exceptions
	for _, kind := range []string{"SubjectAccessReview", "LocalSubjectAccessReview"} {
		for _, rule := range []conventions.Rule{conventions.RuleOptionalPointer, conventions.RuleStringBounds,
			conventions.RuleListBounds,
			conventions.RuleMapBounds, conventions.RuleListType} {
			exceptions = append(exceptions, conventions.Exception{Kind: kind, Rule: rule, Reason: reason})
		}
	}
	reviews, err := auth.Reviews().Plug(rest.PluginAPI{})
	require.NoError(t, err)
	exceptions.Vet(t, reviews.Definitions...)
}

func BenchmarkFindings(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		conventions.Findings(ships())
	}
}
