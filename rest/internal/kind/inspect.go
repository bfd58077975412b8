package kind

// Inspect describes the versions of a rest.Definition, the stored version first. Package resttest calls it to check a definition against
// the API conventions. Package rest does not export it because it returns internal types. Package rest sets it when it is initialized,
// and nobody changes it later. It returns the same errors as rest.New.
var Inspect func(definition any) ([]*Kind, error)
