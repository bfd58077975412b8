package main

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// Database is a database that the platform runs for a user.
type Database struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   DatabaseSpec   `json:"spec" api:"doc='The desired state.'"`
	Status DatabaseStatus `json:"status,omitzero" api:"doc='The observed state.'"`
}

// DatabaseSpec is the desired state. Its tags are its schema: they default,
// validate, merge and document each field.
type DatabaseSpec struct {
	Engine     string `json:"engine" api:"enum=postgres|mysql|sqlite,immutable,doc='The database engine. It cannot be changed later.'"`
	Replicas   int32  `json:"replicas,omitempty" api:"default=1,min=1,max=9,doc='How many instances run.'"`
	StorageGiB int32  `json:"storageGiB,omitempty" api:"default=10,min=1,max=16384,doc='Disk of each instance, in GiB.'"`
	Users      []User `json:"users,omitempty" api:"list=map,key=name,maxItems=64,doc='The accounts that may connect, one for each name.'"`
}

// User is an account in the database.
type User struct {
	Name string `json:"name" api:"minLength=1,maxLength=63,pattern='^[a-z][a-z0-9_]*$',doc='The login name.'"`
	Role string `json:"role,omitempty" api:"enum=reader|writer|owner,default=reader,doc='What the account may do.'"`
}

// DatabaseStatus is the observed state. Only the operator writes it.
type DatabaseStatus struct {
	ObservedGeneration int64               `json:"observedGeneration,omitempty" api:"doc='The generation of the spec that this status describes.'"`
	ReadyReplicas      int32               `json:"readyReplicas" api:"optional,min=0,max=9,doc='How many instances answer.'"`
	Conditions         []apimeta.Condition `json:"conditions,omitempty" api:"list=map,key=type,doc='Ready is True when all replicas answer.'"`
}

// databases declares the resource: its names, the columns that kubectl prints,
// and the one rule that no tag can express.
func databases() rest.Resource[Database] {
	return rest.Resource[Database]{
		Group: "platform.example.com", Version: "v1", Plural: "databases",
		Names: rest.Names{
			Short:      []string{"db"},
			Categories: []string{"all"},
		},
		Description: "Database is a database that the platform runs for a user.",
		Columns: []rest.Column{
			{Name: "Engine", Path: ".spec.engine"},
			{Name: "Replicas", Type: "integer", Path: ".spec.replicas"},
			{Name: "Ready", Path: ".status.conditions[?(@.type=='Ready')].status"},
			{Name: "Storage", Type: "integer", Path: ".spec.storageGiB", Priority: 1},
			{Name: "Age", Type: "date", Path: ".metadata.creationTimestamp"},
		},
		SelectableFields: []string{"spec.engine"},
		Hooks: rest.Hooks[Database]{
			Validate: func(_ context.Context, d, _ *Database) (status.FieldErrors, error) {
				if d.Spec.Engine == "sqlite" && d.Spec.Replicas > 1 {
					return status.FieldErrors{status.InvalidField(
						status.NewPath("spec", "replicas"), d.Spec.Replicas, "sqlite runs as one instance")}, nil
				}
				return nil, nil
			},
		},
	}
}
