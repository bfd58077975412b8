package quota

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// ResourceQuota limits the objects of its namespace, and shows how many there are. It has the JSON and the Protobuf
// of the kind in k8s.io/api/core/v1.
type ResourceQuota struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Spec   ResourceQuotaSpec   `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec" api:"doc='The limits.'"`
	Status ResourceQuotaStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status" api:"doc='The limits that are in force, and what is used of them.'"`
}

// ResourceQuotaSpec says which counts and sizes a quota limits.
type ResourceQuotaSpec struct {
	Hard   map[string]Quantity `json:"hard,omitempty" protobuf:"bytes,1,rep,name=hard" api:"doc='The limits by their names: count/PLURAL.GROUP for a number of objects, bytes/PLURAL.GROUP for the size of their JSON, and configmaps, persistentvolumeclaims, pods, replicationcontrollers, resourcequotas, secrets and services.'"`
	Scopes []string            `json:"scopes,omitempty" protobuf:"bytes,2,rep,name=scopes" api:"list=atomic,doc='Not supported; must be empty.'"`
}

// ResourceQuotaStatus shows the limits that are in force, and the amounts that the namespace uses.
type ResourceQuotaStatus struct {
	Hard map[string]Quantity `json:"hard,omitempty" protobuf:"bytes,1,rep,name=hard" api:"doc='The limits that are in force.'"`
	Used map[string]Quantity `json:"used,omitempty" protobuf:"bytes,2,rep,name=used" api:"doc='What the objects in the namespace use of each limit.'"`
}

// resourceQuotas is the name of the resource in the store.
const resourceQuotas = "resourcequotas"

// Plug implements [rest.Plugin]. The API then serves the kind [ResourceQuota]. Who may write quotas can lift the limits
// of a namespace, so tenants should only read them. Plug returns an error if the store of the API does not have the
// Ledger.
func (q *ResourceQuotas) Plug(rest.PluginAPI) (rest.PluginParts, error) {
	if err := q.connected(); err != nil {
		return rest.PluginParts{}, err
	}
	return rest.PluginParts{Name: "quotas", Definitions: []rest.Definition{definition()}}, nil
}

func definition() rest.Definition {
	return rest.Resource[ResourceQuota]{
		Version: "v1", Plural: resourceQuotas, Names: rest.Names{Short: []string{"quota"}},
		Description: "ResourceQuota limits the objects of its namespace, and shows how many there are.",
		Wire:        rest.Wire{Dialect: rest.DialectBuiltin, ReturnDeleted: true},
		Columns: []rest.Column{
			rest.ColumnFunc(rest.Column{Name: "Request", Description: "What is used of each limit."},
				func(q *ResourceQuota) any { return q.Status.String() }),
			rest.ColumnFunc(rest.Column{Name: "Age", Description: "The time since the object was created."},
				func(q *ResourceQuota) any { return q.CreationTimestamp.Time }),
		},
		Hooks: rest.Hooks[ResourceQuota]{
			Validate: func(_ context.Context, q, _ *ResourceQuota) (status.FieldErrors, error) {
				return q.Spec.validate(), nil
			},
		},
	}
}

// String returns a line such as "count/widgets.example.com: 3/5".
func (s ResourceQuotaStatus) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(s.Hard)) {
		parts = append(parts, name+": "+cmp.Or(s.Used[name], Count(0)).String()+"/"+s.Hard[name].String())
	}
	return strings.Join(parts, ", ")
}

func (s *ResourceQuotaSpec) validate() (errs status.FieldErrors) {
	for _, name := range slices.Sorted(maps.Keys(s.Hard)) {
		at := status.NewPath("spec", "hard").Key(name)
		if _, ok := limitNamed("", name, s.Hard[name]); !ok {
			must := "must be count/PLURAL.GROUP, bytes/PLURAL.GROUP, or one of " + strings.Join(plainNames, ", ")
			errs = append(errs, status.InvalidField(at, name, must))
		}
		if s.Hard[name].Value() < 0 {
			errs = append(errs, status.InvalidField(at, s.Hard[name].String(), "must be greater than or equal to 0"))
		}
	}
	if len(s.Scopes) > 0 {
		errs = append(errs, status.InvalidField(status.NewPath("spec", "scopes"), s.Scopes, "scopes are not supported"))
	}
	return errs
}

// plainNames are the resources of the core group that a quota may also name without count/.
var plainNames = []string{"configmaps", "persistentvolumeclaims", "pods", "replicationcontrollers", resourceQuotas,
	"secrets", "services"}

// limitNamed returns the limit of a quota under one name of hard, or false if a quota cannot have that name.
func limitNamed(quota, name string, hard Quantity) (Limit, bool) {
	maximum := cmp.Or(hard.Value(), -1) // the zero of a Limit is no maximum
	if slices.Contains(plainNames, name) {
		return Limit{Name: quota, Resource: name, Objects: maximum, shown: name}, true
	}
	unit, resource, _ := strings.Cut(name, "/")
	if len(apimeta.ValidateDNS1123Subdomain(resource)) > 0 {
		return Limit{}, false
	}
	switch {
	case unit == "count":
		return Limit{Name: quota, Resource: resource, Objects: maximum, shown: name}, true
	case unit == "bytes" && resource != resourceQuotas: // whose size changes whenever the server writes their status
		return Limit{Name: quota, Resource: resource, Bytes: maximum, shown: name}, true
	}
	return Limit{}, false
}
