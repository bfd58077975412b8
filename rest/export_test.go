package rest

// ServeElsewhere makes an API carry out at an endpoint what requests ask of a resource, and not in its own store.
func ServeElsewhere[T any](a *API, at Endpoint, r Resource[T]) error {
	far, err := ClientForEndpoint(at, r)
	if err != nil {
		return err
	}
	for _, res := range a.serving.Load().versions {
		if res.GVK == far.res.GVK {
			res.service = far.service
		}
	}
	return nil
}
