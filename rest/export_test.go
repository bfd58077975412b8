package rest

// ServeElsewhere makes an API carry out what requests ask of a resource at an endpoint, instead of in its own store.
func ServeElsewhere[T any](a *API, at Endpoint, r Resource[T]) error {
	far, err := ClientForEndpoint(at, r)
	for _, res := range a.serving.Load().versions {
		if res.GVK == far.res.GVK {
			res.service = far.service
		}
	}
	return err
}

// FieldsOfAllVersions are the fields of a Resource that only the stored version sets.
func FieldsOfAllVersions() []string { return fieldsOfAllVersions[:] }
