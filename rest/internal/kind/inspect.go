package kind

// Inspect describes the versions of a rest.Definition, the stored version first. Package resttest calls it to vet a definition
// against the API conventions, and it is no part of the exported API of package rest because it shows what is internal. Package
// rest sets it when it is initialised, and nobody changes it later. The error is the one that rest.New would return.
var Inspect func(definition any) ([]*Kind, error)
