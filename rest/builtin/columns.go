package builtin

import "github.com/decorum-go/decorum/rest"

const ageDescription = "The time since the object was created."

// column returns a column of type string. Kubernetes uses this type for all columns of these kinds,
// even for ages.
func column[T any](name, description string, cell func(obj *T) any) rest.Column {
	return rest.ColumnFunc(rest.Column{Name: name, Description: description}, cell)
}

// wide returns a column that only kubectl get -o wide shows.
func wide(c rest.Column) rest.Column {
	c.Priority = 1
	return c
}
