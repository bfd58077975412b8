package rest

// FieldsOfAllVersions are the fields of a Resource that only the stored version sets.
func FieldsOfAllVersions() []string { return fieldsOfAllVersions[:] }
