package transaction

import "github.com/decorum-go/decorum/rest/internal/openapi"

// OpenAPI describes the path of transactions.
func (*plugin) OpenAPI() openapi.Path {
	return openapi.Path{
		Path: Path, Method: "post", ID: "createTransaction",
		Description: "An extension: store all objects of a list, or none.",
		Body:        "A v1 List of at most 100 objects. An object with a resourceVersion replaces the stored one, one with only a generateName is created, and every other one is applied.",
		Takes:       []string{"application/json", "application/yaml"}, Gives: []string{"application/json"},
		Parameters: []openapi.Parameter{
			{Name: "dryRun", Type: "string", Description: "With the value All the transaction stores nothing."},
			{Name: "fieldManager", Type: "string", Description: "The name of who makes the changes."},
			{Name: "fieldValidation", Type: "string",
				Description: "How the server handles unknown and duplicate fields: Ignore, Warn or Strict."},
			{Name: "force", Type: "boolean", Description: "Takes over fields that others own, instead of answering with a conflict."},
		},
	}
}
