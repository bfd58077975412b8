package rest

// FieldsOfAllVersions are the fields of a Resource that only the stored version sets.
func FieldsOfAllVersions() []string { return fieldsOfAllVersions[:] }

// Serve serves other resources from now on. Requests under way finish with what they began with.
func (a *API) Serve(definitions ...Definition) error { return a.begin(definitions) }
